#include "run/failure.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "audit/energy_balance.hpp"
#include "audit/rank.hpp"
#include "rattleback/error.hpp"
#include "run/complete.hpp"
#include "run/follow.hpp"

namespace rattleback {

Failure failure_of(const SolveReport& report) {
  switch (report.trouble) {
    case Trouble::newton: break;
    case Trouble::singular: return Failure::singular;
    case Trouble::not_finite: return Failure::not_finite;
  }
  return Failure::newton;
}

std::string failure_text(const BoundMethod& method, const System& system, const FailedStep& where,
                         const SolveReport& f) {
  const StepTaker& s = *method.stepper;
  std::string text =
      fmt::format("{} ({} stage{}): stopped at t = {:.10g} (step {}, h = {:g}): {}", method.name, method.stages,
                  method.stages == 1 ? "" : "s", where.t, where.step + 1, where.h, f.reason);
  if (f.iterations > 0)
    text += fmt::format("; residual {:.1e} after {} iterations, last correction {:.1e}, last ratio {:.2g}", f.residual,
                        f.iterations, f.correction, f.contraction);
  std::vector<double> q(s.q().begin(), s.q().end());
  for (const double part : {0.0, 0.5, 1.0}) {
    if (part > 0.0)
      for (std::size_t i = 0; i < std::min(q.size(), s.v().size()); ++i) q[i] = s.q()[i] + part * where.h * s.v()[i];
    const double t = where.t + part * where.h;
    const auto loss = rank_loss(system, t, q, s.v(), s.active());
    if (const auto redundant = s.redundant(); loss && redundant && loss->rank >= redundant->rank) continue;
    if (!loss) continue;
    text +=
        fmt::format(". The constraints lose rank at t = {:.6g}: '{}' depends on the others or vanishes (rank {} of {})",
                    t, loss->constraint, loss->rank, loss->rows);
    break;
  }
  return text + (where.step == 0   ? ". Nothing was integrated."
                 : where.step == 1 ? ". 1 step was kept."
                                   : fmt::format(". {} steps were kept.", where.step));
}

namespace {

// Steps that all trials together may take, by the size of the system: about half a second.
std::int64_t affordable_steps(const Model& model) {
  constexpr std::int64_t kMostNodes = 20'000, kMostUnknowns = 400;  // beyond, making a step takes long
  const std::int64_t n = model.coordinates.size() + model.multiplier_count();
  if (n > kMostUnknowns || static_cast<std::int64_t>(model.graph->size()) > kMostNodes) return 0;
  return std::clamp<std::int64_t>(100'000 / std::max<std::int64_t>(1, n), 100, 20'000);
}

// The same run with other options, without what it leaves behind.
class Trials {
 public:
  Trials(const Model& model, const Options& options, const FailedStep& where)
      : model_(model),
        energy_is_kept_(why_energy_changes(model).empty()),
        plain_(options),
        where_(where),
        left_(affordable_steps(model)) {
    plain_.checkpoint.clear();
    plain_.resume = plain_.audit_reverse = plain_.audit_power = plain_.audit_order = false;
    plain_.keep_records = plain_.record_multipliers = false;
    plain_.every = 0;
    plain_.output_every = 0.0;
    plain_.progress = {};
    plain_.native = Native::off;
    if (plain_.steps) {
      plain_.until = plain_.from + static_cast<double>(*plain_.steps) * plain_.step;
      plain_.steps.reset();
    }
    end_ = *plain_.until;
  }

  [[nodiscard]] Options options() const { return plain_; }
  [[nodiscard]] bool exhausted() const { return left_ <= 0; }

  enum class Result { not_tried, fails, passes, arrives };
  // last: where it stopped.
  Result run(Options o, double* last) {
    const double way = where_.t + 2.0 * where_.h;  // far enough to say that the place was passed
    double to = far(way) < far(end_) ? way : end_;
    const auto steps_to = [&](double t) { return o.adaptive > 0.0 ? 1.0 : std::fabs((t - o.from) / o.step); };
    if (steps_to(end_) <= static_cast<double>(left_)) to = end_;
    if (steps_to(to) > static_cast<double>(left_)) return Result::not_tried;
    o.until = to;
    Follower follower;
    if (o.adaptive > 0.0) follower.go_on = [this](double, std::int64_t steps, const auto&) { return steps < left_; };
    try {
      const Trajectory t = simulate(model_, o, follower).trajectory;
      left_ -= std::max<std::int64_t>(t.steps, 1);
      *last = t.t;
      if (t.status != Status::done || jumps(t)) return Result::fails;
      if (far(t.t) < far(to) * (1.0 - 1e-9))  // an adaptive run that took too long
        return far(t.t) > far(way) ? Result::passes : Result::not_tried;
      return to == end_ ? Result::arrives : Result::passes;
    } catch (const Error&) {
      return Result::not_tried;  // not for this system
    }
  }

