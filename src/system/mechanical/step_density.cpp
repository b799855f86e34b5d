#include "system/mechanical/step_density.hpp"

#include <algorithm>
#include <cmath>

#include "system/point.hpp"

namespace rattleback {
namespace {

// Unknowns: a, lambda, then their derivatives along the motion in the same order.
Equations equations(Mechanical f) {
  Equations eq;
  eq.graph = std::move(f.graph);
  Graph& g = eq.graph;
  eq.inputs = {{kTime, 1}, {kPosition, f.n}, {kVelocity, f.n}, {kMultiplier, f.m}};
  const std::int32_t size = f.n + f.m;
  const auto unknown = [&](std::int32_t i) { return g.variable(kUnknown, i); };
  std::vector<NodeId> a, lambda;
  for (std::int32_t i = 0; i < f.n; ++i) a.push_back(unknown(i));
  for (std::int32_t c = 0; c < f.m; ++c) lambda.push_back(unknown(f.n + c));
  const auto along_motion = [&](NodeId e) {
    return tangent(g, e, [&](NodeId id) {
      const Node n = g[id];
      if (n.space == kTime) return g.one();
      if (n.space == kPosition) return g.variable(kVelocity, n.base());
      if (n.space == kVelocity) return unknown(n.base());
      if (n.space == kUnknown) return unknown(size + n.base());
      return g.zero();
    });
  };
  const auto square = [&](const std::vector<NodeId>& x) {
    NodeId sum = g.zero();
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < x.size(); ++j) sum = g.add(sum, g.mul(f.Lvv[i][j], g.mul(x[i], x[j])));
    return sum;
  };
  Point at(g, g.variable(kTime, 0), {}, {}, lambda);
  for (std::size_t i = 0; i < a.size(); ++i) {
    NodeId balance = g.sub(along_motion(f.p[i]), at(f.force[i]));
    for (std::size_t c = 0; c < lambda.size(); ++c) balance = g.add(balance, g.mul(f.K[c][i], lambda[c]));
    eq.residuals.push_back(balance);
  }
  for (const NodeId k : f.k) eq.residuals.push_back(along_motion(k));
  const std::vector<NodeId> level = eq.residuals;
  for (const NodeId each : level) eq.residuals.push_back(along_motion(each));
  eq.scales.assign(eq.residuals.size(), Equations::Scale::state);
  eq.guesses.assign(a.size(), g.zero());
  for (std::int32_t c = 0; c < f.m; ++c) eq.guesses.push_back(g.variable(kMultiplier, c));
  eq.guesses.resize(eq.residuals.size(), g.zero());

  std::vector<NodeId> v;
  for (std::int32_t i = 0; i < f.n; ++i) v.push_back(g.variable(kVelocity, i));
  const NodeId a2 = square(a), v2 = square(v);
  eq.results = {a2, v2, along_motion(a2), along_motion(v2)};
  eq.results.insert(eq.results.end(), lambda.begin(), lambda.end());
  return eq;
}

}  // namespace

StepDensity::StepDensity(const Mechanical& system)
    : m_(static_cast<std::size_t>(system.m)), plan_(equations(system)), w_(plan_.image()) {}

void StepDensity::set_guess(std::span<const double> multipliers) {
  std::copy(multipliers.begin(), multipliers.end(), w_.begin() + plan_.slot(kMultiplier));
}

bool StepDensity::solve(double t, std::span<const double> q, std::span<const double> v) {
  w_[static_cast<std::size_t>(plan_.slot(kTime))] = t;
  std::copy(q.begin(), q.end(), w_.begin() + plan_.slot(kPosition));
  std::copy(v.begin(), v.end(), w_.begin() + plan_.slot(kVelocity));
  plan_.guess(w_.data());
  if (!plan_.solve(w_.data(), {}, {}).ok) return false;
  const auto results = std::span(w_).subspan(static_cast<std::size_t>(plan_.result_slot()), 4 + m_);
  if (!std::all_of(results.begin(), results.end(), [](double x) { return std::isfinite(x); })) return false;
  set_guess(results.subspan(4));
  return true;
}

double StepDensity::Q() const { return std::sqrt(a2() / (v2() + v2_ref) + w2_ref); }

// Half of d/dt ln Q^2.
double StepDensity::G() const {
  const double d = v2() + v2_ref, f = a2() / d;
  return 0.5 * (a2_rate() - f * v2_rate()) / (d * (f + w2_ref));
}

}  // namespace rattleback
