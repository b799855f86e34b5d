// In the coordinates (t, q) a constraint linear in v is the one-form omega = b dt + A dq. The forms are integrable
// exactly when each d(omega) vanishes on their common kernel (Frobenius).
#include "audit/integrability.hpp"

#include <random>

#include "expr/evaluator.hpp"
#include "linalg/decompositions.hpp"

namespace rattleback {
namespace {

using Eigen::MatrixXd;

// Kernel of the rows of A.
MatrixXd kernel(const MatrixXd& A) {
  const linalg::SingularValues svd = linalg::singular_values_and_v(A);
  const double big = svd.values.size() > 0 ? svd.values(0) : 0.0;
  Eigen::Index rank = 0;
  while (rank < svd.values.size() && svd.values(rank) > 1e-10 * big) ++rank;
  return svd.V.rightCols(A.cols() - rank);
}

}  // namespace

Integrability integrability(const Mechanical& system, const std::vector<double>& q) {
  Mechanical f = system;
  Graph& g = f.graph;
  const std::size_t n = static_cast<std::size_t>(f.n), m = f.k.size();
  Integrability out;
  out.alone.assign(m, true);
  out.together = m > 0;
  std::vector<bool> linear(m, true);
  std::vector<NodeId> nodes;
  for (std::size_t c = 0; c < m; ++c) {
    linear[c] = !depends_on(g, f.K[c], kVelocity);
    // b = k at v = 0.
    std::vector<NodeId> form = {
        substitute(g, f.k[c], [&](NodeId leaf) { return g[leaf].space == kVelocity ? g.zero() : leaf; })};
    form.insert(form.end(), f.K[c].begin(), f.K[c].end());
    for (const NodeId e : form) nodes.push_back(e);
    for (const NodeId e : form) {
      const auto dt = scalars(g, gradient(g, e, kTime), 1);
      const auto dq = scalars(g, gradient(g, e, kPosition), f.n);
      nodes.push_back(dt[0]);
      nodes.insert(nodes.end(), dq.begin(), dq.end());
    }
  }
  if (m == 0) return out;
  Evaluator evaluate(g, nodes, f.n, f.m);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> noise(-0.5, 0.5);
  const Eigen::Index N = static_cast<Eigen::Index>(n) + 1;
  for (int trial = 0; trial < 5; ++trial) {
    std::vector<double> at = q;
    double t = 0.0;
    if (trial > 0) {
      for (double& x : at) x += noise(random);
      t = 0.5 + noise(random);
    }
    const std::span<const double> x = evaluate(t, at);
    std::size_t k = 0;
    MatrixXd A(static_cast<Eigen::Index>(m), N);
    std::vector<MatrixXd> d(m, MatrixXd(N, N));
    bool finite = true;
    for (std::size_t c = 0; c < m; ++c) {
      for (Eigen::Index j = 0; j < N; ++j) A(static_cast<Eigen::Index>(c), j) = x[k++];
      for (Eigen::Index j = 0; j < N; ++j)
        for (Eigen::Index i = 0; i < N; ++i) d[c](i, j) = x[k++];
      finite = finite && d[c].allFinite();
    }
    if (!finite || !A.allFinite()) continue;
    const MatrixXd X = kernel(A);
    for (std::size_t c = 0; c < m; ++c) {
      const MatrixXd curl = d[c] - d[c].transpose();
      const double size = 1e-9 * (d[c].cwiseAbs().maxCoeff() + 1e-300);
      const MatrixXd own = kernel(A.row(static_cast<Eigen::Index>(c)));
      if (!linear[c] || linalg::congruent(own, curl).cwiseAbs().maxCoeff() > size) out.alone[c] = false;
      if (!linear[c] || (X.cols() > 0 && linalg::congruent(X, curl).cwiseAbs().maxCoeff() > size)) out.together = false;
    }
  }
  return out;
}

}  // namespace rattleback
