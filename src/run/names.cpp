#include "run/names.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/grammar/suggest.hpp"
#include "model/kind_facts.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback {

NamedPlace find_place(const Model& model, std::string_view name) {
  using In = NamedPlace::In;
  if (const auto i = model.coordinates.find(name)) return {In::positions, static_cast<std::size_t>(*i)};
  const bool primed = facts_of(model).primed;
  for (std::int32_t i = 0; i < velocity_count(model); ++i)
    if (velocity_name(model, i) == name) return {In::velocities, static_cast<std::size_t>(i)};
  std::string multiplier(name);
  if (name.starts_with("lambda."))
    multiplier = name.substr(7);
  else if (name.starts_with("lambda(") && name.ends_with(')'))
    multiplier = name.substr(7, name.size() - 8);
  else if (primed)
    multiplier.clear();
  const std::int32_t m = model.multiplier_count();
  for (std::int32_t i = 0; i < m && !multiplier.empty(); ++i)
    if (model.multiplier_name(i) == multiplier) return {In::multipliers, static_cast<std::size_t>(i)};
  std::vector<std::string> known = model.coordinates.all();
  for (std::string& each : velocity_names(model)) known.push_back(std::move(each));
  for (std::int32_t i = 0; i < m; ++i) known.push_back((primed ? "lambda." : "") + model.multiplier_name(i));
  throw error_of(fmt::format("'{}' has no `{}`. ", model.name, name) + front::did_you_mean(name, known) +
                 "Known: " + front::listed(known));
}

StateSizes sizes_of(const Model& model) {
  const auto size = [](std::int32_t count) { return static_cast<std::size_t>(count); };
  const std::int32_t q = model.coordinates.size();
  return {size(q), size(velocity_count(model)), size(model.multiplier_count())};
}

std::size_t find_parameter(const Model& model, std::string_view name) {
  const auto& all = model.parameters;
  const auto it = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == name; });
  if (it != all.end()) return static_cast<std::size_t>(it - all.begin());
  std::vector<std::string> known;
  for (const auto& each : all) known.push_back(each.first);
  throw error_of(fmt::format("'{}' has no parameter `{}`. ", model.name, name) + front::did_you_mean(name, known) +
                 "Parameters: " + (known.empty() ? "none" : front::listed(known)));
}

std::size_t Trajectory::index(std::string_view name) const {
  if (model == nullptr) throw Error("this trajectory was made without a model, so its state has no names");
  return find_place(*model, name).index;
}

std::span<const double> Trajectory::Records::row_of(const std::vector<double>& all, std::size_t row) const {
  if (row >= rows) throw Error(fmt::format("there is no record {}: there are {}", row, rows));
  const std::size_t width = all.size() / rows;
  return std::span(all).subspan(row * width, width);
}

}  // namespace rattleback
