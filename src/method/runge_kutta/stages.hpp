// Small pieces that the equations of all Runge-Kutta steps are put together from.
#pragma once

#include "expr/vectors.hpp"
#include "method/runge_kutta/scheme.hpp"
#include "method/step_inputs.hpp"

namespace rattleback {

inline std::span<const double> row(const std::vector<double>& matrix, int i, int s) {
  return std::span(matrix).subspan(static_cast<std::size_t>(i) * static_cast<std::size_t>(s),
                                   static_cast<std::size_t>(s));
}

// x0 + h sum_j weight_j X_j, component by component. With one weight only, h weight is a value that all components share;
// with several, the sum is formed first, because stages that turn out equal then merge.
inline Vec advance(Graph& g, const Vec& x0, NodeId h, std::span<const double> weight, const std::vector<Vec>& X) {
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

// Vectors of m stage multipliers: unknowns from `first` on, except a carried first one, which begins at carried_from.
inline std::vector<Vec> stage_multipliers(StepInputs& in, const Scheme& scheme, std::int32_t first, std::int32_t m,
                                          std::int32_t carried_from = 0) {
  std::vector<Vec> Psi;
  for (int i = 0; i < scheme.stages; ++i) {
    if (scheme.carries_multiplier && i == 0) {
      Psi.push_back(in.list(kCarried, carried_from, m));
    } else {
      Psi.push_back(in.list(kUnknown, first, m));
      first += m;
    }
  }
  return Psi;
}

// What dense output is made of: the stage velocities (dae: the stages), one after the other. bind() drops them from a run
// that has no use for them.
inline void stage_results(Equations& eq, const std::vector<Vec>& stages) {
  for (const Vec& x : stages) eq.extra.insert(eq.extra.end(), x.begin(), x.end());
}

}  // namespace rattleback
