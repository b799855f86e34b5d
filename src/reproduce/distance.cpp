#include "reproduce/distance.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/kind_facts.hpp"
#include "rattleback/error.hpp"
#include "reproduce/measures.hpp"

namespace rattleback::reproduce {

States states_of(const Model& model, const Trajectory& trajectory) {
  const Trajectory::Records& r = trajectory.records;
  States out;
  if (r.rows == 0) return out;
  const std::size_t n = r.q.size() / r.rows, nv = r.v.size() / r.rows;
  out.coordinates = n;
  for (std::size_t i = 0; i < n; ++i) out.names.push_back(model.coordinates[static_cast<std::int32_t>(i)]);
  for (std::size_t i = 0; i < nv; ++i) out.names.push_back(velocity_name(model, static_cast<std::int32_t>(i)));
  for (std::size_t row = 0; row < r.rows; ++row) {
    const auto add = [&](const std::vector<double>& all, std::size_t width) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row * width);
      out.values.insert(out.values.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
    };
    add(r.q, n);
    add(r.v, nv);
  }
  return out;
}

std::optional<DistanceMeasure> as_distance(const std::string& measure) {
  const auto call = as_call(measure);
  if (!call || (call->first != "distance" && call->first != "end_distance" && call->first != "relative_distance"))
    return std::nullopt;
  const std::string& inside = call->second;
  const std::size_t comma = inside.find(',');
  if (comma == std::string::npos) return DistanceMeasure{call->first, inside, ""};
  const std::size_t name = std::min(inside.find_first_not_of(' ', comma + 1), inside.size());
  return DistanceMeasure{call->first, inside.substr(0, comma), inside.substr(name)};
}

double distance(const DistanceMeasure& what, const States& from, const States& to) {
  if (from.names != to.names || from.values.size() != to.values.size() || from.values.empty())
    throw Error(fmt::format("{}({}): that run has other records", what.kind, what.run));
  const std::size_t width = from.names.size(), rows = from.values.size() / width;
  std::size_t first = 0, last = what.kind == "distance" ? from.coordinates : width;
  if (!what.component.empty()) {
    const auto found = std::ranges::find(from.names, what.component);
    if (found == from.names.end())
      throw Error(fmt::format("{}({}, {}): a state has no such component", what.kind, what.run, what.component));
    first = static_cast<std::size_t>(found - from.names.begin());
    last = first + 1;
  }
  double largest = 0.0, sum = 0.0;
  std::size_t count = 0;
  for (std::size_t row = what.kind == "end_distance" ? rows - 1 : 0; row < rows; ++row)
    for (std::size_t i = first; i < last; ++i) {
      const double y = to.values[row * width + i], d = std::fabs(from.values[row * width + i] - y);
      largest = std::fmax(largest, d);
      if (y == 0.0) continue;  // nothing to be relative to: the start, most often
      sum += d / std::fabs(y);
      ++count;
    }
  if (what.kind != "relative_distance") return largest;
  return count > 0 ? sum / static_cast<double>(count) : std::nan("");
}

}  // namespace rattleback::reproduce
