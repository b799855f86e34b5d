// The loop: time grid, records, checkpoints, failure. It alone knows about them.
#include "rattleback/simulate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "audit/claims.hpp"
#include "audit/equations_of_motion.hpp"
#include "audit/monitor.hpp"
#include "audit/rank.hpp"
#include "bind/bind.hpp"
#include "model/kinds/port_hamiltonian_structure.hpp"
#include "rattleback/error.hpp"
#include "run/checkpoint_file.hpp"
#include "run/choice.hpp"
#include "run/complete.hpp"
#include "run/failure.hpp"
#include "run/follow.hpp"
#include "run/grid.hpp"
#include "run/memory.hpp"
#include "run/pace.hpp"
#include "run/reported_state.hpp"
#include "run/signature.hpp"
#include "run/single_steps.hpp"
#include "system/angles.hpp"
#include "system/start/exact_start.hpp"
#include "system/start/start.hpp"

namespace rattleback {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Numbers in one record.
std::int64_t record_width(const Model& model, const Options& o) {
  const std::int64_t n = model.coordinates.size(), m = o.record_multipliers ? model.multiplier_count() : 0;
  return o.keep_records ? 4 + (model.kind == Kind::mechanical ? 2 * n : n) + m : 0;
}

Start start_of(System& system, const Options& options) {
  if (options.redundant == "minimum-norm") system.allow_redundant();
  return consistent_start(system, options.project);
}

// What the reader should know about constraints that depend on the others.
void add_notes(const RedundantAudit& r, std::vector<std::string>& notes) {
  const bool one = r.dropped.size() == 1;
  const std::string names = fmt::format("'{}'", fmt::join(r.dropped, "', '"));
  const char* const multipliers = "of the multipliers, which are not unique, those of minimum norm are reported";
  if (r.changes.empty() && !r.dropped.empty())
    notes.push_back(fmt::format("{} {} from the other constraints: integrated without {}; {}", names,
                                one ? "follows" : "follow", one ? "it" : "them", multipliers));
  if (!r.changes.empty())
    notes.push_back(fmt::format(
        "constraints depend on one another (rank {} of {} at the end), and which were left out changed {}, last at t = "
        "{:.6g}, since when {}; {}",
        r.rank, r.rows, r.changes.size() == 1 ? "once" : fmt::format("{} times", r.changes.size()), r.changes.back().t,
        r.dropped.empty() ? "all are integrated" : fmt::format("{} {} left out", names, one ? "is" : "are"),
        multipliers));
  if (!r.losses.empty())
    notes.push_back(fmt::format(
        "the constraints lose rank at t = {:.10g} ({} of {}){}: the step from there kept all of them, and the motion "
        "may branch there",
        r.losses.front().t, r.losses.front().rank, r.rows,
        r.losses.size() == 1 ? "" : fmt::format(" and at {} other moments", r.losses.size() - 1)));
  if (r.unclear)
    notes.push_back(fmt::format(
        "the rank of the constraints is not clear at t = {:.6g}: of rows of length 1, {:.1e} counts as independent and "
        "{:.1e} as dependent; multipliers near there have few digits",
        r.unclear->t, r.unclear->smallest, r.unclear->remainder));
}

class Run {
 public:
  Run(const Model& model, const Options& options, const Follower& follower = {})
      : follower_(follower),
        options_(complete(model, options)),
        grid_(options_, record_width(model, options_)),
        system_(model),
        start_(start_of(system_, options_)),
        reported_(system_, options_),
        method_(bind(system_, options_, start_)) {
    if (system_.is_port_hamiltonian()) {
      structure_.emplace(system_.port_hamiltonian());
      if (structure_->is_fixed()) structure_.reset();
    }
  }

  Trajectory go();
  [[nodiscard]] const Start& start() const { return start_; }
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }  // of a step

 private:
  void record(double h_last);
  bool find_multipliers(std::vector<double>& out, const RecordPoint& p);
  // The record has all turns of angles; the observation was made without them.
  void keep_record(const RecordPoint& p, const System::Observation& o);
  void append_record(RecordPoint p, const System::Observation& o);
  void keep_ports(double t, std::span<const double> q);
  AdvanceReport adaptive_steps(const std::function<void(bool may_save)>& pause, const std::function<void()>& save);
  void thin_records();
  // Memory: whether the records of this run fit is looked at before it, and again whenever they grow.
  static constexpr std::size_t kReserve = std::size_t{8} << 20;
  [[nodiscard]] double row_bytes() const;
  [[nodiscard]] double expected_rows() const;  // 0: not known
  void fit_records();
  void make_room();
  void give_up_records();
  [[nodiscard]] Options used_options() const;
  // What a record holds: the one list that writing and reading of checkpoints go by.
  struct Column {
    const char* name;
    std::size_t width;
    std::vector<double> Trajectory::Records::*list;
  };
  [[nodiscard]] std::vector<Column> columns();
  void save_checkpoint();
  std::optional<Checkpoint> resume();
  void check_counts(const Checkpoint& c) const;
  void audit_equations(Trajectory& out);
  void audit_reverse(Trajectory& out);
  bool advance_back(double h, std::int64_t steps);
  void measure_reverse(Trajectory& out, bool ok);

