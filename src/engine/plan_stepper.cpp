#include "engine/plan_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/saved_state.hpp"
#include "engine/text/emit.hpp"
#include "engine/text/sparse_text.hpp"
#include "linalg/largest.hpp"
#include "step/block_newton.hpp"
#include "step/starting_values.hpp"
#include "system/angles.hpp"

namespace rattleback {
namespace {

// For a handful of values, where the call of memmove would cost more than the copy.
void copy(const double* from, std::size_t count, double* to) {
  std::size_t i = 0;
  for (; i + 2 <= count; i += 2) std::memcpy(to + i, from + i, 2 * sizeof(double));
  if (i < count) to[i] = from[i];
}

}  // namespace

PlanStepper::Bench::Bench(const Plan* p) : plan(p), w(p->image().begin(), p->image().end()) {
  const auto at = [&](Space space) { return p->has(space) ? w.data() + p->slot(space) : nullptr; };
  t = at(kTime);
  h = at(kStepSize);
  h_before = at(kPreviousStep);
  state = at(kPosition);
  result = w.data() + p->result_slot();
  const auto slots = p->unknown_slots();
  for (std::size_t i = 0; i < slots.size() && p->is_sparse(); ++i)
    if (const auto slot = static_cast<std::size_t>(slots[i]); i > 0 && slots[i] == slots[i - 1] + 1)
      ++ranges.back().end;
    else
      ranges.push_back({slot, i, i + 1});
}

void PlanStepper::Bench::reset() {
  std::copy(plan->image().begin(), plan->image().end(), w.begin());
  if (!numbers.empty()) plan->parameters().put(numbers, w.data());
}

PlanStepper::PlanStepper(PlanStepperData data)
    : data_(std::move(data)),
      n_(static_cast<std::size_t>(data_.n)),
      m_(static_cast<std::size_t>(data_.m)),
      nv_(data_.velocities >= 0 ? static_cast<std::size_t>(data_.velocities)
          : data_.mechanical    ? n_
                                : 0),
      state_size_(n_ + nv_ + static_cast<std::size_t>(data_.carried)),
      main_(&data_.step),
      history_width_(std::max(data_.step.unknown_slots().size(),
                              data_.adjoint ? data_.adjoint->unknown_slots().size() : std::size_t{0})),
      turns_(data_.angles.empty() ? 0 : n_, 0.0),
      saved_state_(state_size_, 0.0),
      multipliers_(m_, 0.0),
      rows_(data_.step.is_sparse() ? starting::kNear : starting::kRows),
      history_(data_.gamma.size() * rows_ * history_width_, 0.0),
      depth_(data_.gamma.size(), 0),
      newest_(data_.gamma.size(), data_.step.is_sparse() ? 0 : static_cast<std::int32_t>(starting::kFar) - 1),
      far_(data_.gamma.size(), 0),
      looks_far_(starting::looks_far(data_.step)) {
  if (data_.step.has(kReferenceEnergy))
    main_.w[static_cast<std::size_t>(data_.step.slot(kReferenceEnergy))] = data_.reference_energy;
  if (data_.first) first_.emplace(&*data_.first);
  if (data_.adjoint) adjoint_.emplace(&*data_.adjoint);
  if (data_.step.power_count() > 0) power_.emplace(data_.step.power_count());
}

void PlanStepper::start(double t, std::span<const double> q, std::span<const double> v,
                        std::span<const double> multipliers, std::span<const double> /*acceleration*/) {
  double* x = std::copy(q.begin(), q.end(), main_.state);
  x = std::copy(v.begin(), v.end(), x);
  // Carried multipliers; those of the position level (ggl) vanish along the exact motion.
  for (std::size_t i = 0; i < static_cast<std::size_t>(data_.carried); ++i)
    x[i] = i < m_ && data_.carries_multipliers ? multipliers[i] : 0.0;
  multipliers_.assign(multipliers.begin(), multipliers.end());
  if (power_) power_->reset();
  t_base_ = t;
  h_ = h_before_ = 0.0;
  count_ = 0;
  forget();
  std::fill(turns_.begin(), turns_.end(), 0.0);
  wrap_angles();
  if (data_.nominal_step != 0.0) {
    *main_.t = t;
    *main_.h = data_.nominal_step;
    cold_guess(main_, t);
    data_.step.choose_pivots(main_.w.data());
  }
}

void PlanStepper::take_over(const Stepper& from, std::span<const double> multipliers,
                            std::span<const double> acceleration) {
  const auto& other = static_cast<const PlanStepper&>(from);
  start(other.t(), other.q(), other.v(), multipliers, acceleration);
  h_before_ = other.h_before_;
  if (data_.two_step) h_ = h_before_;
  turns_ = other.turns_;
  if (power_) power_ = other.power_;
  smooth_steps_ = other.smooth_steps_;
}

void PlanStepper::renew(double multiplier_scale) {
  data_.multiplier_scale = multiplier_scale;
  for (Bench* const bench : benches()) bench->reset();
  if (data_.step.has(kReferenceEnergy))
    main_.w[static_cast<std::size_t>(data_.step.slot(kReferenceEnergy))] = data_.reference_energy;
  iterations = failed_iterations = 0;
  max_iterations = 0;
}

bool PlanStepper::set_parameters(std::span<const double> values) {
  if (data_.step.is_sparse() || data_.branch) return false;
  std::vector<std::vector<double>> all;
  for (const Bench* const bench : benches()) {
    std::optional<std::vector<double>> numbers = bench->plan->parameters().numbers(values);
    if (!numbers) return false;
    all.push_back(std::move(*numbers));
  }
  if (data_.acceleration && data_.acceleration->plan() != nullptr && !data_.acceleration->set_parameters(values))
    return false;
  std::size_t i = 0;
  for (Bench* const bench : benches()) {
    bench->numbers = std::move(all[i++]);
    bench->plan->parameters().put(bench->numbers, bench->w.data());
  }
  parameters_.assign(values.begin(), values.end());
  return true;
}

std::vector<PlanStepper::Bench*> PlanStepper::benches() {
  std::vector<Bench*> out = {&main_};
  for (std::optional<Bench>* const more : {&first_, &adjoint_})
    if (*more) out.push_back(&**more);
  return out;
}

void PlanStepper::forget() {
  std::fill(depth_.begin(), depth_.end(), 0);
  std::fill(far_.begin(), far_.end(), 0);
}

void PlanStepper::extrapolate(Bench& bench, std::size_t which) {
  const auto slots = bench.plan->unknown_slots();
  const auto width = static_cast<std::ptrdiff_t>(history_width_);
  double* const w = bench.w.data();
  if (bench.plan->is_sparse()) {  // long vectors in one piece each
    const double* const all = history_.data() + which * rows_ * history_width_;
    const auto at = [&](std::size_t age) {
      return all + (static_cast<std::size_t>(newest_[which]) + rows_ - age) % rows_ * history_width_;
    };
    const double *x1 = at(0), *x2 = at(1), *x3 = at(2);
    for (const SlotRange& r : bench.ranges)
      for (std::size_t i = r.first; i < r.end; ++i) w[r.slot + i - r.first] = 3.0 * (x1[i] - x2[i]) + x3[i];
    return;
  }
  const double* const x = history_.data() + (which * rows_ + static_cast<std::size_t>(newest_[which])) * history_width_;
  if (far_[which] != 0 && depth_[which] >= static_cast<std::int32_t>(starting::kFar))
    for (std::size_t i = 0; i < slots.size(); ++i)
      w[static_cast<std::size_t>(slots[i])] = starting::far_value(x + i, width);
  else
    for (std::size_t i = 0; i < slots.size(); ++i)
      w[static_cast<std::size_t>(slots[i])] = starting::near_value(x + i, width);
}

// From acceleration and multipliers at the current state: first order, but on the right branch.
void PlanStepper::cold_guess(Bench& bench, double t) {
  double* const w = bench.w.data();
  data_.acceleration->set_guess(multipliers_);
  // A graded mass makes the acceleration level nearly singular: it would mislead. Where it does not tell, the guess is made of
  // the state all the same, never of what an earlier step left: a resumed run does not have that.
  const bool known = !data_.graded_mass && data_.acceleration->solve(t, q(), v());
  const std::span<const double> l = known ? data_.acceleration->multipliers() : std::span<const double>(multipliers_);
  double* const a = w + bench.plan->slot(kAcceleration);
  if (known)
    std::copy_n(data_.acceleration->acceleration().data(), n_, a);
  else
    std::fill_n(a, n_, 0.0);
  std::copy(l.begin(), l.end(), w + bench.plan->slot(kMultiplier));
  if (data_.branch && !data_.graded_mass) {
    (void)data_.branch->solve(t, q(), v(), l);
    const auto b = data_.branch->values();
    std::copy(b.begin(), b.end(), w + bench.plan->slot(kBranch));
  }
  bench.plan->guess(w);
}

void PlanStepper::remember(const Bench& bench, std::size_t which, double first_correction) {
  const auto slots = bench.plan->unknown_slots();
  std::int32_t &newest = newest_[which], &depth = depth_[which];
  double* const rows = history_.data() + which * rows_ * history_width_;
  if (bench.plan->is_sparse()) {
    newest = static_cast<std::int32_t>((static_cast<std::size_t>(newest) + 1) % rows_);
    double* const x = rows + static_cast<std::size_t>(newest) * history_width_;
    for (const SlotRange& r : bench.ranges) std::copy_n(bench.w.data() + r.slot, r.end - r.first, x + r.first);
    depth = std::min<std::int32_t>(depth + 1, static_cast<std::int32_t>(starting::kNear));
    return;
  }
  double* const x = starting::next_row(rows, history_width_, newest);
  for (std::size_t i = 0; i < slots.size(); ++i) x[i] = bench.w[static_cast<std::size_t>(slots[i])];
  if (first_correction > starting::kRough)
    far_[which] = 0;
  else if ((count_ & (starting::kLook - 1)) == 0 && depth == static_cast<std::int32_t>(starting::kFar) && looks_far_)
    far_[which] = starting::far_is_better(x, slots.size(), static_cast<std::ptrdiff_t>(history_width_)) ? 1 : 0;
  depth = std::min<std::int32_t>(depth + 1, static_cast<std::int32_t>(starting::kFar));
}

bool PlanStepper::sub_step(Bench& bench, double t, double h, std::size_t which, SolveReport& report) {
  double* const w = bench.w.data();
  const Plan& plan = *bench.plan;
  const bool main = &bench == &main_, first = first_ && &bench == &*first_;
  *bench.t = t;
  *bench.h = h;
  if (bench.h_before != nullptr) *bench.h_before = h_before_;
  if (!main) std::copy_n(main_.state, state_size_, bench.state);

  Sizes sizes;
  bool warm = false;
  if (!plan.linear()) {  // a linear plan needs neither a good guess nor a measure of convergence
    const double* const x = nv_ > 0 && !data_.branch ? main_.state + n_ : main_.state;
    const std::size_t count = data_.branch ? n_ + nv_ : nv_ > 0 ? nv_ : n_;
    newton::typical_sizes(newton::Assign{}, sizes, largest(x, count), data_.multiplier_scale, h);
    if (nv_ > 0 && !data_.branch)
      newton::noise_sizes(newton::Assign{}, sizes, largest(main_.state, n_), turns_.empty() ? 0.0 : kTurnHigh,
                          data_.multiplier_scale, h);
    warm = !first && !data_.solve.simplified && depth_[which] >= static_cast<std::int32_t>(starting::kNear);
    if (warm)
      extrapolate(bench, which);
    else
      cold_guess(bench, t);
  }
  report = plan.solve(w, sizes, data_.solve);
  if (!report.ok && warm) {
    const int spent = report.iterations;
    cold_guess(bench, t);
    report = plan.solve(w, sizes, data_.solve);
    report.iterations += spent;
  }
  if (!report.ok) return false;
  if (!newton::all_finite(bench.result, static_cast<std::ptrdiff_t>(state_size_))) {
    report.ok = false;
    report.reason = "the state is not finite any more";
    return false;
  }
  copy(bench.result, state_size_, main_.state);
  copy(bench.result + state_size_, m_, multipliers_.data());
  if (power_) power_->add(w + plan.power_slot());
  if (!first && !plan.linear()) remember(bench, which, report.first);
  return true;
}

// Between whole steps only: sub-steps and stages see one continuous motion.
void PlanStepper::wrap_angles() {
  bool any = false;
  for (const std::int32_t i : data_.angles) any |= wrap(main_.state[i], turns_[static_cast<std::size_t>(i)]);
  if (any && !data_.turn_free) forget();
}

StepShape PlanStepper::step_shape() const {
  return {.plan = &data_.step,
          .n = n_,
          .nv = nv_,
          .m = m_,
          .state = state_size_,
          .gamma = data_.gamma,
          .angles = data_.angles,
          .history_width = history_width_,
          .multiplier_scale = data_.multiplier_scale,
          .branch = data_.branch != nullptr,
          .cautious = data_.solve.cautious,
          .stage_lanes = stage_lanes_};
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

// Steps with extrapolated starting values, which is all that compiled code knows.
bool PlanStepper::plain_steps_ahead() const {
  if (data_.two_step && h_before_ == 0.0) return false;
  // It looks at the far prediction in every kLook-th step, and must then find as many solutions as that needs.
  const auto until_look = (starting::kLook - count_ % starting::kLook) % starting::kLook;
  return data_.step.linear() || std::all_of(depth_.begin(), depth_.end(), [&](std::int32_t d) {
           return d >= static_cast<std::int32_t>(starting::kNear) &&
                  d + until_look >= static_cast<std::int64_t>(starting::kFar);
         });
}

NativeJob PlanStepper::native_steps(double h, std::int64_t steps) {
  NativeJob job{};
  job.w = main_.w.data();
  job.history = history_.data();
  job.newest = newest_.data();
  job.far = far_.data();
  job.multipliers = multipliers_.data();
  job.saved = saved_state_.data();
  job.t_base = t_base_;
  job.h = h;
  job.h_before = h_before_;
  job.tolerance = data_.solve.tolerance;
  job.multiplier_scale = data_.multiplier_scale;
  job.count = count_;
  job.steps = power_ ? std::min<std::int64_t>(steps, 1) : steps;  // energies are added up outside
  job.most = max_iterations;
  job.max_newton = data_.solve.max_iterations;
  native_.steps(&job);
  iterations += job.iterations;
  max_iterations = job.most;
  h_before_ = job.h_before;
  count_ += job.done;
  compiled_steps += job.done;
  for (std::size_t i = 0; i < depth_.size(); ++i) {
    const std::int64_t solved = depth_[i] + job.done + (static_cast<std::int64_t>(i) < job.part ? 1 : 0);
    depth_[i] = static_cast<std::int32_t>(std::min<std::int64_t>(solved, starting::kFar));
  }
  if (power_ && job.done > 0) {
    power_->add(main_.w.data() + data_.step.power_slot());
    power_->finish();
  }
  if (!turns_.empty() && job.part == 0) wrap_angles();
  return job;
}

AdvanceReport PlanStepper::advance(double h, std::int64_t steps) {
  AdvanceReport out;
  if (h != h_) {
    t_base_ = t();
    count_ = 0;
    if (!(std::fabs(h - h_) <= smooth_steps_ * std::fabs(h_))) forget();
    h_before_ = h_;
    h_ = h;
  }
  const bool composed = data_.gamma.size() > 1;
  while (out.done < steps) {
    double at = t();
    int spent = 0;
    std::size_t from = 0;
    if (native_.steps != nullptr && plain_steps_ahead()) {
      const NativeJob job = native_steps(h, steps - out.done);
      out.done += job.done;
      if (out.done == steps) break;
      if (job.done > 0 && job.part == 0) continue;
      // The next step is not plain: it is taken here, from the sub-step that was reached.
      if (job.part > 0) at = job.at;
      spent = job.spent;
      from = static_cast<std::size_t>(job.part);
    }
    if (composed && from == 0) std::copy_n(main_.state, state_size_, saved_state_.begin());
    Bench& bench = data_.two_step && h_before_ == 0.0 ? *first_ : main_;
    for (std::size_t i = from; i < data_.gamma.size(); ++i) {
      const double part = data_.gamma[i] * h;
      const bool back = !data_.backwards.empty() && data_.backwards[i] != 0;
      const bool ok = sub_step(back ? *adjoint_ : bench, at, part, i, out.failure);
      spent += out.failure.iterations;
      if (!ok) {
        if (composed) std::copy(saved_state_.begin(), saved_state_.end(), main_.state);
        failed_iterations += spent;
        if (power_) power_->drop();
        out.ok = false;
        return out;
      }
      at += part;
    }
    iterations += spent;
    max_iterations = std::max(max_iterations, spent);
    if (data_.step.is_sparse() && data_.step.sparse()->is_native()) ++compiled_steps;
    h_before_ = h;
    if (power_) power_->finish();
    ++count_;
    if (!turns_.empty()) wrap_angles();
    ++out.done;
  }
  return out;
}

int PlanStepper::turn_round() {
  if (!data_.two_step) return 0;
  // (q_{k-1}, q_k) read backwards: current position q_{k-1}, velocity as before, last step -h.
  for (std::size_t i = 0; i < n_; ++i) main_.state[i] -= h_before_ * main_.state[n_ + i];
  t_base_ = t() - h_before_;
  count_ = 0;
  h_ = h_before_ = -h_before_;
  forget();
  return 1;
}

void PlanStepper::take_snapshot(std::span<double> to) const {
  double* const x = std::copy_n(main_.state, state_size_, to.data());
  double* const rest = std::copy(multipliers_.begin(), multipliers_.end(), x);
  *rest = h_before_;
  for (std::size_t i = 0; i < data_.angles.size(); ++i) rest[1 + i] = turns_[static_cast<std::size_t>(data_.angles[i])];
  if (power_) power_->write(rest + 1 + data_.angles.size());
}

void PlanStepper::set_snapshot(double t, std::span<const double> from, bool keep_guesses) {
  std::copy_n(from.data(), state_size_, main_.state);
  std::copy_n(from.data() + state_size_, m_, multipliers_.data());
  h_before_ = from[state_size_ + m_];
  for (std::size_t i = 0; i < data_.angles.size(); ++i)
    turns_[static_cast<std::size_t>(data_.angles[i])] = from[state_size_ + m_ + 1 + i];
  if (power_) power_->read(from.data() + state_size_ + m_ + 1 + data_.angles.size());
  t_base_ = t;
  count_ = 0;
  if (data_.two_step) h_ = h_before_;
  if (keep_guesses) return;
  forget();
  // Linear blocks correct what the last try left in their unknowns, which may not even be finite.
  if (data_.step.linear())
    for (const std::int32_t slot : data_.step.unknown_slots()) main_.w[static_cast<std::size_t>(slot)] = 0.0;
}

std::vector<double> PlanStepper::save() const {
  std::vector<double> out = {t_base_,
                             h_,
                             h_before_,
                             static_cast<double>(count_),
                             static_cast<double>(iterations),
                             static_cast<double>(max_iterations)};
  out.insert(out.end(), main_.state, main_.state + state_size_);
  out.insert(out.end(), history_.begin(), history_.end());
  for (const auto& list : {depth_, newest_, far_})
    for (const std::int32_t x : list) out.push_back(x);
  for (const Bench* const bench : {&main_, adjoint_ ? &*adjoint_ : nullptr})
    if (bench != nullptr)
      for (const std::int32_t slot : bench->plan->unknown_slots())
        out.push_back(bench->w[static_cast<std::size_t>(slot)]);
  out.insert(out.end(), multipliers_.begin(), multipliers_.end());
  out.insert(out.end(), turns_.begin(), turns_.end());
  if (power_) {
    out.resize(out.size() + power_->size());
    power_->write(out.data() + out.size() - power_->size());
  }
  return out;
}

void PlanStepper::load(std::span<const double> saved) {
  SavedState from(saved);
  t_base_ = from.next();
  h_ = from.next();
  h_before_ = from.next();
  count_ = from.count();
  iterations = from.count();
  max_iterations = static_cast<int>(from.count(std::numeric_limits<int>::max()));
  from.fill({main_.state, state_size_});
  from.fill(history_);
  const auto places = [&](std::vector<std::int32_t>& list, std::size_t most) {
    for (std::int32_t& x : list) x = static_cast<std::int32_t>(from.count(static_cast<double>(most)));
  };
  places(depth_, starting::kFar);
  places(newest_, rows_ - 1);
  places(far_, 1);
  for (Bench* const bench : {&main_, adjoint_ ? &*adjoint_ : nullptr})
    if (bench != nullptr)
      for (const std::int32_t slot : bench->plan->unknown_slots())
        bench->w[static_cast<std::size_t>(slot)] = from.next();
  from.fill(multipliers_);
  from.fill(turns_);
  if (power_) power_->read(from.take(power_->size()).data());
  from.end();
}

}  // namespace rattleback
