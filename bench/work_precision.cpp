// Error against time: this library's methods and the codes a user would otherwise take, on four problems.
//   bench_work_precision [--quick] [--images FOLDER] [PROBLEM ...]
//     --quick           a few points and repeats of two problems; exit 1 when a code is missing or an error does not shrink
//     --images FOLDER   writes work-precision-PROBLEM.svg there
//
// Every code is scanned over its steps or tolerances. All points of all codes are then timed in turn, again and again,
// and the fastest run of each counts. Reading models, deriving, compiling and allocating are outside, for all sides. The error
// is that of the positions at the end, relative to the largest position, against a reference which two unrelated methods
// agree on. "interpreted" and "compiled" are the library's two ways to evaluate formulas; the codes on the underlying ODE
// get the compiled ones, IDA its residual and exact Jacobian from the interpreter (see peers.hpp, ida_side.hpp).
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "bind/bind.hpp"
#include "ida_side.hpp"
#include "peers.hpp"
#include "plot/svg.hpp"
#include "run/complete.hpp"
#include "run/step_control.hpp"
#include "system/angles.hpp"
#include "work_precision.hpp"

namespace {

using rattleback::Options;
using rattleback::Start;
using rattleback::System;
using State = std::vector<double>;  // (q, v); empty: the code gave up

constexpr double kTargets[] = {1e-4, 1e-6, 1e-8, 1e-10};
constexpr double kKept = 1e-13;          // constraint errors of a method that counts as keeping them
constexpr double kCoarsest = 1e-2;       // errors above this are not drawn
constexpr double kPerRun = 0.1;          // seconds: a scan ends with a run that takes longer
constexpr double kRepeatSeconds = 12.0;  // of timing, for each problem
constexpr int kMostRepeats = 60;
constexpr int kInVain = 6;  // points without a smaller error: the end of a scan

struct Method {
  const char* name;
  int stages;   // 0: fixed
  int compose;  // 0: none
};

// Few steps of high order have the smallest rounding errors.
struct Accurate {
  Method method;
  int steps;
};

struct Problem {
  const char* key;
  const char* title;
  rattleback::LoadOptions load;
  double until;
  double largest_step;  // where scans begin
  std::vector<Method> ours;
  Accurate reference, check;  // unrelated methods that must agree
  State known;                // positions published elsewhere, instead of the reference
};

const std::vector<Method> kNonholonomic = {{"mclachlan-perlmutter", 0, 4},
                                           {"mclachlan-perlmutter", 0, 6},
                                           {"mclachlan-perlmutter", 0, 8},
                                           {"spark-lobatto-ab", 3, 0},
                                           {"spark-lobatto-ab", 4, 0},
                                           {"spark-lobatto-ab", 2, 6},
                                           {"spark-lobatto-ab", 2, 8},
                                           {"spark-gauss", 3, 0},
                                           {"spark-gauss", 4, 0},
                                           {"spark-gauss", 6, 0},
                                           {"prk-murua", 3, 0}};
const std::vector<Method> kHolonomic = {{"prk-murua", 3, 0},   {"prk-murua", 4, 0},        {"prk-murua", 5, 0},
                                        {"prk-lobatto", 3, 0}, {"prk-lobatto", 4, 0},      {"prk-lobatto", 5, 0},
                                        {"prk-lobatto", 6, 0}, {"spark-lobatto-ab", 4, 0}, {"spark-lobatto-ab", 5, 0},
                                        {"prk-lobatto", 2, 4}, {"prk-lobatto", 2, 6},      {"prk-lobatto", 2, 8}};

// Larger steps: those that are solved with one matrix for all stages are interpreted only.
const std::vector<Method> kAndrews = {{"prk-murua", 3, 0},   {"prk-lobatto", 4, 0}, {"prk-lobatto", 5, 0},
                                      {"prk-lobatto", 6, 0}, {"prk-lobatto", 2, 6}, {"prk-lobatto", 2, 8}};

std::vector<Problem> problems() {
  rattleback::LoadOptions oscillator{.set = {{"eps", "0.3"}, {"z0", "-0.4"}}, .start = {}};
  return {
      {"double-pendulum",
       "Double pendulum, to t = 10",
       {},
       10.0,
       0.2,
       kHolonomic,
       {{"prk-murua", 8, 0}, 400},
       {{"prk-lobatto", 8, 0}, 300},
       {}},
      {"contact-oscillator",
       "Contact oscillator (eps = 0.3), to t = 100",
       oscillator,
       100.0,
       1.0,
       kNonholonomic,
       {{"spark-gauss", 8, 0}, 1000},
       {{"ode-dop853", 0, 0}, 4000},
       {}},
      {"quartic-particles",
       "Quartic particles, to t = 20",
       {},
       20.0,
       0.5,
       kNonholonomic,
       {{"spark-gauss", 8, 0}, 400},
       {{"ode-dop853", 0, 0}, 1500},
       {}},
      // Refined values of docs/guide/benchmarks.md.
      {"andrews",
       "Andrews' squeezing mechanism, to t = 0.03",
       {},
       0.03,
       1e-3,
       kAndrews,
       {},
       {{"ode-dop853", 0, 0}, 1800},
       {1.58107711951537070971e+01, -1.57563710584118394697e+01, 4.08222401196458048584e-02,
        -5.34730116342079593770e-01, 5.24409965879954069372e-01, 5.34730116342079593770e-01,
        1.04808074104193787307e+00}},
  };
}

double largest(std::span<const double> x) {
  double size = 0.0;
  for (const double each : x) size = std::fmax(size, std::fabs(each));
  return size;
}

// A code with its scan: all that timing needs to know.
struct Contestant {
  std::string label;
  bool ours = false, compiled = false;
  int colour = -1;
  std::vector<double> scan;                                 // parameters, coarse to fine
  std::function<State(double parameter)> run;               // timed
  std::function<double(double parameter)> constraint = {};  // largest constraint error of a run, relative to the state
  std::vector<bench::WorkPoint> points = {};
  double kept = 0.0;  // largest constraint error at any point

