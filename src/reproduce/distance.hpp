// How far a run is from another one that has the same records:
//   distance(RUN)            largest difference of the coordinates, over the records
//   end_distance(RUN)        largest difference of the state at the end, velocities included
//   relative_distance(RUN)   mean of |x - y|/|y| over the records and the components of the state [Symank2025, 7.2.3]
// each also of one component alone: distance(RUN, x), distance(RUN, x').
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rattleback/simulate.hpp"

namespace rattleback::reproduce {

// The states of the records of a run, kept to be compared.
struct States {
  std::vector<std::string> names;  // of a state: coordinates, then velocities
  std::size_t coordinates = 0;     // so many of them
  std::vector<double> values;      // state after state
};
States states_of(const Model& model, const Trajectory& trajectory);

struct DistanceMeasure {
  std::string kind, run, component;  // component: empty for all
};
// Nothing for the name of another measure.
std::optional<DistanceMeasure> as_distance(const std::string& measure);

// Throws Error when the two do not have the same records, or not this component.
double distance(const DistanceMeasure& what, const States& from, const States& to);

}  // namespace rattleback::reproduce
