#include "study/slope.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rattleback {

Line fit_line(const std::vector<double>& x, const std::vector<double>& errors, double floor) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (errors[i] > floor && std::isfinite(errors[i]) && x[i] != 0.0)
      points.emplace_back(std::log(std::fabs(x[i])), std::log(errors[i]));
  std::sort(points.begin(), points.end());
  Line line{std::nan(""), std::nan(""), static_cast<int>(points.size())};
  if (points.size() < 2) return line;
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const double n = static_cast<double>(points.size());
  for (const auto& [a, b] : points) {
    sx += a;
    sy += b;
    sxx += a * a;
    sxy += a * b;
  }
  line.fitted = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  line.last = (points[1].second - points[0].second) / (points[1].first - points[0].first);
  return line;
}

double rounding_floor(double size) { return 2e-14 * std::fmax(size, 1e-300); }

}  // namespace rattleback