  [[nodiscard]] bool keeps() const { return kept <= kKept; }
};

// The model of a problem with everything that contestants hold references to.
struct Arena {
  explicit Arena(const Problem& p)
      : problem(p),
        model(rattleback::load_model(p.key, unrolled(p.load))),
        system(model),
        start(rattleback::consistent_start(system, false)) {}
  static rattleback::LoadOptions unrolled(rattleback::LoadOptions load) {
    load.unroll_below = rattleback::kLargestFamily;
    return load;
  }
  [[nodiscard]] double constraint(double t, std::span<const double> q, std::span<const double> v) {
    const System::Observation o = system.observe(t, q, v);
    return std::fmax(o.position / std::fmax(1.0, largest(q)), o.velocity / std::fmax(1.0, largest(v)));
  }
  [[nodiscard]] double constraint_at_end(const State& x) {
    const auto n = static_cast<std::size_t>(system.n());
    return x.empty() ? 0.0 : constraint(problem.until, std::span(x).first(n), std::span(x).last(n));
  }

  const Problem& problem;
  rattleback::Model model;
  System system;
  Start start;
  std::vector<std::unique_ptr<bench::RightHandSide>> rates;
  std::vector<std::shared_ptr<void>> owned;
};

State state_of(const rattleback::StepTaker& s) {
  State x = rattleback::unwrapped_positions(s);
  x.insert(x.end(), s.v().begin(), s.v().end());
  return x;
}

// --- this library

std::string label_of(const Method& m) {
  if (std::strcmp(m.name, "prk-lobatto") == 0 && m.compose != 0)
    return fmt::format("rattle, composed to {}", m.compose);
  if (m.compose != 0 && m.stages != 0) return fmt::format("{}({}), composed to {}", m.name, m.stages, m.compose);
  if (m.compose != 0) return fmt::format("{}, composed to {}", m.name, m.compose);
  return m.stages != 0 ? fmt::format("{}({})", m.name, m.stages) : m.name;
}

Options options_of(const Method& m, double until) {
  Options options{.method = m.name, .stages = m.stages, .step = until, .until = until};
  options.compose = m.compose;
  return options;
}

std::shared_ptr<rattleback::BoundMethod> bound(const Arena& a, const Options& options) {
  return std::make_shared<rattleback::BoundMethod>(
      rattleback::bind(a.system, rattleback::complete(a.model, options), a.start));
}

void restart(const Arena& a, rattleback::StepTaker& s) {
  s.start(0.0, a.start.q, a.start.v, a.start.multipliers, a.start.acceleration);
}

// Fixed steps; the parameter is their number.
std::optional<Contestant> ours(Arena& a, const Method& m, bool compiled) {
  auto method = bound(a, options_of(m, a.problem.until));
  rattleback::StepTaker& s = *method->stepper;
  if (compiled && !s.go_native(false).empty()) return std::nullopt;
  Contestant c{.label = label_of(m), .ours = true, .compiled = compiled, .scan = {}, .run = {}};
  for (double n = std::ceil(a.problem.until / a.problem.largest_step); n < 1e6; n = std::ceil(n * 1.35))
    c.scan.push_back(n);
  c.run = [&a, &s](double n) -> State {
    restart(a, s);
    if (!s.advance(a.problem.until / n, static_cast<std::int64_t>(n)).ok) return {};
    return state_of(s);
  };
  c.constraint = [&a, &s](double n) {
    restart(a, s);
    double worst = 0.0;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(n) && s.advance(a.problem.until / n, 1).ok; ++i)
      worst = std::fmax(worst, a.constraint(s.t(), s.q(), s.v()));
    return worst;
  };
  a.owned.push_back(method);
  return c;
}

