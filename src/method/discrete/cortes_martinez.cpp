// Cortes and Martinez' discrete Lagrange-d'Alembert method with midpoint Lagrangian and midpoint constraint. It is a
// two-step method in the positions; with v_k = (q_k - q_{k-1})/h it reads, h' being the step before (h' = h at fixed step),
//
//   L_v(m+) - (h/2) (L_q + F)(m+) = L_v(m-) + (h'/2) (L_q + F)(m-) - ((h + h')/2) K(t_k, q_k)^T psi
//   m+ = (t_k + h/2, q_k + (h/2) v_{k+1}, v_{k+1}),   m- = (t_k - h'/2, q_k - (h'/2) v_k, v_k)
//   q_{k+1} = q_k + h v_{k+1},   k(m+) = 0
//
// The first step replaces the terms of m- by L_v(t0, q0, v0) and the weight of the reaction by h/2.
// K that depends on v takes v_k at q_k.                                    [CortesMartinez2001; Hilden2009, eq. 3.3]
#include "method/discrete/discrete_lagrange.hpp"
#include "method/runge_kutta/momentum.hpp"

namespace rattleback {
namespace {

Equations step(const Mechanical& system, bool first) {
  Mechanical f = system;
  Equations eq;
  eq.graph = std::move(f.graph);
  Graph& g = eq.graph;
  StepInputs in(eq, f.n, f.m, true);
  eq.turn_free = true;
  if (!first) eq.inputs.emplace_back(kPreviousStep, 1);
  const auto n = static_cast<std::size_t>(f.n);
  const std::vector<NodeId> v1 = in.list(kUnknown, 0, f.n), psi = in.list(kUnknown, f.n, f.m);
  const NodeId half = g.constant(0.5), h = in.h;
  const NodeId h_before = first ? g.zero() : g.variable(kPreviousStep, 0);

  std::vector<NodeId> plus, minus, q1;
  for (std::size_t i = 0; i < n; ++i) {
    plus.push_back(g.add(in.q[i], g.mul(g.mul(half, h), v1[i])));
    minus.push_back(g.sub(in.q[i], g.mul(g.mul(half, h_before), in.v[i])));
    q1.push_back(g.add(in.q[i], g.mul(h, v1[i])));
  }
  Point m_plus(g, in.time(0.5), plus, v1, psi);
  Point m_minus(g, g.sub(in.t, g.mul(half, h_before)), minus, in.v, psi);
  Point here(g, in.t, in.q, in.v);
  const std::vector<NodeId> F1 = m_plus(f.force), F0 = m_minus(f.force);
  const NodeId reaction_weight = g.mul(half, g.add(h, h_before));
  std::vector<NodeId> force, reaction;
  for (std::size_t i = 0; i < n; ++i) {
    NodeId sum = g.zero();
    for (std::size_t c = 0; c < f.K.size(); ++c) sum = g.add(sum, g.mul(here(f.K[c][i]), psi[c]));
    force.push_back(g.add(g.mul(g.mul(half, h), F1[i]), g.mul(g.mul(half, h_before), F0[i])));
    reaction.push_back(g.neg(g.mul(reaction_weight, sum)));
  }
  momentum_balance(eq, f, v1, m_plus, in.v, m_minus, {force, reaction});
  for (std::size_t i = 0; i < n; ++i) eq.guesses.push_back(g.add(in.v[i], g.mul(h, in.acceleration[i])));
  for (std::size_t c = 0; c < f.k.size(); ++c) {
    eq.residuals.push_back(m_plus(f.k[c]));
    eq.scales.push_back(Equations::Scale::state_per_step);
    eq.guesses.push_back(in.multipliers[c]);
  }
  eq.results = q1;
  eq.results.insert(eq.results.end(), v1.begin(), v1.end());
  eq.results.insert(eq.results.end(), psi.begin(), psi.end());
  return eq;
}

}  // namespace

Equations cortes_martinez_start(const Mechanical& system) { return step(system, true); }
Equations cortes_martinez_step(const Mechanical& system) { return step(system, false); }

}  // namespace rattleback
