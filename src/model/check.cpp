#include "model/check.hpp"

#include <cmath>

#include "model/evaluate.hpp"
#include "model/grammar/kind_rules.hpp"
#include "model/grammar/numbers.hpp"
#include "model/grammar/suggest.hpp"
#include "model/kinematics.hpp"
#include "rattleback/error.hpp"

namespace rattleback::front {
namespace {

// The line that a row belongs to.
const Line& line_of(const std::vector<Line>& lines, std::int32_t row) {
  for (const Line& line : lines)
    if (row >= line.row && row < line.row + line.count()) return line;
  return lines.front();
}

Scope scope_of(const Line& line, std::int32_t row) {
  Scope scope;
  if (!line.index.empty()) scope.indices.push_back({line.index, line.from + (row - line.row), 0});
  return scope;
}

// Every line must depend on one of the spaces. Lines that elaborated to zero left no entry.
void require_dependence(const Graph& graph, const std::vector<Line>& lines, const Entries& entries, Space space,
                        const std::string& what, const std::string& advice) {
  std::map<std::int32_t, std::pair<std::int64_t, const Line*>> missing;  // by first row: members without an entry
  for (const Line& line : lines)
    if (line.count() > 0) missing[line.row] = {line.count(), &line};
  for (const Entry& e : entries) {
    auto it = std::prev(missing.upper_bound(e.row.base));
    it->second.first -= std::max(e.count, 1);
    if (depends_on(graph, std::span(&e.expr, 1), space)) continue;
    const Line& line = *it->second.second;
    line.formula.fail(0, what + World::where(scope_of(line, e.row.base), 0), advice);
  }
  for (const auto& [row, rest] : missing)
    if (rest.first > 0) rest.second->formula.fail(0, what, advice);
}

// Finds the smallest part of a formula that is not finite at the initial state, and reports it.
class Blame {
 public:
  Blame(ModelText& text, const Model& model, const Formula& f, const Rules& rules)
      : f_(f),
        rules_(rules),
        elaborator_(text.world, graph_, {}),
        world_(text.world),
        point_{0.0, model.q0, model.v0, model.z0} {
    use_kinematics(text, build_quasi(text, graph_), elaborator_);
  }

  [[noreturn]] void report(Scope scope, double value) {
    search(f_.root, scope);
    f_.fail(0, "the value " + number_text(value) + " at the initial state is not finite" + World::where(scope, 0));
  }

 private:
  double value(std::int32_t node, const Scope& scope) {
    const NodeId id = elaborator_.part(f_, node, rules_, scope);
    return PointValues(graph_, std::span(&id, 1), point_)[id];
  }

