#include "rattleback/stepper.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <new>

#include <fmt/format.h>

#include "engine/saved_state.hpp"
#include "expr/parameters.hpp"
#include "expr/traverse.hpp"
#include "model/inputs.hpp"
#include "option/run_table.hpp"
#include "rattleback/error.hpp"
#include "run/choice.hpp"
#include "run/complete.hpp"
#include "run/failure.hpp"
#include "run/names.hpp"
#include "run/parts.hpp"
#include "system/angles.hpp"
#include "text/words.hpp"

namespace rattleback {
namespace {

// For each parameter: do constraints contain it? Other values may break them then.
std::vector<char> in_constraints(const Model& model) {
  std::vector<NodeId> roots;
  for (const Entries* list : {&model.holonomic, &model.nonholonomic, &model.constraints})
    for (const Entry& e : *list) roots.push_back(e.expr);
  std::vector<char> out(model.parameters.size(), 0);
  const Graph& g = *model.graph;
  std::vector<NodeId> open;
  for (const NodeId id : reachable(g, roots))
    if (g.is_made(id)) open.push_back(id);
  std::vector<char> seen(g.size(), 0);
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (seen[id] != 0 || !g.is_made(id)) continue;
    seen[id] = 1;
    if (g[id].c == kMadeByParameter) out[g[id].a] = 1;
    for_each_source(g, id, [&](NodeId k) { open.push_back(k); });
  }
  return out;
}

// A stepper has no end of its own.
Options without_end(Options o) {
  o.until.reset();
  o.steps = 0;
  if (o.adaptive > 0.0) {
    o.steps.reset();
    o.until = std::copysign(std::numeric_limits<double>::infinity(), o.step);
  }
  o.keep_records = false;
  return o;
}

void refuse(const Options& o) {
  const auto no = [](const char* option, const char* why) {
    throw Error(fmt::format("{}: a Stepper {}. Leave it out, or use simulate()", option, why));
  };
  if (!o.checkpoint.empty()) no("checkpoint", "is saved by save()");
  if (o.audit_reverse || o.audit_order) no("audit", "does not integrate again");
  if (o.output_every != 0.0 || o.every != 0) no("output-every", "records nothing");
}

}  // namespace

bool operator==(const Snapshot& a, const Snapshot& b) {
  const auto same = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  return a.of == b.of && std::equal(a.numbers.begin(), a.numbers.end(), b.numbers.begin(), b.numbers.end(), same);
}

struct Stepper::Impl {
  Impl(const Model& model, const Options& options);

  // Steps of size h in one call; adaptive: one step that is chosen.
  StepReport advance(double h, std::int64_t count);
  StepReport guarded(double h, std::int64_t count) noexcept;
  StepReport to(double time);
  StepReport not_ok(Failure why, const char* text);
  StepReport failed(const AdvanceReport& report, double h, StepReport out);
  // Another core, at the state of now or at a given one.
  void derive_anew();
  void derive_anew(double t, std::span<const double> at, std::span<const double> v, bool own_state = false);
  void know_ports();
  void know_basis();
  void change(std::size_t which, bool input);
  void judge();
  void look();  // at energy and multipliers, once for each state
  void make_single();
  [[nodiscard]] StepTaker& taker() const { return core->stepper(); }
  [[nodiscard]] bool chooses() const { return adaptive || core->method.adaptive; }
  [[nodiscard]] bool is_two_step() const { return core->method.two_step && taken > 0; }
  void refuse_two_step(const char* what) const;
  [[nodiscard]] Model model_of_now() const;
  [[nodiscard]] std::string identity() const;

  Options given;                        // as asked for
  std::shared_ptr<const Model> own;     // as it was given
  std::vector<std::string> taken_over;  // ports whose formulas were replaced by set_input()
  std::unique_ptr<RunCore> core;
  std::unique_ptr<SingleSteps> single;  // with events or chosen steps
  bool adaptive = false;
  double h = 0.0;
  std::int64_t taken = 0;
  std::vector<double> values;  // of parameters, then of inputs (model/inputs.hpp)
  std::vector<std::string> ports;
  std::vector<std::optional<std::uint32_t>> places;  // of their inputs among the values
  std::vector<char> constraining;                    // by parameter
  // Where the step was derived, if it depends on that: t, q, v and the values.
  std::vector<double> basis;
  bool judges = false;  // a parameter in a constraint was changed
  bool stale = true;    // what is observed belongs to an earlier state
  double energy = 0.0;
  std::vector<double> q, multipliers;
  bool reports_as_is = false;  // positions are those of the step
  // Of the call that was not ok.
  AdvanceReport failure;
  FailedStep where;
  std::string said;
};

