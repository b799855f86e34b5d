#include "step/solving_order.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "expr/partial_gradient.hpp"
#include "expr/traverse.hpp"
#include "rattleback/error.hpp"
#include "step/explicit_unknowns.hpp"

namespace rattleback {
namespace {

using Row = BlockRows::Row;
using Numbers = std::vector<std::int32_t>;

// Unknowns below a function with jumps (sign, a condition): the derivative does not show them.
std::set<std::int32_t> behind_jumps(const Graph& g, NodeId residual) {
  std::vector<NodeId> jumps;
  for (const NodeId id : reachable(g, std::span(&residual, 1)))
    if (const Op op = g[id].op; op == Op::sign || op == Op::less || op == Op::less_equal || op == Op::lookup_slope)
      jumps.push_back(id);
  std::set<std::int32_t> out;
  if (jumps.empty()) return out;
  for (const NodeId id : reachable(g, jumps))
    if (g[id].op == Op::variable && g[id].space == kUnknown) out.insert(g[id].base());
  return out;
}

// Matches each equation with an unknown it can be solved for (augmenting paths; its own unknown first).
// usable(r): those unknowns.
Numbers match(const std::function<std::span<const std::int32_t>(std::int32_t)>& usable,
              std::span<const std::int32_t> equations, std::size_t total) {
  Numbers equation_of(total, -1);
  std::vector<char> seen;
  const std::function<bool(std::int32_t)> place = [&](std::int32_t r) {
    const std::span<const std::int32_t> row = usable(r);
    const auto attempt = [&](std::int32_t u) {
      if (seen[static_cast<std::size_t>(u)] != 0) return false;
      seen[static_cast<std::size_t>(u)] = 1;
      std::int32_t& owner = equation_of[static_cast<std::size_t>(u)];
      if (owner < 0 || place(owner)) {
        owner = r;
        return true;
      }
      return false;
    };
    if (std::binary_search(row.begin(), row.end(), r) && attempt(r)) return true;
    return std::any_of(row.begin(), row.end(), attempt);
  };
  for (const std::int32_t r : equations) {
    seen.assign(total, 0);
    if (!place(r)) throw Error("the equations of a step are structurally singular: some unknown cannot be determined");
  }
  return equation_of;
}

// Strongly connected components of the equations (r depends on the equations that own its unknowns), in solving order.
std::vector<Numbers> components(const std::function<std::span<const std::int32_t>(std::int32_t)>& occurring,
                                std::span<const std::int32_t> equations, const Numbers& equation_of) {
  const std::size_t n = equation_of.size();
  Numbers number(n, -1), low(n, 0), stack;
  std::vector<char> on_stack(n, 0);
  std::vector<Numbers> out;
  std::int32_t next = 0;
  const std::function<void(std::int32_t)> visit = [&](std::int32_t r) {
    const auto i = static_cast<std::size_t>(r);
    number[i] = low[i] = next++;
    stack.push_back(r);
    on_stack[i] = 1;
    for (const std::int32_t u : occurring(r)) {
      const std::int32_t k = equation_of[static_cast<std::size_t>(u)];
      const auto j = static_cast<std::size_t>(k);
      if (number[j] < 0) {
        visit(k);
        low[i] = std::min(low[i], low[j]);
      } else if (on_stack[j] != 0) {
        low[i] = std::min(low[i], number[j]);
      }
    }
    if (low[i] != number[i]) return;
    Numbers component;
    for (;;) {
      const std::int32_t k = stack.back();
      stack.pop_back();
      on_stack[static_cast<std::size_t>(k)] = 0;
      component.push_back(k);
      if (k == r) break;
    }
    std::sort(component.begin(), component.end());
    out.push_back(std::move(component));
  };
  for (const std::int32_t r : equations)
    if (number[static_cast<std::size_t>(r)] < 0) visit(r);
  return out;
}

// The unknowns that belong to some equations.
Numbers owned(const Numbers& equation_of, const Numbers& equations) {
  Numbers out;
  for (std::size_t u = 0; u < equation_of.size(); ++u)
    if (std::binary_search(equations.begin(), equations.end(), equation_of[u]))
      out.push_back(static_cast<std::int32_t>(u));
  return out;
}

Row row_of(Graph& g, NodeId residual, const Numbers& unknowns, bool& jumps) {
  const auto wanted = [&](std::int32_t u) { return std::binary_search(unknowns.begin(), unknowns.end(), u); };
  Row row;
  for (const std::int32_t u : behind_jumps(g, residual))
    if (wanted(u)) {
      row[u] = g.zero();
      jumps = true;
    }
  for (const Entry& e : partial_gradient(g, residual, kUnknown, wanted)) {
    if (e.count != 0) throw NeedsUnrolling();
    row[e.row.base] = e.expr;
  }
  return row;
}

BlockRows with_rows(Equations& eq, Numbers unknowns, Numbers equations) {
  BlockRows out{.unknowns = std::move(unknowns), .equations = std::move(equations), .rows = {}};
  for (const std::int32_t r : out.equations)
    out.rows.push_back(row_of(eq.graph, eq.residuals[static_cast<std::size_t>(r)], out.unknowns, out.jumps));
  return out;
}

// What occurs where.
struct Structure {
  Structure(const Equations& eq, const std::vector<char>& alive) : rows(eq.residuals.size()) {
    Occurrences occurrences(eq.graph);
    for (std::size_t u = 0; u < rows.size(); ++u) {
      if (alive[u] == 0) continue;
      left.push_back(static_cast<std::int32_t>(u));
      rows[u] = occurrences(eq.residuals[u]);
    }
    equation_of = match(row(), left, rows.size());
  }
  [[nodiscard]] std::vector<Numbers> order() const { return components(row(), left, equation_of); }
  [[nodiscard]] std::function<std::span<const std::int32_t>(std::int32_t)> row() const {
    return [this](std::int32_t r) { return std::span<const std::int32_t>(rows[static_cast<std::size_t>(r)]); };
  }

