// What a method claims against what the audit measured. A claim that does not hold is said plainly, in the notes.
#pragma once

#include <string>

namespace rattleback {

// From the ends of three runs with steps h, h/2 and h/4.
struct MeasuredOrder {
  double order = 0.0;
  double difference = 0.0;  // between the last two ends, relative to the largest component
  double rounding = 0.0;    // what rounding, or a loose Newton iteration, may contribute to it
};

// "" when the measurement does not contradict the claim, or cannot: at rounding level it says nothing.
std::string order_contradiction(const std::string& method, int claimed, const MeasuredOrder& measured);

// For a method that claims to be symmetric on this system. defect: relative, after integrating back; newton_tol: that of
// the run, 0 = to rounding.
std::string symmetry_contradiction(const std::string& method, double defect, double newton_tol);

}  // namespace rattleback
