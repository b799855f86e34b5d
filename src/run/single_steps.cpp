#include "run/single_steps.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include <fmt/format.h>

#include "engine/plan_stepper.hpp"
#include "engine/saved_state.hpp"
#include "rattleback/error.hpp"
#include "system/angles.hpp"

namespace rattleback {
namespace {

constexpr double kMostRecords = 1e8;
constexpr double kTiny = 1e-300;         // where only the direction is known
constexpr double kTimeRounding = 1e-12;  // relative: what is left of a step is no step

}  // namespace

SingleSteps::SingleSteps(RunCore& core, Keep keep)
    : core_(core), options_(core.options), method_(core.method), stepper_(core.stepper()), keep_(std::move(keep)) {
  System& system = core_.system;
  const Model& model = system.model();
  const Options& options = options_;
  const bool events = wants_events(model, options);
  if (options.adaptive > 0.0)
    if (const std::string reason = why_not_adaptive(method_); !reason.empty()) throw Error(reason);
  const std::string by = !options.event.empty()         ? "--event"
                         : !options.until_event.empty() ? "--until-event"
                                                        : fmt::format("'{}' has [events]", model.key);
  if (stepper_.snapshot_size() == 0 && events)
    throw Error(fmt::format(
        "{}: method '{}' {}", by, method_.name,
        method_.adaptive ? "chooses its own steps inside each interval and shows only the ends. Pass another --method"
                         : "shows only the ends of its steps on a system with unilateral constraints"));
  const bool sets = std::any_of(model.events.begin(), model.events.end(),
                                [](const ModelEvent& e) { return e.then == ModelEvent::Then::set; });
  if (sets && (method_.two_step || options.controller == Controller::reversible))
    throw Error(fmt::format(
        "'{}' has [events] that set the state, and {}. Choose another", model.key,
        method_.two_step ? fmt::format("'{}' is a two-step method, whose next step needs the one before", method_.name)
                         : "--controller reversible chooses its steps from those before"));
  const double records = std::fabs(options.until ? *options.until - options.from
                                                 : static_cast<double>(options.steps.value_or(0)) * options.step) /
                         options.output_every;
  if (options.output_every != 0.0 && records > kMostRecords)
    throw Error(fmt::format("--output-every {:g} makes {:.0e} records, more than {:.0e}. Give a longer time",
                            options.output_every, records, kMostRecords));
  if (why_no_knots(method_, options).empty()) knots_ = Knots(model, method_.order());
  const auto again = [&system, &options, &start = core_.start] {
    std::unique_ptr<StepTaker> s = bind(system, options, start).stepper;
    s->start(start.t, start.q, start.v, start.multipliers, start.acceleration);
    return s;
  };
  if (events) {
    events_ = std::make_unique<Events>(system, options, core_.reported);
    events_->start(stepper_);
  }
  if ((events_ || options.output_every != 0.0) && !stepper_.can_be_visited())
    dense_ = std::make_unique<DenseStep>(system, method_, again);
  if (options.adaptive == 0.0) return;
  if (!uses_own_estimate(method_, options)) estimator_ = again();
  control_ = make_step_control(system, options, core_.start, method_, estimator_ ? *estimator_ : stepper_);
}

bool SingleSteps::may_stop() const {
  return events_ && std::any_of(events_->watches().begin(), events_->watches().end(),
                                [](const Events::Watch& w) { return w.then == ModelEvent::Then::stop; });
}

void SingleSteps::begin() {
  if (options_.output_every != 0.0) record_between();
}

std::int64_t SingleSteps::spent() const {
  std::int64_t sum = stepper_.iterations + stepper_.failed_iterations;
  if (estimator_) sum += estimator_->iterations + estimator_->failed_iterations;
  return sum;
}

void SingleSteps::set_time(double t) {
  q_.resize(stepper_.snapshot_size());
  stepper_.take_snapshot(q_);
  stepper_.set_snapshot(t, q_, false);
}

void SingleSteps::choose_side(double h) {
  if (knots_.is_empty()) return;
  const Knots::Knot* const knot = knots_.here(stepper_.t(), h);
  if (knot == nullptr || knot->is_behind(stepper_.t(), h)) return;
  set_time(knot->departure(h));
}

void SingleSteps::pass(const Knots::Knot& knot, double goal, double h) {
  double t = knot.departure(h);
  if (std::fabs(t - goal) <= kTimeRounding * (std::fabs(t) + std::fabs(goal))) t = goal;
  if (t != stepper_.t()) set_time(t);
}

std::int64_t SingleSteps::plain_steps(double h, std::int64_t most) const {
  if (control_ || dense_ || events_ || options_.output_every != 0.0 || knots_.here(stepper_.t(), h) != nullptr)
    return 0;
  const Knots::Knot* const knot = knots_.next(stepper_.t(), stepper_.t() + h * static_cast<double>(most + 1));
  if (knot == nullptr) return most;
  const double steps = (knot->at - stepper_.t()) / h;  // all but the one that comes to it
  return std::min(most, static_cast<std::int64_t>(std::ceil(steps * (1.0 - 1e-9))) - 1);
}

// A whole step: where an event has set another state in it, or data have a knot, what is left of it follows.
AdvanceReport SingleSteps::step(double h) {
  if (control_) h = way() * (std::fabs(last_step_) + kTiny);
  const double goal = control_ ? *options_.until : stepper_.t() + h;
  choose_side(h);
  for (double left = h;;) {
    const Knots::Knot* const knot = knots_.next(stepper_.t(), goal);
    const double until = knot != nullptr ? knot->arrival(h) : goal;
    const AdvanceReport report = part(knot != nullptr && !control_ ? until - stepper_.t() : left, until);
    if (!report.ok || !stopped_by_.empty()) return report;
    if (knot != nullptr && !was_cut_ &&
        std::fabs(stepper_.t() - until) <= kTimeRounding * (std::fabs(until) + std::fabs(last_step_)))
      pass(*knot, goal, h);
    if (control_ || (!was_cut_ && knot == nullptr)) return report;
    left = goal - stepper_.t();
    if (std::fabs(left) <= kTimeRounding * (std::fabs(goal) + std::fabs(h))) return report;
  }
}

AdvanceReport SingleSteps::across(double h) {
  const double goal = stepper_.t() + h;
  choose_side(h);
  for (double left = h;;) {
    const Knots::Knot* const knot = knots_.next(stepper_.t(), goal);
    AdvanceReport report = stepper_.advance(knot != nullptr ? knot->arrival(h) - stepper_.t() : left, 1);
    if (!report.ok) return report;
    report.done = 1;
    if (knot == nullptr) return report;
    pass(*knot, goal, h);
    left = goal - stepper_.t();
    if (std::fabs(left) <= kTimeRounding * (std::fabs(goal) + std::fabs(h))) return report;
  }
}

AdvanceReport SingleSteps::part(double h, double until) {
  was_cut_ = false;
  if (events_) events_->begin(stepper_);
  const std::int64_t before = spent();
  AdvanceReport report;
  if (control_) {
    report = control_->step(until, dense_.get());
    h = control_->last_step();
  } else {
    if (dense_) dense_->begin(stepper_);
    if (options_.output_every != 0.0 && !dense_) record_ahead(h);
    report = stepper_.advance(h, 1);
    if (dense_ && report.ok) dense_->piece(stepper_);
  }
  last_step_ = h;
  if (!report.ok) return report;
  report.done = 1;
  const std::int64_t own = spent() - before;
  iterations_ += own;
  max_iterations_ = std::max(max_iterations_, own);
  if (first_step_ == 0.0) first_step_ = h;
  try {
    const std::size_t known = found_.size();
    if (events_) events_->end(stepper_, h, *dense_, found_);
    if (found_.size() > known) act(known);
  } catch (const std::bad_alloc&) {
    memory_ended_ = true;
  }
  if (!set_reason_.empty()) {
    report.ok = false;
    report.done = 0;
    report.failure = {};
    report.failure.ok = false;
    report.failure.reason = set_reason_.c_str();
    return report;
  }
  if (options_.output_every != 0.0) record_between();
  return report;
}

// Of the zeros from the first new one on, the first that does more than be noted ends the step there.
void SingleSteps::act(std::size_t first) {
  std::optional<std::size_t> number;
  std::size_t k = first;
  for (; k < found_.size(); ++k)
    if ((number = events_->acting(found_[k]))) break;
  if (!number) return;
  const double t = found_[k].t;
  const StepTaker* const there = dense_->step_by(t - dense_->t0());
  if (there == nullptr) return;  // it was located by such a step
  found_.resize(k + 1);
  q_.resize(stepper_.snapshot_size());
  there->take_snapshot(q_);
  stepper_.set_snapshot(there->t(), q_, false);
  was_cut_ = true;
  last_step_ = stepper_.t() - dense_->t0();
  const double value = events_->value(*number, stepper_);
  if (events_->watch(*number).then == ModelEvent::Then::stop)
    stopped_by_ = events_->watch(*number).name;
  else
    set_state(*number, found_[k]);
  events_->go_on(stepper_, *number, value);
}

void SingleSteps::set_state(std::size_t number, EventFound& found) {
  const ModelEvent& event = *events_->watch(number).of_model;
  const std::span<const double> values = events_->set_values(number, stepper_);
  std::vector<double> q = unwrapped(core_.reported(stepper_.t(), stepper_.q()), stepper_.turns()),
                      v(stepper_.v().begin(), stepper_.v().end());
  std::vector<std::int32_t> held;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool velocity = event.set[i].space == kVelocity;
    (velocity ? v : q)[static_cast<std::size_t>(event.set[i].index)] = values[i];
    if (velocity) held.push_back(event.set[i].index);
  }
  const auto energy = [&] {
    return core_.system.has_energy()
               ? core_.system.observe(stepper_.t(), stepper_.q(), stepper_.v(), stepper_.active()).energy
               : 0.0;
  };
  const double before = energy();
  try {
    core_.set_state(stepper_.t(), q, v, held);
  } catch (const Error& error) {
    set_reason_ = fmt::format("event '{}' sets a state that cannot be: {}", event.name, error.what());
    return;
  }
  taken_ += before - energy();
  found.after_q = unwrapped(core_.reported(stepper_.t(), stepper_.q()), stepper_.turns());
  found.after_v.assign(stepper_.v().begin(), stepper_.v().end());
}

