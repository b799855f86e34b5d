#include "method/gradient/average_points.hpp"

#include <cmath>
#include <limits>

#include "expr/degree.hpp"
#include "expr/evaluator.hpp"
#include "tableau/tableau.hpp"

namespace rattleback {
namespace {

constexpr int kMost = 20;

}  // namespace

AveragePoints average_points(const SkewGradient& system, std::span<const double> x0, std::span<const double> held,
                             double h, int stages) {
  // Degree in tau: gradient (d-1) s of u(tau), times l_i of degree s-1; n points integrate degree 2n-1.
  if (const auto d = polynomial_degree(system.graph, system.H, kPosition))
    if (const int points = ((*d - 1) * stages + stages - 1) / 2 + 1; points <= kMost)
      return {std::max(1, points), true};
  constexpr int kUnknownStep = 10;
  if (!(std::fabs(h) > 0.0)) return {kUnknownStep, false};

  SkewGradient s = system;
  std::vector<NodeId> nodes = s.apply(s.graph, s.gradient);
  nodes.insert(nodes.end(), s.gradient.begin(), s.gradient.end());
  nodes.push_back(s.H);
  const auto n = static_cast<std::size_t>(s.n);
  Evaluator f(s.graph, nodes, s.n, static_cast<std::int32_t>(held.size()));
  const auto at = [&](const std::vector<double>& x) {
    const auto values = f(0.0, x, {}, held);
    return std::vector<double>(values.begin(), values.end());
  };
  std::vector<double> x(x0.begin(), x0.end());
  int points = 2;
  GaussRule rules[kMost + 1];
  constexpr int kTrials = 50;
  for (int trial = 0; trial < kTrials; ++trial) {
    // One step of the classical Runge-Kutta method.
    const std::vector<double> k1 = at(x);
    const auto moved = [&](const std::vector<double>& k, double by) {
      std::vector<double> out = x;
      for (std::size_t i = 0; i < n; ++i) out[i] += by * k[i];
      return out;
    };
    const std::vector<double> k2 = at(moved(k1, h / 2)), k3 = at(moved(k2, h / 2)), k4 = at(moved(k3, h));
    std::vector<double> dx(n), end = x;
    bool finite = true;
    for (std::size_t i = 0; i < n; ++i) {
      dx[i] = h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
      end[i] += dx[i];
      finite = finite && std::isfinite(end[i]);
    }
    if (!finite) break;
    const double from = k1.back(), to = at(end).back();
    // The defect of the chain rule for so many points. With the most points it is rounding alone, and that may be much
    // larger than eps H: H may be a difference of large terms.
    const auto defect = [&](int count) {
      GaussRule& rule = rules[count];
      if (rule.c.empty()) rule = gauss_rule(count);
      double sum = 0.0;
      for (std::size_t k = 0; k < rule.c.size(); ++k) {
        std::vector<double> y = x;
        for (std::size_t i = 0; i < n; ++i) y[i] += rule.c[k] * dx[i];
        const std::vector<double> values = at(y);
        for (std::size_t i = 0; i < n; ++i) sum += rule.b[k] * values[n + i] * dx[i];
      }
      return std::fabs(sum - (to - from));
    };
    double rounding = 4.0 * std::numeric_limits<double>::epsilon() * (std::fabs(from) + std::fabs(to));
    for (int count = kMost - 3; count <= kMost; ++count) rounding = std::fmax(rounding, 2.0 * defect(count));
    while (points < kMost && defect(points) > rounding) ++points;
    x = end;
  }
  // u is curved where there is more than one stage; one more point for what the trial steps did not meet.
  return {std::min(kMost, points + stages), false};
}

}  // namespace rattleback
