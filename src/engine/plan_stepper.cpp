#include "engine/plan_stepper.hpp"

#include <algorithm>
#include <limits>

#include "engine/saved_state.hpp"
#include "engine/text/sparse_text.hpp"

namespace rattleback {

stepping::Places places_of(const Plan& plan, bool continues) {
  const auto at = [&](Space space) { return plan.has(space) ? plan.slot(space) : -1; };
  return {.t = at(kTime),
          .h = at(kStepSize),
          .h_before = at(kPreviousStep),
          .state = at(kPosition),
          .velocity = at(kVelocity),
          .acceleration = at(kAcceleration),
          .multiplier = at(kMultiplier),
          .result = plan.result_slot(),
          .unknowns = plan.unknown_slots(),
          .linear = plan.linear(),
          .continues = continues};
}

PlanStepper::Workplace::Workplace(const Plan* p, bool goes_on)
    : Places(places_of(*p, goes_on)), plan(p), w(p->image().begin(), p->image().end()) {
  for (std::size_t i = 0; i < unknowns.size() && p->is_sparse(); ++i)
    if (const auto slot = static_cast<std::size_t>(unknowns[i]); i > 0 && unknowns[i] == unknowns[i - 1] + 1)
      ++ranges.back().end;
    else
      ranges.push_back({slot, i, i + 1});
}

void PlanStepper::Workplace::reset() {
  std::copy(plan->image().begin(), plan->image().end(), w.begin());
  if (!room.numbers.empty()) plan->parameters().put(room.numbers, w.data());
}

template <class Visit>
void PlanStepper::for_each_workplace(const Visit& visit) {
  visit(main_);
  if (first_) visit(*first_);
  if (adjoint_) visit(*adjoint_);
}

namespace {

// Its spans are of `data`.
stepping::Shape shape_of(const PlanStepperData& data) {
  const auto n = static_cast<std::size_t>(data.n);
  const std::size_t nv = data.velocities >= 0 ? static_cast<std::size_t>(data.velocities) : n;
  return {.n = n,
          .nv = nv,
          .m = static_cast<std::size_t>(data.m),
          .state = n + nv + static_cast<std::size_t>(data.carried),
          .gamma = data.gamma,
          .angles = data.angles,
          .branch = data.branch != nullptr,
          .linear = data.step.linear(),
          .two_step = data.two_step,
          .graded_mass = data.graded_mass,
          .turn_free = data.turn_free,
          .looks_far = starting::looks_far(data.step)};
}

}  // namespace

PlanStepper::PlanStepper(PlanStepperData data)
    : data_(std::move(data)),
      shape_(shape_of(data_)),
      main_(&data_.step, !data_.solve.simplified),
      state_(main_.w.data() + main_.state),
      history_width_(std::max(data_.step.unknown_slots().size(),
                              data_.adjoint ? data_.adjoint->unknown_slots().size() : std::size_t{0})),
      turns_(data_.angles.empty() ? 0 : shape_.n, 0.0),
      saved_state_(shape_.state, 0.0),
      multipliers_(shape_.m, 0.0),
      rows_(data_.step.is_sparse() ? starting::kNear : starting::kRows),
      history_(data_.gamma.size() * rows_ * history_width_, 0.0),
      depth_(data_.gamma.size(), 0),
      newest_(data_.gamma.size(), data_.step.is_sparse() ? 0 : static_cast<std::int32_t>(starting::kFar) - 1),
      far_(data_.gamma.size(), 0) {
  put_reference_energy();
  if (data_.first) first_.emplace(&*data_.first, false);
  if (data_.adjoint) adjoint_.emplace(&*data_.adjoint, !data_.solve.simplified);
  if (data_.step.power_count() > 0) power_.emplace(data_.step.power_count());
}

void PlanStepper::put_reference_energy() {
  if (has_reference_energy())
    main_.w[static_cast<std::size_t>(data_.step.slot(kReferenceEnergy))] = data_.reference_energy;
}

struct PlanStepper::Host : stepping::Run<Host> {
  explicit Host(PlanStepper& stepper) : s(stepper) {}
  PlanStepper& s;

