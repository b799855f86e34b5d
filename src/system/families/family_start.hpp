// Consistent starts of large systems: what start.hpp promises, with sparse matrices.
#pragma once

#include "system/start/start.hpp"

namespace rattleback {

StartAnalysis analyse_large_start(const System& system, const RoundedValues::Point& at);
Projected project_large_start(const System& system, Start& start);

// The worst member of each entry of a vector function whose rows have the names `name`.
std::vector<ConstraintResidual> family_residuals(const Graph& g, const Entries& constraints, bool position,
                                                 const std::function<std::string(std::int32_t)>& name,
                                                 const RoundedValues::Point& at, std::span<const std::int32_t> angles);

// What is left of a row of length one that depends on others is shorter than this.
constexpr double kDependentRow = 1e-10;

// Rank of a matrix function with `rows` rows and n columns: that of constraint gradients.
struct RowRank {
  int rank = 0;
  std::vector<std::int32_t> dependent;         // rows that follow from the others, also those below
  std::vector<std::int32_t> zero, not_finite;  // rows without a direction
};
RowRank row_rank(const Graph& g, const Entries& matrix, std::int32_t rows, std::int32_t n, double t,
                 std::span<const double> q, std::span<const double> v);

// Largest value of a matrix function.
double largest_value(const FamilyMechanical& f, const Entries& matrix, double t, std::span<const double> q,
                     std::span<const double> v);

}  // namespace rattleback
