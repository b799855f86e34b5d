#include "model/units.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/grammar/suggest.hpp"
#include "model/kind_facts.hpp"
#include "model/reader.hpp"
#include "model/written.hpp"

namespace rattleback {
namespace {

const std::string* written_unit(const Model& model, std::string_view column) {
  if (!model.written || !model.written->text) return nullptr;
  const auto& units = model.written->text->units;
  const auto found = std::find_if(units.begin(), units.end(), [&](const auto& u) { return u.first == column; });
  return found != units.end() ? &found->second : nullptr;
}

// "x[3]'" -> "x'"
std::string of_family(std::string_view column) {
  const std::size_t open = column.find('['), close = column.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::string(column);
  return std::string(column.substr(0, open)) + std::string(column.substr(close + 1));
}

}  // namespace

bool has_units(const Model& model) {
  return model.written && model.written->text && !model.written->text->units.empty();
}

std::string unit_of(const Model& model, std::string_view column) {
  const std::string family = of_family(column);
  for (const std::string_view name : {column, std::string_view(family)})
    if (const std::string* unit = written_unit(model, name)) return *unit;
  if (!column.ends_with('\'')) return "";
  const std::string position = unit_of(model, column.substr(0, column.size() - 1));
  const std::string* const time = written_unit(model, "t");
  return position.empty() || time == nullptr ? "" : fmt::format("{}/{}", position, *time);
}

std::string with_unit(const Model& model, const std::string& column) {
  const std::string unit = unit_of(model, column);
  return unit.empty() ? column : fmt::format("{} ({})", column, unit);
}

std::vector<std::pair<std::string, std::string>> units_of(const Model& model, const std::vector<std::string>& columns) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& column : columns)
    if (std::string unit = unit_of(model, column); !unit.empty()) out.emplace_back(column, std::move(unit));
  return out;
}

namespace front {
namespace {

// What a column may be called, families by their stems, too.
std::vector<std::string> names_with_units(const ModelText& text) {
  const World& world = text.world;
  std::vector<std::string> out = {"t", "energy"};
  const auto add = [&](const Names& names, const char* before, const char* behind) {
    for (const Names::Group& g : names.groups())
      if (g.family) out.push_back(before + g.stem + behind);
    for (const std::string& name : names.all()) out.push_back(before + name + behind);
  };
  add(world.coordinates, "", "");
  if (world.facts().primed) {
    add(world.coordinates, "", "'");
    add(world.coordinates, "", "''");
  }
  add(world.velocities, "", "");
  add(world.quasi, "", "");
  add(world.algebraic, "", "");
  for (const Names* names : {&world.holonomic, &world.nonholonomic}) add(*names, "lambda.", "");
  for (const Definition& d : world.definitions) out.push_back(d.name);
  for (const InvariantText& i : text.invariants) out.push_back("invariant." + i.name);
  add(text.ph.input_names, "u.", "");
  add(text.ph.input_names, "y.", "");
  return out;
}

}  // namespace

void read_units(ModelText& text, Reader& reader, const Value& document) {
  const Value* table = reader.table(document, "units", "units");
  if (table == nullptr) return;
  const std::vector<std::string> known = names_with_units(text);
  for (const Value& v : table->items) {
    if (std::find(known.begin(), known.end(), v.key) == known.end())
      text.world.source.fail(v.key_offset, "[units] names `" + v.key.substr(0, 60) + "`, which is no column. " +
                                               did_you_mean(v.key, known) + "Columns: " + listed(known));
    text.units.emplace_back(v.key, reader.text(v, "the unit of `" + v.key + "`"));
  }
}

}  // namespace front
}  // namespace rattleback
