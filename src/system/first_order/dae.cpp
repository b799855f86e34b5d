#include "system/first_order/dae.hpp"

#include "system/first_order/skew_gradient.hpp"
#include "system/mechanical/mechanical.hpp"

namespace rattleback {

Dae::Dae(const Model& model) : graph(*model.graph) {
  n = model.coordinates.size();
  m = model.algebraic.size();
  f.assign(static_cast<std::size_t>(n), graph.zero());
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (model.parts[part].empty()) continue;
    parts[part] = scalars(graph, model.parts[part], n);
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = graph.add(f[i], parts[part][i]);
  }
  c = scalars(graph, model.constraints, m);
}

Dae::Dae(const SkewGradient& system) : graph(system.graph), n(system.n) {
  f = parts[0] = system.apply(graph, system.gradient);
}

}  // namespace rattleback
