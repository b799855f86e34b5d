#include "output/state.hpp"

namespace rattleback::report {
namespace {

void put(Json& object, const Names& names, const std::vector<double>& values) {
  auto& members = object.get_ref<Json::object_t&>();  // without the search for equal keys that [] does
  for (std::size_t i = 0; i < values.size(); ++i) members.emplace_back(names[static_cast<std::int32_t>(i)], values[i]);
}

}  // namespace

void put_state(Json& to, const Model& model, const std::vector<double>& q, const std::vector<double>& v) {
  const bool mechanical = model.kind == Kind::mechanical;
  Json first = Json::object(), second = Json::object();
  put(first, model.coordinates, q);
  put(mechanical ? second : first, mechanical ? model.coordinates : model.odae.velocities, v);
  to[mechanical ? "q" : "x"] = std::move(first);
  if (mechanical) to["v"] = std::move(second);
}

std::vector<std::string> state_columns(const Model& model) {
  std::vector<std::string> columns = model.coordinates.all();
  if (model.kind == Kind::mechanical)
    for (const std::string& name : model.coordinates.all()) columns.push_back(name + "'");
  else if (model.kind == Kind::odae)
    for (const std::string& name : model.odae.velocities.all()) columns.push_back(name);
  return columns;
}

}  // namespace rattleback::report
