#include "run/option_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "model/grammar/suggest.hpp"
#include "option/option_table.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

template <class Number>
Number number_of(const OptionRow& row, const std::string& text) {
  Number x{};
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, x);
  if (fault != std::errc{} || stop != end || text.empty())
    throw Error(fmt::format("{} takes a {}number, found '{}'", flag_of(row), is_whole(row) ? "whole " : "", text));
  if (const std::string wrong = fault_of(row, static_cast<double>(x)); !wrong.empty()) throw Error(wrong);
  return x;
}

OptionValue value_from(const OptionRow& row, const std::string& text) {
  switch (shape_of(row.field)) {
    case Shape::flag:
      if (text != "true" && text != "false")
        throw Error(fmt::format("{} takes true or false, found '{}'", flag_of(row), text));
      return text == "true";
    case Shape::whole: {
      const auto x = number_of<std::int64_t>(row, text);
      if (x > largest_of(row.field)) throw Error(fmt::format("{}: {} is too large", flag_of(row), x));
      return x;
    }
    case Shape::number: return number_of<double>(row, text);
    case Shape::text:
      if (const std::string wrong = fault_of(row, text); !wrong.empty()) throw Error(wrong);
      return text;
    case Shape::texts: return std::vector<std::string>{text};
    case Shape::numbers:
    case Shape::values:
    case Shape::none: break;
  }
  throw Error(fmt::format("{} is no option that a text could give", flag_of(row)));
}

}  // namespace

void put_option(Options& options, std::string_view name, const std::string& value) {
  const std::span<const OptionRow> table = option_table();
  const auto named = [&](const OptionRow& row) { return row.name == name && (row.word.empty() || row.word == value); };
  const auto row = std::find_if(table.begin(), table.end(), named);
  if (row != table.end())
    return set_value(row->field, options, row->word.empty() ? value_from(*row, value) : OptionValue(true));
  std::vector<std::string> known;
  for (const OptionRow& each : table)
    if (std::find(known.begin(), known.end(), each.name) == known.end()) known.emplace_back(each.name);
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    std::string words;
    for (const OptionRow& each : table)
      if (each.name == name) words += fmt::format("{}{}", words.empty() ? "" : ", ", each.word);
    throw Error(fmt::format("--{} takes {}, found '{}'", name, words, value));
  }
  throw error_of(fmt::format("unknown option `{}`. ", name) + front::did_you_mean(name, known) +
                 "Options: " + front::listed(known));
}

std::string exact_text(double x) { return fmt::format("{}", x); }

}  // namespace rattleback
