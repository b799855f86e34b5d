// The JSON that the command line prints and HDF5 files keep, as values that can still be added to.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "rattleback/simulate.hpp"

namespace rattleback::report {

using Json = nlohmann::ordered_json;

// One line. Numbers read back to the same double, those that are not finite are null.
std::string dump(const Json& json);

// A finished run; with its options also what was asked beyond method and step (composition, formulation, ...).
Json run_json(const Model& model, const Trajectory& trajectory, const Options* options = nullptr);

// The request, by the names of the flags; only what differs from the defaults.
Json options_json(const Options& options, const LoadOptions& load);

std::string systems_json();

}  // namespace rattleback::report
