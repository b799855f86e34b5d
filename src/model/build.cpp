// The last step of loading: formulas become a graph, and what can be known about the start is checked.
#include <algorithm>

#include "model/build_forces.hpp"
#include "model/check.hpp"
#include "model/check_angles.hpp"
#include "model/grammar/kind_rules.hpp"
#include "model/kinds/build_matrix.hpp"
#include "model/kinds/build_port_hamiltonian.hpp"
#include "model/kinematics.hpp"
#include "model/model_text.hpp"
#include "model/momenta.hpp"
#include "model/starts/auxiliary.hpp"
#include "rattleback/error.hpp"

namespace rattleback::front {
namespace {

constexpr std::size_t kNodesOfDerivatives = 20'000'000;

Entries elaborate(Elaborator& e, const std::vector<Line>& lines, const Rules& rules) {
  Entries out;
  for (const Line& line : lines) e.line(line, rules, out);
  return out;
}

void build_values(const std::vector<ExactText>& values, Elaborator& e, const Rules& rules,
                  std::vector<ExactValue>& to) {
  for (const ExactText& x : values)
    for (std::int64_t i = 0; i < x.line.count(); ++i) {
      Scope scope;
      if (!x.line.index.empty()) scope.indices.push_back({x.line.index, x.line.from + i, 0});
      const NodeId expr = e.part(x.line.formula, x.line.formula.root, rules, scope);
      to.push_back({x.space, x.line.row + static_cast<std::int32_t>(i), expr});
    }
}

void build_events(const ModelText& text, Elaborator& e, Model& model) {
  const Rules& rules = rules_of(text.world.kind).output;
  for (const EventText& event : text.events) {
    ModelEvent& to = model.events.emplace_back(
        ModelEvent{event.name, e.expression(event.when, rules), event.direction, event.then, {}});
    build_values(event.set, e, rules, to.set);
  }
}

void build_outputs(const World& world, Elaborator& e, Model& model) {
  for (std::size_t i = 0; i < model.quasi.names.size(); ++i)
    model.outputs.push_back({model.quasi.names[i], model.quasi.values[i]});
  const Rules& rules = rules_of(world.kind).output;
  for (const std::size_t number : world.outputs) {
    const Definition& d = world.definitions[number];
    for (const DefinitionPiece& p : d.pieces)
      for (std::int64_t i = p.from; i <= p.to; ++i) {
        Scope scope;
        if (!p.index.empty()) scope.indices.push_back({p.index, i});
        model.outputs.push_back(
            {d.family ? element_name(d.name, i) : d.name, e.part(p.formula, p.formula.root, rules, scope)});
      }
  }
}

void build_kept(const ModelText& text, Elaborator& e, Model& model) {
  for (const InvariantText& i : text.invariants)
    model.invariants.push_back({i.name, e.expression(i.formula, rules_of(model.kind).expression)});
  for (const SymmetryText& s : text.symmetries)
    model.symmetries.push_back({s.name, elaborate(e, s.field, rules::kSymmetry)});
}

Drawing build_view(const ViewText& text, Elaborator& e, Graph& graph) {
  const auto place = [&](const std::vector<Formula>& formulas) {
    std::array<NodeId, 3> at = {graph.zero(), graph.zero(), graph.zero()};
    for (std::size_t i = 0; i < formulas.size(); ++i) at[i] = e.expression(formulas[i], rules::kView);
    return at;
  };
  Drawing view;
  view.space = text.points[0].at.size() == 3;
  for (const ViewText::Point& p : text.points) view.points.push_back({p.name, place(p.at)});
  for (const ViewText::Disc& d : text.discs) view.discs.push_back({d.centre, d.rim, place(d.axle)});
  view.rods = text.rods;
  view.paths = text.paths;
  return view;
}

void build_mechanical(ModelText& text, Elaborator& e, Graph& graph, Model& model) {
  if (text.lagrangian) model.lagrangian = e.expression(*text.lagrangian, rules::kLagrangian);
  if (text.kinetic) model.kinetic = model.lagrangian = e.expression(*text.kinetic, rules::kKinetic);
  if (text.hamiltonian) put_lagrangian(text, graph, model);
  if (text.potential) {
    model.potential = e.expression(*text.potential, rules::kPotential);
    model.lagrangian = graph.sub(model.lagrangian, *model.potential);
  }
  model.holonomic = elaborate(e, text.holonomic, rules::kHolonomic);
  model.nonholonomic = elaborate(e, text.nonholonomic, rules::kNonholonomic);
  model.holonomic_names = text.world.holonomic;
  model.nonholonomic_names = text.world.nonholonomic;
  add_kept(text, graph, model);

  model.forces = along_coordinates(graph, model, elaborate(e, text.forces, rules::kForce));
  const std::size_t plain = model.forces.size();
  for (const ForceGroupText& group : text.force_groups) {
    const Entries entries = along_coordinates(graph, model, elaborate(e, group.lines, rules::kForce));
    model.force_groups.push_back({group.name, group.coefficients, model.forces.size(), entries.size()});
    model.forces.insert(model.forces.end(), entries.begin(), entries.end());
  }
  text.force_entries = model.forces.size();
  text.group_entries = text.force_entries - plain;
  if (text.rayleigh) add_dissipation(graph, e.expression(*text.rayleigh, rules::kRayleigh), model);
  text.rayleigh_entries = model.forces.size() - text.force_entries;
  auto given = static_cast<std::uint32_t>(model.parameters.size());
  for (const PortText& p : text.ports) {
    Port port;
    port.name = p.name;
    port.input = p.data    ? e.data(p.data, graph.variable(kTime, 0))
                 : p.input ? e.expression(*p.input, rules::kInput)
                           : graph.input(given++, 0.0);
    port.along = along_coordinates(graph, model, elaborate(e, p.along, rules::kAlong));
    add_port(graph, std::move(port), model);
  }
  model.dissipative = !model.forces.empty();
  name_other_forces(graph, text.force_entries + (model.ph.R.empty() ? text.rayleigh_entries : 0), model);
}

void build_dae(ModelText& text, Elaborator& e, Model& model) {
  model.algebraic = text.world.algebraic;
  model.part_count = text.part_count;
  for (std::size_t i = 0; i < model.parts.size(); ++i) model.parts[i] = elaborate(e, text.parts[i], rules::kRhs);
  model.constraints = elaborate(e, text.constraints, rules::kDaeConstraint);
  model.constraint_names = text.world.constraints;
}

void build_odae(ModelText& text, Elaborator& e, Model& model) {
  model.algebraic = text.world.algebraic;
  model.constraints = elaborate(e, text.constraints, rules::kOdaeConstraint);
  model.constraint_names = text.world.constraints;
  OdaeParts& o = model.odae;
  o.velocities = text.world.velocities;
  o.v = elaborate(e, text.v, rules::kOdaeRate);
  o.f = elaborate(e, text.f, rules::kOdaeRate);
  o.r = elaborate(e, text.r, rules::kOdaeReaction);
  o.p = elaborate(e, text.p, rules::kOdaeRate);
  o.unilateral = text.unilateral;
  o.restitution = text.restitution;
  // It is a number for good: parameters that it is made of have their values for good.
  static const Rules number{.accepts = "numbers and parameters"};
  if (text.restitution_formula) (void)e.graph().settle(e.expression(*text.restitution_formula, number));
}

void build_skew_gradient(ModelText& text, Elaborator& e, Model& model) {
  model.hamiltonian = e.expression(*text.hamiltonian, rules::kHamiltonian);
  model.pi = build_matrix(text.pi, e, rules::kMatrix, model.coordinates, {0.0, model.q0, {}, {}});
}

// Derivatives that every method needs: where one of them would be a loop in a loop, NeedsUnrolling is thrown here.
void try_derivatives(const Source& source, const Model& model, Graph graph) try {
  graph.set_limit(kNodesOfDerivatives);
  const auto both = [&](const Entries& f, std::initializer_list<Space> spaces) {
    for (const Space space : spaces) (void)jacobian(graph, f, space);
  };
  switch (model.kind) {
    case Kind::mechanical:
      both(gradient(graph, model.lagrangian, kVelocity), {kPosition, kVelocity});
      both(gradient(graph, model.lagrangian, kPosition), {kPosition, kVelocity});
      both(model.forces, {kPosition, kVelocity, kMultiplier});
      both(model.holonomic, {kPosition});
      both(model.nonholonomic, {kPosition, kVelocity});
      return;
    case Kind::dae:
      for (const Entries& part : model.parts) both(part, {kPosition, kMultiplier});
      both(model.constraints, {kPosition});
      return;
    case Kind::odae:
      for (const Entries* part : {&model.odae.v, &model.odae.f, &model.odae.r, &model.odae.p})
        both(*part, {kPosition, kVelocity, kMultiplier});
      both(model.constraints, {kPosition});
      return;
    case Kind::skew_gradient:
      both(gradient(graph, model.hamiltonian, kPosition), {kPosition});
      both(model.pi, {kPosition});
      return;
    case Kind::port_hamiltonian: return;  // is taken in single states
  }
} catch (const Error& fault) {
  source.fail(0, std::string("the derivatives of this model are too large. ") + fault.what());
}

void build_kind(ModelText& text, Elaborator& e, Graph& graph, Model& model) {
  switch (model.kind) {
    case Kind::mechanical: return build_mechanical(text, e, graph, model);
    case Kind::dae: return build_dae(text, e, model);
    case Kind::odae: return build_odae(text, e, model);
    case Kind::skew_gradient: return build_skew_gradient(text, e, model);
    case Kind::port_hamiltonian: return build_port_hamiltonian(text, e, model);
  }
}

Model build(ModelText& text, UnrollPolicy policy) {
  Model model = without_formulas(text);
  auto graph = std::make_shared<Graph>();
  Elaborator e(text.world, *graph, policy);
  model.quasi = build_quasi(text, *graph);
  use_kinematics(text, model.quasi, e);
  build_kind(text, e, *graph, model);
  build_kept(text, e, model);
  build_values(text.exact, e, rules::kExact, model.exact);
  build_events(text, e, model);
  build_outputs(text.world, e, model);
  text.data_uses = e.take_data_uses();
  if (text.view) text.drawing = build_view(*text.view, e, *graph);
  if (e.has_loops()) try_derivatives(text.world.source, model, *graph);
  model.graph = std::move(graph);
  return model;
}

}  // namespace

Model build_model(ModelText& text, const LoadOptions& options) {
  text.world.note(World::Use::formulas);
  {
    Graph scratch;
    Elaborator e(text.world, scratch, {options.unroll_below, false});
    use_kinematics(text, build_quasi(text, scratch), e);
    e.check_definitions();
  }
  Model model;
  try {
    // Port-Hamiltonian systems are taken in single states.
    model = build(text, {options.unroll_below, text.world.kind == Kind::port_hamiltonian});
  } catch (const NeedsUnrolling&) {
    model = build(text, {options.unroll_below, true});
  }
  text.world.note(World::Use::none);
  check_structure(text, model);
  put_velocities(text, model);
  solve_auxiliary(text, model);
  check_finite(text, model);
  check_angles(text, model);
  if (model.kind == Kind::port_hamiltonian) check_port_hamiltonian(text, model);
  return model;
}

}  // namespace rattleback::front
