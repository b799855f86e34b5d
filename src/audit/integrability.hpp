// The Frobenius test: is a set of velocity constraints A(t,q) v + b(t,q) = 0 the derivative of position constraints?
#pragma once

#include <optional>
#include <vector>

#include "system/mechanical/mechanical.hpp"

namespace rattleback {

struct Integrability {
  std::vector<bool> alone;  // each velocity-level constraint by itself
  bool together = false;
};
// Tested at several points near (q, v). Constraints that are not linear in v count as not integrable.
Integrability integrability(const Mechanical& system, const std::vector<double>& q);

}  // namespace rattleback
