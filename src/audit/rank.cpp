#include "audit/rank.hpp"

#include <algorithm>
#include <cmath>

#include "expr/evaluator.hpp"
#include "linalg/decompositions.hpp"
#include "model/kind_facts.hpp"
#include "model/scatter.hpp"

namespace rattleback {

RankMargin rank_margin(const System& system, const Trajectory::Records& records, std::int32_t rank) {
  RankMargin out;
  const auto n = static_cast<std::size_t>(system.n()), m = static_cast<std::size_t>(system.m());
  if (m < 2 || rank < 1 || records.rows == 0) return out;
  const Mechanical& f = system.mechanical();
  std::vector<NodeId> nodes;
  for (const auto& row : f.K) nodes.insert(nodes.end(), row.begin(), row.end());
  Evaluator evaluate(f.graph, nodes, f.n, f.m);
  Eigen::MatrixXd K(m, n);
  std::size_t worst = 0;
  const auto look = [&](std::size_t i) {
    const auto x =
        evaluate(records.t[i], std::span(records.q).subspan(i * n, n), std::span(records.v).subspan(i * n, n));
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t c = 0; c < n; ++c) K(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = x[r * n + c];
    if (!K.allFinite()) return;
    for (Eigen::Index r = 0; r < K.rows(); ++r)
      if (const double length = K.row(r).norm(); length > 0.0) K.row(r) /= length;
    const Eigen::VectorXd s = linalg::singular_values(K);
    if (const double margin = s(std::min<Eigen::Index>(rank, s.size()) - 1) / s.maxCoeff(); margin < out.smallest) {
      out = {margin, records.t[i]};
      worst = i;
    }
  };
  constexpr std::size_t kSamples = 1000;
  const std::size_t stride = std::max<std::size_t>(1, records.rows / kSamples);
  for (std::size_t i = 0; i < records.rows; i += stride) look(i);
  const std::size_t first = worst > stride ? worst - stride : 0, last = std::min(records.rows, worst + stride);
  for (std::size_t i = first; i < last; ++i) look(i);
  return out;
}

// Compared with what is usual between -2 and 2: a scale of one row is no loss of rank, one that comes and goes is.
RankMargin kinematics_margin(const Model& model, const Trajectory::Records& records) {
  const auto n = static_cast<std::size_t>(model.coordinates.size()), m = model.quasi.names.size();
  RankMargin out;
  if (m == 0 || model.quasi.momenta || records.rows == 0) return out;
  const auto rows = static_cast<Eigen::Index>(m), columns = static_cast<Eigen::Index>(n);
  Graph g = *model.graph;
  std::vector<NodeId> nodes(m * n, g.zero());
  for (const Entry& e : model.quasi.inverse)
    nodes[static_cast<std::size_t>(e.row.base) * n + static_cast<std::size_t>(e.col.base)] = e.expr;
  Evaluator evaluate(g, nodes, static_cast<std::int32_t>(n), 0);
  const auto matrix_at = [&](double t, std::span<const double> q) {
    const auto x = evaluate(t, q);
    return Eigen::MatrixXd(Eigen::Map<const linalg::RowMajorXd>(x.data(), rows, columns));
  };
  constexpr int kPoints = 32;
  std::vector<Eigen::MatrixXd> usual;
  Eigen::VectorXd scale = Eigen::VectorXd::Zero(rows);
  front::Scatter scatter;
  std::vector<double> q(n);
  for (int k = 0; k < kPoints; ++k) {
    for (double& x : q) x = 2.0 * scatter();
    const Eigen::MatrixXd W = matrix_at(records.t[0], q);
    if (!W.allFinite()) continue;
    scale += W.rowwise().squaredNorm();
    usual.push_back(W);
  }
  if (usual.empty()) return out;
  for (double& x : scale) x = x > 0.0 ? std::sqrt(static_cast<double>(usual.size()) / x) : 1.0;
  const auto smallest = [&](const Eigen::MatrixXd& W) {
    return linalg::singular_values(scale.asDiagonal() * W)(rows - 1);
  };
  std::vector<double> sizes;
  for (const Eigen::MatrixXd& W : usual) sizes.push_back(smallest(W));
  const auto half = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), half, sizes.end());
  if (!(*half > 0.0)) return out;
  constexpr std::size_t kSamples = 1000;
  const std::size_t stride = std::max<std::size_t>(1, records.rows / kSamples);
  for (std::size_t i = 0; i < records.rows; i += stride) {
    const Eigen::MatrixXd W = matrix_at(records.t[i], std::span(records.q).subspan(i * n, n));
    if (const double margin = W.allFinite() ? smallest(W) / *half : 0.0; margin < out.smallest)
      out = {margin, records.t[i]};
  }
  return out;
}

