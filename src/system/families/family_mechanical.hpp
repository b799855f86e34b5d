// What the methods need of a mechanical system whose families stay families: the functions of Mechanical, as entries
// with loops. A chain of 100000 links is a few dozen nodes here; a model without families is so many single entries.
//
//   d/dt L_v = L_q + F - K^T lambda,    k(t, q, v) = 0,    K = dk/dv
//
// K^T lambda is the gradient of sum_c lambda_c k_c with respect to v: one sum for each family of constraints.
#pragma once

#include <vector>

#include "rattleback/model.hpp"
#include "system/mechanical/inertia.hpp"

namespace rattleback {

struct FamilyMechanical {
  // Throws NeedsUnrolling when a derivative would be a loop in a loop.
  explicit FamilyMechanical(const Model& model);

  Graph graph;
  std::int32_t n = 0, m = 0, holonomic = 0;
  Entries p, force;           // L_v, L_q + F; row = coordinate
  Entries g, k;               // holonomic constraints; all of them at velocity level, those of g first, entry by entry
  Entries K, mass;            // dk/dv, L_vv
  Entries reaction;           // K^T lambda, lambda in kMultiplier
  Entries position_reaction;  // G^T mu, mu in kMultiplier
  AddedInertia added;         // what p, force and mass contain besides the model's own
  struct Written {
    Entries p, force, mass;
  } written;                 // without it, as the model writes them
  NodeId energy = 0;         // v . L_v - L of the model as written
  NodeId twice_kinetic = 0;  // v . L_v, likewise

  bool constant_mass = false;
  bool massless = false;             // constant diagonal mass matrix with zeros
  std::vector<double> inverse_mass;  // of a constant diagonal mass matrix without zeros; empty = another one
  Entries p_rest;                    // L_v at v = 0; without entries that are zero
  bool plain_momentum = false;       // L_v = M v + constant, M constant

  // 1/M for the rows of an entry.
  NodeId inverse_mass_at(const Entry& entry) { return values_at(inverse_mass, entry); }

 private:
  NodeId values_at(const std::vector<double>& values, const Entry& entry);  // one for each row
  void find_rest();
  NodeId added_terms();
};

// Members of the largest family that was not unrolled when the model was loaded; 0 = there is none.
std::int32_t largest_family(const Model& model);

}  // namespace rattleback
