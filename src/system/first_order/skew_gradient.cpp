#include "system/first_order/skew_gradient.hpp"

#include "system/mechanical/mechanical.hpp"

namespace rattleback {

SkewGradient::SkewGradient(const Model& model)
    : graph(*model.graph), n(model.coordinates.size()), H(model.hamiltonian) {
  gradient = scalars(graph, rattleback::gradient(graph, H, kPosition), n);
  const auto size = static_cast<std::size_t>(n);
  Pi.assign(size, std::vector<NodeId>(size, graph.zero()));
  for (const Entry& e : model.pi) {
    NodeId& x = Pi[static_cast<std::size_t>(e.row.base)][static_cast<std::size_t>(e.col.base)];
    x = graph.add(x, e.expr);
  }
}

std::vector<NodeId> SkewGradient::apply(Graph& g, const std::vector<NodeId>& x) const {
  std::vector<NodeId> out;
  for (const std::vector<NodeId>& row : Pi) {
    NodeId sum = g.zero();
    for (std::size_t j = 0; j < x.size(); ++j) sum = g.add(sum, g.mul(row[j], x[j]));
    out.push_back(sum);
  }
  return out;
}

}  // namespace rattleback
