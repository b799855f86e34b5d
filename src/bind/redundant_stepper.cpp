#include "bind/redundant_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bind/part_parameters.hpp"
#include "engine/saved_state.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

// A subset is given up when its smallest pivot is below this part of the best choice's. Not much smaller: within one step
// a pivot of 0.2 does not pass zero, and a new choice has pivots of similar size to the best.
constexpr double kHysteresis = 0.2;
constexpr std::size_t kMostMoments = 100000;
constexpr std::size_t kHead = 3;  // numbers in a snapshot before those of the subset's stepper

}  // namespace

RedundantStepper::RedundantStepper(const System& system, const Options& options, const Start& start)
    : rows_(system.redundancy()), options_(options), start_(start) {
  const auto m = static_cast<std::size_t>(rows_->m());
  guess_.assign(m, 0.0);
  changes_.reserve(64);
  losses_.reserve(64);
  if (!rows_->look(start.t, start.q, start.v))
    throw Error("--redundant minimum-norm: a constraint has no finite gradient at the start. Start elsewhere");
  set_ = first_set_ = rows_->number_of(rows_->choose());
  const StepTaker& first = stepper(set_);
  // Of the numbers in a snapshot, some are there for each row: its multiplier, and those that a method carries.
  if (first.snapshot_size() > 0)
    snapshot_size_ = kHead + first.snapshot_size() + 3 * (m - rows_->subset(set_).rows.size());
  before_.resize(snapshot_size_);
  q_before_.resize(start.q.size());
  v_before_.resize(start.v.size());
}

BoundMethod RedundantStepper::bound() {
  BoundMethod& first = steppers_[static_cast<std::size_t>(first_set_)];
  BoundMethod out = std::exchange(first, BoundMethod{});
  first.stepper = std::move(out.stepper);  // all that is needed of it from here on
  return out;
}

StepTaker& RedundantStepper::stepper(int set) {
  const auto at = static_cast<std::size_t>(set);
  if (steppers_.size() <= at) {
    steppers_.resize(at + 1);
    levels_.resize(at + 1);
  }
  if (!steppers_[at].stepper) {
    const Redundancy::Subset& s = rows_->subset(set);
    Start own = start_;
    own.multipliers.clear();
    for (const std::int32_t i : s.rows) own.multipliers.push_back(start_.multipliers[static_cast<std::size_t>(i)]);
    steppers_[at] = bind(*s.system, options_, own);
    levels_[at] = s.system->acceleration();
    steppers_[at].stepper->set_smooth_steps(smooth_steps_);
    if (native_) (void)steppers_[at].stepper->go_native(only_cached_, stop_);
  }
  return *steppers_[at].stepper;
}

void RedundantStepper::start(double t, std::span<const double> q, std::span<const double> v,
                             std::span<const double> /*multipliers*/, std::span<const double> acceleration) {
  (void)rows_->look(t, q, v);
  set_ = first_set_ = rows_->number_of(rows_->choose());
  StepTaker& s = stepper(set_);
  Acceleration& level = *levels_[static_cast<std::size_t>(set_)];
  std::vector<double> own(rows_->subset(set_).rows.size(), 0.0);
  if (level.solve(t, q, v)) own.assign(level.multipliers().begin(), level.multipliers().end());
  s.start(t, q, v, own, acceleration);
  changes_.clear();
  losses_.clear();
  unclear_.reset();
  t_base_ = t;
  h_ = 0.0;
  count_ = 0;
  after_state();
}

// Multipliers of the rows that are not integrated are 0 in a guess: the reaction is that of the others.
void RedundantStepper::after_state() {
  std::fill(guess_.begin(), guess_.end(), 0.0);
  const Redundancy::Subset& s = rows_->subset(set_);
  const auto kept = inner().multiplier_guess();
  for (std::size_t i = 0; i < std::min(kept.size(), s.rows.size()); ++i)
    guess_[static_cast<std::size_t>(s.rows[i])] = kept[i];
  const auto own = inner().own_multipliers();
  own_.clear();
  if (own.empty() || !rows_->look(t(), q(), v())) return;
  (void)rows_->standing(s.kept);
  own_.resize(guess_.size());
  rows_->spread(s.kept, own, own_);
}

int RedundantStepper::wanted() {
  if (!rows_->look(t(), q(), v())) return set_;
  const std::vector<char>& kept = rows_->subset(set_).kept;
  Redundancy::Standing now = rows_->standing(kept);
  if (now.regular && now.complete && now.smallest >= kHysteresis) return set_;
  if (now.regular && !now.complete) return rows_->number_of(rows_->choose());
  const int best = rows_->number_of(rows_->choose());
  if (best == set_ || !now.regular) return best;
  const double offered = rows_->standing(rows_->subset(best).kept).smallest;
  return now.smallest >= kHysteresis * offered ? set_ : best;
}

