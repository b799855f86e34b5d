// The methods, by the names users type, with what each of them claims. A claim is data: the tests read it and check it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/export.hpp"
#include "rattleback/model.hpp"
#include "rattleback/policies.hpp"

namespace RATTLEBACK_API rattleback {

// Whether a method has a property: no, yes, or conditional, under the condition that the note names.
enum class Claim { no, yes, conditional };
// "no", "yes" or "conditional".
const char* to_string(Claim claim);

// What decides the order of a method on a system: how its constraints enter.
enum class OrderCase {
  unconstrained,  // also skew-gradient systems, and port-Hamiltonian ones of index 0 and 1
  velocity,       // mechanical, constraints at velocity level: nonholonomic ones, and holonomic ones in index2
  reaction,       // the same, with forces that are nonlinear in the multipliers
  index3,         // holonomic constraints at position level at the stages
  ggl,            // holonomic constraints at both levels
  dae             // also port-Hamiltonian systems of index 2
};

// An order as a function of the number of stages, and as it is written.
struct OrderRule {
  int (*of)(int stages) = nullptr;  // the order with so many stages
  std::string_view text = {};       // "2s-2"
};

// Orders at the ends of steps, of positions and velocities. On systems that are not mechanical q stands for the states.
struct OrderClaim {
  OrderCase on = OrderCase::unconstrained;  // the case that it is about
  OrderRule q = {};                         // of positions
  OrderRule v = {};                         // of velocities
};

// Orders of what a run reports, by component; 0: not known. Of other kinds than mechanical: q stands for the states x and
// multipliers for the algebraic variables z.
struct ComponentOrders {
  int q = 0;            // of positions
  int v = 0;            // of velocities
  int multipliers = 0;  // of the multipliers that are reported
  // The smaller one of q and v.
  [[nodiscard]] int state() const { return q < v ? q : v; }
};

// What is known and claimed of a method.
struct MethodInfo {
  std::string_view name = {};                  // "spark-gauss"
  std::vector<std::string_view> aliases = {};  // other names of it
  int alias_stages = 0;                        // not 0: the aliases mean the method with this many stages
  Kinds kinds = {};        // of systems that it takes; a Runge-Kutta method for daes takes skew-gradient ones, too
  int min_stages = 1;      // the fewest it can have
  int fixed_stages = 0;    // not 0: the method has exactly this many and --stages is refused
  int default_stages = 0;  // when nothing is asked for
  int (*order)(int stages) = nullptr;   // of the state; where single components have others, `orders` says so
  std::string_view order_text = {};     // "2s-2"
  std::vector<OrderClaim> orders = {};  // by case; one that is not listed has `order`
  Claim symmetric = Claim::no;          // a step of -h leads back to where a step of h began
  Claim energy = Claim::no;             // exact energy; all symmetric methods keep it bounded on reversible problems
  std::string_view constraints = {};    // levels kept at the end points
  std::string_view source = {};         // document and section
  std::vector<std::string_view> references = {};  // what to cite: keys of docs/references.bib
  std::string_view note = {};                     // conditions, in one sentence
  // How it takes holonomic constraints, the default first; `none` first: only when asked.
  std::vector<Formulation> formulations = {};
  bool needs_holonomic = false;  // takes systems with holonomic constraints only
  bool adaptive = false;         // chooses its own steps; --step is the output interval
  // Records between the steps: what they are, and their order. At least that of the method less one: with it they are as
  // accurate as the steps.
  std::string_view dense = "a step of the method to that time";
  int (*dense_order)(int stages) = nullptr;  // null: that of the method
  std::string_view dense_order_text = {};    // "": that of the method
  bool off_at_ends = false;                  // steps end off the constraints, by their error; not composed for odd s

  // Orders in a case; reported multipliers are functions of the state and have its order.
  [[nodiscard]] ComponentOrders orders_on(OrderCase on, int stage_count) const;
};

// All methods of this build.
std::span<const MethodInfo> methods();
// Is it the name or an alias of one of them?
bool is_method(std::string_view name);
// By name or alias; `-` and `_` mean the same. Throws Error with the nearest names.
const MethodInfo& find_method(std::string_view name);

}  // namespace rattleback
