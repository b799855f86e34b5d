// One step of any partitioned Runge-Kutta scheme for constrained systems, written as equations in the stage velocities
// and multipliers. [Jay2009, eq. 6.1]
#include "methods/runge_kutta.hpp"

#include "methods/momentum.hpp"

namespace rattleback {
namespace {

using Vec = std::vector<NodeId>;

std::span<const double> row(const std::vector<double>& matrix, int i, int s) {
  return std::span(matrix).subspan(static_cast<std::size_t>(i) * static_cast<std::size_t>(s),
                                   static_cast<std::size_t>(s));
}

// x0 + h sum_j weight_j X_j, component by component. With one weight only, h weight is a value that all components share;
// with several, the sum is formed first, because stages that turn out equal then merge.
Vec advance(Graph& g, const Vec& x0, NodeId h, std::span<const double> weight, const std::vector<Vec>& X) {
  std::vector<std::size_t> used;
  for (std::size_t j = 0; j < X.size(); ++j)
    if (weight[j] != 0.0) used.push_back(j);
  Vec out;
  for (std::size_t k = 0; k < x0.size(); ++k) {
    if (used.size() == 1) {
      out.push_back(g.add(x0[k], g.mul(g.mul(g.constant(weight[used[0]]), h), X[used[0]][k])));
      continue;
    }
    Vec column;
    for (const Vec& x : X) column.push_back(x[k]);
    out.push_back(g.add(x0[k], g.mul(h, combine(g, weight, column))));
  }
  return out;
}

// The stage multipliers: unknowns from `first` on, except a carried first one.
std::vector<Vec> stage_multipliers(StepInputs& in, const Scheme& scheme, std::int32_t first, std::int32_t m) {
  std::vector<Vec> Psi;
  for (int i = 0; i < scheme.stages; ++i) {
    if (scheme.carries_multiplier && i == 0) {
      Psi.push_back(in.list(kCarried, 0, m));
    } else {
      Psi.push_back(in.list(kUnknown, first, m));
      first += m;
    }
  }
  return Psi;
}

// What dense output is made of: the stage velocities (dae: the stages), one after the other. bind() drops them from a run
// that has no use for them.
void stage_results(Equations& eq, const std::vector<Vec>& stages) {
  for (const Vec& x : stages) eq.extra.insert(eq.extra.end(), x.begin(), x.end());
}

// The stage system for h -> 0: the saddle-point matrix at the start of the step, coupled by the scheme's coefficients.
SaddleHint saddle_hint(Graph& g, const Mechanical& f, const Scheme& scheme) {
  SaddleHint hint;
  const int s = scheme.stages, first = scheme.carries_multiplier ? 1 : 0;
  const auto n = static_cast<std::size_t>(f.n);
  hint.n = f.n;
  hint.m = f.m;
  hint.stages = s + 1;
  hint.multipliers = s - first;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) hint.M.push_back(f.inverse_mass ? g.constant(i == j ? 1.0 : 0.0) : f.Lvv[i][j]);
  for (const Vec& Kc : f.K) {
    hint.K.insert(hint.K.end(), Kc.begin(), Kc.end());
    for (std::size_t i = 0; i < n; ++i)  // momentum_balance is multiplied by M^-1 when that is constant
      hint.Bt.push_back(f.inverse_mass ? combine(g, std::span(*f.inverse_mass).subspan(i * n, n), Kc) : Kc[i]);
  }
  for (int i = 0; i <= s; ++i)
    for (int j = first; j < s; ++j)
      hint.reaction.push_back(i < s ? row(scheme.at, i, s)[static_cast<std::size_t>(j)]
                                    : scheme.bt[static_cast<std::size_t>(j)]);
  for (const ConstraintRow& r : scheme.rows)
    for (int i = 0; i <= s; ++i) {
      const bool end = r.where == ConstraintRow::Where::end;
      hint.rows.push_back(i == s ? (end ? 1.0 : 0.0) : (end ? 0.0 : r.weight[static_cast<std::size_t>(i)]));
    }
  return hint;
}

}  // namespace

