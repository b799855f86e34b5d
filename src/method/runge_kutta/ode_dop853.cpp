// An explicit Runge-Kutta step on the underlying ODE q' = v, v' = a(t, q, v):
//
//   Q_i = q0 + h sum_{j<i} a_ij V_j,   V_i = v0 + h sum_{j<i} a_ij A_j          i = 1..12
//   d/dt L_v = L_q + F - K^T lambda_i,   d/dt k = 0   at (T_i, Q_i, V_i)        give A_i and lambda_i
//   q1 = q0 + h sum_j b_j V_j,         v1 = v0 + h sum_j b_j A_j
//
// Both derivatives are linear in the acceleration, so each stage is one linear system: L_vv A + K^T lambda = ..., K A = ...
// With constant mass A is explicit in lambda, and only K M^-1 K^T lambda = ... is left. Nothing keeps k = 0: it drifts.
//                                                            [PrinceDormand1981; HairerNorsettWanner1993, II.5, II.10]
// Projected, the end of the step moves to the nearest point with g = 0, then its velocity to the nearest one with k = 0:
//   q1 + M^-1 G(q1)^T mu,   v1 + M^-1 K^T nu               (constant M; without M otherwise)   [HairerWanner1996, VII.2]
// The positions by a fixed number of Newton's corrections. Each is a linear system, so the step stays without iterations.
#include "method/runge_kutta/ode_dop853.hpp"

#include "method/step_inputs.hpp"
#include "system/point.hpp"

