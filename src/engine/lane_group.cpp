#include "engine/lane_group.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/text/lanes_text.hpp"
#include "system/angles.hpp"

namespace rattleback {
namespace {

constexpr auto kW = static_cast<std::size_t>(LaneGroup::kWidth);

template <class Work>
void each_lane(std::uint32_t lanes, const Work& work) {
  for (; lanes != 0; lanes &= lanes - 1) work(std::countr_zero(lanes));
}

// `count` numbers of one lane.
std::vector<double> column(const double* x, std::size_t count, int lane) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = x[i * kW + static_cast<std::size_t>(lane)];
  return out;
}

// A lane that loses its starting values on the way takes this many steps alone at most before it may join the others again.
constexpr std::int64_t kTogether = 8;

}  // namespace

std::string LaneGroup::why_not(const PlanStepper& stepper) {
  const PlanStepperData& d = stepper.data_;
  if (d.solve.simplified) return "simplified iterations are not taken in lanes";
  if (d.adjoint) return "compositions with the adjoint method are not taken in lanes";
  if (stepper.power_) return "energies are not added up in lanes";
  if (d.branch) return "overdetermined methods are not taken in lanes";
  if (d.step.has(kReferenceEnergy)) return "its steps depend on the energy of the start";
  if (d.step.is_sparse()) return "large systems are not taken in lanes";
  for (const Plan::Block& b : d.step.blocks())
    if (b.saddle) return "its stage system is solved with a matrix that is shared by the stages";
  return "";
}

std::string LaneGroup::why_not_native(const PlanStepper& stepper) {
  return rattleback::why_not_native(stepper.data_.step);
}

std::string LaneGroup::step_text(const PlanStepper& stepper) {
  StepShape shape = stepper.step_shape();
  shape.multiplier_scale = 1.0;  // lanes have one each
  return lanes_text(shape);
}

LaneGroup::LaneGroup(PlanStepper& stepper)
    : s_(stepper),
      newton_(stepper.data_.step),
      w_(stepper.data_.step.image().size() * kW),
      history_(stepper.history_.size() * kW),
      multipliers_(stepper.shape_.m * kW),
      turns_(stepper.turns_.size() * kW),
      scale_(kW, 1.0),
      far_(stepper.newest_.size() * kW),
      newest_(stepper.newest_.size(), 0),
      lane_newest_(stepper.newest_.size() * kW),
      lane_depth_(stepper.newest_.size() * kW),
      lane_count_(kW),
      active_(kW),
      parameters_(kW) {
  clear();
}

void LaneGroup::clear() {
  const std::vector<double>& image = s_.data_.step.image();
  for (std::size_t i = 0; i < image.size(); ++i) std::fill_n(w_.data() + i * kW, kW, image[i]);
  std::fill(history_.begin(), history_.end(), 0.0);
  std::fill(turns_.begin(), turns_.end(), 0.0);
  std::fill(newest_.begin(), newest_.end(), static_cast<std::int32_t>(starting::kFar) - 1);
  for (std::size_t l = 0; l < kW; ++l) forget(l);
  present_ = warm_ = 0;
  series_ = {};
}

void LaneGroup::forget(std::size_t lane) {
  for (std::size_t part = 0; part < newest_.size(); ++part) {
    lane_depth_[lane * newest_.size() + part] = 0;
    far_[part * kW + lane] = 0;
  }
}

void LaneGroup::put(int lane) {
  const auto l = static_cast<std::size_t>(lane);
  series_ = s_.series_;
  scale_[l] = s_.data_.multiplier_scale;
  parameters_[l] = s_.parameters_;
  for (const auto& each : s_.data_.step.parameters().slots()) {
    const auto i = static_cast<std::size_t>(each.first);
    w_[i * kW + l] = s_.main_.w[i];
  }
  present_ |= 1U << static_cast<unsigned>(lane);
  take_back(lane);
}

void LaneGroup::drop(int lane) {
  present_ &= ~(1U << static_cast<unsigned>(lane));
  warm_ &= present_;
}

