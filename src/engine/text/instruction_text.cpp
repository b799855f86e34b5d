#include "engine/text/instruction_text.hpp"

#include <cmath>

#include <fmt/format.h>

namespace rattleback {

int argument_count(Code code) {
  switch (code) {
    case Code::select:
    case Code::mul_add:
    case Code::mul_sub:
    case Code::sub_mul: return 3;
    case Code::add:
    case Code::sub:
    case Code::mul:
    case Code::div:
    case Code::pow:
    case Code::atan2:
    case Code::min:
    case Code::max:
    case Code::hypot:
    case Code::less:
    case Code::less_equal: return 2;
    case Code::clear:
    case Code::loop:
    case Code::end: return 0;
    default: return 1;
  }
}

std::string literal(double x) {
  if (std::isnan(x)) return "__builtin_nan(\"\")";
  if (std::isinf(x)) return x > 0.0 ? "__builtin_inf()" : "(-__builtin_inf())";
  return std::signbit(x) ? fmt::format("(-{:a})", -x) : fmt::format("{:a}", x);
}

std::string statement(const Program& program, const Instruction& in, const SlotName& name, const TableName& table) {
  if (in.code == Code::clear) {
    std::string out;
    for (std::uint32_t k = 0; k < in.b; ++k) out += fmt::format("{}{} = 0.0;", k > 0 ? " " : "", name(in.dst + k));
    return out;
  }
  const std::string d = name(in.dst), x = name(in.a);
  const auto function = [&](const char* f) { return fmt::format("{} = {}({});", d, f, x); };
  const auto binary = [&](const char* op) { return fmt::format("{} = {} {} {};", d, x, op, name(in.b)); };
  const auto two = [&](const char* f) { return fmt::format("{} = {}({}, {});", d, f, x, name(in.b)); };
  switch (in.code) {
    case Code::neg: return fmt::format("{} = -{};", d, x);
    case Code::sin: return function("sin");
    case Code::cos: return function("cos");
    case Code::tan: return function("tan");
    case Code::asin: return function("asin");
    case Code::acos: return function("acos");
    case Code::atan: return function("atan");
    case Code::sinh: return function("sinh");
    case Code::cosh: return function("cosh");
    case Code::tanh: return function("tanh");
    case Code::exp: return function("exp");
    case Code::log: return function("log");
    case Code::sqrt: return function("sqrt");
    case Code::abs: return function("fabs");
    case Code::sign: return fmt::format("{} = (double)(({} > 0.0) - ({} < 0.0));", d, x, x);
    case Code::copy: return fmt::format("{} = {};", d, x);
    case Code::add: return binary("+");
    case Code::sub: return binary("-");
    case Code::mul: return binary("*");
    case Code::div: return binary("/");
    case Code::pow: return two("pow");
    case Code::atan2: return two("atan2");
    case Code::hypot: return two("hypot");
    case Code::min: return fmt::format("{0} = {2} < {1} ? {2} : {1};", d, x, name(in.b));
    case Code::max: return fmt::format("{0} = {1} < {2} ? {2} : {1};", d, x, name(in.b));
    case Code::less: return fmt::format("{} = {} < {} ? 1.0 : 0.0;", d, x, name(in.b));
    case Code::less_equal: return fmt::format("{} = {} <= {} ? 1.0 : 0.0;", d, x, name(in.b));
    case Code::select: return fmt::format("{} = {} != 0.0 ? {} : {};", d, x, name(in.b), name(in.c));
    case Code::mul_add: return fmt::format("{} = {} * {} + {};", d, x, name(in.b), name(in.c));
    case Code::mul_sub: return fmt::format("{} = {} * {} - {};", d, x, name(in.b), name(in.c));
    case Code::sub_mul: return fmt::format("{} = {} - {} * {};", d, name(in.c), x, name(in.b));
    case Code::lookup:
    case Code::lookup_slope: {
      const std::vector<double>& values = program.tables[in.b];
      return fmt::format("{} = look_up({}, {}, {}, {});", d, table(values), values.size() / 2, x,
                         in.code == Code::lookup_slope ? 1 : 0);
    }
    case Code::clear:
    case Code::loop:
    case Code::end: break;
  }
  return "";
}

}  // namespace rattleback
