// One step of a Runge-Kutta scheme for an index-2 DAE, as equations in the stage values. [Hilden2009, eq. 2.20, 2.25]
#include "method/runge_kutta/runge_kutta.hpp"
#include "method/runge_kutta/stages.hpp"
#include "system/point.hpp"

namespace rattleback {

Equations runge_kutta_step(const Dae& system, const Scheme& scheme) {
  Dae f = system;
  const int s = scheme.stages;
  const std::int32_t n = f.n, m = f.m;
  Equations eq;
  eq.leading = false;  // of first order: what it leaves out is O(h), not O(h^2)
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
