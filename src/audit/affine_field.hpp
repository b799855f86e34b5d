// Affine vector fields q' = A q + b, as rows of numbers: A row by row, then b.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "rattleback/model.hpp"

namespace rattleback {

struct AffineField {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;

  explicit AffineField(Eigen::Index n) : A(Eigen::MatrixXd::Zero(n, n)), b(Eigen::VectorXd::Zero(n)) {}
  static AffineField of(const Eigen::VectorXd& row, Eigen::Index n);
  [[nodiscard]] Eigen::VectorXd row() const;
  // Coordinates that move, with expressions: "x", "1 - 3/2*y".
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> text(const Names& coordinates) const;
  // As formulas. What is no simple fraction is known to kNumberError only.
  [[nodiscard]] std::vector<NodeId> nodes(Graph& g) const;
};
inline constexpr double kNumberError = 1e-10;

// A basis of the span of the rows with many zeros and simple numbers: in reduced echelon form, small fractions exactly.
// Rotations turn from each coordinate to one with a larger number.
std::vector<Eigen::VectorXd> readable_basis(Eigen::MatrixXd rows, Eigen::Index n);

}  // namespace rattleback
