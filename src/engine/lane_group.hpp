// Many runs of one method on one system from different starts, stepped together in lanes.
//
// Every lane performs the operations of a single run in the same order: it has the bits that it would have alone. Lanes take plain
// steps together: extrapolated starting values, convergence, a finite state. A lane whose step is anything else (the
// first steps of a run, an iteration that fails, an angle that has made a whole turn) is lent to a PlanStepper for that step.
// All lanes are at the same time between two calls of advance().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/job.hpp"
#include "engine/plan_stepper.hpp"
#include "step/lane_newton.hpp"
#include "step/starting_values.hpp"

namespace rattleback {

class LaneGroup {
 public:
  static constexpr int kWidth = kLaneWidth;
  static_assert(kWidth == LaneNewton::kWidth);

  // Why the steps of this stepper cannot be taken in lanes; "" when they can.
  static std::string why_not(const PlanStepper& stepper);
  // The text that steps in lanes are compiled from; why_not_native() must have no objection to the plan.
  static std::string step_text(const PlanStepper& stepper);
  static std::string why_not_native(const PlanStepper& stepper);

  explicit LaneGroup(PlanStepper& stepper);

  // All lanes empty, at the beginning of a run.
  void clear();
  // The run that the stepper has just started becomes lane `lane`.
  void put(int lane);
  // All lanes by `steps` steps. A lane that fails is dropped: its state is of no use any more.
  void advance(double h, std::int64_t steps);
  // Compiled steps from here on, with the same bits; null: interpreted ones.
  void set_code(LaneSteps code) { code_ = code; }

  [[nodiscard]] bool has(int lane) const { return (present_ >> static_cast<unsigned>(lane) & 1U) != 0; }
  [[nodiscard]] bool empty() const { return present_ == 0; }
  [[nodiscard]] double t() const { return series_.t(); }
  // Value i of lane l is x[i*kWidth + l].
  [[nodiscard]] const double* q() const { return w_.data() + slot(0); }
  [[nodiscard]] const double* v() const { return w_.data() + slot(s_.shape_.n); }
  [[nodiscard]] std::vector<double> unwrapped_q(int lane) const;
  [[nodiscard]] std::vector<double> v_of(int lane) const;
  // As the state is while steps are taken: angles without whole turns.
  [[nodiscard]] std::vector<double> wrapped_q(int lane) const;
  // As StepTaker has them.
  [[nodiscard]] std::vector<double> multiplier_guess(int lane) const;
  [[nodiscard]] std::vector<double> own_multipliers(int lane) const;

 private:
  [[nodiscard]] std::size_t slot(std::size_t state) const {
    return (static_cast<std::size_t>(s_.data_.step.slot(kPosition)) + state) * kWidth;
  }
  [[nodiscard]] double* history(std::size_t part, std::int32_t place) {
    return history_.data() + (part * starting::kRows + static_cast<std::size_t>(place)) * s_.history_width_ * kWidth;
  }
  void lend(int lane);       // into the stepper
  void take_back(int lane);  // out of it again
  void drop(int lane);
  void first_step(double h);
  void alone(int lane, double h, std::int64_t steps);
  void together(double h, std::int64_t steps);
  // Steps of the warm lanes; returns how many were taken. The lanes that failed in the last of them are no longer warm.
  std::int64_t compiled_steps(double h, std::int64_t steps);
  std::int64_t interpreted_steps(double h, std::int64_t steps);
  bool interpreted_part(double t, double h, std::size_t part, bool look, std::uint32_t& going);
  void forget(std::size_t lane);  // stepping::Run::forget()
  void take_turns_off();

  PlanStepper& s_;
  LaneNewton newton_;
  LaneSteps code_ = nullptr;
  std::vector<double> w_, history_, multipliers_, turns_, scale_;
  std::vector<long long> far_;             // of each sub-step and lane
  std::vector<std::int32_t> newest_;       // of each sub-step, in the lanes that are warm
  std::vector<std::int32_t> lane_newest_;  // [lane][sub-step] of the others
  std::vector<std::int32_t> lane_depth_;   // [lane][sub-step]
  std::vector<std::int64_t> lane_count_;
  std::vector<long long> active_;
  std::vector<std::vector<double>> parameters_;  // of each lane, as PlanStepper::set_parameters()
  std::uint32_t present_ = 0, warm_ = 0;         // warm: takes its steps in the group
  stepping::Series series_;
};

}  // namespace rattleback