  [[nodiscard]] bool told_to_end() {
    if (follower_.go_on && single_) ended_ = !follower_.go_on(method_.stepper->t(), steps_, single_->found());
    return ended_;
  }

  // Between two steps of a run that is not over.
  [[nodiscard]] bool must_end() {
    cancelled_ = cancelled_ || options_.stop.stop_requested();
    return cancelled_ || memory_ended_;
  }

  Follower follower_;
  bool ended_ = false;         // the follower has seen enough
  bool cancelled_ = false;     // by Options::stop
  bool memory_ended_ = false;  // a record is missing
  Options options_;
  TimeGrid grid_;
  System system_;
  Start start_;
  ReportedState reported_;
  BoundMethod method_;
  Monitor monitor_;
  Trajectory::Records records_;
  std::unique_ptr<Acceleration> acceleration_;
  std::vector<double> row_;
  std::int64_t steps_ = 0;
  std::optional<CheckpointFile> file_;
  Checkpoint checkpoint_;                       // of this run
  std::string checkpoint_fault_;                // of the latest try
  std::vector<std::string> checkpoint_faults_;  // that were told
  std::size_t room_ = 0;                        // rows that fit into what the records have
  std::unique_ptr<char[]> reserve_;             // let go when memory ends, so that the end of the run can be written
  std::vector<Column> columns_;
  std::unique_ptr<SingleSteps> single_;                // null: steps are taken in batches
  std::optional<PortHamiltonianStructure> structure_;  // what the state may break
  std::optional<StructureFault> broken_;
  std::optional<Failure> failure_;
};

// Appends the multipliers at a state: the method's own, or the consistent ones. False when the acceleration level does not
// determine them (a mass of 0): then those of the last stage.
bool Run::find_multipliers(std::vector<double>& out, const RecordPoint& p) {
  // The method's own multipliers belong to the ends of steps.
  if (p.at != nullptr)
    if (const auto own = p.at->own_multipliers(); !own.empty()) {
      out.insert(out.end(), own.begin(), own.end());
      return true;
    }
  const Stepper& s = p.at != nullptr ? *p.at : *method_.stepper;
  const std::span<const double> guess = s.multiplier_guess();
  acceleration_->use_set(s.constraint_set());
  acceleration_->set_guess(guess);
  if (!acceleration_->solve(p.t, p.q, p.v)) {
    if (system_.redundancy())  // the guess is that of the constraints that were kept
      out.insert(out.end(), static_cast<std::size_t>(system_.m()), std::nan(""));
    else
      out.insert(out.end(), guess.begin(), guess.end());
    return false;
  }
  out.insert(out.end(), acceleration_->multipliers().begin(), acceleration_->multipliers().end());
  return true;
}

void Run::record(double h_last) {
  const Stepper& s = *method_.stepper;
  const System::Observation o = system_.observe(s.t(), s.q(), s.v(), s.active());
  monitor_.see(s.t(), o.energy, o.position, o.velocity);
  monitor_.see_kinetic(o.kinetic);
  if (follower_.seen) follower_.seen(s.t(), o.energy);
  if (structure_ && !broken_) broken_ = structure_->fault(s.t(), reported_(s.t(), s.q()));
  if (method_.two_step && steps_ > 0) {
    row_.assign(s.q().begin(), s.q().end());
    for (std::size_t i = 0; i < row_.size(); ++i) row_[i] -= 0.5 * h_last * s.v()[i];
    monitor_.see_midpoint(system_.observe(s.t() - 0.5 * h_last, row_, s.v()).velocity);
  }
  if (options_.output_every == 0.0)
    keep_record({s.t(), s.q(), s.v(), s.turns(), &s}, o);  // else records are between the steps
}

void Run::keep_record(const RecordPoint& p, const System::Observation& o) {
  if (!options_.keep_records || memory_ended_) return;
  try {
    if (records_.rows >= room_) make_room();
    append_record(p, o);
    ++records_.rows;
  } catch (const std::bad_alloc&) {
    give_up_records();
  }
}

void Run::append_record(RecordPoint p, const System::Observation& o) {
  p.q = reported_(p.t, p.q);
  Trajectory::Records& r = records_;
  r.t.push_back(p.t);
  r.q.insert(r.q.end(), p.q.begin(), p.q.end());
  unwrap(std::span(r.q).last(p.q.size()), p.turns);
  r.v.insert(r.v.end(), p.v.begin(), p.v.end());
  if (options_.record_multipliers) (void)find_multipliers(r.multipliers, p);
  if (system_.has_energy()) r.energy.push_back(o.energy);
  keep_ports(p.t, p.q);
  if (const PowerSums* power = (p.at != nullptr ? *p.at : *method_.stepper).power())
    r.balance.push_back(power->last_residual());
  if (system_.is_mechanical() || system_.is_odae()) r.residual_velocity.push_back(o.velocity);
  if (!system_.model().has_states()) r.residual_position.push_back(o.position);
}

