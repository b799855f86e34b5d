// Time for the same number of correct digits: this library's methods against SUNDIALS' IDA, on two problems of the Test Set
// for IVP Solvers.
//   bench_ida [--check] [--all]   --check: exit 1 when IDA is faster;  --all: prints every candidate that was tried
//
// Both sides evaluate the same formulas with the same interpreter and have exact derivatives (see ida_side.hpp). First
// each side tries its candidates: methods, stages and steps of ours; formulations and tolerances of IDA. Of those that
// reach the digits the fastest few of each side are then timed in turn, and the fastest run of each side counts.
// Set-up (reading the model, differentiating, compiling programs) is outside on both sides.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "bind/bind.hpp"
#include "ida_side.hpp"
#include "run/complete.hpp"
#include "system/angles.hpp"

namespace {

using rattleback::Options;

constexpr std::size_t kFinalists = 4;
constexpr int kRepeats = 30;

struct Problem {
  const char* key;
  double until;
  double digits;                  // wanted
  std::vector<double> reference;  // positions at `until`: the refined values of docs/guide/benchmarks.md
  std::vector<int> counts;        // numbers of steps to try
};

const Problem kProblems[] = {
    {"car-axis",
     3.0,
     9.0,
     {4.93455784275240921315e-02, 4.96989460230008106763e-01, 1.04174252488542611519e+00, 3.73911027265365819358e-01},
     {20, 25, 30, 35, 40, 50, 60, 70, 80, 100, 120, 150, 200}},
    {"andrews",
     0.03,
     8.0,
     {1.58107711951537070971e+01, -1.57563710584118394697e+01, 4.08222401196458048584e-02, -5.34730116342079593770e-01,
      5.24409965879954069372e-01, 5.34730116342079593770e-01, 1.04808074104193787307e+00},
     {40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400}},
};

struct OurMethod {
  const char *name, *formulation;
  int fewest, most;  // stages
};
const OurMethod kOurs[] = {{"prk-lobatto", "", 4, 8},      {"spark-lobatto-ab", "", 4, 8},
                           {"prk-murua", "", 3, 7},        {"prk-murua", "index2", 3, 7},
                           {"srk-gauss", "ggl", 3, 7},     {"srk-gauss", "index2", 3, 7},
                           {"spark-gauss", "index2", 3, 7}};

double digits_of(const std::vector<double>& q, const Problem& problem) {
  if (q.empty()) return 0.0;
  double worst = 1e-17;
  for (std::size_t i = 0; i < q.size(); ++i) worst = std::fmax(worst, std::fabs(q[i] / problem.reference[i] - 1.0));
  return std::isfinite(worst) ? -std::log10(worst) : 0.0;
}

template <class Run>
double seconds(Run&& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Candidates of one family (a method with its stages, a formulation with its kind of tolerances) come in the order of
// increasing accuracy and cost.
struct Candidate {
  std::string family, label;
  std::function<std::vector<double>()> run;  // positions at the end
  double digits = 0.0, time = std::numeric_limits<double>::infinity();
};

// Fills in the digits, and the time of the fastest of a few runs if they are enough and the first one was promising.
void try_out(Candidate& c, const Problem& problem, double best) {
  std::vector<double> q;
  const double first = seconds([&] { q = c.run(); });
  c.digits = digits_of(q, problem);
  c.time = first;
  if (c.digits < problem.digits || first > 2.0 * best) return;
  for (int i = 0; i < 3; ++i) c.time = std::fmin(c.time, seconds([&] { c.run(); }));
}

// The fastest few that reach the digits.
std::vector<Candidate> best_of(std::vector<Candidate> candidates, const Problem& problem, bool print) {
  std::vector<Candidate> best;
  std::string finished;  // a family that has reached the digits
  for (Candidate& c : candidates) {
    if (c.family == finished) continue;
    try_out(c, problem, best.empty() ? std::numeric_limits<double>::infinity() : best.front().time);
    if (print) fmt::print("    {:<52} {:>6.2f} digits {:>10.3f} ms\n", c.label, c.digits, 1e3 * c.time);
    if (c.digits < problem.digits) continue;
    finished = c.family;
    best.push_back(std::move(c));
    std::ranges::sort(best, {}, &Candidate::time);
    if (best.size() > kFinalists) best.pop_back();
  }
  return best;
}

std::vector<Candidate> our_candidates(const rattleback::System& system, const rattleback::Start& start,
                                      const Problem& problem) {
  std::vector<Candidate> out;
  for (const OurMethod& method : kOurs) {
    if (!rattleback::is_method(method.name)) continue;
    for (int stages = method.fewest; stages <= method.most; ++stages) {
      Options options{.method = method.name, .stages = stages, .step = 1.0, .steps = 1};
      options.formulation = method.formulation;
      std::shared_ptr<rattleback::StepTaker> stepper;
      try {
        stepper = rattleback::bind(system, rattleback::complete(system.model(), options), start).stepper;
      } catch (const rattleback::Error&) {
        continue;  // does not take holonomic constraints in this way
      }
      for (const int count : problem.counts) {
        Candidate c;
        c.family =
            fmt::format("{}{}{} s={}", method.name, *method.formulation != 0 ? " " : "", method.formulation, stages);
        c.label = fmt::format("{}, {} steps", c.family, count);
        c.run = [stepper, &start, count, until = problem.until]() -> std::vector<double> {
          stepper->start(0.0, start.q, start.v, start.multipliers, start.acceleration);
          if (!stepper->advance(until / count, count).ok) return {};
          return rattleback::unwrapped_positions(*stepper);
        };
        out.push_back(std::move(c));
      }
    }
  }
  return out;
}

std::vector<Candidate> ida_candidates(const rattleback::System& system, const rattleback::Start& start,
                                      const Problem& problem) {
  std::vector<Candidate> out;
  for (const bench::IdaForm form : {bench::IdaForm::ggl, bench::IdaForm::index2, bench::IdaForm::index1}) {
    const auto side = std::make_shared<bench::IdaSide>(system, start, form);
    for (const bool free : {false, true})
      for (const double factor : {1.0, 1e-3})
        for (int k = 12; k <= 27; ++k) {
          const bench::IdaSettings settings{form, std::pow(10.0, -0.5 * k), factor, free};
          Candidate c;
          c.family = fmt::format("{} {} {}", to_string(form), free, factor);
          c.label = fmt::format("IDA {} rtol {:.1e} atol {:.1e}{}", to_string(form), settings.rtol,
                                settings.rtol * factor, free ? ", free multipliers" : "");
          c.run = [side, settings, until = problem.until] { return side->run(settings, until); };
          out.push_back(std::move(c));
        }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  bool check = false, all = false, lost = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0) {
      check = true;
    } else if (std::strcmp(argv[i], "--all") == 0) {
      all = true;
    } else {
      fmt::print(stderr, "bench_ida: unknown argument '{}'. Known: --check, --all\n", argv[i]);
      return 2;
    }
  }
  for (const Problem& problem : kProblems) {
    const rattleback::Model model = rattleback::load_model(problem.key);
    const rattleback::System system(model);
    const rattleback::Start start = rattleback::consistent_start(system, false);
    fmt::print("{}, {:g} digits of the positions at t = {:g}\n", problem.key, problem.digits, problem.until);
    std::vector<Candidate> sides[2] = {best_of(our_candidates(system, start, problem), problem, all),
                                       best_of(ida_candidates(system, start, problem), problem, all)};
    for (int i = 0; i < kRepeats; ++i)
      for (auto& side : sides)
        for (Candidate& c : side) c.time = std::fmin(c.time, seconds([&] { c.run(); }));
    double best[2] = {};
    for (int k = 0; k < 2; ++k) {
      const auto fastest = std::ranges::min_element(sides[k], {}, &Candidate::time);
      if (fastest == sides[k].end()) {
        fmt::print("  {} does not reach them\n", k == 0 ? "this library" : "IDA");
        best[k] = std::numeric_limits<double>::infinity();
        continue;
      }
      best[k] = fastest->time;
      fmt::print("  {:<54} {:>6.2f} digits {:>10.3f} ms\n", fastest->label, fastest->digits, 1e3 * fastest->time);
    }
    fmt::print("  ratio IDA / ours: {:.2f}\n", best[1] / best[0]);
    lost = lost || !(best[0] < best[1]);
  }
  return check && lost ? 1 : 0;
}
