#include "bind/bind.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bind/baselines.hpp"
#include "bind/bind_energy.hpp"
#include "bind/bind_overdetermined.hpp"
#include "bind/bind_port_hamiltonian.hpp"
#include "bind/redundant_stepper.hpp"
#include "engine/plan_stepper.hpp"
#include "linalg/decompositions.hpp"
#include "method/runge_kutta/family_step.hpp"
#include "method/runge_kutta/rk_families.hpp"
#include "method/runge_kutta/runge_kutta.hpp"
#include "model/written.hpp"
#include "rattleback/error.hpp"
#include "system/families/family_start.hpp"
#include "tableau/compositions.hpp"

namespace rattleback {

namespace {

std::string listed(std::span<const std::string_view> formulations) {
  std::string text;
  for (const std::string_view name : formulations) {
    if (name.empty()) continue;
    text += fmt::format("{}--formulation {}", text.empty() ? "" : " or ", name);
    if (name == "index2") text += " (their positions then drift)";
  }
  return text;
}

std::string wrong_formulation(const MethodInfo& info, const std::string& asked) {
  const auto& known = info.formulations;
  const bool on_request = known.empty() || known.front().empty();
  if (asked.empty() ? !on_request : std::find(known.begin(), known.end(), asked) != known.end()) return "";
  if (on_request) return "keeps only the velocity level, so it takes holonomic constraints only with " + listed(known);
  return fmt::format("does not take holonomic constraints as {}, only with {}", asked, listed(known));
}

Formulation formulation_of(std::string_view name) {
  if (name == "index3") return Formulation::index3;
  return name == "ggl" ? Formulation::ggl : Formulation::index2;
}

// The coordinates whose rows of a constant mass matrix are 0, for messages.
std::string without_inertia(const System& system) {
  std::vector<std::string> names;
  if (!system.is_large()) {
    const std::vector<double>& mass = *system.mechanical().mass;
    const auto n = static_cast<std::size_t>(system.n());
    for (std::size_t i = 0; i < n; ++i)
      if (std::all_of(&mass[i * n], &mass[i * n] + n, [](double x) { return x == 0.0; }))
        names.push_back(system.model().coordinates[static_cast<std::int32_t>(i)]);
  }
  return names.empty() ? "some motion" : fmt::format("{}", fmt::join(names, ", "));
}

// Can a Runge-Kutta scheme take a mass matrix that is exactly singular? Its equations are then those in the rates (see
// runge_kutta.cpp), and the stage velocities must determine all rates.
bool takes_massless(const Scheme& scheme) {
  const auto s = static_cast<Eigen::Index>(scheme.stages);
  const Eigen::Map<const Eigen::MatrixXd> a(scheme.ah.data(), s, s);
  return scheme.ah == scheme.at && scheme.bh == scheme.bt && linalg::is_regular(a);
}

}  // namespace

bool nonlinear_reactions(const Model& model) {
  Graph g = *model.graph;
  return depends_on(g, jacobian(g, model.forces, kMultiplier), kMultiplier);
}

OrderCase order_case(const System& system, std::string_view formulation) {
  if (!system.is_mechanical()) return system.m() > 0 ? OrderCase::dae : OrderCase::unconstrained;
  if (system.m() == 0) return OrderCase::unconstrained;
  if (system.holonomic() > 0 && formulation == "index3") return OrderCase::index3;
  if (system.holonomic() > 0 && formulation == "ggl") return OrderCase::ggl;
  return nonlinear_reactions(system.model()) ? OrderCase::reaction : OrderCase::velocity;
}

namespace {

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

// The last stage is the end of the step, in all three matrices.
bool ends_with_last_stage(const UserTableau& u) {
  for (const Tableau* t : {&u.a, &u.ahat, &u.atilde})
    if (!std::equal(t->b.begin(), t->b.end(), t->A.end() - t->stages)) return false;
  return true;
}

constexpr const char* kUnevenMultipliers =
    "does not converge here: the forces are nonlinear in the multipliers and L_v is not a constant matrix times v, so "
    "that its two stage multipliers are off by an amount that does not vanish with the step (only their sum is right). "
    "spark-lobatto-ab with 2 stages has order 2";

}  // namespace

bool massless(const System& system) {
  if (system.is_large()) return system.families().massless;
  return system.is_mechanical() && system.mechanical().mass && !system.mechanical().inverse_mass;
}

std::string check_command(const Model& model) {
  const auto shipped = shipped_models();
  const bool known =
      std::any_of(shipped.begin(), shipped.end(), [&](const ShippedModel& m) { return m.key == model.key; });
  return known ? "rattleback check " + model.key : "rattleback check";
}

std::string why_not(const MethodEntry& method, const Model& model, const std::string& formulation) {
  const MethodInfo& info = method.info;
  if (const auto answer = why_not_port_hamiltonian(method, model)) return *answer;
  if (const auto answer = why_not_overdetermined(method, model)) return *answer;
  if (model.kind == Kind::skew_gradient)
    return info.skew_gradient || (info.dae && method.scheme != nullptr) ? "" : "does not take skew-gradient systems";
  if (model.kind == Kind::mechanical && !info.mechanical)
    return info.dae ? "needs a system of kind dae" : "does not take mechanical systems";
  if (model.kind == Kind::dae && !info.dae)
    return info.skew_gradient ? "needs a mechanical or a skew-gradient system" : "needs a mechanical system";
  if (method.energy)
    if (std::string reason = why_not_energy(model); !reason.empty()) return reason;
  const bool holonomic = model.kind == Kind::mechanical && !model.holonomic_names.empty();
  if (info.needs_holonomic && !holonomic) return "needs holonomic constraints";
  if (method.underlying_ode && !formulation.empty())
    return "integrates the acceleration level of all constraints. Leave --formulation out";
  if (holonomic && method.baseline == Baseline::none && !method.underlying_ode)
    if (std::string reason = wrong_formulation(info, formulation); !reason.empty()) return reason;
  if (method.scheme == nullptr && largest_family(model) > kLargestFamily)
    return fmt::format("works on single coordinates, and this model has a family of more than {} members",
                       kLargestFamily);
  if (method.uneven_multipliers && model.multiplier_count() > 0 && nonlinear_reactions(model) && !plain_momentum(model))
    return kUnevenMultipliers;
  if (method.first_part_free && depends_on(*model.graph, model.parts[0], kMultiplier))
    return "needs a first part (Lobatto IIIA) without the algebraic variables: write the right-hand side as parts "
           "[rhs.1] "
           "to [rhs.5] with those terms in another part";
  return "";
}

bool takes_families(const Model& model, const Options& options) try {
  if (model.kind != Kind::mechanical || !options.redundant.empty() || options.controller == "reversible") return false;
  Scheme scheme;
  if (!options.tableau.empty()) {
    scheme = user_scheme(read_user_tableau(options.tableau));
  } else {
    const std::string name = options.method.empty() ? model.run.method.value_or("spark-lobatto-ab") : options.method;
    if (!is_method(name)) return true;  // simulate() says what is wrong
    const MethodEntry& entry = find_entry(name);
    if (entry.scheme == nullptr) return false;
    scheme = entry.scheme(std::max(options.stages, entry.info.min_stages));
  }
  // The derivatives that a step needs; a loop in a loop is found here.
  FamilyEquations eq = runge_kutta_step(FamilyMechanical(model), scheme);
  for (const auto& group : eq.groups) (void)jacobian(eq.graph, group.equation, kUnknown);
  return true;
} catch (const NeedsUnrolling&) {
  return false;
}

namespace {

// Typical size of a multiplier in units of velocity/h: mass over constraint row.
double scale_of_multipliers(const System& system, const Start& start) {
  if (!system.is_mechanical() || system.m() == 0) return 1.0;
  if (system.is_large()) {
    const FamilyMechanical& large = system.families();
    const double mass = largest_value(large, large.mass, start.q, start.v);
    const double row = largest_value(large, large.K, start.q, start.v);
    return mass > 0.0 && row > 0.0 ? mass / row : 1.0;
  }
  return StartFunctions(system).multiplier_scale(start);
}

void check_newton(const System& system, const Options& options) {
  if (options.newton.empty()) return;
  if (!system.is_mechanical() || system.is_large())
    throw Error("--newton simplified is for mechanical systems of single coordinates. Leave it out");
  if (options.tableau.empty() && find_entry(options.method).scheme == nullptr)
    throw Error(
        fmt::format("--newton simplified is for Runge-Kutta methods, and '{}' is none. Leave it out", options.method));
}

void check_stages(const MethodInfo& info, int stages) {
  if (info.fixed_stages != 0 && stages != info.fixed_stages)
    throw Error(fmt::format("method '{}' has a fixed number of stages, {}; leave --stages out, found --stages {}",
                            info.name, info.fixed_stages, stages));
  if (stages < info.min_stages || stages > 20)
    throw Error(fmt::format("method '{}' takes {} to 20 stages (--stages S, or NAME:S in a list), found {}", info.name,
                            info.min_stages, stages));
}

}  // namespace

void limit_compositions(BoundMethod& out, const MethodInfo& info, OrderCase on) {
  if (!info.off_at_ends) return;
  const bool swings = info.fixed_stages != 0 || out.stages % 2 == 1;
  if (!swings && on == OrderCase::velocity) return;
  out.not_composed = kOffAtEnds;
  out.composed_to = swings ? 2 : 4;
  if (swings && info.fixed_stages == 0)
    out.composed_with_even = on == OrderCase::velocity
                                 ? ", or an even number of stages"
                                 : ", or an even number of stages, whose compositions have orders up to 4";
}

void compose(BoundMethod& out, PlanStepperData& data, const Model& model, int order) {
  if (order == 0) return;
  if (out.two_step) throw Error(fmt::format("method '{}' is a two-step method and cannot be composed", out.name));
  if (!out.symmetric)
    throw Error(
        fmt::format("--compose needs a symmetric method, and '{}' is not symmetric on '{}'", out.name, model.key));
  const Composition c = composition(order);
  // The multiplier that a step takes from the one before has lower order. With even s its error changes its sign in every
  // step, and the state has at most order 2s then (measured).
  const bool passes_on = data.carried > 0 && data.carries_multipliers && !data.reports_carried && out.stages % 2 == 0;
  if (passes_on && c.order > 2 * out.stages)
    out.not_composed = fmt::format(
        "its steps pass on a multiplier of lower order, and compositions have at most order {}. --stages {} does not "
        "have "
        "this limit",
        2 * out.stages, out.stages + 1);
  if (!out.not_composed.empty() && c.order > out.composed_to)
    throw Error(
        fmt::format("--compose {}: a composition of '{}' would not have order {} on '{}': {}{}", order, out.name, order,
                    model.key, out.not_composed,
                    out.composed_to > 2 ? fmt::format(", or --compose {}", out.composed_to) : out.composed_with_even));
  data.gamma = c.gamma;
  for (int* const component : {&out.orders.q, &out.orders.v, &out.orders.multipliers})
    if (*component > 0) *component = std::max(*component, c.order);
}

Model load_to_run(const std::string& system, LoadOptions load, const Options& options) {
  Model model = load_model(system, load);
  if (largest_family(model) == 0 || takes_families(model, options)) return model;
  load.unroll_below = kLargestFamily;
  return read_again(model, load);
}

BoundMethod bind(const System& system, const Options& options, const Start& start) {
  if (system.redundancy()) return bind_redundant(system, options, start);
  const Model& model = system.model();
  check_newton(system, options);
  if (system.is_odae() || (!options.method.empty() && find_entry(options.method).overdetermined))
    return bind_overdetermined(system, options, start);
  if (system.is_port_hamiltonian() || (!options.method.empty() && find_entry(options.method).collocation != nullptr))
    return bind_port_hamiltonian(system, options, start);
  BoundMethod out;
  PlanStepperData data{.step = Plan(Equations{}), .first = {}, .acceleration = system.acceleration(), .solve = {}};
  data.acceleration->set_refine(false);
  data.n = system.n();
  data.m = system.m();
  data.mechanical = system.is_mechanical();
  data.angles = model.angles;
  data.solve.tolerance = options.newton_tol;
  data.solve.simplified = !options.newton.empty();
  data.graded_mass = system.graded_mass();
  data.multiplier_scale = scale_of_multipliers(system, start);

  Scheme scheme;
  if (!options.tableau.empty()) {
    const UserTableau user = read_user_tableau(options.tableau);
    const bool asked = options.formulation == "index2" || options.formulation == "ggl";
    if (!model.holonomic_names.empty() && !asked)
      throw Error(
          "a tableau from a file keeps only the velocity level, so it takes holonomic constraints only with "
          "--formulation index2 (their positions then drift) or --formulation ggl");
    out.formulation = options.formulation;
    scheme = user_scheme(user);
    out.name = user.a.name;
    out.stages = user.a.stages;
    out.orders = {user.a.order, user.a.order, user.a.order};
    out.symmetric = is_symmetric(user.a) && is_symmetric(user.ahat) && is_symmetric(user.atilde);
    if (system.m() > 0 && !user.weighted && !ends_with_last_stage(user)) out.not_composed = kOffAtEnds;
  } else {
    const MethodEntry& entry = find_entry(options.method);
    const MethodInfo& info = entry.info;
    if (const std::string reason = why_not(entry, model, options.formulation); !reason.empty())
      throw Error(fmt::format("method '{}' does not apply to '{}': it {}. `{}` lists the methods that do", info.name,
                              model.key, reason, check_command(model)));
    check_stages(info, options.stages);
    out.name = info.name;
    if (entry.baseline == Baseline::none) {
      out.formulation = options.formulation;
      if (out.formulation.empty() && !info.formulations.empty()) out.formulation = info.formulations.front();
    }
    out.stages = options.stages;
    out.orders = info.orders_on(order_case(system, out.formulation), options.stages);
    if (system.m() > 0) limit_compositions(out, info, order_case(system, out.formulation));
    out.symmetric = info.symmetric == Claim::yes;
    out.adaptive = info.adaptive;
    if (entry.baseline != Baseline::none) {
      if (options.compose != 0)
        throw Error(fmt::format("method '{}' chooses its own steps and cannot be composed", info.name));
      out.stepper = make_baseline(entry.baseline, system, options.rtol, options.atol,
                                  options.gain.value_or(kDefaultGain), options.stop);
      return out;
    }
    if (entry.scheme != nullptr) scheme = entry.scheme(options.stages);
    if (entry.energy) {
      bind_energy(system, *entry.energy, options, start, data, out);
    } else if (entry.explicit_step != nullptr) {
      const bool between = options.output_every != 0.0 || !options.event.empty();
      Equations step = entry.explicit_step(system.mechanical(), between);
      const std::size_t estimates = 4 * static_cast<std::size_t>(system.n());
      data.turn_free = step.turn_free;
      out.embedded = options.adaptive > 0.0;
      if (!out.embedded)
        step.extra.erase(step.extra.begin(), step.extra.begin() + static_cast<std::ptrdiff_t>(estimates));
      if (between) out.extension = out.embedded ? estimates : 0;
      out.records_by_extension = between && info.dense_order != nullptr;
      data.step = Plan(std::move(step));
    } else if (entry.step != nullptr) {
      Equations step = entry.step(system.mechanical());
      data.turn_free = step.turn_free;
      step.extra.clear();
      data.step = Plan(std::move(step));
      if (entry.first_step != nullptr) {
        data.first.emplace(entry.first_step(system.mechanical()));
        data.two_step = out.two_step = true;
        out.symmetric = system.mechanical().linear_constraints;
      } else {
        out.symmetric = info.symmetric == Claim::conditional && system.mechanical().separable;
      }
    } else if (info.symmetric == Claim::conditional) {
      out.symmetric = system.is_large()        ? system.families().plain_momentum || system.m() == 0
                      : system.is_mechanical() ? system.mechanical().plain_momentum || system.m() == 0
                                               : system.dae().parts[2].empty() && system.dae().parts[3].empty();
    }
    const bool loses_order = !out.symmetric && info.symmetric == Claim::conditional && system.is_mechanical();
    if (loses_order && entry.uneven_multipliers && nonlinear_reactions(model))  // inertia that was added
      throw Error(fmt::format("method '{}' does not apply to '{}': it {}", info.name, model.key, kUnevenMultipliers));
    if (loses_order) {
      out.orders = {1, 1, 1};
      out.notes.push_back(fmt::format("on this system {} has order 1 and is not symmetric: {}", info.name, info.note));
    }
  }
  const bool holonomic = system.holonomic() > 0;
  if (!holonomic) out.formulation.clear();
  if (scheme.stages > 0) {
    StepForm form{.formulation = holonomic ? formulation_of(out.formulation) : Formulation::index2, .recursion = false};
    if (options.multiplier == "recursion") {
      if (scheme.recursion.empty() || !system.is_mechanical())
        throw Error(fmt::format("--multiplier recursion is for prk-murua, which has one; '{}' has not", out.name));
      form.recursion = data.reports_carried = true;
      out.orders.multipliers = 0;  // not claimed: of a recursion that never forgets
      data.carried = data.m;
    }
    form.power = options.audit_power;
    if (form.power) form.damping = model.ph.R;
    if (massless(system) && !takes_massless(scheme))
      throw Error(fmt::format(
          "'{}' has a mass of exactly 0 (no inertia in {}), which '{}' cannot take: its matrix is singular. "
          "If that was not meant, add a kinetic term for it. prk-murua, spark-gauss, srk-gauss and "
          "rk-radau-iia can take it where forces determine the motion; or use a small mass",
          model.key, without_inertia(system), out.name));
    if (system.is_large()) {  // without stage values for dense output: it interpolates between the steps
      data.nominal_step = options.step;
      data.turn_free = form.formulation != Formulation::ggl;
      data.step = Plan(runge_kutta_step(system.families(), scheme, form));
    } else {
      Equations step = system.is_mechanical() ? runge_kutta_step(system.mechanical(), scheme, form)
                                              : runge_kutta_step(system.dae(), scheme);
      const bool dense = (options.output_every != 0.0 || !options.event.empty()) && options.compose == 0;
      if (dense) out.stage = stage_layout(scheme, system.is_mechanical());
      if (!dense) step.extra.clear();
      if (data.solve.simplified && !step.saddle)
        throw Error(
            fmt::format("--newton simplified does not take '{}' with this system: the matrix at the start of the "
                        "step has another form here. Leave it out",
                        out.name));
      step.simplified = data.solve.simplified;
      data.turn_free = step.turn_free;
      try {
        data.step = Plan(std::move(step));
      } catch (const Error&) {
        if (!massless(system)) throw;
        throw Error(
            fmt::format("nothing determines the motion of {} in '{}': it has no inertia, and no force depends on its "
                        "velocity. Add a kinetic term for it or remove the coordinate",
                        without_inertia(system), model.key));
      }
    }
    if (scheme.carries_multiplier)
      data.carried = data.m + (form.formulation == Formulation::ggl ? system.holonomic() : 0);
    data.position_level = form.formulation != Formulation::index2;
    if (const std::string note = multiplier_force_note(system, out.name, options.formulation); !note.empty())
      out.notes.push_back(note);
  } else if (options.multiplier == "recursion") {
    throw Error(fmt::format("--multiplier recursion is for prk-murua, which has one; '{}' has not", out.name));
  }
  compose(out, data, model, options.compose);
  out.stepper = std::make_unique<PlanStepper>(std::move(data));
  return out;
}

}  // namespace rattleback