std::vector<double> tolerances(double from, double to) {
  std::vector<double> out;
  for (double x = from; x >= 0.99 * to; x /= std::sqrt(10.0)) out.push_back(x);
  return out;
}

std::optional<Contestant> dop853(Arena& a, bool projected, bool compiled) {
  const char* const name = projected ? "projected-dop853" : "ode-dop853";
  Options options = options_of({name, 0, 0}, a.problem.until);
  options.adaptive = 1e-6;
  options.step = 0.1 * a.problem.largest_step;  // the first one
  auto method = bound(a, options);
  rattleback::StepTaker& s = *method->stepper;
  if (compiled && !s.go_native(false).empty()) return std::nullopt;
  Contestant c{.label = name, .ours = projected, .compiled = compiled, .scan = tolerances(1e-3, 1e-14), .run = {}};
  c.colour = projected ? -1 : 3;
  const auto go = [&a, &s, method, options](double tolerance, auto&& look) {
    restart(a, s);
    Options mine = options;
    mine.adaptive = tolerance;
    const auto control = rattleback::make_step_control(a.system, mine, a.start, *method, s);
    while (s.t() < a.problem.until) {
      if (!control->step(a.problem.until, nullptr).ok) return State{};
      look();
    }
    return state_of(s);
  };
  c.run = [go](double tolerance) { return go(tolerance, [] {}); };
  c.constraint = [&a, &s, go](double tolerance) {
    double worst = 0.0;
    go(tolerance, [&] { worst = std::fmax(worst, a.constraint(s.t(), s.q(), s.v())); });
    return worst;
  };
  return c;
}

// --- peers

std::vector<Contestant> peers(Arena& a) {
  std::vector<Contestant> list;
  const double until = a.problem.until;
  a.rates.push_back(std::make_unique<bench::RightHandSide>(a.system.mechanical(), true));
  bench::RightHandSide& f = *a.rates.back();
  const auto add = [&](const char* label, int colour, std::vector<double> scan, std::function<State(double)> run) {
    Contestant c{.label = label, .compiled = true, .colour = colour, .scan = std::move(scan), .run = run};
    c.constraint = [&a, run](double x) { return a.constraint_at_end(run(x)); };
    list.push_back(std::move(c));
  };
#ifdef RATTLEBACK_BENCH_ODEINT
  namespace odeint = boost::numeric::odeint;
  const State y0 = bench::first_state(a.start);
  add("Boost.Odeint fehlberg78", 4, tolerances(1e-3, 1e-14), [&f, y0, until](double tolerance) {
    return bench::run_odeint<odeint::runge_kutta_fehlberg78<State>>(f, y0, tolerance, until);
  });
  add("Boost.Odeint dopri5", -1, tolerances(1e-3, 1e-13), [&f, y0, until](double tolerance) {
    return bench::run_odeint<odeint::runge_kutta_dopri5<State>>(f, y0, tolerance, until);
  });
#endif
  const auto sundials = [&](const char* label, int colour, std::shared_ptr<bench::SundialsSide> side) {
    add(label, colour, tolerances(1e-3, 1e-14),
        [side, until](double tolerance) { return side->run(tolerance, until); });
  };
  sundials("ARKODE fehlberg 13-7-8", 5, std::make_shared<bench::ArkodeSide>(f, a.start, ARKODE_FEHLBERG_13_7_8));
  sundials("ARKODE dormand-prince 7-4-5", -1,
           std::make_shared<bench::ArkodeSide>(f, a.start, ARKODE_DORMAND_PRINCE_7_4_5));
  sundials("CVODE Adams", 6, std::make_shared<bench::CvodeSide>(f, a.start));
  return list;
}

