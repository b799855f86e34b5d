#include "run/parts.hpp"

#include <cmath>

#include "model/kind_facts.hpp"
#include "run/complete.hpp"

namespace rattleback {

std::int64_t record_width(const Model& model, const Options& o, std::size_t quantities) {
  const std::int64_t n = model.coordinates.size(), m = o.record_multipliers ? model.multiplier_count() : 0;
  return o.keep_records ? 4 + (facts_of(model).primed ? 2 * n : n) + m + static_cast<std::int64_t>(quantities) : 0;
}

RunParts::RunParts(RunCore& used)
    : core(used),
      options(used.options),
      system(used.system),
      start(used.start),
      reported(used.reported),
      method(used.method),
      acceleration(used.acceleration),
      kept(kept_quantities(system)),
      quantities(system, options, kept),
      data(system),
      invariants(system, kept),
      grid(options, record_width(used.model, options, quantities.size())) {}

bool append_multipliers(RunCore& core, const RecordPoint& at, std::vector<double>& out) {
  // The method's own multipliers belong to the ends of steps.
  if (at.at != nullptr)
    if (const auto own = at.at->own_multipliers(); !own.empty()) {
      out.insert(out.end(), own.begin(), own.end());
      return true;
    }
  const StepTaker& s = at.at != nullptr ? *at.at : core.stepper();
  const std::span<const double> guess = s.multiplier_guess();
  core.acceleration->use_set(s.constraint_set());
  core.acceleration->set_guess(guess);
  if (!core.acceleration->solve(at.t, at.q, at.v)) {
    if (core.system.redundancy())  // the guess is that of the constraints that were kept
      out.insert(out.end(), static_cast<std::size_t>(core.system.m()), std::nan(""));
    else
      out.insert(out.end(), guess.begin(), guess.end());
    return false;
  }
  const std::span<const double> found = core.acceleration->multipliers();
  out.insert(out.end(), found.begin(), found.end());
  return true;
}

std::span<const double> quantities_at(RunParts& run, const RecordPoint& at, std::span<const double> q,
                                      std::span<const double> multipliers) {
  if (run.quantities.size() == 0) return {};
  if (!run.quantities.need_accelerations()) return run.quantities(at.t, q, at.v, multipliers, {});
  Acceleration& level = *run.acceleration;
  const StepTaker& s = at.at != nullptr ? *at.at : run.stepper();
  level.use_set(s.constraint_set());
  level.set_guess(s.multiplier_guess());
  static thread_local std::vector<double> unknown;
  unknown.assign(q.size(), std::nan(""));
  const bool solved = level.solve(at.t, at.q, at.v);
  return run.quantities(at.t, q, at.v, multipliers, solved ? level.acceleration() : std::span<const double>(unknown));
}

}  // namespace rattleback
