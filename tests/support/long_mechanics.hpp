// The equations of motion of a mechanical model in long double, solved with pivots by size:
//
//   [M  K^T] [a     ]   [L_q + F - d/dt L_v without M a]
//   [K   0 ] [lambda] = [-(dk/dt without K a)          ],     M = L_vv, k all constraints at velocity level
//
// The multipliers are those of least norm where the constraints are redundant. This is what reported multipliers,
// energies and residuals are compared with.
#pragma once

#include <memory>

#include "support/long_graph.hpp"

namespace rattleback::testing {

// A x = b in long double, with complete pivoting after rows and columns were scaled. `rank`: of A; where it is not full,
// x is some solution, and `defect` says how well the rows that are left over hold.
struct LongSolution {
  Reals x;
  int rank = 0;
  Real defect = 0, smallest_pivot = 0;
};
LongSolution solve_pivoted(std::vector<Reals> A, Reals b);
// The x of least norm with A x nearest to b.
struct LeastNorm {
  Reals x;
  int rank = 0;
};
LeastNorm solve_least_norm(const std::vector<Reals>& A, const Reals& b);

class LongMechanics {
 public:
  explicit LongMechanics(const Model& model);  // mechanical, without loops

  [[nodiscard]] std::int32_t coordinates() const { return n_; }
  [[nodiscard]] std::int32_t constraints() const { return m_; }

  struct Motion {
    Reals acceleration, multipliers;
    int rank = 0;             // of the saddle-point matrix, n + m when it is regular
    Real smallest_pivot = 0;  // of the scaled matrix: about 1/condition
  };
  [[nodiscard]] Motion motion(Real t, const Reals& q, const Reals& v);

  struct Values {
    Real energy = 0;                  // v . L_v - L
    Real energy_size = 0;             // of the terms that were added up
    Real position = 0, velocity = 0;  // the largest residuals
  };
  [[nodiscard]] Values values(Real t, const Reals& q, const Reals& v);

  struct Rows {
    std::vector<Reals> K;
    Reals residual;
  };
  [[nodiscard]] Rows positions(Real t, const Reals& q);
  [[nodiscard]] Rows velocities(Real t, const Reals& q, const Reals& v);

  // The smallest change of v, measured by the kinetic energy, that takes the residuals away (K is linearised).
  [[nodiscard]] Reals correction(const LongPoint& at, const Rows& rows);

 private:
  [[nodiscard]] std::vector<Reals> mass(const LongPoint& at);

  const Model& model_;
  LongGraph graph_;
  std::int32_t n_ = 0, m_ = 0;
};

// The text with a start that satisfies all constraints: positions by Newton from those in the text, velocities nearest to
// those in the text in the metric of the kinetic energy, so that they do not depend on the coordinates. Throws std::runtime_error when that does not converge. A consistent start depends on no
// projection of the program's then.
std::string with_consistent_start(const std::string& text);

}  // namespace rattleback::testing
