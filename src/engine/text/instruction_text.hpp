// One instruction of a program as a statement of C, of one number or of four at once. That of one is C++ as well.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "expr/program.hpp"

namespace rattleback {

std::string literal(double x);  // hexadecimal: it reads back exactly
std::string literals(std::span<const double> x);

// How C says things of one number (a double), and of four at once (a vector; kLaneWordsText has its functions).
struct Words {
  bool wide = false;
  [[nodiscard]] const char* type() const { return wide ? "v" : "double"; }
  [[nodiscard]] std::string number(double x) const;
  [[nodiscard]] std::string pick(const std::string& condition, const std::string& yes, const std::string& no) const;
  [[nodiscard]] const char* truth() const { return wide ? "i" : "int"; }
  [[nodiscard]] std::string larger(const std::string& x, const std::string& y) const {
    return (wide ? "most(" : "larger(") + x + ", " + y + ")";
  }
  [[nodiscard]] std::string size_of(const std::string& x) const {
    return (wide ? "size_of(" : "__builtin_fabs(") + x + ")";
  }
};
inline constexpr Words kOne{.wide = false}, kFour{.wide = true};

// What an instruction computes of its operands, which the text calls x(0), x(1), x(2).
using Operand = std::function<std::string(int)>;
std::string formula(Code code, Words words, const Operand& x);

// How the text calls a slot, and a table of the program.
using SlotName = std::function<std::string(std::uint32_t)>;
using TableName = std::function<std::string(const std::vector<double>&)>;

// "" for Code::end. Not for loops, which why_not_native() refuses.
std::string statement(const Program& program, const Instruction& in, Words words, const SlotName& name,
                      const TableName& table);

}  // namespace rattleback
