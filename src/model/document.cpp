#include "model/document.hpp"

#include <toml++/toml.h>

#include <algorithm>

namespace rattleback::front {
namespace {

constexpr int kMaxKeyParts = 16;

// A dotted key or table header with very many parts would be a tree as deep; refused before a recursive library sees it.
void check_key_depth(const Source& source) {
  const std::string& s = source.text();
  int parts = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const char c = s[i];
    if (c == '#') {
      i = std::min(s.find('\n', i), s.size() - 1);
      parts = 0;
    } else if (c == '"' || c == '\'') {
      const bool multi = s.compare(i, 3, std::string(3, c)) == 0;
      std::size_t k = i + (multi ? 3 : 1);
      const auto closed = [&] { return multi ? s.compare(k, 3, std::string(3, c)) == 0 : s[k] == c || s[k] == '\n'; };
      while (k < s.size() && !closed()) k += c == '"' && s[k] == '\\' ? 2U : 1U;
      i = k + (multi ? 2 : 0);
    } else if (c == '.') {
      if (++parts > kMaxKeyParts) source.fail(i, "a key with more than 16 parts. A model has at most 3, as in [ports.wind.along]");
    } else if (c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == '\n') {
      parts = 0;
    }
  }
}

// What is usually meant where TOML finds a fault.
std::string hint(const Source& source, std::size_t at, std::string_view fault) {
  const char c = at < source.text().size() ? source.text()[at] : '\n';
  const auto says = [&](std::string_view words) { return fault.find(words) != std::string_view::npos; };
  if (says("string") && (c == '\n' || c == '\r')) return ". A string ends on its line, with the quote that began it";
  if (says("expected '='") && (c == '\'' || c == '[')) return ". Such a key stands in quotes: \"theta'\" = 1, \"x[2]\" = 1";
  if (says("could not determine value type") || says("expected digit")) return ". Expressions stand in quotes: m = \"1/4\"";
  return {};
}

Value convert(const Source& source, const toml::node& node) {
  Value value;
  const auto at = [&](const toml::source_position& p) { return source.offset(p.line, p.column); };
  value.offset = at(node.source().begin);
  switch (node.type()) {
    case toml::node_type::table:
      for (auto&& [key, child] : *node.as_table()) {
        value.items.push_back(convert(source, child));
        value.items.back().key = key.str();
        value.items.back().key_offset = at(key.source().begin);
      }
      std::sort(value.items.begin(), value.items.end(),
                [](const Value& a, const Value& b) { return a.key_offset < b.key_offset; });
      break;
    case toml::node_type::array:
      value.type = Value::Type::array;
      for (const toml::node& child : *node.as_array()) value.items.push_back(convert(source, child));
      break;
    case toml::node_type::string:
      value.type = Value::Type::string;
      value.text = node.as_string()->get();
      break;
    case toml::node_type::integer:
      value.type = Value::Type::integer;
      value.number = static_cast<double>(node.as_integer()->get());
      break;
    case toml::node_type::floating_point:
      value.type = Value::Type::number;
      value.number = node.as_floating_point()->get();
      break;
    case toml::node_type::boolean:
      value.type = Value::Type::boolean;
      value.boolean = node.as_boolean()->get();
      break;
    case toml::node_type::none:
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time: value.type = Value::Type::date; break;
  }
  return value;
}

}  // namespace

const Value* Value::find(std::string_view name) const {
  const auto it = std::find_if(items.begin(), items.end(), [&](const Value& v) { return v.key == name; });
  return it == items.end() ? nullptr : &*it;
}

const char* describe(Value::Type type) {
  switch (type) {
    case Value::Type::string: return "a string";
    case Value::Type::integer: return "an integer";
    case Value::Type::number: return "a number";
    case Value::Type::boolean: return "a boolean";
    case Value::Type::array: return "an array";
    case Value::Type::table: return "a table";
    case Value::Type::date: return "a date";
  }
  return "";
}

Value parse_document(const Source& source) {
  if (source.text().size() > kMaxTextSize)
    source.fail(0, "the text has " + std::to_string(source.text().size()) + " bytes; a model has at most " +
                       std::to_string(kMaxTextSize) + ". Write repeated parts as families, x[1:N]");
  check_key_depth(source);
  try {
    const toml::table root = toml::parse(std::string_view(source.text()));
    return convert(source, root);
  } catch (const toml::parse_error& fault) {
    const std::size_t at = source.offset(fault.source().begin.line, fault.source().begin.column);
    source.fail(at, "not valid TOML. " + std::string(fault.description()) + hint(source, at, fault.description()));
  }
}

}  // namespace rattleback::front
