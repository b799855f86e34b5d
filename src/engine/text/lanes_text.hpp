// The step of a plan for many runs at once, as the text of one C function (job.hpp has its argument).
//
// It is the text of emit.cpp with vectors of four doubles in place of doubles: each lane performs the operations of a
// single run in the same order. What a run decides by itself, lanes decide by masks: one that has arrived in Newton's
// iteration keeps its values while others go on, and rows of a matrix are exchanged in the lanes that want it.
// Functions of the mathematical library are called lane by lane.
#pragma once

#include <string>

#include "engine/text/emit.hpp"

namespace rattleback {

std::string lanes_text(const StepShape& shape);

}  // namespace rattleback
