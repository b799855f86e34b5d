// McLachlan and Perlmutter's integrator for velocity constraints:
//
//   q+ = q0 + (h/2) v0,   q- = q0 - (h/2) v0,   t+ = t0 + h/2
//   L_v(t+, q+, v1) - h (L_q + F)(t+, q+, v1) = L_v(t-, q-, v0) - h K(t+, q+)^T psi
//   q1 = q+ + (h/2) v1,   k(t1, q1, v1) = 0
//
// With constant mass and L = T(v) - U(q) this is M v1 = M v0 - h (U_q(q+) + K(q+)^T psi): order 2, symmetric, and only
// psi needs an iteration. Otherwise it is Hilden's generalisation, of order 1 and not symmetric.
// Forces and constraints that depend on v take the mean (v0 + v1)/2, which keeps the symmetry.
//                                               [McLachlanPerlmutter2006, eq. 4.18; Jay2009, eq. 7.3; Hilden2009, eq. 4.3]
#include "method/discrete/discrete_lagrange.hpp"
#include "method/runge_kutta/momentum.hpp"

namespace rattleback {

Equations mclachlan_perlmutter_step(const Mechanical& system) {
  Mechanical f = system;
  Equations eq;
  eq.graph = std::move(f.graph);
  Graph& g = eq.graph;
  StepInputs in(eq, f.n, f.m, true);
  eq.turn_free = true;
  const auto n = static_cast<std::size_t>(f.n);
  const std::vector<NodeId> v1 = in.list(kUnknown, 0, f.n), psi = in.list(kUnknown, f.n, f.m);
  const NodeId half_h = g.mul(g.constant(0.5), in.h);

  std::vector<NodeId> plus, minus, q1, mean;
  for (std::size_t i = 0; i < n; ++i) {
    plus.push_back(g.add(in.q[i], g.mul(half_h, in.v[i])));
    minus.push_back(g.sub(in.q[i], g.mul(half_h, in.v[i])));
    mean.push_back(g.mul(g.constant(0.5), g.add(in.v[i], v1[i])));
    q1.push_back(g.add(plus[i], g.mul(half_h, v1[i])));
  }
  Point middle(g, in.time(0.5), plus, v1), before(g, in.time(-0.5), minus, in.v),
      forced(g, in.time(0.5), plus, mean, psi);
  Point end(g, in.time(1.0), q1, v1);
  const std::vector<NodeId> Lq = middle(f.Lq), applied = forced(f.applied);
  std::vector<NodeId> force, reaction;
  for (std::size_t i = 0; i < n; ++i) {
    NodeId sum = g.zero();
    for (std::size_t c = 0; c < f.K.size(); ++c) sum = g.add(sum, g.mul(forced(f.K[c][i]), g.mul(in.h, psi[c])));
    force.push_back(g.mul(in.h, g.add(Lq[i], applied[i])));
    reaction.push_back(g.neg(sum));
  }
  momentum_balance(eq, f, v1, middle, in.v, before, {force, reaction});
  for (std::size_t i = 0; i < n; ++i) eq.guesses.push_back(g.add(in.v[i], g.mul(in.h, in.acceleration[i])));
  for (std::size_t c = 0; c < f.k.size(); ++c) {
    eq.residuals.push_back(end(f.k[c]));
    eq.scales.push_back(Equations::Scale::state_per_step);
    eq.guesses.push_back(in.multipliers[c]);
  }
  eq.results = q1;
  eq.results.insert(eq.results.end(), v1.begin(), v1.end());
  eq.results.insert(eq.results.end(), psi.begin(), psi.end());
  return eq;
}

}  // namespace rattleback
