// The four cases of the benchmark: for each the kernel and the library's stepper from the same start, side by side.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "methods/angles.hpp"
#include "methods/bind.hpp"
#include "rattleback/error.hpp"
#include "simulate/complete.hpp"

namespace bench {

// Either side of a comparison: a state that advances.
class Side {
 public:
  virtual ~Side() = default;
  virtual void advance(double h, std::int64_t steps) = 0;
  virtual double audit() = 0;  // energy error + constraint residual, so that nothing of it is optimised away
  [[nodiscard]] virtual std::vector<double> state() const = 0;  // q, v
};

template <class State>
class KernelSide final : public Side {
 public:
  using Step = void (*)(State&, double, std::int64_t);
  KernelSide(Step step, State start) : step_(step), state_(start), energy_(kernels::audit(start).energy) {}
  void advance(double h, std::int64_t steps) override { step_(state_, h, steps); }
  double audit() override {
    const kernels::Audit a = kernels::audit(state_);
    return a.energy - energy_ + a.constraint;
  }
  [[nodiscard]] std::vector<double> state() const override {
    std::vector<double> x(std::begin(state_.q), std::end(state_.q));
    x.insert(x.end(), std::begin(state_.v), std::end(state_.v));
    return x;
  }

 private:
  Step step_;
  State state_;
  double energy_;
};

// The text model through the interpreter: what simulate() does, without its records.
class LibrarySide final : public Side {
 public:
  LibrarySide(const std::string& system, const rattleback::LoadOptions& load, const rattleback::Options& options)
      : model_(rattleback::load_model(system, load)),
        system_(model_),
        start_(rattleback::consistent_start(system_, false)),
        method_(rattleback::bind(system_, rattleback::complete(model_, options), start_)),
        energy_(system_.observe(0.0, start_.q, start_.v).energy) {
    method_.stepper->start(0.0, start_.q, start_.v, start_.multipliers, start_.acceleration);
  }
  void advance(double h, std::int64_t steps) override {
    const rattleback::AdvanceReport report = method_.stepper->advance(h, steps);
    if (!report.ok) throw rattleback::Error(std::string(method_.name) + " stopped: " + report.failure.reason);
  }
  double audit() override {
    const rattleback::Stepper& s = *method_.stepper;
    const auto o = system_.observe(s.t(), s.q(), s.v());
    return o.energy - energy_ + o.velocity;
  }
  [[nodiscard]] std::vector<double> state() const override {
    const rattleback::Stepper& s = *method_.stepper;
    std::vector<double> x = rattleback::unwrapped_positions(s);
    x.insert(x.end(), s.v().begin(), s.v().end());
    return x;
  }
  [[nodiscard]] const rattleback::Start& start() const { return start_; }
  std::string go_native() { return method_.stepper->go_native(false); }

 private:
  rattleback::Model model_;
  rattleback::System system_;
  rattleback::Start start_;
  rattleback::BoundMethod method_;
  double energy_;
};

struct Case {
  std::string method, system;
  double h;
  std::unique_ptr<LibrarySide> library;
  std::unique_ptr<Side> kernel;
};

inline std::vector<Case> all_cases() {
  using kernels::ContactOscillator;
  using kernels::QuarticParticles;
  constexpr double kOscillatorStep = 0.15691819145569;  // 2 sin(pi/40): 40 steps are one period of y
  constexpr double kQuarticStep = 0.05;
  constexpr double kEps = 0.3;  // at 0 the oscillator is linear and the library would drop half of its formulas
  const std::string mp = "mclachlan-perlmutter", spark = "spark-lobatto-ab";
  std::vector<Case> cases;
  const auto add = [&]<class State>(const std::string& method, typename KernelSide<State>::Step step, State state,
                                    const char* system, const rattleback::LoadOptions& load, double h) {
    const rattleback::Options options{.method = method, .stages = method == spark ? 2 : 0, .step = h, .steps = 1};
    auto library = std::make_unique<LibrarySide>(system, load, options);
    std::copy_n(library->start().q.begin(), std::size(state.q), state.q);
    std::copy_n(library->start().v.begin(), std::size(state.v), state.v);
    cases.push_back({method, system, h, std::move(library), std::make_unique<KernelSide<State>>(step, state)});
  };
  const rattleback::LoadOptions perturbed{.set = {{"eps", std::to_string(kEps)}, {"z0", "-0.4"}}, .start = {}};
  const ContactOscillator oscillator{.q = {}, .v = {}, .eps = kEps};
  add(mp, &kernels::mclachlan_perlmutter, oscillator, "contact-oscillator", perturbed, kOscillatorStep);
  add(spark, &kernels::spark_lobatto_ab, oscillator, "contact-oscillator", perturbed, kOscillatorStep);
  add(mp, &kernels::mclachlan_perlmutter, QuarticParticles{}, "quartic-particles", {}, kQuarticStep);
  add(spark, &kernels::spark_lobatto_ab, QuarticParticles{}, "quartic-particles", {}, kQuarticStep);
  return cases;
}

}  // namespace bench
