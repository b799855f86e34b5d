// A system x' = Pi(x) grad H(x) with skew Pi, which keeps H. [Celledoni2016, eq. 9]
#pragma once

#include <vector>

#include "rattleback/model.hpp"

namespace rattleback {

struct SkewGradient {
  SkewGradient() = default;
  explicit SkewGradient(const Model& model);  // of kind skew-gradient

  Graph graph;
  std::int32_t n = 0;
  NodeId H = 0;
  std::vector<NodeId> gradient;         // of H
  std::vector<std::vector<NodeId>> Pi;  // n x n

  // Pi times a vector.
  std::vector<NodeId> apply(Graph& g, const std::vector<NodeId>& x) const;
};

}  // namespace rattleback
