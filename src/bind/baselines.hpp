// The codes a user would otherwise pick, to compare with: they differentiate the constraint and drift off it
// (baumgarte feeds the error back).
#pragma once

#include <memory>
#include <stop_token>

#include "engine/step_taker.hpp"
#include "method/registry.hpp"
#include "system/system.hpp"

namespace rattleback {

inline constexpr double kDefaultGain = 10.0;  // of baumgarte, in 1/time

// ode: multiplier eliminated, ARKODE's Dormand-Prince 5(4). index1: IDA on the constraint differentiated once.
// baumgarte: ode with feedback of the constraint errors. A "step" of theirs is an output interval; the solver chooses
// what it does in between. `stop` ends that: the interval fails.
std::unique_ptr<StepTaker> make_baseline(Baseline which, const System& system, double rtol, double atol,
                                         double gain = kDefaultGain, std::stop_token stop = {});

}  // namespace rattleback