std::vector<Run::Column> Run::columns() {
  using R = Trajectory::Records;
  std::vector<Column> list;
  if (!options_.keep_records) return list;
  const auto add = [&](const char* name, std::size_t width, std::vector<double> R::*values) {
    if (width > 0) list.push_back({name, width, values});
  };
  const std::size_t ports = system_.ports(0.0, start_.q).size() / 2;
  const bool states = system_.model().has_states();
  add("t", 1, &R::t);
  add("q", start_.q.size(), &R::q);
  add("v", start_.v.size(), &R::v);
  add("multipliers", options_.record_multipliers ? static_cast<std::size_t>(system_.m()) : 0, &R::multipliers);
  add("energy", system_.has_energy() ? 1 : 0, &R::energy);
  add("inputs", ports, &R::inputs);
  add("outputs", ports, &R::outputs);
  add("balance", method_.stepper->power() != nullptr ? 1 : 0, &R::balance);
  add("residual.position", states ? 0 : 1, &R::residual_position);
  add("residual.velocity", system_.is_mechanical() || system_.is_odae() ? 1 : 0, &R::residual_velocity);
  return list;
}

// Inputs and outputs of a port-Hamiltonian system.
void Run::keep_ports(double t, std::span<const double> q) {
  const std::span<const double> ports = system_.ports(t, q);
  const auto half = static_cast<std::ptrdiff_t>(ports.size() / 2);
  records_.inputs.insert(records_.inputs.end(), ports.begin(), ports.begin() + half);
  records_.outputs.insert(records_.outputs.end(), ports.begin() + half, ports.end());
}

// The options as this run takes them: what the method and the grid have made of them.
Options Run::used_options() const {
  Options o = options_;
  o.method = method_.name;
  o.stages = method_.stages;
  o.formulation = method_.formulation;
  if (options_.adaptive == 0.0) o.every = grid_.every;
  return o;
}

// What cannot be saved now is saved by a later checkpoint. The run goes on in any case.
void Run::save_checkpoint() {
  std::string reason;
  try {
    checkpoint_.steps = steps_;
    checkpoint_.records = static_cast<std::int64_t>(records_.rows);
    checkpoint_.sections = {{"stepper", method_.stepper->save()}, {"monitor", monitor_.save()}};
    if (single_) checkpoint_.sections.emplace_back("single steps", single_->save());
    reason = file_->write(checkpoint_, [&](std::int64_t row, std::vector<double>& to) {
      for (const Column& column : columns_) {
        const double* const x = (records_.*column.list).data() + static_cast<std::size_t>(row) * column.width;
        to.insert(to.end(), x, x + column.width);
      }
    });
  } catch (const std::bad_alloc&) {
    reason = "not enough memory";
  }
  checkpoint_fault_.clear();
  if (reason.empty()) return;
  checkpoint_fault_ = fmt::format("checkpoint '{}' could not be written: {}", options_.checkpoint, reason);
  if (std::find(checkpoint_faults_.begin(), checkpoint_faults_.end(), checkpoint_fault_) != checkpoint_faults_.end())
    return;
  checkpoint_faults_.push_back(checkpoint_fault_);
  if (options_.warn) options_.warn(checkpoint_fault_ + ". The run goes on, and it will be tried again");
}

// Goes to the state of the checkpoint, if there is one. It must be one of this run, and not beyond its end.
std::optional<Checkpoint> Run::resume() {
  std::optional<Checkpoint> c = file_->read();
  if (!c) return c;
  if (const std::vector<std::string> list = differences(*c, checkpoint_); !list.empty())
    throw Error(fmt::format("checkpoint '{}' belongs to another run: {}. Use the same, or start without --resume",
                            options_.checkpoint, fmt::join(list, ", ")));
  Stepper& stepper = *method_.stepper;
  const std::vector<double>*own = c->section("stepper"), *monitor = c->section("monitor"),
        *single = c->section("single steps");
  // What contacts save grows; that of subsets of constraints depends on the subset. They look at the size themselves.
  const bool fixed_size = stepper.active().empty() && !stepper.redundant();
  if (own == nullptr || monitor == nullptr || (single_ != nullptr) != (single != nullptr) ||
      c->sections.size() != (single_ ? 3U : 2U) || (fixed_size && own->size() != stepper.save().size()) ||
      monitor->size() != monitor_.save().size())
    throw Error(file_->damaged("its sections are not those of this run"));
  stepper.load(*own);
  monitor_.load(*monitor);
  if (single_) single_->load(*single);
  steps_ = c->steps;
  const bool adaptive = single_ && single_->adaptive();
  const bool beyond = adaptive ? !single_->before_end() : steps_ > grid_.whole;
  if (beyond)
    throw Error(fmt::format(
        "checkpoint '{}' is at t = {:.10g}, after {} steps, which is too late for {}. Give a later end, or start "
        "without "
        "--resume",
        options_.checkpoint, stepper.t(), steps_,
        options_.steps ? fmt::format("--steps {}", *options_.steps) : fmt::format("--until {:.10g}", *options_.until)));
  check_counts(*c);
  file_->read_records(*c, [&](std::span<const double> row) {
    for (const Column& column : columns_) {
      (records_.*column.list)
          .insert((records_.*column.list).end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(column.width));
      row = row.subspan(column.width);
    }
    ++records_.rows;
  });
  if (adaptive) thin_records();
  return c;
}

