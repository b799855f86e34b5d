// The parts of a compiled step in lanes that do not depend on the model: vectors and masks, functions lane by lane, and linear
// solves with the operations of linalg/dense.hpp in each lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rattleback {

extern const char* const kLaneHeadText;    // types, masks, struct lane_job (lane_job.hpp)
extern const char* const kLaneLookUpText;  // behind kLookUpText

// near_value(), far_value() and far_is_better() of step/starting_values.hpp, and make_room(), the part of next_row() that
// moves rows; for rows of this length.
std::string lane_starting_text(std::size_t width, std::size_t unknowns);
std::string lane_unrolled_solve_text(std::int32_t n);  // lane_solve<n>: returns the lanes whose matrix is singular
std::string lane_factor_text(std::int32_t n);          // lane_factor<n>, likewise, and lane_substitute<n>

}  // namespace rattleback