namespace {

// The gradients of the constraints at one point, row by row; a dae's and an odae's with respect to its states.
Eigen::MatrixXd gradients(const System& system, double t, std::span<const double> q, std::span<const double> v) {
  const auto values = [&](Graph& g, const std::vector<std::vector<NodeId>>& rows, std::int32_t columns,
                          std::int32_t n) {
    std::vector<NodeId> flat;
    for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
    Evaluator evaluate(g, flat, n, system.m());
    const auto x = evaluate(t, q, v);
    Eigen::MatrixXd out(static_cast<Eigen::Index>(rows.size()), columns);
    for (Eigen::Index i = 0; i < out.rows(); ++i)
      for (Eigen::Index j = 0; j < columns; ++j) out(i, j) = x[static_cast<std::size_t>(i * columns + j)];
    return out;
  };
  const auto derived = [&](Graph& g, const std::vector<NodeId>& f, std::int32_t columns, std::int32_t n) {
    std::vector<std::vector<NodeId>> rows;
    for (const NodeId e : f) rows.push_back(scalars(g, gradient(g, e, kPosition), columns));
    return values(g, rows, columns, n);
  };
  const auto of_states = [&](const Dae& f) {
    Graph g = f.graph;
    return derived(g, f.c, f.n, f.n);
  };
  return system.visit(Cases{[&](const Mechanical& f) {
                              Graph g = f.graph;
                              return values(g, f.K, f.n, f.n);
                            },
                            of_states,
                            [&](const Overdetermined& f) {
                              Graph g = f.graph;
                              return derived(g, f.g, f.ny, std::max(f.ny, f.nz));
                            },
                            [&](const SkewGradient&) { return of_states(system.dae()); },
                            [](const PortHamiltonian&) { return Eigen::MatrixXd(); }});
}

}  // namespace

std::optional<RankLoss> rank_loss(const System& system, double t, std::span<const double> q, std::span<const double> v,
                                  std::span<const char> active) {
  if (system.is_large() || !facts_of(system.model()).position_level || system.m() == 0) return std::nullopt;
  const Eigen::MatrixXd all = gradients(system, t, q, v);
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < all.rows(); ++i)
    if (active.empty() || active[static_cast<std::size_t>(i)] != 0) rows.push_back(i);
  Eigen::MatrixXd A = all(rows, Eigen::all).transpose();  // columns are constraints
  if (rows.empty() || !A.allFinite()) return std::nullopt;
  for (Eigen::Index i = 0; i < A.cols(); ++i)
    if (const double size = A.col(i).norm(); size > 0.0) A.col(i) /= size;
  constexpr double kDependent = 1e-10;
  const auto [rank, kernel] = linalg::rank_and_kernel(A, kDependent);
  if (rank == A.cols()) return std::nullopt;
  Eigen::Index last = A.cols() - 1;
  while (last > 0 && kernel.row(last).norm() <= 1e-6 * kernel.norm()) --last;
  const auto which = static_cast<std::int32_t>(rows[static_cast<std::size_t>(last)]);
  const Model& model = system.model();
  return RankLoss{constraint_name(model, which), static_cast<int>(rank), static_cast<int>(rows.size())};
}

}  // namespace rattleback