// Of a checkpoint that was loaded: do its counts of steps and records, and its time, belong together?
void Run::check_counts(const Checkpoint& c) const {
  const std::int64_t steps = c.steps, records = c.records;
  const bool adaptive = single_ && single_->adaptive();
  bool good = false;
  if (!options_.keep_records)
    good = records == 0;
  else if (options_.output_every != 0.0)
    good = records == single_->outputs();
  else if (adaptive)  // records may have been thinned
    good = records >= 1 && records <= steps + 1;
  else
    good = records == steps / grid_.every + 1;
  if (!adaptive) {
    const double t = static_cast<double>(steps) * grid_.h;
    good = good && std::fabs(method_.stepper->t() - t) <= 1e-9 * std::fabs(t);
  }
  if (!good) throw Error(file_->damaged("its counts of steps and records contradict one another"));
}

Trajectory Run::go() {
  Trajectory out;
  Stepper& stepper = *method_.stepper;
  if (options_.audit_power && stepper.power() == nullptr)
    throw Error(
        fmt::format("--audit power adds up the work at the stages of Runge-Kutta methods on mechanical systems; '{}' "
                    "cannot tell it on this system. Leave it out",
                    method_.name));
  acceleration_ = system_.acceleration();
  const std::size_t m = static_cast<std::size_t>(system_.m());
  stepper.start(0.0, start_.q, start_.v, start_.multipliers, start_.acceleration);
  if (SingleSteps::wanted(options_))
    single_ = std::make_unique<SingleSteps>(system_, options_, start_, method_, reported_, [&](const RecordPoint& p) {
      keep_record(p, system_.observe(p.t, p.q, p.v, p.at != nullptr ? p.at->active() : std::span<const char>{}));
    });
  const bool adaptive = single_ && single_->adaptive();
  columns_ = columns();
  fit_records();

  std::optional<Checkpoint> resumed;
  if (!options_.checkpoint.empty()) {
    if (method_.adaptive)
      throw Error(
          fmt::format("--checkpoint: what method '{}' knows of its last steps cannot be saved, so a resumed run would "
                      "have other bits. Leave it out, or pass another --method",
                      method_.name));
    file_.emplace(options_.checkpoint);
    checkpoint_.run = signature(system_.model(), used_options(), start_);
    for (const Column& column : columns_) checkpoint_.columns.emplace_back(column.name, column.width);
    if (std::string note = file_->note(); !note.empty()) out.notes.push_back(std::move(note));
    if (options_.resume) resumed = resume();
    if (options_.resume && !resumed)
      out.notes.push_back(
          fmt::format("there is no checkpoint '{}' yet: the run started from the beginning", options_.checkpoint));
  }

  const Clock::time_point begin = Clock::now();
  Clock::time_point last_progress = begin, last_save = begin;
  const double until = adaptive ? *options_.until : static_cast<double>(grid_.whole) * grid_.h + grid_.last;
  const auto save_now = [&] {
    if (file_ && !memory_ended_) save_checkpoint();  // without the missing record it would be another run
  };
  const auto pause = [&](bool may_save) {  // between two steps
    if (!(options_.progress || file_)) return;
    const Clock::time_point now = Clock::now();
    if (options_.progress && now - last_progress > std::chrono::milliseconds(100)) {
      last_progress = now;
      const double part = until != 0.0 ? std::fmax(stepper.t() / until, 1e-9) : 1.0;
      options_.progress({steps_, adaptive ? static_cast<std::int64_t>(static_cast<double>(steps_) / part) : grid_.whole,
                         stepper.t(), until, monitor_.max_energy_error, seconds_since(begin)});
    }
    if (file_ && may_save && !broken_ &&
        std::chrono::duration<double>(now - last_save).count() >= options_.checkpoint_seconds) {
      save_now();
      last_save = Clock::now();  // a slow disk does not get all the time
    }
  };
  NativeChoice native(options_.native, stepper, options_.stop);
  if (file_) file_->begin(resumed ? &*resumed : nullptr);  // nothing is refused from here on
  if (!resumed) record(0.0);
  if (!resumed && single_) single_->begin();
  AdvanceReport report;
  if (adaptive) report = adaptive_steps(pause, save_now);
  Pace pace;
  while (steps_ < grid_.whole && report.ok && !broken_ && !ended_ && !must_end()) {
    const std::int64_t batch = std::min({grid_.every - steps_ % grid_.every, grid_.whole - steps_, pace.steps()});
    report = single_ ? single_->step(grid_.h) : native.advance(grid_.h, batch, grid_.whole - steps_);
    steps_ += report.done;
    if (report.done > 0 && steps_ % grid_.every == 0) record(grid_.h);
    if (report.ok && told_to_end()) break;
    if (single_ && single_->memory_ended()) give_up_records();
    if (pace.over(report.done)) pause(true);
  }
  // Codes that choose their own steps are told to stop inside an output interval, which then fails.
  if (!report.ok && method_.adaptive && options_.stop.stop_requested()) {
    report.ok = true;
    cancelled_ = true;
  }
  if (report.ok && !adaptive && !broken_) save_now();
  // The end of the run, or where it stopped. A longer run has no record there, so that this one is not in the checkpoint.
  if (!adaptive && !broken_ && !ended_ && steps_ % grid_.every != 0) record(grid_.h);
  if (report.ok && grid_.last != 0.0 && !broken_ && !ended_ && !must_end()) {
    report = single_ ? single_->step(grid_.last) : stepper.advance(grid_.last, 1);
    steps_ += report.done;
    if (report.ok) record(grid_.last);
    if (report.ok) (void)told_to_end();
    out.notes.push_back(fmt::format("t = {:.10g} is not a multiple of the step {:g}: the last step was {:.10g}",
                                    *options_.until, grid_.h, grid_.last));
  }
  out.checkpoint_fault = checkpoint_fault_;
  out.wall_seconds = seconds_since(begin);
  out.compile_seconds = native.compile_seconds();

  out.method = method_.name;
  out.formulation = method_.formulation;
  out.stages = method_.stages;
  out.order = method_.order();
  out.orders = method_.orders;
  out.step = grid_.h;
  out.steps = steps_;
  out.every = grid_.every;
  out.t = stepper.t();
  out.notes.insert(out.notes.begin(), start_.notes.begin(), start_.notes.end());
  out.redundant = stepper.redundant();
  if (out.redundant) add_notes(*out.redundant, out.notes);
  out.notes.insert(out.notes.end(), method_.notes.begin(), method_.notes.end());
  if (grid_.thinned) out.notes.push_back(thinned_note(grid_));
  if (!report.ok) {
    out.status = Status::stopped;
    const double h = adaptive ? single_->last_step() : steps_ < grid_.whole ? grid_.h : grid_.last;
    failure_ = Failure{.t = stepper.t(),
                       .h = h,
                       .step = steps_,
                       .adaptive = method_.adaptive,
                       .ends = report.failure.ends,
                       .energy = std::fmax(std::fabs(monitor_.initial_energy()), monitor_.max_kinetic)};
    out.message = failure_text(method_, system_, *failure_, report.failure);
  }
  if (report.ok && broken_) {
    out.status = Status::stopped;
    out.message = fmt::format(
        "stopped at t = {:.10g} (step {}): the system is not port-Hamiltonian any more: {}. {} steps were kept. "
        "Correct "
        "the model for such states",
        stepper.t(), steps_, broken_->text, steps_);
  }
  if (report.ok && !broken_ && memory_ended_) {
    out.status = Status::stopped;
    if (single_ && single_->memory_ended())
      out.message = fmt::format(
          "stopped at t = {:.10g} (step {}): there is no memory for more than {} zeros of events. They were kept. Ask "
          "for "
          "events that are not so frequent, or for an earlier end",
          stepper.t(), steps_, single_->found().size());
    else
      out.message = fmt::format(
          "stopped at t = {:.10g} (step {}): there is no memory for more than {} records, which take {}. They were "
          "kept. "
          "Record fewer: {}",
          stepper.t(), steps_, records_.rows, memory_text(static_cast<double>(records_.rows) * row_bytes()),
          options_.output_every != 0.0 ? fmt::format("--output-every {:g}", 2.0 * options_.output_every)
                                       : fmt::format("--every {}", 2 * grid_.every));
  } else if (report.ok && !broken_ && cancelled_) {
    out.status = Status::cancelled;
    out.message = fmt::format("cancelled at t = {:.10g} (step {}): {} steps were kept", stepper.t(), steps_, steps_);
  }
  const bool complete = out.status == Status::done;
  // What lacks memory is left out, and the rest is told.
  const auto if_it_fits = [&](const char* what, const auto& look) {
    try {
      look();
    } catch (const std::bad_alloc&) {
      out.notes.push_back(fmt::format("there was no memory for {}", what));
    }
  };
  out.start_q = start_.q;
  out.start_v = start_.v;
  out.q = unwrapped(reported_(stepper.t(), stepper.q()), stepper.turns());
  out.v.assign(stepper.v().begin(), stepper.v().end());
  if (std::string note = reported_.note(); !note.empty()) out.notes.push_back(std::move(note));
  if (!find_multipliers(out.multipliers, {stepper.t(), stepper.q(), stepper.v(), stepper.turns(), &stepper}) && m > 0)
    out.notes.emplace_back(system_.redundancy()
                               ? "the constraints do not determine the multipliers at the end: none are reported"
                               : "the acceleration level does not determine the multipliers at the end: those of the "
                                 "last stage are reported");
  out.contacts.assign(stepper.contacts().begin(), stepper.contacts().end());
  out.records = std::move(records_);
  if_it_fits("the audit of the equations of motion", [&] { audit_equations(out); });
  if_it_fits("the audit of the rank", [&] {
    if (!system_.is_mechanical() || system_.is_large()) return;
    if (const RankMargin margin = rank_margin(system_, out.records, out.redundant ? out.redundant->rank : system_.m());
        margin.smallest < kCloseToLosingRank)
      out.notes.push_back(fmt::format(
          "the constraints nearly lose rank at t = {:.6g} (smallest singular value {:.1e} of the largest): {}, "
          "and velocities and multipliers are less accurate near there",
          margin.t, margin.smallest,
          report.ok ? "the steps passed it" : "the run stopped early, perhaps because of it"));
  });
  if (system_.has_energy())
    out.energy = EnergyAudit{monitor_.initial_energy(), monitor_.final_energy(), monitor_.max_energy_error,
                             monitor_.energy_drift(), monitor_.max_kinetic};
  if (system_.is_mechanical()) {
    out.constraint_velocity = monitor_.max_velocity;
    if (method_.two_step) out.constraint_midpoint = monitor_.max_midpoint;
  }
  if (system_.is_odae()) out.constraint_velocity = monitor_.max_velocity;
  if (system_.model().has_states() ? false : !system_.is_mechanical() || system_.holonomic() > 0)
    out.constraint_position = monitor_.max_position;
  if (const auto at_start = system_.exact_error(0.0, start_.q, start_.v, start_.multipliers); at_start) {
    // [exact] belongs to one start; after --start or --project it may be the solution of another problem.
    if (*at_start <= kExactStartTolerance &&
        exact_start_defect(system_.model(), start_.q, start_.v) <= kExactStartTolerance)
      out.error = system_.exact_error(out.t, out.q, out.v, out.multipliers);
    else
      out.notes.push_back("[exact] is not the solution from this start, so no error is reported");
  }
  if (const PowerSums* power = stepper.power()) {
    out.power_balance = power->balance(system_.model().ph.parts);
    // An energy near 0 is compared with the kinetic energy that came and went.
    out.power_balance->largest_energy = std::fmax(out.power_balance->largest_energy, monitor_.max_kinetic);
    if (const PowerBalance& b = *out.power_balance; b.gaining_steps > 0)
      out.notes.push_back(fmt::format(
          "the dissipation inequality is violated in {} of {} steps: dampers gave energy, up to {:.2e} in one step",
          b.gaining_steps, steps_, -b.least_dissipated));
  }
  out.native = stepper.compiled_steps > 0;
  out.compiled_steps = stepper.compiled_steps;
  if (!native.note().empty())
    out.notes.push_back(native.note());
  else if (options_.native == "on" && !out.native && steps_ > 0 && !stepper.compiler_given_up)
    out.notes.push_back(fmt::format(
        "--native on: the step was compiled in {:.2g} s, but {} interpreted. The first three steps of a run, and those "
        "after the step size changes or an angle is wrapped, have no solutions before them to start from; compiled "
        "code "
        "takes the steps after them",
        out.compile_seconds, steps_ == 1 ? "the only step was" : fmt::format("all {} steps were", steps_)));
  out.newton_iterations = stepper.iterations;
  out.newton_max_per_step = stepper.max_iterations;
  if (single_) single_->finish(out, report.ok && !memory_ended_);
  if (options_.audit_reverse && complete) if_it_fits("integrating back", [&] { audit_reverse(out); });
  return out;
}

