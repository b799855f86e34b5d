// Parameters are inputs: constants of a graph that are made of them know how, so that a workspace, and whatever was derived
// and compiled, serves other values, too.
//
// Inputs (Op::input) are in the same list, but nothing is folded of them and nothing decided: they take any value.
//
// A number of a formula and a parameter are one thing to all that reads formulas: a constant with a value, by which is
// decided what must be (a force whose factor is 0 is none). The one difference is that of a parameter it can be told whether
// other values would have been decided alike.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "rattleback/expr.hpp"

namespace rattleback {

// How a constant was made (Node::c; 0: it was written): it is a parameter (number a), the element b of group a, or the value of
// an operation on constants a and b.
inline constexpr std::uint32_t kMadeByParameter = 1, kMadeInGroup = 2, kMadeByOperation = 3;
constexpr std::uint32_t made_by(Op op) { return kMadeByOperation + static_cast<std::uint32_t>(op); }
constexpr Op op_that_made(std::uint32_t how) { return static_cast<Op>(how - kMadeByOperation); }

// Calls visit(k) for the constants that such a one is made of. group(a): those of a group.
template <class Group, class Visit>
void for_each_source(std::uint32_t how, std::uint32_t a, std::uint32_t b, const Group& group, const Visit& visit) {
  if (how == 0 || how == kMadeByParameter) return;
  if (how == kMadeInGroup) {
    for (const std::uint32_t k : group(a)) visit(k);
    return;
  }
  visit(a);
  if (arity(op_that_made(how)) > 1) visit(b);
}
template <class Visit>
void for_each_source(const Graph& graph, NodeId id, const Visit& visit) {
  const Node& n = graph[id];
  if (n.op != Op::constant) return;
  for_each_source(
      n.c, n.a, n.b, [&](std::uint32_t k) -> const auto& { return graph.groups()[k].from; }, visit);
}
// Its value. parameter(a), member(group, element) and value(k) of those it is made of, as numbers of one kind.
template <class Parameter, class Member, class Value>
auto value_as_made(std::uint32_t how, std::uint32_t a, std::uint32_t b, const Parameter& parameter,
                   const Member& member, const Value& value) -> decltype(value(a)) {
  if (how == kMadeByParameter) return parameter(a);
  if (how == kMadeInGroup) return member(a, b);
  return apply(op_that_made(how), value(a), value(b));  // of one argument: b is 0, and not looked at
}

// What may be decided by a number without its being settled.
enum class NumberClass : std::uint8_t { zero, positive, negative, infinite, none };
NumberClass number_class(double x);
// Is it in this one? Most are positive, and are looked at often.
inline bool is_in_class(double x, NumberClass is) {
  if (is == NumberClass::positive) return x > 0.0 && x <= std::numeric_limits<double>::max();
  return number_class(x) == is;
}

// Values of constants made of parameters, in the places of a workspace.
class ParameterSlots {
 public:
  // What one parameter has to do with: steps, and numbers of what is settled and of slots.
  struct Affected {
    std::vector<std::uint32_t> steps, settled, slots;
  };
  // What they are computed in, kept by whoever computes them often: it is allocated once.
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  struct Room {
    std::vector<double> numbers, groups;
    std::vector<Affected> affected;  // by what was changed
    std::size_t changed = kAll;      // at the last call
  };

  ParameterSlots() = default;
  // slots: of constants. guarded: all that was decided in this graph is looked at.
  ParameterSlots(const Graph& graph, std::span<const std::pair<std::int32_t, NodeId>> slots, bool guarded);

  [[nodiscard]] bool empty() const { return slots_.empty() && steps_.empty(); }
  // By slot, ascending.
  [[nodiscard]] std::span<const std::pair<std::int32_t, std::uint32_t>> slots() const { return slots_; }
  // Has the slot a value made of parameters?
  [[nodiscard]] bool has(std::uint32_t slot) const;
  // What the steps make of these values; inputs beyond them stay as they are in the graph. Nothing where something would have been decided otherwise.
  [[nodiscard]] std::optional<std::vector<double>> numbers(std::span<const double> parameters) const;
  // The same in `room`; false where something would have been decided otherwise.
  bool compute(std::span<const double> parameters, Room& room) const;
  // The same where only one of them is another than at the last call with this room.
  bool compute(std::span<const double> parameters, std::size_t changed, Room& room) const;
  // These numbers into lane `lane` of a workspace with so many lanes.
  void put(std::span<const double> numbers, double* w, std::size_t lanes = 1, std::size_t lane = 0) const;
  // What the last call with this room has changed, into a workspace that got what the calls before it have.
  void put(const Room& room, double* w) const;
  // Both; false where nothing was put.
  bool set(std::span<const double> parameters, double* w, std::size_t lanes = 1, std::size_t lane = 0) const;
  bool set(std::span<const double> parameters, double* w, Room& room) const;

  // How the numbers are made: step i makes number i, of earlier ones.
  struct Step {
    std::uint32_t how = 0;  // 0: it is `value`
    std::uint32_t a = 0, b = 0;
    double value = 0.0;
    NumberClass is = NumberClass::none;
    bool input = false;  // value number a of the list, whatever it is
  };
  [[nodiscard]] std::span<const Step> steps() const { return steps_; }
  // Calls visit(k) for the steps whose numbers a step takes.
  template <class Visit>
  void for_each_argument(const Step& step, const Visit& visit) const {
    const auto group = [&](std::uint32_t k) -> const auto& { return groups_[k].from; };
    if (!step.input) for_each_source(step.how, step.a, step.b, group, visit);
  }
  [[nodiscard]] bool is_settled(std::uint32_t step) const;

 private:
  template <class Numbers>
  bool compute_each(const Numbers& steps, const Numbers& settled, std::span<const double> parameters, Room& room) const;
  double number(std::size_t step, std::span<const double> parameters, Room& room) const;
  [[nodiscard]] Affected affected_by(std::size_t parameter) const;
  struct Group {
    Graph::Compute compute;
    std::vector<std::uint32_t> from;
    std::size_t count;
    std::size_t first = 0,
                offset = 0;  // the first step that needs it; where in Room::groups its arguments and values are
  };
  std::vector<Step> steps_;
  std::size_t group_room_ = 0;
  std::vector<Group> groups_;
  std::vector<std::pair<std::int32_t, std::uint32_t>> slots_;  // slot, step
  std::vector<std::pair<std::uint32_t, double>> settled_;      // step, value
  bool guarded_ = false;
};

}  // namespace rattleback
