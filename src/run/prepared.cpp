#include <mutex>

#include "option/run_table.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "run/follow.hpp"
#include "run/run_of.hpp"

namespace rattleback {
namespace {

// What is left out is as it was prepared.
Options filled(Options o, const Options& prepared) {
  const bool end = o.until || o.steps, records = o.every != 0 || o.output_every != 0.0;
  for (const OptionRow& row : option_table()) {
    if (!is_default(row, o)) continue;
    if (end && (row.name == "until" || row.name == "steps")) continue;
    if (records && (row.name == "every" || row.name == "output-every")) continue;
    copy_value(row.field, prepared, o);
  }
  return o;
}

}  // namespace

// Each thread that runs at the same time has a core of its own.
struct Prepared::Shared {
  std::shared_ptr<const Model> model;
  Options options;
  std::mutex mutex;
  std::vector<std::unique_ptr<RunCore>> idle;

  std::unique_ptr<RunCore> take() {
    const std::lock_guard lock(mutex);
    if (idle.empty()) return nullptr;
    std::unique_ptr<RunCore> out = std::move(idle.back());
    idle.pop_back();
    return out;
  }
  void give_back(std::unique_ptr<RunCore> core) {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(core));
  }
  template <class Run>
  auto with_core(const Options& asked, const Run& run);
};

Prepared::Prepared(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

Prepared::Prepared(const Model& model, const Options& options) {
  if (const std::string faults = options.validate(); !faults.empty()) throw Error(faults);
  *this = PreparedRuns::prepare(model, with_run_table(model, options, Place::run));
}

Prepared PreparedRuns::prepare(const Model& model, const Options& options) {
  if (const std::string faults = options.validate(); !faults.empty()) throw Error(faults);
  auto shared = std::make_shared<Prepared::Shared>();
  shared->model = std::make_shared<const Model>(model);
  shared->options = options;
  shared->idle.push_back(std::make_unique<RunCore>(shared->model, options));
  return Prepared(std::move(shared));
}

Prepared::Prepared(Prepared&&) noexcept = default;
Prepared& Prepared::operator=(Prepared&&) noexcept = default;
Prepared::~Prepared() = default;

// Calls run(core, options) with a core at the start that these options ask for.
template <class Run>
auto Prepared::Shared::with_core(const Options& asked, const Run& run) {
  const Options all = filled(asked, options);
  if (const std::string faults = all.validate(); !faults.empty()) throw Error(faults);
  if (const std::string text = differs_in_plan(options, all); !text.empty())
    throw Error(text + ". Its runs share the plan of a step; prepare another one for this");
  std::unique_ptr<RunCore> core = take();
  if (core != nullptr && !core->begin(all)) core = nullptr;
  if (core == nullptr) core = std::make_unique<RunCore>(model, all);
  auto out = run(*core, all);
  give_back(std::move(core));
  return out;
}

Trajectory Prepared::run(const Options& asked) const {
  return shared_->with_core(asked, [](RunCore& core, const Options& options) { return run_of(core, options); });
}

FollowedRun PreparedRuns::run(const Prepared& prepared, const Options& options, const Follower& follower) {
  return prepared.shared_->with_core(options,
                                     [&](RunCore& core, const Options&) { return followed_run(core, follower); });
}

Prepared prepare(const Model& model, const Options& options) { return {model, options}; }

Trajectory simulate(const Model& model, const Options& asked) {
  if (const std::string faults = asked.validate(); !faults.empty()) throw Error(faults);
  const Options options = with_run_table(model, asked, Place::run);
  RunCore core(std::make_shared<const Model>(model), options);
  return run_of(core, options);
}

}  // namespace rattleback
