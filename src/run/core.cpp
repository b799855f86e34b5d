#include "run/core.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "audit/kept_quantities.hpp"
#include "bind/binding.hpp"
#include "engine/plan_stepper.hpp"
#include "model/inputs.hpp"
#include "model/kind_facts.hpp"
#include "model/written.hpp"
#include "option/option_table.hpp"
#include "rattleback/error.hpp"
#include "run/complete.hpp"

namespace rattleback {
namespace {

Settings settings_of(const Values& values) {
  Settings out;
  for (const auto& [name, value] : values) out.emplace_back(name, fmt::format("{}", value));
  return out;
}

// A state that was reached by steps of size h satisfies its constraints up to the rounding errors of the last step, whose
// numbers are gone: those of Newton's last correction, and of differences of positions over h.
constexpr double kReachedUlps = 64.0, kDifferenceUlps = 4.0;

void put_state(std::vector<double>& to, std::vector<double>& errors, std::span<const double> from, const char* what,
               double least) {
  if (from.size() != to.size())
    throw Error(fmt::format("{} has {} value{}, and the model has {}", what, from.size(), from.size() == 1 ? "" : "s",
                            to.size()));
  double size = 0.0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!std::isfinite(from[i])) throw Error(fmt::format("{}[{}] is {}, which is no number", what, i, from[i]));
    size = std::fmax(size, std::fabs(from[i]));
  }
  std::copy(from.begin(), from.end(), to.begin());
  errors.assign(to.size(), std::fmax(kReachedUlps * kUlp * size, least));
}

void put_positions(Model& model, std::span<const double> q, const char* what) {
  put_state(model.q0, model.q0_error, q, what, 0.0);
}
void put_velocities(Model& model, std::span<const double> v, double h, const char* what) {
  double size = 0.0;
  for (const double x : model.q0) size = std::fmax(size, std::fabs(x));
  put_state(model.v0, model.v0_error, v, what, h != 0.0 ? kDifferenceUlps * kUlp * size / std::fabs(h) : 0.0);
}

// The start that was asked for in the place of the model's own.
void put_start(Model& model, const Options& given) {
  model.t0 = given.from;
  if (!given.q0.empty()) put_positions(model, given.q0, "q0");
  if (!given.v0.empty())
    put_velocities(model, given.v0, given.step != 0.0 ? given.step : model.run.step.value_or(0.0), "v0");
}

// What of a model says where a run begins.
struct OwnStart {
  explicit OwnStart(const Model& m)
      : t0(m.t0), q0(m.q0), v0(m.v0), q0_error(m.q0_error), v0_error(m.v0_error), keep_q(m.keep_q), keep_v(m.keep_v) {}
  void put_back(Model& m) const {
    m.t0 = t0;
    m.q0 = q0;
    m.v0 = v0;
    m.q0_error = q0_error;
    m.v0_error = v0_error;
    m.keep_q = keep_q;
    m.keep_v = keep_v;
  }
  double t0;
  std::vector<double> q0, v0, q0_error, v0_error;
  std::vector<std::int32_t> keep_q, keep_v;
};

Model with_start(const Model& base, const Options& given, bool own_state) {
  for (const auto& [name, value] : given.parameters) {
    if (!std::isfinite(value)) throw Error(fmt::format("--set {}={}: that is no finite number", name, value));
    const auto same = [&name = name](const auto& other) { return other.first == name; };
    if (std::count_if(given.parameters.begin(), given.parameters.end(), same) > 1)
      throw Error(fmt::format("--set {}={}: '{}' is given twice", name, value, name));
  }
  Model model = given.parameters.empty() ? base : base.with(settings_of(given.parameters));
  put_start(model, given);
  if (own_state) {  // rounding, whatever it is
    constexpr double kAnything = 1e-2;
    for (double& error : model.q0_error) error = std::fmax(error / kUlp / kReachedUlps * kAnything, error);
    for (double& error : model.v0_error) error = std::fmax(error / kUlp / kReachedUlps * kAnything, kAnything);
  }
  return model;
}