double Run::row_bytes() const {
  double numbers = 0.0;
  for (const Column& column : columns_) numbers += static_cast<double>(column.width);
  return 8.0 * numbers;
}

double Run::expected_rows() const {
  if (options_.output_every != 0.0) {
    const double end =
        options_.adaptive > 0.0 ? *options_.until : static_cast<double>(grid_.whole) * grid_.h + grid_.last;
    return std::floor(std::fabs(end) / options_.output_every) + 2.0;
  }
  return options_.adaptive > 0.0 ? 0.0 : static_cast<double>(grid_.whole / grid_.every) + 3.0;
}

// More records than there is memory for: refused if they were asked for, fewer if not.
void Run::fit_records() {
  const double row = row_bytes(), rows = expected_rows();
  if (!options_.keep_records) return;
  reserve_.reset(new (std::nothrow) char[kReserve]);  // costs nothing until it is touched
  if (rows * row <= static_cast<double>(kLittleMemory)) return;
  // A run without any records would be of no use: what little memory they take is tried.
  const double there = static_cast<double>(std::max(kLittleMemory / 4, available_memory() - kMemoryLeft));
  if (rows * row <= there) return;
  const double fit = std::fmax(1.0, std::floor(there / row) - 3.0);
  const std::string fault = fmt::format("{:.3g} records of {:.0f} bytes, {} of memory, and {} are there", rows, row,
                                        memory_text(rows * row), memory_text(there));
  if (options_.output_every != 0.0)
    throw Error(fmt::format("--output-every {:g} makes {}. Pass --output-every {:.2g} or more", options_.output_every,
                            fault, 1.05 * options_.output_every * rows / fit));
  const auto every = static_cast<std::int64_t>(std::ceil(static_cast<double>(grid_.whole) / fit));
  if (options_.every > 0)
    throw Error(fmt::format("--every {} makes {}. Pass --every {} or more, or leave it out", options_.every, fault,
                            std::max(every, options_.every + 1)));
  grid_.every = std::max(2 * every, grid_.every);
  grid_.thinned = true;
  grid_.bytes = static_cast<std::int64_t>(there / 2.0);
}

