// Order conditions of (partitioned) Runge-Kutta methods, in a form that can be shown to a user. The short questions
// are in tableau.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tableau/tableau.hpp"

namespace rattleback {

// One group of variables per tableau; all share the stages. Trees are coloured by group. Up to three groups:
// velocity, applied force, reaction.
using Groups = std::span<const Tableau* const>;

// Largest order whose trees are enumerated for this number of groups: 8, 8, 6 for one, two, three.
int max_tree_order(std::size_t groups);
std::size_t tree_count(std::size_t groups, int order);

struct Condition {
  std::string tree;     // "[.[.]]": a dot is a leaf, brackets a node with its children; "b[a]" with groups a, b, c
  double value = 0;     // sum_i b_i Phi_i(tree)
  double gamma = 1;     // the condition is value = 1/gamma
  double residual = 0;  // |value - 1/gamma|
};

// The worst condition among those of exactly this order, 1 <= order <= max_tree_order.
Condition worst_condition(Groups groups, int order);

// The largest B(p), C(q), D(r) which hold, up to `limit`; in all groups at once.
struct SimplifyingAssumptions {
  int B = 0, C = 0, D = 0;
};
SimplifyingAssumptions simplifying_assumptions(Groups groups, int limit, double tolerance);

// Highest p <= max_order for which all conditions hold: by trees as far as they go, beyond them by Butcher's theorem
// p <= min(B, 2 C + 2, C + D + 1), plus one if that is odd and all groups are symmetric.
int order_of(Groups groups, int max_order, double tolerance);

}  // namespace rattleback
