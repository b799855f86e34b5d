// The loop: time grid, records, checkpoints, failure. It alone knows when each has its turn.
#include "rattleback/simulate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>

#include <fmt/format.h>

#include "model/kinds/port_hamiltonian_structure.hpp"
#include "option/run_table.hpp"
#include "rattleback/error.hpp"
#include "run/checkpointing.hpp"
#include "run/choice.hpp"
#include "run/failure.hpp"
#include "run/follow.hpp"
#include "run/memory.hpp"
#include "run/order_by_halving.hpp"
#include "run/pace.hpp"
#include "run/result.hpp"
#include "run/run_of.hpp"
#include "run/way_back.hpp"
#include "system/angles.hpp"
#include "text/words.hpp"

namespace rattleback {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class Run {
 public:
  explicit Run(RunCore& core, const Follower& follower = {}) : follower_(follower), run_(core), recorder_(run_) {
    if (const auto* const f = run_.system.as<PortHamiltonian>()) structure_.emplace(*f);
    if (structure_ && structure_->is_fixed()) structure_.reset();
  }

  Trajectory go();
  [[nodiscard]] const Start& start() const { return run_.start; }
  [[nodiscard]] const std::optional<FailedStep>& failure() const { return failure_; }  // of a step

 private:
  // The run and what is saved of it are where the first step, or the next one, begins. False: where a checkpoint was.
  bool prepare(std::vector<std::string>& notes);
  template <class Step>
  AdvanceReport taken(const Step& step);
  AdvanceReport adaptive_steps();
  AdvanceReport grid_steps(NativeChoice& native);
  AdvanceReport last_step(std::vector<std::string>& notes);
  void record(double h_last);
  void look_at_validity();
  void show(const RecordPoint& p, double energy);
  void pause(bool may_save = true);  // between two steps
  void save();
  // How it ended: status and message.
  void tell_end(const AdvanceReport& report, Trajectory& out);
  void tell_failure(const AdvanceReport& report, Trajectory& out);
  void tell_memory(Trajectory& out) const;
  void tell_native(const NativeChoice& native, Trajectory& out) const;

  [[nodiscard]] bool told_to_end() {
    if (follower_.go_on && run_.single) ended_ = !follower_.go_on(run_.stepper().t(), run_.steps, run_.single->found());
    return ended_;
  }
  // Between two steps of a run that is not over.
  [[nodiscard]] bool must_end() {
    if (run_.single && !run_.single->stopped_by().empty()) return true;
    cancelled_ = cancelled_ || run_.options.stop.stop_requested();
    return cancelled_ || recorder_.memory_ended();
  }
  [[nodiscard]] double until() const {
    return run_.adaptive() ? *run_.options.until
                           : run_.options.from + static_cast<double>(run_.grid.whole) * run_.grid.h + run_.grid.last;
  }