// The records grow at once in all columns, and as far as there is memory: afterwards a row fits or does not as a whole.
void Run::make_room() {
  std::size_t largest = 0;
  for (const Column& column : columns_) largest = std::max(largest, column.width);
  const auto row = static_cast<std::size_t>(row_bytes());
  // After a resumed part the room is what is there.
  const std::size_t have = records_.rows, known = static_cast<std::size_t>(std::fmin(expected_rows(), 1e15));
  std::size_t rows = known > have ? known : std::max<std::size_t>(1024, 2 * have);
  const std::size_t least = std::min(rows, have + 1 + have / 16);  // less is not worth the moving
  if (rows * row > static_cast<std::size_t>(kLittleMemory)) {
    // While a column moves, it is there twice.
    const std::int64_t there = available_memory() - kMemoryLeft - static_cast<std::int64_t>(8 * largest * have);
    const std::size_t fit = there > 0 ? have + static_cast<std::size_t>(there) / row : have;
    rows = std::min(rows, fit);
  }
  for (; rows >= least; rows = have + (rows - have) / 2) {
    try {
      for (const Column& column : columns_) (records_.*column.list).reserve(rows * column.width);
      room_ = rows;
      return;
    } catch (const std::bad_alloc&) {  // perhaps for half as many
    }
  }
  throw std::bad_alloc();
}

