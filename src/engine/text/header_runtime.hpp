// The part of a generated header that is the same for all steps: Newton's iteration on a block with everything that
// newton.cpp knows about it. Generated steps use it for what is not plain: first steps, and steps that fail.
// Texts of class members; header_text.cpp puts them together.
#pragma once

#include <string>

namespace rattleback {

extern const char* const kHeaderMath;   // functions that formulas use, LARGEST, larger, row_scale
extern const char* const kHeaderTurns;  // turned, wrap (system/angles.hpp)
std::string header_solve();             // Sizes, Block, solve_block

}  // namespace rattleback
