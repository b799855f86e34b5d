#include "bind/bind.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bind/applies.hpp"
#include "bind/baselines.hpp"
#include "bind/bind_energy.hpp"
#include "bind/bind_overdetermined.hpp"
#include "bind/bind_port_hamiltonian.hpp"
#include "bind/bind_runge_kutta.hpp"
#include "bind/binding.hpp"
#include "bind/redundant_stepper.hpp"
#include "method/runge_kutta/rk_families.hpp"
#include "system/families/family_start.hpp"

namespace rattleback {
namespace {

// The last stage is the end of the step, in all three matrices.
bool ends_with_last_stage(const UserTableau& u) {
  for (const Tableau* t : {&u.a, &u.ahat, &u.atilde})
    if (!std::equal(t->b.begin(), t->b.end(), t->A.end() - t->stages)) return false;
  return true;
}

// Typical size of a multiplier in units of velocity/h: mass over constraint row.
double scale_of_multipliers(const System& system, const Start& start) {
  if (!system.facts().lagrangian || system.m() == 0) return 1.0;
  if (system.is_large()) {
    const FamilyMechanical& large = system.families();
    const double mass = largest_value(large, large.mass, start.t, start.q, start.v);
    const double row = largest_value(large, large.K, start.t, start.q, start.v);
    return mass > 0.0 && row > 0.0 ? mass / row : 1.0;
  }
  return StartFunctions(system).multiplier_scale(start);
}

void check_newton(const System& system, const Options& options) {
  if (options.newton == Newton::best) return;
  if (system.as<Mechanical>() == nullptr)
    throw Error("--newton simplified is for mechanical systems of single coordinates. Leave it out");
  if (options.tableau.empty() && find_entry(options.method).as<RungeKutta>() == nullptr)
    throw Error(
        fmt::format("--newton simplified is for Runge-Kutta methods, and '{}' is none. Leave it out", options.method));
}

void check_euler_options(const Options& options) {
  if (options.tableau.empty() && find_entry(options.method).as<EulerScheme>() != nullptr) return;
  const std::string found = options.tableau.empty() ? fmt::format("'{}' is none", options.method) : "--tableau is none";
  if (options.reaction.given())
    throw Error(fmt::format("--reaction is for the euler methods (euler-true, euler-natural ...), and {}. Leave it out",
                            found));
  if (options.multiplier == Multiplier::sum || options.multiplier == Multiplier::last)
    throw Error(
        fmt::format("--multiplier {} reports what the euler methods (euler-true, euler-natural ...) compute in a step, "
                    "and {}. Leave "
                    "it out",
                    options.multiplier.text(), found));
}

void check_stages(const MethodInfo& info, int stages) {
  if (info.fixed_stages != 0 && stages != info.fixed_stages)
    throw Error(fmt::format("method '{}' has a fixed number of stages, {}; leave --stages out, found --stages {}",
                            info.name, info.fixed_stages, stages));
  if (stages < info.min_stages || stages > 20)
    throw Error(fmt::format("method '{}' takes {} to 20 stages (--stages S, or NAME:S in a list), found {}", info.name,
                            info.min_stages, stages));
}

// Matrices for the parts of a dae: those parts that contain algebraic variables must determine them.
void check_reactions(const UserTableau& user, const Model& model) {
  const auto check = [&](const std::vector<double>& reaction, const std::string& name) {
    if (user.weighted && !determines(user, reaction))
      throw Error(
          fmt::format("the tableau '{}' leaves the {} undetermined: the matrix [W {}; b^T] of its conditions on "
                      "the constraints is singular",
                      user.a.name, facts_of(model).primed ? "reactions" : "algebraic variables", name));
  };
  if (facts_of(model).lagrangian) return check(user.atilde.A, "Atilde");
  for (int k = 0; k < model.part_count; ++k)
    if (const auto at = static_cast<std::size_t>(k); depends_on(*model.graph, model.parts[at], kMultiplier))
      check(user.part(at), fmt::format("A{}", k + 1));
}

// A tableau of the user's in the place of a method.
Scheme take_tableau(const System& system, const Options& options, BoundMethod& out) {
  switch (system.model().kind) {
    case Kind::odae:
      throw Error("a tableau from a file is for mechanical systems and daes; for an odae there are the euler methods");
    case Kind::port_hamiltonian:
      throw Error(
          "a tableau from a file is for mechanical systems and daes; for a port-Hamiltonian system there are "
          "collocation-gauss and collocation-lobatto-iiic");
    case Kind::mechanical:
    case Kind::dae:
    case Kind::skew_gradient: break;
  }
  const UserTableau user = read_user_tableau(options.tableau);
  const bool asked = options.formulation == Formulation::index2 || options.formulation == Formulation::ggl;
  if (!system.model().holonomic_names.empty() && !asked)
    throw Error(
        "a tableau from a file keeps only the velocity level, so it takes holonomic constraints only with "
        "--formulation index2 (their positions then drift) or --formulation ggl");
  out.formulation = options.formulation.value();
  out.name = user.a.name;
  out.stages = user.a.stages;
  out.orders = {user.a.order, user.a.order, user.a.order};
  const int parts = system.facts().lagrangian ? 0 : std::max(system.model().part_count, 1);
  out.symmetric = is_symmetric(user, parts);
  out.tableau = TableauAudit{.variational = {}, .weights_ok = out.symmetric};
  std::string holds = out.symmetric ? "are symmetric" : "are not symmetric";
  if (parts == 0) {
    out.tableau->variational = is_variational(user);
    holds = fmt::format("{} variational (b_i a_ij + b_j ahat_ji = b_i b_j) and {}",
                        *out.tableau->variational ? "are" : "are not", holds);
  }
  out.notes.push_back(fmt::format("the coefficients of {} {}", out.name, holds));
  if (system.m() > 0 && !user.omega.empty())
    out.notes.push_back(
        fmt::format("order {} is what the conditions without constraints show. With weights omega of its own "
                    "for the constraints the order may be lower: --audit order measures it",
                    user.a.order));
  if (user.has_parts()) check_reactions(user, system.model());
  if (system.m() > 0 && !user.weighted && !ends_with_last_stage(user)) out.not_composed = kOffAtEnds;
  return user_scheme(user);
}

// What the method promises here, before its step is looked at.
void claim(const MethodEntry& entry, const System& system, const Options& options, BoundMethod& out) {
  const MethodInfo& info = entry.info;
  check_applies(entry, system.model(), options.formulation.value());
  check_stages(info, options.stages);
  out.name = info.name;
  if (entry.as<Baseline>() == nullptr) {
    out.formulation = options.formulation.value();
    if (out.formulation == Formulation::none && !info.formulations.empty()) out.formulation = info.formulations.front();
  }
  out.stages = options.stages;
  out.orders = info.orders_on(order_case(system, out.formulation), options.stages);
  if (system.m() > 0) limit_compositions(out, info, order_case(system, out.formulation));
  out.symmetric = info.symmetric == Claim::yes;
  out.adaptive = info.adaptive;
}

// Of Runge-Kutta schemes that are symmetric on some systems only.
bool symmetric_here(const System& system) {
  if (system.is_large()) return system.families().plain_momentum || system.m() == 0;
  if (const auto* const f = system.as<Mechanical>()) return f->plain_momentum || system.m() == 0;
  return system.dae().parts[2].empty() && system.dae().parts[3].empty();
}

// A method that is symmetric on some systems has order 1 on the others.
void note_lost_order(const MethodEntry& entry, const System& system, BoundMethod& out) {
  const MethodInfo& info = entry.info;
  if (out.symmetric || info.symmetric != Claim::conditional || !system.facts().lagrangian) return;
  const auto* const runge_kutta = entry.as<RungeKutta>();
  if (runge_kutta != nullptr && runge_kutta->uneven_multipliers && nonlinear_reactions(system.model()))
    throw does_not_apply(info, system.model(), kUnevenMultipliers);  // by inertia that was added
  out.orders = {1, 1, 1};
  out.notes.push_back(fmt::format("on this system {} has order 1 and is not symmetric: {}", info.name, info.note));
}

// Binds a method by its way in. A way without a function does not compile.
class Binder {
 public:
  Binder(const System& system, const Options& options, const Start& start)
      : system_(system), options_(options), start_(start) {}