Stepper::Impl::Impl(const Model& model, const Options& options) {
  if (const std::string faults = options.validate(); !faults.empty()) throw Error(faults);
  given = with_run_table(model, options, Place::run);
  refuse(given);
  adaptive = given.adaptive > 0.0;
  own = std::make_shared<const Model>(model);
  core = std::make_unique<RunCore>(own, without_end(given));
  h = core->options.step;
  values = given_values(core->model);
  constraining = in_constraints(core->model);
  reports_as_is = core->model.angles.empty() && core->system.algebraic_states().empty();
  q.resize(core->start.q.size());
  multipliers.reserve(static_cast<std::size_t>(core->system.m()));
  if (options.native == Native::on) NativeChoice(Native::on, taker(), options.stop);
  know_ports();
  know_basis();
  core->prepare_changes(values);
  make_single();
}

void Stepper::Impl::know_basis() {
  basis.clear();
  if (!core->depends_on_start()) return;
  basis.push_back(core->start.t);
  for (const std::vector<double>* const list : {&core->start.q, &core->start.v, &values})
    basis.insert(basis.end(), list->begin(), list->end());
}

// Looked up in each call of set_input().
void Stepper::Impl::know_ports() {
  ports = port_names(core->model);
  places.clear();
  for (const std::string& port : ports) places.push_back(place_of_input(core->model, port));
}

// Value number `which` is another one.
void Stepper::Impl::change(std::size_t which, bool input) {
  if (!core->change_values(values, which, input) || (single && !single->use_values(values))) derive_anew();
}

void Stepper::Impl::make_single() {
  single.reset();
  if (!SingleSteps::wanted(core->model, core->options)) return;
  single = std::make_unique<SingleSteps>(*core, [](const RecordPoint&) {});
  single->begin();
}

std::string Stepper::Impl::identity() const {
  return fmt::format("{} with {}({}), {} numbers", core->model.key.empty() ? core->model.name : core->model.key,
                     core->method.name, core->method.stages, core->model.coordinates.size());
}

// The model with the parameters and inputs of now.
Model Stepper::Impl::model_of_now() const {
  Settings settings;
  for (std::size_t i = 0; i < own->parameters.size(); ++i)
    if (values[i] != own->parameters[i].second)
      settings.emplace_back(own->parameters[i].first, fmt::format("{}", values[i]));
  Model out = settings.empty() ? *own : own->with(settings);
  if (!taken_over.empty()) out = with_given_inputs(out, taken_over);
  auto graph = std::make_shared<Graph>(*out.graph);
  (void)graph->set_parameters(values,
                              out.parameter_errors);  // the parameters are these already; inputs take any number
  out.graph = std::move(graph);
  return out;
}

void Stepper::Impl::refuse_two_step(const char* what) const {
  if (is_two_step())
    throw Error(
        fmt::format("{}: '{}' is a two-step method, whose next step needs the one before with the same step, "
                    "parameters and motion. Make another Stepper from here, or choose a one-step method",
                    what, core->method.name));
}

StepReport Stepper::Impl::not_ok(Failure why, const char* text) {
  failure = {};
  said = text;
  return {.ok = false, .failure = why};
}

StepReport Stepper::Impl::failed(const AdvanceReport& report, double size, StepReport out) {
  failure = report;
  said.clear();
  where = {.t = taker().t(), .h = size, .step = taken, .adaptive = core->method.adaptive, .ends = report.failure.ends};
  out.ok = false;
  out.failure = failure_of(report.failure);
  if (single && !single->set_fault().empty()) {
    said = single->set_fault();
    out.failure = Failure::inconsistent;
  }
  return out;
}

