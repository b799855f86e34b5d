// From the plan of a step to the text of one C function that takes many steps.
//
// The text holds numbers and nothing else of the user: every name in it is made here. Slots of the workspace become local
// variables, so that the compiler sees the step as one piece of straight-line code around Newton's loops. All operations
// are those of the interpreter, in its order, so the results have the same bits when nothing is contracted to
// multiply-adds.
//
// The function takes steps as long as they are plain: starting values extrapolated, Newton converging, the state finite. A
// step that is not is left to the interpreter from its beginning, so failures and their messages exist once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/step_loop.hpp"
#include "step/equations.hpp"

namespace rattleback {

// How PlanStepper uses the plan.
struct StepShape : stepping::Shape {
  const Plan* plan = nullptr;
  std::size_t history_width = 0;
  double multiplier_scale = 1.0;
  bool cautious = false;
  bool stage_lanes = true;  // formulas that occur several times become vectors where that saves something
};

// What the text runs of a block. With a leading matrix the exact one is left to the interpreter, or to the general solver
// of a C++ class.
std::vector<const Program*> programs_of(const Plan::Block& b);

// Why there is no native form of this plan; "" when there is.
std::string why_not_native(const Plan& plan);

std::string native_text(const StepShape& shape);

// The same loop for the member function of a C++ class, with values carried from step to step (header_text.cpp).
struct LoopText {
  std::string functions;  // static members: tables, solves, pieces of a long step
  std::string variables, loop;
};
LoopText loop_text(const StepShape& shape);

}  // namespace rattleback
