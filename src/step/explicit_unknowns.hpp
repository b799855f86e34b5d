// Unknowns that their own equation gives explicitly: c*u + rest = 0, c a number that stands in the equation as the method
// wrote it, and rest without u, also after other such unknowns were put in. Then u = -rest/c goes in everywhere.
//
// Only numbers that were written count. One that comes about by putting in (m - m*m/m) may be nothing but rounding errors
// where the exact result is 0, and the formula would divide by them.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "expr/rewrite.hpp"
#include "step/equations.hpp"

namespace rattleback {

// Values of unknowns, put into many formulas.
class Substitution {
 public:
  explicit Substitution(Graph& graph) : rewrite_(graph, Leaf{&graph, &values_}) {}
  Substitution(const Substitution&) = delete;
  Substitution& operator=(const Substitution&) = delete;
  // From here on. Unless what was rewritten is forgotten, no formula that was rewritten before may have contained u.
  void set(std::int32_t u, NodeId value) { values_[u] = value; }
  void forget() { rewrite_.forget(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] bool has(std::int32_t u) const { return values_.contains(u); }
  NodeId operator()(NodeId expr) { return values_.empty() ? expr : rewrite_(expr); }
  void operator()(std::span<NodeId> exprs) {
    for (NodeId& e : exprs) e = (*this)(e);
  }

 private:
  struct Leaf {
    const Graph* graph;
    const std::map<std::int32_t, NodeId>* values;
    NodeId operator()(NodeId id) const {
      const Node& n = (*graph)[id];
      if (n.space != kUnknown) return id;
      const auto value = values->find(n.base());
      return value != values->end() ? value->second : id;
    }
  };
  std::map<std::int32_t, NodeId> values_;
  Rewrite<Leaf> rewrite_;
};

// Which unknowns occur in a formula, ascending.
class Occurrences {
 public:
  explicit Occurrences(const Graph& graph) : g_(graph) {}
  std::vector<std::int32_t> operator()(NodeId expr);
  bool any(NodeId expr);

 private:
  void look();
  const Graph& g_;
  std::vector<char> contains_;  // by node: does it contain an unknown at all?
};

// Puts them into all formulas of the equations; alive[u] becomes 0.
void eliminate_explicit(Equations& eq, std::vector<char>& alive);

}  // namespace rattleback