StepReport Stepper::Impl::advance(double size, std::int64_t count) {
  if (judges) judge();
  StepReport out;
  StepTaker& s = taker();
  const std::int64_t before = s.iterations;
  stale = true;
  if (single == nullptr) {
    const AdvanceReport report = s.advance(size, count);
    out.steps = report.done;
    out.iterations = static_cast<int>(s.iterations - before);
    taken += report.done;
    return report.ok ? out : failed(report, size, out);
  }
  for (; out.steps < count; ++out.steps, ++taken) {
    const AdvanceReport report = single->step(size);
    out.iterations = static_cast<int>(s.iterations - before);
    if (!report.ok) return failed(report, adaptive ? single->last_step() : size, out);
  }
  return out;
}

// Nothing is thrown out of a step.
StepReport Stepper::Impl::guarded(double size, std::int64_t count) noexcept {
  try {
    return advance(size, count);
  } catch (const std::bad_alloc&) {
    failure = {};
    said.clear();
    return {.ok = false, .failure = Failure::inconsistent};
  } catch (const std::exception& error) {
    return not_ok(Failure::inconsistent, error.what());
  }
}

StepReport Stepper::Impl::to(double time) {
  const double now = taker().t(), way = time - now;
  if (!std::isfinite(time)) return not_ok(Failure::inconsistent, "advance_to: the time is no finite number");
  if (way == 0.0) return {};
  if (adaptive) {
    if (way * (h < 0.0 ? -1.0 : 1.0) < 0.0)
      return not_ok(Failure::inconsistent, "advance_to: that time is passed already");
    StepReport out;
    core->options.until = time;
    while (out.ok && !single->finished()) {
      const StepReport one = guarded(0.0, 1);
      out.steps += one.steps;
      out.iterations += one.iterations;
      out.ok = one.ok;
      out.failure = one.failure;
    }
    core->options.until = std::copysign(std::numeric_limits<double>::infinity(), h);
    return out;
  }
  if (way / h < 0.0) return not_ok(Failure::inconsistent, "advance_to: that time is passed already");
  const double ratio = way / h;
  if (!(ratio < 9e15)) return not_ok(Failure::inconsistent, "advance_to: that time is too many steps away");
  const auto whole = static_cast<std::int64_t>(std::floor(ratio * (1.0 + 1e-9)));
  double last = way - static_cast<double>(whole) * h;
  if (std::fabs(last) <= 1e-9 * std::fabs(way)) last = 0.0;
  if (last != 0.0 && core->method.two_step)
    return not_ok(Failure::inconsistent,
                  "advance_to: the steps of a two-step method have one size, and that time is not a multiple of it");
  StepReport out = whole > 0 ? guarded(h, whole) : StepReport{};
  if (!out.ok || last == 0.0) return out;
  const StepReport end = guarded(last, 1);
  return {.ok = end.ok,
          .failure = end.failure,
          .steps = out.steps + end.steps,
          .iterations = out.iterations + end.iterations};
}

void Stepper::Impl::derive_anew() {
  const std::vector<double> at = unwrapped_positions(taker()), v(taker().v().begin(), taker().v().end());
  derive_anew(taker().t(), at, v, !judges);
}

void Stepper::Impl::derive_anew(double t, std::span<const double> at, std::span<const double> v, bool own_state) {
  Options o = given;
  o.parameters.clear();
  o.from = t;
  o.q0.assign(at.begin(), at.end());
  o.v0.assign(v.begin(), v.end());
  core = std::make_unique<RunCore>(std::make_shared<const Model>(model_of_now()), without_end(o), own_state);
  stale = true;
  know_ports();
  know_basis();
  core->prepare_changes(values);
  make_single();
}

// A parameter in a constraint was changed: is the state consistent with it?
void Stepper::Impl::judge() try {
  const std::vector<double> at = unwrapped_positions(taker()), v(taker().v().begin(), taker().v().end());
  if (!core->change_values(values, {}, false) || !core->move_to(taker().t(), at, v)) {
    derive_anew();
  } else {
    know_basis();
    make_single();
  }
  judges = false;
} catch (const Error& error) {
  throw Error(fmt::format("at t = {:.10g}, with the parameters that were set, the state is no start of a step: {}",
                          taker().t(), error.what()));
}

void Stepper::Impl::look() {
  if (!stale) return;
  if (!core->observe_changes()) derive_anew();
  const StepTaker& s = taker();
  const RecordPoint at{s.t(), s.q(), s.v(), s.turns(), &s};
  energy = core->system.has_energy() ? core->system.observe(s.t(), s.q(), s.v(), s.active()).energy : 0.0;
  multipliers.clear();
  (void)append_multipliers(*core, at, multipliers);
  stale = false;
}

