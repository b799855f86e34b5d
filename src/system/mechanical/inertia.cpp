#include "system/mechanical/inertia.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expr/evaluator.hpp"
#include "linalg/decompositions.hpp"

namespace rattleback {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd evaluate(const Model& model, const Graph& graph, const std::vector<std::vector<NodeId>>& rows, Index columns) {
  std::vector<NodeId> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  Evaluator e(graph, flat, model.coordinates.size(), model.multiplier_count());
  const auto x = e(model.t0, model.q0, model.v0);
  MatrixXd out(static_cast<Index>(rows.size()), columns);
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < columns; ++j) out(i, j) = x[static_cast<std::size_t>(i * columns + j)];
  return out;
}

// The inertia that is typical of each coordinate: the largest among those with which it shares a place of L_vv. (At the
// start a coordinate may have none itself, like e0 of a body that is not turned yet.)
VectorXd typical_inertia(const Graph& graph, const std::vector<std::vector<NodeId>>& Lvv, const VectorXd& own) {
  VectorXd out = own;
  for (Index i = 0; i < own.size(); ++i) {
    for (Index j = 0; j < own.size(); ++j)
      if (!graph.is_constant(Lvv[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)], 0.0))
        out(i) = std::fmax(out(i), own(j));
    if (!(out(i) > 0.0)) out(i) = own.maxCoeff();
  }
  return out;
}

}  // namespace

AddedInertia added_inertia(const Model& model, const Graph& graph, const std::vector<std::vector<NodeId>>& Lvv,
                           const std::vector<std::vector<NodeId>>& K) {
  AddedInertia out;
  const auto n = static_cast<Index>(Lvv.size()), m = static_cast<Index>(K.size());
  if (m == 0) return out;
  const MatrixXd M = evaluate(model, graph, Lvv, n);
  const MatrixXd k = evaluate(model, graph, K, n);
  if (!M.allFinite() || !k.allFinite() || !(M.diagonal().cwiseAbs().maxCoeff() > 0.0)) return out;

  // In coordinates of unit inertia, so that a small mass is not taken for none.
  const VectorXd own = M.diagonal().cwiseAbs();
  VectorXd root = own.cwiseSqrt();
  for (double& x : root) x = 1.0 / (x > 0.0 ? x : std::sqrt(own.maxCoeff()));
  const MatrixXd scaled = root.asDiagonal() * M * root.asDiagonal();
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(scaled);
  const double largest = eigen.values.cwiseAbs().maxCoeff();
  const Eigen::Array<bool, Eigen::Dynamic, 1> singular = eigen.values.array().abs() <= kSingularInertia * largest;
  if (!singular.any()) return out;

  const VectorXd inverse = typical_inertia(graph, Lvv, own).cwiseInverse();
  MatrixXd rows = k * inverse.cwiseSqrt().asDiagonal();
  const VectorXd size = rows.rowwise().norm();
  if (!(size.minCoeff() > 0.0)) return out;
  rows = size.cwiseInverse().asDiagonal() * rows;
  MatrixXd saddle = MatrixXd::Zero(n + m, n + m);
  saddle.topLeftCorner(n, n) = inverse.cwiseSqrt().asDiagonal() * M * inverse.cwiseSqrt().asDiagonal();
  saddle.topRightCorner(n, m) = rows.transpose();
  saddle.bottomLeftCorner(m, n) = rows;
  const VectorXd values = linalg::symmetric_eigen(saddle).values.cwiseAbs();
  if (values.minCoeff() <= kSingularInertia * values.maxCoeff()) return out;

  for (Index i = 0; i < m; ++i) out.c.push_back(1.0 / (size(i) * size(i)));
  for (Index j = 0; j < n; ++j) {
    double share = 0.0;
    for (Index e = 0; e < n; ++e)
      if (singular(e)) share = std::fmax(share, std::fabs(eigen.vectors(j, e)));
    if (share > 1e-6) out.without_inertia.push_back(model.coordinates[static_cast<std::int32_t>(j)]);
  }
  return out;
}

std::string to_note(const AddedInertia& added) {
  double least = INFINITY, most = 0.0;
  for (const double c : added.c) {
    if (c == 0.0) continue;
    least = std::fmin(least, c);
    most = std::fmax(most, c);
  }
  return fmt::format(
      "the Lagrangian gives no inertia to a motion of {} that the constraints forbid (L_vv is singular), so (c/2)|k|^2 "
      "was added to it, k being the constraints at velocity level, c between {:.3g} and {:.3g}: no motion changes, and "
      "the energy is reported without it",
      fmt::join(added.without_inertia, ", "), least, most);
}

}  // namespace rattleback
