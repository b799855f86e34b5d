#include "bind/bind_runge_kutta.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bind/applies.hpp"
#include "bind/bind_overdetermined.hpp"
#include "bind/binding.hpp"
#include "linalg/decompositions.hpp"
#include "method/runge_kutta/family_step.hpp"
#include "method/runge_kutta/runge_kutta.hpp"

namespace rattleback {
namespace {

// The coordinates whose rows of a constant mass matrix are 0, for messages.
std::string without_inertia(const System& system) {
  std::vector<std::string> names;
  if (!system.is_large()) {
    const Mechanical& f = system.mechanical();
    const std::vector<NodeId>& mass = *f.mass;
    const auto n = static_cast<std::size_t>(system.n());
    for (std::size_t i = 0; i < n; ++i)
      if (std::all_of(&mass[i * n], &mass[i * n] + n, [&](NodeId e) { return f.graph.is_constant(e, 0.0); }))
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

void check_massless(const System& system, const Scheme& scheme, const std::string& method) {
  if (!massless(system) || takes_massless(scheme)) return;
  throw Error(
      fmt::format("'{}' has a mass of exactly 0 (no inertia in {}), which '{}' cannot take: its matrix is singular. "
                  "If that was not meant, add a kinetic term for it. prk-murua, spark-gauss, srk-gauss and "
                  "rk-radau-iia can take it where forces determine the motion; or use a small mass",
                  system.model().key, without_inertia(system), method));
}

// In single coordinates.
void set_step(const System& system, const Scheme& scheme, const StepForm& form, const Options& options,
              PlanStepperData& data, BoundMethod& out) {
  const auto* const mechanical = system.as<Mechanical>();
  Equations step =
      mechanical != nullptr ? runge_kutta_step(*mechanical, scheme, form) : runge_kutta_step(system.dae(), scheme);
  const bool dense = wants_dense(system.model(), options) && options.compose == 0;
  if (dense) out.stage = stage_layout(scheme, mechanical != nullptr);
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
                    without_inertia(system), system.model().key));
  }
}

}  // namespace

void bind_runge_kutta(const System& system, const Scheme& scheme, const Options& options, PlanStepperData& data,
                      BoundMethod& out) {
  const bool velocity_level = out.formulation == Formulation::none;
  StepForm form{.formulation = velocity_level ? Formulation::index2 : out.formulation, .recursion = false};
  if (options.multiplier == Multiplier::recursion) {
    if (scheme.recursion.empty() || !system.facts().lagrangian) no_recursion(out.name);
    form.recursion = data.reports_carried = true;
    out.orders.multipliers = 0;  // not claimed: of a recursion that never forgets
    data.carried = data.m;
  }
  form.power = options.audit_power;
  if (form.power) form.damping = system.model().ph.R;
  if (system.as<Mechanical>() != nullptr) {
    for (const Symmetry& symmetry : system.watched_momenta()) form.momenta.push_back(symmetry.field);
    out.tells_momenta = !form.momenta.empty();
  }
  check_massless(system, scheme, out.name);
  if (system.is_large()) {  // without stage values for dense output: it interpolates between the steps
    data.nominal_step = options.step;
    data.turn_free = form.formulation != Formulation::ggl;
    data.step = Plan(runge_kutta_step(system.families(), scheme, form));
  } else {
    set_step(system, scheme, form, options, data, out);
  }
  if (scheme.carries_multiplier)
    data.carried = data.m + (form.formulation == Formulation::ggl ? system.holonomic() : 0);
  if (const std::string note = multiplier_force_note(system, out.name, options.formulation.value()); !note.empty())
    out.notes.push_back(note);
}

}  // namespace rattleback
