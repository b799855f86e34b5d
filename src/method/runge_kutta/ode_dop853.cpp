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

#include "expr/vectors.hpp"
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

// Writes the stages one after the other.
class ExplicitStep {
 public:
  ExplicitStep(Equations& eq, Mechanical& f)
      : eq_(eq),
        f_(f),
        g_(eq.graph),
        n_(static_cast<std::size_t>(f.n)),
        m_(static_cast<std::size_t>(f.m)),
        explicit_acceleration_(f.inverse_mass.has_value()),
        in_(eq, f.n, f.m, true) {
    eq.turn_free = true;
    eq.eliminate = explicit_acceleration_;
    for (const NodeId p : explicit_acceleration_ ? f.p_rest : f.p)
      momentum_rate_.push_back(without_acceleration(g_, p));
    for (const NodeId k : f.k) constraint_rate_.push_back(without_acceleration(g_, k));
  }

  void add_stage(double node, std::span<const double> row) {
    const Vec Q = moved(in_.q, row, V_), v = moved(in_.v, row, A_);
    Vec a = explicit_acceleration_ ? Vec{} : add_unknowns(f_.n, in_.acceleration);
    lambda_ = add_unknowns(f_.m, in_.multipliers);
    Point at(g_, in_.time(node), Q, v, lambda_);
    std::vector<Vec> K;
    for (const auto& each : f_.K) K.push_back(at(each));
    // force - what of d/dt L_v does not contain the acceleration
    Vec force;
    for (std::size_t k = 0; k < n_; ++k) force.push_back(g_.sub(at(f_.force[k]), at(momentum_rate_[k])));
    if (explicit_acceleration_) {
      a = inverse_mass_times(force);
      for (std::size_t c = 0; c < m_; ++c) {
        const Vec direction = inverse_mass_times(K[c]);
        for (std::size_t k = 0; k < n_; ++k) a[k] = g_.sub(a[k], g_.mul(direction[k], lambda_[c]));
      }
    } else {
      for (std::size_t k = 0; k < n_; ++k) {
        NodeId balance = g_.sub(dot(g_, at(f_.Lvv[k]), a), force[k]);
        for (std::size_t c = 0; c < m_; ++c) balance = g_.add(balance, g_.mul(K[c][k], lambda_[c]));
        eq_.residuals.push_back(balance);
      }
    }
    for (std::size_t c = 0; c < m_; ++c) eq_.residuals.push_back(g_.add(at(constraint_rate_[c]), dot(g_, K[c], a)));
    V_.push_back(v);
    A_.push_back(a);
  }

  // The end of the step, by the stages so far.
  void end(std::span<const double> weight, bool project) {
    Vec q1 = moved(in_.q, weight, V_), v1 = moved(in_.v, weight, A_);
    if (project) put_back(q1, v1);
    eq_.results = q1;
    eq_.results.insert(eq_.results.end(), v1.begin(), v1.end());
    eq_.results.insert(eq_.results.end(), lambda_.begin(), lambda_.end());
  }

  void add_error(std::span<const double> weight) {
    for (const Rates* rates : {&V_, &A_})
      for (std::size_t i = 0; i < n_; ++i) eq_.extra.push_back(rate_sum(weight, *rates, i));
  }

  // Of all stages so far, for dense output.
  void add_rates() {
    for (const Rates* rates : {&V_, &A_})
      for (const auto& rate : *rates) eq_.extra.insert(eq_.extra.end(), rate.begin(), rate.end());
  }

 private:
  using Rates = std::vector<Vec>;  // [stage][component]

  NodeId rate_sum(std::span<const double> weight, const Rates& rates, std::size_t i) {
    Vec column;
    for (const auto& each : rates) column.push_back(each[i]);
    return combine(g_, weight.first(column.size()), column);
  }

