#include "report/mathml_symbol.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "report/html_text.hpp"

namespace rattleback::report {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string tag(std::string_view name, const std::string& content) {
  return fmt::format("<{0}>{1}</{0}>", name, content);
}
const char* greek(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 39> kLetters = {{
      {"alpha", "&#x3B1;"},   {"beta", "&#x3B2;"},   {"gamma", "&#x3B3;"},     {"delta", "&#x3B4;"},
      {"epsilon", "&#x3B5;"}, {"eps", "&#x3B5;"},    {"zeta", "&#x3B6;"},      {"eta", "&#x3B7;"},
      {"theta", "&#x3B8;"},   {"iota", "&#x3B9;"},   {"kappa", "&#x3BA;"},     {"lambda", "&#x3BB;"},
      {"mu", "&#x3BC;"},      {"nu", "&#x3BD;"},     {"xi", "&#x3BE;"},        {"pi", "&#x3C0;"},
      {"rho", "&#x3C1;"},     {"sigma", "&#x3C3;"},  {"tau", "&#x3C4;"},       {"upsilon", "&#x3C5;"},
      {"phi", "&#x3C6;"},     {"chi", "&#x3C7;"},    {"psi", "&#x3C8;"},       {"omega", "&#x3C9;"},
      {"Gamma", "&#x393;"},   {"Delta", "&#x394;"},  {"Theta", "&#x398;"},     {"Lambda", "&#x39B;"},
      {"Xi", "&#x39E;"},      {"Pi", "&#x3A0;"},     {"Sigma", "&#x3A3;"},     {"Upsilon", "&#x3A5;"},
      {"Phi", "&#x3A6;"},     {"Psi", "&#x3A8;"},    {"Omega", "&#x3A9;"},     {"lam", "&#x3BB;"},
      {"ell", "&#x2113;"},    {"varphi", "&#x3C6;"}, {"infinity", "&#x221E;"},
  }};
  const auto found = std::ranges::find(kLetters, name, &std::pair<std::string_view, const char*>::first);
  return found == kLetters.end() ? nullptr : found->second;
}

std::string letters(std::string_view name) {
  if (const char* letter = greek(name)) return fmt::format("<mi>{}</mi>", letter);
  return tag("mi", html(name));
}

Symbol symbol(std::string_view name, bool primed, const std::string& index) {
  std::string_view stem = name, rest;
  if (const auto underline = name.find('_'); underline != std::string_view::npos && underline > 0) {
    stem = name.substr(0, underline);
    rest = name.substr(underline + 1);
  }
  std::size_t end = stem.size();
  while (end > 1 && is_digit(stem[end - 1])) --end;
  std::string below;
  if (end < stem.size()) below += tag("mn", html(stem.substr(end)));
  if (!rest.empty()) below += (below.empty() ? "" : "<mo>,</mo>") + letters(rest);
  if (!index.empty()) below += (below.empty() ? "" : "<mo>,</mo>") + index;
  Symbol s{.base = letters(stem.substr(0, end)), .sub = below.empty() ? "" : row(below)};
  // Between the heights of a name of several letters a usual dot is lost.
  const bool word = end > 1 && greek(stem.substr(0, end)) == nullptr;
  if (primed)
    s.base =
        "<mover>" + s.base + (word ? "<mo stretchy=\"false\" mathsize=\"170%\">" : "<mo>") + "&#x2D9;</mo></mover>";
  return s;
}

std::size_t width_of(std::string_view mathml) {
  std::size_t out = 0;
  while (!mathml.empty()) {
    std::size_t size = 1;
    if (mathml[0] == '<') {
      size = mathml.find('>') + 1;
    } else {
      if (mathml[0] == '&') size = mathml.find(';') + 1;
      const std::string_view shown = mathml.substr(0, size);
      if (shown != "&#x2062;" && shown != "&#x2061;") ++out;  // invisible
    }
    mathml.remove_prefix(size);
  }
  return out;
}

}  // namespace rattleback::report
