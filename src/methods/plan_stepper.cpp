#include "methods/plan_stepper.hpp"

#include <algorithm>
#include <cmath>

namespace rattleback {

PlanStepper::PlanStepper(PlanStepperData data)
    : data_(std::move(data)),
      n_(static_cast<std::size_t>(data_.n)),
      m_(static_cast<std::size_t>(data_.m)),
      state_size_((data_.mechanical ? 2 * n_ : n_) + (data_.carries_multiplier ? m_ : 0)),
      state_(state_size_, 0.0),
      saved_state_(state_size_, 0.0),
      w_(data_.step.image()),
      w_first_(data_.first ? data_.first->image() : std::vector<double>{}),
      history_(data_.gamma.size() * kDepth * data_.step.unknown_slots().size(), 0.0),
      depth_(data_.gamma.size(), 0),
      newest_(data_.gamma.size(), 0) {}

void PlanStepper::start(double t, std::span<const double> q, std::span<const double> v,
                        std::span<const double> multipliers, std::span<const double> /*acceleration*/) {
  std::copy(q.begin(), q.end(), state_.begin());
  std::copy(v.begin(), v.end(), state_.begin() + static_cast<std::ptrdiff_t>(n_));
  if (data_.carries_multiplier)
    std::copy(multipliers.begin(), multipliers.end(), state_.end() - static_cast<std::ptrdiff_t>(m_));
  data_.acceleration->set_guess(multipliers);
  t_base_ = t;
  h_ = h_before_ = 0.0;
  count_ = 0;
  std::fill(depth_.begin(), depth_.end(), 0);
}

// The unknowns of equal steps are samples of smooth functions of time: extrapolate through the last three.
void PlanStepper::extrapolate(const Plan& plan, double* w, std::size_t which) {
  const auto slots = plan.unknown_slots();
  const std::size_t size = slots.size();
  const double* const all = history_.data() + which * kDepth * size;
  const auto at = [&](std::size_t age) {
    return all + (static_cast<std::size_t>(newest_[which]) + kDepth - age) % kDepth * size;
  };
  const double *x1 = at(0), *x2 = at(1), *x3 = at(2);
  for (std::size_t i = 0; i < size; ++i) w[slots[i]] = 3.0 * (x1[i] - x2[i]) + x3[i];
}

// From acceleration and multipliers at the current state: first order, but on the right branch.
void PlanStepper::cold_guess(const Plan& plan, double* w, double t) {
  if (data_.acceleration->solve(t, q(), v())) {
    const auto a = data_.acceleration->acceleration();
    const auto l = data_.acceleration->multipliers();
    std::copy(a.begin(), a.end(), w + plan.slot(kAcceleration));
    std::copy(l.begin(), l.end(), w + plan.slot(kMultiplier));
  }
  plan.guess(w);
}

void PlanStepper::remember(const Plan& plan, const double* w, std::size_t which) {
  const auto slots = plan.unknown_slots();
  newest_[which] = static_cast<std::int32_t>((static_cast<std::size_t>(newest_[which]) + 1) % kDepth);
  double* const x = history_.data() + (which * kDepth + static_cast<std::size_t>(newest_[which])) * slots.size();
  for (std::size_t i = 0; i < slots.size(); ++i) x[i] = w[slots[i]];
  depth_[which] = std::min<std::int32_t>(depth_[which] + 1, static_cast<std::int32_t>(kDepth));
}

bool PlanStepper::sub_step(const Plan& plan, std::vector<double>& work, double t, double h, std::size_t which,
                           SolveReport& report) {
  double* const w = work.data();
  const bool main = &plan == &data_.step;
  w[plan.slot(kTime)] = t;
  w[plan.slot(kStepSize)] = h;
  double size = 1e-300;
  for (std::size_t i = 0; i < n_; ++i) w[plan.slot(kPosition) + static_cast<std::ptrdiff_t>(i)] = state_[i];
  if (data_.mechanical) {
    for (std::size_t i = 0; i < n_; ++i) {
      w[plan.slot(kVelocity) + static_cast<std::ptrdiff_t>(i)] = state_[n_ + i];
      size = std::fmax(size, std::fabs(state_[n_ + i]));
    }
  } else {
    for (std::size_t i = 0; i < n_; ++i) size = std::fmax(size, std::fabs(state_[i]));
  }
  if (data_.carries_multiplier)
    for (std::size_t i = 0; i < m_; ++i)
      w[plan.slot(kCarried) + static_cast<std::ptrdiff_t>(i)] = state_[state_size_ - m_ + i];
  if (data_.two_step && main) w[plan.slot(kPreviousStep)] = h_before_;
  const double scale[2] = {size, size * data_.multiplier_scale / std::fabs(h)};

  const bool warm = main && depth_[which] == static_cast<std::int32_t>(kDepth);
  if (warm)
    extrapolate(plan, w, which);
  else
    cold_guess(plan, w, t);
  report = plan.solve(w, scale, data_.solve);
  if (!report.ok && warm) {
    const int spent = report.iterations;
    cold_guess(plan, w, t);
    report = plan.solve(w, scale, data_.solve);
    report.iterations += spent;
  }
  const double* const result = w + plan.result_slot();
  for (std::size_t i = 0; report.ok && i < state_size_; ++i)
    if (!(std::fabs(result[i]) <= 1e300)) {
      report.ok = false;
      report.reason = "the state is not finite any more";
    }
  if (!report.ok) return false;
  std::copy(result, result + state_size_, state_.begin());
  if (main) remember(plan, w, which);
  return true;
}

AdvanceReport PlanStepper::advance(double h, std::int64_t steps) {
  AdvanceReport out;
  if (h != h_) {
    t_base_ = t();
    count_ = 0;
    h_before_ = h_;
    h_ = h;
    std::fill(depth_.begin(), depth_.end(), 0);
  }
  for (std::int64_t k = 0; k < steps; ++k) {
    saved_state_ = state_;
    double at = t();
    int spent = 0;
    const bool first = data_.two_step && h_before_ == 0.0;
    for (std::size_t i = 0; i < data_.gamma.size(); ++i) {
      const double part = data_.gamma[i] * h;
      const bool ok = first ? sub_step(*data_.first, w_first_, at, part, i, out.failure)
                            : sub_step(data_.step, w_, at, part, i, out.failure);
      spent += out.failure.iterations;
      if (!ok) {
        state_ = saved_state_;
        iterations += spent;
        out.ok = false;
        return out;
      }
      at += part;
    }
    iterations += spent;
    max_iterations = std::max(max_iterations, spent);
    h_before_ = h;
    ++count_;
    ++out.done;
  }
  return out;
}

int PlanStepper::turn_round() {
  if (!data_.two_step) return 0;
  // (q_{k-1}, q_k) read backwards: current position q_{k-1}, velocity as before, last step -h.
  for (std::size_t i = 0; i < n_; ++i) state_[i] -= h_before_ * state_[n_ + i];
  t_base_ = t() - h_before_;
  count_ = 0;
  h_ = h_before_ = -h_before_;
  std::fill(depth_.begin(), depth_.end(), 0);
  return 1;
}

std::vector<double> PlanStepper::save() const {
  std::vector<double> out = {t_base_, h_, h_before_, static_cast<double>(count_), static_cast<double>(iterations),
                             static_cast<double>(max_iterations)};
  out.insert(out.end(), state_.begin(), state_.end());
  out.insert(out.end(), history_.begin(), history_.end());
  for (const auto& list : {depth_, newest_})
    for (const std::int32_t x : list) out.push_back(x);
  const auto guess = data_.acceleration->guess();
  out.insert(out.end(), guess.begin(), guess.end());
  return out;
}

void PlanStepper::load(std::span<const double> saved) {
  std::size_t at = 0;
  const auto next = [&] { return saved[at++]; };
  t_base_ = next();
  h_ = next();
  h_before_ = next();
  count_ = static_cast<std::int64_t>(next());
  iterations = static_cast<std::int64_t>(next());
  max_iterations = static_cast<int>(next());
  for (double& x : state_) x = next();
  for (double& x : history_) x = next();
  for (auto* list : {&depth_, &newest_})
    for (std::int32_t& x : *list) x = static_cast<std::int32_t>(next());
  data_.acceleration->set_guess(saved.subspan(at, m_));
}

}  // namespace rattleback
