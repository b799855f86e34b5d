#include "run/shared_run.hpp"

#include <array>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "model/inputs.hpp"
#include "model/kind_facts.hpp"
#include "rattleback/cancelled.hpp"
#include "rattleback/error.hpp"
#include "run/choice.hpp"
#include "run/complete.hpp"
#include "run/parts.hpp"
#include "run/single_steps.hpp"
#include "system/mechanical/inertia.hpp"

namespace rattleback {
namespace {

using Clock = std::chrono::steady_clock;

Model without_exact(Model model) {  // it belongs to one start
  model.exact.clear();
  return model;
}

// Only what runs share may be asked for.
const Options& checked(const Model& model, const Options& asked) {
  if (const std::string faults = asked.validate(); !faults.empty()) throw Error(faults);
  const Options o = complete(model, asked);
  const bool plain = !SingleSteps::wanted(model, o) && o.checkpoint.empty() && !o.audit_reverse && !o.audit_power &&
                     o.redundant == Redundant::refuse && o.newton == Newton::best;
  if (!plain || !facts_of(model).shared) throw Error("such runs do not share what they derive");
  if (o.tableau.empty() && find_entry(o.method).as<EnergyMethod>() != nullptr)
    throw Error("the step depends on the start");
  return asked;
}

PlanStepper& plan_stepper_of(BoundMethod& method) {
  auto* const stepper = dynamic_cast<PlanStepper*>(method.stepper.get());
  if (stepper == nullptr) throw Error("the method has no plan");
  if (const std::string reason = LaneGroup::why_not(*stepper); !reason.empty()) throw Error(reason);
  return *stepper;
}

const System& checked(const System& system) {
  if (system.is_large() || system.graded_mass()) throw Error("such systems are taken one by one");
  if (const auto* const f = system.as<Mechanical>(); f != nullptr && !f->added.c.empty())
    throw Error("the added inertia depends on the start");
  return system;
}

}  // namespace

LaneCode::LaneCode(Native wanted, double work, int threads, std::stop_token stop)
    : wanted_(wanted),
      work_(work),
      threads_(threads),
      undecided_(wanted == Native::automatic),
      stop_(std::move(stop)) {}

std::string LaneCode::compile(const PlanStepper& stepper, bool only_cached) {
  if (std::string reason = LaneGroup::why_not_native(stepper); !reason.empty()) return reason;
  NativeCode code = native_code(LaneGroup::step_text(stepper), only_cached, kNativeSymbol, stop_);
  const std::lock_guard lock(code_mutex_);
  native_ = std::move(code);
  if (native_.steps != nullptr) steps_.store(reinterpret_cast<LaneSteps>(native_.steps), std::memory_order_release);
  if (!native_.given_up) return native_.fault;
  if (!stop_.stop_requested()) note_ = interpreted_note(native_.fault);
  return "";
}

std::string LaneCode::note() {
  const std::lock_guard lock(code_mutex_);
  return note_;
}

std::string LaneCode::begin(const PlanStepper& stepper) {
  const std::lock_guard lock(mutex_);
  return wanted_ == Native::on && steps() == nullptr ? compile(stepper, false) : "";
}

// As NativeChoice for a single run; the text in lanes takes a little longer to compile.
void LaneCode::took(double seconds, double steps, const PlanStepper& stepper) {
  constexpr double kGlance = 5e-3, kLoading = 2e-2, kCompiling = 0.15, kPerStepSecond = 4e5;
  {
    const std::lock_guard lock(mutex_);
    seconds_ += seconds;
    taken_ += steps;
    if (seconds_ < kGlance || !undecided_.exchange(false)) return;
  }
  const double step = seconds_ / taken_, rest = step * (work_.load(std::memory_order_relaxed) - taken_) / threads_;
  if (rest > kLoading) (void)compile(stepper, !(rest > 3.0 * (kCompiling + kPerStepSecond * step)));
}

SharedRun::SharedRun(const Model& model, const Options& options, LaneCode& code)
    : core_(std::make_shared<const Model>(without_exact(model)), checked(model, options)),
      options_(core_.options),
      system_(checked(core_.system)),
      kept_(kept_quantities(system_)),
      quantities_(system_, options_, kept_),
      grid_(options_, record_width(core_.model, options_, quantities_.size())),
      stepper_(plan_stepper_of(core_.method)),
      code_(code),
      lanes_(stepper_),
      observer_(system_),
      parameters_(given_values(core_.model)) {
  if (!stepper_.set_parameters(parameters_)) throw Error("its step does not take parameters");
  if (const std::string reason = code.begin(stepper_); !reason.empty()) throw Error(reason);
}

// What a model file must have at its start; a start without it is refused when the file is read.
bool SharedRun::has_values() const {
  if (!formulas_) {
    std::vector<NodeId> all;
    const auto add = [&](const Graph& graph, const std::vector<NodeId>& nodes) {
      for (const NodeId id : nodes)
        if (!depends_on(graph, std::span(&id, 1), kMultiplier) || !system_.facts().lagrangian) all.push_back(id);
    };
    if (const auto* const mechanical = system_.as<Mechanical>()) {
      const Mechanical& f = *mechanical;
      all.push_back(core_.model.lagrangian);
      if (core_.model.kinetic) all.push_back(*core_.model.kinetic);
      if (core_.model.potential) all.push_back(*core_.model.potential);
      for (const auto* list : {&f.p, &f.Lq, &f.applied, &f.g, &f.k}) add(f.graph, *list);
      formulas_.emplace(f.graph, all, f.n, f.m);
    } else {
      const Dae& f = system_.dae();
      add(f.graph, f.f);
      add(f.graph, f.c);
      formulas_.emplace(f.graph, all, f.n, f.m);
    }
  }
  for (const double x : (*formulas_)(core_.model.t0, core_.model.q0, core_.model.v0, core_.model.z0))
    if (!std::isfinite(x)) return false;
  return true;
}

bool SharedRun::add() try {
  if (members_.empty()) lanes_.clear();
  if (!core_.renew()) return false;
  if (std::vector<double> now = given_values(core_.model); now != parameters_) {
    parameters_ = std::move(now);
    if (formulas_) formulas_->set_parameters(parameters_);
  }
  const auto* const f = system_.as<Mechanical>();
  if (!has_values() || (f != nullptr && !f->mass && !added_inertia(core_.model, f->graph, f->Lvv, f->K).c.empty()))
    return false;
  Member m;
  m.start = core_.start;
  lanes_.put(static_cast<int>(members_.size()));
  observer_.set_parameters(parameters_, members_.size());
  m.parameters = parameters_;
  if (!kept_.names.empty()) m.invariants.emplace(system_, kept_).use_parameters(parameters_);
  members_.push_back(std::move(m));
  return true;
} catch (const Error&) {
  return false;  // whoever makes this run alone will say why
}

void SharedRun::record() {
  std::array<System::Observation, LaneGroup::kWidth> seen;
  static_assert(LaneObserver::kWidth == LaneGroup::kWidth);
  const double t = lanes_.t();
  observer_.observe(t, lanes_.q(), lanes_.v(), seen.data());
  t_.push_back(t);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members_[i].monitor.see(t, seen[i].energy, seen[i].position, seen[i].velocity);
    if (system_.has_energy()) members_[i].energy.push_back(seen[i].energy);
    if (members_[i].invariants && lanes_.has(static_cast<int>(i)))
      members_[i].invariants->see(t, lanes_.unwrapped_q(static_cast<int>(i)), lanes_.v_of(static_cast<int>(i)));
    if (options_.keep_records && lanes_.has(static_cast<int>(i))) keep(i, seen[i]);
  }
}

