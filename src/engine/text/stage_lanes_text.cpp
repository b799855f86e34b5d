#include "engine/text/stage_lanes_text.hpp"

#include <algorithm>

namespace rattleback {

const char* const kPairText = "typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));\n";

std::string lane_type(const LaneSlots& slots) { return slots.size() == 2 ? "pair" : "lanes"; }

namespace {

// A lane too many repeats the last one.
std::string together(const LaneSlots& x, const SlotName& name) {
  std::string out = "(" + lane_type(x) + "){";
  for (std::size_t k = 0; k < (x.size() == 2 ? 2U : 4U); ++k)
    out += (k > 0 ? ", " : "") + name(x[std::min(k, x.size() - 1)]);
  return out + "}";
}

}  // namespace

std::string lane_value(const LaneStep& step, const SlotName& name, const std::function<std::string(int)>& vector) {
  if (step.code.empty()) return together(step.operands[0], name);
  return formula(step.code[0]->code, kFour, [&](int operand) {
    const auto k = static_cast<std::size_t>(operand);
    return step.packs[k] >= 0 ? vector(step.packs[k]) : together(step.operands[k], name);
  });
}

}  // namespace rattleback
