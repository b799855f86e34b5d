#include "model/kinds/build_matrix.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>
#include <optional>

#include "expr/traverse.hpp"
#include "model/grammar/suggest.hpp"

namespace rattleback::front {
namespace {

// Where two formulas that should be the same are not.
struct Difference {
  double found, expected;
  bool at_start;
};

std::optional<Difference> difference(const Graph& g, NodeId found, NodeId expected, const Point& start) {
  if (found == expected) return std::nullopt;
  constexpr int kPoints = 4;
  constexpr double kTolerance = 1e-12;  // relative to the largest number that the two are made of: rounding
  const NodeId both[] = {found, expected};
  const std::vector<NodeId> below = reachable(g, both);
  std::vector<double> q(start.q.begin(), start.q.end());
  for (int p = 0; p < kPoints; ++p) {
    // The first point is the start. The others are beside it, by numbers that have nothing to do with each other.
    if (p > 0)
      for (std::size_t i = 0; i < q.size(); ++i) {
        const auto scatter = static_cast<double>((37 * (i + 1) + 23 * static_cast<std::size_t>(p)) % 61) / 32.0 - 1.0;
        q[i] = start.q[i] + 0.125 * (1.0 + std::fabs(start.q[i])) * scatter;
      }
    const PointValues values(g, both, {start.t, q, start.v, start.z});
    const double a = values[found], b = values[expected];
    if (p > 0 && !(std::isfinite(a) && std::isfinite(b))) continue;  // outside of the domain, maybe
    double size = 0.0;
    for (const NodeId id : below)
      if (std::isfinite(values[id])) size = std::fmax(size, std::fabs(values[id]));
    if (!(std::fabs(a - b) <= kTolerance * size)) return Difference{a, b, p == 0};
  }
  return std::nullopt;
}

}  // namespace

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
    if (text.symmetry == MatrixSymmetry::none) {
      out.push_back({expr, 0, {row, 0}, {col, 0}});
      continue;
    }
    const bool skew = text.symmetry == MatrixSymmetry::skew;
    const auto other = given.find({col, row});
    if (other != given.end() && (row < col || (row == col && skew))) {
      const auto d = difference(g, other->second.first, skew ? g.neg(expr) : expr, start);
      if (d) {
        const std::string here = fmt::format("{},{}", names[row], names[col]);
        const std::string fault =
            fmt::format("{} is not {}: entry `{},{}` is {} {} the start", text.name, skew ? "skew" : "symmetric",
                        names[col], names[row], number_text(d->found), d->at_start ? "at" : "at a point near");
        if (row == col) value.second->fail(0, fault + ", and the diagonal of a skew matrix is 0", "Leave it out");
        other->second.second->fail(0,
                                   fmt::format("{}, but entry `{}` asks for {}", fault, here, number_text(d->expected)),
                                   "Give one of the two; the other follows");
      }
    }
    if (row == col) {
      if (!skew) out.push_back({expr, 0, {row, 0}, {col, 0}});
    } else if (row < col || other == given.end()) {
      out.push_back({expr, 0, {row, 0}, {col, 0}});
      out.push_back({skew ? g.neg(expr) : expr, 0, {col, 0}, {row, 0}});
    }
  }
  return out;
}

}  // namespace rattleback::front
