// A method of the Runge-Kutta families, as data: coefficients and rows that say where the constraint is imposed.
//
//   Q_i = q0 + h sum a_ij V_j                        q1 = q0 + h sum b_j V_j
//   P_i = p0 + h sum ah_ij F_j + h sum at_ij R_j     p1 = p0 + h sum bh_j F_j + h sum bt_j R_j     R_j = -K_j^T Psi_j
//   one row for each stage multiplier                                               [Jay2009, eq. 6.1; Hilden2009, eq. 2.20]
//
// Holonomic constraints g(t, q) = 0, whose derivatives g_t + g_q v are among the k, are taken in one of three ways:
//   index2   like the other velocity constraints; their positions drift
//   index3   by `holonomic_rows`, which use the position level
//   ggl      by the rows, and by the same rows for g with further multipliers Mu_j: V_j becomes V_j + G_j^T Mu_j in q1
//            and, with the coefficients at of the reaction, in Q_i            [GearGuptaLeimkuhler1985; Symank2025, 6.3.3]
//
// On an index-2 DAE y' = f1 + ... + f5 each part has its own matrix, and all weights are b.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace rattleback {

struct ConstraintRow {
  enum class Where {
    stages,    // 0 = sum_j weight_j k(T_j, Q_j, V_j)
    end,       // 0 = k(t1, q1, v1)
    mean,      // 0 = k(t0 + tau h, q0 + h sum_j alpha_j V_j, sum_j weight_j V_j)
    point,     // 0 = k at points[index]
    position,  // 0 = g(T_i, Q_i), i = index
  };
  Where where = Where::end;
  std::vector<double> weight = {};
  double tau = 1.0;
  std::vector<double> alpha = {};
  int index = 0;
};

// A point of the collocation polynomials of q and p:
//   Q = q0 + h sum_j a_j V_j,   L_v(t, Q, V) = p0 + h sum_j a_j (F_j + R_j)
struct CollocationPoint {
  double tau = 0.0;
  std::vector<double> a;
};

struct Scheme {
  int stages = 0;
  // Row-major s x s: velocity, applied force, reaction.
  std::vector<double> a, ah, at;
  std::vector<double> b, bh, bt, c;
  std::vector<ConstraintRow> rows;
  std::vector<ConstraintRow> holonomic_rows;  // instead of rows, for holonomic constraints in index3; empty = cannot
  std::vector<CollocationPoint> points;
  // The first stage is explicit, so its multiplier cannot be solved for: it is the last one of the step before
  // (Lobatto IIIA). There is one row less.
  bool carries_multiplier = false;
  // The multiplier at the end as gamma_0 times that at the start plus sum_j gamma_j Psi_j; empty = not known.
  std::vector<double> recursion;
  // Lobatto matrices IIIA, IIIB, IIIC, IIIC*, IIID for groups of forces (ForceGroup); empty = all forces have ah.
  std::array<std::vector<double>, 5> groups;
  std::array<std::vector<double>, 5> parts;  // matrices for the parts of a DAE; empty = not for DAEs
};

}  // namespace rattleback