System& prepared(System& system, const Options& options) {
  if (options.redundant == Redundant::minimum_norm) system.allow_redundant();
  system.watch_momenta(lost_symmetries(system));
  return system;
}

// Who asked for a method by another name of it reads that name.
BoundMethod bind_as_asked(const System& system, const Options& options, const Start& start,
                          const std::string& asked) try {
  return bind(system, options, start);
} catch (const Error& error) {
  std::string text = error.what(), own = fmt::format("method '{}'", options.method);
  const std::size_t at = text.find(own);
  if (asked.empty() || at == std::string::npos || find_method(asked).alias_stages == 0 ||
      asked == find_method(asked).name)
    throw;
  throw Error(text.replace(at, own.size(),
                           fmt::format("method '{}' ({} with {} stages)", asked, options.method, options.stages)),
              error.place(), error.suggestion());
}

}  // namespace

RunCore::RunCore(std::shared_ptr<const Model> base, const Options& given, bool own_state)
    : base_(std::move(base)),
      model(with_start(*base_, given, own_state)),
      options(complete(model, given)),
      system(model),
      functions(prepared(system, options)),
      start(consistent_start(system, options.project, functions)),
      reported(system, options),
      method(bind_as_asked(system, options, start, given.method)) {
  if (options.audit_power && stepper().power() == nullptr)
    throw Error(
        fmt::format("--audit power adds up the work at the stages of Runge-Kutta methods on mechanical systems; '{}' "
                    "cannot tell it on this system. Leave it out",
                    method.name));
  graph_ = model.graph;
  look_at_method();
  acceleration = system.acceleration();
  stepper().start(start.t, start.q, start.v, start.multipliers, start.acceleration);
}

bool RunCore::begin(const Options& given) {
  model = model_for(given);
  put_start(model, given);
  options = complete(model, given);
  return renew();
}

bool RunCore::renew() {
  if (!take_parameters()) return false;
  start = consistent_start(system, options.project, functions);
  restart();
  return true;
}

// The model with these parameters, and the starts that follow them. Its graph is that of now if nothing in it changes.
Model RunCore::model_for(const Options& given) {
  Model next = *base_;
  if (!given.parameters.empty()) {
    if (!reader_ && base_->written) reader_ = std::make_unique<StartReader>(*base_);
    LoadOptions load = base_->written ? base_->written->options : LoadOptions{};
    for (auto& each : settings_of(given.parameters)) load.set.push_back(std::move(each));
    if (!reader_ || !reader_->read(load, next)) next = base_->with(settings_of(given.parameters));
  }
  if (graph_ != nullptr && next.parameters == model.parameters) next.graph = graph_;
  return next;
}

// Those of the model, if they are others than those of the run before.
bool RunCore::take_parameters() {
  if (graph_ == model.graph) return true;
  graph_ = nullptr;
  const std::vector<double> values = given_values(model);
  equations.reset();
  if (!system.take_parameters() || !functions.take_parameters(values) || !stepper().set_parameters(values))
    return false;
  graph_ = model.graph;
  return true;
}

// Once for each binding.
void RunCore::look_at_method() {
  auto* const plan = dynamic_cast<PlanStepper*>(method.stepper.get());
  keeps_energy_ = plan != nullptr && plan->has_reference_energy() ? plan : nullptr;
  dense_ = wants_dense(model, options);
  adaptive_ = options.adaptive > 0.0;
  depends_on_start_ = step_depends_on_start();
}

bool RunCore::step_depends_on_start() const {
  return !stepper().can_be_renewed() || system.redundancy() != nullptr ||
         (system.as<PortHamiltonian>() == nullptr && options.tableau.empty() &&
          find_entry(options.method).as<EnergyMethod>() != nullptr);
}

