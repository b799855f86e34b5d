// Steps as a generated header has them, which repeats this text: the plan of a step as functions and tables of slots, and the
// host of the loop over steps (engine/step_loop.hpp). What is here is for steps that are not plain: first ones, and those
// that fail.
#pragma once

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
  std::span<const Block> blocks;
  Formulas guess, finish;
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
  if (plan.t >= 0) w[plan.t] = t;
  std::copy_n(x, shape.n, w + plan.state);
  if (plan.velocity >= 0) std::copy_n(x + shape.n, shape.nv, w + plan.velocity);
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
        double w[Steps::kFirstSize] = {};
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
  bool level(double t, double* a, double* l) const { return s.level_at(t, state(), a, l); }
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

// The report of a header, whose failure is in the same struct.
template <class Report>
Report told(const AdvanceReport& from) {
  if (from.ok) return {.done = from.done};
  const SolveReport& f = from.failure;
  return {.ok = false,
          .done = from.done,
          .reason = f.reason,
          .iterations = f.iterations,
          .residual = f.residual,
          .correction = f.correction,
          .contraction = f.contraction,
          .first = f.first};
}

}  // namespace rattleback::written