// IDA in all its ways; what is drawn and tabled is the front of all of them.
std::vector<Contestant> ida(Arena& a) {
  std::vector<Contestant> list;
  const bool holonomic = a.system.holonomic() > 0;
  std::vector<bench::IdaForm> forms = {bench::IdaForm::index1, bench::IdaForm::index2};
  if (holonomic) forms.push_back(bench::IdaForm::ggl);
  for (const bench::IdaForm form : forms) {
    const auto side = std::make_shared<bench::IdaSide>(a.system, a.start, form);
    for (const double factor : {1.0, 1e-2})
      for (const bool free : {false, true}) {
        Contestant c{.label = fmt::format("IDA {}{}{}", to_string(form), factor < 1.0 ? ", small atol" : "",
                                          free ? ", multipliers not tested" : ""),
                     .colour = 7,
                     .scan = tolerances(1e-4, 1e-12),
                     .run = {}};
        c.run = [side, form, factor, free, until = a.problem.until](double rtol) -> State {
          if (side->run({.form = form, .rtol = rtol, .atol_factor = factor, .free_multipliers = free}, until).empty())
            return {};
          return side->state();
        };
        c.constraint = [&a, run = c.run](double rtol) { return a.constraint_at_end(run(rtol)); };
        list.push_back(std::move(c));
      }
  }
  return list;
}

// --- measuring

// Time of this thread on the processor: on a quiet machine the same as that of a clock on the wall, and on a busy one
// without the time of others.
double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double seconds_of(const Contestant& c, double parameter, State& end) {
  const double begin = thread_seconds();
  end = c.run(parameter);
  return thread_seconds() - begin;
}

struct Reference {
  State q;
  double doubt = 0.0;  // relative disagreement of two methods
};

double error_of(const State& x, const Reference& reference) {
  if (x.empty()) return INFINITY;
  double worst = 0.0;
  for (std::size_t i = 0; i < reference.q.size(); ++i) worst = std::fmax(worst, std::fabs(x[i] - reference.q[i]));
  const double error = worst / largest(reference.q);
  return std::isfinite(error) ? error : INFINITY;
}

Reference reference_of(Arena& a) {
  const auto end_of = [&](const Accurate& run) {
    const auto method = bound(a, options_of(run.method, a.problem.until));
    restart(a, *method->stepper);
    if (!method->stepper->advance(a.problem.until / run.steps, run.steps).ok)
      throw rattleback::Error(fmt::format("{}: the reference run failed", a.problem.key));
    State x = state_of(*method->stepper);
    x.resize(a.start.q.size());
    return x;
  };
  Reference r;
  r.q = a.problem.known.empty() ? end_of(a.problem.reference) : a.problem.known;
  r.doubt = error_of(end_of(a.problem.check), r);
  return r;
}

// Errors of all points of a contestant, until they do not get smaller any more.
void scan(Contestant& c, const Reference& reference, bool quick) {
  double best = INFINITY;
  int in_vain = 0;
  for (std::size_t i = 0; i < c.scan.size(); i += quick ? 3 : 1) {
    bench::WorkPoint p{.parameter = c.scan[i]};
    State end;
    const double seconds = seconds_of(c, p.parameter, end);
    p.error = error_of(end, reference);
    if (p.error > kCoarsest) {
      if (seconds > kPerRun) break;
      continue;
    }
    in_vain = p.error < 0.9 * best ? 0 : in_vain + 1;
    best = std::fmin(best, p.error);
    if (p.error >= 3.0 * reference.doubt) {
      c.points.push_back(p);
      if (c.constraint) c.kept = std::fmax(c.kept, c.constraint(p.parameter));
    }
    if (in_vain == kInVain || p.error < 3.0 * reference.doubt || seconds > kPerRun || (quick && c.points.size() == 4))
      break;
  }
}

void time_all(std::vector<Contestant>& list, const Reference& reference, bool quick) {
  const double begin = thread_seconds();
  State end;
  for (int repeat = 0; repeat < (quick ? 3 : kMostRepeats); ++repeat) {
    for (Contestant& c : list)
      for (bench::WorkPoint& p : c.points) {
        const double seconds = seconds_of(c, p.parameter, end);
        if (error_of(end, reference) <= 2.0 * p.error) p.seconds = std::fmin(p.seconds, seconds);  // it did its work
      }
    if (thread_seconds() - begin > kRepeatSeconds) break;
  }
}

