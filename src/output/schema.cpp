#include "output/schema.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "method/registry.hpp"
#include "model/keys.hpp"
#include "option/option_table.hpp"
#include "output/version.hpp"
#include "rattleback/method.hpp"

namespace rattleback::report {
namespace {

using front::FileKind;
using front::KeyRow;
using front::ValueRule;

Json type(const char* name) { return {{"type", name}}; }

Json any_of(Json a, Json b) { return {{"anyOf", Json::array({std::move(a), std::move(b)})}}; }

Json object_of(Json properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

// --- [run]

// Numbers in range; what is a formula may be anything.
Json number_or_formula(const OptionRow& row) {
  Json number = type(is_whole(row) ? "integer" : "number");
  if (const auto words = words_of(row); !words.empty()) {
    number = {{"enum", Json::array()}};
    for (const std::string_view word : words) number["enum"].push_back(Json::parse(word));
  } else if (const auto holds = row.holds; holds != nullptr && !holds(-1.0)) {  // a range is found by what lies in it
    if (holds(0.0))
      number["minimum"] = 0;
    else if (holds(0.5))
      number["exclusiveMinimum"] = 0;
    else
      number["minimum"] = 1;
    if (!holds(1.0)) number["exclusiveMaximum"] = 1;
  }
  // A model's run goes forwards.
  if (row.name == "step" || row.name == "until") number["exclusiveMinimum"] = 0;
  return any_of(std::move(number), type("string"));
}

Json words_or_text(const OptionRow& row) {
  Json words = Json::array();
  for (const std::string_view word : words_of(row)) words.push_back(word);
  if (!words.empty()) return {{"enum", std::move(words)}};
  if (row.name != "method") return type("string");
  for (const MethodInfo& info : methods()) {
    words.push_back(info.name);
    for (const std::string_view alias : info.aliases) words.push_back(alias);
  }
  for (const std::string_view name : left_out_methods()) words.push_back(name);
  return any_of({{"enum", std::move(words)}},
                {{"type", "string"}, {"pattern", "^[^-]*_[^-]*$"}});  // rk_gauss is rk-gauss
}

Json option_value(const OptionRow& row) {
  switch (shape_of(row.field)) {
    case Shape::flag: return type("boolean");
    case Shape::whole:
    case Shape::number: return number_or_formula(row);
    case Shape::text: return words_or_text(row);
    case Shape::texts: return any_of(type("string"), {{"type", "array"}, {"items", type("string")}});
    case Shape::numbers:
    case Shape::values:
    case Shape::none: break;
  }
  return type("string");
}

Json run_table() {
  Json properties = Json::object();
  for (const std::string& name : option_names(Place::model_file)) {
    const OptionRow& row = option_row(name);
    Json value;
    if (row.word.empty()) {
      value = option_value(row);
    } else {  // a list of words, or one alone
      Json words = {{"enum", Json::array()}};
      for (const OptionRow& each : option_table())
        if (each.name == name && each.places.has(Place::model_file)) words["enum"].push_back(each.word);
      value = any_of(words, {{"type", "array"}, {"items", words}});
    }
    value["description"] =
        fmt::format("{}.{}", row.help, row.name == "until" || row.name == "step" ? " Positive in a file." : "");
    std::string other = name;
    std::replace(other.begin(), other.end(), '-', '_');
    if (other != name) properties[other] = value;  // newton_tol is newton-tol
    properties[name] = std::move(value);
  }
  return object_of(std::move(properties));
}

// --- the rows of model/keys.hpp

Json value_of(const ValueRule& rule);

Json table_of(std::span<const KeyRow> keys) {
  Json properties = Json::object(), required = Json::array();
  for (const KeyRow& row : keys) {
    properties[std::string(row.key)] = value_of(*row.value);
    properties[std::string(row.key)]["description"] = row.about;
    if (row.required) required.push_back(row.key);
  }
  Json out = object_of(std::move(properties));
  if (!required.empty()) out["required"] = std::move(required);
  return out;
}

void put_size(Json& json, const ValueRule& rule, const char* least, const char* most) {
  if (rule.least > 0) json[least] = rule.least;
  if (rule.most > 0) json[most] = rule.most;
}

Json kind_names() {
  Json names = Json::array();
  for (const FileKind& kind : front::file_kinds()) names.push_back(kind.name);
  return {{"enum", std::move(names)}};
}

Json value_of(const ValueRule& rule) {
  using What = ValueRule::What;
  switch (rule.what) {
    case What::text:
    case What::expression: return type("string");
    case What::formula: return {{"type", {"number", "string"}}};
    case What::boolean: return type("boolean");
    case What::format: return {{"enum", front::kFormats}};
    case What::kind: return kind_names();
    case What::run: return run_table();
    case What::table: return table_of(rule.keys);
    case What::either: return any_of(value_of(*rule.each), value_of(*rule.other));
    case What::list: {
      Json list = {{"type", "array"}, {"items", value_of(*rule.each)}};
      put_size(list, rule, "minItems", "maxItems");
      return list;
    }
    case What::entries: {
      Json entries = {{"type", "object"}, {"additionalProperties", value_of(*rule.each)}};
      if (!rule.pattern.empty()) entries["propertyNames"] = {{"pattern", rule.pattern}};
      put_size(entries, rule, "minProperties", "maxProperties");
      return entries;
    }
  }
  return Json::object();
}

// What any kind has at its top, so that editors complete and explain it: where kinds differ, one of what they say.
Json all_keys() {
  Json all = Json::object();
  for (const FileKind& kind : front::file_kinds())
    for (const KeyRow& row : kind.keys) {
      Json& known = all[std::string(row.key)];
      Json value = value_of(*row.value);
      if (known.is_null()) known = Json::array();
      value["description"] = row.about;
      if (std::find(known.begin(), known.end(), value) == known.end()) known.push_back(std::move(value));
    }
  for (auto& [key, values] : all.items()) values = values.size() == 1 ? Json(values[0]) : Json{{"anyOf", Json(values)}};
  return all;
}

}  // namespace

Json model_schema() {
  Json rules = Json::array(), kinds = Json::object();
  for (const FileKind& kind : front::file_kinds()) {
    const bool usual = &kind == front::file_kinds().data();
    Json named = {{"properties", {{"kind", {{"const", kind.name}}}}}};
    if (!usual) named["required"] = Json::array({"kind"});
    rules.push_back({{"if", std::move(named)}, {"then", {{"$ref", fmt::format("#/$defs/{}", kind.name)}}}});
    Json& def = kinds[std::string(kind.name)] = table_of(kind.keys);
    def["description"] = kind.about;
  }
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "Model file of Rattleback"},
          {"description",
           fmt::format("Written by `rattleback schema`, version {}. What formulas may contain is not said here: "
                       "`rattleback check FILE` tells.",
                       kVersion)},
          {"type", "object"},
          {"properties", all_keys()},
          {"allOf", std::move(rules)},
          {"$defs", std::move(kinds)}};
}

}  // namespace rattleback::report
