// A method of the Runge-Kutta families, as data: coefficients and rows that say where the constraint is imposed.
//
//   Q_i = q0 + h sum a_ij V_j                        q1 = q0 + h sum b_j V_j
//   P_i = p0 + h sum ah_ij F_j + h sum at_ij R_j     p1 = p0 + h sum bh_j F_j + h sum bt_j R_j     R_j = -K_j^T Psi_j
//   one row for each stage multiplier                                               [Jay2009, eq. 6.1; Hilden2009, eq. 2.20]
//
// On an index-2 DAE y' = f1 + ... + f5 each part has its own matrix, and all weights are b.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace rattleback {

struct ConstraintRow {
  enum class Where {
    stages,  // 0 = sum_j weight_j k(T_j, Q_j, V_j)
    end,     // 0 = k(t1, q1, v1)
    point    // 0 = k(t0 + tau h, q0 + h sum_j alpha_j V_j, sum_j weight_j V_j)
  };
  Where where = Where::end;
  std::vector<double> weight;
  double tau = 1.0;
  std::vector<double> alpha;
};

struct Scheme {
  int stages = 0;
  // Row-major s x s: velocity, applied force, reaction.
  std::vector<double> a, ah, at;
  std::vector<double> b, bh, bt, c;
  std::vector<ConstraintRow> rows;
  // The first stage is explicit, so its multiplier cannot be solved for: it is the last one of the step before
  // (Lobatto IIIA). There is one row less.
  bool carries_multiplier = false;
  std::array<std::vector<double>, 5> parts;  // matrices for the parts of a DAE; empty = not for DAEs
};

}  // namespace rattleback
