// Error against step size, with a slope that leaves out points at rounding.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "method/registry.hpp"
#include "model/usable.hpp"
#include "option/run_table.hpp"
#include "rattleback/cancelled.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "run/follow.hpp"
#include "study/contenders.hpp"
#include "study/reference.hpp"
#include "study/slope.hpp"
#include "system/system.hpp"

namespace rattleback {
namespace {

// prepared: of this method, made by its first run.
Trajectory run(const Model& model, std::optional<Prepared>& prepared, const Options& asked, const Contender& method,
               double step, double until) {
  const Options options = end_state_options(with_run_table(model, method.options(asked), Place::order), step, until);
  if (!prepared) prepared = PreparedRuns::prepare(model, options);
  Trajectory t = PreparedRuns::run(*prepared, options).trajectory;
  if (t.status == Status::cancelled) throw Cancelled(t.message);
  if (t.status != Status::done)
    throw Error(fmt::format("{} with step {:g} did not reach t = {:g}: {}", method.name, step, until, t.message));
  return t;
}

}  // namespace

OrderReport order_study(const Model& model, const OrderRequest& request) {
  const std::vector<Contender> methods = contenders(request.methods, request.options);
  if (methods.empty()) throw Error("order needs at least one method: --methods NAME[:S],... or --tableau FILE.toml");
  if (request.steps.size() < 2) throw Error("order needs at least two step sizes: --step-list H1,H2,...");
  for (const double h : request.steps)
    if (!(h > 0.0) || !std::isfinite(h)) throw Error(fmt::format("step sizes must be positive, found {:g}", h));
  if (!(request.until > 0.0)) throw Error(fmt::format("--until must be a positive time, found {:g}", request.until));
  (void)usable(model);
  OrderReport out;
  const Reference reference =
      find_reference(model, request.reference, *std::min_element(request.steps.begin(), request.steps.end()),
                     request.until, request.options, Place::order);
  const bool exact = reference.exact;
  System system(model);
  out.reference = reference.text;

  for (const Contender& method : methods) {
    std::vector<double> all, eq, ev, em;
    OrderSlope slope;
    double size = 0.0, size_m = 0.0;
    std::optional<Prepared> prepared;
    for (const double h : request.steps) {
      Trajectory t;
      try {
        t = run(model, prepared, request.options, method, h, request.until);
      } catch (const Cancelled&) {
        throw Cancelled(
            fmt::format("cancelled after {} of {} runs", out.runs.size(), methods.size() * request.steps.size()));
      }
      OrderRun r;
      r.method = t.method;
      r.label = method.label(t.method, t.stages);
      r.stages = t.stages;
      r.step = h;
      r.seconds = t.wall_seconds;
      if (exact) {
        r.error = t.error.value_or(std::nan(""));
        const auto of = [&](Space space) {  // NaN: [exact] does not name any
          return system.exact_error(t.t, t.q, t.v, t.multipliers, space).value_or(std::nan(""));
        };
        r.error_q = of(kPosition);
        r.error_v = of(kVelocity);
        r.error_multipliers = of(kMultiplier);
      } else {
        r.error_q = distance(t.q, reference.q);
        r.error_v = distance(t.v, reference.v);
        r.error_multipliers = distance(t.multipliers, reference.multipliers);
        r.error = std::hypot(r.error_q, r.error_v);
      }
      size = std::fmax(size, std::fmax(size_of(t.q), size_of(t.v)));
      size_m = std::fmax(size_m, size_of(t.multipliers));
      all.push_back(r.error);
      eq.push_back(r.error_q);
      ev.push_back(r.error_v);
      em.push_back(r.error_multipliers);
      slope.label = r.label;
      out.runs.push_back(std::move(r));
    }
    const double floor = rounding_floor(size);
    const Line line = fit_line(request.steps, all, floor);
    slope.fitted = line.fitted;
    slope.last = line.last;
    slope.points = line.points;
    slope.fitted_q = fit_line(request.steps, eq, floor).fitted;
    slope.fitted_v = fit_line(request.steps, ev, floor).fitted;
    slope.fitted_multipliers = fit_line(request.steps, em, 10.0 * rounding_floor(size_m)).fitted;
    out.slopes.push_back(std::move(slope));
  }
  return out;
}

}  // namespace rattleback
