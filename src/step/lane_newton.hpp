// Newton's iteration on the blocks of a plan for many points at once, slots being kWidth lanes wide: w[slot*kWidth +
// lane].
//
// The programs run over all lanes; what depends on a lane alone (pivots, convergence) is decided lane by lane with the
// code of stopping.hpp. A lane that has arrived keeps its values while the others go on, so every lane has the bits
// that it would have alone.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "step/convergence.hpp"
#include "step/equations.hpp"

namespace rattleback {

class LaneNewton {
 public:
  static constexpr int kWidth = 16;

  // Plans without sparse matrices and without saddle-point blocks.
  explicit LaneNewton(const Plan& plan);

  // Solves in the lanes of `active` (bit by lane) and computes the results in all. Returns the lanes that arrived.
  std::uint32_t solve(double* w, const std::array<Sizes, kWidth>& sizes, const SolveOptions& options,
                      std::uint32_t active);
  // Lanes in which a first correction of the last solve was not small (starting::kRough).
  [[nodiscard]] std::uint32_t rough() const { return rough_; }

 private:
  std::uint32_t solve_block(const Plan::Block& b, double* w, const std::array<Sizes, kWidth>& sizes,
                            const SolveOptions& options, std::uint32_t active);

  std::uint32_t solve_leading(const Plan::Block& b, double* w, const std::array<Sizes, kWidth>& sizes,
                              const SolveOptions& options, std::uint32_t going);

  const Plan& plan_;
  std::uint32_t rough_ = 0;
  std::vector<double> lu_, pivots_;  // factors, permutation and row scales of each lane
  std::vector<double> r_, delta_;
  std::vector<Convergence> convergence_;
};

}  // namespace rattleback
