#include "run/checkpointing.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rattleback/error.hpp"
#include "run/signature.hpp"

namespace rattleback {
namespace {

const std::string& path_of(const RunParts& run) {
  if (run.method.adaptive)
    throw Error(
        fmt::format("--checkpoint: what method '{}' knows of its last steps cannot be saved, so a resumed run would "
                    "have other bits. Leave it out, or pass another --method",
                    run.method.name));
  return run.options.checkpoint;
}

}  // namespace

Checkpointing::Checkpointing(RunParts& run, Recorder& recorder) : run_(run), recorder_(recorder), file_(path_of(run)) {
  own_.run = signature(run.system.model(), used_options(), run.start);
  for (const Recorder::Column& column : recorder.columns()) own_.columns.emplace_back(column.name, column.width);
}

// The options as this run takes them: what the method and the grid have made of them.
Options Checkpointing::used_options() const {
  Options o = run_.options;
  o.method = run_.method.name;
  o.stages = run_.method.stages;
  o.formulation = run_.method.formulation;
  if (o.adaptive == 0.0) o.every = run_.grid.every;
  return o;
}

// The running numbers of the audit.
std::vector<double> Checkpointing::monitors() const {
  std::vector<double> out = run_.monitor.save();
  run_.invariants.save(out);
  return out;
}

void Checkpointing::save() {
  std::string reason;
  try {
    own_.steps = run_.steps;
    own_.records = static_cast<std::int64_t>(recorder_.rows());
    own_.sections = {{"stepper", run_.stepper().save()}, {"monitor", monitors()}};
    if (run_.single) own_.sections.emplace_back("single steps", run_.single->save());
    reason = file_.write(own_, [&](std::int64_t row, std::vector<double>& to) { recorder_.copy_row(row, to); });
  } catch (const std::bad_alloc&) {
    reason = "not enough memory";
  }
  fault_.clear();
  if (reason.empty()) return;
  fault_ = fmt::format("checkpoint '{}' could not be written: {}", run_.options.checkpoint, reason);
  if (std::find(told_.begin(), told_.end(), fault_) != told_.end()) return;
  told_.push_back(fault_);
  if (run_.options.warn) run_.options.warn(fault_ + ". The run goes on, and it will be tried again");
}

bool Checkpointing::resume() {
  resumed_ = file_.read();
  if (!resumed_) return false;
  if (const std::vector<std::string> list = differences(*resumed_, own_); !list.empty())
    throw Error(fmt::format("checkpoint '{}' belongs to another run: {}. Use the same, or start without --resume",
                            run_.options.checkpoint, fmt::join(list, ", ")));
  load(*resumed_);
  check_end();
  check_counts(*resumed_);
  file_.read_records(*resumed_, [&](std::span<const double> row) { recorder_.add_row(row); });
  if (run_.adaptive()) recorder_.thin();
  return true;
}

void Checkpointing::load(const Checkpoint& c) {
  StepTaker& stepper = run_.stepper();
  SingleSteps* const steps = run_.single.get();
  const std::vector<double>*own = c.section("stepper"), *monitor = c.section("monitor"),
        *single = c.section("single steps");
  // What contacts save grows; that of subsets of constraints depends on the subset. They look at the size themselves.
  const bool fixed_size = stepper.active().empty() && !stepper.redundant();
  if (own == nullptr || monitor == nullptr || (steps != nullptr) != (single != nullptr) ||
      c.sections.size() != (steps != nullptr ? 3U : 2U) || (fixed_size && own->size() != stepper.save().size()) ||
      monitor->size() != monitors().size())
    throw Error(file_.damaged("its sections are not those of this run"));
  stepper.load(*own);
  const std::size_t own_size = run_.monitor.save().size();
  run_.monitor.load(std::span(*monitor).first(own_size));
  run_.invariants.load(std::span(*monitor).subspan(own_size));
  if (steps != nullptr) steps->load(*single);
  run_.steps = c.steps;
}

void Checkpointing::check_end() const {
  const Options& o = run_.options;
  const bool beyond = run_.adaptive() ? !run_.single->before_end() : run_.steps > run_.grid.whole;
  if (!beyond) return;
  throw Error(fmt::format(
      "checkpoint '{}' is at t = {:.10g}, after {} steps, which is too late for {}. Give a later end, or start without "
      "--resume",
      o.checkpoint, run_.stepper().t(), run_.steps,
      o.steps ? fmt::format("--steps {}", *o.steps) : fmt::format("--until {:.10g}", *o.until)));
}

// Of a checkpoint that was loaded: do its counts of steps and records, and its time, belong together?
void Checkpointing::check_counts(const Checkpoint& c) const {
  const std::int64_t steps = c.steps, records = c.records;
  const bool adaptive = run_.adaptive();
  bool good = false;
  if (!run_.options.keep_records)
    good = records == 0;
  else if (run_.options.output_every != 0.0)
    good = records == run_.single->outputs();
  else if (adaptive)  // records may have been thinned
    good = records >= 1 && records <= steps + 1;
  else
    good = records == steps / run_.grid.every + 1;
  if (!adaptive && !(run_.single && !run_.single->stopped_by().empty())) {  // an event ends a run within a step
    const double way = static_cast<double>(steps) * run_.grid.h, from = run_.start.t;
    good = good && std::fabs(run_.stepper().t() - (from + way)) <= 1e-9 * std::fabs(way) + 1e-12 * std::fabs(from);
  }
  if (!good) throw Error(file_.damaged("its counts of steps and records contradict one another"));
}

}  // namespace rattleback
