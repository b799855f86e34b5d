#include "report/view_builder.hpp"

#include <algorithm>

#include "expr/evaluator.hpp"
#include "report/samples.hpp"

namespace rattleback::report {

ViewBuilder::ViewBuilder(const Model& m, View& v, const std::set<std::int32_t>& taken)
    : model(m),
      view(v),
      graph(std::make_shared<Graph>(*m.graph)),
      n(m.coordinates.size()),
      coordinate_points(v.points.size()) {
  if (!view.points.empty() && view.points[0].at[2] >= 0) axes = 3;
  std::map<std::int32_t, std::vector<NodeId>> rows;
  for (const Entry& e : model.holonomic) rows[e.row.at(0)].push_back(e.count == 0 ? e.expr : kNone);
  for (const auto& [row, parts] : rows)
    if (!taken.contains(row) && parts.size() == 1 && parts[0] != kNone) open[row] = parts[0];
}

std::optional<Support> ViewBuilder::support_of(NodeId id) {
  for (auto next = static_cast<NodeId>(supports_.size()); next <= id; ++next) {
    const Node& node = (*graph)[next];
    std::optional<Support> out = Support{};
    if (node.count != 0 || node.op == Op::sum || node.op == Op::index || node.op == Op::table)
      out.reset();
    else if (node.op == Op::variable && node.space == kPosition)
      out->set(static_cast<std::size_t>(node.base()));
    else if (node.op == Op::variable && node.space != kTime)
      out.reset();
    const NodeId arguments[] = {node.a, node.b, node.c};
    for (int i = 0; i < arity(node.op) && out; ++i) {
      const std::optional<Support>& below = supports_[arguments[i]];
      if (below)
        *out |= *below;
      else
        out.reset();
    }
    supports_.push_back(out);
  }
  return supports_[id];
}

std::int32_t ViewBuilder::column(NodeId id) {
  const Node& node = (*graph)[id];
  if (node.op == Op::variable && node.space == kPosition && node.count == 0) return node.base();
  const auto found = std::ranges::find(view.expressions, id);
  if (found != view.expressions.end()) return n + static_cast<std::int32_t>(found - view.expressions.begin());
  view.expressions.push_back(id);
  return n + static_cast<std::int32_t>(view.expressions.size()) - 1;
}

std::size_t ViewBuilder::point(const Place& place, const std::string& name) {
  const std::array<std::int32_t, 3> at = {column(place[0]), column(place[1]), axes == 3 ? column(place[2]) : -1};
  for (std::size_t i = 0; i < view.points.size(); ++i)
    if (view.points[i].at == at) {
      if (view.points[i].name.empty()) view.points[i].name = name;
      return i;
    }
  view.points.push_back({at, name});
  return view.points.size() - 1;
}

void ViewBuilder::rod(std::size_t a, std::size_t b) {
  const std::array<std::size_t, 2> ends = {std::min(a, b), std::max(a, b)};
  if (a != b && std::ranges::find(view.rods, ends) == view.rods.end()) view.rods.push_back(ends);
}

std::vector<std::vector<double>> ViewBuilder::evaluate(const std::vector<NodeId>& nodes) const {
  Evaluator evaluator(*graph, nodes, n, 0);
  std::vector<std::vector<double>> out;
  for (const Sample& s : samples_of(model, kSamples)) {
    const auto values = evaluator(s.t, s.q);
    out.emplace_back(values.begin(), values.end());
  }
  return out;
}

bool ViewBuilder::constant(const std::vector<double>& values) {
  return std::ranges::all_of(values, [&](double x) { return near(x, values[0]); });
}

void ViewBuilder::finish() {
  view.points_in_all = view.points.size();
  if (!view.expressions.empty()) view.graph = graph;
}

}  // namespace rattleback::report
