// apply() of rattleback/expr.hpp where a call would take longer than the operation.
#pragma once

#include <cmath>

#include "rattleback/error.hpp"
#include "rattleback/expr.hpp"

namespace rattleback {

inline double apply_here(Op op, double a, double b = 0.0, double c = 0.0) {
  switch (op) {
    case Op::neg: return -a;
    case Op::sin: return std::sin(a);
    case Op::cos: return std::cos(a);
    case Op::tan: return std::tan(a);
    case Op::asin: return std::asin(a);
    case Op::acos: return std::acos(a);
    case Op::atan: return std::atan(a);
    case Op::sinh: return std::sinh(a);
    case Op::cosh: return std::cosh(a);
    case Op::tanh: return std::tanh(a);
    case Op::exp: return std::exp(a);
    case Op::log: return std::log(a);
    case Op::sqrt: return std::sqrt(a);
    case Op::abs: return std::fabs(a);
    case Op::sign: return static_cast<double>((a > 0.0) - (a < 0.0));
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul: return a * b;
    case Op::div: return a / b;
    case Op::pow: return std::pow(a, b);
    case Op::atan2: return std::atan2(a, b);
    case Op::min: return b < a ? b : a;
    case Op::max: return a < b ? b : a;
    case Op::hypot: return std::hypot(a, b);
    case Op::less: return a < b ? 1.0 : 0.0;
    case Op::less_equal: return a <= b ? 1.0 : 0.0;
    case Op::select: return a != 0.0 ? b : c;
    case Op::constant:
    case Op::variable:
    case Op::index:
    case Op::table:
    case Op::sum:
    case Op::lookup:
    case Op::lookup_slope:
    case Op::input: break;
  }
  throw Error("apply: not an arithmetic operation");
}

}  // namespace rattleback