  [[nodiscard]] const stepping::Shape& shape() const { return s.shape_; }
  [[nodiscard]] stepping::Series& series() const { return s.series_; }
  [[nodiscard]] double* state() const { return s.state_; }
  [[nodiscard]] double* multipliers() const { return s.multipliers_.data(); }
  [[nodiscard]] double multiplier_scale() const { return s.data_.multiplier_scale; }
  [[nodiscard]] double* turns() const { return s.turns_.data(); }
  [[nodiscard]] double* saved() const { return s.saved_state_.data(); }
  [[nodiscard]] starting::Past past(std::size_t which) const {
    double* const rows = s.history_.data() + which * s.rows_ * s.history_width_;
    return {rows, s.history_width_, s.depth_[which], s.newest_[which], s.far_[which]};
  }
  [[nodiscard]] std::int64_t& iterations() const { return s.iterations; }
  [[nodiscard]] int& max_iterations() const { return s.max_iterations; }
  [[nodiscard]] double smooth_steps() const { return s.smooth_steps_; }

  [[nodiscard]] bool has_plain_steps() const { return s.native_.steps != nullptr; }
  [[nodiscard]] NativeJob job() const {
    NativeJob job{};
    job.w = s.main_.w.data();
    job.history = s.history_.data();
    job.newest = s.newest_.data();
    job.far = s.far_.data();
    job.multipliers = multipliers();
    job.saved = saved();
    job.tolerance = s.data_.solve.tolerance;
    job.multiplier_scale = multiplier_scale();
    job.max_newton = s.data_.solve.max_iterations;
    return job;
  }
  void plain_steps(NativeJob& job) const {
    if (s.power_) job.steps = std::min(job.steps, 1LL);  // energies are added up outside
    s.native_.steps(&job);
    s.compiled_steps += job.done;
    if (!s.power_ || job.done == 0) return;
    part_taken(s.main_, s.main_.w.data());
    s.power_->finish();
  }

  bool sub_step(double t, double h, std::size_t which, SolveReport& report) const {
    const bool back = !s.data_.backwards.empty() && s.data_.backwards[which] != 0;
    Workplace& at = back ? *s.adjoint_ : s.data_.two_step && s.series_.h_before == 0.0 ? *s.first_ : s.main_;
    return stepping::sub_step(*this, at, at.w.data(), t, h, which, report);
  }
  SolveReport solve(const Workplace& at, double* w, const Sizes& sizes, std::size_t /*which*/) const {
    return at.plan->solve(w, sizes, s.data_.solve);
  }

  static void guess(const Workplace& at, double* w) { at.plan->guess(w); }
  bool level(double t, double* a, double* l) const {
    Acceleration& level = *s.data_.acceleration;
    if (s.level_is_stale_) {  // parameters were changed on the way
      if (level.plan() == nullptr || !level.set_parameters(s.parameters_)) return false;
      s.level_is_stale_ = false;
    }
    level.set_guess(s.multipliers_);
    if (!level.solve(t, s.q(), s.v())) return false;
    std::copy_n(level.acceleration().data(), s.shape_.n, a);
    std::copy(level.multipliers().begin(), level.multipliers().end(), l);
    return true;
  }
  void find_branch(const Workplace& at, double* w, double t) const {
    if (!s.data_.branch || s.data_.graded_mass) return;
    (void)s.data_.branch->solve(t, s.q(), s.v(), {w + at.multiplier, s.shape_.m});
    const auto values = s.data_.branch->values();
    std::copy(values.begin(), values.end(), w + at.plan->slot(kBranch));
  }