Stepper::Stepper(const Model& model, const Options& options) : impl_(std::make_unique<Impl>(model, options)) {}
Stepper::Stepper(Stepper&&) noexcept = default;
Stepper& Stepper::operator=(Stepper&&) noexcept = default;
Stepper::~Stepper() = default;

StepReport Stepper::step() noexcept { return impl_->guarded(impl_->h, 1); }

StepReport Stepper::step(double h) noexcept {
  Impl& i = *impl_;
  if (!(std::isfinite(h) && h != 0.0))
    return i.not_ok(Failure::inconsistent, "step: its size must be finite and not 0");
  if (i.chooses())
    return i.not_ok(Failure::inconsistent, "step(h): the steps are chosen, so that none has a given size");
  if (i.core->method.two_step && h != i.h)
    return i.not_ok(Failure::inconsistent, "step(h): the steps of a two-step method have one size");
  return i.guarded(h, 1);
}

StepReport Stepper::advance(std::int64_t steps) noexcept {
  if (steps < 0) return impl_->not_ok(Failure::inconsistent, "advance: the number of steps must not be negative");
  return steps == 0 ? StepReport{} : impl_->guarded(impl_->h, steps);
}

StepReport Stepper::advance_to(double t) noexcept { return impl_->to(t); }

double Stepper::t() const { return impl_->taker().t(); }
double Stepper::step_size() const { return impl_->h; }

double Stepper::energy() const {
  impl_->look();
  return impl_->energy;
}

std::span<const double> Stepper::q() const {
  const StepTaker& s = impl_->taker();
  if (impl_->reports_as_is) return s.q();
  (void)impl_->core->observe_changes();
  const std::span<const double> reported = impl_->core->reported(s.t(), s.q());
  std::copy(reported.begin(), reported.end(), impl_->q.begin());
  unwrap(impl_->q, s.turns());
  return impl_->q;
}

std::span<const double> Stepper::v() const { return impl_->taker().v(); }

std::span<const double> Stepper::multipliers() const {
  impl_->look();
  return impl_->multipliers;
}

std::size_t Stepper::index(std::string_view name) const { return find_place(impl_->core->model, name).index; }

void Stepper::set_step(double h) {
  Impl& i = *impl_;
  if (!(std::isfinite(h) && h != 0.0)) throw Error("set_step: the size of a step must be finite and not 0");
  if (i.chooses()) throw Error("set_step: the steps are chosen by a tolerance");
  if (h != i.h) i.refuse_two_step("set_step");
  i.h = h;
}

void Stepper::set_parameter(std::string_view name, double value) {
  Impl& i = *impl_;
  const std::size_t which = find_parameter(i.core->model, name);
  if (!std::isfinite(value)) throw Error(fmt::format("set_parameter: {} = {} is no finite number", name, value));
  if (i.values[which] == value) return;
  i.refuse_two_step("set_parameter");
  const double before = i.values[which];
  i.values[which] = value;
  i.stale = true;
  if (i.constraining[which] != 0) {
    i.judges = true;
    return;
  }
  try {
    i.change(which, false);
  } catch (...) {  // the model is none with this value
    i.values[which] = before;
    (void)i.core->change_values(i.values, {}, false);
    throw;
  }
}

void Stepper::set_input(std::string_view port, double u) {
  const auto& ports = impl_->ports;
  const auto at = std::find(ports.begin(), ports.end(), port);
  if (at == ports.end()) (void)place_of_input(impl_->core->model, port);  // throws
  set_input(static_cast<std::size_t>(at - ports.begin()), u);
}

void Stepper::set_input(std::size_t port, double u) {
  Impl& i = *impl_;
  if (port >= i.ports.size())
    throw Error(fmt::format("set_input: there is no port {}: there are {}", port, i.ports.size()));
  if (!std::isfinite(u)) throw Error(fmt::format("set_input: {} = {} is no finite number", i.ports[port], u));
  if (!i.places[port]) {  // a formula until now
    i.refuse_two_step("set_input, for the first time on a port with a formula,");
    i.taken_over.push_back(i.ports[port]);
    try {
      i.derive_anew();
    } catch (...) {
      i.taken_over.pop_back();
      throw;
    }
    i.values.resize(given_values(i.core->model).size(), 0.0);
    i.core->prepare_changes(i.values);
  }
  const std::uint32_t place = *i.places[port];
  if (i.values[place] == u) return;
  i.values[place] = u;
  i.stale = true;
  i.change(place, true);
}