bool RedundantStepper::enter(int set) {
  if (set == set_) return true;
  try {
    const StepTaker& from = inner();
    const double now = t();
    StepTaker& to = stepper(set);
    Acceleration& level = *levels_[static_cast<std::size_t>(set)];
    const bool solved = level.solve(now, from.q(), from.v());
    const std::vector<double> zero(std::max(rows_->subset(set).rows.size(), from.q().size()), 0.0);
    to.take_over(*steppers_[static_cast<std::size_t>(set_)].stepper,
                 solved ? level.multipliers() : std::span(zero).first(rows_->subset(set).rows.size()),
                 solved ? level.acceleration() : std::span(zero).first(from.q().size()));
    set_ = set;
    return true;
  } catch (const Error&) {  // the rows are dependent in their very form
    return false;
  }
}

void RedundantStepper::go_back() {
  if (snapshot_size_ > 0) {
    set_ = set_before_;
    inner().set_snapshot(t_before_, std::span(before_).subspan(kHead), false);
  } else {
    set_ = set_before_;
    inner().start(t_before_, q_before_, v_before_, inner().multiplier_guess(), {});
  }
}

bool RedundantStepper::attempt(int set, double h, SolveReport& failure) {
  violated_ = {};
  if (!enter(set)) {
    failure.ok = false;
    failure.reason = "the constraints are dependent";
    failure.trouble = Trouble::singular;
    return false;
  }
  StepTaker& s = inner();
  const std::int64_t spent = s.iterations, vain = s.failed_iterations, compiled = s.compiled_steps;
  const AdvanceReport report = s.advance(h, 1);
  failed_iterations += s.failed_iterations - vain;
  if (!report.ok) {
    failure = report.failure;
    return false;
  }
  const std::vector<char>& kept = rows_->subset(set_).kept;
  if (!rows_->look(t() + h, s.q(), s.v())) {
    failure.ok = false;
    failure.reason = "a constraint has no finite value at the end of the step";
    failure.trouble = Trouble::not_finite;
    return false;
  }
  const Redundancy::Standing there = rows_->standing(kept);
  violated_ = rows_->violation(kept, h);
  if (violated_.row >= 0) {
    failed_iterations += s.iterations - spent;
    failure.ok = false;
    return false;
  }
  iterations += s.iterations - spent;
  max_iterations = std::max(max_iterations, static_cast<int>(s.iterations - spent));
  compiled_steps += s.compiled_steps - compiled;
  const bool unclear = (there.regular && there.smallest < Redundancy::kClearlyIndependent) ||
                       (there.remainder > Redundancy::kClearlyDependent);
  if (unclear && !unclear_) unclear_ = RedundantAudit::Unclear{t() + h, there.smallest, there.remainder};
  return true;
}

bool RedundantStepper::step(double h, SolveReport& failure) {
  const int from = set_;
  set_before_ = set_;
  t_before_ = t();
  if (snapshot_size_ > 0) {
    inner().take_snapshot(std::span(before_).subspan(kHead));
  } else {
    std::copy(q().begin(), q().end(), q_before_.begin());
    std::copy(v().begin(), v().end(), v_before_.begin());
  }
  const int chosen = wanted();
  const std::size_t had = rows_->subset(from).rows.size(), has = rows_->subset(chosen).rows.size();
  int tried[4] = {chosen, -1, -1, -1};
  SolveReport first_failure;
  Redundancy::Violation needed;
  for (int k = 0; k < 4; ++k) {
    const int set = tried[k];
    if (set < 0) continue;
    if (k > 0) go_back();
    if (attempt(set, h, failure)) {
      if (k > 0 && has < had && rows_->subset(set).rows.size() == had && losses_.size() < kMostMoments)
        losses_.push_back({t_before_, static_cast<int>(has)});
      note_change(t_before_, from);
      return true;
    }
    if (k == 0) first_failure = failure;
    if (violated_.row >= 0 && needed.row < 0) needed = violated_;
    if (k > 0) continue;
    // What else can be tried, from the beginning of the step.
    const auto add = [&](int next) {
      for (int& place : tried) {
        if (place == next) return;
        if (place < 0) {
          place = next;
          return;
        }
      }
    };
    go_back();
    try {
      if (has < had) add(from);
      if (rows_->look(t_before_, q(), v())) {
        add(rows_->number_of(rows_->choose(needed.row)));
        if (needed.row >= 0) {
          std::vector<char> more = rows_->subset(chosen).kept;
          more[static_cast<std::size_t>(needed.row)] = 1;
          add(rows_->number_of(more));
        }
      }
    } catch (const Error&) {  // such a subset cannot be made
    }
  }
  go_back();
  failure = first_failure;
  if (needed.row >= 0) {
    violated_ = needed;
    name_row(failure);
  }
  return false;
}

