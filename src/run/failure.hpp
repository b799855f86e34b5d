// What is said of a step that failed: where, why, and what to try instead, which was tried before it is said.
#pragma once

#include <string>

#include "bind/bind.hpp"
#include "rattleback/simulate.hpp"
#include "system/system.hpp"

namespace rattleback {

struct FailedStep {
  double t = 0.0, h = 0.0;  // where the step began, and how long it was
  std::int64_t step = 0;    // steps that were kept
  bool adaptive = false;    // the method chooses steps of its own inside of h
  bool ends = false;        // SolveReport::ends
  double energy = 0.0;      // the largest that was seen before: of the start, or kinetic
};

Failure failure_of(const SolveReport& report);

// What failed, and where. Whether the constraints lose rank is judged at that time, between the last good state and where the
// step was going.
std::string failure_text(const BoundMethod& method, const System& system, const FailedStep& where,
                         const SolveReport& f);

// What to try: a smaller step, a tolerance or another method with which the same run, in an own copy of everything, reached
// its end or at least got past the failure. Where nothing did, or where trying would take long, that is said. options: as
// they were asked for.
std::string advice(const Model& model, const Options& options, const FailedStep& where);

}  // namespace rattleback
