// How well accelerations and multipliers satisfy the equations that determine them (system/acceleration.hpp), looked
// at from outside: the equations as they stand are evaluated at the numbers that were found, whatever way they were found.
//
// A small residual alone does not show multipliers that are badly determined, so the condition of the matrix of these
// equations stands beside it, after equilibration: for mechanical systems [L_vv K^T; K 0].
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "rattleback/simulate.hpp"
#include "system/system.hpp"

namespace rattleback {

class EquationsOfMotion {
 public:
  explicit EquationsOfMotion(const System& system);
  ~EquationsOfMotion();
  EquationsOfMotion(const EquationsOfMotion&) = delete;
  EquationsOfMotion& operator=(const EquationsOfMotion&) = delete;

  // At a state. multipliers: those that are reported there. rates: v', z' of an odae, x' of a port-Hamiltonian system; not
  // looked at of a dae. kept: by constraint, 0 for those that are left out because they depend on the others there; empty:
  // none is. The condition is that of the equations without them.
  void look(double t, std::span<const double> q, std::span<const double> v, std::span<const double> multipliers,
            std::span<const double> rates, std::span<const char> kept = {});
  void forget() { looks_.clear(); }
  // The worst of all looks. Nothing when there is nothing to determine. A residual is relative to the largest term at its moment;
  // one that is rounding beside the largest term of all looks, to that: where everything is at rest for a moment, there is
  // nothing but rounding.
  [[nodiscard]] std::optional<EquationsAudit> audit() const;

 private:
  struct Dense;
  struct Large;
  struct Look {
    double t, residual, largest, condition;
  };
  const System* system_;
  std::unique_ptr<Dense> dense_;
  std::unique_ptr<Large> large_;
  std::vector<Look> looks_;
};

// What is wrong with them, for the notes of a run; "" when nothing is.
std::string equations_warning(const EquationsAudit& audit);

}  // namespace rattleback
