// What a run consists of, as the loop, its records, its checkpoints and the audit at its end see it.
#pragma once

#include <memory>

#include "audit/monitor.hpp"
#include "run/core.hpp"
#include "run/data_range.hpp"
#include "run/grid.hpp"
#include "run/invariants.hpp"
#include "run/quantities.hpp"
#include "run/single_steps.hpp"

namespace rattleback {

struct RunParts {
  // At the start of its core, which outlives it. Throws Error when the request is wrong.
  explicit RunParts(RunCore& core);
  RunParts(const RunParts&) = delete;  // its parts know one another
  RunParts& operator=(const RunParts&) = delete;

  [[nodiscard]] StepTaker& stepper() const { return *method.stepper; }
  [[nodiscard]] bool adaptive() const { return single && single->adaptive(); }

  RunCore& core;
  const Options& options;  // all defaults filled in
  System& system;
  const Start& start;
  ReportedState& reported;
  BoundMethod& method;
  std::unique_ptr<Acceleration>& acceleration;  // for consistent multipliers
  KeptQuantities kept;
  Quantities quantities;  // to be written down
  DataRange data;
  Invariants invariants;
  TimeGrid grid;
  Monitor monitor;
  std::unique_ptr<SingleSteps> single;  // null: steps are taken in batches
  std::int64_t steps = 0;               // taken
};

// Numbers in one record; quantities: how many there are besides.
std::int64_t record_width(const Model& model, const Options& o, std::size_t quantities);

// Appends the multipliers at a state: the method's own, or the consistent ones. False when the acceleration level does not
// determine them (a mass of 0): then those of the last stage.
bool append_multipliers(RunCore& core, const RecordPoint& at, std::vector<double>& out);
// The quantities at a state; q: with all turns of angles. What is not determined is nan.
std::span<const double> quantities_at(RunParts& run, const RecordPoint& at, std::span<const double> q,
                                      std::span<const double> multipliers);

}  // namespace rattleback
