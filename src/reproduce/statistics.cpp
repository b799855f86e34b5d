#include "reproduce/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include <fmt/format.h>
#include <Eigen/QR>

#include "rattleback/error.hpp"

namespace rattleback::reproduce {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double largest(std::span<const double> y) {
  double out = 0.0;
  for (const double v : y) out = std::fmax(out, std::fabs(v));
  return out;
}

double mean(std::span<const double> y) {
  double sum = 0.0;
  for (const double v : y) sum += v;
  return y.empty() ? kNothing : sum / static_cast<double>(y.size());
}

struct Fit {
  double slope, offset;
};

Fit straight_line(const Column& t, const Column& y) {
  const double tm = mean(t), ym = mean(y);
  double tt = 0.0, ty = 0.0;
  for (std::size_t i = 0; i < std::min(t.size(), y.size()); ++i) {
    tt += (t[i] - tm) * (t[i] - tm);
    ty += (t[i] - tm) * (y[i] - ym);
  }
  return {ty / tt, ym - ty / tt * tm};
}

double correlation(const Column& x, const Column& y) {
  const double xm = mean(x), ym = mean(y);
  double xx = 0.0, yy = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - xm) * (x[i] - xm);
    yy += (y[i] - ym) * (y[i] - ym);
    xy += (x[i] - xm) * (y[i] - ym);
  }
  return xy / std::sqrt(xx * yy);
}

Column logarithms(const Column& y) {
  Column out;
  for (const double v : y) out.push_back(std::log(std::fmax(std::fabs(v), 1e-300)));
  return out;
}

}  // namespace

const std::vector<std::string>& statistics() {
  static const std::vector<std::string> names{"max",       "min",    "first", "final",  "range",  "slope", "rate",
                                              "late_rate", "offset", "mean",  "growth", "excess", "chaos"};
  return names;
}

double statistic(const std::string& name, const Column& t, const Column& y) {
  if (y.empty()) return kNothing;
  const std::size_t tenth = std::max<std::size_t>(1, y.size() / 10);
  const std::span<const double> all(y), head = all.first(tenth), tail = all.last(tenth);
  const auto [low, high] = std::ranges::minmax_element(y);
  if (name == "max") return largest(y);
  if (name == "min") return *low;
  if (name == "first") return y.front();
  if (name == "final") return y.back();
  if (name == "range") return *high - *low;
  if (name == "mean") return mean(y);
  if (name == "slope") return straight_line(t, y).slope;
  if (name == "offset") return straight_line(t, y).offset;
  if (name == "rate") return straight_line(t, logarithms(y)).slope;
  if (name == "late_rate") {
    const std::size_t from = y.size() - std::max<std::size_t>(2, y.size() / 5);
    const auto late = [&](const Column& c) { return Column(c.begin() + static_cast<std::ptrdiff_t>(from), c.end()); };
    return y.size() < 2 ? kNothing : straight_line(late(t), logarithms(late(y))).slope;
  }
  if (name == "growth") return largest(tail) / largest(head);
  if (name == "excess") return largest(tail) / largest(all.first(y.size() - tenth));
  if (name == "chaos") return zero_one_test(y);
  throw Error(fmt::format("there is no statistic '{}'", name));
}

double zero_one_test(const Column& y) {
  constexpr std::size_t kMost = 2000;  // points: enough, and the cost grows with their square
  constexpr int kFrequencies = 60;
  const std::size_t n = std::min(y.size(), kMost), horizon = n / 10;
  if (horizon < 10) return kNothing;
  const double average = mean(std::span(y).first(n));
  Column found;
  for (int k = 0; k < kFrequencies; ++k) {
    // Frequencies away from the resonances at 0 and pi, spread by the golden ratio.
    const double share = std::fmod(0.5 + k * std::numbers::phi, 1.0), c = std::numbers::pi * (0.2 + 0.6 * share);
    Column p(n + 1, 0.0), q(n + 1, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
      p[j + 1] = p[j] + y[j] * std::cos(c * static_cast<double>(j + 1));
      q[j + 1] = q[j] + y[j] * std::sin(c * static_cast<double>(j + 1));
    }
    Column lag, spread;
    for (std::size_t m = 1; m <= horizon; ++m) {
      double sum = 0.0;
      for (std::size_t j = 0; j < n - horizon; ++j) {
        const double a = p[j + m] - p[j], b = q[j + m] - q[j];
        sum += a * a + b * b;
      }
      const double oscillation = average * average * (1.0 - std::cos(c * static_cast<double>(m))) / (1.0 - std::cos(c));
      lag.push_back(static_cast<double>(m));
      spread.push_back(sum / static_cast<double>(n - horizon) - oscillation);
    }
    found.push_back(correlation(lag, spread));
  }
  std::ranges::nth_element(found, found.begin() + kFrequencies / 2);
  return found[kFrequencies / 2];
}

double conic_defect(const Column& x, const Column& y) {
  const std::size_t n = std::min(x.size(), y.size());
  if (n < 6) return kNothing;
  const double size = std::fmax(largest(x), largest(y));
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(n), 6);
  for (std::size_t i = 0; i < n; ++i) {
    const double a = x[i] / size, b = y[i] / size;
    rows.row(static_cast<Eigen::Index>(i)) << a * a, a * b, b * b, a, b, 1.0;
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rows);
  return std::fabs(qr.matrixR()(5, 5)) / std::sqrt(static_cast<double>(n));
}

}  // namespace rattleback::reproduce
