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
  if (options.newton == Newton::best) return;
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

// A tableau of the user's in the place of a method.
Scheme take_tableau(const System& system, const Options& options, BoundMethod& out) {
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
  out.symmetric = is_symmetric(user.a) && is_symmetric(user.ahat) && is_symmetric(user.atilde);
  if (system.m() > 0 && !user.weighted && !ends_with_last_stage(user)) out.not_composed = kOffAtEnds;
  return user_scheme(user);
}

// What the method promises here, before its step is looked at.
void claim(const MethodEntry& entry, const System& system, const Options& options, BoundMethod& out) {
  const MethodInfo& info = entry.info;
  check_applies(entry, system.model(), options.formulation.value());
  check_stages(info, options.stages);
  out.name = info.name;
  if (entry.baseline == Baseline::none) {
    out.formulation = options.formulation.value();
    if (out.formulation == Formulation::none && !info.formulations.empty()) out.formulation = info.formulations.front();
  }
  out.stages = options.stages;
  out.orders = info.orders_on(order_case(system, out.formulation), options.stages);
  if (system.m() > 0) limit_compositions(out, info, order_case(system, out.formulation));
  out.symmetric = info.symmetric == Claim::yes;
  out.adaptive = info.adaptive;
}

void bind_baseline(const MethodEntry& entry, const System& system, const Options& options, BoundMethod& out) {
  if (options.compose != 0)
    throw Error(fmt::format("method '{}' chooses its own steps and cannot be composed", entry.info.name));
  out.stepper = make_baseline(entry.baseline, system, options.rtol, options.atol, options.gain.value_or(kDefaultGain),
                              options.stop);
}

void bind_explicit(const MethodEntry& entry, const System& system, const Options& options, PlanStepperData& data,
                   BoundMethod& out) {
  const bool between = wants_dense(options);
  Equations step = entry.explicit_step(system.mechanical(), between);
  const std::size_t estimates = 4 * static_cast<std::size_t>(system.n());
  data.turn_free = step.turn_free;
  out.embedded = options.adaptive > 0.0;
  if (!out.embedded) step.extra.erase(step.extra.begin(), step.extra.begin() + static_cast<std::ptrdiff_t>(estimates));
  if (between) out.extension = out.embedded ? estimates : 0;
  out.records_by_extension = between && entry.info.dense_order != nullptr;
  data.step = Plan(std::move(step));
}

// One-step and two-step methods that write their own equations.
void bind_step(const MethodEntry& entry, const System& system, PlanStepperData& data, BoundMethod& out) {
  Equations step = entry.step(system.mechanical());
  data.turn_free = step.turn_free;
  step.extra.clear();
  data.step = Plan(std::move(step));
  if (entry.first_step != nullptr) {
    data.first.emplace(entry.first_step(system.mechanical()));
    data.two_step = out.two_step = true;
    out.symmetric = system.mechanical().linear_constraints;
  } else {
    out.symmetric = entry.info.symmetric == Claim::conditional && system.mechanical().separable;
  }
}

// Of Runge-Kutta schemes that are symmetric on some systems only.
bool symmetric_here(const System& system) {
  if (system.is_large()) return system.families().plain_momentum || system.m() == 0;
  if (system.is_mechanical()) return system.mechanical().plain_momentum || system.m() == 0;
  return system.dae().parts[2].empty() && system.dae().parts[3].empty();
}

// A method that is symmetric on some systems has order 1 on the others.
void note_lost_order(const MethodEntry& entry, const System& system, BoundMethod& out) {
  const MethodInfo& info = entry.info;
  if (out.symmetric || info.symmetric != Claim::conditional || !system.is_mechanical()) return;
  if (entry.uneven_multipliers && nonlinear_reactions(system.model()))  // inertia that was added
    throw does_not_apply(info, system.model(), kUnevenMultipliers);
  out.orders = {1, 1, 1};
  out.notes.push_back(fmt::format("on this system {} has order 1 and is not symmetric: {}", info.name, info.note));
}

}  // namespace

BoundMethod bind(const System& system, const Options& options, const Start& start) {
  if (system.redundancy()) return bind_redundant(system, options, start);
  check_newton(system, options);
  const MethodEntry* const entry = options.method.empty() ? nullptr : &find_entry(options.method);
  if (system.is_odae() || (entry != nullptr && entry->overdetermined))
    return bind_overdetermined(system, options, start);
  if (system.is_port_hamiltonian() || (entry != nullptr && entry->collocation != nullptr))
    return bind_port_hamiltonian(system, options, start);
  BoundMethod out;
  PlanStepperData data = step_data(system, options);
  data.solve.simplified = options.newton == Newton::simplified;
  data.multiplier_scale = scale_of_multipliers(system, start);

  Scheme scheme;
  if (!options.tableau.empty()) {
    scheme = take_tableau(system, options, out);
  } else {
    const MethodEntry& method = find_entry(options.method);
    claim(method, system, options, out);
    if (method.baseline != Baseline::none) {
      bind_baseline(method, system, options, out);
      return out;
    }
    if (method.scheme != nullptr) {
      scheme = method.scheme(options.stages);
      if (method.info.symmetric == Claim::conditional) out.symmetric = symmetric_here(system);
    } else if (method.energy) {
      bind_energy(system, *method.energy, options, start, data, out);
    } else if (method.explicit_step != nullptr) {
      bind_explicit(method, system, options, data, out);
    } else {
      bind_step(method, system, data, out);
    }
    note_lost_order(method, system, out);
  }
  if (system.holonomic() == 0) out.formulation = Formulation::none;
  if (scheme.stages > 0)
    bind_runge_kutta(system, scheme, options, data, out);
  else if (options.multiplier == Multiplier::recursion)
    no_recursion(out.name);
  compose(out, data, system.model(), options.compose);
  out.stepper = std::make_unique<PlanStepper>(std::move(data));
  return out;
}

}  // namespace rattleback
