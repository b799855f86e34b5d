// A group of lanes of a text model, compiled, with starts that differ a little: the library's side of ensembles.
#pragma once

#include <string>
#include <vector>

#include "bind/bind.hpp"
#include "engine/lane_group.hpp"
#include "rattleback/error.hpp"
#include "run/complete.hpp"
#include "study/random.hpp"
#include "system/lane_observer.hpp"

namespace bench {

class Lanes {
 public:
  static constexpr auto kWidth = static_cast<std::size_t>(rattleback::LaneGroup::kWidth);

  Lanes(const std::string& system, const rattleback::LoadOptions& load, const std::string& method, double h,
        bool compile)
      : model_(rattleback::load_model(system, load)),
        options_(rattleback::complete(model_, {.method = method, .step = h, .steps = 1})),
        system_(model_),
        method_(rattleback::bind(system_, options_, rattleback::consistent_start(system_, true))),
        stepper_(dynamic_cast<rattleback::PlanStepper&>(*method_.stepper)),
        lanes_(stepper_),
        observer_(system_),
        h_(h) {
    if (compile) {
      code_ = rattleback::native_code(rattleback::LaneGroup::step_text(stepper_));
      if (code_.steps == nullptr) throw rattleback::Error(code_.fault);
      lanes_.set_code(reinterpret_cast<rattleback::LaneSteps>(code_.steps));
    }
    const std::vector<double> v0 = model_.v0;
    rattleback::StartFunctions functions(system_);
    for (int lane = 0; lane < rattleback::LaneGroup::kWidth; ++lane) {
      rattleback::Random random(1, static_cast<std::uint64_t>(lane));
      model_.v0.back() = v0.back() + 0.1 * random.normal();
      const rattleback::Start start = rattleback::consistent_start(system_, true, functions);
      stepper_.renew(functions.multiplier_scale(start));
      stepper_.start(0.0, start.q, start.v, start.multipliers, start.acceleration);
      lanes_.put(lane);
    }
    lanes_.advance(h, 20);  // past the cold start
  }

  // Steps of all lanes and one look of the audit at them; returns an energy.
  double advance(std::int64_t steps) {
    lanes_.advance(h_, steps);
    rattleback::System::Observation seen[kWidth];
    observer_.observe(lanes_.t(), lanes_.q(), lanes_.v(), seen);
    for (int lane = 0; lane < rattleback::LaneGroup::kWidth; ++lane)
      if (!lanes_.has(lane)) throw rattleback::Error("a lane stopped");
    return seen[0].energy;
  }

  // The states into a kernel, whose value i of lane j is q[i][j]; it may have more lanes.
  template <class Kernel>
  void copy_to(Kernel& to) const {
    for (std::size_t i = 0; i < std::size(to.q); ++i)
      for (std::size_t j = 0; j < Kernel::kLanes; ++j) {
        to.q[i][j] = lanes_.q()[i * kWidth + j % kWidth];
        to.v[i][j] = lanes_.v()[i * kWidth + j % kWidth];
      }
  }

 private:
  rattleback::Model model_;
  rattleback::Options options_;
  rattleback::System system_;
  rattleback::BoundMethod method_;
  rattleback::PlanStepper& stepper_;
  rattleback::NativeCode code_;
  rattleback::LaneGroup lanes_;
  rattleback::LaneObserver observer_;
  double h_;
};

}  // namespace bench
