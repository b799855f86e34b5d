// One instruction of a program as a statement of C, which is C++ as well.
#pragma once

#include <functional>
#include <string>

#include "expr/program.hpp"

namespace rattleback {

int argument_count(Code code);  // slots that an instruction reads; 0 for clear and end

std::string literal(double x);  // hexadecimal: it reads back exactly

// How the text calls a slot, and a table of the program.
using SlotName = std::function<std::string(std::uint32_t)>;
using TableName = std::function<std::string(const std::vector<double>&)>;

// "" for Code::end. Not for loops, which why_not_native() refuses.
std::string statement(const Program& program, const Instruction& in, const SlotName& name, const TableName& table);

}  // namespace rattleback
