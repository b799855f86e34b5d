#include "run/parts.hpp"

#include <cmath>

#include "model/kind_facts.hpp"
#include "run/complete.hpp"

namespace rattleback {
namespace {

// Numbers in one record.
std::int64_t record_width(const Model& model, const Options& o) {
  const std::int64_t n = model.coordinates.size(), m = o.record_multipliers ? model.multiplier_count() : 0;
  return o.keep_records ? 4 + (facts_of(model).primed ? 2 * n : n) + m : 0;
}

Start start_of(System& system, const Options& options) {
  if (options.redundant == Redundant::minimum_norm) system.allow_redundant();
  return consistent_start(system, options.project);
}

}  // namespace

RunParts::RunParts(const Model& model, const Options& given)
    : options(complete(model, given)),
      grid(options, record_width(model, options)),
      system(model),
      start(start_of(system, options)),
      reported(system, options),
      method(bind(system, options, start)) {
  if (options.audit_power && stepper().power() == nullptr)
    throw Error(
        fmt::format("--audit power adds up the work at the stages of Runge-Kutta methods on mechanical systems; '{}' "
                    "cannot tell it on this system. Leave it out",
                    method.name));
  acceleration = system.acceleration();
  stepper().start(0.0, start.q, start.v, start.multipliers, start.acceleration);
}

bool append_multipliers(RunParts& run, const RecordPoint& at, std::vector<double>& out) {
  // The method's own multipliers belong to the ends of steps.
  if (at.at != nullptr)
    if (const auto own = at.at->own_multipliers(); !own.empty()) {
      out.insert(out.end(), own.begin(), own.end());
      return true;
    }
  const StepTaker& s = at.at != nullptr ? *at.at : run.stepper();
  const std::span<const double> guess = s.multiplier_guess();
  run.acceleration->use_set(s.constraint_set());
  run.acceleration->set_guess(guess);
  if (!run.acceleration->solve(at.t, at.q, at.v)) {
    if (run.system.redundancy())  // the guess is that of the constraints that were kept
      out.insert(out.end(), static_cast<std::size_t>(run.system.m()), std::nan(""));
    else
      out.insert(out.end(), guess.begin(), guess.end());
    return false;
  }
  const std::span<const double> found = run.acceleration->multipliers();
  out.insert(out.end(), found.begin(), found.end());
  return true;
}

}  // namespace rattleback
