// Does a vector field on positions, q' = xi(q), change the Lagrangian, and do constraints and forces let its momentum be?
//
//   L:            L_q xi + L_v (D xi v) = 0    for all t, q, v
//   constraints:  K xi = 0                     where g = 0, g_t + g_q v = 0 and k = 0
//   forces:       F xi = 0                     there
//
// From the equations of motion, J' = L_q xi + L_v (D xi v) + F xi - lambda^T K xi for J = L_v xi, so all three together keep J.
//
// What the graph simplifies to 0 is 0. The rest is judged at random states: a function vanishes if rounding explains all its
// values there (expr/rounding.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "system/start/start.hpp"

namespace rattleback {

struct SymmetryVerdict {
  bool of_lagrangian = false, of_constraints = false, of_forces = false;

  [[nodiscard]] bool conserved() const { return of_lagrangian && of_constraints && of_forces; }
};

// Random states around a start, the same ones every time.
class RandomStates {
 public:
  explicit RandomStates(const Model& model);
  // Each call another one. Every few of them are near the start, others as far as coordinates usually go.
  Start operator()();

 private:
  double noise();  // in (-1, 1)
  const Model& model_;
  std::vector<double> q_scale_, v_scale_;
  std::uint64_t state_ = 1;
  int count_ = 0;
};

// Of a mechanical system in single coordinates.
class SymmetryJudge {
 public:
  explicit SymmetryJudge(const System& system);

  // xi: of the positions, nodes of graph().
  SymmetryVerdict operator()(const std::vector<NodeId>& xi);
  bool keeps_lagrangian(const std::vector<NodeId>& xi);

  [[nodiscard]] Graph& graph() { return g_; }
  [[nodiscard]] std::int32_t n() const { return n_; }
  [[nodiscard]] const std::vector<NodeId>& slope() const { return Lq_; }    // L_q
  [[nodiscard]] const std::vector<NodeId>& momentum() const { return p_; }  // L_v
  [[nodiscard]] const std::vector<std::vector<NodeId>>& held() const { return K_; }
  // Each is a force, or a direction in which one may be given from outside; the momentum of what moves along it is not kept.
  [[nodiscard]] const std::vector<std::vector<NodeId>>& pushed() const { return pushed_; }

  // At least so many states on the constraints, as far as they are found; and anywhere.
  const std::vector<Start>& on_constraints(std::size_t count);
  Start anywhere() { return random_(); }

 private:
  bool vanish(std::vector<NodeId> functions, const std::vector<Start>& states) const;
  bool add_on_constraints(Start state);

  const System& system_;
  Graph g_;
  std::int32_t n_, m_;
  std::vector<NodeId> Lq_, p_;
  std::vector<std::vector<NodeId>> K_, pushed_;
  RandomStates random_;
  std::vector<Start> anywhere_, on_constraints_;
  bool exhausted_ = false;
};

}  // namespace rattleback
