// A method bound to a system, with all its workspace. One virtual call covers a batch of steps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/power_sums.hpp"
#include "engine/step_loop.hpp"
#include "rattleback/simulate.hpp"
#include "step/equations.hpp"
#include "system/angles.hpp"

namespace rattleback {

class StepTaker {
 public:
  virtual ~StepTaker() = default;

  // v is empty for a dae. multipliers and acceleration: consistent values at the start.
  virtual void start(double t, std::span<const double> q, std::span<const double> v,
                     std::span<const double> multipliers, std::span<const double> acceleration) = 0;
  // The same within a run: what was added up so far stays.
  virtual void jump(double t, std::span<const double> q, std::span<const double> v, std::span<const double> multipliers,
                    std::span<const double> acceleration) {
    start(t, q, v, multipliers, acceleration);
  }
  virtual AdvanceReport advance(double h, std::int64_t steps) = 0;

  [[nodiscard]] virtual double t() const = 0;
  [[nodiscard]] virtual std::span<const double> q() const = 0;
  [[nodiscard]] virtual std::span<const double> v() const = 0;
  // Whole turns that declared angles have made beyond q(), by coordinate; empty = none. What users see is
  // q() + 2 pi turns() (system/angles.hpp); what is periodic is evaluated at q(), which has all its digits.
  [[nodiscard]] virtual std::span<const double> turns() const { return {}; }

  // Multipliers near the current state, good enough to start Newton's iteration from.
  [[nodiscard]] virtual std::span<const double> multiplier_guess() const = 0;

  // Multipliers that the method itself computes for the current state; empty = report those of the acceleration level.
  [[nodiscard]] virtual std::span<const double> own_multipliers() const { return {}; }

  // Prepares for integrating back from here. Returns how many steps back that already was: a two-step method swaps its
  // two positions, which leaves it one step earlier.
  virtual int turn_round() { return 0; }

  // Unilateral constraints: which of all constraints act now. Empty for the steppers of other systems, where all act.
  [[nodiscard]] virtual std::span<const char> active() const { return {}; }
  [[nodiscard]] virtual std::span<const Contact> contacts() const { return {}; }

  // Dependent constraints: the number of the subset that the last step integrated (system/mechanical/redundancy.hpp), and what
  // became of the rows.
  [[nodiscard]] virtual int constraint_set() const { return -1; }
  [[nodiscard]] virtual std::optional<RedundantAudit> redundant() const { return {}; }

  // Goes on from where another stepper of the same method is, which has other constraints of the same system.
  // multipliers and acceleration: as for start().
  virtual void take_over(const StepTaker& from, std::span<const double> multipliers,
                         std::span<const double> acceleration) {
    start(from.t(), from.q(), from.v(), multipliers, acceleration);
  }

  // From here on for other values of parameters and inputs, between two steps: from its state. Allocates nothing. False, and
  // nothing is changed, where the step would have been derived otherwise. keep_guesses: the next steps continue the series of
  // steps before. changed: which value alone is another than at the last call; none: perhaps all.
  virtual bool change_parameters(std::span<const double> /*values*/, std::optional<std::size_t> /*changed*/,
                                 bool /*keep_guesses*/) {
    return false;
  }

  // For another start of the same system, without anything being derived: renew(), and where the parameters have other values
  // set_parameters() before it. start() comes next.
  [[nodiscard]] virtual bool can_be_renewed() const { return false; }
  // False where the step would have been derived otherwise; then it is of no use any more.
  virtual bool set_parameters(std::span<const double> /*values*/) { return false; }
  // As newly made. multiplier_scale: that of the new start (PlanStepperData).
  virtual void renew(double /*multiplier_scale*/) {}

  // Everything that the next step depends on, so that a resumed run continues with the same bits.
  [[nodiscard]] virtual std::vector<double> save() const = 0;
  virtual void load(std::span<const double> saved) = 0;

  // For trial steps (step control, events): the state with everything that a step from it depends on, but without the
  // starting guesses. Neither call allocates. 0 values: this stepper has no trial steps.
  [[nodiscard]] virtual std::size_t snapshot_size() const { return 0; }
  virtual void take_snapshot(std::span<double> /*to*/) const {}
  // keep_guesses: the next steps continue the series of steps before, so their solutions serve as starting guesses.
  virtual void set_snapshot(double /*t*/, std::span<const double> /*from*/, bool /*keep_guesses*/) {}
  // Steps whose sizes differ by less than this (relative) count as one series, whose solutions are extrapolated.
  virtual void set_smooth_steps(double /*ratio*/) {}
  // Stage velocities (dae: stages) of the last step, one after the other; empty when they were not asked for.
  [[nodiscard]] virtual std::span<const double> stage_values() const { return {}; }

  // Codes that choose their own steps: position and velocity, one after the other, at a time within the step that
  // advance(h, 1) takes next. Times ascend. Empty: it cannot be had, and advance() will say why. These calls do not change
  // that step, but for rounding.
  [[nodiscard]] virtual bool can_be_visited() const { return false; }
  virtual std::span<const double> visit(double /*t*/, double /*h*/) { return {}; }

  // Energies of the steps so far, when the method knows them.
  [[nodiscard]] virtual const PowerSums* power() const { return nullptr; }

  // Takes steps by compiled code from here on, with the same bits. Returns why that cannot be, or "" when it can.
  // only_cached: not if a compiler would have to run. stop: ends the compiler.
  virtual std::string go_native(bool /*only_cached*/, const std::stop_token& /*stop*/ = {}) {
    return "this method has no step that could be compiled";
  }

  std::int64_t iterations = 0;         // of Newton, in the steps taken since the start
  int max_iterations = 0;              // in one of them
  std::int64_t compiled_steps = 0;     // taken by compiled code; not saved
  bool compiler_given_up = false;      // by go_native(): no fault of the request (engine/build/compile.hpp)
  std::int64_t failed_iterations = 0;  // in steps that failed; not saved
};

// Positions as they are reported, with the whole turns of angles.
inline std::vector<double> unwrapped_positions(const StepTaker& s) { return unwrapped(s.q(), s.turns()); }

}  // namespace rattleback
