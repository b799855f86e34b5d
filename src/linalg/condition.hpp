// Conditions of matrices after equilibration: how far errors of the equations may be amplified in their solution, whatever
// the units of equations and unknowns are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace rattleback {

// Powers of two that bring the largest element of every row and column near 1 [Ruiz2001]; 0 for rows of zeros.
struct Equilibration {
  Eigen::VectorXd rows, columns;
};
Equilibration equilibrate(Eigen::MatrixXd& A);  // scales A

// 2-norm condition of a square matrix; infinite when it is singular. From its singular values while it is small, estimated
// from its pivoted LU factors beyond. The `null` smallest singular values are left out: those of rows that are known to
// depend on others.
double condition(const Eigen::MatrixXd& A, Eigen::Index null = 0);

// The same for a sparse matrix; the condition is estimated from its factors by KLU.
struct Cell {
  std::int32_t row, column;
  double value;
};
std::vector<double> equilibrate(std::int32_t n, std::vector<Cell>& cells);  // adds up equal places; scales of the rows
double sparse_condition(std::int32_t n, std::span<const Cell> cells);       // of what equilibrate() left

}  // namespace rattleback
