#include "linalg/decompositions.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "linalg/condition.hpp"

namespace rattleback::linalg {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// Units of rows and columns do not decide whether a matrix is singular: what seems so is looked at again, equilibrated.
template <class Matrix>
std::optional<Matrix> inverse_by_lu(const Matrix& A) {
  const Eigen::FullPivLU<Matrix> lu(A);
  if (lu.isInvertible()) return Matrix(lu.inverse());
  MatrixXd scaled = A;
  const Equilibration scales = equilibrate(scaled);
  const Eigen::FullPivLU<MatrixXd> again(scaled);
  if (!again.isInvertible()) return {};
  return Matrix(scales.columns.asDiagonal() * MatrixXd(again.inverse()) * scales.rows.asDiagonal());
}

}  // namespace

SymmetricEigen symmetric_eigen(const MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

RankAndKernel rank_and_kernel(const MatrixXd& A, double threshold) {
  Eigen::FullPivLU<MatrixXd> lu(A);
  lu.setThreshold(threshold);
  return {lu.rank(), lu.kernel()};
}

Eigen::Index rank_of(const MatrixXd& A, double threshold) {
  Eigen::FullPivLU<MatrixXd> lu(A);
  lu.setThreshold(threshold);
  return lu.rank();
}

bool is_regular(const MatrixXd& A) {
  MatrixXd scaled = A;
  equilibrate(scaled);
  return Eigen::FullPivLU<MatrixXd>(scaled).isInvertible();
}

VectorXd solve(const MatrixXd& A, const VectorXd& b) { return Eigen::FullPivLU<MatrixXd>(A).solve(b); }

std::optional<MatrixXd> inverse(const MatrixXd& A) { return inverse_by_lu(A); }
std::optional<RowMajorXd> inverse(const RowMajorXd& A) { return inverse_by_lu(A); }

bool has_cholesky_factor(const MatrixXd& A) { return Eigen::LLT<MatrixXd>(A).info() == Eigen::Success; }

MatrixXd kernel_of_rows(const MatrixXd& A, double threshold) {
  Eigen::ColPivHouseholderQR<MatrixXd> qr(A.transpose());
  qr.setThreshold(threshold);
  return MatrixXd(qr.householderQ()).rightCols(A.cols() - qr.rank());
}

std::vector<Eigen::Index> dependent_rows(const MatrixXd& A, double tolerance) {
  MatrixXd columns = A.transpose();
  for (auto column : columns.colwise()) {
    if (const double size = column.stableNorm(); size > 0.0 && std::isfinite(size))
      column /= size;
    else
      column.setZero();
  }
  std::vector<Eigen::Index> in_order;
  MatrixXd basis(columns.rows(), std::min(columns.rows(), columns.cols()));
  Eigen::Index rank = 0;
  for (Eigen::Index i = 0; i < columns.cols(); ++i) {
    VectorXd rest = columns.col(i);
    for (int twice = 0; twice < 2; ++twice)
      rest -= basis.leftCols(rank) * (basis.leftCols(rank).transpose() * rest).eval();
    if (const double size = rest.norm(); size > tolerance && rank < basis.cols())
      basis.col(rank++) = rest / size;
    else
      in_order.push_back(i);
  }
  if (rank == 0) return in_order;  // Eigen does not factor what is empty
  // A row with a small share in a dependence of many rows keeps rounding errors over this share when it comes last.
  Eigen::ColPivHouseholderQR<MatrixXd> qr(columns);
  std::vector<Eigen::Index> by_size;
  for (Eigen::Index k = 0; k < columns.cols(); ++k)
    if (k >= columns.rows() || !(std::fabs(qr.matrixQR()(k, k)) > tolerance))
      by_size.push_back(qr.colsPermutation().indices()(k));
  std::sort(by_size.begin(), by_size.end());
  return by_size.size() > in_order.size() ? by_size : in_order;
}

VectorXd least_norm_solution(const MatrixXd& A, const VectorXd& b) {
  return Eigen::CompleteOrthogonalDecomposition<MatrixXd>(A).solve(b);
}

VectorXd least_norm_solution(const MatrixXd& A, const VectorXd& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition;
  decomposition.setThreshold(threshold);
  decomposition.compute(A);
  return decomposition.solve(b);
}

VectorXd damped_solution(const MatrixXd& A, const VectorXd& b, double mu) {
  MatrixXd above(A.rows() + A.cols(), A.cols());
  above << A, std::sqrt(mu) * MatrixXd::Identity(A.cols(), A.cols());
  VectorXd right = VectorXd::Zero(above.rows());
  right.head(A.rows()) = b;
  return least_norm_solution(above, right);
}

MatrixXd pseudo_inverse(const MatrixXd& A) {
  return Eigen::CompleteOrthogonalDecomposition<MatrixXd>(A).pseudoInverse();
}

SingularValues singular_values_and_v(const MatrixXd& A) {
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixV()};
}

// The triangle of a pivoted QR factorisation first. Eigen would do that itself for matrices that are not square, but there
// it destroys a part of itself twice when memory ends.
VectorXd singular_values(const MatrixXd& A) {
  if (A.size() == 0) return VectorXd();
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(A.cols() > A.rows() ? MatrixXd(A.transpose()) : A);
  const Eigen::Index k = std::min(A.rows(), A.cols());
  const MatrixXd R = qr.matrixR().topRows(k).triangularView<Eigen::Upper>();
  return Eigen::JacobiSVD<MatrixXd, Eigen::NoQRPreconditioner>(R).singularValues();
}

MatrixXd product(const MatrixXd& A, const MatrixXd& B) { return A * B; }
RowMajorXd product(const RowMajorXd& A, const RowMajorXd& B) { return A * B; }
VectorXd product(const MatrixXd& A, const VectorXd& x) { return A * x; }
MatrixXd transposed_product(const MatrixXd& A, const MatrixXd& B) { return A.transpose() * B; }

MatrixXd congruent(const MatrixXd& Z, const MatrixXd& A) { return Z.transpose() * A * Z; }

}  // namespace rattleback::linalg