// Memory has ended: back to whole rows, and the run ends with what there is.
void Run::give_up_records() {
  memory_ended_ = true;
  reserve_.reset();
  for (const Column& column : columns_) (records_.*column.list).resize(records_.rows * column.width);
}

// How many adaptive steps there will be is not known: records beyond the first million are taken further apart.
void Run::thin_records() {
  if (options_.every == 0 && records_.rows >= static_cast<std::size_t>(kMaxRecords) && options_.output_every == 0.0)
    grid_.every = static_cast<std::int64_t>(std::pow(10.0, records_.rows / static_cast<std::size_t>(kMaxRecords)));
}

AdvanceReport Run::adaptive_steps(const std::function<void(bool may_save)>& pause, const std::function<void()>& save) {
  AdvanceReport report;
  bool end_in_sight = false;  // from there on the steps are not those of a run with a later end
  Pace pace;
  while (!single_->finished() && !broken_ && !must_end()) {
    if (!end_in_sight && single_->next_is_cut()) {
      save();
      end_in_sight = true;
    }
    report = single_->step(0.0);
    if (!report.ok) break;
    ++steps_;
    thin_records();
    if (steps_ % grid_.every == 0 || single_->finished()) record(single_->last_step());
    if (told_to_end()) break;
    if (single_->memory_ended()) give_up_records();
    if (pace.over(1)) pause(!end_in_sight);
  }
  if (cancelled_ && !end_in_sight) save();
  if ((!report.ok || cancelled_) && steps_ % grid_.every != 0) record(single_->last_step());
  return report;
}

// At the start, the end, and some records between them. Members of a study, which have no records, are not looked at.
void Run::audit_equations(Trajectory& out) {
  constexpr std::size_t kBetween = 6;
  if (follower_.seen || follower_.go_on) return;
  const Trajectory::Records& r = out.records;
  const std::size_t n = start_.q.size(), nv = start_.v.size(), m = out.multipliers.size();
  const bool own = options_.multiplier == "stage" || options_.multiplier == "recursion";
  EquationsOfMotion equations(system_);
  acceleration_->use_set(-1);
  const auto look = [&](double t, std::span<const double> q, std::span<const double> v,
                        std::span<const double> multipliers) {
    acceleration_->set_guess(method_.stepper->multiplier_guess());
    if (!acceleration_->solve(t, q, v)) return;
    // Values that a method computes itself, on request, have its order and not more.
    if (own && system_.is_port_hamiltonian()) q = acceleration_->consistent_state();
    equations.look(t, q, v, own ? acceleration_->multipliers() : multipliers, acceleration_->acceleration(),
                   acceleration_->kept());
  };
  look(0.0, start_.q, start_.v, start_.multipliers);
  if (r.multipliers.size() == r.rows * m && !system_.is_large())
    for (std::size_t k = 1; k <= kBetween && r.rows > 2; ++k) {
      const std::size_t i = k * (r.rows - 1) / (kBetween + 1);
      look(r.t[i], std::span(r.q).subspan(i * n, n), std::span(r.v).subspan(i * nv, nv),
           std::span(r.multipliers).subspan(i * m, m));
    }
  look(out.t, out.q, out.v, out.multipliers);
  out.equations = equations.audit();
  if (!out.equations) return;
  if (std::string warning = equations_warning(*out.equations); !warning.empty())
    out.notes.push_back(std::move(warning));
}

