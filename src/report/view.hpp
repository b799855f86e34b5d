// How a motion is drawn: as the [view] table of its file says, or as found from the structure of the model: points in a plane
// or in space, rods where a constraint keeps a distance or a body ends in a joint (joints.hpp), a blade or a rolling disk
// where the velocity constraints are those of one. What is none of these is drawn as a phase portrait.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/model.hpp"

namespace rattleback::report {

struct View {
  // Columns of the motion: coordinates by their position, and behind them the expressions; -1: there is none.
  struct Point {
    std::array<std::int32_t, 3> at = {-1, -1, -1};
    std::string name;  // what follows x, y and z: "1", "[3]"
  };
  struct Anchor {
    std::size_t point = 0;
    std::array<double, 3> at = {};
  };
  // Moves along its heading only. A disk turns by `spin` and rolls: radius > 0.
  struct Heading {
    std::int32_t x = -1, y = -1, angle = -1, spin = -1;
    double radius = 0.0;
  };

  // Its centre and a point on its rim that turns with it.
  struct Disc {
    std::size_t centre = 0, rim = 0;
    std::array<std::int32_t, 3> axle = {-1, -1, -1};
  };

  std::vector<NodeId> expressions;     // of [view], or found; in `graph`
  std::shared_ptr<const Graph> graph;  // null: the model's
  std::vector<Point> points;
  std::vector<std::array<std::size_t, 2>> rods;
  std::vector<Disc> discs;
  std::vector<std::size_t> paths;  // points whose path is drawn
  std::vector<Anchor> anchors;     // rods to points that do not move
  std::optional<Heading> heading;
  std::size_t points_in_all = 0;  // more than points: only some are drawn

  [[nodiscard]] bool in_space() const;
  [[nodiscard]] bool empty() const { return points.empty(); }
};

View view_of(const Model& model);

}  // namespace rattleback::report