  BoundMethod bind(const MethodEntry& entry) {
    entry_ = &entry;
    return std::visit(*this, entry.way);
  }

  BoundMethod bind_tableau() {
    const Scheme scheme = take_tableau(system_, options_, out_);
    PlanStepperData data = common_data();
    return finish(scheme, data);
  }

  BoundMethod operator()(const EulerScheme&) { return bind_overdetermined(*entry_, system_, options_, start_); }

  BoundMethod operator()(const Collocation&) { return bind_port_hamiltonian(*entry_, system_, options_); }

  BoundMethod operator()(Baseline which) {
    claim(*entry_, system_, options_, out_);
    if (options_.compose != 0)
      throw Error(fmt::format("method '{}' chooses its own steps and cannot be composed", out_.name));
    out_.stepper = make_baseline(which, system_, options_.rtol, options_.atol, options_.gain.value_or(kDefaultGain),
                                 options_.stop);
    return std::move(out_);
  }

  BoundMethod operator()(const RungeKutta& method) {
    PlanStepperData data = claimed_data();
    if (entry_->info.symmetric == Claim::conditional) out_.symmetric = symmetric_here(system_);
    note_lost_order(*entry_, system_, out_);
    const Scheme scheme = method.scheme(options_.stages);
    if (!scheme.groups[0].empty()) take_groups();
    return finish(scheme, data);
  }

