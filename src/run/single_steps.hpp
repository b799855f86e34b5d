// Runs whose steps are looked at one by one: with step control, events, records between the steps, or data with jumps and kinks
// on which steps end.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "bind/binding.hpp"
#include "run/core.hpp"
#include "run/events.hpp"
#include "run/knots.hpp"
#include "run/step_control.hpp"

namespace rattleback {

// A state to record.
struct RecordPoint {
  double t = 0.0;
  std::span<const double> q, v, turns;
  const StepTaker* at = nullptr;  // the stepper that ended a step there; null: none did
};

class SingleSteps {
 public:
  using Keep = std::function<void(const RecordPoint&)>;

  [[nodiscard]] static bool wanted(const Model& model, const Options& o) {
    return o.adaptive > 0.0 || wants_dense(model, o) || may_have_knots(model, o);
  }

  // The stepper of the core's method is at the start of the run. `keep` takes a record. Throws Error when the request is wrong.
  SingleSteps(RunCore& core, Keep keep);

  [[nodiscard]] bool adaptive() const { return control_ != nullptr; }
  // Records before the first step.
  void begin();
  // One step with what happens in it: of size h, or as large as the step control wants.
  AdvanceReport step(double h);
  // How many of so many steps of size h are nothing but steps of the method.
  [[nodiscard]] std::int64_t plain_steps(double h, std::int64_t most) const;
  // A whole step of that size, with nothing looked for: for the way back.
  AdvanceReport across(double h);
  [[nodiscard]] const std::vector<EventFound>& found() const { return found_; }  // zeros of events so far
  // The event that has ended the run; "": none has.
  [[nodiscard]] const std::string& stopped_by() const { return stopped_by_; }
  // Why a state that an event sets cannot be; "": there was none such.
  [[nodiscard]] const std::string& set_fault() const { return set_reason_; }
  // Is there an event that may end it?
  [[nodiscard]] bool may_stop() const;
  // Energy that events which set the state have taken so far.
  [[nodiscard]] double taken() const { return taken_; }
  [[nodiscard]] std::int64_t outputs() const { return outputs_; }  // records between the steps so far
  [[nodiscard]] double last_step() const { return last_step_; }    // its size, also when it failed
  [[nodiscard]] bool retraces() const { return control_->retraces(); }
  // Adaptive: has the end been reached; will the next step be cut to end there?
  [[nodiscard]] bool finished() const {
    return way() < 0.0 ? stepper_.t() <= *options_.until : stepper_.t() >= *options_.until;
  }
  [[nodiscard]] bool next_is_cut() const {
    return knots_.next(stepper_.t(), *options_.until) == nullptr && control_->next_is_cut(*options_.until);
  }
  // Adaptive: would a run with this end have taken the same steps so far?
  [[nodiscard]] bool before_end() const { return control_->horizon < std::fabs(*options_.until - options_.from); }
  // After the last step: what the trajectory tells of all this.
  void finish(Trajectory& out, bool ok);
  // Adaptive: back to the start, or as many steps as there were, while go_on() says so. false: a step failed.
  bool go_back(const std::function<bool()>& go_on);
  // There was no memory for an event. The step itself was taken.
  [[nodiscard]] bool memory_ended() const { return memory_ended_; }

  // Other values of the parameters and inputs, which the stepper has already. False: it must be made anew.
  bool use_values(std::span<const double> values);

  [[nodiscard]] std::vector<double> save() const;
  void load(std::span<const double> saved);

 private:
  // The direction of time.
  [[nodiscard]] double way() const {
    return (options_.until ? *options_.until - options_.from : options_.step) < 0.0 ? -1.0 : 1.0;
  }
  [[nodiscard]] double next_output() const;
  // A step, or the part of it up to the first event that does more than be noted.
  AdvanceReport part(double h, double until);
  // A jump of the data at the start of a step: it begins on the side to which it goes.
  void choose_side(double h);
  // From the end of a step on a knot to the other side of it.
  void pass(const Knots::Knot& knot, double goal, double h);
  void set_time(double t);
  bool part_back(double end);
  void act(std::size_t first);
  void set_state(std::size_t number, EventFound& found);
  void record_ahead(double h);
  void record_between();
  [[nodiscard]] std::int64_t spent() const;  // iterations of Newton so far, also on what was rejected or only estimates

  RunCore& core_;
  const Options& options_;
  const BoundMethod& method_;
  StepTaker& stepper_;
  Keep keep_;
  std::unique_ptr<StepTaker> estimator_;
  std::unique_ptr<StepControl> control_;
  std::unique_ptr<DenseStep> dense_;
  std::unique_ptr<Events> events_;
  Knots knots_;
  std::vector<EventFound> found_;
  std::int64_t outputs_ = 0;       // records between the steps so far
  std::int64_t interpolated_ = 0;  // of them: values of a polynomial, because no step of the method ended there
  std::int64_t iterations_ = 0;    // of the steps taken
  std::int64_t max_iterations_ = 0;
  bool memory_ended_ = false;
  bool was_cut_ = false;  // by an event, in the last part
  std::string stopped_by_;
  double taken_ = 0.0;
  std::string set_reason_;  // what an event sets cannot be
  double first_step_ = 0.0, last_step_ = 0.0;
  std::vector<double> q_, v_;
};

}  // namespace rattleback
