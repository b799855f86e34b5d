// Steps as a generated header has them, which repeats this text: the plan of a step as functions and tables of slots, and the
// host of the loop over steps (engine/step_loop.hpp). What is here is for steps that are not plain: first ones, and those
// that fail.
#pragma once

#include <array>

#include "engine/step_loop.hpp"
#include "linalg/dense.hpp"

namespace rattleback::written {

struct Formulas {
  void (*of)(double*);
  void run(double* w) const {
    if (of != nullptr) of(w);
  }
};

struct Leading {  // LeadingSlots
  Formulas matrix, right, expand;
  std::int32_t size, S, lu, pivots, rhs, y, guess;
};

struct Block {  // Plan::Block
  Formulas before, residual, jacobian;
  const std::int32_t* unknowns;
  const unsigned char* scales;  // Equations::Scale
  std::int32_t size, r, J, lu, pivots;
  bool linear;
  const Leading* leading;
};

struct Plan : stepping::Places {
  std::size_t size;  // of its workspace
  std::span<const Block> blocks;
  Formulas guess, finish;

  // Inputs. x: positions, then velocities.
  void put(double* w, const stepping::Shape& shape, double at, const double* x) const {
    if (t >= 0) w[t] = at;
    std::copy_n(x, shape.n, w + state);
    if (velocity >= 0) std::copy_n(x + shape.n, shape.nv, w + velocity);
  }
};

// Not factor_in_place(): for one size, its versions for all small ones would only be compiled.
struct Lu {
  static bool factor(double* lu, double* perm, double* scale, std::int32_t n) {
    return dense::factor(lu, perm, scale, n);
  }
  static void solve(const double* lu, const double* perm, const double* scale, const double* b, double* x,
                    std::int32_t n) {
    dense::solve(lu, perm, scale, b, x, n);
  }
};

// left: of each block, what the first correction leaves, in units of its square, is put there; null: it is not wanted.
[[gnu::cold, gnu::noinline]] inline SolveReport solve(const Plan& plan, double* w, const Sizes& sizes,
                                                      const SolveOptions& options, double* left) {
  const auto see = [&](std::size_t block, int k, double last, const newton::Progress<double, int>& p) {
    if (left != nullptr && plan.blocks[block].leading == nullptr && k == 2 && p.since >= 2 && p.size > newton::kNoise)
      left[block] = p.ratio / last;
  };
  return newton::solve_blocks<Lu>(plan.blocks, plan.finish, w, sizes, options, see);
}

// Acceleration::solve(), in a new workspace: acceleration and multipliers that belong to the state x (positions,
// velocities), into a and l, where these are not null.
[[gnu::cold, gnu::noinline]] inline bool solve_level(const Plan& plan, double* w, const stepping::Shape& shape,
                                                     double t, const double* x, const double* guess, double* a,
                                                     double* l) {
  plan.put(w, shape, t, x);
  std::copy_n(guess, shape.m, w + plan.multiplier);
  plan.guess.run(w);
  const double* const result = w + plan.result;
  if (!solve(plan, w, {}, {}, nullptr).ok ||
      !newton::all_finite(result, static_cast<std::ptrdiff_t>(shape.n + shape.m)))
    return false;
  if (a != nullptr) std::copy_n(result, shape.n, a);
  if (l != nullptr) std::copy_n(result + shape.n, shape.m, l);
  return true;
}

// Steps is the struct of the header.
template <class Steps>
struct Host : stepping::Run<Host<Steps>> {
  explicit Host(Steps& steps) : s(steps) {}
  Steps& s;

  static const stepping::Shape& shape() { return Steps::kShape; }
  [[nodiscard]] stepping::Series& series() const { return s.series_; }
  [[nodiscard]] double* state() const { return s.w_ + Steps::step_plan.state; }
  [[nodiscard]] double* multipliers() const { return s.lambda.data(); }
  static double multiplier_scale() { return Steps::kMultiplierScale; }
  [[nodiscard]] double* turns() const {
    if constexpr (Steps::kShape.angles.empty())
      return nullptr;
    else
      return s.turns.data();
  }
  [[nodiscard]] double* saved() const { return s.saved_; }
  [[nodiscard]] starting::Past past(std::size_t which) const {
    constexpr std::size_t kWidth = Steps::step_plan.unknowns.size();
    return {s.history_ + which * starting::kRows * kWidth, kWidth, s.depth_[which], s.newest_[which], s.far_[which]};
  }
  [[nodiscard]] std::int64_t& iterations() const { return s.iterations; }
  [[nodiscard]] int& max_iterations() const { return s.max_iterations; }

