#include "support/random_checks.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "rattleback/error.hpp"
#include "rattleback/write.hpp"
#include "support/json.hpp"

namespace rattleback::testing {
namespace {

using Is = Verdict::Is;
constexpr double kEps = 2.2e-16;

Verdict wrong(std::string text) { return {Is::wrong, std::move(text)}; }
Verdict beside(std::string text) { return {Is::beside_the_point, std::move(text)}; }

double largest(std::span<const double> x) {
  double s = 0;
  for (const double y : x) s = std::fmax(s, std::fabs(y));
  return s;
}
Real largest(const Reals& x) {
  Real s = 0;
  for (const Real y : x) s = std::fmax(s, std::fabs(y));
  return s;
}
Real distance(const Reals& a, const Reals& b) {
  Real s = 0;
  for (std::size_t i = 0; i < a.size(); ++i) s = std::fmax(s, std::fabs(a[i] - b[i]));
  return s;
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

std::span<const double> row(const std::vector<double>& table, std::size_t rows, std::size_t i) {
  const std::size_t width = rows == 0 ? 0 : table.size() / rows;
  return std::span<const double>(table).subspan(i * width, width);
}

bool all_finite(const Trajectory& t) {
  for (const auto* list :
       {&t.q, &t.v, &t.multipliers, &t.records.q, &t.records.v, &t.records.multipliers, &t.records.energy})
    for (const double x : *list)
      if (!std::isfinite(x)) return false;
  return true;
}

std::string same_run(const Trajectory& a, const Trajectory& b) {
  if (!same_bits(a.q, b.q)) return "q at the end differs";
  if (!same_bits(a.v, b.v)) return "v at the end differs";
  if (!same_bits(a.multipliers, b.multipliers)) return "the multipliers at the end differ";
  if (a.records.rows != b.records.rows) return fmt::format("{} rows, not {}", b.records.rows, a.records.rows);
  if (!same_bits(a.records.t, b.records.t)) return "the times of the records differ";
  if (!same_bits(a.records.q, b.records.q)) return "recorded q differ";
  if (!same_bits(a.records.v, b.records.v)) return "recorded v differ";
  if (!same_bits(a.records.multipliers, b.records.multipliers)) return "recorded multipliers differ";
  if (!same_bits(a.records.energy, b.records.energy)) return "recorded energies differ";
  if (a.energy && b.energy &&
      (a.energy->max_error != b.energy->max_error || a.energy->drift_per_time != b.energy->drift_per_time))
    return fmt::format("the audit of the energy differs: {} and {}", a.energy->max_error, b.energy->max_error);
  return "";
}

}  // namespace

const char* to_string(RandomCheck check) {
  switch (check) {
    case RandomCheck::multipliers: return "multipliers";
    case RandomCheck::order: return "order";
    case RandomCheck::composed: return "composed";
    case RandomCheck::adaptive: return "adaptive";
    case RandomCheck::audit: return "audit";
    case RandomCheck::dense: return "dense";
    case RandomCheck::events: return "events";
    case RandomCheck::resume: return "resume";
    case RandomCheck::native: return "native";
    case RandomCheck::renaming: return "renaming";
    case RandomCheck::reordering: return "reordering";
    case RandomCheck::units: return "units";
  }
  return "";
}

Subject::Subject(RandomModel random)
    : random_(std::move(random)),
      model_(parse_model(random_.text, "random.toml", {.unroll_below = kLargestFamily})),
      truth_(long_system(model_)) {}

Options Subject::options(const MethodInfo& method) const {
  Options out{.method = std::string(method.name), .step = random_.step, .steps = 5, .native = "off"};
  if (method.fixed_stages == 0) out.stages = method.min_stages + static_cast<int>(random_.number % 2);
  if (random_.redundant) out.redundant = "minimum-norm";
  const bool asked = !method.formulations.empty() && method.formulations.front() == Formulation::none;
  if (asked && !model_.holonomic_names.empty())
    out.formulation = random_.number % 2 == 0 && method.formulations.size() > 2 ? "ggl" : "index2";
  return out;
}

Subject::Outcome Subject::run(const Model& model, const Options& options) {
  try {
    Trajectory t = simulate(model, options);
    if (t.status != Status::done) {
      if (t.message.empty()) return {{}, wrong("stopped without a message")};
      if (!all_finite(t)) return {{}, wrong("a value that is not finite is among the records of a run that stopped")};
      return {{}, {Is::refused, "stopped: " + t.message}};
    }
    if (!all_finite(t)) return {{}, wrong("done, but a value is not finite")};
    return {std::move(t), {}};
  } catch (const Error& error) {
    if (std::string(error.what()).empty()) return {{}, wrong("refused without a reason")};
    return {{}, {Is::refused, error.what()}};
  }
}

Reals Subject::state(const Trajectory& t, std::size_t i) const {
  return truth_->differential(widened(row(t.records.q, t.records.rows, i)),
                              widened(row(t.records.v, t.records.rows, i)));
}

Verdict Subject::verdict(const MethodInfo& method, RandomCheck check) {
  switch (check) {
    case RandomCheck::multipliers: return multipliers(method);
    case RandomCheck::order: return order(method, options(method), false);
    case RandomCheck::composed: {
      Options o = options(method);
      o.compose = random_.number % 2 == 0 ? 4 : 6;
      return order(method, std::move(o), false);
    }
    case RandomCheck::adaptive: return adaptive(method);
    case RandomCheck::audit: return audit(method);
    case RandomCheck::dense: return order(method, options(method), true);
    case RandomCheck::events: return events(method);
    case RandomCheck::resume: return resume(method);
    case RandomCheck::native: return native(method);
    case RandomCheck::renaming: return renaming(method);
    case RandomCheck::reordering: return reordering(method);
    case RandomCheck::units: return units(method);
  }
  return {};
}

// Recorded multipliers, algebraic variables and algebraic states are those of the recorded state.
Verdict Subject::multipliers(const MethodInfo& method) {
  if (model_.kind == Kind::odae) return beside("an odae records the method's own");
  const Outcome outcome = run(model_, options(method));
  if (!outcome.done) return outcome.verdict;
  const Trajectory& t = *outcome.done;
  for (std::size_t i = 0; i < t.records.rows; i += 2) {
    const Reals recorded = truth_->recorded_algebraic(widened(row(t.records.q, t.records.rows, i)),
                                                      widened(row(t.records.multipliers, t.records.rows, i)));
    if (recorded.empty()) return beside("nothing is algebraic");
    const auto rates = truth_->rates(t.records.t[i], state(t, i));
    const Real size = largest(rates.algebraic), off = distance(recorded, rates.algebraic);
    // Redundant rows: a state off the constraints by rounding has no exact solution.
    const Real allowed = (1e-8L + 1e-14L / rates.least_pivot) * size + 1e-12L;
    if (!(off <= allowed))
      return wrong(fmt::format("at t = {}: off by {:.2e}, the largest is {:.2e} (pivot {:.0e})", t.records.t[i],
                               double(off), double(size), double(rates.least_pivot)));
  }
  return {};
}

// Energies, residuals and the numbers made of them; the JSON object holds the same and no nan.
Verdict Subject::audit(const MethodInfo& method) {
  const Outcome outcome = run(model_, options(method));
  if (!outcome.done) return outcome.verdict;
  const Trajectory& t = *outcome.done;
  const auto& r = t.records;
  double error = 0, position = 0, velocity = 0;
  for (std::size_t i = 0; i < r.rows; ++i) {
    const Reals q = widened(row(r.q, r.rows, i)), v = widened(row(r.v, r.rows, i));
    const auto values = truth_->values(r.t[i], q, v);
    const Real size = 1 + largest(q) + largest(v);
    if (values.energy) {
      if (r.energy.size() != r.rows) return wrong("no energies were recorded");
      const Real off = std::fabs(r.energy[i] - *values.energy);
      if (!(off <= 1e-13L * (1 + values.energy_size)))
        return wrong(
            fmt::format("energy at t = {}: {} where {} is right", r.t[i], r.energy[i], double(*values.energy)));
      error = std::fmax(error, std::fabs(r.energy[i] - r.energy[0]));
    }
    const auto compare = [&](const char* what, const std::vector<double>& recorded, Real right,
                             double& most) -> std::string {
      if (recorded.size() != r.rows) return {};
      most = std::fmax(most, recorded[i]);
      if (std::fabs(recorded[i] - right) <= 1e-14L * size * size * size) return {};
      return fmt::format("{} residual at t = {}: {} where {} is right", what, r.t[i], recorded[i], double(right));
    };
    if (values.position)
      if (std::string text = compare("position", r.residual_position, *values.position, position); !text.empty())
        return wrong(text);
    if (values.velocity)
      if (std::string text = compare("velocity", r.residual_velocity, *values.velocity, velocity); !text.empty())
        return wrong(text);
  }
  if (t.energy &&
      (t.energy->initial != r.energy.front() || t.energy->final != r.energy.back() || t.energy->max_error != error))
    return wrong(fmt::format("energy audit {} against {} from the records", t.energy->max_error, error));
  if (t.constraint_position && !r.residual_position.empty() && *t.constraint_position != position)
    return wrong(fmt::format("constraints.position {} against {} from the records", *t.constraint_position, position));
  if (t.constraint_velocity && !r.residual_velocity.empty() && *t.constraint_velocity != velocity)
    return wrong(fmt::format("constraints.velocity {} against {} from the records", *t.constraint_velocity, velocity));
  if (!same_bits(t.q, row(r.q, r.rows, r.rows - 1))) return wrong("the last record is not the end");
  const auto json = parse_json(to_json(model_, t));  // nan is no JSON
  const auto& q = json.at(model_.kind == Kind::mechanical ? "q" : "x");
  for (std::int32_t i = 0; i < model_.coordinates.size(); ++i)
    if (q.at(model_.coordinates[i]) != t.q[i]) return wrong("JSON: another number for " + model_.coordinates[i]);
  return {};
}

std::vector<Reals> Subject::right_motion(double until, int count) {
  if (!random_.smooth || model_.coordinates.size() + model_.multiplier_count() > 40) return {};
  return long_motion(*truth_, truth_->differential(widened(model_.q0), widened(model_.v0)), until / count, count);
}

// Halves the step until the error falls twice as claimed; between steps one order less is promised. The multipliers of an
// odae are the method's own, so that they have an order, too.
Verdict Subject::order(const MethodInfo& method, Options o, bool between) {
  constexpr const char* kParts[] = {"positions or states", "velocities", "multipliers"};
  const double until = 8 * random_.step;
  const int records = 10;  // per `until`; not a multiple of the steps
  const std::vector<Reals> right = right_motion(until, records);
  if (right.empty()) return beside("kinks, or too large to repeat in long double");
  const auto n = static_cast<std::size_t>(model_.coordinates.size());
  const Reals last_multipliers =
      model_.kind == Kind::odae && !between ? truth_->rates(until, right.back()).algebraic : Reals{};
  // A discrete gradient divides differences of the energy by moves, so that its rounding is that of the energy, which may
  // be large against what moves.
  Real floor = 1e-12L;
  if (method.energy == Claim::yes && model_.kind == Kind::mechanical) {
    const auto moving = truth_->values(0, widened(model_.q0), widened(model_.v0));
    const auto resting = truth_->values(0, widened(model_.q0), Reals(n, 0));
    const Real kinetic = std::fabs(*moving.energy - *resting.energy);
    constexpr Real eps = std::numeric_limits<double>::epsilon();
    if (kinetic > 0) floor = std::fmax(floor, 8 * eps * moving.energy_size / kinetic);
  }
  std::vector<std::array<Real, 3>> errors;
  std::array<int, 3> claimed = {}, good = {};  // good: halvings in a row
  for (const int steps : {4, 8, 16, 32, 64, 128, 256, 512, 1024}) {
    o.step = until / steps;
    o.steps = steps;
    if (between) o.output_every = until / records;
    const Outcome outcome = run(model_, o);
    if (!outcome.done) return outcome.verdict;
    const Trajectory& t = *outcome.done;
    if (t.order == 0) return beside("no order is claimed");
    claimed = {t.orders.q, t.orders.v, t.orders.multipliers};
    if (between) claimed = {t.order - 1, t.order - 1, 0};
    std::array<Real, 3> error = {};
    for (std::size_t i = 1; i < t.records.rows; ++i) {
      const Real at = t.records.t[i] / (until / records);
      const auto k = static_cast<std::size_t>(std::lround(at));
      if (std::fabs(at - Real(k)) > 1e-9L || k == 0 || (!between && k != records)) continue;
      const Reals x = state(t, i);
      for (std::size_t j = 0; j < x.size(); ++j)
        error[j < n ? 0 : 1] = std::fmax(error[j < n ? 0 : 1], std::fabs(x[j] - right[k - 1][j]));
    }
    if (!last_multipliers.empty()) error[2] = distance(widened(t.multipliers), last_multipliers);
    errors.push_back(error);
    if (errors.size() < 2) continue;
    for (std::size_t part = 0; part < error.size(); ++part) {
      const bool rounding = error[part] < floor * (1 + largest(right.back()));
      const bool falls = std::log2(errors[errors.size() - 2][part] / error[part]) > claimed[part] - 0.35L;
      good[part] = rounding ? 2 : falls ? good[part] + 1 : 0;
    }
    if (*std::min_element(good.begin(), good.end()) >= 2) return {};
  }
  std::string text;
  for (std::size_t part = 0; part < good.size(); ++part) {
    if (good[part] >= 2) continue;
    text += fmt::format("{}order {} is claimed for {}; errors", text.empty() ? "" : "; ", claimed[part], kParts[part]);
    for (const auto& e : errors) text += fmt::format(" {:.1e}", double(e[part]));
  }
  return wrong(text);
}

// Steps of a size that is chosen: the error at the end and between the steps goes with the tolerance.
Verdict Subject::adaptive(const MethodInfo& method) {
  const double until = 8 * random_.step;
  const int records = 10;
  const std::vector<Reals> right = right_motion(until, records);
  if (right.empty()) return beside("kinks, or too large to repeat in long double");
  Options o = options(method);
  o.until = until;
  o.steps = {};
  o.output_every = until / records;
  const double tolerance = method.order != nullptr && method.order(std::max(o.stages, 1)) > 2 ? 1e-8 : 1e-5;
  o.adaptive = tolerance;
  if (method.adaptive) {
    o.adaptive = 0;
    o.rtol = o.atol = tolerance;
  }
  if (random_.number % 2 == 0 && !method.adaptive) o.controller = "reversible";
  const Outcome outcome = run(model_, o);
  if (!outcome.done) return outcome.verdict;
  const Trajectory& t = *outcome.done;
  if (t.order == 0 && !method.adaptive) return beside("no order is claimed");  // smaller steps need not help
  if (t.records.rows != static_cast<std::size_t>(records) + 1)
    return wrong(fmt::format("{} rows, not {}", t.records.rows, records + 1));
  const Real steps = t.adaptive ? Real(t.adaptive->steps) : 0;  // each may be off by the tolerance
  Real size = 1;
  for (const Reals& x : right) size = std::fmax(size, largest(x));
  const auto worst = [&](const Trajectory& run) {
    std::pair<Real, std::size_t> out{0, 0};
    for (std::size_t i = 1; i < run.records.rows; ++i)
      if (const Real off = distance(state(run, i), right[i - 1]); !(off <= out.first)) out = {off, i};
    return out;
  };
  const auto [off, i] = worst(t);
  if (off <= (100 + 10 * steps) * tolerance * size) return {};
  // Near a configuration where constraints lose rank a motion amplifies the errors of its steps. They follow the tolerance then.
  if (method.adaptive)
    o.rtol = o.atol = tolerance / 100;
  else
    o.adaptive = tolerance / 100;
  const Outcome closer = run(model_, o);
  if (closer.done && closer.done->records.rows == t.records.rows && worst(*closer.done).first <= off / 10)
    return beside("the motion amplifies errors, which follow the tolerance");
  return wrong(fmt::format("at t = {}: off by {:.1e} with a tolerance of {:.0e}, sizes up to {:.1e}", t.records.t[i],
                           double(off), tolerance, double(size)));
}

// A coordinate passes the mean of two of its records between them: the event is there, and the function is zero.
Verdict Subject::events(const MethodInfo& method) {
  Options o = options(method);
  const Outcome outcome = run(model_, o);
  if (!outcome.done) return outcome.verdict;
  const Trajectory& t = *outcome.done;
  const std::size_t last = t.records.rows - 1;
  for (std::int32_t j = 0; j < model_.coordinates.size(); ++j) {
    const double a = row(t.records.q, t.records.rows, last - 2)[j], b = row(t.records.q, t.records.rows, last - 1)[j];
    const double mean = 0.5 * (a + b);
    if (std::fabs(b - a) < 1e-6 * (1 + std::fabs(a))) continue;
    o.event = {fmt::format("{} - ({})", model_.coordinates[j], mean)};
    const Outcome second = run(model_, o);
    if (!second.done) return second.verdict;
    for (const EventFound& event : second.done->events) {
      const double off = std::fabs(event.q[j] - mean);
      // Of the coordinates, which constraints mix, and of the time at this speed. Five bodies in space: 6.7e-15.
      if (!(off <= 32 * kEps * (1 + largest(event.q) + std::fabs(b - a) * event.t / o.step)))
        return wrong(fmt::format("{} at t = {} is {:.1e}, not 0", o.event[0], event.t, off));
    }
    for (const EventFound& event : second.done->events)
      if (event.t >= t.records.t[last - 2] && event.t <= t.records.t[last - 1]) return {};
    for (const std::string& note : second.done->notes)
      if (note.find("not located: no step of the method ends there") != std::string::npos)
        return beside("the step begins with a jump across the zero");
    return wrong(fmt::format("{}: no event between t = {} and {}, where it changes its sign", o.event[0],
                             t.records.t[last - 2], t.records.t[last - 1]));
  }
  return beside("nothing moves");
}

Verdict Subject::resume(const MethodInfo& method) {
  const std::string file = (std::filesystem::temp_directory_path() / fmt::format("random_{}.ck", getpid())).string();
  Options o = options(method);
  o.steps = 7 + static_cast<std::int64_t>(random_.number % 4);
  o.every = 1 + static_cast<std::int64_t>(random_.number % 3);
  const Outcome whole = run(model_, o);
  if (!whole.done) return whole.verdict;
  o.checkpoint = file;
  Options half = o;
  half.steps = 4;
  Outcome resumed = run(model_, half);
  if (resumed.done) {
    o.resume = true;
    resumed = run(model_, o);
  }
  std::filesystem::remove(file);
  if (!resumed.done) return resumed.verdict;
  const std::string text = same_run(*whole.done, *resumed.done);
  return text.empty() ? Verdict{} : wrong(fmt::format("--every {}, 4 of {} steps: {}", o.every, *o.steps, text));
}

Verdict Subject::native(const MethodInfo& method) {
  Options o = options(method);
  o.steps = 12;
  const Outcome interpreted = run(model_, o);
  if (!interpreted.done) return interpreted.verdict;
  o.native = "on";
  const Outcome compiled = run(model_, o);
  if (!compiled.done) return compiled.verdict;
  const std::string text = same_run(*interpreted.done, *compiled.done);
  return text.empty() ? Verdict{} : wrong(text);
}

Verdict Subject::renaming(const MethodInfo& method) {
  const Outcome one = run(model_, options(method));
  const Model other = parse_model(renamed(random_.text).text, "random.toml", {.unroll_below = kLargestFamily});
  const Outcome two = run(other, options(method));
  if (!one.done && two.verdict.is == one.verdict.is) return one.verdict;
  if (!one.done || !two.done) return wrong("under other names: " + (one.done ? two.verdict.text : "it runs"));
  const std::string text = same_run(*one.done, *two.done);
  return text.empty() ? Verdict{} : wrong(text);
}

Verdict Subject::reordering(const MethodInfo& method) {
  if (method.name == "dg-itoh-abe") return beside("takes one coordinate after the other");
  // Which rows are left out depends on their order, and off the constraints they do not say quite the same: where positions
  // drift, and at stages that only the ends of steps are kept to.
  const Choice<Formulation> asked = options(method).formulation;
  const bool at_stages =
      !asked.given() && !method.formulations.empty() && method.formulations.front() == Formulation::index3;
  if (random_.redundant && !model_.holonomic_names.empty() && !at_stages)
    return beside("dependent rows while positions are off them");
  const Outcome one = run(model_, options(method));
  // Reduced coordinates depend on the order of the coordinates (docs/theory/energy.md), not on that of the constraints.
  const bool reduced = method.energy == Claim::yes && model_.kind == Kind::mechanical;
  const Model other =
      parse_model(reordered(random_.text, random_.number, !reduced), "random.toml", {.unroll_below = kLargestFamily});
  const Outcome two = run(other, options(method));
  if (!one.done && two.verdict.is == one.verdict.is) return one.verdict;
  if (!one.done || !two.done) return wrong("in another order: " + (one.done ? two.verdict.text : "it runs"));
  const double size = 1 + largest(one.done->q) + largest(one.done->v);
  // Codes that choose their steps by sums over all coordinates choose other ones when their last bits differ.
  const double allowed = method.adaptive ? 100 * Options{}.rtol : 1e-10;
  for (std::int32_t i = 0; i < model_.coordinates.size(); ++i) {
    const std::string name = model_.coordinates[i];
    const auto j = static_cast<std::size_t>(*other.coordinates.find(name));
    const double q = one.done->q[i] - two.done->q[j], v = one.done->v.empty() ? 0.0 : one.done->v[i] - two.done->v[j];
    if (!(std::fabs(q) <= allowed * size) || !(std::fabs(v) <= 10 * allowed * size))
      return wrong(fmt::format("{} differs by {:.1e}, its velocity by {:.1e}", name, q, v));
  }
  return {};
}

Verdict Subject::units(const MethodInfo& method) {
  if (!random_.small) return beside("has no units");
  if (method.adaptive) return beside("its tolerances have units");
  // docs/theory/energy.md; gonzalez-f measures distances between velocities of all units.
  if (method.energy == Claim::yes) return beside("its discrete gradient depends on the units of the coordinates");
  Options o = options(method);
  // g_q^T mu adds what has other units to the velocities.
  const bool ggl =
      !o.formulation.given() && !method.formulations.empty() && method.formulations.front() == Formulation::ggl;
  if (ggl || o.formulation == "ggl") o.formulation = "index2";
  const Outcome one = run(model_, o);
  const Model other = parse_model(*random_.small, "random.toml", {.unroll_below = kLargestFamily});
  const Outcome two = run(other, o);
  if (!one.done && two.verdict.is == one.verdict.is) return one.verdict;
  for (const Outcome* outcome : {&one, &two})  // it did run, and says what to do
    if (!outcome->done && outcome->verdict.text.starts_with("stopped: ")) return outcome->verdict;
  if (!one.done || !two.done) return wrong("in other units: " + (one.done ? two.verdict.text : "it runs"));
  const double size = 1 + largest(one.done->q) + largest(one.done->v);
  for (std::int32_t i = 0; i < model_.coordinates.size(); ++i) {
    const std::string name = model_.coordinates[i];
    const double unit = name.find_first_of("xyz") == 0 ? 1e-4 : 1.0;
    const double q = one.done->q[i] - two.done->q[i] / unit, v = one.done->v[i] - two.done->v[i] / unit;
    if (!(std::fabs(q) <= 1e-10 * size) || !(std::fabs(v) <= 1e-9 * size))
      return wrong(fmt::format("{} differs by {:.1e}, its velocity by {:.1e}", name, q, v));
  }
  return {};
}

}  // namespace rattleback::testing
