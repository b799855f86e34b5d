// Steps whose size is chosen on the way. One call takes one accepted step; see docs/theory/step-control.md.
//
// pi          the error of every step is estimated and held near the tolerance by a proportional-integral controller
// reversible  the step size follows a step density of the state by a symmetric recursion, without looking at errors
#pragma once

#include <memory>

#include "bind/bind.hpp"
#include "run/dense.hpp"
#include "system/mechanical/step_density.hpp"
#include "system/system.hpp"

namespace rattleback {

class StepControl {
 public:
  virtual ~StepControl() = default;

  // One accepted step, not beyond `end`. When it is not ok, the state is the last good one. `dense`, if there is one, is
  // told the pieces of the step.
  virtual AdvanceReport step(double end, DenseStep* dense) = 0;

  [[nodiscard]] double last_step() const { return last_; }  // its size
  [[nodiscard]] bool last_was_cut() const { return cut_; }  // it was shortened to end on `end`
  // Would the next step end on `end`, shorter than it should be?
  [[nodiscard]] virtual bool next_is_cut(double end) const = 0;
  // Prepares for integrating back from here, and how many steps that takes (0: until the start is reached).
  virtual void turn_round() = 0;
  [[nodiscard]] virtual bool retraces() const = 0;  // going back takes the same steps

  [[nodiscard]] virtual std::vector<double> save() const = 0;
  virtual void load(std::span<const double> saved) = 0;

  AdaptiveAudit audit;
  double first = 0.0;    // the size that is tried first
  double horizon = 0.0;  // a run that takes less time than this would have shortened one of the steps so far

 protected:
  // May a step of size h be tried at t, or must it be shortened to end on `end`?
  bool must_cut(double t, double h, double end);
  void count(double h, bool cut);

  double from_ = 0.0;  // where the run began
  double last_ = 0.0;
  bool cut_ = false;
};

// Does the pi controller take the method's own error estimate, and so need no estimator?
inline bool uses_own_estimate(const BoundMethod& method, const Options& options) {
  return method.embedded && options.controller != Controller::reversible;
}

// Throws Error when the method or the system is not for it. `estimator` is the method bound once more, for the steps that
// only estimate (the method itself where it has an estimate of its own). Both steppers are at the start of the run and outlive the control.
std::unique_ptr<StepControl> make_step_control(const System& system, const Options& options, const Start& start,
                                               const BoundMethod& method, StepTaker& estimator);

// Why the method cannot have its steps chosen; "" when it can.
std::string why_not_adaptive(const BoundMethod& method);

}  // namespace rattleback
