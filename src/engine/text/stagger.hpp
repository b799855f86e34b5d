// Loops one after the other, in strips: the first strip of every loop, then the second strip of every loop, ... A loop
// that reads what another one has stored for members further on follows it at a distance, its offset.
//
// Member j of a statement has the place offset + j, and belongs to the strip of its place. Within a strip statements
// are run in their order. So a statement must have a place that is not before that of any earlier one whose value it
// reads or overwrites, or that reads what it overwrites.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace rattleback {

struct LoopStatement {
  enum Array : std::int8_t { kWorkspace, kMatrix };
  struct Access {  // of member j: slot + j*step
    Array array;
    bool writes;
    std::int32_t slot, step;
  };
  std::int32_t begin = 0, count = 1;  // its members are begin .. begin+count-1; places count from 0
  std::int32_t unit = 1;              // offsets are multiples of this
  std::int32_t offset = 0;
  std::vector<Access> accesses;
  bool single = false;          // its text has no loop
  std::function<void()> write;  // its text, for the members i .. end-1
};

// Cuts loops over several vectors in a row into loops over one each, and sets the offsets. Returns where the last
// statement ends.
std::int32_t stagger(std::vector<LoopStatement>& statements);

}  // namespace rattleback
