// A step is data: unknowns, residuals and results as expressions. `Plan` turns them into programs once, and then solves
// them at every step without allocation.
//
// Compiling finds what is easy in a system of equations:
//   - an unknown that its own equation gives explicitly (constant coefficient) is substituted away;
//   - the rest is split into blocks that can be solved one after the other (block lower triangular form);
//   - in each block, what does not depend on the block's unknowns is computed once per step, not per iteration;
//   - a block that is linear in its unknowns takes one solve.
// So the stages of an explicit scheme come out explicit and a linear multiplier equation is solved as one, without any
// method saying so.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "expr/program.hpp"
#include "expr/spaces.hpp"
#include "step/solving.hpp"

namespace rattleback {

// What the matrix of a Runge-Kutta step is like for h -> 0. Unknowns and equations are `stages` velocities of n components,
// then `multipliers` vectors of m:
//   M dV_i + h sum_j reaction_ij B dPsi_j = r_i,      sum_i rows_ci K dV_i = r_c
// with M, B (= K^T), K at the start of the step. One factorisation of M and of K M^-1 B solves it for all stages.
struct SaddleHint {
  std::int32_t n = 0, m = 0, stages = 0, multipliers = 0;
  std::vector<NodeId> M, Bt, K;        // n x n, m x n (transposed), m x n, row-major
  std::vector<double> reaction, rows;  // stages x multipliers, multipliers x stages
};

struct Equations {
  Graph graph;
  std::vector<std::pair<Space, std::int32_t>> inputs;  // spaces and sizes, besides kUnknown
  std::vector<NodeId> residuals;                       // residual k is the defining equation of unknown k
  // What size the rounding errors of an unknown have: those of velocities, positions ... (1) or of such a thing divided
  // by the step size (1/h), as for multipliers. Convergence is judged relative to it.
  enum class Scale : std::uint8_t { state, state_per_step };
  std::vector<Scale> scales;
  std::vector<NodeId> guesses;  // starting values of the unknowns when nothing better is known
  std::vector<NodeId> results;  // the new state, then the newest stage multipliers
  std::vector<NodeId> extra;    // further values of a step (its stages), for whoever asked for them
  // Energies of the step, when the method knows them: stored, supplied, dissipated, and the energy at the end; then for
  // each part of an interconnection stored, supplied, dissipated and received (engine/power_sums.hpp).
  std::vector<NodeId> power;
  std::optional<SaddleHint> saddle;
  bool turn_free = false;   // no unknown changes when an angle of the state turns once: none is a position
  bool simplified = false;  // the stage system whole, always iterated with its saddle-point matrix
  bool leading = true;      // false: the exact matrix from the beginning (leading.hpp)
  bool eliminate = true;    // false: no unknown is substituted by a formula, whose divisor may be far too small
};

// Where the saddle-point iteration of a block keeps its matrices.
struct SaddleSlots {
  std::int32_t n = 0, m = 0, stages = 0, multipliers = 0;
  std::int32_t M = 0, Bt = 0, K = 0;  // slots of the matrices
  std::int32_t D = 0, U = 0, pivots = 0, work = 0, h = 0;
  std::vector<double> reaction, rows, inverse;  // inverse of rows * reaction
};

// Programs for the matrix of leading.hpp.
struct LeadingSlots {
  Program matrix;  // when it is wanted: S
  Program right;   // at every iteration, from the residual
  Program expand;  // ... and from the solution of S y = right: the correction
  std::int32_t size = 0, S = 0, lu = 0, pivots = 0, rhs = 0, y = 0;
  std::int32_t guess = 0;  // the starting values, to go back to
};

struct FamilyEquations;
class SparsePlan;

class Plan {
 public:
  explicit Plan(Equations equations);
  explicit Plan(FamilyEquations equations);  // large systems; see sparse_plan.hpp

  [[nodiscard]] bool has(Space input) const;
  [[nodiscard]] std::int32_t slot(Space input) const;
  [[nodiscard]] bool linear() const { return linear_; }  // all blocks are: no iteration, no starting guess needed
  [[nodiscard]] std::int32_t result_slot() const { return results_; }
  [[nodiscard]] std::int32_t result_count() const { return result_count_; }
  [[nodiscard]] std::int32_t extra_slot() const { return extra_; }
  [[nodiscard]] std::int32_t extra_count() const { return extra_count_; }
  [[nodiscard]] std::int32_t power_slot() const { return power_; }
  [[nodiscard]] std::int32_t power_count() const { return power_count_; }
  [[nodiscard]] std::int32_t workspace_size() const { return static_cast<std::int32_t>(image_.size()); }
  [[nodiscard]] const std::vector<double>& image() const { return image_; }
  // Constants of the workspace that come from parameters. With values that would have been decided otherwise this plan does not
  // serve.
  [[nodiscard]] const ParameterSlots& parameters() const { return parameters_; }
  // The unknowns that are left after elimination; their slots hold the starting guess before solve() and the solution
  // after it.
  [[nodiscard]] std::span<const std::int32_t> unknown_slots() const { return unknown_slots_; }
  [[nodiscard]] std::span<const std::int32_t> unknown_numbers() const { return unknown_numbers_; }

  // Puts the cold starting guess into the unknowns' slots.
  void guess(double* w) const { guess_.run(w); }
  // Large systems: chooses the order of the pivots for good, at the unknowns in w.
  void choose_pivots(double* w) const;
  // Solves for the unknowns and computes the results.
  SolveReport solve(double* w, const Sizes& sizes, const SolveOptions& options) const;

  struct Block {
    Program before;                      // once, before the block
    Program residual;                    // at every iteration
    Program jacobian;                    // when the matrix is wanted
    std::vector<std::int32_t> unknowns;  // slots
    std::vector<Equations::Scale> scales;
    std::int32_t r = 0, J = 0, lu = 0, pivots = 0, size = 0;  // J row-major
    bool linear = false;
    // Large stage systems are iterated with one of these first; J is the fallback.
    std::optional<SaddleSlots> saddle;
    std::optional<LeadingSlots> leading;
  };
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  [[nodiscard]] const Program& finish() const { return finish_; }  // after the last block: the results
  [[nodiscard]] const Program& guess_program() const { return guess_; }
  [[nodiscard]] std::size_t instruction_count() const;
  [[nodiscard]] bool is_sparse() const { return sparse_ != nullptr; }  // large systems: no blocks
  [[nodiscard]] SparsePlan* sparse() const { return sparse_.get(); }

 private:
  class Writer;  // compile.cpp

  std::vector<Block> blocks_;
  Program guess_, finish_;
  std::vector<std::pair<Space, std::int32_t>> inputs_;
  std::vector<std::int32_t> unknown_slots_, unknown_numbers_;
  std::int32_t results_ = 0, result_count_ = 0, extra_ = 0, extra_count_ = 0, power_ = 0, power_count_ = 0;
  bool linear_ = true;
  std::vector<double> image_;
  ParameterSlots parameters_;
  std::shared_ptr<SparsePlan> sparse_;  // takes the place of the blocks; it has workspace of its own
};

}  // namespace rattleback
