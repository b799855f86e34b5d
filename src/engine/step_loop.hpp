// One step after the other, around the equations of a step: sub-steps of compositions, starting values and the second try
// from a cold start, whole turns of angles, and plain steps, which compiled code takes many at a time (text/emit.hpp).
//
// PlanStepper takes its steps here, and so do generated headers, which repeat this text. Both have a Host, a Run that knows
//   shape(), series()              what is done, and how far it has come
//   state(), multipliers()         at the newest step; of its newest stage
//   multiplier_scale()             size of (mass / constraint row)
//   turns(), saved()               by position; the state before a composed step
//   past(which)                    solutions of a sub-step
//   iterations(), max_iterations() of Newton, in the steps taken, and in one of them
// and has
//   has_plain_steps(), job(), plain_steps(job)   compiled code, and a job for it with all its arrays (job.hpp)
//   sub_step(t, h, which, report)                sub_step() below with the equations of that sub-step
//   solve(at, w, sizes, which)                   solves these; `at` says what they have where, and is a Places
//   guess(at, w)                                 unknowns from acceleration and multipliers
//   level(t, a, l)                               writes both at the state; false: they are not determined there
// and replaces those functions of Run for which it knows better.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "linalg/largest.hpp"
#include "step/block_newton.hpp"
#include "step/starting_values.hpp"
#include "system/angles.hpp"

namespace rattleback {

struct AdvanceReport {
  bool ok = true;
  std::int64_t done = 0;  // steps taken; the state is the one after the last good step
  SolveReport failure;    // of the step that failed
};

namespace stepping {

// Steps of one size, and where they have come to.
struct Series {
  double t_base = 0.0, h = 0.0, h_before = 0.0;
  std::int64_t count = 0;
  [[nodiscard]] double t() const { return t_base + static_cast<double>(count) * h; }
};

// What a method does with a state.
struct Shape {
  std::size_t n = 0, nv = 0, m = 0, state = 0;  // positions, velocities, multipliers, size of the state
  std::span<const double> gamma = {};           // sub-steps
  std::span<const std::int32_t> angles = {};    // positions that are kept within one turn of zero
  bool branch = false;                          // overdetermined methods measure sizes on the whole state
  bool linear = false;                          // its equations are: no iteration, no starting values
  bool two_step = false;                        // needs the size of the step before
  bool graded_mass = false;                     // masses of very different size
  bool turn_free = false;                       // solutions stay starting values when an angle was turned back
  bool looks_far = false;                       // both predictions of starting_values.hpp
  std::int64_t plain_from = starting::kNear;    // solutions that plain steps need

  // Sizes of unknowns come from velocities, or from what stands for them.
  [[nodiscard]] bool has_sizes_of_velocities() const { return nv > 0 && !branch; }
  [[nodiscard]] std::size_t sized_from() const { return has_sizes_of_velocities() ? n : 0; }
  [[nodiscard]] std::size_t sized() const { return branch ? n + nv : nv > 0 ? nv : n; }
  [[nodiscard]] double turn() const { return angles.empty() ? 0.0 : kTurnHigh; }
};

// Slots of the workspace of equations. -1: they do not have it.
struct Places {
  std::int32_t t = -1, h = -1, h_before = -1, state = -1, velocity = -1, acceleration = -1, multiplier = -1,
               result = -1;
  std::span<const std::int32_t> unknowns = {};
  bool linear = false;
  bool continues = true;  // solutions of the steps before are starting values
};

// For a handful of values, where the call of memmove would cost more than the copy.
inline void copy(const double* from, std::size_t count, double* to) {
  std::size_t i = 0;
  for (; i + 2 <= count; i += 2) std::memcpy(to + i, from + i, 2 * sizeof(double));
  if (i < count) to[i] = from[i];
}

// What follows from what a Host knows.
template <class Host>
struct Run {
  [[nodiscard]] const Host& host() const { return static_cast<const Host&>(*this); }

  void forget() const {  // all solutions
    for (std::size_t i = 0; i < host().shape().gamma.size(); ++i) host().past(i).forget();
  }

