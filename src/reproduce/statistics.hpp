// Single numbers from columns of numbers.
#pragma once

#include <string>
#include <vector>

namespace rattleback::reproduce {

using Column = std::vector<double>;

// Names that statistic() knows:
//   max      largest |y|                     slope, offset   straight line through y over t
//   min      smallest y                      rate            slope of log|y| over t
//   first, final                             growth          largest |y| of the last tenth over that of the first
//   range    largest - smallest y            excess          largest |y| of the last tenth over that of the rest
//   late_rate  rate over the last fifth
//   chaos    0: regular, 1: chaotic (zero_one_test)
const std::vector<std::string>& statistics();
double statistic(const std::string& name, const Column& t, const Column& y);

// The 0-1 test for chaos of a sequence of measurements: near 0 for quasi-periodic ones, near 1 for chaotic ones.
// [GottwaldMelbourne2009]
double zero_one_test(const Column& y);

// How far points are from one conic section, relative to their size: 0 on an ellipse.
double conic_defect(const Column& x, const Column& y);

}  // namespace rattleback::reproduce
