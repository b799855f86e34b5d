// What a run needs that neither its start nor its length decides: derived once, and used by one run after the other.
//
// simulate() makes one for its run. A Prepared keeps them for its next runs, and a Stepper has one. A run has the same bits
// whether its core is new or was used before: what a run leaves behind is put back by begin(), and what depends on the start
// or on values of parameters in more than numbers is derived anew.
#pragma once

#include <memory>
#include <optional>

#include "audit/equations_of_motion.hpp"
#include "bind/bind.hpp"
#include "model/starts/start_reader.hpp"
#include "run/reported_state.hpp"
#include "system/start/start.hpp"

namespace rattleback {

class PlanStepper;

class RunCore {
 public:
  // At the start that the options ask for. Throws Error when the request or the model is wrong.
  // own_state: the start that the options have is a state of these steps, however far they have drifted off the constraints.
  RunCore(std::shared_ptr<const Model> model, const Options& given, bool own_state = false);
  RunCore(const RunCore&) = delete;  // its parts know one another
  RunCore& operator=(const RunCore&) = delete;

  // At the start of another run. given: may differ from those before in what says `between_runs` in the table of options.
  // False, and the core is of no use any more, where parameters decide otherwise than they did. Throws Error as the
  // constructor; the next begin() is as if there had been no such call.
  bool begin(const Options& given);
  // The same for a start and parameters that were put into `model`; the options stay.
  bool renew();

  // Is more of the step decided by the start than its numbers? Then it is derived for each.
  [[nodiscard]] bool depends_on_start() const { return depends_on_start_; }
  // Was it false because of what a parameter decides?
  [[nodiscard]] bool decided_otherwise() const { return graph_ == nullptr; }

  // Other values of the model's parameters and inputs (model/inputs.hpp) while a run goes on, all of them in their order: the
  // step goes on from its state. changed: which one alone is another than at the last call; none: perhaps all. only_inputs:
  // nothing else has changed. False, and nothing was changed, where something would
  // have been derived otherwise.
  bool change_values(std::span<const double> values, std::optional<std::size_t> changed, bool only_inputs);
  // What change_values() needs is allocated here, so that it allocates nothing.
  void prepare_changes(std::span<const double> values);
  // To be called before energy or multipliers are looked at after such a change. False: as there.
  bool observe_changes();
  // At this state from here on. Throws Error, with nothing changed, when it is not consistent and may not be projected. False,
  // with nothing changed, where changed parameters need another derivation to judge it.
  bool move_to(double t, std::span<const double> q, std::span<const double> v);
  // At this state from here on, within a run: velocities are made consistent, and those that are held stay. Throws Error, with
  // nothing changed, where that cannot be.
  void set_state(double t, std::span<const double> q, std::span<const double> v, std::span<const std::int32_t> held);
  // Parameters that were changed on the way, in everything that judges a state, and in the model. False: where a state is judged,
  // another derivation is needed.
  bool settle_parameters();
  // The stepper at the start; what runs before have left behind is gone.
  void restart();

  [[nodiscard]] StepTaker& stepper() const { return *method.stepper; }
  [[nodiscard]] const std::shared_ptr<const Model>& base() const { return base_; }

 private:
  Model model_for(const Options& given);
  // The start at this state, which the model has from here on.
  Start start_at(double t, std::span<const double> q, std::span<const double> v, bool project);
  bool take_parameters();
  void find_start();
  [[nodiscard]] bool step_depends_on_start() const;
  void look_at_method();

  std::shared_ptr<const Model> base_;  // as it was given
  std::unique_ptr<StartReader> reader_;
  PlanStepper* keeps_energy_ = nullptr;  // the stepper, if it keeps the energy of the start
  bool depends_on_start_ = false;
  bool dense_ = false, adaptive_ = false;  // what the step was bound for
  std::shared_ptr<const Graph> graph_;     // of the parameters that were taken last; null: that failed
  bool observed_ = true;                   // what is observed has the changed values
  std::vector<double> changed_;  // parameters that only the step and what observes it have so far; empty: none

 public:
  Model model;      // with the parameters and the start of this run
  Options options;  // all defaults filled in
  System system;
  StartFunctions functions;
  Start start;
  ReportedState reported;
  BoundMethod method;
  std::unique_ptr<Acceleration> acceleration;  // for consistent multipliers
  std::optional<EquationsOfMotion> equations;  // made when it is first looked at
};

// The first option that differs in more than runs of one core may differ in, as "--method: 'rattle' here, 'ode' there";
// "" when there is none. Both must be complete.
std::string differs_in_plan(const Options& prepared, const Options& asked);

}  // namespace rattleback
