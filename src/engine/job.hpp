// What the stepper and its compiled step tell each other: the arguments of the one function of a compiled text.
// dense_text.cpp writes the same struct into the text.
#pragma once

#include <cstdint>

namespace rattleback {

struct NativeJob {
  double* w = nullptr;             // workspace of the plan; the state lives in it
  double* history = nullptr;       // solutions of the last steps, for each sub-step (step/starting_values.hpp)
  std::int32_t* newest = nullptr;  // row of the newest, for each sub-step
  std::int32_t* far = nullptr;     // which prediction to use, for each sub-step
  double* multipliers = nullptr;   // of the newest stage
  double* saved = nullptr;         // state before a composed step that was not finished
  double t_base = 0.0, h = 0.0, h_before = 0.0, tolerance = 0.0;
  double at = 0.0;              // out: time of the sub-step that was not finished
  std::int64_t count = 0;       // steps since t_base
  std::int64_t steps = 0;       // to take
  std::int64_t done = 0;        // out: taken
  std::int64_t iterations = 0;  // out: of Newton, in the steps taken
  std::int32_t most = 0;        // in and out: largest number in one of them
  std::int32_t max_newton = 0;  // iterations after which a step is given up
  std::int32_t part = 0;        // out: sub-step that was not finished
  std::int32_t spent = 0;       // out: iterations in the sub-steps before that one
};

using NativeSteps = void (*)(NativeJob*);
inline constexpr const char* kNativeSymbol = "rattleback_steps";

}  // namespace rattleback
