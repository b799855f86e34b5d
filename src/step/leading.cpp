#include "step/leading.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "expr/rewrite.hpp"
#include "step/explicit_unknowns.hpp"

namespace rattleback {
namespace {

constexpr std::size_t kSmallestBlock = 6;      // below it, the exact matrix is as cheap
constexpr std::size_t kLargestComponent = 12;  // coordinates that one mass matrix couples: eliminated in formulas

// Formulas for h -> 0.
class Limit {
 public:
  explicit Limit(Graph& g) : g_(g), rewrite_(g, Leaf{&g}) {}
  NodeId operator()(NodeId e) { return rewrite_(e); }
  // Something that is neither 0 nor infinite, as far as the formula shows. Multipliers at position level (ggl) have not,
  // since their rows are divided by h.
  bool exists(NodeId e) {
    const NodeId limit = (*this)(e);
    for (const NodeId id : reachable(g_, std::span(&limit, 1)))
      if (g_.is_constant(id) && !std::isfinite(g_[id].value)) return false;
    return !g_.is_constant(limit, 0.0);
  }

 private:
  struct Leaf {
    Graph* graph;
    NodeId operator()(NodeId id) const { return (*graph)[id].space == kStepSize ? graph->zero() : id; }
  };
  Graph& g_;
  Rewrite<Leaf> rewrite_;
};

// The part of the matrix that is left for h -> 0, and its elimination. No pivots are chosen: mass matrices need none, and a
// poor matrix shows in the iteration, which then takes the exact one.
class LeadingPart {
 public:
  LeadingPart(Graph& g, std::size_t size) : g_(g), n_(size), a_(size * size, g.zero()) {}

  bool read(std::span<const NodeId> entries, Limit& limit) {
    Occurrences unknowns(g_);
    for (std::size_t k = 0; k < a_.size(); ++k) {
      if (g_.is_constant(entries[k], 0.0)) continue;
      a_[k] = limit(entries[k]);
      if (g_.is_constant(a_[k]) && !std::isfinite(g_[a_[k]].value)) return false;
      if (unknowns.any(a_[k])) return false;
    }
    return small_components();
  }

  // L U in place; false: a pivot is zero whatever the values are.
  bool factor() {
    for (std::size_t k = 0; k < n_; ++k) {
      if (zero(at(k, k))) return false;
      for (std::size_t i = k + 1; i < n_; ++i) {
        if (zero(at(i, k))) continue;
        at(i, k) = g_.div(at(i, k), at(k, k));
        for (std::size_t j = k + 1; j < n_; ++j)
          if (!zero(at(k, j))) at(i, j) = g_.sub(at(i, j), g_.mul(at(i, k), at(k, j)));
      }
    }
    return true;
  }

  void solve(std::span<NodeId> x) {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < i; ++j) subtract(x[i], at(i, j), x[j]);
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t j = i + 1; j < n_; ++j) subtract(x[i], at(i, j), x[j]);
      if (!zero(x[i])) x[i] = g_.div(x[i], at(i, i));
    }
  }

  void subtract(NodeId& from, NodeId a, NodeId b) {
    if (!zero(a) && !zero(b)) from = g_.sub(from, g_.mul(a, b));
  }
  [[nodiscard]] bool zero(NodeId e) const { return g_.is_constant(e, 0.0); }

 private:
  NodeId& at(std::size_t i, std::size_t j) { return a_[i * n_ + j]; }

  bool small_components() {
    std::vector<std::size_t> group(n_);
    std::iota(group.begin(), group.end(), std::size_t{0});
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j)
        if (const std::size_t from = group[i], to = group[j]; from != to && !zero(at(i, j)))
          std::replace(group.begin(), group.end(), from, to);
    return std::all_of(group.begin(), group.end(), [&](std::size_t k) {
      return static_cast<std::size_t>(std::count(group.begin(), group.end(), k)) <= kLargestComponent;
    });
  }

  Graph& g_;
  std::size_t n_;
  std::vector<NodeId> a_;
};

}  // namespace

std::optional<LeadingForm> leading_form(Graph& g, std::span<const NodeId> J, std::span<const Equations::Scale> scales,
                                        std::int32_t first) {
  const std::size_t n = scales.size();
  LeadingForm out;
  std::vector<std::size_t> x, y;  // places of velocities and multipliers
  if (n < kSmallestBlock) return std::nullopt;
  Limit limit(g);
  for (std::size_t i = 0; i < n; ++i)
    (scales[i] == Equations::Scale::state && limit.exists(J[i * n + i]) ? x : y).push_back(i);
  if (y.empty() || x.size() < y.size()) return std::nullopt;
  LeadingPart A(g, x.size());
  {
    std::vector<NodeId> entries;
    for (const std::size_t i : x)
      for (const std::size_t j : x) entries.push_back(J[i * n + j]);
    if (!A.read(entries, limit) || !A.factor()) return std::nullopt;
  }
  const auto variable = [&](Space space, std::size_t k) {
    return g.variable(space, first + static_cast<std::int32_t>(k));
  };
  std::vector<NodeId> solved;  // A^-1 r
  for (const std::size_t i : x) solved.push_back(variable(kResidualValue, i));
  A.solve(solved);
  std::vector<std::vector<NodeId>> columns;  // A^-1 C
  for (const std::size_t j : y) {
    std::vector<NodeId>& column = columns.emplace_back();
    for (const std::size_t i : x) column.push_back(J[i * n + j]);
    A.solve(column);
    for (const NodeId e : column)
      if (!is_leaf(g[e].op)) out.parts.push_back(e);
  }
  for (const std::size_t i : y) {
    NodeId right = variable(kResidualValue, i);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const NodeId d = J[i * n + x[k]];
      A.subtract(right, d, solved[k]);
      if (!is_leaf(g[d].op)) out.parts.push_back(d);
    }
    out.right.push_back(right);
    for (std::size_t c = 0; c < y.size(); ++c) {
      NodeId entry = J[i * n + y[c]];
      for (std::size_t k = 0; k < x.size(); ++k) A.subtract(entry, J[i * n + x[k]], columns[c][k]);
      out.schur.push_back(entry);
    }
    out.kept.push_back(static_cast<std::int32_t>(i));
  }
  out.corrections.assign(n, g.zero());
  for (std::size_t c = 0; c < y.size(); ++c) out.corrections[y[c]] = variable(kSchurSolution, c);
  for (std::size_t k = 0; k < x.size(); ++k) {
    NodeId correction = solved[k];
    for (std::size_t c = 0; c < y.size(); ++c) A.subtract(correction, columns[c][k], variable(kSchurSolution, c));
    out.corrections[x[k]] = correction;
  }
  return out;
}

}  // namespace rattleback