Equations runge_kutta_step(const Mechanical& system, const Scheme& scheme) {
  Mechanical f = system;  // works on a copy of the graph
  const int s = scheme.stages;
  const std::int32_t n = f.n, m = f.m;
  Equations eq;
  eq.graph = std::move(f.graph);
  Graph& g = eq.graph;
  StepInputs in(eq, n, m, true);
  if (scheme.carries_multiplier) eq.inputs.emplace_back(kCarried, m);

  // Unknowns: V_1 .. V_s, v1, Psi_1 .. Psi_s.
  std::vector<Vec> V, F, R, k;
  for (int i = 0; i < s; ++i) V.push_back(in.list(kUnknown, i * n, n));
  const Vec v1 = in.list(kUnknown, s * n, n);
  const std::vector<Vec> Psi = stage_multipliers(in, scheme, (s + 1) * n, m);

  std::vector<Point> stage;
  for (std::size_t i = 0; i < V.size(); ++i) {
    const Vec Q = advance(g, in.q, in.h, row(scheme.a, static_cast<int>(i), s), V);
    Point& at = stage.emplace_back(g, in.time(scheme.c[i]), Q, V[i], Psi[i]);
    F.push_back(at(f.force));
    k.push_back(at(f.k));
    Vec reaction(static_cast<std::size_t>(n), g.zero());
    for (std::size_t c = 0; c < f.K.size(); ++c)
      for (std::size_t j = 0; j < reaction.size(); ++j)
        reaction[j] = g.sub(reaction[j], g.mul(at(f.K[c][j]), Psi[i][c]));
    R.push_back(std::move(reaction));
  }
  const Vec q1 = advance(g, in.q, in.h, scheme.b, V);

  Point start(g, in.t, in.q, in.v), end(g, in.time(1.0), q1, v1);
  // Stage by stage, force before reaction: what two rows of coefficients begin with in common is then computed once (in
  // Lobatto IIIA-IIIB with two stages, p1 continues from P_2).
  const auto impulses = [&](std::span<const double> wf, std::span<const double> wr) {
    std::vector<Vec> out;
    const auto add = [&](double weight, const Vec& x) {
      if (weight == 0.0) return;
      const NodeId factor = g.mul(g.constant(weight), in.h);
      Vec& impulse = out.emplace_back();
      for (const NodeId e : x) impulse.push_back(g.mul(factor, e));
    };
    for (std::size_t j = 0; j < F.size(); ++j) {
      add(wf[j], F[j]);
      add(wr[j], R[j]);
    }
    return out;
  };
  for (int i = 0; i < s; ++i) {
    const auto j = static_cast<std::size_t>(i);
    momentum_balance(eq, f, V[j], stage[j], in.v, start, impulses(row(scheme.ah, i, s), row(scheme.at, i, s)));
  }
  momentum_balance(eq, f, v1, end, in.v, start, impulses(scheme.bh, scheme.bt));

  for (const ConstraintRow& r : scheme.rows) {
    Vec value;
    switch (r.where) {
      case ConstraintRow::Where::stages:
        for (std::size_t c = 0; c < f.k.size(); ++c) {
          Vec column;
          for (const Vec& at : k) column.push_back(at[c]);
          value.push_back(combine(g, r.weight, column));
        }
        break;
      case ConstraintRow::Where::end: value = end(f.k); break;
      case ConstraintRow::Where::mean: {
        const Vec zero(static_cast<std::size_t>(n), g.zero());
        Point at(g, in.time(r.tau), advance(g, in.q, in.h, r.alpha, V), advance(g, zero, g.one(), r.weight, V));
        value = at(f.k);
        break;
      }
      case ConstraintRow::Where::point:
      case ConstraintRow::Where::position: break;
    }
    for (const NodeId c : value) {
      eq.residuals.push_back(c);
      eq.scales.push_back(Equations::Scale::state_per_step);
    }
  }

  eq.saddle = saddle_hint(g, f, scheme);
  for (int i = 0; i <= s; ++i) {
    const NodeId after = g.mul(g.constant(i < s ? scheme.c[static_cast<std::size_t>(i)] : 1.0), in.h);
    for (std::size_t j = 0; j < in.v.size(); ++j)
      eq.guesses.push_back(g.add(in.v[j], g.mul(after, in.acceleration[j])));
  }
  for (std::size_t i = 0; i < scheme.rows.size(); ++i)
    eq.guesses.insert(eq.guesses.end(), in.multipliers.begin(), in.multipliers.end());

  eq.results = q1;
  eq.results.insert(eq.results.end(), v1.begin(), v1.end());
  for (int copies = scheme.carries_multiplier ? 2 : 1; copies > 0; --copies)
    eq.results.insert(eq.results.end(), Psi.back().begin(), Psi.back().end());
  stage_results(eq, V);
  return eq;
}

