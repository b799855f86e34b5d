// A plan for large systems: the equations are vectors with loops, the matrices are sparse.
//
// Compiling does for vectors what compile.cpp does for single unknowns:
//   - vectors that have the same value are one vector;
//   - a vector that its own equation gives explicitly is computed, not solved for: the matrix of the others is formed by
//     the chain rule, J = A + C S, with the derivatives S of the explicit vectors (for a constant diagonal mass matrix
//     that is K M^-1 K^T in the multipliers);
//   - the rest is split into blocks that are solved one after the other; a linear block takes one solve;
//   - what does not change during an iteration is computed once per step.
#pragma once

#include "solve/family_equations.hpp"
#include "solve/sparse_solver.hpp"

namespace rattleback {

// target[k] = sum of w[a]*w[b] over its terms.
struct Products {
  std::vector<std::int32_t> to, first = {0}, a, b;
  void run(const double* w, double* out) const {
    for (std::size_t k = 0; k < to.size(); ++k) {
      double s = 0.0;
      for (std::int32_t i = first[k]; i < first[k + 1]; ++i)
        s += w[a[static_cast<std::size_t>(i)]] * w[b[static_cast<std::size_t>(i)]];
      out[to[k]] = s;
    }
  }
};

class SparsePlan {
 public:
  explicit SparsePlan(FamilyEquations equations);

  SolveReport solve(double* w, const Sizes& sizes, const SolveOptions& options);
  // Chooses pivots for the matrices at the unknowns in w.
  void choose_pivots(double* w);

  // What Plan tells about itself.
  std::vector<std::pair<Space, std::int32_t>> inputs;
  std::vector<std::int32_t> unknown_slots, unknown_numbers;
  Program guess;
  std::int32_t results = 0, result_count = 0;
  bool linear = true;
  std::vector<double> image;

  struct Copy {
    std::int32_t to, from, size;
  };
  struct Vector {  // of unknowns, in the order of a block's columns
    std::int32_t slot, size;
    Equations::Scale scale;
  };
  struct Bounds {  // for each row, the derivatives by which its rounding errors are estimated
    std::vector<std::int32_t> first = {0}, slot;
    std::vector<std::uint8_t> kind;  // Scale, + 2 in rows at position level
  };
  struct Block {
    Program before;            // once per step: explicit vectors and derivatives that stay as they are
    Products fixed;            // once per step
    std::vector<Copy> copies;  // what values and residual start from
    Program values, residual;  // at every iteration: explicit vectors, then the residuals
    Program jacobian;          // when the matrix is wanted
    Products chain, matrix;    // ... derivatives S, then J
    Bounds bounds;
    std::vector<Vector> unknowns;
    std::int32_t size = 0, r = 0, delta = 0, bound = 0;
    bool linear = false;
    std::unique_ptr<SparseSolver> solver;
  };
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }

 private:
  friend class SparseCompiler;
  bool solve_block(Block& b, double* w, const Sizes& sizes, const SolveOptions& options, SolveReport& report);
  std::vector<Block> blocks_;
  Program finish_;  // after the last block: what is still to be computed, and the results
};

}  // namespace rattleback
