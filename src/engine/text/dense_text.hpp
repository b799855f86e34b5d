// The parts of a compiled step that do not depend on the model: declarations, tables, and linear solves of a given size with
// the operations of linalg/dense.hpp in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rattleback {

extern const char* const kHeadText;    // declarations, struct job (job.hpp)
extern const char* const kLookUpText;  // look_up() of expr.hpp

// Matrices up to this size are eliminated in scalars, with the right-hand side; larger ones in loops.
inline constexpr std::int32_t kUnrolledMatrix = 4;

// Length of a row in memory, in whole vectors of four.
constexpr std::int32_t padded(std::int32_t n) { return (n + 3) / 4 * 4; }

// predict(), next_row() and far_is_better() of step/starting_values.hpp for rows of this length, C and C++.
std::string starting_text(std::size_t width, std::size_t unknowns);
std::string unrolled_solve_text(std::int32_t n);  // solve<n>: matrix, right-hand side, pointers to the solution
std::string factor_text(std::int32_t n);          // factor<n> and substitute<n>

}  // namespace rattleback
