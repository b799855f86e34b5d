#include <cmath>

#include <fmt/format.h>

#include "expr/traverse.hpp"
#include "model/evaluate.hpp"
#include "model/grammar/suggest.hpp"
#include "model/traced/traced.hpp"

namespace rattleback::front {
namespace {

class Check {
 public:
  Check(const ModelText& text, const Model& model)
      : text_(text), model_(model), multipliers_(static_cast<std::size_t>(model.multiplier_count()), 0.0) {}

  void finite(const std::string& what, NodeId id) const {
    PointValues values(*model_.graph, std::span(&id, 1), at());
    if (std::isfinite(values[id])) return;
    const NodeId cause = blamed(values, id);
    const std::string shown = text_of(cause);
    const bool number = is_leaf((*model_.graph)[cause].op);
    fail(
        fmt::format("{} is {} at the initial state{}. Change the start or the parameters, or write it so that it is "
                    "finite there",
                    what, number_text(values[id]),
                    number        ? fmt::format(": it contains the number {}", number_text(values[cause]))
                    : cause != id ? fmt::format(": `{}` is {} there", shown, number_text(values[cause]))
                                  : ""));
  }

  void slopes(const std::string& what, NodeId id) const {
    Graph graph = *model_.graph;
    for (const Space space : {kPosition, kVelocity}) {
      const Entries entries = gradient(graph, id, space);
      if (const auto bad = first_not_finite(graph, entries, at()))
        fail(
            fmt::format("the derivative of {} by `{}` is {} at the initial state. Change the start, or write it so "
                        "that it is smooth there",
                        what, model_.coordinates[entries[bad->entry].row.at(bad->k)] + (space == kVelocity ? "'" : ""),
                        number_text(bad->value)));
    }
  }

  void constrains(const std::string& name, NodeId id, Space space, const std::string& advice) const {
    if (depends_on(*model_.graph, std::span(&id, 1), space)) return;
    fail(fmt::format("no {} occurs in constraint `{}`. {}", space == kPosition ? "coordinate" : "velocity", name,
                     advice));
  }

  [[nodiscard]] bool waits(NodeId id) const {  // for the value of a multiplier
    return depends_on(*model_.graph, std::span(&id, 1), kMultiplier);
  }

 private:
  [[noreturn]] void fail(const std::string& text) const { text_.world.source.fail(0, text); }
  [[nodiscard]] Point at() const { return {0.0, model_.q0, model_.v0, multipliers_}; }

  // The smallest part that is not finite.
  [[nodiscard]] NodeId blamed(const PointValues& values, NodeId id) const {
    for (;;) {
      const Node& n = (*model_.graph)[id];
      NodeId next = id;
      for_each_argument(n, [&](NodeId k) {
        const bool taken = n.op != Op::select || k == n.a || k == (values[n.a] != 0.0 ? n.b : n.c);
        if (next == id && taken && !std::isfinite(values[k])) next = k;
      });
      if (next == id) return id;
      id = next;
    }
  }

  [[nodiscard]] std::string text_of(NodeId id) const {
    return to_string(*model_.graph, id, [&](const Node& n) -> std::string {
      if (n.op == Op::input) return "u";
      if (n.space == kTime) return "t";
      if (n.space == kMultiplier) return "lambda(" + model_.multiplier_name(n.base()) + ")";
      return model_.coordinates[n.base()] + (n.space == kVelocity ? "'" : "");
    });
  }

  const ModelText& text_;
  const Model& model_;
  std::vector<double> multipliers_;
};

}  // namespace

void check_traced(const ModelText& text, const Model& model) {
  const Check check(text, model);
  for (const Entry& e : model.holonomic)
    check.constrains(model.holonomic_names[e.row.base], e.expr, kPosition,
                     "A holonomic constraint is an expression of t and the coordinates that is zero along the motion");
  for (const Entry& e : model.nonholonomic)
    check.constrains(model.nonholonomic_names[e.row.base], e.expr, kVelocity,
                     "A constraint on positions alone belongs in holonomic()");
  if (model.kinetic) check.finite("kinetic()", *model.kinetic);
  if (model.potential) check.finite("potential()", *model.potential);
  check.finite("lagrangian()", model.lagrangian);
  for (const Entry& e : model.holonomic)
    check.finite(fmt::format("constraint `{}`", model.holonomic_names[e.row.base]), e.expr);
  for (const Entry& e : model.nonholonomic)
    check.finite(fmt::format("constraint `{}`", model.nonholonomic_names[e.row.base]), e.expr);
  check.slopes(model.kinetic ? "kinetic() - potential()" : "lagrangian()", model.lagrangian);
  for (const Entry& e : model.forces)
    if (!check.waits(e.expr)) check.finite(fmt::format("the force on `{}`", model.coordinates[e.row.base]), e.expr);
}

}  // namespace rattleback::front
