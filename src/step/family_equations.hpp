// The equations of a large step: vectors of unknowns, whose equations are entries with loops. `Plan` takes them like
// `Equations`; what becomes of them is in sparse_plan.hpp.
#pragma once

#include "step/equations.hpp"

namespace rattleback {

struct FamilyEquations {
  struct Group {                      // a vector of unknowns with its equations; rows count from 0
    std::int32_t base = 0, size = 0;  // its place among the variables of kUnknown
    Equations::Scale scale = Equations::Scale::state;
    bool solved = false;  // `equation` is the value of the unknowns; otherwise a residual
    Entries equation;
    // Further residuals whose rounding errors are those of positions over the step size (see Sizes::noise).
    Entries position_equation;
    Entries guess;
  };
  Graph graph;
  std::vector<std::pair<Space, std::int32_t>> inputs;  // spaces and sizes, besides kUnknown
  std::vector<Group> groups;
  Entries results;
  std::int32_t result_count = 0;
};

}  // namespace rattleback
