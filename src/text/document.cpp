#include "text/document.hpp"

// toml++ 3.3 states what it expects of some malformed texts ("x = ]") only as assertions, which in a release build are
// promises to the optimiser. Here they become exceptions, in every build; so the library is used as headers.
#undef NDEBUG
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : rattleback::front::toml_assertion_fails())
namespace rattleback::front {
struct TomlAssertion {};
[[noreturn]] inline void toml_assertion_fails() { throw TomlAssertion(); }
}  // namespace rattleback::front
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>

namespace rattleback::front {
namespace {

constexpr int kMaxKeyParts = 16;
constexpr int kMaxBrackets = 64;  // the library would take 256, and needs more than a kilobyte of stack for each

// The last character of the string that begins at i: its closing quote, or the end of what can belong to it.
std::size_t string_end(const std::string& s, std::size_t i) {
  const char quote = s[i];
  const bool multi = s.compare(i, 3, std::string(3, quote)) == 0;
  std::size_t k = i + (multi ? 3 : 1);
  const auto closed = [&] {
    return multi ? s.compare(k, 3, std::string(3, quote)) == 0 : s[k] == quote || s[k] == '\n';
  };
  while (k < s.size() && !closed()) k += quote == '"' && s[k] == '\\' ? 2U : 1U;
  if (!multi) return k < s.size() && s[k] == '\n' ? k - 1 : k;
  k += 2;
  for (int more = 0; more < 2 && k + 1 < s.size() && s[k + 1] == quote; ++more) ++k;  // quotes that belong to the text
  return k;
}

// Refused before the TOML library sees it: a table header that begins with no key ("[+]"), characters outside ASCII in a
// key or number, keys of so many parts and arrays so deep that they would exhaust the stack.
void check_shape(const Source& source) {
  const std::string& s = source.text();
  const auto at = [&](std::size_t i) { return i < s.size() ? s[i] : '\n'; };
  int parts = 0, depth = 0;  // dots of the key at hand; open brackets of the value at hand
  bool line_start = true;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const char c = s[i];
    if (c == '#') {
      while (at(i + 1) != '\n') ++i;
    } else if (c == '"' || c == '\'') {
      i = string_end(s, i);
    } else if ((static_cast<unsigned char>(c) & 0x80U) != 0) {
      source.fail(i, "not valid TOML. Outside of strings and comments only ASCII characters are allowed");
    } else if (c == '.') {
      if (++parts > kMaxKeyParts)
        source.fail(i, "a key with more than 16 parts. A model has at most 3, as in [ports.wind.along]");
    } else if (c == '[' && line_start && depth == 0) {
      std::size_t k = i + (at(i + 1) == '[' ? 2 : 1);
      while (at(k) == ' ' || at(k) == '\t') ++k;
      const bool key = std::isalnum(static_cast<unsigned char>(at(k))) != 0 || at(k) == '_' || at(k) == '-' ||
                       at(k) == '"' || at(k) == '\'';
      if (!key) source.fail(k, "not valid TOML. Expected the name of a table after `[`");
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxBrackets)
        source.fail(i, "arrays and tables nested more than " + std::to_string(kMaxBrackets) + " deep");
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
    if (c == '\n' || c == '=' || c == ',' || c == '[' || c == '{') parts = 0;
    line_start = c == '\n' || (line_start && (c == ' ' || c == '\t'));
  }
}

// What is usually meant where TOML finds a fault.
std::string hint(const Source& source, std::size_t at, std::string_view fault) {
  const char c = at < source.text().size() ? source.text()[at] : '\n';
  const auto says = [&](std::string_view words) { return fault.find(words) != std::string_view::npos; };
  if (says("string") && (c == '\n' || c == '\r')) return ". A string ends on its line, with the quote that began it";
  if (says("expected '='") && (c == '\'' || c == '['))
    return ". Such a key stands in quotes: \"theta'\" = 1, \"x[2]\" = 1";
  if (says("expected '='") && c == ',') return ". Such a key stands in quotes: \"x,y\" = \"1\"";
  if (says("could not determine value type") || says("expected digit"))
    return ". Expressions stand in quotes: m = \"1/4\"";
  return {};
}

// The library reads a text in which every character outside ASCII is a '?' (toml++ 3.3 has undefined behaviour for some
// of them); its strings get their characters back here, from the string that begins at `literal` of the source.
std::string restored(const Source& source, std::size_t literal, const std::string& read) {
  if (source.is_ascii() || read.find('?') == std::string::npos) return read;
  const std::string& s = source.text();
  std::string out;
  std::size_t i = source.content(literal);
  for (std::size_t k = 0; k < read.size() && i < s.size();) {
    const auto lead = static_cast<unsigned char>(s[i]);
    if (lead >= 0x80U) {
      const std::size_t bytes = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
      out += s.substr(i, bytes);
      i += bytes;
      ++k;
    } else {
      const Source::Step step = source.step(i, s[literal]);
      out += read.substr(k, step.bytes);
      i = step.next;
      k += step.bytes;
    }
  }
  return out;
}

// The text with '?' for every character outside ASCII, which keeps lines and columns.
std::string plain(const Source& source) {
  if (source.is_ascii()) return source.text();
  const std::string& s = source.text();
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto c = static_cast<unsigned char>(s[i]);
    if (c < 0x80U) {
      out += s[i];
      continue;
    }
    std::size_t more = c >= 0xF0U ? 3 : c >= 0xE0U ? 2 : 1;
    bool valid = c >= 0xC2U && c <= 0xF4U;
    for (; valid && more > 0; --more) valid = ++i < s.size() && (static_cast<unsigned char>(s[i]) & 0xC0U) == 0x80U;
    if (!valid) source.fail(std::min(i, s.size()), "not valid UTF-8");
    out += '?';
  }
  return out;
}

