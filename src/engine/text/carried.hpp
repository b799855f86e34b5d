// Values that a step computes at its end and the next one would compute again at its start: the force at the end of a step
// of a Lobatto method is the one at the start of the next. Generated steps keep them.
//
// They are found in the programs, not declared by methods. Each slot is given the formula it holds, equal formulas once. A
// formula E of the state at the start is carried when E with the new state put in is a formula that is there at the end.
// The operations are the same ones, so the bits are too.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/text/emit.hpp"

namespace rattleback {

struct CarriedValues {
  struct Value {
    std::uint32_t start = 0,
                  end = 0;  // slots: where the step reads it, and where it stands at the end of the step before
  };
  std::vector<Value> values;
  std::vector<std::uint32_t> skipped;  // slots that need not be computed in a step: the values, and what only they need
  std::vector<Instruction> first;      // compute the values before the first step
};

CarriedValues carried_values(const StepShape& shape);

}  // namespace rattleback
