// Programs in batches: the form that a single point is fastest with.
//
// An interpreter pays for each instruction with a jump that the processor has to foresee, and instructions written depth
// first wait for one another. So the instructions of a program are put into another order:
//   - in batches: many of the same operation follow one another, and up to eight of them share one jump;
//   - in chains: an instruction that reads the result before it takes it from a register, not from memory.
// Operands are 16-bit numbers of slots, a third of the memory. Each instruction still reads and writes what it did in the
// written order, so the bits stay.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expr/program.hpp"

namespace rattleback {

inline constexpr std::size_t kLargestBatch = 8, kLargestLink = 4;
inline constexpr std::size_t kFirstLink = kLargestBatch * (static_cast<std::size_t>(Code::end) + 1);

// Links of a chain: one operand is the last result r. x and y are the others, in the order of the instruction.
enum class Link : std::uint8_t {
  neg,      // -r
  copy,     // r
  add,      // r + x
  sub,      // r - x
  from,     // x - r
  mul,      // r x
  div,      // r / x
  under,    // x / r
  mul_add,  // r x + y
  plus,     // x y + r
  mul_sub,  // r x - y
  less,     // x y - r
  sub_mul,  // y - r x
  minus     // r - x y
};

// The numbers of the instructions in the order in which they are packed. An instruction keeps its place after those that
// write what it reads or writes, and after those that read what it writes.
enum class Arrangement : std::uint8_t { batches, chains };
std::vector<std::uint32_t> arranged(std::span<const Instruction> code, Arrangement arrangement);

// The packed program. Each piece is 8 * operation + (count - 1), or kFirstLink + 4 * link + (count - 1), then the operands
// of its instructions. Empty when the program has loops, which have lanes of their own, or slots beyond 16 bits.
std::vector<std::uint16_t> pack_batches(std::span<const Instruction> code);

// The number of jumps that a packed program takes.
std::size_t jump_count(std::span<const std::uint16_t> packed);

}  // namespace rattleback
