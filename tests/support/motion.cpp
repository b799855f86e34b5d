#include "support/motion.hpp"

#include <stdexcept>

#include "bind/bind.hpp"
#include "engine/plan_stepper.hpp"
#include "method/runge_kutta/runge_kutta.hpp"
#include "run/complete.hpp"
#include "system/angles.hpp"

namespace rattleback::testing {
namespace {

std::unique_ptr<StepTaker> plan_stepper(const System& system, Equations equations, std::int32_t carried) {
  PlanStepperData data{
      .step = Plan(std::move(equations)), .first = {}, .acceleration = system.acceleration(), .solve = {}};
  data.n = system.n();
  data.m = system.m();
  data.velocities = system.nv();
  data.carried = carried;
  return std::make_unique<PlanStepper>(std::move(data));
}

Options request(const Model& model, const std::string& name, int stages, int compose,
                const std::string& formulation = {}) {
  Options options;
  options.method = name;
  options.stages = stages;
  options.compose = compose;
  options.formulation = formulation;
  options.step = 1.0;
  options.steps = 0;
  return complete(model, options);
}

}  // namespace

Model shipped(const std::string& name, const Values& set, const Values& start) {
  return load_model(name, {.set = set, .start = start});
}

Maker method(const std::string& name, int stages, int compose, const std::string& formulation) {
  return [=](const System& system, const Start& start) {
    return bind(system, request(system.model(), name, stages, compose, formulation), start).stepper;
  };
}

Claims claims_on(const Model& model, const std::string& name, int stages) {
  const System system(model);
  const BoundMethod bound = bind(system, request(model, name, stages, 0), consistent_start(system, false));
  return {bound.order(), bound.symmetric, bound.orders};
}

Maker scheme(const Scheme& scheme) {
  return [scheme](const System& system, const Start&) {
    return plan_stepper(system,
                        system.facts().lagrangian ? runge_kutta_step(system.mechanical(), scheme)
                                                  : runge_kutta_step(system.dae(), scheme),
                        scheme.carries_multiplier ? system.m() : 0);
  };
}

Maker one_step(Equations (*step)(const Mechanical&)) {
  return [step](const System& system, const Start&) { return plan_stepper(system, step(system.mechanical()), 0); };
}

Motion::Motion(Model from, const Maker& maker)
    : model(std::move(from)),
      system(model),
      start(consistent_start(system, false)),
      stepper(maker(system, start)),
      acceleration_(system.acceleration()) {
  stepper->start(0.0, start.q, start.v, start.multipliers, start.acceleration);
  acceleration_->set_guess(start.multipliers);
}

void Motion::advance(double h, std::int64_t steps) {
  const AdvanceReport report = stepper->advance(h, steps);
  if (!report.ok)
    throw std::runtime_error(model.key + ": stopped at t = " + std::to_string(stepper->t()) + ": " +
                             report.failure.reason);
}

Motion::State Motion::state() {
  const auto list = [](std::span<const double> x) { return std::vector<double>(x.begin(), x.end()); };
  State out{unwrapped_positions(*stepper), list(stepper->v()), {}};
  if (!acceleration_->solve(stepper->t(), stepper->q(), out.v))
    throw std::runtime_error(model.key + ": no multipliers");
  out.multipliers = list(acceleration_->multipliers());
  return out;
}

}  // namespace rattleback::testing
