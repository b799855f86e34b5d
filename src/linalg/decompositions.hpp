// Eigen's dense decompositions and products, compiled once in decompositions.cpp: each of them takes seconds to compile,
// so that few other files include more of Eigen than its Core. For analysis before and after a run; steps have code of their own.
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

namespace rattleback::linalg {

using RowMajorXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Of a symmetric matrix, of which the lower triangle is read; eigenvalues ascend.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A);

// By LU with full pivoting; pivots below `threshold` times the largest count as 0 (none: rounding of this size).
struct RankAndKernel {
  Eigen::Index rank = 0;
  Eigen::MatrixXd kernel;  // its columns are a basis; one column of zeros when there is none
};
RankAndKernel rank_and_kernel(const Eigen::MatrixXd& A, double threshold);
Eigen::Index rank_of(const Eigen::MatrixXd& A, double threshold);
bool is_regular(const Eigen::MatrixXd& A);  // whatever the units of its rows and columns
Eigen::VectorXd solve(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

// Nothing when A is singular, whatever its units. Pivots of equal size are taken in the order of storage, hence one function for each.
std::optional<Eigen::MatrixXd> inverse(const Eigen::MatrixXd& A);
std::optional<RowMajorXd> inverse(const RowMajorXd& A);

bool has_cholesky_factor(const Eigen::MatrixXd& A);

// An orthonormal basis of what all rows of A map to 0, by QR of A^T.
Eigen::MatrixXd kernel_of_rows(const Eigen::MatrixXd& A, double threshold);

// Rows that depend on others, in ascending order: of rows of length one less than `tolerance` is left. Later rows depend on
// earlier ones, unless only pivots by size show the dependence. So do rows of zeros and those that are not finite.
std::vector<Eigen::Index> dependent_rows(const Eigen::MatrixXd& A, double tolerance);

// Among the vectors that make |A x - b| smallest, the shortest.
Eigen::VectorXd least_norm_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
Eigen::VectorXd least_norm_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double threshold);
// x of least |A x - b|^2 + mu |x|^2.
Eigen::VectorXd damped_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double mu);
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& A);

// Singular values descend; V is square.
struct SingularValues {
  Eigen::VectorXd values;
  Eigen::MatrixXd V;
};
SingularValues singular_values_and_v(const Eigen::MatrixXd& A);
Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);

Eigen::MatrixXd product(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
RowMajorXd product(const RowMajorXd& A, const RowMajorXd& B);
Eigen::VectorXd product(const Eigen::MatrixXd& A, const Eigen::VectorXd& x);
Eigen::MatrixXd transposed_product(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);  // A^T B
Eigen::MatrixXd congruent(const Eigen::MatrixXd& Z, const Eigen::MatrixXd& A);           // Z^T A Z

}  // namespace rattleback::linalg