  void search(std::int32_t id, Scope& scope) {
    const AstNode& node = f_[id];
    const double here = value(id, scope);
    if (std::isfinite(here) || ++searched_ > 10'000) return;
    switch (node.kind) {
      case Ast::reference:
      case Ast::multiplier:
      case Ast::apply:  // what stands in the function is not looked at
      case Ast::number: break;
      case Ast::sum: search_sum(node, scope); break;
      case Ast::conditional: {
        const std::int32_t yes = f_[node.first].next;
        search(value(node.first, scope) != 0.0 ? yes : f_[yes].next, scope);
        break;
      }
      default:
        for (std::int32_t c = node.first; c >= 0; c = f_[c].next) search(c, scope);
    }
    const std::string what = shown_value(f_, id, here, [&](std::int32_t child) { return value(child, scope); });
    // Of parameters and numbers alone: no start would help.
    if (graph_.is_constant(elaborator_.part(f_, id, rules_, scope)))
      f_.fail(node, what + World::where(scope, 0),
              "Change the parameters, or write it with if(...) so that it is finite");
    f_.fail(node, what + " at the initial state" + World::where(scope, 0),
            "Change the start, or write the expression so that it is finite there");
  }

  void search_sum(const AstNode& node, Scope& scope) {
    const std::int32_t to = f_[node.first].next;
    const auto [lo, hi] = world_.range(f_, node.first, to, scope);
    scope.indices.push_back({f_.name_of(node), lo, 0});
    for (std::int64_t i = lo; i <= std::min(hi, lo + 10'000); ++i) {
      scope.indices.back().base = i;
      search(f_[to].next, scope);
    }
    scope.indices.pop_back();
  }

  const Formula& f_;
  const Rules& rules_;
  Graph graph_;
  Elaborator elaborator_;
  World& world_;
  Point point_;
  int searched_ = 0;
};

class FiniteCheck {
 public:
  FiniteCheck(ModelText& text, const Model& model)
      : text_(text), model_(model), point_{0.0, model.q0, model.v0, model.z0} {}

  void formula(const std::optional<Formula>& f, const Rules& rules, NodeId id) {
    if (!f) return;
    const Entry entry{id, 0, {}, {}};
    if (const auto bad = first_not_finite(*model_.graph, std::span(&entry, 1), point_))
      Blame(text_, model_, *f, rules).report({}, bad->value);
  }

  void lines(const std::vector<Line>& lines, const Rules& rules, const Entries& entries) {
    const auto bad = first_not_finite(*model_.graph, entries, point_);
    if (!bad) return;
    const std::int32_t row = entries[bad->entry].row.at(bad->k);
    const Line& line = line_of(lines, row);
    Blame(text_, model_, line.formula, rules).report(scope_of(line, row), bad->value);
  }

  // What contains a multiplier waits for its value.
  void forces() {
    const std::span<const Entry> all = model_.forces;
    const auto known = [&](std::size_t first, std::size_t count) {
      const std::span<const Entry> some = all.subspan(first, count);
      Entries out(some.begin(), some.end());
      std::erase_if(out, [&](const Entry& e) { return depends_on(*model_.graph, std::span(&e.expr, 1), kMultiplier); });
      return out;
    };
    lines(text_.forces, rules::kForce, known(0, text_.force_entries - text_.group_entries));
    for (std::size_t i = 0; i < text_.force_groups.size(); ++i)
      lines(text_.force_groups[i].lines, rules::kForce,
            known(model_.force_groups[i].first, model_.force_groups[i].count));
    const auto rayleigh = all.subspan(text_.force_entries, text_.rayleigh_entries);
    if (const auto bad = first_not_finite(*model_.graph, rayleigh, point_))
      fail(*text_.rayleigh, {model_.coordinates[rayleigh[bad->entry].row.at(bad->k)] + "'", bad->value});
    for (std::size_t i = 0; i < model_.ports.size(); ++i) {
      formula(text_.ports[i].input, rules::kInput, model_.ports[i].input);
      lines(text_.ports[i].along, rules::kAlong, model_.ports[i].along);
    }
  }

  // dL/dq and dL/dv; L itself is finite.
  void derivatives() {
    if (!bad_derivative(model_.lagrangian)) return;
    for (const std::optional<Formula>* whole : {&text_.lagrangian, &text_.hamiltonian})
      if (*whole) fail(**whole, *bad_derivative(model_.lagrangian));
    if (model_.potential && bad_derivative(*model_.potential))
      fail(*text_.potential, *bad_derivative(*model_.potential));
    fail(*text_.kinetic, *bad_derivative(model_.lagrangian));
  }

  void hamiltonian() {
    if (const auto bad = bad_derivative(model_.hamiltonian)) fail(*text_.hamiltonian, *bad);
  }

  void matrix(const MatrixText& matrix, const Rules& rules, const Entries& entries) {
    const auto bad = first_not_finite(*model_.graph, entries, point_);
    if (!bad) return;
    const std::pair place(entries[bad->entry].row.base, entries[bad->entry].col.base);
    for (const MatrixLine& line : matrix.lines)
      for (std::size_t i = 0; i < line.places.size(); ++i) {
        const auto [row, col] = line.places[i];
        if (place != line.places[i] && place != std::pair(col, row)) continue;
        Scope scope;
        if (!line.index.empty()) scope.indices.push_back({line.index, line.from + static_cast<std::int64_t>(i), 0});
        Blame(text_, model_, line.formula, rules).report(scope, bad->value);
      }
  }

 private:
  struct Bad {
    std::string name;
    double value = 0.0;
  };

  std::optional<Bad> bad_derivative(NodeId id) {
    Graph graph = *model_.graph;
    for (const Space space : {kPosition, kVelocity}) {
      const Entries entries = gradient(graph, id, space);
      if (const auto bad = first_not_finite(graph, entries, point_)) {
        const std::int32_t row = entries[bad->entry].row.at(bad->k);
        return Bad{model_.coordinates[row] + (space == kVelocity ? "'" : ""), bad->value};
      }
    }
    return {};
  }

  [[noreturn]] static void fail(const Formula& f, const Bad& bad) {
    f.fail(0, "the derivative by `" + bad.name + "` is " + number_text(bad.value) + " at the initial state",
           "Change the start, or write the expression so that it is smooth there");
  }

  ModelText& text_;
  const Model& model_;
  Point point_;
};

}  // namespace

namespace {

void finite_mechanical(FiniteCheck& check, ModelText& text, const Model& model) {
  check.formula(text.lagrangian, rules::kLagrangian, model.lagrangian);
  check.formula(text.hamiltonian, rules::kEnergy, model.lagrangian);
  if (model.kinetic) check.formula(text.kinetic, rules::kKinetic, *model.kinetic);
  if (model.potential) check.formula(text.potential, rules::kPotential, *model.potential);
  check.lines(text.holonomic, rules::kHolonomic, model.holonomic);
  check.lines(text.nonholonomic, rules::kNonholonomic, model.nonholonomic);
  check.derivatives();
  check.forces();
}

void finite_dae(FiniteCheck& check, ModelText& text, const Model& model) {
  for (std::size_t i = 0; i < model.parts.size(); ++i) check.lines(text.parts[i], rules::kRhs, model.parts[i]);
  check.lines(text.constraints, rules::kDaeConstraint, model.constraints);
}

void finite_odae(FiniteCheck& check, ModelText& text, const Model& model) {
  check.lines(text.v, rules::kOdaeRate, model.odae.v);
  check.lines(text.f, rules::kOdaeRate, model.odae.f);
  check.lines(text.r, rules::kOdaeReaction, model.odae.r);
  check.lines(text.p, rules::kOdaeRate, model.odae.p);
  check.lines(text.constraints, rules::kOdaeConstraint, model.constraints);
}

void finite_skew_gradient(FiniteCheck& check, ModelText& text, const Model& model) {
  check.formula(text.hamiltonian, rules::kHamiltonian, model.hamiltonian);
  check.hamiltonian();
  check.matrix(text.pi, rules::kMatrix, model.pi);
}

void finite_port_hamiltonian(FiniteCheck& check, ModelText& text, const Model& model) {
  const Rules& rules = rules::kPortHamiltonian;
  const PortHamiltonianText& from = text.ph;
  check.formula(text.hamiltonian, rules, model.hamiltonian);
  check.hamiltonian();
  check.matrix(from.E, rules, model.ph.E);
  check.matrix(from.J, rules, model.ph.J);
  check.matrix(from.R, rules, model.ph.R);
  check.matrix(from.S, rules, model.ph.S);
  check.matrix(from.N, rules, model.ph.N);
  check.lines(from.r, rules, model.ph.r);
  check.lines(from.z, rules, model.ph.z);
  for (std::size_t i = 0; i < from.inputs.size(); ++i) {
    check.formula(from.inputs[i].u, rules, model.ph.inputs[i].u);
    check.lines(from.inputs[i].B, rules, model.ph.inputs[i].B);
    check.lines(from.inputs[i].P, rules, model.ph.inputs[i].P);
  }
}

}  // namespace

namespace {

void finite_kept(FiniteCheck& check, const ModelText& text, const Model& model) {
  for (std::size_t i = 0; i < text.invariants.size(); ++i)
    check.formula(text.invariants[i].formula, rules_of(model.kind).expression, model.invariants[i].value);
  for (std::size_t i = 0; i < text.symmetries.size(); ++i)
    check.lines(text.symmetries[i].field, rules::kSymmetry, model.symmetries[i].field);
}

}  // namespace

namespace {

// Rows that the kinematics added have no line.
Entries without_kept(const ModelText& text, Entries holonomic) {
  std::erase_if(holonomic, [&](const Entry& e) { return e.row.base >= text.world.holonomic.size(); });
  return holonomic;
}

}  // namespace

void check_structure(const ModelText& text, const Model& model) {
  switch (model.kind) {
    case Kind::mechanical:
      require_dependence(
          *model.graph, text.holonomic, without_kept(text, model.holonomic), kPosition, "no coordinate occurs",
          "A holonomic constraint is an expression of t and the coordinates that is zero along the motion");
      require_dependence(*model.graph, text.nonholonomic, model.nonholonomic, kVelocity, "no velocity occurs",
                         "A constraint on positions alone belongs in [constraints.holonomic]");
      return;
    case Kind::dae:
      require_dependence(*model.graph, text.constraints, model.constraints, kPosition, "no state occurs",
                         "A constraint ties the states together");
      return;
    case Kind::odae:
      require_dependence(*model.graph, text.constraints, model.constraints, kPosition, "no position occurs",
                         "A constraint of an odae is an expression of the positions that is zero along the motion");
      return;
    case Kind::skew_gradient:
    case Kind::port_hamiltonian: return;  // see check_port_hamiltonian()
  }
}

void check_finite(ModelText& text, const Model& model) {
  FiniteCheck check(text, model);
  finite_kept(check, text, model);
  switch (model.kind) {
    case Kind::mechanical: return finite_mechanical(check, text, model);
    case Kind::dae: return finite_dae(check, text, model);
    case Kind::odae: return finite_odae(check, text, model);
    case Kind::skew_gradient: return finite_skew_gradient(check, text, model);
    case Kind::port_hamiltonian: return finite_port_hamiltonian(check, text, model);
  }
}

}  // namespace rattleback::front
