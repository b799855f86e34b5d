// The least value of a function between two places, as well as rounding lets it be seen: parabolas through the three best
// points, and the golden section where they do not help. [Brent1973, ch. 5]
#pragma once

#include <cmath>
#include <utility>

namespace rattleback {

struct Place {
  double at = 0.0, value = 0.0, bound = 0.0;  // bound: of the rounding of the value
};

// f(x) is a Place, between lo and hi; the search begins at a guess in there. It ends when the value is below zero beyond its
// bound, when the three best values are the same as far as their bound can tell, or where f is no number.
template <class F>
Place least_value(const F& f, double lo, double hi, double guess) {
  constexpr double kGolden = 0.38196601125010515, kSmallest = 4e-16;
  constexpr int kMost = 100;
  Place best = f(guess), second = best, third = best;
  double move = 0.0, before = 0.0;  // the last one, and the one before it
  int points = 1;
  for (int k = 0; k < kMost && best.value >= -best.bound; ++k) {
    if (points >= 3 && third.value - best.value <= best.bound) break;
    if (hi - best.at <= 2.0 * kSmallest && best.at - lo <= 2.0 * kSmallest) break;
    // The vertex of the parabola.
    const double r = (best.at - second.at) * (best.value - third.value),
                 s = (best.at - third.at) * (best.value - second.value);
    const double below = 2.0 * (s - r), above = (best.at - third.at) * s - (best.at - second.at) * r;
    const double step = points >= 3 && below != 0.0 ? -above / below : INFINITY;
    if (std::fabs(step) < 0.5 * std::fabs(before) && best.at + step > lo && best.at + step < hi) {
      before = std::exchange(move, step);
    } else {
      before = hi - best.at > best.at - lo ? hi - best.at : lo - best.at;
      move = kGolden * before;
    }
    const Place now = f(best.at + (std::fabs(move) >= kSmallest ? move : std::copysign(kSmallest, move)));
    if (!std::isfinite(now.value)) return now;
    ++points;
    if (now.value <= best.value) {
      (now.at >= best.at ? lo : hi) = best.at;
      third = std::exchange(second, std::exchange(best, now));
    } else {
      (now.at < best.at ? lo : hi) = now.at;
      if (now.value <= second.value || points == 2)
        third = std::exchange(second, now);
      else if (now.value <= third.value || points == 3)
        third = now;
    }
  }
  return best;
}

}  // namespace rattleback