void RunCore::restart() {
  acceleration = system.acceleration();
  reported = ReportedState(system, options);
  if (depends_on_start_ || wants_dense(model, options) != dense_ || (options.adaptive > 0.0) != adaptive_) {
    method = bind(system, options, start);
    look_at_method();
  } else {
    stepper().renew(method.multiplier_scale ? method.multiplier_scale(start, given_values(model))
                    : system.as<Mechanical>() != nullptr && system.m() > 0 ? functions.multiplier_scale(start)
                                                                           : 1.0);
  }
  stepper().start(start.t, start.q, start.v, start.multipliers, start.acceleration);
}

bool RunCore::change_values(std::span<const double> values, std::optional<std::size_t> changed, bool only_inputs) {
  // Solutions of steps with another input are starting values all the same; with other parameters it may be another motion.
  if (!stepper().change_parameters(values, changed, only_inputs)) return false;
  changed_.assign(values.begin(), values.end());
  if (keeps_energy_ != nullptr && !only_inputs) {
    system.use_parameters(values);
    const StepTaker& s = stepper();
    keeps_energy_->set_reference_energy(system.observe(s.t(), s.q(), s.v()).energy);
  }
  observed_ = false;
  return true;
}

void RunCore::prepare_changes(std::span<const double> values) {
  for (std::size_t k = 0; k < values.size(); ++k) (void)stepper().change_parameters(values, k, true);  // they are these
  system.use_parameters(values);
  reported.use_parameters(values);
  (void)acceleration->set_parameters(values);
  changed_.reserve(values.size());
}

bool RunCore::observe_changes() {
  if (observed_ || changed_.empty()) return true;
  observed_ = true;
  system.use_parameters(changed_);
  reported.use_parameters(changed_);
  return acceleration->set_parameters(changed_);
}

bool RunCore::settle_parameters() {
  if (changed_.empty()) return true;
  auto graph = std::make_shared<Graph>(*model.graph);
  if (!graph->set_parameters(changed_, model.parameter_errors)) return false;
  model.graph = std::move(graph);
  for (std::size_t i = 0; i < model.parameters.size(); ++i) model.parameters[i].second = changed_[i];
  graph_ = nullptr;
  if (!system.take_parameters() || !functions.take_parameters(changed_)) return false;
  graph_ = model.graph;
  equations.reset();
  observed_ = true;
  changed_.clear();
  return true;
}

Start RunCore::start_at(double t, std::span<const double> q, std::span<const double> v, bool project) {
  model.t0 = t;
  put_positions(model, q, "q");
  put_velocities(model, v, options.step, "v");
  return consistent_start(system, project, functions);
}

bool RunCore::move_to(double t, std::span<const double> q, std::span<const double> v) {
  if (!settle_parameters()) return false;
  const OwnStart before(model);
  try {
    start = start_at(t, q, v, options.project);
  } catch (...) {
    before.put_back(model);
    throw;
  }
  restart();
  return true;
}

void RunCore::set_state(double t, std::span<const double> q, std::span<const double> v,
                        std::span<const std::int32_t> held) {
  const OwnStart before(model);
  const bool mechanical = system.facts().lagrangian;
  if (mechanical) {  // positions are as they are to be
    model.keep_q.resize(model.q0.size());
    std::iota(model.keep_q.begin(), model.keep_q.end(), 0);
    model.keep_v.assign(held.begin(), held.end());
    std::sort(model.keep_v.begin(), model.keep_v.end());
  }
  try {
    const Start there = start_at(t, q, v, mechanical);
    stepper().jump(there.t, there.q, there.v, there.multipliers, there.acceleration);
  } catch (...) {
    before.put_back(model);
    throw;
  }
  before.put_back(model);
}

std::string differs_in_plan(const Options& prepared, const Options& asked) {
  for (const OptionRow& row : option_table()) {
    if (row.between_runs) continue;
    const std::string here = option_text(row, asked), there = option_text(row, prepared);
    if (here != there) return fmt::format("{}: '{}' here, and it was prepared with '{}'", flag_of(row), here, there);
  }
  return "";
}

}  // namespace rattleback
