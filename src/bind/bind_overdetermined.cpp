#include "bind/bind_overdetermined.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bind/applies.hpp"
#include "bind/binding.hpp"
#include "bind/contact_stepper.hpp"
#include "model/inputs.hpp"
#include "tableau/compositions.hpp"

namespace rattleback {

std::string why_not_overdetermined(const Model& mechanical) {
  if (!mechanical.nonholonomic_names.empty())
    return fmt::format("takes constraints at position level, and '{}' is nonholonomic",
                       mechanical.nonholonomic_names[0]);
  return mechanical.holonomic_names.empty() ? "needs holonomic constraints" : "";
}

std::unique_ptr<PlanStepper> euler_stepper(const Overdetermined& system, const EulerPlan& plan,
                                           std::unique_ptr<Acceleration> level) {
  const bool free = system.m == 0;
  PlanStepperData data{
      .step = Plan(free ? overdetermined_flight_step(system) : overdetermined_euler_step(system, plan.scheme)),
      .first = {},
      .adjoint = {},
      .backwards = {},
      .acceleration = std::move(level),
      .solve = plan.solve};
  data.n = system.ny;
  data.angles = plan.angles;
  data.velocities = system.nz;
  data.m = system.m;
  data.multiplier_scale = plan.multiplier_scale;
  if (plan.scheme.own != EulerScheme::Own::none) {
    data.carried = data.m;
    data.reports_carried = true;
  }
  if (!free) data.branch = std::make_unique<BranchedMultipliers>(system, plan.scheme);
  if (!free && plan.compose != 0) {
    // Phi_{gamma h/2} o Phi*_{gamma h/2} is symmetric and of order 2 for any Phi of order 1; the rest is the composition
    // of symmetric steps.                                                                     [HLW2006, eq. II.4.6]
    EulerScheme adjoint = plan.scheme;
    adjoint.adjoint = true;
    data.adjoint.emplace(overdetermined_euler_step(system, adjoint));
    data.gamma.clear();
    for (const double gamma : composition(plan.compose).gamma) {
      data.gamma.insert(data.gamma.end(), {0.5 * gamma, 0.5 * gamma});
      data.backwards.insert(data.backwards.end(), {1, 0});
    }
  }
  return std::make_unique<PlanStepper>(std::move(data));
}

namespace {

// Size of a multiplier in units of velocity/h, a function of the start and of parameters: of p_z over r_psi.
auto multiplier_scale(const Overdetermined& o) {
  Graph g = o.graph;
  const auto largest = [&](const std::vector<NodeId>& functions, Space space) {
    std::vector<NodeId> entries;
    for (const NodeId e : functions)
      for (const Entry& d : gradient(g, e, space)) entries.push_back(d.expr);
    return [value = Evaluator(g, entries, std::max(o.ny, o.nz), o.m)](const Start& start,
                                                                      std::span<const double> parameters) mutable {
      value.set_parameters(parameters);
      double size = 0.0;
      for (const double x : value(start.t, start.q, start.v, start.multipliers))
        if (std::isfinite(x)) size = std::fmax(size, std::fabs(x));
      return size;
    };
  };
  return [has_mass = !o.p.empty(), mass = largest(o.p, kVelocity), reaction = largest(o.r, kMultiplier)](
             const Start& start, std::span<const double> parameters) mutable {
    const double above = has_mass ? mass(start, parameters) : 1.0, below = reaction(start, parameters);
    return above > 0.0 && below > 0.0 ? above / below : 1.0;
  };
}

void check_alpha(const MethodInfo& info, const EulerScheme& scheme) {
  if (scheme.alpha == 0.0)
    throw Error(
        fmt::format("--alpha 0: method '{}' reaches the position constraint through h alpha r(Psi_0) and divides by "
                    "alpha. Any other "
                    "value will do{}",
                    info.name, scheme.natural ? ", except 1" : ""));
  if (scheme.natural && scheme.alpha == 1.0)
    throw Error(
        fmt::format("--alpha 1: method '{}' reaches the velocity constraint through h (1 - alpha) r(Psi_1) and divides "
                    "by 1 - alpha. "
                    "Any other value will do, except 0",
                    info.name));
}

EulerScheme::Own own_multipliers(const Options& options, const Model& model, const MethodInfo& info) {
  switch (options.multiplier.value()) {
    case Multiplier::acceleration:
    case Multiplier::stage: return EulerScheme::Own::none;  // ReportedState refuses the second
    case Multiplier::recursion: no_recursion(std::string(info.name));
    case Multiplier::sum:
    case Multiplier::last: break;
  }
  if (!model.odae.unilateral.empty())
    throw Error(
        fmt::format("--multiplier {}: '{}' has unilateral constraints, whose multipliers are those of the "
                    "acceleration level. Leave it out",
                    options.multiplier.text(), model.key));
  return options.multiplier == Multiplier::sum ? EulerScheme::Own::sum : EulerScheme::Own::last;
}

}  // namespace

BoundMethod bind_overdetermined(const MethodEntry& entry, const System& system, const Options& options,
                                const Start& start) {
  const Model& model = system.model();
  const MethodInfo& info = entry.info;
  check_applies(entry, model, options.formulation.value());
  if (options.formulation.given())
    throw Error(
        fmt::format("method '{}' keeps both levels of the constraints by itself; leave --formulation out", info.name));
  EulerPlan plan{.scheme = std::get<EulerScheme>(entry.way), .compose = options.compose, .solve = {}};
  plan.scheme.alpha = options.alpha;
  plan.scheme.reaction = options.reaction.value();
  plan.scheme.own = own_multipliers(options, model, info);
  plan.solve.tolerance = options.newton_tol;
  plan.solve.cautious = true;
  check_alpha(info, plan.scheme);

  const auto* const own = system.as<Overdetermined>();
  const Overdetermined o = own != nullptr ? *own : Overdetermined(system.mechanical());
  plan.angles = model.angles;
  BoundMethod out;
  out.multiplier_scale = multiplier_scale(o);
  plan.multiplier_scale = out.multiplier_scale(start, given_values(model));
  out.name = info.name;
  out.stages = 1;
  out.orders = {1, 1, 1};
  const bool inconsistent = plan.scheme.natural && !o.affine();
  if (inconsistent) {
    out.orders = {};
    if (options.compose != 0)
      throw Error(
          fmt::format("--compose: '{}' is inconsistent on '{}', where the reaction is nonlinear in the multipliers "
                      "(Jay and Simeon, theorem 3.1), and no composition mends that. Use --method {}",
                      info.name, model.key, plan.scheme.conjugate ? "euler-conjugate-true" : "euler-true"));
    out.notes.push_back(
        fmt::format("WARNING: the reaction is nonlinear in the multipliers, so {} is inconsistent and does not "
                    "converge (Jay and Simeon, theorem 3.1). Use --method {}",
                    info.name, plan.scheme.conjugate ? "euler-conjugate-true" : "euler-true"));
  }
  if (options.compose != 0) {
    out.orders = {options.compose, options.compose, options.compose};
    out.symmetric = true;
  }
  if (plan.scheme.own != EulerScheme::Own::none)  // alpha Psi_0 + (1 - alpha) Psi_1 is consistent, Psi_1 alone is not
    out.orders.multipliers =
        plan.scheme.natural && plan.scheme.own == EulerScheme::Own::last ? 0 : std::min(out.orders.q, 1);
  out.contacts = !model.odae.unilateral.empty();
  if (out.contacts)
    out.stepper = std::make_unique<ContactStepper>(o, model.odae, plan);
  else
    out.stepper = euler_stepper(o, plan, system.acceleration());
  return out;
}

std::string multiplier_force_note(const System& system, const std::string& method, Formulation formulation) {
  if (!nonlinear_reactions(system.model())) return "";
  if (system.holonomic() == 0 || formulation == Formulation::index2)
    return fmt::format(
        "the forces are nonlinear in the multipliers. {} takes the constraints at velocity level, where its stage "
        "multipliers are consistent: it has its usual order, as on any system of index 2",
        method);
  return fmt::format(
      "the forces are nonlinear in the multipliers. {} takes the constraints at position level with several "
      "multipliers in a "
      "step, which are consistent there: it has its usual order (measured with 2 to 4 stages)",
      method);
}

}  // namespace rattleback