// As final_state() and Recorder::append() do for a single run.
SharedState SharedRun::look(std::size_t member) {
  const auto lane = static_cast<int>(member);
  const Member& m = members_[member];
  Acceleration& level = *core_.acceleration;
  SharedState out{.q = lanes_.unwrapped_q(lane),
                  .v = lanes_.v_of(lane),
                  .multipliers = lanes_.own_multipliers(lane),
                  .quantities = {}};
  const bool own = !out.multipliers.empty(), accelerations = quantities_.need_accelerations();
  bool solved = false;
  if (!own || accelerations) {
    (void)level.set_parameters(m.parameters);
    const std::vector<double> guess = lanes_.multiplier_guess(lane);
    level.set_guess(guess);
    solved = level.solve(lanes_.t(), lanes_.wrapped_q(lane), out.v);
    out.determined = own || solved;
    if (!own) out.multipliers = guess;
    if (!own && solved) out.multipliers.assign(level.multipliers().begin(), level.multipliers().end());
  }
  if (quantities_.size() == 0) return out;
  quantities_.use_parameters(m.parameters);
  std::vector<double> rates;
  if (accelerations) rates.assign(out.q.size(), std::nan(""));
  if (accelerations && solved) rates.assign(level.acceleration().begin(), level.acceleration().end());
  const std::span<const double> values = quantities_(lanes_.t(), out.q, out.v, out.multipliers, rates);
  out.quantities.assign(values.begin(), values.end());
  return out;
}

