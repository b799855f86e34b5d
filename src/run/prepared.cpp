#include <mutex>

#include "option/run_table.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
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
};

Prepared::Prepared(const Model& model, const Options& options) : shared_(std::make_shared<Shared>()) {
  if (const std::string faults = options.validate(); !faults.empty()) throw Error(faults);
  shared_->model = std::make_shared<const Model>(model);
  shared_->options = with_run_table(model, options, Place::run);
  shared_->idle.push_back(std::make_unique<RunCore>(shared_->model, shared_->options));
}

Prepared::Prepared(Prepared&&) noexcept = default;
Prepared& Prepared::operator=(Prepared&&) noexcept = default;
Prepared::~Prepared() = default;

Trajectory Prepared::run(const Options& asked) const {
  const Options options = filled(asked, shared_->options);
  if (const std::string faults = options.validate(); !faults.empty()) throw Error(faults);
  if (const std::string text = differs_in_plan(shared_->options, options); !text.empty())
    throw Error(text + ". Its runs share the plan of a step; prepare another one for this");
  std::unique_ptr<RunCore> core = shared_->take();
  if (core != nullptr && !core->begin(options)) core = nullptr;
  if (core == nullptr) core = std::make_unique<RunCore>(shared_->model, options);
  Trajectory out = run_of(*core, options);
  shared_->give_back(std::move(core));
  return out;
}

Prepared prepare(const Model& model, const Options& options) { return {model, options}; }

Trajectory simulate(const Model& model, const Options& asked) {
  if (const std::string faults = asked.validate(); !faults.empty()) throw Error(faults);
  const Options options = with_run_table(model, asked, Place::run);
  RunCore core(std::make_shared<const Model>(model), options);
  return run_of(core, options);
}

}  // namespace rattleback
