// What single instructions of a program read and write, and what formulas call their functions.
#pragma once

#include "expr/program.hpp"

namespace rattleback {

// Slots that an instruction reads: a, then b, then c.
constexpr int slots_read(Code code) {
  if (code <= Code::sign || code == Code::copy || code == Code::lookup || code == Code::lookup_slope) return 1;
  if (code <= Code::less_equal) return 2;
  return code == Code::select || code == Code::mul_add || code == Code::mul_sub || code == Code::sub_mul ? 3 : 0;
}

template <class Visit>
void for_each_read(const Instruction& in, const Visit& visit) {
  const int count = slots_read(in.code);
  if (count > 0) visit(in.a);
  if (count > 1) visit(in.b);
  if (count > 2) visit(in.c);
}

// From dst on.
constexpr std::uint32_t slots_written(const Instruction& in) {
  return in.code == Code::clear ? in.b : in.code == Code::end ? 0 : 1;
}

template <class Visit>
void for_each_written(const Instruction& in, const Visit& visit) {
  for (std::uint32_t k = 0; k < slots_written(in); ++k) visit(in.dst + k);
}

const char* name_of(Op op);
// Of arithmetic; see Code.
inline const char* name_of(Code code) {
  return name_of(static_cast<Op>(static_cast<int>(code) + static_cast<int>(Op::neg)));
}

}  // namespace rattleback
