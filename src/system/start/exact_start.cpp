#include "system/start/exact_start.hpp"

#include <algorithm>
#include <cmath>

#include "expr/evaluator.hpp"
#include "model/kind_facts.hpp"

namespace rattleback {

double exact_start_defect(const Model& model, std::span<const double> q, std::span<const double> v) {
  Graph graph = *model.graph;
  std::vector<NodeId> nodes;
  std::vector<double> ours;
  for (const ExactValue& e : model.exact) {
    const auto i = static_cast<std::size_t>(e.index);
    if (e.space == kMultiplier) continue;
    nodes.push_back(e.expr);
    ours.push_back(e.space == kPosition ? q[i] : v[i]);
    if (e.space != kPosition || !facts_of(model).primed) continue;
    nodes.push_back(total_time_derivative(graph, e.expr));
    ours.push_back(v[i]);
  }
  if (nodes.empty()) return 0.0;
  const auto n = static_cast<std::int32_t>(std::max(q.size(), v.size()));
  Evaluator exact(graph, nodes, n, model.multiplier_count());
  const std::span<const double> x = exact(model.t0, q, v);
  double sum = 0.0;
  for (std::size_t i = 0; i < ours.size(); ++i)
    if (std::isfinite(x[i])) sum += (x[i] - ours[i]) * (x[i] - ours[i]);
  return std::sqrt(sum);
}

}  // namespace rattleback
