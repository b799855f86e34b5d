// The momentum equation of a step, L_v(end) = L_v(start) + impulses, as residuals of the velocity unknowns.
//
// With constant mass, L_v = M v + rest(t, q), it is written solved for the velocity:
//   v - (v0 + M^-1 (rest0 - rest) + M^-1 impulse_1 + M^-1 impulse_2 ...) = 0
// so that a stage whose impulses do not contain v is recognised as explicit. The impulses are added one after the other,
// the reaction last, so that the velocity without reaction is a value of its own and computed once.
#pragma once

#include "formulation/mechanical.hpp"
#include "formulation/point.hpp"
#include "methods/step_inputs.hpp"

namespace rattleback {

inline void momentum_balance(Equations& eq, const Mechanical& f, const std::vector<NodeId>& v, Point& at,
                             const std::vector<NodeId>& v0, Point& start,
                             const std::vector<std::vector<NodeId>>& impulses) {
  Graph& g = eq.graph;
  const std::size_t n = v.size();
  std::vector<NodeId> target = v0;
  const auto add = [&](const std::vector<NodeId>& change) {
    for (std::size_t i = 0; i < n; ++i)
      target[i] = g.add(target[i],
                        f.inverse_mass ? combine(g, std::span(*f.inverse_mass).subspan(i * n, n), change) : change[i]);
  };
  if (f.inverse_mass) {
    std::vector<NodeId> rest;
    for (const NodeId p : f.p_rest) rest.push_back(g.sub(start(p), at(p)));
    add(rest);
  } else {
    target = start(f.p);
  }
  for (const std::vector<NodeId>& impulse : impulses) add(impulse);
  for (std::size_t i = 0; i < n; ++i) {
    eq.residuals.push_back(g.sub(f.inverse_mass ? v[i] : at(f.p[i]), target[i]));
    eq.scales.push_back(Equations::Scale::state);
  }
}

}  // namespace rattleback