double SingleSteps::next_output() const {
  return options_.from + way() * static_cast<double>(outputs_) * options_.output_every;
}

// Of codes that run past the end of a step and do not go back: records at the multiples of output_every in the step that
// comes, before it is taken.
void SingleSteps::record_ahead(double h) {
  const double end = stepper_.t() + h, rounding = 1e-12 * (std::fabs(end) + options_.output_every);
  for (;; ++outputs_) {
    const double t = next_output();
    if ((h < 0.0 ? t - end : end - t) <= rounding) return;
    const std::span<const double> x = stepper_.visit(t, h);
    if (x.empty()) return;
    const std::size_t n = stepper_.q().size();
    keep_({t, x.first(n), x.subspan(n), {}, nullptr});
  }
}

// Records at the multiples of output_every that the last step has passed. A multiple at the end of the step, up to
// rounding, is the state there; another one is the end of a step of the method to that time.
void SingleSteps::record_between() {
  const double now = stepper_.t();
  const double rounding = 1e-12 * (std::fabs(now) + options_.output_every);
  const auto keep = [&](double t, const StepTaker& s) { keep_({t, s.q(), s.v(), s.turns(), &s}); };
  for (;; ++outputs_) {
    const double t = next_output(), ahead = way() * (t - now);
    if (ahead > rounding) return;
    if (ahead >= -rounding) {
      keep(now, stepper_);
      continue;
    }
    const bool by_step = !dense_->records_by_extension();
    if (const StepTaker* const s = by_step ? dense_->step_by(t - dense_->t0()) : nullptr) {
      keep(t, *s);
    } else {
      if (by_step) ++interpolated_;
      dense_->at(t, q_, v_);
      keep_({t, q_, v_, dense_->turns(), nullptr});
    }
  }
}

