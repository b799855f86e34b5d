// What can be said about a model without integrating it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "audit/check_families.hpp"
#include "audit/check_symmetries.hpp"
#include "audit/derivative_check.hpp"
#include "audit/forms.hpp"
#include "audit/integrability.hpp"
#include "bind/applies.hpp"
#include "bind/bind.hpp"
#include "bind/redundant_stepper.hpp"
#include "model/kind_facts.hpp"
#include "model/usable.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "system/port_hamiltonian/port_hamiltonian_start.hpp"
#include "system/start/start.hpp"
#include "text/words.hpp"

namespace rattleback {
namespace {

constexpr double kDerivativeTolerance = 1e-6;

// Why constraints that have no direction stop every method, and what to do; "" when all have one.
std::string dead_constraints(CheckReport& out) {
  const auto several = [](const std::vector<std::string>& names) {
    return names.size() > 1 ? fmt::format("' and {} more", names.size() - 1) : std::string("'");
  };
  if (!out.vanishing.empty()) {
    out.notes.emplace_back(
        "a constraint whose gradient is zero has no reaction that could hold it (a rod of length 0, for example). "
        "Start elsewhere, or write it in a form whose gradient is not zero: x = 0 and y = 0 instead of x^2 + y^2 = 0");
    return "needs constraints that can act: the gradient of '" + out.vanishing.front() + several(out.vanishing) +
           " vanishes at the start";
  }
  if (out.not_finite.empty()) return "";
  out.notes.emplace_back(
      "a constraint whose gradient is not finite has no reaction (the root of 0 in a rod of length 0, for example). "
      "Start elsewhere, or write the constraint without roots");
  return "needs constraints that can act: the gradient of '" + out.not_finite.front() + several(out.not_finite) +
         " is not finite at the start";
}

// What else stops every method.
std::string obstacle_at_start(const System& system, const StartAnalysis& a) {
  if (!a.redundant.empty())
    return "needs independent constraints: '" + a.redundant.front() + "' depends on the others at the start";
  if (!a.saddle_regular && !a.without_inertia.empty())
    return fmt::format("needs inertia in {}. Add {}", fmt::join(a.without_inertia, ", "),
                       a.without_inertia.size() == 1 ? "a kinetic term for it, or remove the coordinate"
                                                     : "kinetic terms for them, or remove these coordinates");
  if (!a.nearly_dependent.empty()) return "needs independent constraints: " + nearly_dependent_text(a);
  if (!a.saddle_regular) return system.facts().regular;
  if (!a.pulling.empty())
    return "needs a multiplier that pushes: psi of '" + a.pulling.front() + "' pulls towards the constraint";
  if (!a.negative_inertia.empty() && system.model().kinetic)
    return "needs a positive kinetic energy on the motions that the constraints allow";
  return "";
}

// The mass matrix is constant and singular. Forces may determine what inertia does not, and some Runge-Kutta methods can take
// that: a step shows whether their matrix is regular. obstacle: what else is wrong without inertia; "" where the
// constraints stand in for it.
std::string why_not_massless(const System& system, const MethodEntry& entry, const std::string& obstacle) try {
  constexpr double kStep = 1e-3;
  if (entry.as<RungeKutta>() == nullptr && entry.as<Collocation>() == nullptr) return obstacle;
  const Model& model = system.model();
  Options options;
  options.method = entry.info.name;
  options.stages = entry.info.default_stages;
  options.step = kStep;
  Start start;
  start.t = model.t0;
  start.q = model.q0;
  start.v = model.v0;
  start.multipliers.assign(static_cast<std::size_t>(system.m()), 0.0);
  start.acceleration.assign(model.q0.size(), 0.0);
  const BoundMethod method = bind(system, options, start);
  if (obstacle.empty()) return "";
  method.stepper->start(start.t, start.q, start.v, start.multipliers, start.acceleration);
  return method.stepper->advance(kStep, 1).ok ? "" : obstacle;
} catch (const Error&) {
  return obstacle.empty() ? "cannot take a mass of exactly 0" : obstacle;
}

// without_mass: a system whose mass matrix is constant and singular, when nothing else stops every method.
void check_methods(const Model& model, CheckReport& out, const std::string& obstacle,
                   const System* without_mass = nullptr) {
  out.obstacle = obstacle;
  for (const MethodEntry& entry : registry()) {
    MethodCheck c;
    c.name = entry.info.name;
    c.reason = why_not(entry, model, Formulation::none);
    if (c.reason.empty())
      c.reason = without_mass != nullptr ? why_not_massless(*without_mass, entry, obstacle) : obstacle;
    c.applies = c.reason.empty();
    out.methods.push_back(std::move(c));
  }
  if (std::ranges::any_of(out.methods, &MethodCheck::applies)) out.obstacle.clear();
}

// Constraints that follow from the others only where these hold: not for methods that let positions drift.
void refuse_drift(CheckReport& out, const std::vector<std::string>& names) {
  if (names.empty()) return;
  for (MethodCheck& c : out.methods) {
    const MethodInfo& info = find_method(c.name);
    const Formulation formulation = info.formulations.empty() ? Formulation::none : info.formulations.front();
    if (!c.applies || !lets_positions_drift(info, formulation)) continue;
    c.applies = false;
    c.reason = fmt::format("lets positions drift off the constraints, where '{}' does not follow from the others",
                           names.front());
  }
}

void add_overdetermined_constraints(const Model& model, CheckReport& out, const StartAnalysis& a) {
  const std::size_t m = a.active.size();
  for (std::size_t i = 0; i < m; ++i) {
    ConstraintCheck c{a.residuals[i].name, true, false, true, a.residuals[i].value};
    c.start_residual_velocity = a.residuals[m + i].value;
    const auto& one_sided = model.odae.unilateral;
    c.unilateral = std::find(one_sided.begin(), one_sided.end(), static_cast<std::int32_t>(i)) != one_sided.end();
    c.acts = a.active[i] != 0;
    out.constraints.push_back(std::move(c));
  }
}

void add_mechanical_constraints(const Mechanical& f, const Model& model, CheckReport& out, const StartAnalysis& a) {
  const Integrability integrable = integrability(f, model.q0);
  for (std::int32_t i = 0; i < f.m; ++i) {
    ConstraintCheck c;
    c.name = model.multiplier_name(i);
    c.holonomic = i < f.holonomic;
    c.linear = !depends_on(f.graph, f.K[static_cast<std::size_t>(i)], kVelocity);
    c.integrable = c.holonomic || integrable.alone[static_cast<std::size_t>(i)];
    for (const ConstraintResidual& r : a.residuals)
      if (r.name == c.name) (r.position || !c.holonomic ? c.start_residual : c.start_residual_velocity) = r.value;
    out.constraints.push_back(std::move(c));
  }
  out.integrable_together = f.m > 0 && integrable.together;
}

void add_constraints(const System& system, CheckReport& out, const StartAnalysis& a) {
  switch (system.model().kind) {
    case Kind::mechanical: return add_mechanical_constraints(system.mechanical(), system.model(), out, a);
    case Kind::odae: return add_overdetermined_constraints(system.model(), out, a);
    case Kind::dae:
    case Kind::skew_gradient:
    case Kind::port_hamiltonian:
      for (const ConstraintResidual& r : a.residuals) out.constraints.push_back({r.name, true, false, true, r.value});
      return;
  }
}

// Of a port-Hamiltonian system: how its algebraic states are determined.
void describe_algebraic_states(const System& system, CheckReport& out) {
  const auto* const own = system.as<PortHamiltonian>();
  if (own == nullptr) return;
  PortHamiltonian f = *own;
  const AlgebraicPart part = algebraic_part(f);
  out.index = !part.constraining.empty() ? 2 : !part.determining.empty() ? 1 : 0;
}

// Why no method takes a model that could not be made ready in single coordinates; "" when some do.
std::string obstacle_of_families(const Model& model, const std::optional<System>& system, const std::string& refused,
                                 CheckReport& out) {
  std::string dead = dead_constraints(out);
  if (!dead.empty()) return dead;
  if (!system || !takes_families(model, {.method = "spark-gauss"}))
    return "works on single coordinates here, and a family of this model is too large for that" +
           (refused.empty() ? "" : ": " + refused);
  if (const std::int32_t m = model.multiplier_count(); out.rank < m)
    return "needs independent constraints: their rank is " + std::to_string(out.rank) + " of " + std::to_string(m) +
           " at the start";
  return "";
}

void describe_start(const System& system, const StartAnalysis& a, CheckReport& out) {
  describe_algebraic_states(system, out);
  out.rank = a.rank;
  out.vanishing = a.vanishing;
  out.not_finite = a.not_finite;
  for (const std::string& name : a.redundant)
    if (std::ranges::find(a.vanishing, name) == a.vanishing.end() &&
        std::ranges::find(a.not_finite, name) == a.not_finite.end())
      out.redundant.push_back(name);
  out.degrees_of_freedom = out.coordinates - a.rank;
  out.saddle_regular = a.saddle_regular;
  out.mass_positive_definite = a.mass_positive_definite;
  out.mass_constant = !system.facts().lagrangian || system.mechanical().mass.has_value();
  out.consistent = a.consistent;
  add_constraints(system, out, a);
}

// The consistent state at or near the start.
struct Nearest {
  std::vector<double> q, v;
  bool nowhere = false;  // there is none
};

Nearest nearest_state(const System& system, const StartAnalysis& a, CheckReport& out) {
  const Model& model = system.model();
  Nearest at{.q = model.q0, .v = model.v0};
  if (a.consistent) return at;
  if (const Projected projected = project_start(system, at.q, at.v); projected) {
    out.nearest_q = at.q;
    out.nearest_v = at.v;
    return at;
  } else if (a.vanishing.empty() && a.not_finite.empty()) {
    out.notes.push_back("no consistent start was found near the given one: " + projected.why);
  }
  return {.q = model.q0, .v = model.v0, .nowhere = true};  // where a projection that failed has stopped means nothing
}

// At the consistent state. known: also of constraints that depend on one another.
void find_multipliers(const System& system, const StartAnalysis& a, const Nearest& at, bool known, CheckReport& out) {
  const Model& model = system.model();
  if (const auto* const o = system.as<Overdetermined>(); o != nullptr && a.redundant.empty() && a.saddle_regular) {
    const StartAnalysis there = out.nearest_q.empty() ? a : analyse_start(system, at.q, at.v, model.z0);
    if (const ContactStart c = odae_multipliers(system, there, at.q, at.v); c.solved) {
      out.multipliers = c.psi;
      for (std::size_t i = 0; i < c.active.size(); ++i) out.constraints[i].acts = c.active[i] != 0;
    }
    if (!o->affine())
      out.notes.push_back(
          "the reaction is nonlinear in the multipliers: the natural euler methods are inconsistent here (Jay and "
          "Simeon, theorem 3.1)");
  } else if (known || (a.redundant.empty() && a.saddle_regular)) {
    const auto acceleration = system.acceleration();
    std::vector<double> guess = model.z0;
    guess.resize(static_cast<std::size_t>(model.multiplier_count()), 0.0);
    if (solve_from(*acceleration, 0.0, at.q, at.v, guess))
      out.multipliers.assign(acceleration->multipliers().begin(), acceleration->multipliers().end());
  }
}

// What --redundant minimum-norm does with constraints that depend on one another.
std::string note_on_redundant(const CheckReport& out, bool nowhere, const ConstraintResidual* contradiction) {
  if (contradiction != nullptr) return contradiction_text(*contradiction);
  const bool one = out.redundant.size() == 1;
  if (nowhere)
    return fmt::format(
        "'{}' {} on the other constraints at the start, and no state near it satisfies all of them: `--redundant "
        "minimum-norm` does not run this system from there",
        fmt::join(out.redundant, "', '"), one ? "depends" : "depend");
  if (out.multipliers.empty())
    return fmt::format(
        "'{}' {} on the other constraints at the start only: accelerations that keep the others do not keep {} there. "
        "`--redundant minimum-norm` stops there with most methods, and names what is not kept. Start a little beside "
        "it",
        fmt::join(out.redundant, "', '"), one ? "depends" : "depend", one ? "it" : "all of these");
  return fmt::format(
      "{} from the other constraints. `--redundant minimum-norm` runs this system: in each step it integrates a subset "
      "of full rank and checks all constraints, and it reports the multipliers of least norm. Without it the system is "
      "refused",
      one ? "'" + out.redundant.front() + "' follows" : fmt::format("'{}' follow", fmt::join(out.redundant, "', '")));
}

// In single coordinates.
void check_start(const System& system, CheckReport& out) {
  const Model& model = system.model();
  const StartAnalysis a = analyse_start(system, model.q0, model.v0, model.z0);
  describe_start(system, a, out);
  const Nearest at = nearest_state(system, a, out);
  // What --redundant minimum-norm integrates at the start.
  std::shared_ptr<Redundancy> rows;
  int set = -1;
  if (system.facts().redundant && !a.redundant.empty() && a.vanishing.empty() && a.not_finite.empty() &&
      !system.multiplier_forces()) {
    rows = std::make_shared<Redundancy>(system, at.q, at.v);
    set = rows->number_of(rows->choose());
    system.set_redundancy(rows);
  }
  find_multipliers(system, a, at, rows != nullptr, out);
  const ConstraintResidual* const contradiction = at.nowhere ? worst_of_dependent(a) : nullptr;
  if (rows) out.notes.push_back(note_on_redundant(out, at.nowhere, contradiction));
  for (std::string& note : inertia_notes(system, a)) out.notes.push_back(std::move(note));
  if (!rows) {
    const std::string dead = dead_constraints(out);
    check_methods(model, out, dead.empty() ? obstacle_at_start(system, a) : dead,
                  massless(system) && dead.empty() && a.redundant.empty() ? &system : nullptr);
  } else if (at.nowhere) {
    check_methods(model, out,
                  contradiction != nullptr
                      ? "needs constraints that can all hold: '" + contradiction->name + "' contradicts the others"
                      : "needs a consistent start: none was found near the given one");
  } else {
    const System& part = *rows->subset(set).system;
    check_methods(model, out, obstacle_at_start(part, analyse_start(part, at.q, at.v)),
                  massless(part) ? &part : nullptr);
    (void)rows->look(0.0, at.q, at.v);
    refuse_drift(out, rows->only_on_constraints(set));
  }
}

}  // namespace

namespace {

CheckReport checked(const Model& model, Form form) {
  CheckReport out;
  out.coordinates = usable(model).coordinates.size();
  out.index = model.multiplier_count() == 0 ? 0 : (!model.holonomic_names.empty() ? 3 : 2);
  const DerivativeComparison derivatives = compare_derivatives(model);
  out.derivative_error = derivatives.error;
  out.derivatives_undetermined = derivatives.decided == 0 && derivatives.undecided > 0;
  out.derivatives_ok = out.derivative_error <= kDerivativeTolerance;

  std::optional<System> system;
  std::string refused;
  try {
    system.emplace(model);
  } catch (const Error& reason) {
    refused = reason.what();
    if (form != Form::none) throw;
  }
  if (form != Form::none) add_form(*system, form, out);
  check_symmetries(model, system ? &*system : nullptr, out);
  if (system && !system->has_families()) {
    check_start(*system, out);
    return out;
  }
  if (model.kind != Kind::odae) check_families(model, system ? &*system : nullptr, out);
  out.degrees_of_freedom = out.coordinates - out.rank;
  check_methods(model, out, obstacle_of_families(model, system, refused, out));
  return out;
}

}  // namespace

CheckReport check(const Model& model, Form form) {
  CheckReport out = checked(model, form);
  for (std::string& note : out.notes) note = in_words(std::move(note));
  for (MethodCheck& method : out.methods) method.reason = in_words(std::move(method.reason));
  out.obstacle = in_words(std::move(out.obstacle));
  return out;
}

}  // namespace rattleback
