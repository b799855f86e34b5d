#include "formulation/family_start.hpp"

#include <cmath>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "formulation/least_norm.hpp"
#include "formulation/terms.hpp"

namespace rattleback {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Eigen::VectorXd;

}  // namespace

std::int32_t side_by_side(Entries& entries) {
  std::int32_t next = 0;
  for (Entry& e : entries) {
    e.row = {next, e.count == 0 ? 0 : 1};
    e.col = {};
    next += e.count == 0 ? 1 : e.count;
  }
  return next;
}

namespace {

std::vector<Eigen::Triplet<double>> triplets(const Graph& g, const Entries& matrix, std::int32_t n, std::int32_t m,
                                             std::span<const double> q, std::span<const double> v) {
  Entries flat = matrix;
  const std::int32_t size = side_by_side(flat);
  Evaluator evaluate(g, flat, size, n, m);
  const auto x = evaluate(0.0, q, v);
  std::vector<Eigen::Triplet<double>> out;
  std::size_t k = 0;
  for (const Entry& e : matrix)
    for (std::int32_t i = 0; i < std::max<std::int32_t>(1, e.count); ++i)
      out.emplace_back(e.row.at(i), e.col.at(i), x[k++]);
  return out;
}

Sparse evaluate(const Graph& g, const Entries& matrix, std::int32_t rows, std::int32_t columns, std::int32_t n,
                std::int32_t m, std::span<const double> q, std::span<const double> v) {
  Sparse out(rows, columns);
  const auto list = triplets(g, matrix, n, m, q, v);
  out.setFromTriplets(list.begin(), list.end());
  return out;
}

void residuals(StartAnalysis& out, const Model& model, const Graph& g, const Entries& constraints, bool position,
               std::int32_t n, std::int32_t m, std::span<const double> q, std::span<const double> v) {
  for (const Entry& constraint : constraints) {
    std::vector<NodeId> nodes = {constraint.expr};
    collect_terms(g, constraint.expr, nodes);
    Entries flat;
    for (const NodeId id : nodes) flat.push_back({id, constraint.count, {}, {}});
    const std::int32_t size = side_by_side(flat), members = std::max<std::int32_t>(1, constraint.count);
    Evaluator evaluate(g, flat, size, n, m);
    const auto x = evaluate(0.0, q, v);
    ConstraintResidual worst;
    worst.relative = -1.0;
    for (std::int32_t i = 0; i < members; ++i) {
      double terms = 0.0;
      for (std::int32_t k = members + i; k < size; k += members)
        terms = std::fmax(terms, std::fabs(x[static_cast<std::size_t>(k)]));
      const double value = std::fabs(x[static_cast<std::size_t>(i)]);
      const double relative = value == 0.0 ? 0.0 : value / std::fmax(terms, 1e-300);
      if (relative <= worst.relative) continue;
      worst = {model.multiplier_name(constraint.row.at(i)), position, value, relative};
    }
    out.consistent = out.consistent && worst.relative <= kStartTolerance;
    out.residuals.push_back(std::move(worst));  // of a family, the worst member
  }
}

}  // namespace

// From the pivots of K K^T with rows of length one. (A sparse QR of a chain of N links fills up like N^2.)
RowRank row_rank(const Graph& g, const Entries& matrix, std::int32_t rows, std::int32_t n, std::span<const double> q,
                 std::span<const double> v) {
  RowRank out;
  if (rows == 0) return out;
  Sparse K = evaluate(g, matrix, rows, n, n, rows, q, v);
  VectorXd length = VectorXd::Zero(rows);
  for (Eigen::Index j = 0; j < K.outerSize(); ++j)
    for (Sparse::InnerIterator it(K, j); it; ++it) length(it.row()) += it.value() * it.value();
  for (std::int32_t i = 0; i < rows; ++i)
    if (length(i) == 0.0)
      out.zero.push_back(i);
    else if (!std::isfinite(length(i)))
      out.not_finite.push_back(i);
  if (!out.not_finite.empty()) {  // nothing can be said about the others
    out.dependent = out.zero;
    out.dependent.insert(out.dependent.end(), out.not_finite.begin(), out.not_finite.end());
    out.rank = rows - static_cast<int>(out.dependent.size());
    return out;
  }
  for (double& x : length) x = x > 0.0 ? 1.0 / std::sqrt(x) : 1.0;
  K = length.asDiagonal() * K;
  Eigen::SimplicialLDLT<Sparse> ldlt;
  ldlt.setShift(1e-14);  // the factorisation would end at a pivot of exactly 0
  ldlt.compute(Sparse(K * K.transpose()));
  const VectorXd D = ldlt.vectorD();
  for (Eigen::Index k = 0; k < D.size(); ++k) {
    if (D(k) > 1e-12)
      ++out.rank;
    else
      out.dependent.push_back(ldlt.permutationPinv().indices()(k));
  }
  return out;
}

