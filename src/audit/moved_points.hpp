// Vector fields that move all points of a model together, read off the names of its coordinates: translations and rotations. They are
// candidates for symmetries where there are too many coordinates to look at all affine fields.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/model.hpp"

namespace rattleback {

struct MovedPoints {
  struct Term {
    std::int32_t row;  // the coordinate that moves
    std::int32_t by;   // with this one; -1: with 1
    double factor;
  };
  std::vector<Term> terms;  // one for each row, ascending

  // As it is shown: "x1" and "-y1".
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> text(const Names& names) const;
};

// Points have coordinates x, y, z with equal ends of their names; declared angles turn with a rotation in the plane of x and y, in a
// field of its own.
std::vector<MovedPoints> moved_points(const Model& model);

}  // namespace rattleback
