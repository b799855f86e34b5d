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

#include "linalg/sparse_solver.hpp"
#include "step/family_equations.hpp"
#include "step/products.hpp"

namespace rattleback {

// A compiled plan (engine/text/sparse_text.hpp): its parts are those of block 0, of block 1, ..., and then `finish`.
// out: the solver's matrix; size: of typical unknowns, for the bounds.
using SparseParts = void (*)(int part, double* w, double* out, const double* size, const double* const* tables);
inline constexpr const char* kSparseSymbol = "rattleback_part";
enum class SparsePart : std::uint8_t {
  start,
  values,
  values_and_residual,
  matrix,
  bounds,
  first,  // all but `values`, for the first iteration
  count
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
  struct Block {
    Program before;            // once per step: explicit vectors and derivatives that stay as they are
    Products fixed;            // once per step
    std::vector<Copy> copies;  // what values and residual start from
    Program values, residual;  // at every iteration: explicit vectors, then the residuals
    Program jacobian;          // when the matrix is wanted
    Products chain, matrix;    // ... derivatives S, then J
    Products bounds;  // of the rounding errors of each row: its derivatives, and Scale, + 2 in rows at position level
    std::vector<Vector> unknowns;
    std::int32_t size = 0, r = 0, delta = 0, bound = 0;
    bool linear = false;
    std::unique_ptr<SparseSolver> solver;
  };
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  [[nodiscard]] const Program& finish() const { return finish_; }
  [[nodiscard]] std::int32_t one() const { return one_; }  // slot of the constant 1
  // From here on these are called in place of the programs and products.
  void use(SparseParts parts, std::shared_ptr<void> library, std::vector<const double*> tables) {
    parts_ = parts;
    library_ = std::move(library);
    tables_ = std::move(tables);
  }
  [[nodiscard]] bool is_native() const { return parts_ != nullptr; }

 private:
  friend class SparseCompiler;
  void run(SparsePart part, std::size_t block, double* w, const double* size = nullptr);
  bool solve_block(std::size_t number, double* w, const Sizes& sizes, const SolveOptions& options, SolveReport& report);
  std::vector<Block> blocks_;
  Program finish_;  // after the last block: what is still to be computed, and the results
  std::int32_t one_ = 0;
  SparseParts parts_ = nullptr;
  std::shared_ptr<void> library_;
  std::vector<const double*> tables_;
};

}  // namespace rattleback
