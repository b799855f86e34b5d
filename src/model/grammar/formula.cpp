#include "model/grammar/formula.hpp"

#include <algorithm>
#include <charconv>

#include "model/grammar/parser.hpp"
#include "model/grammar/suggest.hpp"
#include "rattleback/error.hpp"

namespace rattleback::front {
namespace {

// The expression as it is quoted in a message: a long one is cut around the place that matters.
std::string quoted(const std::string& text, std::size_t at) {
  constexpr std::size_t kShown = 100;
  std::string shown = text;
  if (text.size() > kShown) {
    const auto inside_character = [&](std::size_t i) {
      return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
    };
    at = std::min(at, text.size());
    std::size_t begin = at > kShown / 2 ? at - kShown / 2 : 0;
    std::size_t end = std::min(begin + kShown, text.size());
    while (begin > 0 && inside_character(begin)) --begin;
    while (inside_character(end)) ++end;
    shown = (begin > 0 ? "..." : "") + text.substr(begin, end - begin) + (end < text.size() ? "..." : "");
  }
  for (char& c : shown)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  return "\"" + shown + "\"";
}

}  // namespace

Formula::Formula(const Source& source, std::size_t literal, std::string role_, std::string text_)
    : role(std::move(role_)), text(std::move(text_)), source_(&source), literal_(literal) {
  Parser(*this).parse();
}

Formula::Formula(std::string option, std::string role_, std::string text_)
    : role(std::move(role_)), text(std::move(text_)), option_(std::move(option)) {
  Parser(*this).parse();
}

Formula Formula::constant(const Source& source, std::size_t literal, std::string role, double value) {
  Formula f;
  f.role = std::move(role);
  f.text = number_text(value);
  f.source_ = &source;
  f.literal_ = literal;
  f.nodes.push_back({});
  f.nodes.back().value = value;
  f.nodes.back().end = static_cast<std::uint32_t>(f.text.size());
  f.root = 0;
  return f;
}

std::string Formula::place(std::size_t at) const {
  return source_ != nullptr ? source_->place(source_->inside(literal_, at)) : option_ + ": ";
}

void Formula::fail(std::size_t at, const std::string& what, const Message& advice) const {
  throw error_of(place(at) + what + " in " + role + " " + quoted(text, at) + (advice.empty() ? "" : ". " + advice),
                 source_ != nullptr ? source_->where(source_->inside(literal_, at)) : FilePlace{});
}

KeyPattern parse_key(const Source& source, std::size_t literal, const std::string& role, const std::string& text) {
  return Parser::key(&source, literal, {}, role, text);
}

KeyPattern parse_option_key(const std::string& option, const std::string& role, const std::string& text) {
  return Parser::key(nullptr, 0, option, role, text);
}

std::optional<FunctionKey> parse_function_key(const Source& source, std::size_t literal, const std::string& role,
                                              const std::string& text) {
  if (text.find('(') == std::string::npos) return {};
  return Parser::function_key(source, literal, role, text);
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      {"abs", Op::abs},   {"acos", Op::acos}, {"asin", Op::asin}, {"atan", Op::atan},   {"atan2", Op::atan2},
      {"cos", Op::cos},   {"cosh", Op::cosh}, {"exp", Op::exp},   {"hypot", Op::hypot}, {"log", Op::log},
      {"max", Op::max},   {"min", Op::min},   {"sign", Op::sign}, {"sin", Op::sin},     {"sinh", Op::sinh},
      {"sqrt", Op::sqrt}, {"tan", Op::tan},   {"tanh", Op::tanh}};
  return all;
}

bool is_reserved(std::string_view name) {
  for (const std::string_view word : {"t", "pi", "lambda", "sum", "if", "dt"})
    if (name == word) return true;
  return std::any_of(functions().begin(), functions().end(), [&](const Function& f) { return f.name == name; });
}

}  // namespace rattleback::front
