// From the entries of a matrix in a model file to expressions.
#pragma once

#include "model/evaluate.hpp"
#include "model/model_text.hpp"

namespace rattleback::front {

// Both triangles of the matrix. An entry of a symmetric or skew matrix that is given on both sides of the diagonal must
// agree with itself at the start and at some points near it; the one above the diagonal is taken, so that the matrix is
// symmetric or skew to the last bit.
Entries build_matrix(const MatrixText& text, Elaborator& e, const Rules& rules, const Names& names, const Point& start);

}  // namespace rattleback::front