  static bool has_plain_steps() { return true; }
  [[nodiscard]] auto job() const {
    typename Steps::NativeJob job{};
    job.w = s.w_;
    job.history = s.history_;
    job.newest = s.newest_.data();
    job.far = s.far_.data();
    job.multipliers = multipliers();
    job.saved = saved();
    return job;
  }
  template <class Job>
  void plain_steps(Job& job) const {
    Steps::plain_steps(&job, s.left_);
  }

  // The first step of a two-step method has a workspace of its own.
  [[gnu::cold, gnu::noinline]] bool sub_step(double t, double h, std::size_t which, SolveReport& report) const {
    if constexpr (Steps::kShape.two_step)
      if (series().h_before == 0.0) {
        double w[Steps::first_plan.size] = {};
        (void)s.first_parameters(w);
        return stepping::sub_step(*this, Steps::first_plan, w, t, h, which, report);
      }
    return stepping::sub_step(*this, Steps::step_plan, s.w_, t, h, which, report);
  }
  SolveReport solve(const Plan& plan, double* w, const Sizes& sizes, std::size_t which) const {
    double* const left = plan.continues ? s.left_ + which * plan.blocks.size() : nullptr;
    return written::solve(plan, w, sizes, Steps::kOptions, left);
  }
  static void guess(const Plan& plan, double* w) { plan.guess.run(w); }
  bool level(double t, double* a, double* l) const {
    if constexpr (requires { Steps::level_plan; }) {
      double w[Steps::level_plan.size] = {};
      (void)s.level_parameters(w);
      return solve_level(Steps::level_plan, w, shape(), t, state(), multipliers(), a, l);
    } else {
      return false;
    }
  }
};

inline bool is_moved(const double* now, const double* before, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (!(now[i] == before[i])) return true;
  return false;
}

// Are the solutions of earlier steps still near those of the next ones: a controller's push, not another place?
inline bool is_near(const double* now, const double* before, std::size_t count) {
  constexpr double kSmall = 0.05;
  const double most = kSmall * largest(before, count);
  for (std::size_t i = 0; i < count; ++i)
    if (!(std::fabs(now[i] - before[i]) <= most)) return false;
  return true;
}

// Takes over the state x (positions, velocities, what is carried) of the members of a header, which left it as it is in
// `known`. True: it was changed since then.
template <class Host>
bool take_state(const Host& host, const double* x, const double* known) {
  const stepping::Shape& shape = host.shape();
  const std::size_t n = shape.n, nv = shape.nv, rest = n + nv;
  std::copy_n(x, shape.state, host.state());
  if (!is_moved(x, known, shape.state)) return false;
  if (!is_near(x, known, n) || !is_near(x + n, known + n, nv) || !is_near(x + rest, known + rest, shape.state - rest))
    host.forget();
  host.wrap_angles(host.state());
  return true;
}

// What advance() tells: also of the step that failed, when not ok.
struct Report : SolveReport {
  std::int64_t done = 0;  // steps taken; the state is the one after the last good step
};

// What every struct of a header can do. Steps is the struct.
template <class Steps>
class Motion {
 public:
  using Report = written::Report;

  [[nodiscard]] double t() const { return s().series_.t(); }
  [[nodiscard]] double position(std::size_t i) const {
    if constexpr (Steps::kShape.angles.empty())
      return s().q[i];
    else
      return turned(s().q[i], s().turns[i]);
  }

  // Time is to begin anew, and what was carried from step to step is forgotten. A state that was changed needs no call. `lambda`
  // helps Newton's iteration to start. Of two-step methods: time goes on at `at`; and where q and v were changed, the motion
  // begins anew with them. They are values at one time, then; a step leaves the velocity of its middle.
  void restart(double at = 0.0) {
    const Host<Steps> host(s());
    if constexpr (Steps::kShape.two_step) {
      const auto x = gathered();
      const double h = is_moved(x.data(), s().known_, x.size()) ? 0.0 : s().series_.h_before;
      s().series_ = {.t_base = at, .h = h, .h_before = h};
      if (h == 0.0) host.forget();
    } else {
      s().series_ = {.t_base = at};
      host.forget();
    }
    if constexpr (requires { Steps::kReferenceEnergy; }) s().reference_energy = s().energy();
    if constexpr (!Steps::kShape.angles.empty() && !Steps::kShape.two_step) {
      s().turns.fill(0.0);
      host.wrap_angles(s().q.data());
    }
  }