  // Between whole steps only: sub-steps and stages see one continuous motion.
  void wrap_angles(double* positions) const {
    bool any = false;
    for (const std::int32_t i : host().shape().angles) any |= wrap(positions[i], host().turns()[i]);
    if (any && !host().shape().turn_free) forget();
  }

  // Steps with extrapolated starting values, which is all that compiled code knows.
  [[nodiscard]] bool plain_steps_ahead() const {
    const Shape& shape = host().shape();
    const Series& series = host().series();
    if (shape.two_step && series.h_before == 0.0) return false;
    // It looks at the far prediction in every kLook-th step, and must then find as many solutions as that needs.
    const auto until_look = (starting::kLook - series.count % starting::kLook) % starting::kLook;
    for (std::size_t i = 0; i < shape.gamma.size() && !shape.linear; ++i)
      if (const std::int64_t depth = host().past(i).depth;
          depth < shape.plain_from || depth + until_look < std::int64_t{starting::kFar})
        return false;
    return true;
  }

  [[nodiscard]] Sizes sizes(double h) const {
    Sizes out;
    const Shape& shape = host().shape();
    const double* const state = host().state();
    const double scale = host().multiplier_scale();
    newton::typical_sizes(newton::Assign{}, out, largest(state + shape.sized_from(), shape.sized()), scale, h);
    if (shape.has_sizes_of_velocities())
      newton::noise_sizes(newton::Assign{}, out, largest(state, shape.n), shape.turn(), scale, h);
    return out;
  }

