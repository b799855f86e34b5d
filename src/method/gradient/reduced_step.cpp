#include "method/gradient/reduced_step.hpp"

#include "expr/vectors.hpp"
#include "system/point.hpp"
#include "tableau/tableau.hpp"

namespace rattleback {
namespace {

using Scale = Equations::Scale;

void append(Vec& to, const Vec& more) { to.insert(to.end(), more.begin(), more.end()); }

// What forces do in a step, stage by stage: supplied, and dissipated by the part -D v of them.
struct Work {
  NodeId supplied = 0, dissipated = 0;

  explicit Work(Graph& g) : supplied(g.zero()), dissipated(g.zero()) {}
  void add(Graph& g, NodeId weight, Point& at, const Vec& force, const Entries& damping, const Vec& v) {
    NodeId lost = g.zero();
    for (const Entry& e : damping)
      lost = g.add(lost, g.mul(at(e.expr), g.mul(v[static_cast<std::size_t>(e.row.base)],
                                                 v[static_cast<std::size_t>(e.col.base)])));
    dissipated = g.add(dissipated, g.mul(weight, lost));
    supplied = g.add(supplied, g.mul(weight, g.add(dot(g, at(force), v), lost)));
  }
};

}  // namespace

Equations reduced_energy_step(const Reduced& r, std::int32_t multipliers, const EnergyRule& rule,
                              const Entries& damping, int parts) {
  Equations eq;
  eq.graph = r.system.graph;
  Graph& g = eq.graph;
  StepInputs in(eq, r.n, multipliers, true);
  const auto n = static_cast<std::size_t>(r.n);

  EnergyStart start{.x0 = in.q, .held = Point(g, in.t, in.q, {})(r.choice), .feed_back = !r.forced};
  const auto choices = static_cast<std::int32_t>(r.choice.size());
  NodeId part = 0;
  const bool passes_on = parts > 1 && choices > 0;
  if (passes_on) {
    eq.inputs.emplace_back(kCarried, 1 + choices);
    part = g.variable(kCarried, 0);
    const NodeId first = g.binary(Op::less, part, g.constant(0.5));
    for (std::int32_t i = 0; i < choices; ++i) {
      NodeId& e = start.held[static_cast<std::size_t>(i)];
      e = g.select(first, e, g.variable(kCarried, 1 + i));
    }
  }
  append(start.x0, Point(g, in.t, in.q, in.v, start.held)(r.rho));
  // The work in the stages. The step asks for the forces in the order of its stages, and then once more for the guess.
  const std::vector<double> weights =
      rule.kind == EnergyRule::Kind::collocation ? gauss(rule.stages).b : std::vector<double>{1.0};
  Work work(g);
  std::size_t asked = 0;
  EnergyForce force;
  if (r.forced)
    force = [&](NodeId t, const Vec& x, const Vec& gradient) {
      Point here(g, t, x, {}, start.held);
      const Vec y(gradient.begin() + r.n, gradient.end());
      Vec v;
      for (std::size_t i = 0; i < n; ++i) {
        const Vec& row = r.system.Pi[i];
        v.push_back(dot(g, here(Vec(row.begin() + r.n, row.end())), y));
      }
      Point moving(g, t, x, v, start.held);
      if (asked < weights.size()) {
        work.add(g, g.mul(g.constant(weights[asked]), in.h), moving, r.applied, damping, v);
        ++asked;
      }
      Vec out(n, g.zero());
      append(out, moving(r.force));
      return out;
    };
  const Vec x1 = write_energy_step(eq, in, r.system, rule, start, force);
  for (int i = 0; i < rule.stages; ++i) {
    eq.scales.insert(eq.scales.end(), n, Scale::state);
    eq.scales.insert(eq.scales.end(), static_cast<std::size_t>(r.free), Scale::state_per_step);
  }
  eq.results.assign(x1.begin(), x1.begin() + r.n);
  Point end(g, in.time(1.0), x1, {}, start.held);
  append(eq.results, end(r.velocity));
  if (passes_on) {
    eq.results.push_back(g.select(g.binary(Op::less, part, g.constant(parts - 1.5)), g.add(part, g.one()), g.zero()));
    append(eq.results, start.held);
  }
  if (r.forced) {
    const NodeId energy = end(r.system.H);
    eq.power = {g.sub(energy, Point(g, in.t, start.x0, {}, start.held)(r.system.H)), work.supplied, work.dissipated,
                energy};
  }
  // It has no multipliers. Those that are reported are linear in the unknowns of the acceleration level and need no guess.
  eq.results.insert(eq.results.end(), static_cast<std::size_t>(multipliers), g.zero());
  return eq;
}

Equations canonical_gonzalez_step(const Canonical& c, const Entries& damping) {
  Equations eq;
  eq.graph = c.system.graph;
  Graph& g = eq.graph;
  StepInputs in(eq, c.n, c.m, true);
  const auto n = static_cast<std::size_t>(c.n);
  const Vec lambda = in.list(kUnknown, 2 * c.n, c.m);

  EnergyStart start{.x0 = in.q, .feed_back = !c.forced};
  append(start.x0, Point(g, in.t, in.q, in.v)(c.momentum));
  Vec constraints;
  Work work(g);
  bool asked = false;
  const EnergyForce force = [&](NodeId t, const Vec& x, const Vec& gradient) {
    const Vec q(x.begin(), x.begin() + c.n), v(gradient.begin() + c.n, gradient.end());
    Point here(g, t, q, v);
    Vec reaction = here(c.force);
    if (!asked) work.add(g, in.h, here, c.force, damping, v);  // at the midpoint; then it is asked for the guess
    asked = true;
    for (std::size_t k = 0; k < c.A.size(); ++k) {
      const Vec row = here(c.A[k]);
      for (std::size_t i = 0; i < n; ++i) reaction[i] = g.sub(reaction[i], g.mul(row[i], lambda[k]));
      if (constraints.size() < c.A.size()) constraints.push_back(dot(g, row, v));  // at the midpoint, which comes first
    }
    Vec out(n, g.zero());
    append(out, reaction);
    return out;
  };
  const Vec x1 = write_energy_step(eq, in, c.system, {.kind = EnergyRule::Kind::gonzalez}, start, force);
  // In the guess of the rates, the multipliers are those of the start.
  for (NodeId& guess : eq.guesses)
    guess = substitute(g, guess, [&](NodeId leaf) {
      return g[leaf].space == kUnknown ? in.multipliers[static_cast<std::size_t>(g[leaf].base() - 2 * c.n)] : leaf;
    });
  append(eq.residuals, constraints);
  append(eq.guesses, in.multipliers);
  eq.scales.assign(n, Scale::state);
  eq.scales.insert(eq.scales.end(), n + static_cast<std::size_t>(c.m), Scale::state_per_step);
  eq.results.assign(x1.begin(), x1.begin() + c.n);
  Point end(g, in.time(1.0), x1, {});
  append(eq.results, end(c.velocity));
  append(eq.results, lambda);
  if (c.forced) {
    const NodeId energy = end(c.system.H);
    eq.power = {g.sub(energy, Point(g, in.t, start.x0, {})(c.system.H)), work.supplied, work.dissipated, energy};
  }
  return eq;
}

}  // namespace rattleback