void LaneGroup::lend(int lane) {
  const auto l = static_cast<std::size_t>(lane);
  s_.data_.multiplier_scale = scale_[l];
  for (std::size_t i = 0; i < s_.shape_.state; ++i) s_.state_[i] = w_[slot(i) + l];
  for (const std::int32_t u : s_.data_.step.unknown_slots())
    s_.main_.w[static_cast<std::size_t>(u)] = w_[static_cast<std::size_t>(u) * kW + l];
  for (std::size_t i = 0; i < s_.shape_.m; ++i) s_.multipliers_[i] = multipliers_[i * kW + l];
  for (std::size_t i = 0; i < s_.turns_.size(); ++i) s_.turns_[i] = turns_[i * kW + l];
  for (std::size_t i = 0; i < s_.history_.size(); ++i) s_.history_[i] = history_[i * kW + l];
  for (std::size_t part = 0; part < newest_.size(); ++part) {
    s_.newest_[part] = lane_newest_[l * newest_.size() + part];
    s_.depth_[part] = lane_depth_[l * newest_.size() + part];
    s_.far_[part] = far_[part * kW + l] != 0 ? 1 : 0;
  }
  s_.series_ = series_;
  s_.series_.count = lane_count_[l];
  // It was its own before, so nothing is decided otherwise.
  if (s_.parameters_ != parameters_[l]) (void)s_.set_parameters(parameters_[l]);
  if (s_.first_) s_.first_->reset();  // the plan of a first step, which another lane may have used
}

// Its history is moved so that its newest solution lies where that of the warm lanes does.
void LaneGroup::take_back(int lane) {
  const auto l = static_cast<std::size_t>(lane);
  for (std::size_t i = 0; i < s_.shape_.state; ++i) w_[slot(i) + l] = s_.state_[i];
  for (const std::int32_t u : s_.data_.step.unknown_slots())
    w_[static_cast<std::size_t>(u) * kW + l] = s_.main_.w[static_cast<std::size_t>(u)];
  for (std::size_t i = 0; i < s_.shape_.m; ++i) multipliers_[i * kW + l] = s_.multipliers_[i];
  for (std::size_t i = 0; i < s_.turns_.size(); ++i) turns_[i * kW + l] = s_.turns_[i];
  for (std::size_t part = 0; part < newest_.size(); ++part) {
    for (std::int32_t age = 0; age < static_cast<std::int32_t>(starting::kFar); ++age) {
      const double* const from =
          s_.history_.data() +
          (part * starting::kRows + static_cast<std::size_t>(s_.newest_[part] - age)) * s_.history_width_;
      double* const to = history(part, newest_[part] - age) + l;
      for (std::size_t i = 0; i < s_.history_width_; ++i) to[i * kW] = from[i];
    }
    lane_newest_[l * newest_.size() + part] = newest_[part];
    lane_depth_[l * newest_.size() + part] = s_.depth_[part];
    far_[part * kW + l] = s_.far_[part] != 0 ? -1 : 0;
  }
  lane_count_[l] = s_.series_.count;
  const bool warm =
      s_.plain_steps_ahead() && s_.series_.h == series_.h && s_.series_.count == series_.count && series_.h != 0.0;
  const std::uint32_t bit = 1U << static_cast<unsigned>(lane);
  warm_ = warm ? warm_ | bit : warm_ & ~bit;
}

// A lane by itself, to where the group is.
void LaneGroup::alone(int lane, double h, std::int64_t steps) {
  lend(lane);
  if (s_.advance(h, steps).ok)
    take_back(lane);
  else
    drop(lane);
}

// The first step of a new size is a cold start: every lane takes it alone.
void LaneGroup::first_step(double h) {
  const stepping::Series before = series_;
  warm_ = 0;
  each_lane(present_, [&](int lane) {
    lane_count_[static_cast<std::size_t>(lane)] = before.count;
    series_ = before;
    lend(lane);
    const bool ok = s_.advance(h, 1).ok;
    series_ = {.t_base = before.t(), .h = h, .h_before = h, .count = 1};
    if (ok)
      take_back(lane);
    else
      drop(lane);
  });
}

void LaneGroup::advance(double h, std::int64_t steps) {
  if (h != series_.h && steps > 0) {
    first_step(h);
    --steps;
  }
  // Lanes that lose their starting values whenever an angle turns should come back soon.
  const bool come_back = !s_.data_.angles.empty() && !s_.data_.turn_free && !s_.data_.step.linear();
  while (steps > 0 && present_ != 0) {
    const std::int64_t n = warm_ != present_ ? std::min<std::int64_t>(steps, starting::kFar)
                           : come_back       ? std::min(steps, kTogether)
                                             : steps;
    together(h, n);
    steps -= n;
  }
}

