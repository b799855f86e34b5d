// What a group of runs and its compiled step tell each other. lanes_solve_text.cpp writes the same struct into the
// text.
//
// Arrays are kLaneWidth lanes wide: value i of lane l is x[i*kLaneWidth + l]. Masks are 0 or -1 for each lane.
#pragma once

#include <cstdint>

namespace rattleback {

inline constexpr int kLaneWidth = 16;

struct LaneJob {
  double* w = nullptr;             // workspace of the plan; the states live in it
  double* history = nullptr;       // solutions of the last steps, for each sub-step (step/starting_values.hpp)
  std::int32_t* newest = nullptr;  // row of the newest, for each sub-step; the same in all lanes
  std::int64_t* far = nullptr;     // which prediction to use, for each sub-step: a mask
  double* multipliers = nullptr;   // of the newest stage
  const double* scale = nullptr;   // PlanStepperData::multiplier_scale of each lane
  std::int64_t* active = nullptr;  // lanes that take steps; out: without those that failed
  double t_base = 0.0, h = 0.0, h_before = 0.0, tolerance = 0.0;
  std::int64_t count = 0;       // steps since t_base
  std::int64_t steps = 0;       // to take
  std::int64_t done = 0;        // out: taken, with the one in which a lane failed or an angle made a turn
  std::int32_t max_newton = 0;  // iterations after which a lane gives up
};

using LaneSteps = void (*)(LaneJob*);

}  // namespace rattleback