double largest_value(const FamilyMechanical& f, const Entries& matrix, std::span<const double> q,
                     std::span<const double> v) {
  double big = 0.0;
  for (const auto& t : triplets(f.graph, matrix, f.n, f.m, q, v)) big = std::fmax(big, std::fabs(t.value()));
  return big;
}

bool has_positive_mass(const FamilyMechanical& f, std::span<const double> q, std::span<const double> v) {
  const Eigen::SimplicialLDLT<Sparse> ldlt(evaluate(f.graph, f.mass, f.n, f.n, f.n, f.m, q, v));
  return ldlt.info() == Eigen::Success && (ldlt.vectorD().array() > 0.0).all();
}

StartAnalysis analyse_large_start(const System& system, std::span<const double> q, std::span<const double> v) {
  StartAnalysis out;
  const FamilyMechanical& f = system.families();
  residuals(out, system.model(), f.graph, f.g, true, f.n, f.m, q, v);
  residuals(out, system.model(), f.graph, f.k, false, f.n, f.m, q, v);
  const RowRank rank = row_rank(f.graph, f.K, f.m, f.n, q, v);
  out.rank = rank.rank;
  for (const std::int32_t i : rank.dependent) out.redundant.push_back(system.model().multiplier_name(i));
  for (const std::int32_t i : rank.zero) out.vanishing.push_back(system.model().multiplier_name(i));
  for (const std::int32_t i : rank.not_finite) out.not_finite.push_back(system.model().multiplier_name(i));
  const Sparse M = evaluate(f.graph, f.mass, f.n, f.n, f.n, f.m, q, v);
  out.mass_positive_definite = has_positive_mass(f, q, v);
  out.saddle_regular = out.redundant.empty() && out.mass_positive_definite;
  // Without inertia in some direction the matrix may still be regular; solving with it tells.
  if (out.redundant.empty() && !out.saddle_regular) out.saddle_regular = system.acceleration()->solve(0.0, q, v);
  if (!out.saddle_regular && out.redundant.empty())
    for (Eigen::Index i = 0; i < M.rows(); ++i)
      if (M.coeff(i, i) == 0.0) out.without_inertia.push_back(system.model().coordinates[static_cast<std::int32_t>(i)]);
  return out;
}

// Least-norm corrections dx = K^T (K K^T)^-1 r.
bool project_large_start(const System& system, std::vector<double>& q, std::vector<double>& v) {
  FamilyMechanical f = system.families();
  const auto project = [&](const Entries& function, std::int32_t rows, Space space, std::vector<double>& x) {
    if (rows == 0) return true;
    Evaluator value(f.graph, function, rows, f.n, f.m);
    const Entries derivative = jacobian(f.graph, function, space);
    return least_norm_newton(x, [&](VectorXd& dx) {
      const auto numbers = value(0.0, q, v);
      const VectorXd r = Eigen::Map<const VectorXd>(numbers.data(), rows);
      const Sparse K = evaluate(f.graph, derivative, rows, f.n, f.n, f.m, q, v);
      const Eigen::SimplicialLDLT<Sparse> ldlt(Sparse(K * K.transpose()));
      if (!r.allFinite() || ldlt.info() != Eigen::Success) return false;
      dx = K.transpose() * ldlt.solve(r);
      return true;
    });
  };
  return project(f.g, f.holonomic, kPosition, q) && project(f.k, f.m, kVelocity, v);
}

}  // namespace rattleback
