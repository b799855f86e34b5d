// From the plan of a large step to the text of its programs and products as C.
//
// Newton's iteration and the sparse solver stay where they are (step/sparse_newton.cpp): for long vectors the loops are all
// that costs. Every loop over a family becomes a loop of vectors, with the operations of the interpreter in its order, so
// the bits are the same.
#pragma once

#include <string>
#include <vector>

#include "step/sparse_plan.hpp"

namespace rattleback {

struct SparseText {
  std::string text;
  std::vector<const double*> tables;  // what the text reads besides the workspace; they belong to the plan
};

// Why there is no such text; "" when there is.
std::string why_not_native(const SparsePlan& plan);

SparseText sparse_text(const SparsePlan& plan);

}  // namespace rattleback
