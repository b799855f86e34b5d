// What the operations compute. One list for every way of running a program, so that all of them have the same bits.
#pragma once

#include <cmath>

// Transcendental functions are the scalar libm's in every path: mixing in vector versions would change bits between
// one lane and many.
// NOLINTBEGIN(bugprone-macro-parentheses): formulas of x, y, z
#define RATTLEBACK_ARITHMETIC(CASE1, CASE2)               \
  CASE1(neg, -x)                                          \
  CASE1(sin, std::sin(x))                                 \
  CASE1(cos, std::cos(x))                                 \
  CASE1(tan, std::tan(x))                                 \
  CASE1(asin, std::asin(x))                               \
  CASE1(acos, std::acos(x))                               \
  CASE1(atan, std::atan(x))                               \
  CASE1(sinh, std::sinh(x))                               \
  CASE1(cosh, std::cosh(x))                               \
  CASE1(tanh, std::tanh(x))                               \
  CASE1(exp, std::exp(x))                                 \
  CASE1(log, std::log(x))                                 \
  CASE1(sqrt, std::sqrt(x))                               \
  CASE1(abs, std::fabs(x))                                \
  CASE1(sign, static_cast<double>((x > 0.0) - (x < 0.0))) \
  CASE1(copy, x)                                          \
  CASE2(add, x + y)                                       \
  CASE2(sub, x - y)                                       \
  CASE2(mul, x* y)                                        \
  CASE2(div, x / y)                                       \
  CASE2(pow, std::pow(x, y))                              \
  CASE2(atan2, std::atan2(x, y))                          \
  CASE2(min, y < x ? y : x)                               \
  CASE2(max, x < y ? y : x)                               \
  CASE2(hypot, std::hypot(x, y))                          \
  CASE2(less, x < y ? 1.0 : 0.0)                          \
  CASE2(less_equal, x <= y ? 1.0 : 0.0)

#define RATTLEBACK_ARITHMETIC_OF_THREE(CASE3) \
  CASE3(select, x != 0.0 ? y : z)             \
  CASE3(mul_add, x* y + z)                    \
  CASE3(mul_sub, x* y - z)                    \
  CASE3(sub_mul, z - x * y)
// NOLINTEND(bugprone-macro-parentheses)
