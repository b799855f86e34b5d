// The part of a generated header that is the same for all steps: the library's Newton iteration on a block, its very
// text, for what is not plain: first steps, and steps that fail. header_text.cpp puts the texts together.
#pragma once

#include <string>

namespace rattleback {

std::string header_newton(
    const std::string& scope);  // namespace `scope`: block_newton.hpp and what it includes, angles.hpp

// Texts of class members.
extern const char* const kHeaderMath;                // functions that formulas use, LARGEST, larger, row_scale
std::string header_solve(const std::string& scope);  // Sizes, Block, solve_block

}  // namespace rattleback
