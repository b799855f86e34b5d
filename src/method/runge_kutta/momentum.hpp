// The momentum equation of a step, L_v(end) = L_v(start) + impulses, as residuals of the velocity unknowns.
//
// With constant mass, L_v = M v + rest(t, q), it is written solved for the velocity:
//   v - (v0 + M^-1 (rest0 - rest) + M^-1 impulse_1 + M^-1 impulse_2 ...) = 0
// so that a stage whose impulses do not contain v is recognised as explicit. Few impulses are added one after the other,
// the reaction last: the velocity without reaction is then a value of its own and computed once. Many impulses are summed
// first, because every addition to the large v0 costs a rounding error.
#pragma once

#include "method/step_inputs.hpp"
#include "system/mechanical/mechanical.hpp"
#include "system/point.hpp"

namespace rattleback {

inline void momentum_balance(Equations& eq, const Mechanical& f, const std::vector<NodeId>& v, Point& at,
                             const std::vector<NodeId>& v0, Point& start,
                             const std::vector<std::vector<NodeId>>& impulses) {
  Graph& g = eq.graph;
  const std::size_t n = v.size();
  constexpr std::size_t kFew = 4;
  std::vector<std::vector<NodeId>> parts = impulses;
  if (parts.size() > kFew || !f.inverse_mass) {
    std::vector<NodeId> sum(n, g.zero());
    for (const std::vector<NodeId>& impulse : impulses)
      for (std::size_t i = 0; i < n; ++i) sum[i] = g.add(sum[i], impulse[i]);
    parts = {sum};
  }
  for (std::size_t i = 0; i < n; ++i) eq.scales.push_back(Equations::Scale::state);
  if (!f.inverse_mass) {
    for (std::size_t i = 0; i < n; ++i) eq.residuals.push_back(g.sub(g.sub(at(f.p[i]), start(f.p[i])), parts[0][i]));
    return;
  }
  std::vector<NodeId> target = v0;
  const auto add = [&](const std::vector<NodeId>& change) {
    for (std::size_t i = 0; i < n; ++i)
      target[i] = g.add(target[i], combine(g, std::span(*f.inverse_mass).subspan(i * n, n), change));
  };
  std::vector<NodeId> rest;
  for (const NodeId p : f.p_rest) rest.push_back(g.sub(start(p), at(p)));
  add(rest);
  for (const std::vector<NodeId>& part : parts) add(part);
  for (std::size_t i = 0; i < n; ++i) eq.residuals.push_back(g.sub(v[i], target[i]));
}

}  // namespace rattleback
