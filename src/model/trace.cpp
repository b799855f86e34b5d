#include "rattleback/trace.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rattleback/error.hpp"

namespace rattleback::detail {

Model finish(Traced traced, const TraceOptions& o) {
  const std::size_t n = o.coordinates.size();
  const auto fail = [&](const std::string& text) { throw Error(fmt::format("C++ model '{}': {}", o.name, text)); };
  if (n == 0) fail("it has no coordinates");
  std::vector<std::string> sorted = o.coordinates;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    fail(fmt::format("two coordinates are called '{}'", *twice));
  for (const auto& [what, list] : {std::pair("positions", &o.q), std::pair("velocities", &o.v)})
    if (!list->empty() && list->size() != n)
      fail(fmt::format("the start has {} {}, but there are {} coordinates ({})", list->size(), what, n,
                       fmt::join(o.coordinates, ", ")));
  if (!traced.forces.empty() && traced.forces.size() != n)
    fail(fmt::format("forces() returned {} values, but there are {} coordinates", traced.forces.size(), n));
  const std::size_t m = traced.holonomic.size() + traced.nonholonomic.size();
  if (!o.constraints.empty() && o.constraints.size() != m)
    fail(fmt::format("{} constraint names were given, but there are {} constraints", o.constraints.size(), m));

  Model model;
  model.name = o.name;
  model.key = o.name;
  model.project = o.project;
  Graph& g = traced.graph;
  for (const std::string& name : o.coordinates) model.coordinates.add(name);
  model.lagrangian = traced.lagrangian.id(g);
  std::size_t next = 0;
  const auto name_of = [&](std::size_t k) {
    return o.constraints.empty() ? fmt::format("c{}", k + 1) : o.constraints[k];
  };
  const auto take = [&](const std::vector<Expr>& list, Entries& entries, Names& names) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      entries.push_back({list[i].id(g), 0, {static_cast<std::int32_t>(i), 0}, {}});
      names.add(name_of(next++));
    }
  };
  take(traced.holonomic, model.holonomic, model.holonomic_names);
  take(traced.nonholonomic, model.nonholonomic, model.nonholonomic_names);
  for (std::size_t i = 0; i < traced.forces.size(); ++i)
    model.forces.push_back({traced.forces[i].id(g), 0, {static_cast<std::int32_t>(i), 0}, {}});
  model.dissipative = !traced.forces.empty();
  model.q0 = o.q.empty() ? std::vector<double>(n, 0.0) : o.q;
  model.v0 = o.v.empty() ? std::vector<double>(n, 0.0) : o.v;
  model.graph = std::make_shared<const Graph>(std::move(g));
  return model;
}

}  // namespace rattleback::detail
