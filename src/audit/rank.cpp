#include "audit/rank.hpp"

#include <algorithm>
#include <cmath>

#include "formulation/evaluator.hpp"
#include "solve/decompositions.hpp"

namespace rattleback {

RankMargin rank_margin(const System& system, const Trajectory::Records& records) {
  RankMargin out;
  const auto n = static_cast<std::size_t>(system.n()), m = static_cast<std::size_t>(system.m());
  if (m < 2 || records.rows == 0) return out;
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
    if (const double margin = s.minCoeff() / s.maxCoeff(); margin < out.smallest) {
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

}  // namespace rattleback
