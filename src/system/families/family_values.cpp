#include "system/families/family_values.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseCholesky>

#include "expr/evaluator.hpp"
#include "expr/traverse.hpp"
#include "system/mechanical/inertia.hpp"

namespace rattleback {

using Sparse = Eigen::SparseMatrix<double>;

std::int32_t side_by_side(Entries& entries) {
  std::int32_t next = 0;
  for (Entry& e : entries) {
    e.row = {next, e.count == 0 ? 0 : 1};
    e.col = {};
    next += e.count == 0 ? 1 : e.count;
  }
  return next;
}

std::vector<Eigen::Triplet<double>> triplets(const Graph& g, const Entries& matrix, std::int32_t n, std::int32_t m,
                                             double t, std::span<const double> q, std::span<const double> v) {
  Entries flat = matrix;
  const std::int32_t size = side_by_side(flat);
  Evaluator evaluate(g, flat, size, n, m);
  const auto x = evaluate(t, q, v);
  std::vector<Eigen::Triplet<double>> out;
  std::size_t k = 0;
  for (const Entry& e : matrix)
    for (std::int32_t i = 0; i < std::max<std::int32_t>(1, e.count); ++i)
      out.emplace_back(e.row.at(i), e.col.at(i), x[k++]);
  return out;
}

Sparse sparse_value(const Graph& g, const Entries& matrix, std::int32_t rows, std::int32_t columns, std::int32_t n,
                    std::int32_t m, double t, std::span<const double> q, std::span<const double> v) {
  Sparse out(rows, columns);
  const auto list = triplets(g, matrix, n, m, t, q, v);
  out.setFromTriplets(list.begin(), list.end());
  return out;
}

bool is_diagonal(const Entries& matrix) {
  return std::all_of(matrix.begin(), matrix.end(), [](const Entry& e) {
    return e.row.base == e.col.base && (e.count == 0 || e.row.stride == e.col.stride);
  });
}

bool depends_on_motion(const Graph& g, std::span<const Entry> f) {
  return depends_on(g, f, kTime) || depends_on(g, f, kPosition) || depends_on(g, f, kVelocity);
}

// Pivots of a matrix with unit diagonal: those of a singular one are rounding errors, of either sign.
bool is_positive(const Sparse& matrix) {
  Eigen::VectorXd root = matrix.diagonal();
  if (!root.allFinite() || !(root.array() > 0.0).all()) return root.size() == 0;
  root = root.cwiseSqrt().cwiseInverse();
  const Eigen::SimplicialLDLT<Sparse> ldlt(Sparse(root.asDiagonal() * matrix * root.asDiagonal()));
  return ldlt.info() == Eigen::Success && (ldlt.vectorD().array() > kSingularInertia).all();
}

bool has_positive_mass(const FamilyMechanical& f, double t, std::span<const double> q, std::span<const double> v) {
  return is_positive(sparse_value(f.graph, f.mass, f.n, f.n, f.n, f.m, t, q, v));
}

}  // namespace rattleback
