// Columns of a CSV file as a function of one variable: of time (inputs), or of anything (tables).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/expr.hpp"
#include "text/source.hpp"

namespace rattleback::front {

// linear: straight lines; cubic: the spline whose third derivative does not jump at the second and the last but one point; hold:
// the last value at or before.
enum class Interpolate : std::uint8_t { linear, cubic, hold };

// What a model file says of it.
struct DataText {
  std::string what;                                    // "input `motor`"
  std::string file, at, column;                        // at: the column of the variable
  std::string at_key = "time", column_key = "column";  // what the model file calls these
  Interpolate how = Interpolate::linear;
  bool refuses = false;  // beyond its ends; else it keeps the end values
  std::size_t offset = 0;
};

struct DataTable {
  std::string what;
  Interpolate how = Interpolate::linear;
  bool refuses = false;
  std::vector<double> at, value;  // at ascends
};

// The file's name is relative to the folder of the model file. Throws with the line of a row that cannot be used.
std::shared_ptr<const DataTable> read_data(const Source& source, const DataText& text);

// The function at x. Beyond the ends of a table that refuses it is what is left of it; a run that comes there stops
// (run/data_range.hpp).
NodeId interpolated(Graph& graph, const DataTable& table, NodeId x);

// Where a model uses a table: at a node of its graph.
struct DataUse {
  std::shared_ptr<const DataTable> table;
  NodeId at = 0;
};

}  // namespace rattleback::front
