// The parts of a compiled step in lanes that do not depend on the model: vectors and masks, functions lane by lane, and linear
// solves with the operations of solve/dense.hpp in each lane.
#pragma once

#include <cstdint>
#include <string>

namespace rattleback {

extern const char* const kLaneHeadText;    // types, masks, struct lane_job (lane_job.hpp)
extern const char* const kLaneLookUpText;  // behind kLookUpText

std::string lane_unrolled_solve_text(std::int32_t n);  // lane_solve<n>: returns the lanes whose matrix is singular
std::string lane_factor_text(std::int32_t n);          // lane_factor<n>, likewise, and lane_substitute<n>

}  // namespace rattleback
