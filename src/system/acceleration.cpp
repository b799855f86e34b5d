#include "system/acceleration.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "expr/combine.hpp"
#include "expr/vectors.hpp"
#include "rattleback/error.hpp"
#include "system/point.hpp"

namespace rattleback {
namespace {

std::vector<NodeId> unknowns(Graph& g, std::int32_t first, std::int32_t count) {
  std::vector<NodeId> out;
  for (std::int32_t i = 0; i < count; ++i) out.push_back(g.variable(kUnknown, first + i));
  return out;
}

void finish(Equations& eq, std::int32_t unknown_count) {
  eq.scales.assign(static_cast<std::size_t>(unknown_count), Equations::Scale::state);
}

}  // namespace

Equations acceleration_level(Mechanical f, double gain) {
  Equations eq;
  eq.graph = std::move(f.graph);
  Graph& g = eq.graph;
  eq.inputs = {{kTime, 1}, {kPosition, f.n}, {kVelocity, f.n}, {kMultiplier, f.m}};
  const std::vector<NodeId> a = unknowns(g, 0, f.n), lambda = unknowns(g, f.n, f.m);
  const auto along_motion = [&](NodeId e) {
    return tangent(g, e, [&](NodeId id) {
      const Node n = g[id];
      if (n.space == kTime) return g.one();
      if (n.space == kPosition) return g.variable(kVelocity, n.base());
      if (n.space == kVelocity) return a[static_cast<std::size_t>(n.base())];
      return g.zero();
    });
  };
  Point at(g, g.variable(kTime, 0), {}, {}, lambda);
  for (std::size_t i = 0; i < a.size(); ++i) {
    NodeId balance = g.sub(along_motion(f.written.p[i]), at(f.written.force[i]));
    for (std::size_t c = 0; c < lambda.size(); ++c) balance = g.add(balance, g.mul(f.K[c][i], lambda[c]));
    eq.residuals.push_back(balance);
  }
  for (std::size_t i = 0; i < f.k.size(); ++i) {
    NodeId row = along_motion(f.k[i]);
    if (gain > 0.0) {
      const bool holonomic = i < f.g.size();
      row = g.add(row, g.mul(g.constant(holonomic ? 2.0 * gain : gain), f.k[i]));
      if (holonomic) row = g.add(row, g.mul(g.constant(gain * gain), f.g[i]));
    }
    eq.residuals.push_back(row);
  }
  finish(eq, f.n + f.m);
  eq.guesses.assign(static_cast<std::size_t>(f.n), g.zero());
  for (std::int32_t c = 0; c < f.m; ++c) eq.guesses.push_back(g.variable(kMultiplier, c));
  eq.results = a;
  eq.results.insert(eq.results.end(), lambda.begin(), lambda.end());
  return eq;
}

Equations acceleration_level(Dae f) {
  Equations eq;
  eq.graph = std::move(f.graph);
  Graph& g = eq.graph;
  eq.inputs = {{kTime, 1}, {kPosition, f.n}, {kMultiplier, f.m}};
  const std::vector<NodeId> z = unknowns(g, 0, f.m);
  Point at(g, g.variable(kTime, 0), {}, {}, z);
  const std::vector<NodeId> rhs = at(f.f);
  for (const NodeId c : f.c)
    eq.residuals.push_back(tangent(g, c, [&](NodeId id) {
      const Node n = g[id];
      if (n.space == kTime) return g.one();
      if (n.space == kPosition) return rhs[static_cast<std::size_t>(n.base())];
      return g.zero();
    }));
  finish(eq, f.m);
  for (std::int32_t c = 0; c < f.m; ++c) eq.guesses.push_back(g.variable(kMultiplier, c));
  eq.results = rhs;
  eq.results.insert(eq.results.end(), z.begin(), z.end());
  return eq;
}

Equations acceleration_level(Overdetermined o) {
  Equations eq;
  Graph& g = o.graph;
  eq.inputs = {{kTime, 1}, {kPosition, o.ny}, {kVelocity, o.nz}, {kMultiplier, o.m}};
  const std::int32_t free = o.p.empty() ? 0 : o.nz;  // with momenta z' is unknown, too
  const std::vector<NodeId> psi = unknowns(g, free, o.m);
  Point at(g, g.variable(kTime, 0), {}, {}, psi);
  std::vector<NodeId> rate;
  for (std::size_t i = 0; i < o.f.size(); ++i) rate.push_back(g.add(at(o.f[i]), at(o.r[i])));
  if (!o.p.empty()) {
    const std::vector<NodeId> change = std::exchange(rate, unknowns(g, 0, o.nz));
    for (std::size_t i = 0; i < rate.size(); ++i) eq.residuals.push_back(g.sub(o.along(o.p[i], o.v, rate), change[i]));
    eq.guesses.assign(rate.size(), g.zero());
  }
  for (const NodeId k : o.k) eq.residuals.push_back(o.along(k, o.v, rate));
  finish(eq, free + o.m);
  for (std::int32_t c = 0; c < o.m; ++c) eq.guesses.push_back(g.variable(kMultiplier, c));
  eq.results = rate;
  eq.results.insert(eq.results.end(), psi.begin(), psi.end());
  eq.graph = std::move(g);
  return eq;
}

Equations acceleration_level(PortHamiltonian f) {
  Equations eq;
  Graph& g = f.graph;
  eq.inputs = {{kTime, 1}, {kPosition, f.n}, {kMultiplier, 0}};
  const std::vector<NodeId> w = unknowns(g, 0, f.n);  // x', or x of an algebraic state
  const std::vector<char> algebraic = f.algebraic_states(), rows = f.algebraic_equations();
  std::vector<NodeId> x, rate;
  for (std::size_t i = 0; i < w.size(); ++i) {
    x.push_back(algebraic[i] != 0 ? w[i] : g.variable(kPosition, static_cast<std::int32_t>(i)));
    rate.push_back(algebraic[i] != 0 ? g.zero() : w[i]);
  }
  Point at(g, g.variable(kTime, 0), x, {});
  const PortHamiltonian::At here = f.at(at);
  const std::vector<NodeId> flow = PortHamiltonian::flow(g, here);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const bool hidden = rows[i] != 0 && !depends_on(g, std::span(&flow[i], 1), kUnknown);
    if (hidden)
      eq.residuals.push_back(tangent(g, flow[i], [&](NodeId id) {
        const Node v = g[id];
        if (v.space == kTime) return g.one();
        return v.space == kPosition ? rate[static_cast<std::size_t>(v.base())] : g.zero();
      }));
    else
      eq.residuals.push_back(g.sub(dot(g, here.E[i], rate), flow[i]));
    eq.guesses.push_back(algebraic[i] != 0 ? g.variable(kPosition, static_cast<std::int32_t>(i)) : g.zero());
  }
  finish(eq, f.n);
  eq.results = rate;
  eq.results.insert(eq.results.end(), x.begin(), x.end());
  eq.graph = std::move(g);
  return eq;
}