// --- reporting

std::string microseconds(double seconds) { return std::isfinite(seconds) ? fmt::format("{:.4g}", 1e6 * seconds) : "-"; }

struct Best {
  double seconds = INFINITY;
  const Contestant* who = nullptr;
};
template <class Which>
Best best_at(const std::vector<Contestant>& list, double target, Which&& counts) {
  Best b;
  for (const Contestant& c : list)
    if (counts(c))
      if (const double s = bench::seconds_at(c.points, target); s < b.seconds) b = {s, &c};
  return b;
}

void print_row(const std::string& name, const std::string& how, const std::function<std::string(double)>& cell,
               const std::string& last = "") {
  fmt::print("  {:<44} {:<11}", name, how);
  for (const double target : kTargets) fmt::print(" {:>9}", cell(target));
  fmt::print("  {}\n", last);
}

void print_table(const std::vector<Contestant>& list, const Contestant& ida_front) {
  print_row(
      "microseconds for an error of", "", [](double t) { return fmt::format("{:.0e}", t); }, "constraints to");
  for (const Contestant& c : list)
    if (!c.label.starts_with("IDA"))
      print_row(
          c.label, c.compiled ? "compiled" : "interpreted",
          [&](double t) { return microseconds(bench::seconds_at(c.points, t)); }, fmt::format("{:.1e}", c.kept));
  print_row(
      ida_front.label, "interpreted", [&](double t) { return microseconds(bench::seconds_at(ida_front.points, t)); },
      fmt::format("{:.1e}", ida_front.kept));
  for (const bool compiled : {true, false}) {
    const char* const how = compiled ? "compiled" : "interpreted";
    const auto keeping = [&](const Contestant& c) { return c.ours && c.compiled == compiled && c.keeps(); };
    const auto peer = [&](const Contestant& c) { return c.label == "ode-dop853" && c.compiled == compiled; };
    const auto ratio = [&](double other, double target) {
      const double mine = best_at(list, target, keeping).seconds;
      return std::isfinite(other) && std::isfinite(mine) ? fmt::format("{:.2f}", other / mine) : std::string("-");
    };
    print_row("best that keeps the constraints to 1e-13", how,
              [&](double t) { return microseconds(best_at(list, t, keeping).seconds); });
    print_row("  ode-dop853 / best", how, [&](double t) { return ratio(best_at(list, t, peer).seconds, t); });
    print_row("  IDA / best", how, [&](double t) { return ratio(bench::seconds_at(ida_front.points, t), t); });
    for (const double t : kTargets)
      if (const Best b = best_at(list, t, keeping); b.who != nullptr) fmt::print("    {:.0e}: {}\n", t, b.who->label);
  }
}

rattleback::plot::Series series_of(const Contestant& c, int colour, bool dashed) {
  rattleback::plot::Series s{.label = dashed ? "" : c.label};
  for (const bench::WorkPoint& p : bench::front(c.points)) {
    s.x.push_back(p.error);
    s.y.push_back(1e6 * p.seconds);
  }
  s.style = dashed ? rattleback::plot::Series::Style::dashed : rattleback::plot::Series::Style::line_and_points;
  s.colour = colour;
  return s;
}

// Two of ours that are best somewhere, projected-dop853, and the peers.
rattleback::plot::Figure figure_of(const Problem& problem, const std::vector<Contestant>& list,
                                   const Contestant& ida_front) {
  std::vector<const Contestant*> chosen;
  const auto candidate = [](const Contestant& c) { return c.ours && c.keeps() && c.label != "projected-dop853"; };
  for (const Contestant& c : list)
    if (c.label == "projected-dop853" && c.compiled) chosen.push_back(&c);
  for (const double target : {1e-8, 1e-4, 1e-10, 1e-6}) {
    const Best b = best_at(list, target, candidate);
    if (b.who != nullptr && chosen.size() < 3 && std::ranges::find(chosen, b.who) == chosen.end())
      chosen.push_back(b.who);
  }
  rattleback::plot::Panel panel;
  panel.x = {.label = "error of the positions at the end, relative", .logarithmic = true};
  panel.y = {.label = "microseconds", .logarithmic = true};
  const auto interpreted = [&](const std::string& label, int colour) {
    for (const Contestant& c : list)
      if (c.label == label && !c.compiled) panel.series.push_back(series_of(c, colour, true));
  };
  int colour = 0;
  for (const Contestant* c : chosen) {
    panel.series.push_back(series_of(*c, colour, false));
    if (c->compiled)
      interpreted(c->label, colour);
    else
      panel.series.back().label += ", interpreted";
    ++colour;
  }
  for (const Contestant& c : list)
    if (!c.ours && c.colour >= 0 && c.compiled) {
      panel.series.push_back(series_of(c, c.colour, false));
      if (c.label == "ode-dop853") interpreted(c.label, c.colour);
    }
  panel.series.push_back(series_of(ida_front, 7, false));
  return {.title = problem.title,
          .caption = "Solid: compiled (IDA, and what says so: interpreted). Dashed: the same method interpreted.",
          .panels = {panel},
          .columns = 1};
}