void LaneGroup::together(double h, std::int64_t steps) {
  const std::int64_t end = series_.count + steps;
  while (series_.count < end && warm_ != 0) {
    const std::uint32_t before = warm_;
    series_.count +=
        code_ != nullptr ? compiled_steps(h, end - series_.count) : interpreted_steps(h, end - series_.count);
    series_.h_before = h;
    each_lane(before & ~warm_, [&](int lane) {  // failed in the last step, and stand before it
      // In the middle of a composed step, or with unknowns that are spoilt: the run is made anew, alone.
      if (s_.data_.gamma.size() > 1 || s_.data_.step.linear()) {
        drop(lane);
        return;
      }
      const auto l = static_cast<std::size_t>(lane);
      lane_count_[l] = series_.count - 1;
      for (std::size_t part = 0; part < newest_.size(); ++part) {
        lane_newest_[l * newest_.size() + part] = newest_[part] - 1;
        lane_depth_[l * newest_.size() + part] = static_cast<std::int32_t>(starting::kFar);
      }
      alone(lane, h, 1);
    });
    take_turns_off();
  }
  series_.count = end;
  each_lane(present_ & ~warm_, [&](int lane) {
    const std::int64_t behind = series_.count - lane_count_[static_cast<std::size_t>(lane)];
    alone(lane, h, behind);
  });
}

// As stepping::Run::wrap_angles(), in the lanes that have just taken a step together.
void LaneGroup::take_turns_off() {
  for (const std::int32_t angle : s_.data_.angles) {
    const auto i = static_cast<std::size_t>(angle);
    each_lane(warm_, [&](int lane) {
      const auto l = static_cast<std::size_t>(lane);
      if (!wrap(w_[slot(i) + l], turns_[i * kW + l]) || s_.data_.turn_free || s_.data_.step.linear()) return;
      warm_ &= ~(1U << static_cast<unsigned>(lane));
      lane_count_[l] = series_.count;
      for (std::size_t part = 0; part < newest_.size(); ++part) lane_newest_[l * newest_.size() + part] = newest_[part];
      forget(l);
    });
  }
}

std::int64_t LaneGroup::compiled_steps(double h, std::int64_t steps) {
  for (std::size_t l = 0; l < kW; ++l) active_[l] = (warm_ >> l & 1U) != 0 ? -1 : 0;
  LaneJob job{};
  job.w = w_.data();
  job.history = history_.data();
  job.newest = newest_.data();
  job.far = far_.data();
  job.multipliers = multipliers_.data();
  job.scale = scale_.data();
  job.active = active_.data();
  job.t_base = series_.t_base;
  job.h = h;
  job.h_before = series_.h_before;
  job.tolerance = s_.data_.solve.tolerance;
  job.count = series_.count;
  job.steps = steps;
  job.max_newton = s_.data_.solve.max_iterations;
  code_(&job);
  for (std::size_t l = 0; l < kW; ++l)
    if (active_[l] == 0) warm_ &= ~(1U << l);
  return job.done;
}

