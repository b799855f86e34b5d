// A method bound to a system, with all its workspace. One virtual call covers a batch of steps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rattleback/simulate.hpp"
#include "solve/equations.hpp"

namespace rattleback {

struct AdvanceReport {
  bool ok = true;
  std::int64_t done = 0;  // steps taken; the state is the one after the last good step
  SolveReport failure;    // of the step that failed
};

class Stepper {
 public:
  virtual ~Stepper() = default;

  // v is empty for a dae. multipliers and acceleration: consistent values at the start.
  virtual void start(double t, std::span<const double> q, std::span<const double> v,
                     std::span<const double> multipliers, std::span<const double> acceleration) = 0;
  virtual AdvanceReport advance(double h, std::int64_t steps) = 0;

  [[nodiscard]] virtual double t() const = 0;
  [[nodiscard]] virtual std::span<const double> q() const = 0;
  [[nodiscard]] virtual std::span<const double> v() const = 0;

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

  // Everything that the next step depends on, so that a resumed run continues with the same bits.
  [[nodiscard]] virtual std::vector<double> save() const = 0;
  virtual void load(std::span<const double> saved) = 0;

  std::int64_t iterations = 0;  // of Newton, since the start
  int max_iterations = 0;       // in one step
};

}  // namespace rattleback