  // Large systems: long vectors in one piece each, and the last three in a ring.
  void predict(const Workplace& at, std::size_t which, double* w) const {
    if (!at.plan->is_sparse()) return Run::predict(at, which, w);
    const starting::Past all = past(which);
    const auto age = [&](std::size_t k) {
      return all.rows + (static_cast<std::size_t>(all.newest) + s.rows_ - k) % s.rows_ * all.width;
    };
    const double *x1 = age(0), *x2 = age(1), *x3 = age(2);
    for (const SlotRange& r : at.ranges)
      for (std::size_t i = r.first; i < r.end; ++i) w[r.slot + i - r.first] = 3.0 * (x1[i] - x2[i]) + x3[i];
  }
  void remember(const Workplace& at, std::size_t which, const double* w, double first) const {
    if (!at.plan->is_sparse()) return Run::remember(at, which, w, first);
    const starting::Past all = past(which);
    all.newest = static_cast<std::int32_t>((static_cast<std::size_t>(all.newest) + 1) % s.rows_);
    double* const x = all.rows + static_cast<std::size_t>(all.newest) * all.width;
    for (const SlotRange& r : at.ranges) std::copy_n(w + r.slot, r.end - r.first, x + r.first);
    all.depth = std::min<std::int32_t>(all.depth + 1, static_cast<std::int32_t>(starting::kNear));
  }

