// Methods side by side: what each of them gets wrong, and what it costs.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "model/kind_facts.hpp"
#include "model/usable.hpp"
#include "option/run_table.hpp"
#include "rattleback/analysis.hpp"
#include "rattleback/error.hpp"
#include "run/complete.hpp"
#include "run/follow.hpp"
#include "study/contenders.hpp"
#include "study/kept_over_time.hpp"
#include "study/reference.hpp"
#include "study/slope.hpp"

namespace rattleback {
namespace {

// Time is measured again as long as that takes no longer than this, in seconds.
constexpr double kTimingBudget = 5.0;

void check(const CompareRequest& request) {
  if (request.methods.empty() && request.options.tableau.empty())
    throw Error("compare needs at least one method: --methods NAME[:S],... or --tableau FILE.toml");
  if (request.steps.empty()) throw Error("compare needs a step: --step H, or --step-list H1,H2,...");
  for (const double h : request.steps)
    if (!(h > 0.0) || !std::isfinite(h)) throw Error(fmt::format("step sizes must be positive, found {:g}", h));
  if (!(request.until > 0.0) || !std::isfinite(request.until))
    throw Error(fmt::format("--until must be a positive time, found {:g}", request.until));
}

// What is for one method only does not keep the others from running.
Options options_of(const Model& model, const CompareRequest& request, const Contender& method, double h) {
  const Options options = with_run_table(model, method.options(request.options), Place::compare);
  return as_taken(model, end_state_options(options, h, request.until));
}

struct End {
  std::vector<double> q, v;
  std::optional<double> exact_error;
};

CompareRun first_run(const Model& model, const CompareRequest& request, const Contender& method, double h, End& end,
                     KeptOverTime& kept) {
  CompareRun run;
  run.method = method.name;
  if (!method.own) {
    const MethodInfo& info = find_method(method.name);
    run.method = info.name;
    run.stages = method.stages != 0 ? method.stages : info.default_stages;
    run.adaptive = info.adaptive;
  }
  run.step = h;
  run.label = method.label(run.method, run.stages);
  Trajectory t;
  try {
    t = simulate(model, kept.recording(options_of(model, request, method, h), request.options), Follower{}).trajectory;
  } catch (const Error& error) {
    run.status = CompareRun::Status::refused;
    run.message = error.what();
    return run;
  }
  run.stages = t.stages;
  run.order = t.order;
  run.method = t.method;
  run.label = method.label(run.method, run.stages);
  run.over_time = kept.of(t);
  run.t = t.t;
  run.steps = t.steps;
  run.iterations = t.newton_iterations;
  run.seconds = t.wall_seconds;
  if (t.energy) run.energy_error = t.energy->max_error;
  run.constraint_position = t.constraint_position;
  if (model.multiplier_count() > 0) run.constraint_velocity = t.constraint_velocity;
  run.constraint_midpoint = t.constraint_midpoint;
  if (t.power_balance) run.power_balance = t.power_balance->max_residual;
  if (t.status == Status::cancelled) throw Cancelled(t.message);
  if (t.status != Status::done) {
    run.status = CompareRun::Status::stopped;
    run.message = t.message;
    return run;
  }
  end = {t.q, t.v, t.error};
  return run;
}

// The time of the steps alone: nothing is looked at on the way. The repeats are interleaved, so that a machine that is
// busy for a while does not spoil one method only.
void measure_times(const Model& model, const CompareRequest& request, const std::vector<Contender>& methods,
                   std::vector<CompareRun>& runs) {
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  double all = 0.0;
  for (const CompareRun& run : runs)
    if (run.status == CompareRun::Status::done) all += run.seconds;
  for (int repeat = 0; repeat < request.repeats; ++repeat) {
    if (elapsed() + all > kTimingBudget || request.options.stop.stop_requested()) return;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      CompareRun& run = runs[i];
      if (run.status != CompareRun::Status::done) continue;
      Options options = options_of(model, request, methods[i / request.steps.size()], run.step);
      options.every = std::numeric_limits<std::int64_t>::max();
      if (const Trajectory t = simulate(model, options, Follower{}).trajectory; t.status == Status::done)
        run.seconds = std::fmin(run.seconds, t.wall_seconds);
    }
  }
}

}  // namespace

CompareReport compare(const Model& model, const CompareRequest& request) {
  check(request);
  (void)usable(model);
  const std::vector<Contender> methods = contenders(request.methods, request.options);
  KeptOverTime kept(model, request.over_time);
  CompareReport out;
  out.until = request.until;
  out.dissipative = model.dissipative || facts_of(model).reports_ports;
  std::vector<End> ends;
  const int all = static_cast<int>(methods.size() * request.steps.size());
  for (const Contender& method : methods)
    for (const double h : request.steps) {
      if (request.progress) request.progress(static_cast<int>(out.runs.size()), all);
      try {
        out.runs.push_back(first_run(model, request, method, h, ends.emplace_back(), kept));
      } catch (const Cancelled&) {
        throw Cancelled(fmt::format("cancelled after {} of {} runs", out.runs.size(), all));
      }
    }
  out.over_time = kept.names();
  const auto refused = [](const CompareRun& run) { return run.status == CompareRun::Status::refused; };
  if (std::all_of(out.runs.begin(), out.runs.end(), refused)) {
    std::vector<std::string> messages;
    for (const CompareRun& run : out.runs)
      if (std::find(messages.begin(), messages.end(), run.message) == messages.end()) messages.push_back(run.message);
    throw Error(fmt::format("{}", fmt::join(messages, "\n")));
  }

  // After --project [exact] may be the solution of another problem.
  const auto has_exact = [](const End& end) { return end.exact_error.has_value(); };
  const bool may_be_exact = std::any_of(ends.begin(), ends.end(), has_exact);
  if (request.reference == "exact" && !model.exact.empty() && !may_be_exact)
    throw Error("--reference exact: [exact] is not the solution from this start. Leave --reference out");
  Reference reference;
  const double smallest = *std::min_element(request.steps.begin(), request.steps.end());
  try {
    reference = find_reference(model, request.reference, smallest, request.until, request.options, Place::compare,
                               may_be_exact);
    out.reference = reference.text;
  } catch (const Error& error) {
    if (!request.reference.empty()) throw;
    out.reference_fault = error.what();
  }
  double size = 0.0;
  for (std::size_t i = 0; i < ends.size() && !out.reference.empty(); ++i) {
    const End& end = ends[i];
    CompareRun& run = out.runs[i];
    if (run.status != CompareRun::Status::done) continue;
    size = std::fmax(size, std::fmax(size_of(end.q), size_of(end.v)));
    if (reference.exact) {
      run.error = end.exact_error;
      continue;
    }
    run.error_positions = distance(end.q, reference.q);
    if (!end.v.empty()) run.error_velocities = distance(end.v, reference.v);
    run.error = std::hypot(*run.error_positions, run.error_velocities.value_or(0.0));
  }

  measure_times(model, request, methods, out.runs);

  const std::size_t steps = request.steps.size();
  for (std::size_t i = 0; i < out.runs.size() && steps > 1; i += steps) {
    std::vector<double> errors, seconds;
    for (std::size_t k = i; k < i + steps; ++k) {
      errors.push_back(out.runs[k].error.value_or(std::nan("")));
      seconds.push_back(out.runs[k].seconds);
    }
    const Line line = fit_line(request.steps, errors, rounding_floor(size));
    out.slopes.push_back(
        {out.runs[i].label, line.fitted, line.last, fit_line(seconds, errors, rounding_floor(size)).fitted});
  }
  return out;
}

}  // namespace rattleback