namespace {

// As it is solved. With a constant mass of moderate size v' is explicit in lambda, and K M^-1 K^T is left. Otherwise the
// saddle-point matrix is taken whole: no part of it has pivots that could be trusted for all values.
Equations to_solve(const Mechanical& f, double gain) {
  Equations eq = acceleration_level(f, gain);
  eq.eliminate = f.inverse_mass.has_value() && !f.graded_mass;
  if (!eq.eliminate || f.diagonal_mass) return eq;
  Graph& g = eq.graph;
  const auto n = static_cast<std::size_t>(f.n);
  const std::vector<NodeId> balances(eq.residuals.begin(), eq.residuals.begin() + f.n);
  std::vector<NodeId> rest;
  for (const NodeId e : balances)
    rest.push_back(substitute(g, e, [&](NodeId leaf) {
      const Node& node = g[leaf];
      return node.space == kUnknown && node.base() < f.n ? g.zero() : leaf;
    }));
  for (std::size_t i = 0; i < n; ++i)
    eq.residuals[i] = g.add(g.variable(kUnknown, static_cast<std::int32_t>(i)),
                            combine(g, std::span(*f.inverse_mass).subspan(i * n, n), rest));
  return eq;
}

// With masses that are 0 the acceleration level may not determine its unknowns, whatever the state.
Plan plan_of(const Mechanical& system, double gain, bool& usable) {
  try {
    return Plan(to_solve(system, gain));
  } catch (const Error&) {
    if (!system.graded_mass) throw;
    usable = false;
    return Plan(Equations{});
  }
}

// A descriptor system of a higher index, or one whose algebraic part is not seen in its zeros, has no such level.
Plan plan_of(const PortHamiltonian& system, bool& usable) {
  try {
    return Plan(acceleration_level(system));
  } catch (const Error&) {
    usable = false;
    return Plan(Equations{});
  }
}

}  // namespace

