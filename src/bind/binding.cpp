#include "bind/binding.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bind/applies.hpp"
#include "tableau/compositions.hpp"

namespace rattleback {

Error does_not_apply(const MethodInfo& info, const Model& model, const std::string& reason) {
  return Error(fmt::format("method '{}' does not apply to '{}': it {}. `{}` lists the methods that do", info.name,
                           model.key, reason, check_command(model)));
}

void check_applies(const MethodEntry& method, const Model& model, Formulation formulation) {
  if (const std::string reason = why_not(method, model, formulation); !reason.empty())
    throw does_not_apply(method.info, model, reason);
}

void no_recursion(const std::string& method) {
  throw Error(fmt::format("--multiplier recursion is for prk-murua, which has one; '{}' has not", method));
}

bool wants_events(const Model& model, const Options& options) {
  return !options.event.empty() || !options.until_event.empty() || !model.events.empty();
}
bool wants_dense(const Model& model, const Options& options) {
  return options.output_every != 0.0 || wants_events(model, options);
}

PlanStepperData step_data(const System& system, const Options& options) {
  PlanStepperData data{.step = Plan(Equations{}), .first = {}, .acceleration = system.acceleration(), .solve = {}};
  data.acceleration->set_refine(false);
  data.n = system.n();
  data.m = system.m();
  data.velocities = system.nv();
  data.angles = system.model().angles;
  data.solve.tolerance = options.newton_tol;
  data.graded_mass = system.graded_mass();
  return data;
}

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

}  // namespace rattleback
