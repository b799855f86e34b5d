// Order conditions by rooted trees: a method has order p if for all trees with up to p nodes
//
//   sum_i b_i Phi_i(tree) = 1/gamma(tree),      Phi_i(.) = 1,    Phi_i([t1..tm]) = prod_k sum_j a_ij Phi_j(t_k),
//   gamma(.) = 1,    gamma([t1..tm]) = n * prod_k gamma(t_k),    n nodes                      [HLW2006, III.1.1]
//
// For partitioned methods the nodes have the colours of the groups of variables, a_ij and b_i are those of the colour
// of the child and of the root, and all colourings must satisfy the condition of the tree without colours
// [HLW2006, III.2]. c does not enter.
//
// Beyond the enumerated trees the simplifying assumptions decide [HairerWanner1996, theorem IV.5.1]. They reduce every
// tree to a bushy one whatever its colours if they hold in all groups, so the same theorem serves partitioned methods;
// the missing order of Lobatto IIIA-IIIB comes from symmetry: symmetric methods have even order [HLW2006, theorem
// II.3.2].
#include "tableau/order_conditions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "rattleback/error.hpp"

namespace rattleback {
namespace {

constexpr std::array<int, 3> kMaxTreeOrder{8, 8, 6};

struct Tree {
  std::uint8_t colour = 0;
  double gamma = 1;
  std::vector<std::uint32_t> children;  // positions in Trees::all, not increasing
};

// All trees with nodes in `colours` colours up to an order, by increasing order; those of order n are
// all[begin[n] .. begin[n+1]-1]. 1, 1, 2, 4, 9, 20, 48, 115 trees in one colour; 24'314 up to order 8 in two; 11'220
// up to order 6 in three.
struct Trees {
  std::vector<Tree> all;
  std::vector<std::size_t> begin{0, 0};

  Trees(std::size_t colours, int max_order) {
    for (int order = 1; order <= max_order; ++order) {
      std::vector<std::uint32_t> children;
      add_roots(colours, order, order - 1, all.size(), children);
      begin.push_back(all.size());
    }
  }

 private:
  [[nodiscard]] int order_of_tree(std::size_t tree) const {
    return static_cast<int>(std::upper_bound(begin.begin(), begin.end(), tree) - begin.begin()) - 1;
  }

