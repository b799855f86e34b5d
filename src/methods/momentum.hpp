// The momentum equation of a step, L_v(end) - L_v(start) - impulse = 0, as residuals of the velocity unknowns.
//
// With constant mass, L_v = M v + rest(t, q), it is written solved for the velocity:
//   v - v0 + M^-1 (rest - rest0 - impulse) = 0
// so that a stage whose impulse does not contain v is recognised as explicit.
#pragma once

#include "formulation/mechanical.hpp"
#include "formulation/point.hpp"
#include "methods/step_inputs.hpp"

namespace rattleback {

inline void momentum_balance(Equations& eq, const Mechanical& f, const std::vector<NodeId>& v, Point& at,
                             const std::vector<NodeId>& v0, Point& start, const std::vector<NodeId>& impulse) {
  Graph& g = eq.graph;
  const std::size_t n = impulse.size();
  std::vector<NodeId> change;
  for (std::size_t j = 0; j < n; ++j) {
    const NodeId p = f.inverse_mass ? f.p_rest[j] : f.p[j];
    change.push_back(g.sub(g.sub(at(p), start(p)), impulse[j]));
  }
  for (std::size_t i = 0; i < n; ++i) {
    eq.residuals.push_back(
        f.inverse_mass ? g.add(g.sub(v[i], v0[i]), combine(g, std::span(*f.inverse_mass).subspan(i * n, n), change))
                       : change[i]);
    eq.scales.push_back(Equations::Scale::state);
  }
}

}  // namespace rattleback
