// Linear solves of a given size in a compiled text, with the operations of linalg/dense.hpp in the same order: of one
// matrix, or of one in each lane. They return whether a matrix is singular, and in which lanes.
#pragma once

#include <cstdint>
#include <string>

#include "engine/text/instruction_text.hpp"

namespace rattleback {

// Matrices up to this size are eliminated in scalars, with the right-hand side; larger ones in loops.
inline constexpr std::int32_t kUnrolledMatrix = 4;

// Length of a row in memory, in whole vectors of four.
constexpr std::int32_t padded(std::int32_t n) { return (n + 3) / 4 * 4; }

std::string unrolled_solve_text(std::int32_t n,
                                Words words);  // solve<n>: matrix, right-hand side, pointers to the solution
// factor<n> and substitute<n>
std::string factor_text(std::int32_t n);
std::string lane_factor_text(std::int32_t n);

}  // namespace rattleback
