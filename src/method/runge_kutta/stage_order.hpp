// What dense output needs to know of a Runge-Kutta scheme: where its stages are, and how accurate they are.
#pragma once

#include <vector>

#include "method/runge_kutta/scheme.hpp"
#include "tableau/tableau.hpp"

namespace rattleback {

struct StageLayout {
  std::vector<double> c;  // empty: the step has no stage values
  int order = 0;          // stage velocities (dae: stages) have errors O(h^(order+1))
};

// The largest k for which all matrices of the scheme satisfy sum_j a_ij c_j^(l-1) = c_i^l/l for l = 1..k. [HairerWanner1996,
// IV.5, C(k)]
StageLayout stage_layout(const Scheme& scheme, bool mechanical);
StageLayout stage_layout(const Tableau& tableau);

}  // namespace rattleback
