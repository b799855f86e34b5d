#include "method/runge_kutta/stage_order.hpp"

#include <cmath>

namespace rattleback {

StageLayout stage_layout(const Tableau& tableau) {
  Scheme scheme;
  scheme.c = tableau.c;
  scheme.parts[0] = tableau.A;
  return stage_layout(scheme, false);
}

StageLayout stage_layout(const Scheme& scheme, bool mechanical) {
  StageLayout out;
  out.c = scheme.c;
  const std::size_t s = scheme.c.size();
  std::vector<const std::vector<double>*> matrices;
  if (mechanical) {
    matrices = {&scheme.a, &scheme.ah, &scheme.at};
  } else {
    for (const auto& part : scheme.parts)
      if (!part.empty()) matrices.push_back(&part);
  }
  const auto holds = [&](const std::vector<double>& a, int l) {
    for (std::size_t i = 0; i < s; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < s; ++j) sum += a[i * s + j] * std::pow(scheme.c[j], l - 1);
      if (!(std::fabs(sum - std::pow(scheme.c[i], l) / l) <= 1e-12)) return false;
    }
    return true;
  };
  for (int l = 1; l <= static_cast<int>(s); ++l) {
    for (const auto* a : matrices)
      if (!holds(*a, l)) return out;
    out.order = l;
  }
  return out;
}

}  // namespace rattleback
