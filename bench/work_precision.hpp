// Work-precision curves: what a code reached (error) and what that took (time), point by point.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace bench {

struct WorkPoint {
  double parameter = 0.0;  // step or tolerance
  double error = 0.0;
  double seconds = std::numeric_limits<double>::infinity();  // of the fastest run
};

// The points that no other point beats in both error and time, by increasing time.
inline std::vector<WorkPoint> front(std::vector<WorkPoint> points) {
  std::ranges::sort(points, {}, &WorkPoint::seconds);
  std::vector<WorkPoint> best;
  for (const WorkPoint& p : points)
    if (best.empty() || p.error < best.back().error) best.push_back(p);
  return best;
}

// Seconds for an error, interpolated between the two neighbours of the front on logarithmic scales. Where the coarsest
// point is more accurate than asked for, its time; infinity when the error is not reached.
inline double seconds_at(const std::vector<WorkPoint>& points, double error) {
  const std::vector<WorkPoint> best = front(points);
  if (best.empty() || best.back().error > error) return std::numeric_limits<double>::infinity();
  if (best.front().error <= error) return best.front().seconds;
  std::size_t i = 1;
  while (best[i].error > error) ++i;
  const WorkPoint &a = best[i - 1], &b = best[i];
  const double part = std::log(a.error / error) / std::log(a.error / b.error);
  return a.seconds * std::pow(b.seconds / a.seconds, part);
}

}  // namespace bench
