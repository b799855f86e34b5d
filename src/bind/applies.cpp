#include "bind/applies.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bind/bind_energy.hpp"
#include "bind/bind_overdetermined.hpp"
#include "method/runge_kutta/family_step.hpp"
#include "method/runge_kutta/rk_families.hpp"
#include "model/written.hpp"
#include "option/run_table.hpp"
#include "rattleback/error.hpp"
#include "system/port_hamiltonian/derived_port_hamiltonian.hpp"

namespace rattleback {
namespace {

std::string listed(std::span<const Formulation> formulations) {
  std::string text;
  for (const Formulation each : formulations) {
    if (each == Formulation::none) continue;
    text += fmt::format("{}--formulation {}", text.empty() ? "" : " or ", to_string(each));
    if (each == Formulation::index2) text += " (their positions then drift)";
  }
  return text;
}

std::string wrong_formulation(const MethodInfo& info, Formulation asked) {
  const auto& known = info.formulations;
  const bool on_request = known.empty() || known.front() == Formulation::none;
  if (asked == Formulation::none ? !on_request : std::find(known.begin(), known.end(), asked) != known.end()) return "";
  if (on_request) return "keeps only the velocity level, so it takes holonomic constraints only with " + listed(known);
  return fmt::format("does not take holonomic constraints as {}, only with {}", to_string(asked), listed(known));
}

// Why a method does not take systems of a kind; "" when it does.
std::string wrong_kind(const MethodEntry& method, Kind kind) {
  const Kinds& takes = method.info.kinds;
  if (takes.has(kind)) return "";
  const bool euler = method.as<EulerScheme>() != nullptr;
  const char* const for_euler = "needs a system of kind odae, or a mechanical one with holonomic constraints";
  switch (kind) {
    case Kind::mechanical:
      return takes.has(Kind::dae) ? "needs a system of kind dae" : "does not take mechanical systems";
    case Kind::dae:
      if (euler) return for_euler;
      return takes.has(Kind::skew_gradient) ? "needs a mechanical or a skew-gradient system"
                                            : "needs a mechanical system";
    case Kind::odae: return "needs a system of another kind: for overdetermined ones there are the euler methods";
    case Kind::skew_gradient:
      if (euler) return for_euler;
      return takes.has(Kind::dae) && method.as<RungeKutta>() != nullptr ? "" : "does not take skew-gradient systems";
    case Kind::port_hamiltonian: return "does not take port-Hamiltonian systems";
  }
  return "";
}

// L_v = M v + constant with constant M, see Mechanical::plain_momentum.
bool plain_momentum(const Model& model) {
  Graph g = *model.graph;
  Entries p = gradient(g, model.lagrangian, kVelocity);
  const Entries mass = jacobian(g, p, kVelocity);
  for (const Space space : {kTime, kPosition, kVelocity})
    if (depends_on(g, mass, space)) return false;
  for (Entry& e : p)
    e.expr = substitute(g, e.expr, [&](NodeId leaf) { return g[leaf].space == kVelocity ? g.zero() : leaf; });
  return !depends_on(g, p, kTime) && !depends_on(g, p, kPosition);
}

}  // namespace

bool nonlinear_reactions(const Model& model) {
  if (model.forces.empty()) return false;
  Graph g = *model.graph;
  return depends_on(g, jacobian(g, model.forces, kMultiplier), kMultiplier);
}

OrderCase order_case(const System& system, Formulation formulation) {
  if (system.m() == 0) return OrderCase::unconstrained;
  if (!system.facts().lagrangian) return OrderCase::dae;
  if (system.holonomic() > 0 && formulation == Formulation::index3) return OrderCase::index3;
  if (system.holonomic() > 0 && formulation == Formulation::ggl) return OrderCase::ggl;
  return nonlinear_reactions(system.model()) ? OrderCase::reaction : OrderCase::velocity;
}

bool massless(const System& system) {
  if (system.is_large()) return system.families().massless;
  const auto* const f = system.as<Mechanical>();
  return f != nullptr && f->mass && !f->inverse_mass;
}

std::string check_command(const Model& model) {
  const auto shipped = shipped_models();
  const bool known =
      std::any_of(shipped.begin(), shipped.end(), [&](const ShippedModel& m) { return m.key == model.key; });
  return known ? "rattleback check " + model.key : "rattleback check";
}

std::string why_not(const MethodEntry& method, const Model& model, Formulation formulation) {
  const MethodInfo& info = method.info;
  if (std::string reason = wrong_kind(method, model.kind); !reason.empty()) return reason;
  switch (model.kind) {
    case Kind::mechanical:
    case Kind::dae: break;
    case Kind::odae:
    case Kind::skew_gradient:
    case Kind::port_hamiltonian: return "";
  }
  if (method.as<EulerScheme>() != nullptr) return why_not_overdetermined(model);
  if (method.as<Collocation>() != nullptr)
    if (const std::string needs = why_no_port_hamiltonian_form(model); !needs.empty())
      return "works on the port-Hamiltonian form, which needs " + needs;
  if (method.as<EnergyMethod>() != nullptr)
    if (std::string reason = why_not_energy(model); !reason.empty()) return reason;
  const bool holonomic = !model.holonomic_names.empty();
  if (info.needs_holonomic && !holonomic) return "needs holonomic constraints";
  const bool at_accelerations = method.as<UnderlyingOde>() != nullptr;
  if (at_accelerations && formulation != Formulation::none)
    return "integrates the acceleration level of all constraints. Leave --formulation out";
  if (holonomic && method.as<Baseline>() == nullptr && !at_accelerations)
    if (std::string reason = wrong_formulation(info, formulation); !reason.empty()) return reason;
  const auto* const runge_kutta = method.as<RungeKutta>();
  if (runge_kutta == nullptr && largest_family(model) > kLargestFamily)
    return fmt::format("works on single coordinates, and this model has a family of more than {} members",
                       kLargestFamily);
  if (runge_kutta == nullptr) return "";
  if (runge_kutta->uneven_multipliers && model.multiplier_count() > 0 && nonlinear_reactions(model) &&
      !plain_momentum(model))
    return kUnevenMultipliers;
  if (runge_kutta->first_part_free && depends_on(*model.graph, model.parts[0], kMultiplier))
    return "needs a first part (Lobatto IIIA) without the algebraic variables: write the right-hand side as parts "
           "[rhs.1] "
           "to [rhs.5] with those terms in another part";
  return "";
}

bool takes_families(const Model& model, const Options& options) try {
  if (!facts_of(model).families || options.redundant == Redundant::minimum_norm ||
      options.controller == Controller::reversible)
    return false;
  Scheme scheme;
  if (!options.tableau.empty()) {
    scheme = user_scheme(read_user_tableau(options.tableau));
  } else {
    const std::string name = options.method.empty() ? model.run.method.value_or("spark-lobatto-ab") : options.method;
    if (!is_method(name)) return true;  // simulate() says what is wrong
    const MethodEntry& entry = find_entry(name);
    const auto* const runge_kutta = entry.as<RungeKutta>();
    if (runge_kutta == nullptr) return false;
    scheme = runge_kutta->scheme(std::max(options.stages, entry.info.min_stages));
  }
  // The derivatives that a step needs; a loop in a loop is found here.
  FamilyEquations eq = runge_kutta_step(FamilyMechanical(model), scheme);
  for (const auto& group : eq.groups) (void)jacobian(eq.graph, group.equation, kUnknown);
  return true;
} catch (const NeedsUnrolling&) {
  return false;
}

Model load_to_run(const std::string& system, LoadOptions load, const Options& options, Place place) {
  Model model = load_model(system, load);
  if (largest_family(model) == 0 || takes_families(model, with_run_table(model, options, place))) return model;
  load.unroll_below = kLargestFamily;
  return read_again(model, load);
}

}  // namespace rattleback
