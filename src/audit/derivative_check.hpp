// Compares the exact derivatives with differences of the functions they came from: a check of the engine. This is the only
// place where finite differences occur.
//
// Differences have errors of their own, and a check that cries wolf is worse than none. So a derivative is compared with
// differences of several step sizes, extrapolated, at several points; in long double, where the model is not very large; and
// differs only by what the differences themselves leave no doubt about. Points at a kink, where the two sides have
// different slopes, decide nothing, and neither do differences that have not settled at any step size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rattleback/model.hpp"

namespace rattleback {

// A vector function of t, q, v with its derivative along a direction in one space, which stands in kMultiplier.
struct DerivativePair {
  Entries value, derivative;
  std::int32_t rows = 0;
  Space space = kPosition;
};

// The derivative of `value` as the engine forms it.
DerivativePair derivative_pair(Graph& g, Entries value, std::int32_t rows, Space space);

struct DerivativeComparison {
  double error = 0.0;                       // largest difference, relative to the size of the derivative
  std::int64_t decided = 0, undecided = 0;  // rows, at all points
  bool clear = true;                        // every row is decided, and has the derivative to many digits
};

// Along random directions at and near the point (q, v).
DerivativeComparison compare_derivatives(const Graph& g, std::span<const DerivativePair> pairs,
                                         const std::vector<double>& q, const std::vector<double>& v);

// The same for the functions of a model, at its start. Works on families of any size.
DerivativeComparison compare_derivatives(const Model& model);

}  // namespace rattleback
