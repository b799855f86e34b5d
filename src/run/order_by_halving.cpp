#include "run/order_by_halving.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "run/complete.hpp"
#include "run/follow.hpp"

namespace rattleback {

std::optional<MeasuredOrder> order_by_halving(const Model& model, Options options) {
  options = complete(model, options);
  if (options.tableau.empty() && find_method(options.method).fixed_stages != 0) options.stages = 0;
  options.audit_order = options.audit_reverse = options.audit_power = false;
  options.keep_records = false;
  options.checkpoint.clear();
  options.resume = false;
  options.progress = {};
  options.every = 0;
  options.output_every = 0.0;
  options.event.clear();
  options.until_event.clear();
  std::vector<std::vector<double>> ends;
  double steps = 0.0;
  for (int k = 0; k < 3; ++k) {
    const Trajectory run = simulate(model, options, Follower{}).trajectory;
    if (run.status != Status::done) return std::nullopt;
    std::vector<double> end = run.q;
    if (!run.constraint_midpoint)
      end.insert(end.end(), run.v.begin(), run.v.end());  // those of a midpoint differ by O(h)
    ends.push_back(std::move(end));
    steps = static_cast<double>(run.steps);
    options.step /= 2.0;
    if (options.steps) *options.steps *= 2;
  }
  double d1 = 0.0, d2 = 0.0, size = 1e-300;
  for (std::size_t i = 0; i < ends[0].size(); ++i) {
    d1 = std::fmax(d1, std::fabs(ends[0][i] - ends[1][i]));
    d2 = std::fmax(d2, std::fabs(ends[1][i] - ends[2][i]));
    size = std::fmax(size, std::fabs(ends[2][i]));
  }
  if (!(d2 > 0.0)) return std::nullopt;
  const double unit = std::fmax(std::numeric_limits<double>::epsilon(), options.newton_tol);
  return MeasuredOrder{std::log2(d1 / d2), d2 / size, unit * std::sqrt(steps)};
}

}  // namespace rattleback
