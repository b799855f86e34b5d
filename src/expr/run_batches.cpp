// Running programs in batches; batches.hpp says what they are.
#include <bit>
#include <cstring>

#include "expr/arithmetic.hpp"
#include "expr/batches.hpp"

namespace rattleback {
namespace {

// In one piece: the loads are what limits long batches. Behind the last instruction there is always the number of Code::end,
// so that four can be read where three are meant.
inline std::uint64_t four_numbers(const std::uint16_t* from) {
  if constexpr (std::endian::native == std::endian::little) {
    std::uint64_t out = 0;
    std::memcpy(&out, from, sizeof out);
    return out;
  }
  std::uint64_t out = 0;
  for (int k = 3; k >= 0; --k) out = out << 16 | from[k];
  return out;
}

}  // namespace

// Labels as values, as in interpreter.cpp. The instructions of a batch are done one after the other: a later one may read
// what an earlier one wrote.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
// NOLINTBEGIN(bugprone-macro-parentheses): statements and labels
#define NONE nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr
#define ONE(name) &&do_##name##_1, NONE
#define FOUR(name) &&do_##name##_1, &&do_##name##_2, &&do_##name##_3, &&do_##name##_4
#define EIGHT(name) FOUR(name), &&do_##name##_5, &&do_##name##_6, &&do_##name##_7, &&do_##name##_8
#define NEXT goto* kTargets[*in]
#define SLOT(k) w[in[k]]
// An instruction of so many numbers after the operation and those before it; the first is where its result goes.
#define READ(numbers, k) const std::uint64_t o = four_numbers(in + 1 + (numbers) * (k))
#define OPERAND(n) w[static_cast<std::uint16_t>(o >> (16 * (n)))]
#define DO0(k, formula) SLOT((k) + 1) = last = formula;
#define DO1(k, formula)                 \
  {                                     \
    const double x = SLOT(2 * (k) + 2); \
    SLOT(2 * (k) + 1) = last = formula; \
  }
#define DO2(k, formula)                          \
  {                                              \
    READ(3, k);                                  \
    const double x = OPERAND(1), y = OPERAND(2); \
    OPERAND(0) = last = formula;                 \
  }
#define DO3(k, formula)                                          \
  {                                                              \
    READ(4, k);                                                  \
    const double x = OPERAND(1), y = OPERAND(2), z = OPERAND(3); \
    OPERAND(0) = last = formula;                                 \
  }
#define TIMES_1(DO, formula) DO(0, formula)
#define TIMES_2(DO, formula) TIMES_1(DO, formula) DO(1, formula)
#define TIMES_3(DO, formula) TIMES_2(DO, formula) DO(2, formula)
#define TIMES_4(DO, formula) TIMES_3(DO, formula) DO(3, formula)
#define TIMES_5(DO, formula) TIMES_4(DO, formula) DO(4, formula)
#define TIMES_6(DO, formula) TIMES_5(DO, formula) DO(5, formula)
#define TIMES_7(DO, formula) TIMES_6(DO, formula) DO(6, formula)
#define TIMES_8(DO, formula) TIMES_7(DO, formula) DO(7, formula)
#define BATCH(operands, name, count, formula)                              \
  do_##name##_##count : {                                                  \
    TIMES_##count(DO##operands, formula) in += 1 + (1 + operands) * count; \
    NEXT;                                                                  \
  }
#define SINGLE1(name, formula) BATCH(1, name, 1, formula)
#define SINGLE2(name, formula) BATCH(2, name, 1, formula)
#define SINGLE3(name, formula) BATCH(3, name, 1, formula)
#define LARGER(operands, name, formula) \
  BATCH(operands, name, 2, formula)     \
  BATCH(operands, name, 3, formula)     \
  BATCH(operands, name, 4, formula)     \
  BATCH(operands, name, 5, formula)     \
  BATCH(operands, name, 6, formula)     \
  BATCH(operands, name, 7, formula)     \
  BATCH(operands, name, 8, formula)
#define CHAIN(operands, name, formula)     \
  BATCH(operands, link_##name, 1, formula) \
  BATCH(operands, link_##name, 2, formula) \
  BATCH(operands, link_##name, 3, formula) \
  BATCH(operands, link_##name, 4, formula)

void Program::run_batches(double* w) const {
  static const void* const kTargets[] = {
      EIGHT(neg), ONE(sin), ONE(cos), ONE(tan), ONE(asin), ONE(acos), ONE(atan), ONE(sinh), ONE(cosh), ONE(tanh),
      ONE(exp), ONE(log), ONE(sqrt), ONE(abs), ONE(sign), EIGHT(add), EIGHT(sub), EIGHT(mul), EIGHT(div), ONE(pow),
      ONE(atan2), ONE(min), ONE(max), ONE(hypot), ONE(less), ONE(less_equal), ONE(select), EIGHT(copy), EIGHT(mul_add),
      EIGHT(mul_sub), EIGHT(sub_mul), ONE(clear), nullptr, NONE, ONE(lookup), ONE(lookup_slope), ONE(end),
      // In the order of Link.
      FOUR(link_neg), FOUR(link_copy), FOUR(link_add), FOUR(link_sub), FOUR(link_from), FOUR(link_mul), FOUR(link_div),
      FOUR(link_under), FOUR(link_mul_add), FOUR(link_plus), FOUR(link_mul_sub), FOUR(link_less), FOUR(link_sub_mul),
      FOUR(link_minus)};
  static_assert(sizeof kTargets / sizeof kTargets[0] ==
                kFirstLink + kLargestLink * (static_cast<std::size_t>(Link::minus) + 1));
  const std::uint16_t* in = batches_.data();
  double last = 0.0;  // the result before this one, which need not be read from memory again
  NEXT;
  RATTLEBACK_ARITHMETIC(SINGLE1, SINGLE2)
  RATTLEBACK_ARITHMETIC_OF_THREE(SINGLE3)
  LARGER(1, neg, -x)
  LARGER(1, copy, x)
  LARGER(2, add, x + y)
  LARGER(2, sub, x - y)
  LARGER(2, mul, x * y)
  LARGER(2, div, x / y)
  LARGER(3, mul_add, x * y + z)
  LARGER(3, mul_sub, x * y - z)
  LARGER(3, sub_mul, z - x * y)
  CHAIN(0, neg, -last)
  CHAIN(0, copy, last)
  CHAIN(1, add, last + x)
  CHAIN(1, sub, last - x)
  CHAIN(1, from, x - last)
  CHAIN(1, mul, last * x)
  CHAIN(1, div, last / x)
  CHAIN(1, under, x / last)
  CHAIN(2, mul_add, last * x + y)
  CHAIN(2, plus, x * y + last)
  CHAIN(2, mul_sub, last * x - y)
  CHAIN(2, less, x * y - last)
  CHAIN(2, sub_mul, y - last * x)
  CHAIN(2, minus, last - x * y)
do_clear_1:
  for (std::size_t k = 0; k < in[2]; ++k) w[in[1] + k] = 0.0;
  in += 3;
  NEXT;
do_lookup_1:
  SLOT(1) = last = look_up(tables[in[3]], SLOT(2), false);
  in += 4;
  NEXT;
do_lookup_slope_1:
  SLOT(1) = last = look_up(tables[in[3]], SLOT(2), true);
  in += 4;
  NEXT;
do_end_1:
  return;
}
// NOLINTEND(bugprone-macro-parentheses)
#pragma GCC diagnostic pop

}  // namespace rattleback