  // Chooses further children with `nodes_left` nodes in total, none later in the list than `last`, then the root.
  void add_roots(std::size_t colours, int order, int nodes_left, std::size_t last,
                 std::vector<std::uint32_t>& children) {
    if (nodes_left == 0) {
      Tree tree{.colour = 0, .gamma = static_cast<double>(order), .children = children};
      for (const auto child : children) tree.gamma *= all[child].gamma;
      for (std::size_t colour = 0; colour < colours; ++colour) {
        tree.colour = static_cast<std::uint8_t>(colour);
        all.push_back(tree);
      }
      return;
    }
    const std::size_t end = std::min(last, begin[static_cast<std::size_t>(nodes_left) + 1]);
    for (std::size_t child = 0; child < end; ++child) {
      children.push_back(static_cast<std::uint32_t>(child));
      add_roots(colours, order, nodes_left - order_of_tree(child), child + 1, children);
      children.pop_back();
    }
  }
};

const Trees& trees(std::size_t colours) {
  static const Trees one(1, kMaxTreeOrder[0]);
  if (colours == 1) return one;
  static const Trees two(2, kMaxTreeOrder[1]);
  if (colours == 2) return two;
  static const Trees three(3, kMaxTreeOrder[2]);
  return three;
}

std::string text(const Trees& trees, std::size_t colours, std::size_t position) {
  const Tree& tree = trees.all[position];
  std::string result = colours == 1 ? "" : std::string(1, "abc"[tree.colour]);
  if (tree.children.empty()) return colours == 1 ? "." : result;
  result += '[';
  for (const auto child : tree.children) result += text(trees, colours, child);
  return result + ']';
}

using Stages = std::vector<double>;

// sum_j a_ij x_j
Stages times_A(const Tableau& tableau, const Stages& x) {
  const int s = tableau.stages;
  Stages result(x.size(), 0.0);
  for (int i = 0; i < s; ++i)
    for (int j = 0; j < s; ++j) result[static_cast<std::size_t>(i)] += tableau.a(i, j) * x[static_cast<std::size_t>(j)];
  return result;
}

double dot(const Stages& x, const Stages& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

void check_same_stages(Groups groups) {
  for (const Tableau* group : groups)
    if (group->stages != groups[0]->stages)
      throw Error("tableaux '" + groups[0]->name + "' with " + std::to_string(groups[0]->stages) + " stages and '" +
                  group->name + "' with " + std::to_string(group->stages) +
                  " stages cannot form one partitioned method");
}

void check_tree_order(std::size_t groups, int order) {
  const int limit = max_tree_order(groups);
  if (order < 1 || order > limit)
    throw Error("order conditions by trees are available for the orders 1 to " + std::to_string(limit) + ", not " +
                std::to_string(order));
}

// The worst condition of each order 1..max_order, at the position of the order minus one.
std::vector<Condition> worst_conditions(Groups groups, int max_order) {
  check_same_stages(groups);
  const Trees& list = trees(groups.size());
  std::vector<Condition> worst;
  // weighted[t] = sum_j a_ij Phi_j(t): what tree t contributes to its parent. Trees of the last order have no parent.
  std::vector<Stages> weighted;
  const std::size_t no_parent = list.begin[static_cast<std::size_t>(max_order)];
  for (int order = 1; order <= max_order; ++order) {
    const std::size_t first = list.begin[static_cast<std::size_t>(order)];
    const std::size_t last = list.begin[static_cast<std::size_t>(order) + 1];
    std::size_t worst_position = first;
    Condition condition{.tree = {}, .value = 0, .gamma = 1, .residual = -1};
    for (std::size_t t = first; t < last; ++t) {
      const Tree& tree = list.all[t];
      const Tableau& own = *groups[tree.colour];
      Stages phi(own.b.size(), 1.0);
      for (const auto child : tree.children)
        for (std::size_t i = 0; i < phi.size(); ++i) phi[i] *= weighted[child][i];
      const double value = dot(own.b, phi);
      const double residual = std::abs(value - 1 / tree.gamma);
      if (!(residual <= condition.residual)) {  // a NaN is the worst
        condition.value = value;
        condition.gamma = tree.gamma;
        condition.residual = residual;
        worst_position = t;
      }
      if (t < no_parent) weighted.push_back(times_A(own, phi));
    }
    condition.tree = text(list, groups.size(), worst_position);
    worst.push_back(condition);
  }
  return worst;
}

}  // namespace

int max_tree_order(std::size_t groups) {
  if (groups < 1 || groups > kMaxTreeOrder.size())
    throw Error("order conditions are available for 1 to 3 groups of variables, not " + std::to_string(groups));
  return kMaxTreeOrder[groups - 1];
}

std::size_t tree_count(std::size_t groups, int order) {
  check_tree_order(groups, order);
  const Trees& list = trees(groups);
  return list.begin[static_cast<std::size_t>(order) + 1] - list.begin[static_cast<std::size_t>(order)];
}

Condition worst_condition(Groups groups, int order) {
  check_tree_order(groups.size(), order);
  return worst_conditions(groups, order).back();
}

SimplifyingAssumptions simplifying_assumptions(Groups groups, int limit, double tolerance) {
  check_same_stages(groups);
  const auto holds = [&](double left, double right) { return std::abs(left - right) <= tolerance; };
  SimplifyingAssumptions result{.B = limit, .C = limit, .D = limit};
  const Stages& c = groups[0]->c;
  const std::size_t s = c.size();
  for (const Tableau* group : groups) {
    SimplifyingAssumptions own;
    bool b_holds = true, c_holds = true, d_holds = true;
    Stages power(s, 1.0);  // c^(k-1)
    for (int k = 1; k <= limit && (b_holds || c_holds || d_holds); ++k) {
      Stages weighted(s);
      for (std::size_t i = 0; i < s; ++i) weighted[i] = group->b[i] * power[i];
      b_holds = b_holds && holds(dot(group->b, power), 1.0 / k);
      const Stages left = times_A(*group, power);
      for (std::size_t i = 0; i < s; ++i) c_holds = c_holds && holds(left[i], power[i] * c[i] / k);
      for (std::size_t j = 0; j < s; ++j) {
        double sum = 0;
        for (std::size_t i = 0; i < s; ++i) sum += weighted[i] * group->A[i * s + j];
        d_holds = d_holds && holds(sum, group->b[j] * (1 - power[j] * c[j]) / k);
      }
      if (b_holds) own.B = k;
      if (c_holds) own.C = k;
      if (d_holds) own.D = k;
      for (std::size_t i = 0; i < s; ++i) power[i] *= c[i];
    }
    result.B = std::min(result.B, own.B);
    result.C = std::min(result.C, own.C);
    result.D = std::min(result.D, own.D);
  }
  return result;
}

int order_of(Groups groups, int max_order, double tolerance) {
  const int by_trees = std::min(max_order, max_tree_order(groups.size()));
  int order = 0;
  for (const Condition& condition : worst_conditions(groups, by_trees)) {
    if (!(condition.residual <= tolerance)) return order;
    ++order;
  }
  if (max_order <= by_trees) return order;
  const auto [B, C, D] = simplifying_assumptions(groups, max_order, tolerance);
  int proved = std::min({B, 2 * C + 2, C + D + 1});
  const bool symmetric =
      std::all_of(groups.begin(), groups.end(), [](const Tableau* t) { return is_symmetric(*t, 1e-13); });
  if (symmetric && proved % 2 == 1) ++proved;
  return std::clamp(proved, order, max_order);
}

double order_condition_residual(const Tableau& tableau, int order) {
  const Tableau* groups[] = {&tableau};
  return worst_condition(groups, order).residual;
}

int classical_order(const Tableau& tableau, int max_order, double tolerance) {
  const Tableau* groups[] = {&tableau};
  return order_of(groups, max_order, tolerance);
}

int partitioned_order(const Tableau& a, const Tableau& ahat, int max_order, double tolerance) {
  const Tableau* groups[] = {&a, &ahat};
  return order_of(groups, max_order, tolerance);
}

bool is_symmetric(const Tableau& tableau, double tolerance) {
  const int s = tableau.stages;
  for (int i = 0; i < s; ++i) {
    const auto here = static_cast<std::size_t>(i), there = static_cast<std::size_t>(s - 1 - i);
    if (!(std::abs(tableau.b[here] - tableau.b[there]) <= tolerance)) return false;
    if (!(std::abs(tableau.c[here] + tableau.c[there] - 1) <= tolerance)) return false;
    for (int j = 0; j < s; ++j)
      if (!(std::abs(tableau.a(s - 1 - i, s - 1 - j) + tableau.a(i, j) - tableau.b[static_cast<std::size_t>(j)]) <=
            tolerance))
        return false;
  }
  return true;
}

bool is_symplectic(const Tableau& a, const Tableau& ahat, double tolerance) {
  const Tableau* groups[] = {&a, &ahat};
  check_same_stages(groups);
  for (int i = 0; i < a.stages; ++i) {
    const double bi = a.b[static_cast<std::size_t>(i)];
    if (!(std::abs(bi - ahat.b[static_cast<std::size_t>(i)]) <= tolerance)) return false;
    for (int j = 0; j < a.stages; ++j) {
      const double bj = a.b[static_cast<std::size_t>(j)];
      if (!(std::abs(bi * ahat.a(i, j) + bj * a.a(j, i) - bi * bj) <= tolerance)) return false;
    }
  }
  return true;
}

}  // namespace rattleback
