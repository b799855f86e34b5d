#include "reproduce/columns.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "expr/evaluator.hpp"
#include "model/grammar/expression.hpp"
#include "output/columns.hpp"
#include "rattleback/error.hpp"
#include "system/system.hpp"

namespace rattleback::reproduce {
namespace {

using Rows = std::vector<double>;

// The states of the records, one after the other.
template <class Function>
Rows at_records(const Trajectory::Records& r, const Function& value) {
  const auto row = [&](const Rows& all, std::size_t i) {
    const std::size_t width = r.rows > 0 ? all.size() / r.rows : 0;
    return std::span(all).subspan(i * width, width);
  };
  Rows out;
  for (std::size_t i = 0; i < r.rows; ++i)
    out.push_back(value(r.t[i], row(r.q, i), row(r.v, i), row(r.multipliers, i)));
  return out;
}

std::int32_t width_of(const Model& model) { return std::max(model.coordinates.size(), model.odae.velocities.size()); }

Rows energy_error(const Trajectory& trajectory, bool relative) {
  Rows out = trajectory.records.energy;
  if (out.empty()) throw Error("this run has no energy");
  const double first = out.front(), unit = relative ? std::fabs(first) : 1.0;
  for (double& e : out) e = (e - first) / unit;
  return out;
}

// E - E of the record before.
Rows energy_change(const Trajectory& trajectory) {
  Rows out = trajectory.records.energy;
  if (out.empty()) throw Error("this run has no energy");
  for (std::size_t i = out.size(); i-- > 1;) out[i] -= out[i - 1];
  out[0] = 0.0;
  return out;
}

Rows error_of(const Model& model, const Trajectory& trajectory, const std::string& name) {
  Graph graph = *model.graph;
  for (const ExactValue& exact : model.exact) {
    const auto& names = exact.space == kMultiplier ? model.algebraic : model.coordinates;
    if (names[exact.index] + (exact.space == kVelocity ? "'" : "") != name) continue;
    const NodeId nodes[] = {graph.sub(graph.variable(exact.space, exact.index), exact.expr)};
    Evaluator e(graph, nodes, width_of(model), model.multiplier_count());
    return at_records(trajectory.records, [&](double t, auto q, auto v, auto l) { return e(t, q, v, l)[0]; });
  }
  throw Error(fmt::format("[exact] of '{}' does not have '{}'", model.key, name));
}

}  // namespace

std::vector<double> column_of(const Model& model, const Trajectory& trajectory, const std::string& name) {
  const Trajectory::Records& r = trajectory.records;
  if (name == "energy_error") return energy_error(trajectory, false);
  if (name == "relative_energy_error") return energy_error(trajectory, true);
  if (name == "energy_change") return energy_change(trajectory);
  if (name == "error") {
    System system(model);
    return at_records(r, [&](double t, auto q, auto v, auto l) {
      const auto error = system.exact_error(t, q, v, l);
      if (!error) throw Error(fmt::format("'{}' has no [exact]", model.key));
      return *error;
    });
  }
  if (name.starts_with("error.")) return error_of(model, trajectory, name.substr(6));
  for (const report::Block& block : report::record_blocks(model, trajectory)) {
    const auto found = std::ranges::find(block.columns, name);
    if (found == block.columns.end()) continue;
    if (block.values == nullptr) return Rows(r.rows, 0.0);
    const std::size_t width = block.columns.size(), place = static_cast<std::size_t>(found - block.columns.begin());
    Rows out;
    for (std::size_t i = 0; i < r.rows; ++i) out.push_back(block.values[i * width + place]);
    return out;
  }
  Graph graph = *model.graph;
  const NodeId nodes[] = {read_expression(model, graph, fmt::format("column '{}'", name), "the column", name)};
  Evaluator e(graph, nodes, width_of(model), model.multiplier_count());
  return at_records(r, [&](double t, auto q, auto v, auto l) { return e(t, q, v, l)[0]; });
}

}  // namespace rattleback::reproduce
