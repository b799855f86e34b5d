// Packs of slots (stage_lanes.hpp) as vectors of C.
#pragma once

#include <functional>
#include <string>

#include "engine/text/instruction_text.hpp"
#include "engine/text/stage_lanes.hpp"

namespace rattleback {

extern const char* const kPairText;  // the type of two lanes; that of four is in common_text.cpp

std::string lane_type(const LaneSlots& slots);

// What a pack holds, as an expression. vector: how the text calls a pack.
std::string lane_value(const LaneStep& step, const SlotName& name, const std::function<std::string(int)>& vector);

}  // namespace rattleback