  // x0 + h sum_j weight_j rate_j, by component.
  Vec moved(const Vec& x0, std::span<const double> weight, const Rates& rates) {
    Vec x = x0;
    for (std::size_t i = 0; i < n_ && !rates.empty(); ++i)
      x[i] = g_.add(x0[i], g_.mul(in_.h, rate_sum(weight, rates, i)));
    return x;
  }

  Vec inverse_mass_times(const Vec& x) {
    if (!f_.inverse_mass) return x;
    Vec y;
    for (std::size_t k = 0; k < n_; ++k) y.push_back(combine(g_, std::span(*f_.inverse_mass).subspan(k * n_, n_), x));
    return y;
  }

  Vec add_unknowns(std::int32_t count, std::span<const NodeId> guesses) {
    Vec u = in_.list(kUnknown, next_, count);
    next_ += count;
    eq_.guesses.insert(eq_.guesses.end(), guesses.begin(), guesses.end());
    eq_.scales.insert(eq_.scales.end(), static_cast<std::size_t>(count), Equations::Scale::state);
    return u;
  }

  // Moves x by sum_c M^-1 (row c) u_c, c < count; the rows times the move.
  Vec move_along(Point& at, Vec& x, std::size_t count) {
    const Vec u = add_unknowns(static_cast<std::int32_t>(count), std::vector(count, g_.zero()));
    std::vector<Vec> rows;
    Vec move(n_, g_.zero());
    for (std::size_t c = 0; c < count; ++c) {
      rows.push_back(at(f_.K[c]));
      const Vec direction = inverse_mass_times(rows[c]);
      for (std::size_t k = 0; k < n_; ++k) move[k] = g_.add(move[k], g_.mul(direction[k], u[c]));
    }
    for (std::size_t k = 0; k < n_; ++k) x[k] = g_.add(x[k], move[k]);
    Vec change;
    for (const auto& row : rows) change.push_back(dot(g_, row, move));
    return change;
  }

  // Onto the constraints.
  void put_back(Vec& q1, Vec& v1) {
    constexpr int kCorrections = 4;  // an error of 1e-1 becomes 1e-2, 1e-4, 1e-8, 1e-16
    for (int i = 0; i < kCorrections && !f_.g.empty(); ++i) {
      Point at(g_, in_.time(1.0), q1, v1);
      const Vec change = move_along(at, q1, f_.g.size());
      for (std::size_t c = 0; c < f_.g.size(); ++c) eq_.residuals.push_back(g_.add(at(f_.g[c]), change[c]));
    }
    Point before(g_, in_.time(1.0), q1, v1);
    const Vec change = move_along(before, v1, m_);
    Point after(g_, in_.time(1.0), q1, v1);
    for (std::size_t c = 0; c < m_; ++c)  // nonlinear constraints are iterated
      eq_.residuals.push_back(f_.linear_constraints ? g_.add(before(f_.k[c]), change[c]) : after(f_.k[c]));
  }

  Equations& eq_;
  Mechanical& f_;
  Graph& g_;
  std::size_t n_, m_;
  bool explicit_acceleration_;
  StepInputs in_;
  Vec momentum_rate_, constraint_rate_;
  Rates V_, A_;
  Vec lambda_;
  std::int32_t next_ = 0;
};

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
  ExplicitStep step(eq, f);
  const Tableau& rk = tableau.main;
  const auto s = static_cast<std::size_t>(rk.stages);
  for (std::size_t i = 0; i < s; ++i) step.add_stage(rk.c[i], std::span(rk.A).subspan(i * s, s));
  step.end(rk.b, project);
  for (const auto* error : {&tableau.error5, &tableau.error3})
    if (!error->empty()) step.add_error(*error);
  if (extension != nullptr) {
    constexpr std::size_t all = DenseExtension::kStages;
    for (std::size_t i = s; i < all; ++i)
      step.add_stage(extension->c[i], std::span(extension->A).subspan(i * all, all));
    step.add_rates();
  }
  return eq;
}

}  // namespace rattleback