  Numbers left;
  std::vector<Numbers> rows;
  Numbers equation_of;
};

// A block of the occurrences, split by its derivatives.
std::vector<BlockRows> split(Equations& eq, const BlockRows& block) {
  const Graph& g = eq.graph;
  const std::size_t total = eq.residuals.size();
  std::vector<Numbers> usable(total), occurring(total);
  for (std::size_t k = 0; k < block.rows.size(); ++k)
    for (const auto& [u, derivative] : block.rows[k]) {
      occurring[static_cast<std::size_t>(block.equations[k])].push_back(u);
      if (!g.is_constant(derivative, 0.0)) usable[static_cast<std::size_t>(block.equations[k])].push_back(u);
    }
  const auto row = [](const std::vector<Numbers>& rows) {
    return [&rows](std::int32_t r) { return std::span<const std::int32_t>(rows[static_cast<std::size_t>(r)]); };
  };
  const Numbers equation_of = match(row(usable), block.equations, total);
  const std::vector<Numbers> parts = components(row(occurring), block.equations, equation_of);
  if (parts.size() == 1) return {block};
  std::vector<BlockRows> out;
  for (const Numbers& equations : parts) out.push_back(with_rows(eq, owned(equation_of, equations), equations));
  return out;
}

}  // namespace

std::size_t largest_block(const Equations& eq, const std::vector<char>& alive) {
  std::size_t largest = 0;
  for (const Numbers& equations : Structure(eq, alive).order()) largest = std::max(largest, equations.size());
  return largest;
}

std::vector<BlockRows> solving_order(Equations& eq, std::vector<char>& alive) {
  Graph& g = eq.graph;
  const Structure structure(eq, alive);
  const Numbers& equation_of = structure.equation_of;
  std::vector<BlockRows> out;
  Substitution put_in(g);
  bool leading = true;  // all blocks so far became formulas
  for (const Numbers& equations : structure.order()) {
    for (const std::int32_t r : equations) {
      NodeId& residual = eq.residuals[static_cast<std::size_t>(r)];
      residual = put_in(residual);
    }
    for (BlockRows& block : split(eq, with_rows(eq, owned(equation_of, equations), equations))) {
      leading = leading && block.unknowns.size() == 1 && !block.jumps && !block.rows[0].empty();
      if (leading) {
        const auto [u, slope] = *block.rows[0].begin();
        leading = !depends_on(g, std::span(&slope, 1), kUnknown);
        if (leading) {
          const NodeId residual = eq.residuals[static_cast<std::size_t>(block.equations[0])];
          Substitution at_zero(g);
          at_zero.set(u, g.zero());
          put_in.set(u, g.neg(g.div(at_zero(residual), slope)));
          put_in.forget();
          alive[static_cast<std::size_t>(u)] = 0;
          continue;
        }
      }
      out.push_back(std::move(block));
    }
  }
  if (!put_in.empty()) {
    put_in(eq.results);
    put_in(eq.extra);
    put_in(eq.power);
  }
  return out;
}

BlockRows whole_block(Equations& eq) {
  Numbers all(eq.residuals.size());
  std::iota(all.begin(), all.end(), 0);
  return with_rows(eq, all, all);
}

}  // namespace rattleback
