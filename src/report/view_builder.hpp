// What is added to a view that was found in formulas: places that are not coordinates, in a copy of the model's graph.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/view.hpp"

namespace rattleback::report {

inline constexpr std::int32_t kMostTurned = 128;  // coordinates of a system whose formulas are looked at

using Place = std::array<NodeId, 3>;       // in a plane the third is not used
using Support = std::bitset<kMostTurned>;  // coordinates of which a formula depends

class ViewBuilder {
 public:
  ViewBuilder(const Model& model, View& view, const std::set<std::int32_t>& taken);

  static constexpr NodeId kNone = ~NodeId{0};
  static constexpr int kSamples = 9;

  // Coordinates that it depends on; nothing where there are others than places and t in it. Arguments stand before what is
  // made of them, so that no formula is too deep.
  std::optional<Support> support_of(NodeId id);
  // A point of the drawing; places that are the same formulas are one.
  std::size_t point(const Place& place, const std::string& name = {});
  void rod(std::size_t a, std::size_t b);
  // Values at random places, sample by sample.
  [[nodiscard]] std::vector<std::vector<double>> evaluate(const std::vector<NodeId>& nodes) const;
  static bool constant(const std::vector<double>& values);
  // Hands the graph to the view.
  void finish();

  const Model& model;
  View& view;
  std::shared_ptr<Graph> graph;
  std::int32_t n;
  std::size_t axes = 2, coordinate_points = 0;  // the first points of the view
  std::map<std::int32_t, NodeId> open;          // constraints that are not explained yet

 private:
  std::int32_t column(NodeId id);

  std::vector<std::optional<Support>> supports_;  // of the nodes of the graph, as far as asked for
};

}  // namespace rattleback::report