namespace rattleback {
namespace {

// d/dt e along the motion, without the part that contains the acceleration.
NodeId without_acceleration(Graph& g, NodeId e) {
  return tangent(g, e, [&](NodeId id) {
    const Node x = g[id];
    if (x.space == kTime) return g.one();
    return x.space == kPosition ? g.variable(kVelocity, x.base()) : g.zero();
  });
}

NodeId product(Graph& g, const std::vector<NodeId>& x, const std::vector<NodeId>& y) {
  NodeId sum = g.zero();
  for (std::size_t i = 0; i < x.size(); ++i) sum = g.add(sum, g.mul(x[i], y[i]));
  return sum;
}

}  // namespace

Equations ode_dop853_step(const Mechanical& system, bool dense) {
  const DenseExtension extension = dormand_prince_extension();
  return explicit_ode_step(system, dormand_prince_853(), false, dense ? &extension : nullptr);
}

Equations projected_dop853_step(const Mechanical& system, bool dense) {
  const DenseExtension extension = dormand_prince_extension();
  return explicit_ode_step(system, dormand_prince_853(), true, dense ? &extension : nullptr);
}

Equations explicit_ode_step(const Mechanical& system, const EmbeddedTableau& tableau, bool project,
                            const DenseExtension* extension) {
  Mechanical f = system;
  Equations eq;
  eq.graph = std::move(f.graph);
  Graph& g = eq.graph;
  StepInputs in(eq, f.n, f.m, true);
  eq.turn_free = true;
  const Tableau& rk = tableau.main;
  const auto n = static_cast<std::size_t>(f.n), m = static_cast<std::size_t>(f.m);
  const auto s = static_cast<std::size_t>(rk.stages);
  const bool explicit_acceleration = f.inverse_mass.has_value();
  eq.eliminate = explicit_acceleration;

  std::vector<NodeId> momentum_rate, constraint_rate;
  for (const NodeId p : explicit_acceleration ? f.p_rest : f.p) momentum_rate.push_back(without_acceleration(g, p));
  for (const NodeId k : f.k) constraint_rate.push_back(without_acceleration(g, k));

  // x0 + h sum_j weight_j rate_j, by component; rates[j][component].
  using Rates = std::vector<std::vector<NodeId>>;
  const auto rate_sum = [&](std::span<const double> weight, const Rates& rates, std::size_t i) {
    std::vector<NodeId> column;
    for (const auto& each : rates) column.push_back(each[i]);
    return combine(g, weight.first(column.size()), column);
  };
  const auto moved = [&](const std::vector<NodeId>& x0, std::span<const double> weight, const Rates& rates) {
    std::vector<NodeId> x = x0;
    for (std::size_t i = 0; i < n && !rates.empty(); ++i) x[i] = g.add(x0[i], g.mul(in.h, rate_sum(weight, rates, i)));
    return x;
  };

  const auto inverse_mass_times = [&](const std::vector<NodeId>& x) {
    if (!f.inverse_mass) return x;
    std::vector<NodeId> y;
    for (std::size_t k = 0; k < n; ++k) y.push_back(combine(g, std::span(*f.inverse_mass).subspan(k * n, n), x));
    return y;
  };

  Rates V, A;
  std::vector<NodeId> lambda;
  std::int32_t next = 0;
  const auto add_unknowns = [&](std::int32_t count, std::span<const NodeId> guesses) {
    std::vector<NodeId> u = in.list(kUnknown, next, count);
    next += count;
    eq.guesses.insert(eq.guesses.end(), guesses.begin(), guesses.end());
    eq.scales.insert(eq.scales.end(), static_cast<std::size_t>(count), Equations::Scale::state);
    return u;
  };
  const auto add_stage = [&](double node, std::span<const double> row) {
    const std::vector<NodeId> Q = moved(in.q, row, V), v = moved(in.v, row, A);
    std::vector<NodeId> a = explicit_acceleration ? std::vector<NodeId>{} : add_unknowns(f.n, in.acceleration);
    lambda = add_unknowns(f.m, in.multipliers);
    Point at(g, in.time(node), Q, v, lambda);
    std::vector<std::vector<NodeId>> K;
    for (const auto& each : f.K) K.push_back(at(each));
    // force - what of d/dt L_v does not contain the acceleration
    std::vector<NodeId> force;
    for (std::size_t k = 0; k < n; ++k) force.push_back(g.sub(at(f.force[k]), at(momentum_rate[k])));
    if (explicit_acceleration) {
      a = inverse_mass_times(force);
      for (std::size_t c = 0; c < m; ++c) {
        const std::vector<NodeId> direction = inverse_mass_times(K[c]);
        for (std::size_t k = 0; k < n; ++k) a[k] = g.sub(a[k], g.mul(direction[k], lambda[c]));
      }
    } else {
      for (std::size_t k = 0; k < n; ++k) {
        NodeId balance = g.sub(product(g, at(f.Lvv[k]), a), force[k]);
        for (std::size_t c = 0; c < m; ++c) balance = g.add(balance, g.mul(K[c][k], lambda[c]));
        eq.residuals.push_back(balance);
      }
    }
    for (std::size_t c = 0; c < m; ++c) eq.residuals.push_back(g.add(at(constraint_rate[c]), product(g, K[c], a)));
    V.push_back(v);
    A.push_back(a);
  };
  for (std::size_t i = 0; i < s; ++i) add_stage(rk.c[i], std::span(rk.A).subspan(i * s, s));

  std::vector<NodeId> q1 = moved(in.q, rk.b, V), v1 = moved(in.v, rk.b, A);
  // Moves x by sum_c M^-1 (row c) u_c, c < count; the rows times the move.
  const auto move_along = [&](Point& at, std::vector<NodeId>& x, std::size_t count) {
    const std::vector<NodeId> u = add_unknowns(static_cast<std::int32_t>(count), std::vector(count, g.zero()));
    std::vector<std::vector<NodeId>> rows;
    std::vector<NodeId> move(n, g.zero());
    for (std::size_t c = 0; c < count; ++c) {
      rows.push_back(at(f.K[c]));
      const std::vector<NodeId> direction = inverse_mass_times(rows[c]);
      for (std::size_t k = 0; k < n; ++k) move[k] = g.add(move[k], g.mul(direction[k], u[c]));
    }
    for (std::size_t k = 0; k < n; ++k) x[k] = g.add(x[k], move[k]);
    std::vector<NodeId> change;
    for (const auto& row : rows) change.push_back(product(g, row, move));
    return change;
  };
  if (project) {
    constexpr int kCorrections = 4;  // an error of 1e-1 becomes 1e-2, 1e-4, 1e-8, 1e-16
    for (int i = 0; i < kCorrections && !f.g.empty(); ++i) {
      Point at(g, in.time(1.0), q1, v1);
      const std::vector<NodeId> change = move_along(at, q1, f.g.size());
      for (std::size_t c = 0; c < f.g.size(); ++c) eq.residuals.push_back(g.add(at(f.g[c]), change[c]));
    }
    Point before(g, in.time(1.0), q1, v1);
    const std::vector<NodeId> change = move_along(before, v1, m);
    Point after(g, in.time(1.0), q1, v1);
    for (std::size_t c = 0; c < m; ++c)  // nonlinear constraints are iterated
      eq.residuals.push_back(f.linear_constraints ? g.add(before(f.k[c]), change[c]) : after(f.k[c]));
  }
  eq.results = q1;
  eq.results.insert(eq.results.end(), v1.begin(), v1.end());
  eq.results.insert(eq.results.end(), lambda.begin(), lambda.end());
  for (const auto* error : {&tableau.error5, &tableau.error3})
    if (!error->empty())
      for (const Rates* rates : {&V, &A})
        for (std::size_t i = 0; i < n; ++i) eq.extra.push_back(rate_sum(*error, *rates, i));
  if (extension != nullptr) {
    constexpr std::size_t all = DenseExtension::kStages;
    for (std::size_t i = s; i < all; ++i) add_stage(extension->c[i], std::span(extension->A).subspan(i * all, all));
    for (const Rates* rates : {&V, &A})
      for (const auto& rate : *rates) eq.extra.insert(eq.extra.end(), rate.begin(), rate.end());
  }
  return eq;
}

}  // namespace rattleback
