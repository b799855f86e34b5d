#include "engine/text/stage_lanes_text.hpp"

#include <algorithm>

#include <fmt/format.h>

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
  const auto x = [&](std::size_t k) {
    return step.packs[k] >= 0 ? vector(step.packs[k]) : together(step.operands[k], name);
  };
  const auto binary = [&](const char* op) { return fmt::format("{} {} {}", x(0), op, x(1)); };
  switch (step.code[0]->code) {
    case Code::neg: return "-" + x(0);
    case Code::add: return binary("+");
    case Code::sub: return binary("-");
    case Code::mul: return binary("*");
    case Code::div: return binary("/");
    case Code::mul_add: return fmt::format("{} * {} + {}", x(0), x(1), x(2));
    case Code::mul_sub: return fmt::format("{} * {} - {}", x(0), x(1), x(2));
    case Code::sub_mul: return fmt::format("{} - {} * {}", x(2), x(0), x(1));
    default: return "";
  }
}

}  // namespace rattleback