AccelerationPlan::AccelerationPlan(const PortHamiltonian& system)
    : n(static_cast<std::size_t>(system.n)), m(0), mechanical(false), plan(plan_of(system, usable)) {}

AccelerationPlan::AccelerationPlan(const Mechanical& system, double gain)
    : n(static_cast<std::size_t>(system.n)),
      m(static_cast<std::size_t>(system.m)),
      mechanical(true),
      plan(plan_of(system, gain, usable)) {}

AccelerationPlan::AccelerationPlan(const Dae& system)
    : n(static_cast<std::size_t>(system.n)),
      m(static_cast<std::size_t>(system.m)),
      mechanical(false),
      plan(acceleration_level(system)) {}

AccelerationPlan::AccelerationPlan(const Overdetermined& system)
    : n(static_cast<std::size_t>(system.nz)),
      m(static_cast<std::size_t>(system.m)),
      mechanical(true),
      plan(acceleration_level(system)) {}

Acceleration::Acceleration(std::shared_ptr<const AccelerationPlan> level)
    : level_(std::move(level)), n_(level_->n), m_(level_->m), w_(level_->plan.image()) {}

bool Acceleration::set_parameters(std::span<const double> values) {
  bool good = true;
  for (const auto& part : parts_) good = (part == nullptr || part->set_parameters(values)) && good;
  return good && (plan() == nullptr || level_->plan.parameters().set(values, w_.data(), room_));
}

std::unique_ptr<Acceleration> Acceleration::fresh() const {
  auto out = redundancy_ ? std::make_unique<Acceleration>(redundancy_, n_) : std::make_unique<Acceleration>(level_);
  out->refine_ = refine_;
  if (!room_.numbers.empty()) {
    out->room_ = room_;
    level_->plan.parameters().put(room_.numbers, out->w_.data());
  }
  return out;
}

void Acceleration::set_guess(std::span<const double> multipliers) {
  if (redundancy_)
    std::copy(multipliers.begin(), multipliers.end(), all_.begin() + static_cast<std::ptrdiff_t>(n_));
  else if (const Plan* plan = this->plan())
    std::copy(multipliers.begin(), multipliers.end(), w_.begin() + plan->slot(kMultiplier));
}

bool Acceleration::solve(double t, std::span<const double> q, std::span<const double> v) {
  if (redundancy_) return solve_least_norm(t, q, v);
  const Plan* const plan = this->plan();
  if (plan == nullptr) {
    report_.ok = false;
    report_.reason = "the matrix of the equations is singular";
    report_.trouble = Trouble::singular;
    return false;
  }
  w_[static_cast<std::size_t>(plan->slot(kTime))] = t;
  std::copy(q.begin(), q.end(), w_.begin() + plan->slot(kPosition));
  if (level_->mechanical) std::copy(v.begin(), v.end(), w_.begin() + plan->slot(kVelocity));
  plan->guess(w_.data());
  report_ = plan->solve(w_.data(), {}, {.refine = refine_});
  for (const double x : std::span(w_).subspan(static_cast<std::size_t>(plan->result_slot()), n_ + m_))
    if (!std::isfinite(x)) report_.ok = false;
  if (report_.ok) set_guess(multipliers());
  return report_.ok;
}

}  // namespace rattleback