  // What a Host may replace. smooth_steps(): steps that differ by less than this, relative, are one series.
  static double smooth_steps() { return 0.0; }
  void predict(const Places& at, std::size_t which, double* w) const { host().past(which).predict(at.unknowns, w); }
  void remember(const Places& at, std::size_t which, const double* w, double first) const {
    const bool look = host().shape().looks_far && (host().series().count & (starting::kLook - 1)) == 0;
    host().past(which).remember(at.unknowns, w, first, look);
  }
  void find_branch(const Places& /*at*/, double* /*w*/, double /*t*/) const {}
  void part_taken(const Places& /*at*/, const double* /*w*/) const {}
  void step_taken() const {}
  void step_failed(int /*iterations*/) const {}
};

// From acceleration and multipliers at the current state: first order, but on the right branch.
template <class Host, class At>
void cold_guess(const Host& host, const At& at, double* w, double t) {
  const Shape& shape = host.shape();
  double *const a = w + at.acceleration, *const l = w + at.multiplier;
  // A graded mass makes the acceleration level nearly singular: it would mislead. Where it does not tell, the guess is made of
  // the state all the same, never of what an earlier step left: a resumed run does not have that.
  if (shape.graded_mass || !host.level(t, a, l)) {
    std::fill_n(a, shape.n, 0.0);
    std::copy_n(host.multipliers(), shape.m, l);
  }
  host.find_branch(at, w, t);
  host.guess(at, w);
}

template <class Host, class At>
bool sub_step(const Host& host, const At& at, double* w, double t, double h, std::size_t which, SolveReport& report) {
  const Shape& shape = host.shape();
  w[at.t] = t;
  w[at.h] = h;
  if (at.h_before >= 0) w[at.h_before] = host.series().h_before;
  if (w + at.state != host.state()) std::copy_n(host.state(), shape.state, w + at.state);

  Sizes sizes;
  bool warm = false;
  if (!at.linear) {  // linear equations need neither a good guess nor a measure of convergence
    sizes = host.sizes(h);
    warm = at.continues && host.past(which).is_warm();
    if (warm)
      host.predict(at, which, w);
    else
      cold_guess(host, at, w, t);
  }
  report = host.solve(at, w, sizes, which);
  if (!report.ok && warm) {
    const int spent = report.iterations;
    cold_guess(host, at, w, t);
    report = host.solve(at, w, sizes, which);
    report.iterations += spent;
  }
  if (!report.ok) return false;
  const double* const result = w + at.result;
  if (!newton::all_finite(result, static_cast<std::ptrdiff_t>(shape.state))) {
    report.ok = false;
    report.reason = "the state is not finite any more";
    report.trouble = Trouble::not_finite;
    return false;
  }
  copy(result, shape.state, host.state());
  copy(result + shape.state, shape.m, host.multipliers());
  host.part_taken(at, w);
  if (!at.linear && at.continues) host.remember(at, which, w, report.first);
  return true;
}

// From here a step is taken that is not plain, or its rest.
struct Begun {
  double t;
  std::size_t part = 0;  // sub-steps that are behind it
  int spent = 0;         // iterations in them
};

template <class Host>
bool other_step(const Host& host, Begun now, SolveReport& report) {
  const Shape& shape = host.shape();
  Series& series = host.series();
  const bool composed = shape.gamma.size() > 1;
  if (composed && now.part == 0) std::copy_n(host.state(), shape.state, host.saved());
  for (; now.part < shape.gamma.size(); ++now.part) {
    const double h = shape.gamma[now.part] * series.h;
    const bool ok = host.sub_step(now.t, h, now.part, report);
    now.spent += report.iterations;
    if (!ok) {
      if (composed) std::copy_n(host.saved(), shape.state, host.state());
      host.step_failed(now.spent);
      return false;
    }
    now.t += h;
  }
  host.iterations() += now.spent;
  host.max_iterations() = std::max(host.max_iterations(), now.spent);
  series.h_before = series.h;
  host.step_taken();
  ++series.count;
  host.wrap_angles(host.state());
  return true;
}

// Returns the job with what became of it.
template <class Host>
auto plain_steps(const Host& host, std::int64_t steps) {
  Series& series = host.series();
  auto job = host.job();
  job.t_base = series.t_base;
  job.h = series.h;
  job.h_before = series.h_before;
  job.count = series.count;
  job.steps = steps;
  job.most = host.max_iterations();
  host.plain_steps(job);
  host.iterations() += job.iterations;
  host.max_iterations() = job.most;
  series.h_before = job.h_before;
  series.count += job.done;
  for (std::size_t i = 0; i < host.shape().gamma.size(); ++i) {
    std::int32_t& depth = host.past(i).depth;
    const std::int64_t solved = depth + job.done + (static_cast<std::int64_t>(i) < job.part ? 1 : 0);
    depth = static_cast<std::int32_t>(std::min<std::int64_t>(solved, starting::kFar));
  }
  if (job.part == 0) host.wrap_angles(host.state());
  return job;
}

// Neither 0 nor what is not a number: nothing is done with these.
inline bool is_step_size(double h) { return h != 0.0 && std::isfinite(h); }
inline AdvanceReport no_step_size() {
  AdvanceReport out;
  out.ok = out.failure.ok = false;
  out.failure.reason = "the size of a step must be a finite number, and not 0";
  return out;
}

// StepTaker::advance().
template <class Host>
AdvanceReport advance(const Host& host, double h, std::int64_t steps) {
  if (!is_step_size(h)) return no_step_size();
  AdvanceReport out;
  Series& series = host.series();
  if (h != series.h) {
    if (!(std::fabs(h - series.h) <= host.smooth_steps() * std::fabs(series.h))) host.forget();
    series = {.t_base = series.t(), .h = h, .h_before = series.h, .count = 0};
  }
  while (out.done < steps) {
    Begun begun{.t = series.t()};
    if (host.has_plain_steps() && host.plain_steps_ahead()) {
      const auto job = plain_steps(host, steps - out.done);
      out.done += job.done;
      if (out.done == steps) break;
      if (job.done > 0 && job.part == 0) continue;
      // The next step is not plain: it is taken from the sub-step that was reached.
      if (job.part > 0) begun = {.t = job.at, .part = static_cast<std::size_t>(job.part), .spent = job.spent};
    }
    out.ok = other_step(host, begun, out.failure);
    if (!out.ok) break;
    ++out.done;
  }
  return out;
}

}  // namespace stepping
}  // namespace rattleback
