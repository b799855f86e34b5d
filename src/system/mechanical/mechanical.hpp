// What the methods for mechanical systems need, derived exactly from the model:
//
//   d/dt L_v = L_q + F - K^T lambda,    k(t, q, v) = 0,    K = dk/dv
//
// k holds all constraints at velocity level: the time derivatives g_t + g_q v of the holonomic ones first, then the
// nonholonomic ones. Everything is scalar nodes of one graph; stages and steps are built from them.
#pragma once

#include <optional>
#include <vector>

#include "expr/scalars.hpp"
#include "rattleback/model.hpp"
#include "system/mechanical/inertia.hpp"

namespace rattleback {

struct Mechanical {
  // add_inertia = false: the Lagrangian as it is written, also where L_vv alone is singular. given: what is added was
  // decided elsewhere.
  explicit Mechanical(const Model& model, bool add_inertia = true, const AddedInertia* given = nullptr);

  Graph graph;
  std::int32_t n = 0;           // coordinates
  std::int32_t m = 0;           // constraints at velocity level
  std::int32_t holonomic = 0;   // the first so many of them come from g
  std::vector<NodeId> p;        // L_v
  std::vector<NodeId> force;    // L_q + F
  std::vector<NodeId> applied;  // F alone
  std::vector<NodeId> Lq;       // L_q alone
  struct Group {
    int coefficients = 0;  // of Lobatto methods, as ForceGroup has them
    std::vector<NodeId> force;
  };
  std::vector<Group> groups;             // parts of `applied`, by their coefficients
  std::vector<NodeId> ungrouped;         // the rest of it
  std::vector<NodeId> g;                 // holonomic constraints at position level
  std::vector<NodeId> k;                 // all constraints at velocity level
  std::vector<std::vector<NodeId>> K;    // m x n
  std::vector<std::vector<NodeId>> Lvv;  // n x n
  NodeId Lt = 0;                         // L_t alone: a Lagrangian that contains the time gives -L_t to the energy
  NodeId energy = 0;                     // v . L_v - L of the model as written
  AddedInertia added;                    // what p, Lq, force and Lvv contain besides the model's own
  struct Written {
    std::vector<NodeId> p, force;
    std::vector<std::vector<NodeId>> Lvv;
  } written;  // p, force and Lvv without it, as the model writes them

  // Set when L_vv is the same everywhere; then L_v = M v + p_rest(t, q). The inverse only when M is regular.
  std::optional<std::vector<NodeId>> mass, inverse_mass;  // constants; n x n, row-major
  std::vector<NodeId> p_rest;
  bool diagonal_mass = false;       // M is constant, regular and diagonal
  bool graded_mass = false;         // M is constant with diagonal entries of very different size, or singular
  bool plain_momentum = false;      // L_v = M v + constant, M constant
  bool separable = false;           // plain momentum, and L_q does not contain v
  bool multiplier_forces = false;   // F contains lambda
  bool linear_constraints = false;  // K does not contain v

  // K^T lambda.
  std::vector<NodeId> reaction(const std::vector<NodeId>& lambda);
};

}  // namespace rattleback