// One sub-step (stepping::sub_step) in the lanes `going`, which loses those that fail.
bool LaneGroup::interpreted_part(double t, double h, std::size_t part, bool look, std::uint32_t& going) {
  const Plan& plan = s_.data_.step;
  double* const w = w_.data();
  const auto set = [&](Space space, double x) {
    if (plan.has(space)) std::fill_n(w + static_cast<std::size_t>(plan.slot(space)) * kW, kW, x);
  };
  set(kTime, t);
  set(kStepSize, h);
  set(kPreviousStep, series_.h_before);
  std::array<Sizes, kW> sizes;
  const auto width = static_cast<std::ptrdiff_t>(s_.history_width_ * kW);
  const auto unknowns = plan.unknown_slots();
  if (!plan.linear()) {
    const stepping::Shape& shape = s_.shape_;
    for (std::size_t l = 0; l < kW; ++l) {
      const auto largest = [&](std::size_t from, std::size_t count) {
        double size = 0.0;
        for (std::size_t i = from; i < from + count; ++i) size = std::fmax(size, std::fabs(w[slot(i) + l]));
        return size;
      };
      newton::typical_sizes(newton::Assign{}, sizes[l], largest(shape.sized_from(), shape.sized()), scale_[l], h);
      if (shape.has_sizes_of_velocities())
        newton::noise_sizes(newton::Assign{}, sizes[l], largest(0, shape.n), shape.turn(), scale_[l], h);
    }
    const double* const newest = history(part, newest_[part]);
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      double* const x = w + static_cast<std::size_t>(unknowns[i]) * kW;
      for (std::size_t l = 0; l < kW; ++l) {
        const double* const from = newest + i * kW + l;
        x[l] = far_[part * kW + l] != 0 ? starting::far_value(from, width) : starting::near_value(from, width);
      }
    }
  }
  const std::uint32_t solved = newton_.solve(w, sizes, s_.data_.solve, going);
  const double* const result = w + static_cast<std::size_t>(plan.result_slot()) * kW;
  std::uint32_t good = 0;
  each_lane(solved, [&](int lane) {
    const auto l = static_cast<std::size_t>(lane);
    for (std::size_t i = 0; i < s_.shape_.state; ++i)
      if (!std::isfinite(result[i * kW + l])) return;
    good |= 1U << l;
  });
  const bool all = good == going;
  going = good;
  const auto keep = [&](const double* from, std::size_t count, double* to) {
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t l = 0; l < kW; ++l)
        if ((good >> l & 1U) != 0) to[i * kW + l] = from[i * kW + l];
  };
  keep(result, s_.shape_.state, w + slot(0));
  keep(result + s_.shape_.state * kW, s_.shape_.m, multipliers_.data());
  if (!plan.linear()) {
    double* const row = starting::next_row(history(part, 0), s_.history_width_ * kW, newest_[part]);
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      keep(w + static_cast<std::size_t>(unknowns[i]) * kW, 1, row + i * kW);
    each_lane(good & newton_.rough(), [&](int lane) { far_[part * kW + static_cast<std::size_t>(lane)] = 0; });
    if (look && s_.shape_.looks_far)
      each_lane(good & ~newton_.rough(), [&](int lane) {
        const auto l = static_cast<std::size_t>(lane);
        far_[part * kW + l] = starting::far_is_better(row + l, unknowns.size(), width, kW) ? -1 : 0;
      });
  }
  return all;
}

std::int64_t LaneGroup::interpreted_steps(double h, std::int64_t steps) {
  std::int64_t done = 0;
  bool plain = true;
  while (done < steps && plain) {
    double at = series_.t_base + static_cast<double>(series_.count + done) * h;
    const bool look = ((series_.count + done) & (starting::kLook - 1)) == 0;
    for (std::size_t part = 0; part < s_.data_.gamma.size(); ++part) {
      const double size = s_.data_.gamma[part] * h;
      plain = interpreted_part(at, size, part, look, warm_) && plain;
      at += size;
    }
    ++done;
    series_.h_before = h;
    for (const std::int32_t angle : s_.data_.angles)
      each_lane(warm_, [&](int lane) {
        const double x = w_[slot(static_cast<std::size_t>(angle)) + static_cast<std::size_t>(lane)];
        plain = plain && !(std::fabs(x) > kTurnHigh);
      });
  }
  return done;
}

std::vector<double> LaneGroup::unwrapped_q(int lane) const {
  std::vector<double> out = wrapped_q(lane);
  unwrap(out, column(turns_.data(), turns_.size() / kW, lane));
  return out;
}

std::vector<double> LaneGroup::wrapped_q(int lane) const { return column(q(), s_.shape_.n, lane); }

std::vector<double> LaneGroup::multiplier_guess(int lane) const {
  return column(multipliers_.data(), s_.shape_.m, lane);
}

std::vector<double> LaneGroup::own_multipliers(int lane) const {
  if (!s_.data_.reports_carried) return {};
  return column(w_.data() + slot(s_.shape_.n + s_.shape_.nv), s_.shape_.m, lane);
}

std::vector<double> LaneGroup::v_of(int lane) const { return column(v(), s_.shape_.nv, lane); }

}  // namespace rattleback