void SingleSteps::finish(Trajectory& out, bool ok) {
  if (ok && events_) events_->finish(stepper_, found_);
  out.output_every = options_.output_every;
  if (events_)
    for (const Events::Watch& w : events_->watches()) out.watched.push_back(w.name);
  out.stopped_by = stopped_by_;
  if (std::any_of(found_.begin(), found_.end(), [](const EventFound& e) { return !e.after_q.empty(); }))
    out.taken_by_events = taken_;
  out.events = std::move(found_);
  if (events_ && events_->missed() > 0)
    out.notes.push_back(fmt::format("{} of events {} not located: no step of the method ends there",
                                    events_->missed() == 1 ? "a zero" : fmt::format("{} zeros", events_->missed()),
                                    events_->missed() == 1 ? "was" : "were"));
  if (interpolated_ > 0)
    out.notes.push_back(fmt::format(
        "{} records between the steps are values of a polynomial through their ends, less accurate than the "
        "others: no step of the method ends there",
        interpolated_));
  if (control_ || dense_ ||
      events_) {  // else steps were taken that this knows nothing of, and all of them are the stepper's own
    out.newton_iterations = iterations_;
    out.newton_max_per_step = static_cast<int>(max_iterations_);
  }
  if (!control_) return;
  out.adaptive = control_->audit;
  out.step = first_step_;
  if (control_->audit.controller == Controller::reversible && !method_.symmetric)
    out.notes.push_back(fmt::format(
        "the reversible controller keeps the long-time behaviour of symmetric methods, and {} is not symmetric here",
        method_.name));
  if (control_->last_was_cut())
    out.notes.push_back(
        fmt::format("the last step was shortened to {:.3g}, to end at t = {:.10g}", std::fabs(last_step_), out.t));
}