  BoundMethod operator()(const EnergyMethod& method) {
    if (system_.as<PortHamiltonian>() != nullptr) return bind_port_hamiltonian(*entry_, system_, options_);
    PlanStepperData data = claimed_data();
    bind_energy(system_, method, options_, start_, data, out_);
    return finish(data);
  }

  BoundMethod operator()(const UnderlyingOde& method) {
    PlanStepperData data = claimed_data();
    const bool between = wants_dense(system_.model(), options_);
    Equations step = method.step(system_.mechanical(), between);
    const std::size_t estimates = 4 * static_cast<std::size_t>(system_.n());
    data.turn_free = step.turn_free;
    out_.embedded = options_.adaptive > 0.0;
    if (!out_.embedded)
      step.extra.erase(step.extra.begin(), step.extra.begin() + static_cast<std::ptrdiff_t>(estimates));
    if (between) out_.extension = out_.embedded ? estimates : 0;
    out_.records_by_extension = between && entry_->info.dense_order != nullptr;
    data.step = Plan(std::move(step));
    return finish(data);
  }

  BoundMethod operator()(const OwnEquations& method) {
    PlanStepperData data = claimed_data();
    const Mechanical& f = system_.mechanical();
    Equations step = method.step(f);
    data.turn_free = step.turn_free;
    step.extra.clear();
    data.step = Plan(std::move(step));
    if (method.first_step != nullptr) {
      data.first.emplace(method.first_step(f));
      data.two_step = out_.two_step = true;
      out_.symmetric = f.linear_constraints;
    } else {
      out_.symmetric = entry_->info.symmetric == Claim::conditional && f.separable;
    }
    note_lost_order(*entry_, system_, out_);
    return finish(data);
  }

 private:
  // Lobatto IIIC and IIIC* are each other's adjoint.
  void take_groups() {
    const std::vector<ForceGroup>& groups = system_.model().force_groups;
    if (groups.empty()) return;
    if (system_.is_large())
      throw does_not_apply(entry_->info, system_.model(),
                           "takes groups of forces in systems of single coordinates only");
    constexpr int kIIIC = 2, kIIICStar = 3;
    for (const ForceGroup& group : groups) {
      if (group.coefficients != kIIIC && group.coefficients != kIIICStar) continue;
      out_.symmetric = false;
      out_.notes.push_back(fmt::format("the forces '{}' have coefficients of Lobatto {}: the step is not symmetric",
                                       group.name, group.coefficients == kIIIC ? "IIIC" : "IIIC*"));
    }
  }

  PlanStepperData common_data() {
    PlanStepperData data = step_data(system_, options_);
    data.solve.simplified = options_.newton == Newton::simplified;
    data.multiplier_scale = scale_of_multipliers(system_, start_);
    return data;
  }

  PlanStepperData claimed_data() {
    claim(*entry_, system_, options_, out_);
    return common_data();
  }

  BoundMethod finish(const Scheme& scheme, PlanStepperData& data) {
    if (system_.holonomic() == 0) out_.formulation = Formulation::none;
    bind_runge_kutta(system_, scheme, options_, data, out_);
    return composed(data);
  }

  // Of steps that are no Runge-Kutta scheme.
  BoundMethod finish(PlanStepperData& data) {
    if (system_.holonomic() == 0) out_.formulation = Formulation::none;
    if (options_.multiplier == Multiplier::recursion) no_recursion(out_.name);
    return composed(data);
  }

  BoundMethod composed(PlanStepperData& data) {
    compose(out_, data, system_.model(), options_.compose);
    out_.stepper = std::make_unique<PlanStepper>(std::move(data));
    return std::move(out_);
  }

  const System& system_;
  const Options& options_;
  const Start& start_;
  const MethodEntry* entry_ = nullptr;
  BoundMethod out_;
};

}  // namespace

BoundMethod bind(const System& system, const Options& options, const Start& start) {
  if (system.redundancy()) return bind_redundant(system, options, start);
  check_newton(system, options);
  check_euler_options(options);
  Binder binder(system, options, start);
  return options.tableau.empty() ? binder.bind(find_entry(options.method)) : binder.bind_tableau();
}

}  // namespace rattleback
