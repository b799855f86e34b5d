#include "audit/claims.hpp"

#include <cmath>

#include <fmt/format.h>

namespace rattleback {

std::string order_contradiction(const std::string& method, int claimed, const MeasuredOrder& measured) {
  constexpr double kClearly = 0.5;  // below the claim; next to it a measurement may lie by 0.1 or 0.2
  constexpr double kAboveRounding = 100.0;
  if (claimed <= 0 || !std::isfinite(measured.order) || measured.order >= claimed - kClearly) return "";
  if (measured.difference <= kAboveRounding * measured.rounding) return "";
  return fmt::format(
      "{} claims order {}, but {:.2f} was measured: either the step is too large to show it (try a smaller --step), or "
      "the claim does not hold on this system",
      method, claimed, measured.order);
}

std::string symmetry_contradiction(const std::string& method, double defect, double newton_tol) {
  constexpr double kReturns =
      1e-6;  // rounding errors that grow on the way stay below this, unless the motion is chaotic
  if (defect <= std::fmax(kReturns, 1e3 * newton_tol)) return "";
  return fmt::format(
      "{} claims to be symmetric, but integrating back missed the start by {:.1e}: either rounding errors grow that "
      "much on this motion (try a smaller --until), or the claim does not hold on this system",
      method, defect);
}

}  // namespace rattleback