  void part_taken(const Workplace& at, const double* w) const {
    if (s.power_) s.power_->add(w + at.plan->power_slot());
  }
  void step_taken() const {
    if (s.data_.step.is_sparse() && s.data_.step.sparse()->is_native()) ++s.compiled_steps;
    if (s.power_) s.power_->finish();
  }
  void step_failed(int spent) const {
    s.failed_iterations += spent;
    if (s.power_) s.power_->drop();
  }
};

bool PlanStepper::plain_steps_ahead() { return Host(*this).plain_steps_ahead(); }

AdvanceReport PlanStepper::advance(double h, std::int64_t steps) { return stepping::advance(Host(*this), h, steps); }

void PlanStepper::start(double t, std::span<const double> q, std::span<const double> v,
                        std::span<const double> multipliers, std::span<const double> /*acceleration*/) {
  double* x = std::copy(q.begin(), q.end(), state_);
  x = std::copy(v.begin(), v.end(), x);
  // Carried multipliers; those of the position level (ggl) vanish along the exact motion.
  for (std::size_t i = 0; i < static_cast<std::size_t>(data_.carried); ++i)
    x[i] = i < shape_.m && data_.carries_multipliers ? multipliers[i] : 0.0;
  multipliers_.assign(multipliers.begin(), multipliers.end());
  if (power_) power_->reset();
  series_ = {.t_base = t};
  std::fill(turns_.begin(), turns_.end(), 0.0);
  const Host host(*this);
  host.forget();
  host.wrap_angles(state_);
  if (data_.nominal_step != 0.0) {
    main_.w[static_cast<std::size_t>(main_.t)] = t;
    main_.w[static_cast<std::size_t>(main_.h)] = data_.nominal_step;
    stepping::cold_guess(host, main_, main_.w.data(), t);
    data_.step.choose_pivots(main_.w.data());
  }
}

void PlanStepper::jump(double t, std::span<const double> q, std::span<const double> v,
                       std::span<const double> multipliers, std::span<const double> acceleration) {
  const std::optional<PowerSums> sums = power_;
  start(t, q, v, multipliers, acceleration);
  power_ = sums;
}

void PlanStepper::take_over(const StepTaker& from, std::span<const double> multipliers,
                            std::span<const double> acceleration) {
  const auto& other = static_cast<const PlanStepper&>(from);
  start(other.t(), other.q(), other.v(), multipliers, acceleration);
  series_.h_before = other.series_.h_before;
  if (data_.two_step) series_.h = series_.h_before;
  turns_ = other.turns_;
  if (power_) power_ = other.power_;
  smooth_steps_ = other.smooth_steps_;
}

void PlanStepper::renew(double multiplier_scale) {
  data_.multiplier_scale = multiplier_scale;
  if (data_.acceleration) {
    data_.acceleration = data_.acceleration->fresh();
    if (!parameters_.empty()) (void)data_.acceleration->set_parameters(parameters_);
  }
  if (data_.branch) data_.branch->reset();
  level_is_stale_ = false;
  for_each_workplace([](Workplace& place) { place.reset(); });
  put_reference_energy();
  iterations = failed_iterations = compiled_steps = 0;
  max_iterations = 0;
  smooth_steps_ = 0.0;
}

// What these values give, in all rooms; false where one of the plans does not take them.
bool PlanStepper::compute_parameters(std::span<const double> values, std::optional<std::size_t> changed) {
  bool taken = true;
  for_each_workplace([&](Workplace& place) {
    const ParameterSlots& slots = place.plan->parameters();
    taken = taken && (changed ? slots.compute(values, *changed, place.room) : slots.compute(values, place.room));
  });
  return taken;
}

void PlanStepper::compute_present_parameters() {
  if (!parameters_.empty())
    (void)compute_parameters(parameters_, {});
  else
    for_each_workplace([](Workplace& place) { place.room.numbers.clear(); });
}

void PlanStepper::put_parameters(std::span<const double> values) {
  for_each_workplace([](Workplace& place) { place.plan->parameters().put(place.room, place.w.data()); });
  parameters_.assign(values.begin(), values.end());
}

bool PlanStepper::set_parameters(std::span<const double> values) {
  if (data_.step.is_sparse()) return false;
  if (!compute_parameters(values, {}) || (data_.acceleration && !data_.acceleration->set_parameters(values)) ||
      (data_.branch && !data_.branch->set_parameters(values))) {
    compute_present_parameters();
    return false;
  }
  put_parameters(values);
  return true;
}

bool PlanStepper::change_parameters(std::span<const double> values, std::optional<std::size_t> changed,
                                    bool keep_guesses) {
  if (data_.step.is_sparse()) return false;
  if (!keep_guesses && data_.nominal_step != 0.0) return false;
  if (!compute_parameters(values, changed) || (data_.branch && !data_.branch->set_parameters(values))) {
    compute_present_parameters();
    return false;
  }
  level_is_stale_ = true;
  const bool known = !parameters_.empty(), same = std::ranges::equal(values, parameters_);
  put_parameters(values);
  if (!keep_guesses) Host(*this).forget();
  if (known && !same && data_.carried > 0 && data_.carries_multipliers) find_carried();
  return true;
}

// Where forces jump, multipliers do: those that are carried begin anew.
void PlanStepper::find_carried() {
  double* const acceleration = saved_state_.data();  // not needed before the next composed step
  if (data_.graded_mass || !Host(*this).level(t(), acceleration, multipliers_.data())) return;
  double* const carried = state_ + shape_.n + shape_.nv;
  std::fill_n(carried, data_.carried, 0.0);
  std::copy_n(multipliers_.data(), std::min<std::size_t>(shape_.m, static_cast<std::size_t>(data_.carried)), carried);
}

StepShape PlanStepper::step_shape() const {
  return {{shape_}, &data_.step, history_width_, data_.multiplier_scale, data_.solve.cautious, stage_lanes_};
}

std::string PlanStepper::step_text() const { return native_text(step_shape()); }

std::string PlanStepper::go_native(bool only_cached, const std::stop_token& stop) {
  if (native_.steps != nullptr) return "";
  if (data_.step.is_sparse()) return go_native_in_parts(only_cached, stop);
  if (data_.solve.simplified) return "simplified iterations are not compiled";
  if (data_.adjoint) return "compositions with the adjoint method are not compiled";
  if (power_ && data_.gamma.size() > 1) return "compositions that add up their energies are not compiled";
  if (std::string reason = why_not_native(data_.step); !reason.empty()) return reason;
  native_ = native_code(step_text(), only_cached, kNativeSymbol, stop);
  compiler_given_up = native_.given_up;
  return native_.fault;
}

// Large systems: their loops are compiled, Newton's iteration around them stays.
std::string PlanStepper::go_native_in_parts(bool only_cached, const std::stop_token& stop) {
  SparsePlan& plan = *data_.step.sparse();
  if (plan.is_native()) return "";
  if (std::string reason = why_not_native(plan); !reason.empty()) return reason;
  SparseText made = sparse_text(plan);
  const NativeCode code = native_code(made.text, only_cached, kSparseSymbol, stop);
  compiler_given_up = code.given_up;
  if (code.steps != nullptr) {
    const auto any = reinterpret_cast<void (*)()>(code.steps);  // the type that compilers let one cast through
    plan.use(reinterpret_cast<SparseParts>(any), code.library, std::move(made.tables));
  }
  return code.fault;
}

int PlanStepper::turn_round() {
  if (!data_.two_step) return 0;
  // (q_{k-1}, q_k) read backwards: current position q_{k-1}, velocity as before, last step -h.
  for (std::size_t i = 0; i < shape_.n; ++i) state_[i] -= series_.h_before * state_[shape_.n + i];
  const double back = -series_.h_before;
  series_ = {.t_base = t() + back, .h = back, .h_before = back};
  Host(*this).forget();
  return 1;
}

void PlanStepper::take_snapshot(std::span<double> to) const {
  double* const x = std::copy_n(state_, shape_.state, to.data());
  double* const rest = std::copy(multipliers_.begin(), multipliers_.end(), x);
  *rest = series_.h_before;
  for (std::size_t i = 0; i < data_.angles.size(); ++i) rest[1 + i] = turns_[static_cast<std::size_t>(data_.angles[i])];
  if (power_) power_->write(rest + 1 + data_.angles.size());
}

void PlanStepper::set_snapshot(double t, std::span<const double> from, bool keep_guesses) {
  std::copy_n(from.data(), shape_.state, state_);
  std::copy_n(from.data() + shape_.state, shape_.m, multipliers_.data());
  series_.h_before = from[shape_.state + shape_.m];
  for (std::size_t i = 0; i < data_.angles.size(); ++i)
    turns_[static_cast<std::size_t>(data_.angles[i])] = from[shape_.state + shape_.m + 1 + i];
  if (power_) power_->read(from.data() + shape_.state + shape_.m + 1 + data_.angles.size());
  series_.t_base = t;
  series_.count = 0;
  if (data_.two_step) series_.h = series_.h_before;
  if (keep_guesses) return;
  Host(*this).forget();
  // Linear blocks correct what the last try left in their unknowns, which may not even be finite.
  if (data_.step.linear())
    for (const std::int32_t slot : data_.step.unknown_slots()) main_.w[static_cast<std::size_t>(slot)] = 0.0;
}

std::vector<double> PlanStepper::save() const {
  std::vector<double> out = {series_.t_base,
                             series_.h,
                             series_.h_before,
                             static_cast<double>(series_.count),
                             static_cast<double>(iterations),
                             static_cast<double>(max_iterations)};
  out.insert(out.end(), state_, state_ + shape_.state);
  out.insert(out.end(), history_.begin(), history_.end());
  for (const auto& list : {depth_, newest_, far_})
    for (const std::int32_t x : list) out.push_back(x);
  for (const Workplace* const place : {&main_, adjoint_ ? &*adjoint_ : nullptr})
    if (place != nullptr)
      for (const std::int32_t slot : place->plan->unknown_slots())
        out.push_back(place->w[static_cast<std::size_t>(slot)]);
  out.insert(out.end(), multipliers_.begin(), multipliers_.end());
  out.insert(out.end(), turns_.begin(), turns_.end());
  if (has_reference_energy()) out.push_back(data_.reference_energy);
  if (power_) {
    out.resize(out.size() + power_->size());
    power_->write(out.data() + out.size() - power_->size());
  }
  return out;
}

void PlanStepper::load(std::span<const double> saved) {
  SavedState from(saved);
  series_.t_base = from.next();
  series_.h = from.next();
  series_.h_before = from.next();
  series_.count = from.count();
  iterations = from.count();
  max_iterations = static_cast<int>(from.count(std::numeric_limits<int>::max()));
  from.fill({state_, shape_.state});
  from.fill(history_);
  const auto places = [&](std::vector<std::int32_t>& list, std::size_t most) {
    for (std::int32_t& x : list) x = static_cast<std::int32_t>(from.count(static_cast<double>(most)));
  };
  places(depth_, starting::kFar);
  places(newest_, rows_ - 1);
  places(far_, 1);
  for (Workplace* const place : {&main_, adjoint_ ? &*adjoint_ : nullptr})
    if (place != nullptr)
      for (const std::int32_t slot : place->plan->unknown_slots())
        place->w[static_cast<std::size_t>(slot)] = from.next();
  from.fill(multipliers_);
  from.fill(turns_);
  if (has_reference_energy()) set_reference_energy(from.next());
  if (power_) power_->read(from.take(power_->size()).data());
  from.end();
}

}  // namespace rattleback