  // Takes steps of size h. It stops at the first one that fails, with the state before it.
  Report advance(double h, std::int64_t steps) {
    Report out;
    const auto refused = [&out](const char* reason) {
      out.ok = false;
      out.reason = reason;
      return out;
    };
    if (!stepping::is_step_size(h)) return refused(stepping::no_step_size().failure.reason);
    if (!s().step_parameters(s().w_))
      return refused(
          "a parameter was changed over a value by which this step was decided: generate it anew with the new one");
    const Host<Steps> host(s());
    auto x = gathered();
    if constexpr (Steps::kShape.two_step)
      if (s().series_.h_before != 0.0 && is_moved(x.data(), s().known_, x.size()))
        return refused(
            "q or v were changed after a step of a two-step method, which leaves the velocity of its middle: call "
            "restart() when both are values at one time");
    [[maybe_unused]] const bool other_parameters = has_other_parameters(), other_inputs = has_other_inputs();
    if constexpr (Steps::kCarriesMultipliers) {
      constexpr std::size_t moving = Steps::kShape.n + Steps::kShape.nv, rest = Steps::kShape.state - moving;
      // Multipliers jump where the state or the forces do.
      if ((other_parameters || other_inputs || is_moved(x.data(), s().known_, moving)) &&
          !is_moved(x.data() + moving, s().known_ + moving, rest) && find_multipliers())
        stepping::copy(s().carried.data(), std::min(s().lambda.size(), rest), x.data() + moving);
    }
    [[maybe_unused]] bool another = take_state(host, x.data(), s().known_);
    if constexpr (requires { Steps::kReferenceEnergy; }) {
      if (another || other_parameters) s().reference_energy = s().energy();
      s().w_[Steps::kReferenceEnergy] = s().reference_energy;
    }
    const AdvanceReport end = stepping::advance(host, h, steps);
    each_part([x = host.state()](double* part, std::size_t count) mutable {
      stepping::copy(x, count, part);
      x += count;
    });
    stepping::copy(host.state(), Steps::kShape.state, s().known_);
    if (!end.ok) static_cast<SolveReport&>(out) = end.failure;
    out.done = end.done;
    return out;
  }

  // Puts the multipliers that belong to q and v into `lambda` and `carried`. False: they are not determined.
  bool find_multipliers() {
    put_state();
    if (Steps::kShape.graded_mass || !Host<Steps>(s()).level(t(), nullptr, s().lambda.data())) return false;
    if constexpr (requires { s().carried; })
      stepping::copy(s().lambda.data(), std::min(s().lambda.size(), s().carried.size()), s().carried.data());
    return true;
  }

 protected:
  using Plan = written::Plan;
  using Block = written::Block;
  using Leading = written::Leading;
  using Shape = stepping::Shape;

  // What can be looked at, in the workspace of Steps::watched_plan.
  [[nodiscard]] auto watched() const {
    std::array<double, Steps::watched_plan.size> w = {};
    double x[Steps::kShape.n + Steps::kShape.nv];
    std::copy(s().v.begin(), s().v.end(), std::copy(s().q.begin(), s().q.end(), x));
    (void)s().watched_parameters(w.data());
    Steps::watched_plan.put(w.data(), Steps::kShape, t(), x);
    Steps::watched_plan.finish.run(w.data());
    return w;
  }

 private:
  [[nodiscard]] Steps& s() { return static_cast<Steps&>(*this); }
  [[nodiscard]] const Steps& s() const { return static_cast<const Steps&>(*this); }
  // Than in the call before? Asked by steps that keep something that depends on them.
  bool has_other_parameters() {
    if constexpr (requires { s().parameters_before_; }) return take(s().parameters, s().parameters_before_);
    return false;
  }
  bool has_other_inputs() {
    if constexpr (requires { s().inputs_before_; }) return take(s().inputs, s().inputs_before_);
    return false;
  }
  template <class Values>
  static bool take(const Values& now, Values& before) {
    const bool other = std::memcmp(&now, &before, sizeof now) != 0;
    before = now;
    return other;
  }
  // Of the state, in the order of the workspace.
  template <class Visit>
  void each_part(Visit visit) {
    visit(s().q.data(), s().q.size());
    visit(s().v.data(), s().v.size());
    if constexpr (requires { s().carried; }) visit(s().carried.data(), s().carried.size());
  }
  // The members of the state, one after the other.
  auto gathered() {
    std::array<double, Steps::kShape.state> x;
    each_part([to = x.data()](const double* part, std::size_t count) mutable {
      stepping::copy(part, count, to);
      to += count;
    });
    return x;
  }
  void put_state() {
    const auto x = gathered();
    stepping::copy(x.data(), x.size(), Host<Steps>(s()).state());
  }
};

}  // namespace rattleback::written