Equations runge_kutta_step(const Dae& system, const Scheme& scheme) {
  Dae f = system;
  const int s = scheme.stages;
  const std::int32_t n = f.n, m = f.m;
  Equations eq;
  eq.graph = std::move(f.graph);
  Graph& g = eq.graph;
  StepInputs in(eq, n, m, false);
  if (scheme.carries_multiplier) eq.inputs.emplace_back(kCarried, m);

  // Unknowns: Y_1 .. Y_s, Z_1 .. Z_s.
  std::vector<Vec> Y, c;
  for (int i = 0; i < s; ++i) Y.push_back(in.list(kUnknown, i * n, n));
  const std::vector<Vec> Z = stage_multipliers(in, scheme, s * n, m);
  std::array<std::vector<Vec>, 5> parts;
  std::vector<Vec> whole;
  for (std::size_t i = 0; i < Y.size(); ++i) {
    Point at(g, in.time(scheme.c[i]), Y[i], {}, Z[i]);
    for (std::size_t part = 0; part < parts.size(); ++part)
      if (!f.parts[part].empty()) parts[part].push_back(at(f.parts[part]));
    whole.push_back(at(f.f));
    c.push_back(at(f.c));
  }
  const Vec y1 = advance(g, in.q, in.h, scheme.b, whole);
  for (int i = 0; i < s; ++i) {
    Vec value = in.q;
    for (std::size_t part = 0; part < parts.size(); ++part)
      if (!parts[part].empty()) value = advance(g, value, in.h, row(scheme.parts[part], i, s), parts[part]);
    for (std::size_t j = 0; j < value.size(); ++j) {
      eq.residuals.push_back(g.sub(Y[static_cast<std::size_t>(i)][j], value[j]));
      eq.scales.push_back(Equations::Scale::state);
    }
  }
  Point end(g, in.time(1.0), y1, {});
  for (const ConstraintRow& r : scheme.rows)
    for (std::size_t j = 0; j < f.c.size(); ++j) {
      NodeId value = 0;
      if (r.where == ConstraintRow::Where::end) {
        value = end(f.c[j]);
      } else {
        Vec column;
        for (const Vec& at : c) column.push_back(at[j]);
        value = combine(g, r.weight, column);
      }
      eq.residuals.push_back(value);
      eq.scales.push_back(Equations::Scale::state_per_step);
    }

  for (std::size_t i = 0; i < Y.size(); ++i)
    for (std::size_t j = 0; j < in.q.size(); ++j)
      eq.guesses.push_back(g.add(in.q[j], g.mul(g.mul(g.constant(scheme.c[i]), in.h), in.acceleration[j])));
  for (std::size_t i = 0; i < scheme.rows.size(); ++i)
    eq.guesses.insert(eq.guesses.end(), in.multipliers.begin(), in.multipliers.end());
  eq.results = y1;
  for (int copies = scheme.carries_multiplier ? 2 : 1; copies > 0; --copies)
    eq.results.insert(eq.results.end(), Z.back().begin(), Z.back().end());
  stage_results(eq, Y);
  return eq;
}

}  // namespace rattleback
