#include "audit/symmetry_judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "expr/rounding.hpp"
#include "expr/vectors.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

constexpr std::size_t kStates = 8;
constexpr int kTriesPerState = 6;  // on the constraints
// Bounds are of first order, and a state on the constraints is off them by a few of its own.
constexpr double kExplained = 32.0;

// How far a coordinate may be moved: as far as it is from zero, or as the others are.
std::vector<double> scales(const std::vector<double>& x, std::size_t size) {
  double largest = 0.0;
  for (const double e : x) largest = std::fmax(largest, std::fabs(e));
  std::vector<double> out(size, 1.0);
  for (std::size_t i = 0; i < std::min(size, x.size()) && largest > 0.0; ++i)
    out[i] = x[i] == 0.0 ? largest : std::fmax(std::fabs(x[i]), 1e-3 * largest);
  return out;
}

std::vector<double> ulps(const std::vector<double>& x) {
  std::vector<double> out;
  out.reserve(x.size());
  for (const double e : x) out.push_back(kUlp * std::fabs(e));
  return out;
}

}  // namespace

RandomStates::RandomStates(const Model& model)
    : model_(model), q_scale_(scales(model.q0, model.q0.size())), v_scale_(scales(model.v0, model.q0.size())) {}

double RandomStates::noise() {
  state_ = state_ * 6364136223846793005U + 1442695040888963407U;
  return static_cast<double>(state_ >> 11U) * 0x1p-52 - 1.0;
}

Start RandomStates::operator()() {
  constexpr std::array kSpread = {1.0, 0.3, 2.0, 0.1};
  const double spread = kSpread[static_cast<std::size_t>(count_++) % kSpread.size()];
  Start s;
  s.t = model_.t0 + std::fabs(noise());
  s.q = model_.q0;
  s.v = model_.v0;
  s.v.resize(s.q.size(), 0.0);
  for (std::size_t i = 0; i < s.q.size(); ++i) {
    s.q[i] += spread * q_scale_[i] * noise();
    s.v[i] += spread * v_scale_[i] * noise();
  }
  for (std::int32_t i = 0; i < model_.multiplier_count(); ++i) s.multipliers.push_back(noise());
  s.q_error.assign(s.q.size(), 0.0);  // a state that is as good as any other has no error
  s.v_error.assign(s.v.size(), 0.0);
  return s;
}

SymmetryJudge::SymmetryJudge(const System& system)
    : system_(system), g_(system.mechanical().graph), n_(system.n()), m_(system.m()), random_(system.model()) {
  const Model& model = system.model();
  const Mechanical& f = system.mechanical();
  Lq_ = scalars(g_, gradient(g_, model.lagrangian, kPosition), n_);  // without what a system adds to singular inertia
  p_ = scalars(g_, gradient(g_, model.lagrangian, kVelocity), n_);
  K_ = f.K;
  const auto push = [&](const Vec& force) {
    if (std::ranges::any_of(force, [&](NodeId e) { return !g_.is_constant(e, 0.0); })) pushed_.push_back(force);
  };
  push(f.applied);
  for (const Port& port : model.ports)
    if (g_[port.input].op == Op::input) push(scalars(g_, port.along, n_));
  while (anywhere_.size() < kStates) anywhere_.push_back(random_());
}

bool SymmetryJudge::add_on_constraints(Start s) {
  if (m_ > 0) {
    s.q_error = ulps(s.q);
    s.v_error = ulps(s.v);
    try {
      if (!project_start(system_, s)) return false;
    } catch (const Error&) {
      return false;
    }
  }
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::ranges::all_of(s.q, finite) || !std::ranges::all_of(s.v, finite)) return false;
  on_constraints_.push_back(std::move(s));
  return true;
}

const std::vector<Start>& SymmetryJudge::on_constraints(std::size_t count) {
  for (std::size_t tries = kTriesPerState * count; tries > 0 && on_constraints_.size() < count && !exhausted_; --tries)
    add_on_constraints(random_());
  exhausted_ = exhausted_ || on_constraints_.size() < count;
  if (on_constraints_.empty()) {  // nothing but the start, if that
    Start start = random_();
    start.t = system_.model().t0;
    start.q = system_.model().q0;
    add_on_constraints(std::move(start));
  }
  return on_constraints_;
}

bool SymmetryJudge::vanish(Vec functions, const std::vector<Start>& states) const {
  std::erase_if(functions, [&](NodeId f) { return g_.is_constant(f, 0.0); });
  if (functions.empty()) return true;
  RoundedValues values(g_, functions);
  bool decided = false;
  for (const Start& s : states) {
    values.evaluate({s.t, s.q, s.v, s.q_error, s.v_error, s.multipliers});
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const Rounded x = values[i];
      if (!std::isfinite(x.value) || !std::isfinite(x.error)) continue;
      if (std::fabs(x.value) > kExplained * x.error) return false;
      decided = true;
    }
  }
  return decided;
}

bool SymmetryJudge::keeps_lagrangian(const Vec& xi) {
  NodeId change = dot(g_, Lq_, xi);
  for (std::size_t i = 0; i < xi.size(); ++i) change = g_.add(change, g_.mul(p_[i], total_time_derivative(g_, xi[i])));
  return vanish({change}, anywhere_);
}

SymmetryVerdict SymmetryJudge::operator()(const Vec& xi) {
  SymmetryVerdict out;
  out.of_lagrangian = keeps_lagrangian(xi);
  const auto none_along = [&](const std::vector<Vec>& rows) {
    Vec functions;
    for (const Vec& row : rows) functions.push_back(dot(g_, row, xi));
    return rows.empty() || vanish(std::move(functions), on_constraints(kStates));
  };
  out.of_constraints = none_along(K_);
  out.of_forces = none_along(pushed_);
  return out;
}

}  // namespace rattleback
