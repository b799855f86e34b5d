// The cases of the benchmark: for each, how its sides are made, and what the specification's reference machine needed.
#pragma once

#include <algorithm>
#include <array>
#include <functional>

#include "sides.hpp"

namespace bench {

// Who takes the steps. `cpp`: a C++ model with its step made at the compile time of the user's program.
enum class Way : std::uint8_t { kernel, interpreter, native, cpp };
inline constexpr std::array kWays = {Way::kernel, Way::interpreter, Way::native, Way::cpp};
inline constexpr std::array kWayNames = {"kernel", "interpreter", "native", "cpp"};
inline std::size_t index(Way way) { return static_cast<std::size_t>(way); }

using MakeSide = std::function<std::unique_ptr<Side>(const rattleback::Start&)>;

struct Case {
  std::string method, system;
  int stages = 0;  // 0: the method has no choice
  double h = 0.0;
  rattleback::LoadOptions load;
  MakeSide kernel;
  MakeSide cpp = {};               // empty: there is none
  double reference_ns = 0.0;       // of a hand-written kernel on another machine
  double most_instructions = 0.0;  // per step, of the same: a kernel counts as one within 1.3 times of it
  int order = 2;
  std::string variant = {};  // of the kernel
  bool counted = true;       // in the means and largest ratios
  bool enforced = false;     // bench_table --check insists on the largest ratios; other rows may miss them

  [[nodiscard]] std::string name() const {
    return method + (stages > 0 ? " s=" + std::to_string(stages) : "") + ", " + system + variant;
  }
  [[nodiscard]] std::unique_ptr<LibrarySide> library() const {
    return std::make_unique<LibrarySide>(
        system, load, rattleback::Options{.method = method, .stages = stages, .step = h, .steps = 1});
  }
};

// The side of a case; null where there is none, with the reason in `why`.
inline std::unique_ptr<Side> make_side(const Case& c, Way way, std::string* why = nullptr) {
  std::string reason;
  std::unique_ptr<Side> side;
  if (way == Way::kernel) {
    side = c.kernel(c.library()->start());
  } else if (way == Way::cpp) {
    if (c.cpp)
      side = c.cpp(c.library()->start());
    else
      reason = "there is no C++ model of this case";
  } else {
    auto library = c.library();
    if (way == Way::native) reason = library->go_native();
    if (reason.empty()) side = std::move(library);
  }
  if (why != nullptr) *why = reason;
  return side;
}

// A kernel that starts where the library does.
template <class State>
MakeSide kernel_side(typename KernelSide<State>::Step step, const State& state) {
  return [=](const rattleback::Start& start) {
    State s = state;
    std::copy_n(start.q.begin(), std::size(s.q), std::begin(s.q));
    if constexpr (requires { s.v; }) std::copy_n(start.v.begin(), std::size(s.v), std::begin(s.v));
    return std::make_unique<KernelSide<State>>(step, s);
  };
}

inline constexpr double kOscillatorStep = 0.15691819145569;  // 2 sin(pi/40): 40 steps are one period of y
inline constexpr double kEps = 0.3;  // at 0 the oscillator is linear and the library would drop half of its formulas
inline rattleback::LoadOptions perturbed_oscillator() {
  return {.set = {{"eps", std::to_string(kEps)}, {"z0", "-0.4"}}, .start = {}};
}

inline std::vector<Case> all_cases() {
  using namespace kernels;
  constexpr double kQuarticStep = 0.05, kParticleStep = 0.2, kReducedStep = 0.1, kPendulumStep = 0.01;
  const std::string mp = "mclachlan-perlmutter", spark = "spark-lobatto-ab";
  const ContactOscillator oscillator{.q = {}, .v = {}, .eps = kEps};
  const MakeSide mp_oscillator = kernel_side<ContactOscillator>(&mclachlan_perlmutter, oscillator);
  const MakeSide spark_oscillator = kernel_side<ContactOscillator>(&spark_lobatto_ab, oscillator);
  const MakeSide mp_quartic = kernel_side<QuarticParticles>(&mclachlan_perlmutter, {});
  const MakeSide spark_quartic = kernel_side<QuarticParticles>(&spark_lobatto_ab, {});
  const rattleback::LoadOptions perturbed = perturbed_oscillator();
  std::vector<Case> cases;
  const auto add = [&](const std::string& method, int stages, const char* system, double h,
                       const rattleback::LoadOptions& load, const MakeSide& kernel, double ns, double instructions,
                       int order) {
    cases.push_back({.method = method,
                     .system = system,
                     .stages = stages,
                     .h = h,
                     .load = load,
                     .kernel = kernel,
                     .reference_ns = ns,
                     .most_instructions = instructions,
                     .order = order});
  };
  add(mp, 0, "contact-oscillator", kOscillatorStep, perturbed, mp_oscillator, 16, 48, 2);
  add(spark, 2, "contact-oscillator", kOscillatorStep, perturbed, spark_oscillator, 20, 28, 2);
  add(mp, 0, "quartic-particles", kQuarticStep, {}, mp_quartic, 21, 85, 2);
  add(spark, 2, "quartic-particles", kQuarticStep, {}, spark_quartic, 33, 123, 2);
  add("spark-gauss", 2, "nonholonomic-particle", kParticleStep, {}, kernel_side<NonholonomicParticle>(&spark_gauss, {}),
      233, 1490, 4);
  add("dg-gonzalez", 0, "quartic-reduced", kReducedStep, {}, kernel_side<QuarticReduced>(&dg_gonzalez, {}), 504, 3620,
      2);
  add("rattle", 0, "double-pendulum", kPendulumStep, {}, kernel_side<DoublePendulum>(&rattle, {}), 65, 292, 2);
  add("prk-lobatto", 3, "double-pendulum", kPendulumStep, {}, kernel_side<DoublePendulum>(&prk_lobatto, {}), 175, 867,
      4);
  add("prk-murua", 3, "double-pendulum", kPendulumStep, {}, kernel_side<DoublePendulum>(&prk_murua, {}), 431, 3340, 6);
  for (Case& c : cases) c.enforced = c.system == "contact-oscillator" || c.system == "quartic-particles";
  // The same when the kernel may know that the equations are linear: to compare with, beside the table.
  Case linear = cases[4];
  linear.kernel = kernel_side<NonholonomicParticle>(&spark_gauss_linear, {});
  linear.variant = ", linear";
  linear.counted = false;
  linear.reference_ns = 29;
  linear.most_instructions = 0;  // not in the table
  cases.push_back(std::move(linear));
  return cases;
}

}  // namespace bench