  Follower follower_;
  RunParts run_;
  Recorder recorder_;
  std::optional<Checkpointing> checkpoints_;
  Clock::time_point begin_, last_progress_, last_save_;
  bool ended_ = false;  // the follower has seen enough
  bool no_memory_for_step_ = false;
  bool cancelled_ = false;  // by Options::stop
  std::vector<double> midpoint_, seen_q_, seen_multipliers_;
  std::optional<PortHamiltonianStructure> structure_;  // what the state may break
  std::string broken_advice_;
  std::string broken_;  // what the state has broken, as a sentence with its advice behind it
  std::optional<FailedStep> failure_;
};

bool Run::prepare(std::vector<std::string>& notes) {
  const Options& o = run_.options;
  if (SingleSteps::wanted(run_.core.model, o))
    run_.single = std::make_unique<SingleSteps>(run_.core, [&](const RecordPoint& p) {
      const std::span<const char> active = p.at != nullptr ? p.at->active() : std::span<const char>{};
      const System::Observation seen = run_.system.observe(p.t, p.q, p.v, active);
      recorder_.keep(p, seen);
      show(p, seen.energy);
    });
  recorder_.fit();
  if (run_.single == nullptr || !run_.single->may_stop()) run_.data.check(o.from, until());
  if (!run_.data.is_empty()) {
    const double end = o.adaptive > 0.0 ? *o.until : until();
    if (std::string note = knots_note(run_.core.model, run_.method, o, end, o.adaptive > 0.0 ? 0.0 : run_.grid.h);
        !note.empty())
      notes.push_back(std::move(note));
  }
  if (o.checkpoint.empty()) return true;
  checkpoints_.emplace(run_, recorder_);
  if (std::string note = checkpoints_->note(); !note.empty()) notes.push_back(std::move(note));
  if (!o.resume) return true;
  if (checkpoints_->resume()) return false;
  notes.push_back(fmt::format("there is no checkpoint '{}' yet: the run started from the beginning", o.checkpoint));
  return true;
}

void Run::record(double h_last) {
  const StepTaker& s = run_.stepper();
  const System::Observation o = run_.system.observe(s.t(), s.q(), s.v(), s.active());
  run_.monitor.see(s.t(), o.energy + (run_.single ? run_.single->taken() : 0.0), o.position, o.velocity);
  run_.monitor.see_kinetic(o.kinetic);
  if (!run_.invariants.is_empty()) {
    seen_q_ = unwrapped(run_.reported(s.t(), s.q()), s.turns());
    run_.invariants.see(s.t(), seen_q_, s.v());
  }
  if (follower_.seen) follower_.seen(s.t(), o.energy);
  if (broken_.empty()) look_at_validity();
  if (run_.method.two_step && run_.steps > 0) {
    midpoint_.assign(s.q().begin(), s.q().end());
    for (std::size_t i = 0; i < midpoint_.size(); ++i) midpoint_[i] -= 0.5 * h_last * s.v()[i];
    run_.monitor.see_midpoint(run_.system.observe(s.t() - 0.5 * h_last, midpoint_, s.v()).velocity);
  }
  if (run_.options.output_every != 0.0) return;  // records are between the steps
  recorder_.keep({s.t(), s.q(), s.v(), s.turns(), &s}, o);
  show({s.t(), s.q(), s.v(), s.turns(), &s}, o.energy);
}

// Does the model still hold at this state?
void Run::look_at_validity() {
  const StepTaker& s = run_.stepper();
  if (structure_)
    if (const std::optional<StructureFault> fault = structure_->fault(s.t(), run_.reported(s.t(), s.q()))) {
      broken_ = "the system is not port-Hamiltonian any more: " + fault->text;
      broken_advice_ = "Correct the model for such states";
      return;
    }
  if (run_.data.is_empty()) return;
  seen_q_ = unwrapped(s.q(), s.turns());
  broken_ = run_.data.fault(s.t(), seen_q_, s.v(), s.multiplier_guess());
  broken_advice_ = "Give outside = \"hold\" in the model, or more data";
}

// To whoever watches the run, who may end it.
void Run::show(const RecordPoint& p, double energy) {
  if (!run_.options.observe) return;
  seen_q_ = unwrapped(run_.reported(p.t, p.q), p.turns);
  seen_multipliers_.clear();
  (void)append_multipliers(run_.core, p, seen_multipliers_);
  const StepView view{p.t, seen_q_, p.v, seen_multipliers_, run_.system.has_energy() ? energy : 0.0};
  if (run_.options.observe(view) == Go::stop) cancelled_ = true;
}

void Run::save() {
  if (checkpoints_ && !recorder_.memory_ended()) checkpoints_->save();  // without the missing record it is another run
}

void Run::pause(bool may_save) {
  const Options& o = run_.options;
  if (!(o.progress || checkpoints_)) return;
  const Clock::time_point now = Clock::now();
  if (o.progress && now - last_progress_ > std::chrono::milliseconds(100)) {
    last_progress_ = now;
    const double t = run_.stepper().t(), end = until(), from = run_.options.from,
                 part = end != from ? std::fmax((t - from) / (end - from), 1e-9) : 1.0;
    const std::int64_t whole =
        run_.adaptive() ? static_cast<std::int64_t>(static_cast<double>(run_.steps) / part) : run_.grid.whole;
    o.progress({run_.steps, whole, t, end, run_.monitor.max_energy_error, seconds_since(begin_)});
  }
  if (checkpoints_ && may_save && broken_.empty() &&
      std::chrono::duration<double>(now - last_save_).count() >= o.checkpoint_seconds) {
    save();
    last_save_ = Clock::now();  // a slow disk does not get all the time
  }
}

// Steppers that need memory in a step (another subset of constraints, say) ask for it before they move.
template <class Step>
AdvanceReport Run::taken(const Step& step) {
  try {
    return step();
  } catch (const std::bad_alloc&) {
    no_memory_for_step_ = true;
    recorder_.give_up();
    return {};
  }
}

AdvanceReport Run::adaptive_steps() {
  SingleSteps& single = *run_.single;
  AdvanceReport report;
  bool end_in_sight = false;  // from there on the steps are not those of a run with a later end
  Pace pace;
  while (!single.finished() && broken_.empty() && !must_end()) {
    if (!end_in_sight && single.next_is_cut()) {
      save();
      end_in_sight = true;
    }
    report = taken([&] { return single.step(0.0); });
    if (!report.ok || no_memory_for_step_) break;
    ++run_.steps;
    recorder_.thin();
    if (run_.steps % run_.grid.every == 0 || single.finished() || !single.stopped_by().empty())
      record(single.last_step());
    if (told_to_end()) break;
    if (single.memory_ended()) recorder_.give_up();
    if (pace.over(1)) pause(!end_in_sight);
  }
  if (cancelled_ && !end_in_sight) save();
  if ((!report.ok || cancelled_) && run_.steps % run_.grid.every != 0) record(single.last_step());
  return report;
}

// All whole steps of the grid.
AdvanceReport Run::grid_steps(NativeChoice& native) {
  const TimeGrid& grid = run_.grid;
  SingleSteps* const single = run_.single.get();
  AdvanceReport report;
  Pace pace;
  while (run_.steps < grid.whole && report.ok && broken_.empty() && !ended_ && !must_end()) {
    const std::int64_t left = grid.whole - run_.steps;
    const std::int64_t batch = std::min({grid.every - run_.steps % grid.every, left, pace.steps()});
    const std::int64_t plain = single != nullptr ? single->plain_steps(grid.h, batch) : batch;
    report = taken([&] { return plain == 0 ? single->step(grid.h) : native.advance(grid.h, plain, left); });
    run_.steps += report.done;
    if (report.done > 0 && run_.steps % grid.every == 0) record(grid.h);
    if (report.ok && told_to_end()) break;
    if (single != nullptr && single->memory_ended()) recorder_.give_up();
    if (pace.over(report.done)) pause();
  }
  // Codes that choose their own steps are told to stop inside an output interval, which then fails.
  if (!report.ok && run_.method.adaptive && run_.options.stop.stop_requested()) {
    report.ok = true;
    cancelled_ = true;
  }
  if (report.ok && broken_.empty()) save();
  // The end of the run, or where it stopped. A longer run has no record there, so that this one is not in the checkpoint.
  if (broken_.empty() && !ended_ && run_.steps % grid.every != 0) record(grid.h);
  return report;
}

// The shorter one at the end of the grid.
AdvanceReport Run::last_step(std::vector<std::string>& notes) {
  const TimeGrid& grid = run_.grid;
  const AdvanceReport report =
      taken([&] { return run_.single ? run_.single->step(grid.last) : run_.stepper().advance(grid.last, 1); });
  run_.steps += report.done;
  if (report.ok) record(grid.last);
  if (report.ok) (void)told_to_end();
  notes.push_back(fmt::format("t = {:.10g} is not a multiple of the step {:g}: the last step was {:.10g}",
                              *run_.options.until, grid.h, grid.last));
  return report;
}

Trajectory Run::go() {
  Trajectory out;
  const bool fresh = prepare(out.notes);
  begin_ = last_progress_ = last_save_ = Clock::now();
  NativeChoice native(native_policy(run_.options.native), run_.stepper(), run_.options.stop);
  if (checkpoints_) checkpoints_->begin();  // nothing is refused from here on
  if (fresh) record(0.0);
  if (fresh && run_.single) run_.single->begin();

  AdvanceReport report = run_.adaptive() ? adaptive_steps() : grid_steps(native);
  if (report.ok && run_.grid.last != 0.0 && broken_.empty() && !ended_ && !must_end()) report = last_step(out.notes);
  if (checkpoints_) out.checkpoint_fault = checkpoints_->fault();
  out.wall_seconds = seconds_since(begin_);
  out.compile_seconds = native.compile_seconds();

  out.model = run_.options.parameters.empty() ? run_.core.base() : std::make_shared<const Model>(run_.core.model);
  describe(run_, out);
  tell_end(report, out);
  const bool complete = out.status == Status::done;
  final_state(run_, out);
  out.records = recorder_.take();
  // Members of a study, which have no records, are not looked at.
  audit(run_, report.ok, !(follower_.seen || follower_.go_on), out);
  tell_native(native, out);
  out.newton_iterations = run_.stepper().iterations;
  out.newton_max_per_step = run_.stepper().max_iterations;
  if (run_.single) run_.single->finish(out, report.ok && !recorder_.memory_ended());
  if (run_.options.audit_reverse && complete) if_it_fits("integrating back", out, [&] { integrate_back(run_, out); });
  return out;
}

void Run::tell_end(const AdvanceReport& report, Trajectory& out) {
  const double t = run_.stepper().t();
  const std::int64_t steps = run_.steps;
  if (!report.ok) {
    tell_failure(report, out);
  } else if (!broken_.empty()) {
    out.status = Status::stopped;
    out.message = fmt::format("stopped at t = {:.10g} (step {}): {}. {} steps were kept. {}", t, steps, broken_, steps,
                              broken_advice_);
  } else if (recorder_.memory_ended()) {
    tell_memory(out);
  } else if (cancelled_) {
    out.status = Status::cancelled;
    out.failure = Failure::cancelled;
    out.message = fmt::format("cancelled at t = {:.10g} (step {}): {} steps were kept", t, steps, steps);
  }
}

void Run::tell_failure(const AdvanceReport& report, Trajectory& out) {
  const TimeGrid& grid = run_.grid;
  const double h = run_.adaptive() ? run_.single->last_step() : run_.steps < grid.whole ? grid.h : grid.last;
  out.status = Status::stopped;
  out.failure = failure_of(report.failure);
  if (run_.single && !run_.single->set_fault().empty()) {
    out.failure = Failure::inconsistent;
    out.message = fmt::format("stopped at t = {:.10g} (step {}): {}. {} steps were kept", run_.stepper().t(),
                              run_.steps, run_.single->set_fault(), run_.steps);
    return;
  }
  failure_ = FailedStep{.t = run_.stepper().t(),
                        .h = h,
                        .step = run_.steps,
                        .adaptive = run_.method.adaptive,
                        .ends = report.failure.ends,
                        .energy = std::fmax(std::fabs(run_.monitor.initial_energy()), run_.monitor.max_kinetic)};
  out.message = failure_text(run_.method, run_.system, *failure_, report.failure);
}

void Run::tell_memory(Trajectory& out) const {
  out.status = Status::stopped;
  const double t = run_.stepper().t(), every = run_.options.output_every;
  if (no_memory_for_step_)
    out.message =
        fmt::format("stopped at t = {:.10g} (step {}): there is no memory for another step. {} steps were kept", t,
                    run_.steps, run_.steps);
  else if (run_.single && run_.single->memory_ended())
    out.message = fmt::format(
        "stopped at t = {:.10g} (step {}): there is no memory for more than {} zeros of events. They were kept. Ask "
        "for "
        "events that are not so frequent, or for an earlier end",
        t, run_.steps, run_.single->found().size());
  else
    out.message = fmt::format(
        "stopped at t = {:.10g} (step {}): there is no memory for more than {} records, which take {}. They were kept. "
        "Record fewer: {}",
        t, run_.steps, recorder_.rows(), memory_text(static_cast<double>(recorder_.rows()) * recorder_.row_bytes()),
        every != 0.0 ? fmt::format("--output-every {:g}", 2.0 * every)
                     : fmt::format("--every {}", 2 * run_.grid.every));
}

// Which steps compiled code took, and why it did not, where it was asked for.
void Run::tell_native(const NativeChoice& native, Trajectory& out) const {
  const StepTaker& s = run_.stepper();
  out.native = s.compiled_steps > 0;
  out.compiled_steps = s.compiled_steps;
  if (!native.note().empty())
    out.notes.push_back(native.note());
  else if (run_.options.native == Native::on && native_policy(run_.options.native) == Native::off)
    out.notes.push_back(interpreted_note(kProcessOff));
  else if (run_.options.native == Native::on && !out.native && run_.steps > 0 && !s.compiler_given_up)
    out.notes.push_back(fmt::format(
        "--native on: the step was compiled in {:.2g} s, but {} interpreted. The first three steps of a run, and those "
        "after the step size changes or an angle is wrapped, have no solutions before them to start from; compiled "
        "code takes the steps after them",
        out.compile_seconds, run_.steps == 1 ? "the only step was" : fmt::format("all {} steps were", run_.steps)));
}

}  // namespace