bool SingleSteps::go_back(const std::function<bool()>& go_on) {
  const bool same_steps = control_->retraces();
  std::int64_t steps = control_->audit.steps;
  if (same_steps && control_->last_was_cut()) {
    if (!stepper_.advance(-last_step_, 1).ok) return false;
    --steps;
  }
  control_->turn_round();
  const double end = same_steps ? -way() * INFINITY : options_.from;
  for (std::int64_t k = 0; same_steps ? k < steps : stepper_.t() != end; ++k)
    if (!go_on() || !part_back(end)) return false;
  return true;
}

bool SingleSteps::part_back(double end) {
  const double h = -way() * (std::fabs(last_step_) + kTiny);
  choose_side(h);
  const Knots::Knot* const knot = std::isfinite(end) ? knots_.next(stepper_.t(), end) : nullptr;
  const double until = knot != nullptr ? knot->arrival(h) : end;
  if (!control_->step(until, nullptr).ok) return false;
  if (knot != nullptr && stepper_.t() == until) pass(*knot, end, h);
  return true;
}

bool SingleSteps::use_values(std::span<const double> values) {
  if (dense_ || events_ || (control_ && control_->audit.controller == Controller::reversible)) return false;
  if (!knots_.is_empty()) return false;  // their times may depend on them
  if (!estimator_) return true;
  auto* const plan = dynamic_cast<PlanStepper*>(estimator_.get());
  return plan != nullptr && plan->change_parameters(values, {}, true);
}

std::vector<double> SingleSteps::save() const {
  std::vector<double> out = {static_cast<double>(outputs_),
                             first_step_,
                             static_cast<double>(iterations_),
                             static_cast<double>(max_iterations_),
                             control_ ? control_->first : 0.0,
                             control_ ? control_->horizon : 0.0,
                             static_cast<double>(interpolated_),
                             taken_,
                             0.0,
                             static_cast<double>(found_.size())};
  const auto add = [&](const std::vector<double>& list) { out.insert(out.end(), list.begin(), list.end()); };
  const auto number = [&](const std::string& name) {
    const auto& all = events_->watches();
    return static_cast<double>(std::find_if(all.begin(), all.end(), [&](const auto& w) { return w.name == name; }) -
                               all.begin());
  };
  if (!stopped_by_.empty()) out[out.size() - 2] = 1.0 + number(stopped_by_);
  for (const EventFound& e : found_) {
    add({number(e.event), e.t, static_cast<double>(e.direction), e.after_q.empty() ? 0.0 : 1.0});
    for (const std::vector<double>* const list : {&e.q, &e.v, &e.after_q, &e.after_v}) add(*list);
  }
  if (events_) add(events_->save());
  if (control_) add(control_->save());
  return out;
}

void SingleSteps::load(std::span<const double> saved) {
  SavedState from(saved);
  const auto list = [&](std::size_t count) {
    const auto part = from.take(count);
    return std::vector<double>(part.begin(), part.end());
  };
  outputs_ = from.count();
  first_step_ = from.next();
  iterations_ = from.count();
  max_iterations_ = from.count();
  const double first = from.next(), horizon = from.next();
  if (control_ && first != control_->first)
    throw Error(fmt::format(
        "--until: nothing moves at the start, so that the first step is a part of the time to the end: {:g} in the "
        "checkpoint and {:g} here. Use the same --until, or start without --resume and with --step H",
        first, control_->first));
  if (control_) control_->horizon = horizon;
  interpolated_ = from.count();
  taken_ = from.next();
  const double watches = events_ ? static_cast<double>(events_->watches().size()) : 0.0;
  const std::int64_t stopped = from.count(watches);
  stopped_by_ = stopped > 0 ? events_->watch(static_cast<std::size_t>(stopped - 1)).name : "";
  found_.clear();
  for (std::int64_t k = from.count(static_cast<double>(from.left())); k > 0; --k) {
    const std::int64_t which = from.count(watches - 1.0);
    const double t = from.next(), direction = from.next();
    SavedState::expect(direction == -1.0 || direction == 0.0 || direction == 1.0);
    const bool after = from.next() != 0.0;
    const std::size_t n = stepper_.q().size(), nv = stepper_.v().size();
    EventFound found{
        events_->watch(static_cast<std::size_t>(which)).name, t, static_cast<int>(direction), {}, {}, {}, {}};
    found.q = list(n);
    found.v = list(nv);
    if (after) found.after_q = list(n);
    if (after) found.after_v = list(nv);
    found_.push_back(std::move(found));
  }
  if (events_) events_->load(from.take(events_->save().size()));
  if (control_) control_->load(from.rest());
  from.end();
}

}  // namespace rattleback
