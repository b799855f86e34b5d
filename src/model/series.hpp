// A time series from a CSV file as a function of t: piecewise linear between its rows, and constant before the first and
// after the last one.
#pragma once

#include "model/model_text.hpp"

namespace rattleback::front {

// The file's name is relative to the folder of the model file. Throws with the line of a row that cannot be used.
NodeId build_series(const Source& source, const SeriesText& series, const std::string& input, Graph& graph);

}  // namespace rattleback::front
