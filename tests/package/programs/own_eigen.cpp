// A program with Eigen of its own, compiled for wider vectors than the library: each keeps its own. Were their functions
// merged, what one has allocated would be freed by the other, which aligns it otherwise.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <cstdio>
#include <rattleback/rattleback.hpp>

namespace {

// The residuals of A x = b by three decompositions, of matrices of several sizes.
double worst_residual() {
  double worst = 0.0;
  for (int n = 1; n <= 40; ++n) {
    Eigen::MatrixXd A(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) A(i, j) = std::sin(1.0 + 3.0 * i + 5.0 * j * j) + (i == j ? 4.0 : 0.0);
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(n, 1.0, 2.0);
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(A);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod(A);
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
    const Eigen::LDLT<Eigen::MatrixXd> ldlt(A.transpose() * A);
    const Eigen::VectorXd five[] = {lu.solve(b), svd.solve(b), cod.solve(b), qr.solve(b),
                                    ldlt.solve(A.transpose() * b)};
    for (const Eigen::VectorXd& x : five) worst = std::fmax(worst, (A * x - b).norm());
  }
  return worst;
}

}  // namespace

int main() {
  const double before = worst_residual();
  const rattleback::Model model = rattleback::load_model("andrews");
  const rattleback::CheckReport report = rattleback::check(model);
  const double between = worst_residual();
  const rattleback::Trajectory run =
      rattleback::simulate(rattleback::load_model("skate"), {.step = 0.1, .until = 10.0, .native = "off"});
  const double after = worst_residual();
  std::printf("%d coordinates, t = %g, residuals %.1e %.1e %.1e\n", report.coordinates, run.t, before, between, after);
  return before < 1e-10 && between < 1e-10 && after < 1e-10 && run.status == rattleback::Status::done ? 0 : 1;
}