// Back with the negative step, and how far from the start that ends.
void Run::audit_reverse(Trajectory& out) {
  if (single_ && single_->adaptive()) {
    measure_reverse(out, single_->go_back([this] { return !must_end(); }));
    return;
  }
  Stepper& s = *method_.stepper;
  if (!s.active().empty()) {
    out.notes.push_back("not integrated back: an impact on a unilateral constraint cannot be undone");
    return;
  }
  const bool turned = s.turn_round() > 0;  // a two-step method is turned by swapping its two positions: one step less
  const bool shorter = grid_.last != 0.0;
  bool ok = !shorter || turned || s.advance(-grid_.last, 1).ok;
  ok = ok && advance_back(-grid_.h, grid_.whole - (turned && !shorter ? 1 : 0));
  measure_reverse(out, ok);
}

bool Run::advance_back(double h, std::int64_t steps) {
  Pace pace;
  while (steps > 0 && !must_end()) {
    const AdvanceReport report = method_.stepper->advance(h, std::min(steps, pace.steps()));
    if (!report.ok) return false;
    steps -= report.done;
    (void)pace.over(report.done);
  }
  return steps == 0;
}

void Run::measure_reverse(Trajectory& out, bool ok) {
  const Stepper& s = *method_.stepper;
  if (cancelled_) {
    out.status = Status::cancelled;
    out.message = fmt::format("cancelled on the way back, at t = {:.10g}: all {} steps were kept", s.t(), steps_);
    return;
  }
  if (!ok) {
    out.notes.push_back(fmt::format("integrating back stopped at t = {:g}", s.t()));
    return;
  }
  double defect = 0.0, size = 0.0;
  const auto compare = [&](std::span<const double> a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < b.size(); ++i) defect = std::fmax(defect, std::fabs(a[i] - b[i]));
  };
  for (const auto* list : {&start_.q, &start_.v, &out.q, &out.v})  // of the end too: the start may be all 0
    for (const double x : *list) size = std::fmax(size, std::fabs(x));
  compare(unwrapped_positions(s), start_.q);
  if (!method_.two_step) compare(s.v(), start_.v);
  out.reverse_defect = defect / std::fmax(size, 1e-300);
  if (out.redundant && !out.redundant->changes.empty()) {
    out.notes.emplace_back(
        "the subset of constraints that is integrated changes elsewhere on the way back, and steps with other subsets "
        "have other errors: the defect of integrating back says nothing about symmetry here");
    return;
  }
  // With the pi controller the way back has other steps, whatever the method.
  if (method_.symmetric && !(single_ && single_->adaptive() && !single_->retraces()))
    if (std::string note = symmetry_contradiction(method_.name, *out.reverse_defect, options_.newton_tol);
        !note.empty())
      out.notes.push_back(std::move(note));
}

// Differences of the end states with h, h/2, h/4 shrink by 2^p.
std::optional<MeasuredOrder> measured_order(const Model& model, Options options) {
  options = complete(model, options);
  if (options.tableau.empty() && find_method(options.method).fixed_stages != 0) options.stages = 0;
  options.audit_order = options.audit_reverse = options.audit_power = false;
  options.keep_records = false;
  options.checkpoint.clear();
  options.resume = false;
  options.progress = {};
  options.every = 0;
  options.output_every = 0.0;
  options.event.clear();
  std::vector<std::vector<double>> ends;
  double steps = 0.0;
  for (int k = 0; k < 3; ++k) {
    const Trajectory run = simulate(model, options, Follower{}).trajectory;
    if (run.status != Status::done) return std::nullopt;
    std::vector<double> end = run.q;
    if (!run.constraint_midpoint)
      end.insert(end.end(), run.v.begin(), run.v.end());  // those of a midpoint differ by O(h)
    ends.push_back(std::move(end));
    steps = static_cast<double>(run.steps);
    options.step /= 2.0;
    if (options.steps) *options.steps *= 2;
  }
  double d1 = 0.0, d2 = 0.0, size = 1e-300;
  for (std::size_t i = 0; i < ends[0].size(); ++i) {
    d1 = std::fmax(d1, std::fabs(ends[0][i] - ends[1][i]));
    d2 = std::fmax(d2, std::fabs(ends[1][i] - ends[2][i]));
    size = std::fmax(size, std::fabs(ends[2][i]));
  }
  if (!(d2 > 0.0)) return std::nullopt;
  const double unit = std::fmax(std::numeric_limits<double>::epsilon(), options.newton_tol);
  return MeasuredOrder{std::log2(d1 / d2), d2 / size, unit * std::sqrt(steps)};
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

FollowedRun simulate(const Model& model, const Options& options, const Follower& follower) {
  if (const std::string faults = options.validate(); !faults.empty()) throw Error(faults);
  Run run(model, options, follower);
  Trajectory out = run.go();
  return {std::move(out), run.start().q, run.start().v};
}

Trajectory simulate(const Model& model, const Options& options) {
  if (const std::string faults = options.validate(); !faults.empty()) throw Error(faults);
  Run run(model, options);
  Trajectory out = run.go();
  // Advice takes trial runs, which a request to stop ends, too: it is given only if there was none.
  if (run.failure() && !options.stop.stop_requested())
    if (const std::string text = advice(model, options, *run.failure()); !options.stop.stop_requested())
      out.message += " " + text;
  if (!options.audit_order || out.status != Status::done) return out;
  const std::optional<MeasuredOrder> measured = measured_order(model, options);
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

}  // namespace rattleback
