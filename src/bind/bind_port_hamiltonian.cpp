#include "bind/bind_port_hamiltonian.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bind/applies.hpp"
#include "bind/binding.hpp"
#include "method/port_hamiltonian/port_hamiltonian_collocation.hpp"
#include "system/port_hamiltonian/derived_port_hamiltonian.hpp"
#include "system/port_hamiltonian/port_hamiltonian_start.hpp"

namespace rattleback {

namespace {

bool is_index_two(PortHamiltonian f) { return !algebraic_part(f).constraining.empty(); }

}  // namespace

BoundMethod bind_port_hamiltonian(const MethodEntry& entry, const System& system, const Options& options) {
  const Model& model = system.model();
  const MethodInfo& info = entry.info;
  check_applies(entry, model, options.formulation.value());
  if (options.stages < info.min_stages || options.stages > 20)
    throw Error(fmt::format("method '{}' takes {} to 20 stages, found {}", info.name, info.min_stages, options.stages));
  if (options.multiplier == Multiplier::recursion) no_recursion(std::string(info.name));

  BoundMethod out;
  out.name = info.name;
  out.stages = options.stages;
  out.symmetric = info.symmetric == Claim::yes;
  if (system.holonomic() > 0) {
    out.formulation = Formulation::index2;
    out.notes.push_back(fmt::format(
        "{} works on the port-Hamiltonian form, where holonomic constraints enter at velocity level", out.name));
  }
  PlanStepperData data = step_data(system, options);
  const auto* const collocation = entry.as<Collocation>();
  data.turn_free = collocation != nullptr;  // the unknowns are rates, and algebraic variables
  std::optional<DerivedStates> derived;
  const auto* const own = system.as<PortHamiltonian>();
  if (own == nullptr) derived = {system.n(), system.m()};
  const PortHamiltonian f = derived ? port_hamiltonian_form(model, system.mechanical()) : *own;
  const bool index_two = is_index_two(f);
  const OrderCase on = derived     ? order_case(system, out.formulation)
                       : index_two ? OrderCase::dae
                                   : OrderCase::unconstrained;
  out.orders = info.orders_on(on, options.stages);
  const std::vector<char> algebraic = f.algebraic_states();
  const bool any_algebraic = std::find(algebraic.begin(), algebraic.end(), 1) != algebraic.end();
  // Algebraic states are reported as the state demands them; a method's own have lower orders, which are not claimed.
  if (!derived && (!any_algebraic || options.multiplier == Multiplier::stage)) out.orders.multipliers = 0;
  if (index_two && collocation == nullptr) out.not_composed = kOffAtEnds;
  if (index_two) limit_compositions(out, info, on);
  Equations step;
  if (collocation != nullptr) {
    const Tableau tableau = collocation->tableau(options.stages);
    step = collocation_step(f, tableau, derived);
    if (options.compose == 0 && out.order() < info.order(options.stages))
      out.notes.push_back(
          fmt::format("on systems of index 2 {} imposes the algebraic equations at its stages only: order {}", out.name,
                      out.order()));
    const bool dense = wants_dense(model, options) && options.compose == 0;
    if (dense) out.stage = stage_layout(tableau);
    if (!dense) step.extra.clear();
  } else {
    step = std::get<EnergyMethod>(entry.way).port_hamiltonian_step(f);
  }
  data.step = Plan(std::move(step));
  compose(out, data, model, options.compose);
  out.stepper = std::make_unique<PlanStepper>(std::move(data));
  return out;
}

}  // namespace rattleback