void Stepper::set_state(double t, std::span<const double> q, std::span<const double> v) {
  Impl& i = *impl_;
  i.refuse_two_step("set_state");
  if (!std::isfinite(t)) throw Error("set_state: the time is no finite number");
  if (i.core->move_to(t, q, v)) {
    i.know_basis();
    i.make_single();
  } else {
    i.derive_anew(t, q, v);
  }
  i.stale = true;
  i.judges = false;
}

Snapshot Stepper::save() const {
  const Impl& i = *impl_;
  if (i.core->method.adaptive)
    throw Error(fmt::format("save: what method '{}' knows of its last steps cannot be saved", i.core->method.name));
  Snapshot out;
  out.of = i.identity();
  out.numbers = {i.h, static_cast<double>(i.taken), i.judges ? 1.0 : 0.0};
  out.numbers.push_back(static_cast<double>(i.basis.size()));
  out.numbers.insert(out.numbers.end(), i.basis.begin(), i.basis.end());
  out.numbers.push_back(static_cast<double>(i.values.size()));
  out.numbers.insert(out.numbers.end(), i.values.begin(), i.values.end());
  const std::vector<double> own = i.taker().save(), single = i.single ? i.single->save() : std::vector<double>{};
  out.numbers.push_back(static_cast<double>(own.size()));
  out.numbers.insert(out.numbers.end(), own.begin(), own.end());
  out.numbers.insert(out.numbers.end(), single.begin(), single.end());
  return out;
}

void Stepper::restore(const Snapshot& from) try {
  Impl& i = *impl_;
  const auto wrong = [&](const std::string& why) { throw Error("restore: " + why); };
  if (from.of.empty()) wrong("the snapshot is empty");
  if (from.of != i.identity()) wrong(fmt::format("the snapshot is one of {}, and this is {}", from.of, i.identity()));
  SavedState saved(from.numbers);
  const double h = saved.next(), taken = saved.next(), judges = saved.next();
  const std::span<const double> basis = saved.take(static_cast<std::size_t>(saved.count()));
  const auto count = static_cast<std::size_t>(saved.count());
  if (count != i.values.size())
    wrong("the snapshot has other inputs: give them with set_input() once before, so that their formulas are replaced");
  const std::span<const double> values = saved.take(count);
  if (!std::ranges::equal(basis, i.basis)) {
    const std::size_t q = i.core->start.q.size(), v = i.core->start.v.size();
    SavedState::expect(basis.size() == 1 + q + v + count);
    i.values.assign(basis.end() - static_cast<std::ptrdiff_t>(count), basis.end());
    i.derive_anew(basis[0], basis.subspan(1, q), basis.subspan(1 + q, v), true);
  }
  if (!std::equal(values.begin(), values.end(), i.values.begin())) {
    const bool parameters = !std::equal(
        values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i.own->parameters.size()), i.values.begin());
    i.values.assign(values.begin(), values.end());
    if (!i.core->change_values(i.values, {}, !parameters)) i.derive_anew();
  }
  i.h = h;
  i.taken = static_cast<std::int64_t>(taken);
  i.judges = judges != 0.0;
  const auto size = static_cast<std::size_t>(saved.count());
  i.taker().load(saved.take(size));
  if (i.single) i.single->load(saved.rest());
  i.stale = true;
} catch (const Error& error) {
  if (std::string_view(error.what()).starts_with("restore: ")) throw;
  throw Error("restore: the snapshot is damaged: its numbers are no state of this stepper");
}

std::string Stepper::message() const {
  const Impl& i = *impl_;
  if (!i.said.empty() || i.failure.ok) return i.said;
  return in_words(failure_text(i.core->method, i.core->system, i.where, i.failure.failure));
}

const Model& Stepper::model() const {
  (void)impl_->core->settle_parameters();
  return impl_->core->model;
}

std::span<const EventFound> Stepper::events() const {
  return impl_->single ? std::span<const EventFound>(impl_->single->found()) : std::span<const EventFound>{};
}

}  // namespace rattleback
