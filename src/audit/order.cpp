// Error against step size, with a slope that leaves out points at rounding.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "methods/registry.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback {
namespace {

struct End {
  std::vector<double> q, v, multipliers;
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double s = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) s += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(s);
}

double size_of(const std::vector<double>& a) { return distance(a, std::vector<double>(a.size(), 0.0)); }

Trajectory run(const Model& model, Options options, const std::string& method, int stages, double step, double until) {
  options.method = method;
  options.stages = stages;
  options.step = step;
  options.until = until;
  options.steps.reset();
  options.keep_records = false;
  options.every = 0;
  options.audit_order = options.audit_reverse = false;
  Trajectory t = simulate(model, options);
  if (t.status != Status::done)
    throw Error(fmt::format("{} with step {:g} did not reach t = {:g}: {}", method, step, until, t.message));
  return t;
}

struct Line {
  double fitted = std::nan(""), last = std::nan("");
  int points = 0;
};

// Slope of log(error) over log(step); points whose error is below `floor` are rounding and do not count.
Line fit(const std::vector<double>& steps, const std::vector<double>& errors, double floor) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (errors[i] > floor && std::isfinite(errors[i]))
      points.emplace_back(std::log(std::fabs(steps[i])), std::log(errors[i]));
  std::sort(points.begin(), points.end());
  Line line;
  line.points = static_cast<int>(points.size());
  if (points.size() < 2) return line;
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const double n = static_cast<double>(points.size());
  for (const auto& [x, y] : points) {
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  line.fitted = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  line.last = (points[1].second - points[0].second) / (points[1].first - points[0].first);
  return line;
}

}  // namespace

OrderReport order_study(const Model& model, const OrderRequest& request) {
  if (request.methods.empty()) throw Error("order needs at least one method: --methods NAME[:S],...");
  if (request.steps.size() < 2) throw Error("order needs at least two step sizes: --step-list H1,H2,...");
  for (const double h : request.steps)
    if (!(h > 0.0) || !std::isfinite(h)) throw Error(fmt::format("step sizes must be positive, found {:g}", h));
  if (!(request.until > 0.0)) throw Error(fmt::format("--until must be a positive time, found {:g}", request.until));
  OrderReport out;
  const bool exact = request.reference == "exact" || (request.reference.empty() && !model.exact.empty());
  if (exact && model.exact.empty())
    throw Error(fmt::format("model '{}' has no [exact] solution; use --reference NAME:S:H", model.key));

  // A reference of another kind and higher order: Gauss with 8 stages, at the smallest step asked for.
  End reference;
  if (!exact) {
    std::string name = model.kind == Kind::mechanical         ? "spark-gauss"
                       : model.kind == Kind::odae             ? "euler-true"
                       : model.kind == Kind::port_hamiltonian ? "collocation-gauss"
                                                              : "srk-gauss";
    int stages = model.kind == Kind::odae ? 0 : 8;
    double step = *std::min_element(request.steps.begin(), request.steps.end());
    if (!request.reference.empty()) {
      const auto a = request.reference.find(':'), b = request.reference.rfind(':');
      bool good = a != std::string::npos && a != b;
      if (good) {
        try {
          name = request.reference.substr(0, a);
          std::size_t used = 0;
          stages = std::stoi(request.reference.substr(a + 1, b - a - 1), &used);
          good = used == b - a - 1;
          const std::string h = request.reference.substr(b + 1);
          step = std::stod(h, &used);
          good = good && used == h.size() && step > 0.0;
        } catch (const std::exception&) {
          good = false;
        }
      }
      if (!good) throw Error(fmt::format("--reference takes 'exact' or NAME:S:H, found '{}'", request.reference));
      if (find_method(name).fixed_stages != 0) stages = 0;
    }
    Options plain = request.options;
    plain.compose = model.kind == Kind::odae && request.reference.empty() ? 8 : 0;
    plain.newton_tol = 0.0;
    const Trajectory t = run(model, plain, name, stages, step, request.until);
    reference = {t.q, t.v, t.multipliers};
    out.reference = fmt::format("{}:{}:{:g}", name, t.stages, step);
    if (plain.compose != 0) out.reference += fmt::format(", composed to order {}", plain.compose);
  } else {
    out.reference = "exact";
  }

  for (const auto& [name, stages] : request.methods) {
    std::vector<double> all, eq, ev, em;
    OrderSlope slope;
    double size = 0.0, size_m = 0.0;
    for (const double h : request.steps) {
      const Trajectory t = run(model, request.options, name, stages, h, request.until);
      OrderRun r;
      r.method = t.method;
      r.stages = t.stages;
      r.step = h;
      r.seconds = t.wall_seconds;
      if (exact) {
        r.error = t.error.value_or(std::nan(""));
        r.error_q = r.error;
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
      const bool fixed = find_method(name).fixed_stages != 0;
      slope.label = fixed ? r.method : fmt::format("{}({})", r.method, r.stages);
      out.runs.push_back(std::move(r));
    }
    // Rounding: some hundred units in the last place, growing with the number of steps.
    const double floor = 2e-14 * std::fmax(size, 1e-300);
    const Line line = fit(request.steps, all, floor);
    slope.fitted = line.fitted;
    slope.last = line.last;
    slope.points = line.points;
    slope.fitted_q = fit(request.steps, eq, floor).fitted;
    slope.fitted_v = exact ? std::nan("") : fit(request.steps, ev, floor).fitted;
    slope.fitted_multipliers =
        exact ? std::nan("") : fit(request.steps, em, 10.0 * 2e-14 * std::fmax(size_m, 1e-300)).fitted;
    out.slopes.push_back(std::move(slope));
  }
  return out;
}

}  // namespace rattleback
