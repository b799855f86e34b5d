// What steppers and their compiled steps tell each other: the argument of the one function of a compiled text.
//
// A struct is declared once, in words that are C and C++, and the same words stand in the text.
#pragma once

#include <cstdint>
#include <type_traits>

namespace rattleback {

#define RATTLEBACK_SHARED(name, ...) \
  struct name {                      \
    __VA_ARGS__                      \
  };                                 \
  inline constexpr const char* k##name##Text = "struct " #name " { " #__VA_ARGS__ " };\n"

// One run.
RATTLEBACK_SHARED(NativeJob,
                  double* w;            // workspace of the plan; the state lives in it
                  double* history;      // solutions of the last steps, for each sub-step (step/starting_values.hpp)
                  int* newest;          // row of the newest, for each sub-step
                  int* far;             // which prediction to use, for each sub-step
                  double* multipliers;  // of the newest stage
                  double* saved;        // state before a composed step that was not finished
                  double t_base; double h; double h_before; double tolerance;
                  double multiplier_scale;  // PlanStepperData::multiplier_scale
                  double at;                // out: time of the sub-step that was not finished
                  long long count;          // steps since t_base
                  long long steps;          // to take
                  long long done;           // out: taken
                  long long iterations;     // out: of Newton, in the steps taken
                  int most;                 // in and out: largest number in one of them
                  int max_newton;           // iterations after which a step is given up
                  int part;                 // out: sub-step that was not finished
                  int spent;);              // out: iterations in the sub-steps before that one

// A group of runs. Arrays are kLaneWidth lanes wide: value i of lane l is x[i*kLaneWidth + l]. Masks are 0 or -1 for
// each lane.
inline constexpr int kLaneWidth = 16;
RATTLEBACK_SHARED(LaneJob,
                  double* w;            // workspace of the plan; the states live in it
                  double* history;      // solutions of the last steps, for each sub-step (step/starting_values.hpp)
                  int* newest;          // row of the newest, for each sub-step; the same in all lanes
                  long long* far;       // which prediction to use, for each sub-step: a mask
                  double* multipliers;  // of the newest stage
                  const double* scale;  // PlanStepperData::multiplier_scale of each lane
                  long long* active;    // lanes that take steps; out: without those that failed
                  double t_base; double h; double h_before; double tolerance; long long count;  // steps since t_base
                  long long steps;                                                              // to take
                  long long done;    // out: taken, with the one in which a lane failed or an angle made a turn
                  int max_newton;);  // iterations after which a lane gives up

// C lays out what these are in the same way.
static_assert(std::is_standard_layout_v<NativeJob> && std::is_trivial_v<NativeJob> &&
              sizeof(std::int32_t) == sizeof(int));
static_assert(std::is_standard_layout_v<LaneJob> && std::is_trivial_v<LaneJob>);
static_assert(sizeof(NativeJob) == 16 * 8 + 4 * 4 && sizeof(LaneJob) == 15 * 8);

using NativeSteps = void (*)(NativeJob*);
using LaneSteps = void (*)(LaneJob*);
inline constexpr const char* kNativeSymbol = "rattleback_steps";

}  // namespace rattleback