void RedundantStepper::name_row(SolveReport& failure) {
  failure = SolveReport{};
  failure.ok = false;
  reason_ = fmt::format(
      "constraint '{}' depends on the others there, but they do not keep it: its residual at {} level is {:.3e} after "
      "a step without it, and no step with it was found. It contradicts them, or the configuration is singular: steps "
      "that do not end there pass it, and methods whose stages lie inside a step (spark-gauss, prk-murua)",
      rows_->model().multiplier_name(violated_.row), violated_.position ? "position" : "velocity", violated_.value);
  failure.reason = reason_.c_str();
}

void RedundantStepper::note_change(double t, int from) {
  if (set_ != from && changes_.size() < kMostMoments) changes_.push_back({t, set_});
}

AdvanceReport RedundantStepper::advance(double h, std::int64_t steps) {
  if (!stepping::is_step_size(h)) return stepping::no_step_size();
  AdvanceReport out;
  if (h != h_) {
    t_base_ = t();
    count_ = 0;
    h_ = h;
  }
  while (out.done < steps) {
    if (!step(h, out.failure)) {
      out.ok = false;
      break;
    }
    ++count_;
    ++out.done;
  }
  after_state();
  return out;
}

// The step that comes next begins with the choice of its subset.
std::span<const double> RedundantStepper::visit(double t, double h) {
  const int from = set_;
  if (!enter(wanted())) return {};
  note_change(this->t(), from);
  return inner().visit(t, h);
}

int RedundantStepper::turn_round() {
  const int steps = inner().turn_round();
  if (steps > 0) {
    t_base_ = inner().t();
    h_ = 0.0;
    count_ = 0;
    after_state();
  }
  return steps;
}

std::optional<RedundantAudit> RedundantStepper::redundant() const {
  RedundantAudit out;
  out.rows = rows_->m();
  out.rank = static_cast<std::int32_t>(rows_->subset(set_).rows.size());
  out.dropped = rows_->dropped(set_);
  for (const Moment& c : changes_) out.changes.push_back({c.t, rows_->dropped(c.what)});
  for (const Moment& l : losses_) out.losses.push_back({l.t, l.what});
  out.unclear = unclear_;
  return out;
}

void RedundantStepper::take_snapshot(std::span<double> to) const {
  to[0] = set_;
  to[1] = static_cast<double>(changes_.size());
  to[2] = static_cast<double>(losses_.size());
  inner().take_snapshot(to.subspan(kHead));
}

void RedundantStepper::set_snapshot(double t, std::span<const double> from, bool keep_guesses) {
  const int set = static_cast<int>(from[0]);
  StepTaker& s = stepper(set);
  s.set_snapshot(t, from.subspan(kHead), keep_guesses && set == set_);
  set_ = set;
  changes_.resize(std::min(changes_.size(), static_cast<std::size_t>(from[1])));
  losses_.resize(std::min(losses_.size(), static_cast<std::size_t>(from[2])));
  t_base_ = t;
  count_ = 0;
  after_state();
}

bool RedundantStepper::put_parameters(std::span<const double> values, std::optional<std::size_t> changed,
                                      bool keep_guesses) {
  if (!rows_->set_parameters(values, t(), q(), v())) return false;
  for (std::size_t i = 0; i < steppers_.size(); ++i)
    if (StepTaker* const s = steppers_[i].stepper.get())
      if (!s->change_parameters(values, changed, keep_guesses) || !levels_[i]->set_parameters(values)) return false;
  return true;
}

// Subsets that are needed later are derived for these values.
bool RedundantStepper::change_parameters(std::span<const double> values, std::optional<std::size_t> changed,
                                         bool keep_guesses) {
  return put_in_all(parameters_, values, changed, [&](std::span<const double> x, std::optional<std::size_t> which) {
    return put_parameters(x, which, keep_guesses);
  });
}

void RedundantStepper::set_smooth_steps(double ratio) {
  smooth_steps_ = ratio;
  for (BoundMethod& b : steppers_)
    if (b.stepper) b.stepper->set_smooth_steps(ratio);
}

