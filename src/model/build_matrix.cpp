#include "model/build_matrix.hpp"

#include <cmath>
#include <map>

#include "model/suggest.hpp"

namespace rattleback::front {

Entries build_matrix(const MatrixText& text, Elaborator& e, const Rules& rules, const Names& names,
                     const Point& start) {
  Graph& g = e.graph();
  std::map<std::pair<std::int32_t, std::int32_t>, std::pair<NodeId, const Formula*>> given;
  for (const MatrixLine& line : text.lines)
    for (std::size_t i = 0; i < line.places.size(); ++i) {
      Scope scope;
      if (!line.index.empty()) scope.indices.push_back({line.index, line.from + static_cast<std::int64_t>(i), 0});
      given[line.places[i]] = {e.part(line.formula, line.formula.root, rules, scope), &line.formula};
    }
  Entries out;
  for (const auto& [place, value] : given) {
    const auto [row, col] = place;
    const NodeId expr = value.first;
    out.push_back({expr, 0, {row, 0}, {col, 0}});
    if (text.symmetry == Symmetry::none) continue;
    const bool skew = text.symmetry == Symmetry::skew;
    if (row == col && !skew) continue;
    const NodeId across = skew ? g.neg(expr) : expr;
    const auto other = given.find({col, row});
    if (other == given.end()) {
      out.push_back({across, 0, {col, 0}, {row, 0}});
      continue;
    }
    const NodeId both[] = {other->second.first, across};
    if (both[0] == both[1]) continue;
    const PointValues values(g, both, start);
    const double found = values[both[0]], expected = values[both[1]];
    if (std::fabs(found - expected) <= 1e-12 * std::fmax(std::fabs(found), std::fabs(expected))) continue;
    const std::string here = names[row] + "," + names[col], there = names[col] + "," + names[row];
    const std::string fault = text.name + " is not " + (skew ? "skew" : "symmetric") + ": entry `" + there + "` is " +
                              number_text(found) + " at the start";
    if (row == col) value.second->fail(0, fault + ", and the diagonal of a skew matrix is 0", "Leave it out");
    other->second.second->fail(0, fault + ", but entry `" + here + "` asks for " + number_text(expected),
                               "Give one of the two; the other follows");
  }
  return out;
}

}  // namespace rattleback::front
