#include "engine/text/instruction_text.hpp"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "expr/instructions.hpp"

namespace rattleback {

std::string literal(double x) {
  if (std::isnan(x)) return "__builtin_nan(\"\")";
  if (std::isinf(x)) return x > 0.0 ? "__builtin_inf()" : "(-__builtin_inf())";
  return std::signbit(x) ? fmt::format("(-{:a})", -x) : fmt::format("{:a}", x);
}

std::string literals(std::span<const double> x) {
  std::string out;
  for (const double value : x) out += (out.empty() ? "" : ", ") + literal(value);
  return out;
}

std::string Words::number(double x) const { return wide ? "ALL(" + literal(x) + ")" : literal(x); }

std::string Words::pick(const std::string& condition, const std::string& yes, const std::string& no) const {
  return fmt::format(fmt::runtime(wide ? "pick({}, {}, {})" : "({} ? {} : {})"), condition, yes, no);
}

std::string formula(Code code, Words words, const Operand& x) {
  const auto call = [&](std::string_view name) {
    std::string arguments = x(0);
    for (int k = 1; k < slots_read(code); ++k) arguments += ", " + x(k);
    return fmt::format("{}({})", name, arguments);
  };
  const auto one_if = [&](const std::string& condition) {
    return words.pick(condition, words.number(1.0), words.number(0.0));
  };
  switch (code) {
    case Code::neg: return "-" + x(0);
    case Code::abs: return words.size_of(x(0));
    case Code::sign: return fmt::format("{} - {}", one_if(x(0) + " > 0.0"), one_if(x(0) + " < 0.0"));
    case Code::copy: return x(0);
    case Code::add: return fmt::format("{} + {}", x(0), x(1));
    case Code::sub: return fmt::format("{} - {}", x(0), x(1));
    case Code::mul: return fmt::format("{} * {}", x(0), x(1));
    case Code::div: return fmt::format("{} / {}", x(0), x(1));
    case Code::min: return words.pick(x(1) + " < " + x(0), x(1), x(0));
    case Code::max: return words.pick(x(0) + " < " + x(1), x(1), x(0));
    case Code::less: return one_if(x(0) + " < " + x(1));
    case Code::less_equal: return one_if(x(0) + " <= " + x(1));
    case Code::select: return words.pick(x(0) + " != 0.0", x(1), x(2));
    case Code::mul_add: return fmt::format("{} * {} + {}", x(0), x(1), x(2));
    case Code::mul_sub: return fmt::format("{} * {} - {}", x(0), x(1), x(2));
    case Code::sub_mul: return fmt::format("{} - {} * {}", x(2), x(0), x(1));
    case Code::pow: return call(words.wide ? "lane_pow" : "pow");  // compilers do not look into it (compiler.cpp)
    case Code::lookup:
    case Code::lookup_slope:
    case Code::clear:
    case Code::loop:
    case Code::end: return "";  // not formulas of slots alone
    default: return call(std::string(words.wide ? "lane_" : "__builtin_") + name_of(code));
  }
}

std::string statement(const Program& program, const Instruction& in, Words words, const SlotName& name,
                      const TableName& table) {
  if (in.code == Code::clear) {
    std::string out;
    for (std::uint32_t k = 0; k < in.b; ++k)
      out += fmt::format("{}{} = {};", k > 0 ? " " : "", name(in.dst + k), words.number(0.0));
    return out;
  }
  if (in.code == Code::lookup || in.code == Code::lookup_slope) {
    const std::vector<double>& values = program.tables[in.b];
    return fmt::format("{} = {}look_up({}, {}, {}, {});", name(in.dst), words.wide ? "lane_" : "", table(values),
                       values.size() / 2, name(in.a), in.code == Code::lookup_slope ? 1 : 0);
  }
  const std::uint32_t read[] = {in.a, in.b, in.c};
  return fmt::format("{} = {};", name(in.dst), formula(in.code, words, [&](int k) { return name(read[k]); }));
}

}  // namespace rattleback