void SharedRun::keep(std::size_t member, const System::Observation& seen) {
  Trajectory::Records& r = members_[member].records;
  const SharedState now = look(member);
  const auto append = [](std::vector<double>& to, const std::vector<double>& x) {
    to.insert(to.end(), x.begin(), x.end());
  };
  const KindFacts& facts = system_.facts();
  r.t.push_back(lanes_.t());
  append(r.q, now.q);
  append(r.v, now.v);
  if (options_.record_multipliers) append(r.multipliers, now.multipliers);
  append(r.quantities, now.quantities);
  if (system_.has_energy()) r.energy.push_back(seen.energy);
  if (facts.velocities) r.residual_velocity.push_back(seen.velocity);
  if (facts.position_level) r.residual_position.push_back(seen.position);
  ++r.rows;
}

std::vector<std::string> SharedRun::selected_columns() const {
  return selects_columns(options_) ? listed_columns(options_) : std::vector<std::string>{};
}

Trajectory SharedRun::trajectory(SharedResult& result) const {
  Trajectory out;
  out.model = core_.base();
  out.method = method();
  out.formulation = core_.method.formulation;
  out.stages = stages();
  out.order = order();
  out.orders = core_.method.orders;
  out.step = step();
  out.steps = steps();
  out.every = grid_.every;
  out.t = result.time;
  out.notes = result.notes;
  out.records = std::move(result.records);
  out.start_q = result.q0;
  out.start_v = result.v0;
  out.q = result.end.q;
  out.v = result.end.v;
  out.multipliers = result.end.multipliers;
  out.quantity_names = quantity_names();
  out.quantities = result.end.quantities;
  out.selected_columns = selected_columns();
  out.constraint_position = result.constraint_position;
  out.constraint_velocity = result.constraint_velocity;
  return out;
}

// Interpreted steps are timed until it is known whether compiling pays.
void SharedRun::advance(double h, std::int64_t steps) {
  constexpr std::int64_t kBatch = 64;
  while (steps > 0 && !lanes_.empty()) {
    if (options_.stop.stop_requested()) throw Cancelled("cancelled");
    lanes_.set_code(code_.steps());
    const std::int64_t few = std::min(steps, pace_.steps());
    if (code_.steps() != nullptr || !code_.undecided()) {
      const std::int64_t n = code_.steps() != nullptr ? few : std::min<std::int64_t>(few, 16 * kBatch);
      lanes_.advance(h, n);
      steps -= n;
      (void)pace_.over(n);
      continue;
    }
    const std::int64_t n = std::min(few, kBatch);
    const Clock::time_point begin = Clock::now();
    lanes_.advance(h, n);
    code_.took(std::chrono::duration<double>(Clock::now() - begin).count(),
               static_cast<double>(n) * static_cast<double>(members_.size()), stepper_);
    steps -= n;
    (void)pace_.over(n);
  }
}

std::vector<std::optional<SharedResult>> SharedRun::run() {
  std::vector<std::optional<SharedResult>> out(members_.size());
  t_.clear();
  if (!members_.empty()) record();
  for (std::int64_t done = 0; done < grid_.whole && !lanes_.empty();) {
    const std::int64_t batch = std::min(grid_.every - done % grid_.every, grid_.whole - done);
    advance(grid_.h, batch);
    done += batch;
    record();
  }
  if (grid_.last != 0.0 && !lanes_.empty()) {
    advance(grid_.last, 1);
    record();
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!lanes_.has(static_cast<int>(i))) continue;
    Member& m = members_[i];
    SharedResult& r = out[i].emplace();
    r.end = look(i);
    r.records = std::move(m.records);
    if (m.invariants)
      for (const InvariantAudit& of : m.invariants->audit()) r.invariants.push_back(of.max_error);
    r.time = lanes_.t();
    r.t = t_;
    r.notes = m.start.notes;
    if (grid_.last != 0.0)
      r.notes.push_back(fmt::format("t = {:.10g} is not a multiple of the step {:g}: the last step was {:.10g}",
                                    *options_.until, grid_.h, grid_.last));
    r.notes.insert(r.notes.end(), core_.method.notes.begin(), core_.method.notes.end());
    if (grid_.thinned) r.notes.push_back(thinned_note(grid_));
    if (std::string note = code_.note(); !note.empty()) r.notes.push_back(std::move(note));
    if (!r.end.determined && system_.m() > 0)
      r.notes.emplace_back(
          "the acceleration level does not determine the multipliers at the end: those of the last stage are reported");
    if (system_.has_energy()) {
      r.last_energy = m.monitor.final_energy();
      r.energy_error = m.monitor.max_energy_error;
    }
    if (has_position_level(system_.model())) r.constraint_position = m.monitor.max_position;
    if (has_velocity_level(system_.model())) r.constraint_velocity = m.monitor.max_velocity;
    r.energy = std::move(m.energy);
    r.q0 = std::move(m.start.q);
    r.v0 = std::move(m.start.v);
  }
  members_.clear();
  return out;
}

}  // namespace rattleback
