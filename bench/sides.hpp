// The sides of a comparison: the same method on the same system from the same start, each a state that advances.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "bind/bind.hpp"
#include "kernels/kernels.hpp"
#include "rattleback/error.hpp"
#include "run/complete.hpp"
#include "system/angles.hpp"

namespace bench {

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
  KernelSide(Step step, const State& start) : step_(step), state_(start), energy_(kernels::audit(start).energy) {}
  void advance(double h, std::int64_t steps) override { step_(state_, h, steps); }
  double audit() override {
    const kernels::Audit a = kernels::audit(state_);
    return a.energy - energy_ + a.constraint;
  }
  [[nodiscard]] std::vector<double> state() const override {
    std::vector<double> x(std::begin(state_.q), std::end(state_.q));
    if constexpr (requires { state_.v; }) x.insert(x.end(), std::begin(state_.v), std::end(state_.v));
    return x;
  }

 private:
  Step step_;
  State state_;
  double energy_;
};

// The text model: what simulate() does, without its records. Interpreted, or with compiled steps.
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
    const rattleback::StepTaker& s = *method_.stepper;
    const auto o = system_.observe(s.t(), s.q(), s.v());
    return o.energy - energy_ + o.position + o.velocity;
  }
  [[nodiscard]] std::vector<double> state() const override {
    const rattleback::StepTaker& s = *method_.stepper;
    std::vector<double> x = rattleback::unwrapped_positions(s);
    x.insert(x.end(), s.v().begin(), s.v().end());
    return x;
  }
  [[nodiscard]] const rattleback::Start& start() const { return start_; }
  std::string go_native() { return method_.stepper->go_native(false); }  // why not; "" when it did

 private:
  rattleback::Model model_;
  rattleback::System system_;
  rattleback::Start start_;
  rattleback::BoundMethod method_;
  double energy_;
};

}  // namespace bench
