#include "output/state.hpp"
#include "model/kind_facts.hpp"

namespace rattleback::report {
namespace {

void put(Json& object, const Names& names, const std::vector<double>& values) {
  auto& members = object.get_ref<Json::object_t&>();  // without the search for equal keys that [] does
  for (std::size_t i = 0; i < values.size(); ++i) members.emplace_back(names[static_cast<std::int32_t>(i)], values[i]);
}

}  // namespace

Json state_by_name(const Model& model, const std::vector<double>& q, const std::vector<double>& v) {
  Json json = Json::object();
  put(json, model.coordinates, q);
  auto& members = json.get_ref<Json::object_t&>();
  for (std::size_t i = 0; i < v.size(); ++i)
    members.emplace_back(velocity_name(model, static_cast<std::int32_t>(i)), v[i]);
  return json;
}

void put_state(Json& to, const Model& model, const std::vector<double>& q, const std::vector<double>& v) {
  const KindFacts& facts = facts_of(model);
  if (!facts.primed) {
    to[facts.state_key] = state_by_name(model, q, v);
    return;
  }
  Json velocities = Json::object();
  put(velocities, model.coordinates, v);
  to[facts.state_key] = state_by_name(model, q, {});
  to["v"] = std::move(velocities);
}

std::vector<std::string> state_columns(const Model& model) {
  std::vector<std::string> columns = model.coordinates.all();
  for (std::string& name : velocity_names(model)) columns.push_back(std::move(name));
  return columns;
}

}  // namespace rattleback::report
