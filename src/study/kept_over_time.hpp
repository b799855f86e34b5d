// What compare() keeps of its runs over time (CompareRequest::over_time).
#pragma once

#include <string>
#include <vector>

#include "rattleback/analysis.hpp"

namespace rattleback {

class KeptOverTime {
 public:
  // Throws Error when the system has none of that.
  KeptOverTime(const Model& model, const std::vector<std::string>& asked);

  // The options of a run that records it, with Options::every as all runs have it. As they were when nothing is asked for.
  [[nodiscard]] Options recording(Options options, const Options& asked) const;
  // Of a run that was made with these.
  OverTime of(const Trajectory& run);
  // In the order of OverTime::values. Patterns are in full behind the first run.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  void name(const std::vector<std::string>& columns);

  std::vector<std::string> asked_, columns_, names_;  // columns_: of those that were asked for
  bool named_ = false;
};

}  // namespace rattleback
