// Numbers of Newton's iteration on the blocks of a plan (newton.cpp), which compiled steps share.
#pragma once

#include <cstdint>

namespace rattleback::newton {

inline constexpr int kPatience = 6;                // iterations before a stagnating one is judged by its residual
inline constexpr double kRefresh = 0.05;           // contraction above which the matrix is computed anew
inline constexpr double kSaddleContraction = 0.5;  // contraction above which the saddle-point matrix is given up
// The leading matrix is given up above this contraction, unless corrections are near rounding, where ratios say little.
inline constexpr double kLeadingContraction = 0.1, kLeadingRounding = 1e-11;
// Corrections that shrank by it and then stop shrinking at once, this near to rounding: no matrix would do better.
inline constexpr double kLeadingNoise = 0x1p-44;  // 256 eps
inline constexpr std::int32_t kFullNewton = 3;    // blocks up to this size always use the current matrix

}  // namespace rattleback::newton