std::string RedundantStepper::go_native(bool only_cached, const std::stop_token& stop) {
  native_ = true;
  only_cached_ = only_cached;
  stop_ = stop;
  std::string fault;
  for (std::size_t i = 0; i < steppers_.size(); ++i)
    if (steppers_[i].stepper)
      if (std::string reason = steppers_[i].stepper->go_native(only_cached, stop); static_cast<int>(i) == set_)
        fault = std::move(reason);
  compiler_given_up = inner().compiler_given_up;
  return fault;
}

// Subsets are saved row by row: another run may number them otherwise.
std::vector<double> RedundantStepper::save() const {
  std::vector<double> out = {t_base_,
                             h_,
                             static_cast<double>(count_),
                             static_cast<double>(iterations),
                             static_cast<double>(max_iterations),
                             unclear_ ? 1.0 : 0.0,
                             unclear_ ? unclear_->t : 0.0,
                             unclear_ ? unclear_->smallest : 0.0,
                             unclear_ ? unclear_->remainder : 0.0,
                             static_cast<double>(changes_.size()),
                             static_cast<double>(losses_.size())};
  const auto put = [&](int set) {
    for (const char kept : rows_->subset(set).kept) out.push_back(kept);
  };
  put(set_);
  put(first_set_);
  for (const Moment& c : changes_) {
    out.push_back(c.t);
    put(c.what);
  }
  for (const Moment& l : losses_) {
    out.push_back(l.t);
    out.push_back(l.what);
  }
  const std::vector<double> rest = inner().save();
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

void RedundantStepper::load(std::span<const double> saved) {
  SavedState from(saved);
  const auto subset = [&] {
    std::vector<char> kept(static_cast<std::size_t>(rows_->m()));
    for (char& x : kept) x = from.next() != 0.0 ? 1 : 0;
    return rows_->number_of(kept);
  };
  t_base_ = from.next();
  h_ = from.next();
  count_ = from.count();
  iterations = from.count();
  max_iterations = static_cast<int>(from.count(std::numeric_limits<int>::max()));
  unclear_.reset();
  const bool unclear = from.next() != 0.0;
  const double where = from.next(), smallest = from.next(), remainder = from.next();
  if (unclear) unclear_ = RedundantAudit::Unclear{where, smallest, remainder};
  const std::int64_t changes = from.count(), losses = from.count();
  const int now = subset();
  first_set_ = subset();
  changes_.clear();
  losses_.clear();
  for (std::int64_t i = 0; i < changes; ++i) {
    const double t = from.next();
    changes_.push_back({t, subset()});
  }
  for (std::int64_t i = 0; i < losses; ++i) {
    const double t = from.next();
    losses_.push_back({t, static_cast<int>(from.count(rows_->m()))});
  }
  (void)stepper(first_set_);
  StepTaker& s = stepper(now);
  s.load(from.rest());
  set_ = now;
  after_state();
}

bool lets_positions_drift(const MethodInfo& method, Formulation formulation) {
  const MethodEntry& entry = find_entry(method.name);
  return formulation == Formulation::index2 || entry.as<Baseline>() != nullptr ||
         (entry.as<UnderlyingOde>() != nullptr && !method.constraints.starts_with("velocity level to rounding"));
}

BoundMethod bind_redundant(const System& system, const Options& options, const Start& start) {
  auto stepper = std::make_unique<RedundantStepper>(system, options, start);
  BoundMethod out = stepper->bound();
  Redundancy& rows = *system.redundancy();
  const bool at_velocities = out.formulation == Formulation::index2;
  const bool drifts =
      options.tableau.empty() ? lets_positions_drift(find_method(options.method), out.formulation) : at_velocities;
  (void)rows.look(start.t, start.q, start.v);
  if (drifts)
    if (const std::vector<std::string> names = rows.only_on_constraints(stepper->constraint_set()); !names.empty())
      throw Error(fmt::format(
          "--redundant minimum-norm: '{}' {} from the other constraints only where these hold, and {} lets positions "
          "drift off them, where {} {} them. Use {}, or remove what is redundant",
          fmt::join(names, "', '"), names.size() == 1 ? "follows" : "follow",
          at_velocities ? "--formulation index2" : "'" + out.name + "'", names.size() == 1 ? "it" : "they",
          names.size() == 1 ? "contradicts" : "contradict",
          at_velocities && !options.tableau.empty() ? "--formulation ggl"
          : at_velocities                           ? "--formulation index3 or ggl, or a method that takes them"
                                                    : "projected-dop853 or a method that keeps positions"));
  out.stepper = std::move(stepper);
  return out;
}

}  // namespace rattleback