const char* to_string(Status status) {
  switch (status) {
    case Status::done: return "done";
    case Status::stopped: return "stopped";
    case Status::cancelled: return "cancelled";
  }
  return "";
}

const char* to_string(Failure failure) {
  switch (failure) {
    case Failure::none: return "none";
    case Failure::newton: return "newton";
    case Failure::singular: return "singular";
    case Failure::not_finite: return "not_finite";
    case Failure::inconsistent: return "inconsistent";
    case Failure::cancelled: return "cancelled";
  }
  return "";
}

namespace {

Trajectory told(Trajectory out) {
  out.message = in_words(std::move(out.message));
  for (std::string& note : out.notes) note = in_words(std::move(note));
  return out;
}

}  // namespace

FollowedRun simulate(const Model& model, const Options& options, const Follower& follower) {
  if (const std::string faults = options.validate(); !faults.empty()) throw Error(faults);
  RunCore core(std::make_shared<const Model>(model), options);
  return followed_run(core, follower);
}

FollowedRun followed_run(RunCore& core, const Follower& follower) {
  Trajectory out = Run(core, follower).go();
  return {told(std::move(out)), core.start.q, core.start.v};
}

namespace {

Trajectory plain_run(RunCore& core, const Options& options) {
  const Model& model = *core.base();  // the options have the parameters and the start
  Run run(core);
  Trajectory out = run.go();
  // Advice takes trial runs, which a request to stop ends, too: it is given only if there was none.
  if (run.failure() && !options.stop.stop_requested())
    if (const std::string text = advice(model, options, *run.failure()); !options.stop.stop_requested())
      out.message += " " + text;
  if (!options.audit_order || out.status != Status::done) return out;
  const std::optional<MeasuredOrder> measured = order_by_halving(model, options);
  if (!measured && options.stop.stop_requested()) {
    out.status = Status::cancelled;
    out.message = fmt::format(
        "cancelled while the order was measured with smaller steps: the run to t = {:.10g} is complete", out.t);
  }
  if (!measured) return out;
  out.observed_order = measured->order;
  if (std::string note = order_contradiction(out.method, out.constraint_midpoint ? out.orders.q : out.order, *measured);
      !note.empty())
    out.notes.push_back(std::move(note));
  return out;
}

}  // namespace

Trajectory run_of(RunCore& core, const Options& options) { return told(plain_run(core, options)); }

}  // namespace rattleback
