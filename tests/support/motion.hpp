// A model with a stepper at its start, however the stepper was made: by name from the registry, or from coefficients
// that no registered method has. The checks of properties.hpp take either.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/step_taker.hpp"
#include "method/runge_kutta/scheme.hpp"
#include "rattleback/simulate.hpp"
#include "step/equations.hpp"
#include "system/start/start.hpp"
#include "system/system.hpp"

namespace rattleback::testing {

// A shipped system with other parameters and start values than its own.
using Values = std::vector<std::pair<std::string, std::string>>;
Model shipped(const std::string& name, const Values& set = {}, const Values& start = {});

using Maker = std::function<std::unique_ptr<StepTaker>(const System&, const Start&)>;
// 0 stages and no formulation: the method's default.
Maker method(const std::string& name, int stages = 0, int compose = 0, const std::string& formulation = {});
Maker scheme(const Scheme& scheme);
Maker one_step(Equations (*step)(const Mechanical&));  // results q1, v1

// What a registered method says of itself on this model.
struct Claims {
  int order = 0;
  bool symmetric = false;
  ComponentOrders orders = {};
};
Claims claims_on(const Model& model, const std::string& name, int stages = 0);

class Motion {
 public:
  Motion(Model model, const Maker& maker);
  Motion(const Motion&) = delete;
  Motion& operator=(const Motion&) = delete;

  // Throws std::runtime_error when a step fails: a test that goes on would measure nonsense.
  void advance(double h, std::int64_t steps);
  // State, and multipliers from the acceleration level.
  struct State {
    std::vector<double> q, v, multipliers;
  };
  State state();
  // Energy and residuals here.
  System::Observation observe() { return system.observe(stepper->t(), stepper->q(), stepper->v()); }

  Model model;
  System system;
  Start start;
  std::unique_ptr<StepTaker> stepper;

 private:
  std::unique_ptr<Acceleration> acceleration_;
};

}  // namespace rattleback::testing
