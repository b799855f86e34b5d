// What a report draws of a motion: the file's [view] table.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "rattleback/expr.hpp"

namespace rattleback {

// All places are expressions of t and the positions, in the graph of the model; in a plane the third is 0.
struct Drawing {
  struct Point {
    std::string name;
    std::array<NodeId, 3> at = {};
  };
  struct Disc {
    std::size_t centre = 0, rim = 0;  // points; the second is on the rim and turns with it
    std::array<NodeId, 3> axle = {};  // its direction, of any length
  };
  bool space = false;
  std::vector<Point> points;
  std::vector<std::array<std::size_t, 2>> rods;
  std::vector<Disc> discs;
  std::vector<std::size_t> paths;  // points whose path is drawn
};

struct Model;
// Of a model from a file with such a table; null otherwise.
const Drawing* drawing_of(const Model& model);

}  // namespace rattleback