 private:
  [[nodiscard]] double far(double t) const { return std::fabs(t - plain_.from); }
  // A run that steps over the end of a solution arrives, but with another energy than it had.
  [[nodiscard]] bool jumps(const Trajectory& t) const {
    const auto finite = [](double x) { return std::isfinite(x); };
    if (!std::all_of(t.q.begin(), t.q.end(), finite) || !std::all_of(t.v.begin(), t.v.end(), finite)) return true;
    return t.energy && energy_is_kept_ && !(t.energy->max_error <= std::fmax(where_.energy, t.energy->max_kinetic));
  }

  const Model& model_;
  bool energy_is_kept_;  // by the exact motion
  Options plain_;
  FailedStep where_;
  std::int64_t left_;
  double end_ = 0.0;
};

std::string tried(Trials::Result result) {
  return result == Trials::Result::arrives ? "with it the same run was tried, and reaches its end"
                                           : "with it the same run was tried, and gets past this point";
}

}  // namespace

std::string advice(const Model& model, const Options& asked, const FailedStep& where) {
  using Result = Trials::Result;
  if (where.ends) return fmt::format("--until {:.10g} ends the run before that", where.t);
  const Options o = complete(model, asked);
  Trials trials(model, o, where);
  if (trials.exhausted()) return "A smaller step or another method may help; this system is too large to try them here";
  double last = where.t, smallest = 0.0;
  std::vector<double> stops = {where.t};  // of what was tried
  const auto helps = [&](Result r) { return r == Result::passes || r == Result::arrives; };
  const auto attempt = [&](const Options& other) {
    const Result r = trials.run(other, &last);
    if (r == Result::fails) stops.push_back(last);
    return r;
  };
  // Smaller steps, or what decides about them.
  const bool tolerance = o.adaptive > 0.0;
  const std::vector<double> parts = tolerance ? std::vector<double>{0.1, 1e-2, 1e-4}
                                    : where.adaptive
                                        ? std::vector<double>{}
                                        : std::vector<double>{0.5, 0.25, 0.125, 0x1p-4, 0x1p-6, 0x1p-9, 0x1p-12};
  for (const double part : parts) {
    Options other = trials.options();
    double& number = tolerance ? other.adaptive : other.step;
    number = (tolerance ? o.adaptive : where.h) * part;
    if (tolerance && number < 1e-14) break;
    const Result r = attempt(other);
    if (helps(r)) return fmt::format("Try --{} {:g}: {}", tolerance ? "adaptive" : "step", number, tried(r));
    if (r == Result::not_tried) break;
    smallest = number;
  }
  // Where steps so different stop at the same time, it is not for their size.
  const bool settled = stops.size() > 3 && std::fabs(stops.back() - stops[stops.size() - 2]) <=
                                               std::fmax(0.01 * std::fabs(stops.back()), 4.0 * std::fabs(smallest));
  // Another method, with the same step.
  std::string names;
  constexpr std::pair<const char*, int> kOthers[] = {
      {"spark-gauss", 2}, {"spark-lobatto-ab", 2}, {"srk-gauss", 2}, {"collocation-gauss", 2}, {"dg-gonzalez", 0}};
  for (const auto& [name, stages] : kOthers) {
    if (name == o.method || trials.exhausted()) continue;
    Options other = trials.options();
    other.tableau.clear();
    other.method = name;
    other.stages = stages;
    other.compose = 0;
    const Result r = attempt(other);
    if (helps(r))
      return fmt::format("Try --method {}{}{}: {}", name, stages > 0 ? fmt::format(" --stages {}", stages) : "",
                         o.tableau.empty() ? "" : " without --tableau", tried(r));
    if (r == Result::fails) names += (names.empty() ? "" : ", ") + std::string(name);
  }
  if (stops.size() == 1) return "A smaller step or another method may help; to try them here would take too long";
  std::string text = "No cure was found: ";
  if (smallest != 0.0) text += fmt::format("--{} down to {:g}", tolerance ? "adaptive" : "step", smallest);
  if (!names.empty())
    text +=
        fmt::format("{}{} with the same {}", smallest != 0.0 ? " and " : "", names, tolerance ? "tolerance" : "step");
  const double furthest = *std::max_element(
      stops.begin(), stops.end(), [&](double a, double b) { return std::fabs(a - o.from) < std::fabs(b - o.from); });
  text += fmt::format(" stop by t = {:.6g} at the latest", furthest);
  return text + (settled ? ". The solution seems to end there" : ". Other settings were not tried");
}

}  // namespace rattleback