Value convert(const Source& source, const toml::node& node) {
  Value value;
  const auto at = [&](const toml::source_position& p) { return source.offset(p.line, p.column); };
  value.offset = at(node.source().begin);
  switch (node.type()) {
    case toml::node_type::table:
      for (auto&& [key, child] : *node.as_table()) {
        value.items.push_back(convert(source, child));
        value.items.back().key_offset = at(key.source().begin);
        value.items.back().key = restored(source, value.items.back().key_offset, std::string(key.str()));
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
      value.text = restored(source, value.offset, node.as_string()->get());
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

namespace {

// The last line of the shortest beginning of the text that breaks an assertion.
std::size_t line_of_assertion(const std::string& text) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') ends.push_back(i + 1);
  ends.push_back(text.size());
  const auto breaks = [&](std::size_t end) {
    try {
      (void)toml::parse(std::string_view(text).substr(0, end));
    } catch (const TomlAssertion&) {
      return true;
    } catch (const toml::parse_error&) {
    }
    return false;
  };
  std::size_t low = 0, high = ends.size() - 1;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    breaks(ends[middle]) ? high = middle : low = middle + 1;
  }
  return low + 1;
}

}  // namespace

Value parse_document(const Source& source) {
  if (source.text().size() > kMaxTextSize)
    source.fail(0, "the text has " + std::to_string(source.text().size()) + " bytes; a model has at most " +
                       std::to_string(kMaxTextSize) + ". Write repeated parts as families, x[1:N]");
  const std::string text = plain(source);
  check_shape(source);
  try {
    const toml::table root = toml::parse(std::string_view(text));
    return convert(source, root);
  } catch (const toml::parse_error& fault) {
    const std::size_t at = source.offset(fault.source().begin.line, fault.source().begin.column);
    source.fail(at, "not valid TOML. " + std::string(fault.description()) + hint(source, at, fault.description()));
  } catch (const TomlAssertion&) {
    const std::size_t line = line_of_assertion(text);
    source.fail(source.offset(line, 1),
                "not valid TOML. A key or a value is missing in this line, or a bracket or comma is misplaced");
  }
}

}  // namespace rattleback::front