bool shrinks(const Contestant& c) {
  return c.points.size() >= 2 && c.points.back().error < 0.1 * c.points.front().error;
}

// False when something is missing or wrong.
bool measure(const Problem& problem, bool quick, const std::string& images) {
  Arena arena(problem);
  const Reference reference = reference_of(arena);
  fmt::print("{}\n  reference: two methods agree to {:.1e}\n", problem.title, reference.doubt);
  if (!(reference.doubt < 1e-10)) {
    fmt::print(stderr, "bench_work_precision: {}: the reference is not converged\n", problem.key);
    return false;
  }
  std::vector<Contestant> list;
  for (const bool compiled : {true, false}) {
    for (const Method& m : problem.ours)
      if (auto c = ours(arena, m, compiled)) list.push_back(std::move(*c));
    for (const bool projected : {true, false})
      if (auto c = dop853(arena, projected, compiled)) list.push_back(std::move(*c));
  }
  for (Contestant& c : peers(arena)) list.push_back(std::move(c));
  for (Contestant& c : ida(arena)) list.push_back(std::move(c));
  bool ok = true;
  for (Contestant& c : list) {
    scan(c, reference, quick);
    if (shrinks(c)) continue;
    fmt::print("  {}, {}: does not come below an error of {:.1e}\n", c.label, c.compiled ? "compiled" : "interpreted",
               c.points.empty() ? kCoarsest : c.points.back().error);
    ok = ok && c.label.starts_with("IDA");  // some of its ways are not good
  }
  time_all(list, reference, quick);
  Contestant ida_front{.label = "IDA, best of all ways", .scan = {}, .run = {}};
  for (const Contestant& c : list) {
    if (!c.label.starts_with("IDA")) continue;
    ida_front.points.insert(ida_front.points.end(), c.points.begin(), c.points.end());
    ida_front.kept = std::fmax(ida_front.kept, c.kept);
  }
  ida_front.points = bench::front(ida_front.points);
  print_table(list, ida_front);
  if (!images.empty()) {
    const std::string file = fmt::format("{}/work-precision-{}.svg", images, problem.key);
    std::ofstream out(file);
    out << rattleback::plot::to_svg(figure_of(problem, list, ida_front));
    if (!out.flush()) {
      fmt::print(stderr, "bench_work_precision: cannot write '{}'\n", file);
      return false;
    }
  }
  return ok;
}

}  // namespace

int main(int argc, char** argv) {
  bool quick = false;
  std::string images;
  std::vector<std::string> keys;
  const std::vector<Problem> all = problems();
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick") {
      quick = true;
    } else if (argument == "--images" && i + 1 < argc) {
      images = argv[++i];
    } else if (std::ranges::any_of(all, [&](const Problem& p) { return argument == p.key; })) {
      keys.push_back(argument);
    } else {
      fmt::print(stderr,
                 "bench_work_precision: unknown argument '{}'. Known: --quick, --images FOLDER, double-pendulum, "
                 "contact-oscillator, quartic-particles, andrews\n",
                 argument);
      return 2;
    }
  }
  if (keys.empty() && quick) keys = {"double-pendulum", "contact-oscillator"};
#ifndef RATTLEBACK_BENCH_ODEINT
  fmt::print("Boost.Odeint is left out: its headers were not there (libboost-dev)\n");
#endif
  bool ok = true;
  for (const Problem& p : all)
    if (keys.empty() || std::ranges::find(keys, p.key) != keys.end()) ok = measure(p, quick, images) && ok;
  return ok ? 0 : 1;
}
