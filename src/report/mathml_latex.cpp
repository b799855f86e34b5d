#include "report/mathml_latex.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace rattleback::report {
namespace {

struct Element {
  std::string name, attributes, text;  // name "": text alone
  std::vector<Element> children;
};

// The small part of XML that formulas are written in.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  std::vector<Element> elements() {
    std::vector<Element> out;
    while (!rest_.empty() && !rest_.starts_with("</")) out.push_back(element());
    return out;
  }

 private:
  Element element() {
    Element out;
    if (rest_[0] != '<') {
      const std::size_t end = std::min(rest_.find('<'), rest_.size());
      out.text = rest_.substr(0, end);
      rest_.remove_prefix(end);
      return out;
    }
    const std::size_t end = std::min(rest_.find('>'), rest_.size() - 1);
    std::string_view tag = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    const bool closed = tag.ends_with('/');
    if (closed) tag.remove_suffix(1);
    const std::size_t blank = std::min(tag.find(' '), tag.size());
    out.name = tag.substr(0, blank);
    out.attributes = tag.substr(blank);
    if (closed) return out;
    out.children = elements();
    const std::size_t close = rest_.find('>');  // of </name>
    rest_.remove_prefix(close == std::string_view::npos ? rest_.size() : close + 1);
    return out;
  }

  std::string_view rest_;
};

struct Letter {
  std::uint32_t code;
  const char* latex;
};
constexpr std::array kLetters = {
    Letter{0x3B1, "\\alpha"},
    Letter{0x3B2, "\\beta"},
    Letter{0x3B3, "\\gamma"},
    Letter{0x3B4, "\\delta"},
    Letter{0x3B5, "\\varepsilon"},
    Letter{0x3B6, "\\zeta"},
    Letter{0x3B7, "\\eta"},
    Letter{0x3B8, "\\theta"},
    Letter{0x3B9, "\\iota"},
    Letter{0x3BA, "\\kappa"},
    Letter{0x3BB, "\\lambda"},
    Letter{0x3BC, "\\mu"},
    Letter{0x3BD, "\\nu"},
    Letter{0x3BE, "\\xi"},
    Letter{0x3C0, "\\pi"},
    Letter{0x3C1, "\\rho"},
    Letter{0x3C3, "\\sigma"},
    Letter{0x3C4, "\\tau"},
    Letter{0x3C5, "\\upsilon"},
    Letter{0x3C6, "\\varphi"},
    Letter{0x3C7, "\\chi"},
    Letter{0x3C8, "\\psi"},
    Letter{0x3C9, "\\omega"},
    Letter{0x393, "\\Gamma"},
    Letter{0x394, "\\Delta"},
    Letter{0x398, "\\Theta"},
    Letter{0x39B, "\\Lambda"},
    Letter{0x39E, "\\Xi"},
    Letter{0x3A0, "\\Pi"},
    Letter{0x3A3, "\\Sigma"},
    Letter{0x3A5, "\\Upsilon"},
    Letter{0x3A6, "\\Phi"},
    Letter{0x3A8, "\\Psi"},
    Letter{0x3A9, "\\Omega"},
    Letter{0x2113, "\\ell"},
    Letter{0x221E, "\\infty"},
    Letter{0x2212, "-"},
    Letter{0x22C5, "\\cdot"},
    Letter{0xD7, "\\times"},
    Letter{0x2264, "\\le"},
    Letter{0x2265, "\\ge"},
    Letter{0x2211, "\\sum"},
    Letter{0x221A, "\\surd"},
    Letter{0xA0, "~"},
    Letter{0x2062, ""},
    Letter{0x2061, ""},
};
constexpr std::uint32_t kDot = 0x2D9;
constexpr std::string_view kThin = "\\,";

// Functions that LaTeX knows.
constexpr std::array kFunctions = {"sin",  "cos",  "tan",  "arcsin", "arccos", "arctan",
                                   "sinh", "cosh", "tanh", "ln",     "min",    "max"};
constexpr std::array kOperators = {"arsinh", "arcosh", "artanh", "sgn", "atan2", "hypot", "series", "slope"};

// The character that an entity stands for, or 0; `size`: of the entity.
std::uint32_t entity(std::string_view text, std::size_t& size) {
  static constexpr std::array<std::pair<std::string_view, char>, 4> kNamed = {
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}}};
  for (const auto& [name, c] : kNamed)
    if (text.starts_with(name)) {
      size = name.size();
      return static_cast<std::uint32_t>(c);
    }
  const std::size_t end = text.find(';');
  if (!text.starts_with("&#") || end == std::string_view::npos) return 0;
  size = end + 1;
  const bool hex = text.size() > 2 && text[2] == 'x';
  const std::string digits(text.substr(hex ? 3 : 2, end - (hex ? 3 : 2)));
  return static_cast<std::uint32_t>(std::strtoul(digits.c_str(), nullptr, hex ? 16 : 10));
}

// Characters of an element with their entities.
std::string characters(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t size = 1;
    const std::uint32_t code = text[0] == '&' ? entity(text, size) : 0;
    const auto letter = std::ranges::find(kLetters, code, &Letter::code);
    if (code != 0 && letter != kLetters.end())
      out += letter->latex;
    else if (code != 0 && code < 0x80)
      out += latex_text(std::string(1, static_cast<char>(code)));
    else
      out += latex_text(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_function(std::string_view name) { return std::ranges::find(kFunctions, name) != kFunctions.end(); }

// The name of the command that a text ends with, or begins with; "" when it does not.
std::string_view last_command(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_letter(text[begin - 1])) --begin;
  return begin > 0 && text[begin - 1] == '\\' ? text.substr(begin) : std::string_view();
}
std::string_view first_command(std::string_view text) {
  if (!text.starts_with('\\')) return {};
  std::size_t end = 1;
  while (end < text.size() && is_letter(text[end])) ++end;
  return text.substr(1, end - 1);
}

// Commands end where a letter would continue them, and LaTeX puts its own space beside functions.
void append(std::string& out, const std::string& more) {
  if (more.empty()) return;
  const std::string_view before = last_command(out);
  if (more == kThin && is_function(before)) return;
  if (out.ends_with(kThin) && is_function(first_command(more))) out.resize(out.size() - kThin.size());
  if (!last_command(out).empty() && is_letter(more[0])) out += ' ';
  out += more;
}

class Writer {
 public:
  std::string row(const std::vector<Element>& elements) {
    std::string out;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      // A brace with its cases.
      if (text_of(elements[i]) == "{" && i + 1 < elements.size() && elements[i + 1].name == "mtable")
        append(out, "\\left\\{" + one(elements[++i]) + "\\right.");
      else
        append(out, one(elements[i]));
    }
    return out;
  }

 private:
  static std::string text_of(const Element& e) {
    return e.name == "mo" && e.children.size() == 1 ? e.children[0].text : "";
  }
  static bool grows(const Element& e) { return e.attributes.find("stretchy=\"false\"") == std::string::npos; }

  std::string child(const Element& e, std::size_t i) { return i < e.children.size() ? one(e.children[i]) : ""; }
  std::string group(const Element& e, std::size_t i) { return "{" + child(e, i) + "}"; }

  std::string one(const Element& e) {
    if (e.name.empty()) return characters(e.text);
    if (e.name == "mi") return identifier(e);
    if (e.name == "mspace") return std::string(kThin);
    if (e.name == "mtext") return "\\text{" + row(e.children) + "}";
    if (e.name == "mfrac") return "\\frac" + group(e, 0) + group(e, 1);
    if (e.name == "msqrt") return "\\sqrt{" + row(e.children) + "}";
    if (e.name == "msub") return base(e) + "_" + group(e, 1);
    if (e.name == "msup") return base(e) + "^" + group(e, 1);
    if (e.name == "msubsup" || e.name == "munderover") return base(e) + "_" + group(e, 1) + "^" + group(e, 2);
    if (e.name == "mover") return dotted(e) ? "\\dot" + group(e, 0) : "\\overset" + group(e, 1) + group(e, 0);
    if (e.name == "mtable") return "\\begin{array}{ll}" + lines(e) + "\\end{array}";
    if (e.name == "mrow" && e.children.size() > 2 && grows(e.children.front()) &&
        ((text_of(e.children.front()) == "(" && text_of(e.children.back()) == ")") ||
         (text_of(e.children.front()) == "|" && text_of(e.children.back()) == "|")))
      return "\\left" + text_of(e.children.front()) + row({e.children.begin() + 1, e.children.end() - 1}) + "\\right" +
             text_of(e.children.back());
    return row(e.children);  // mn, mrow, math
  }

  // What an index or an exponent is put to.
  std::string base(const Element& e) {
    const bool simple = !e.children.empty() && (e.children[0].name == "mi" || e.children[0].name == "mn" ||
                                                e.children[0].name == "mover" || e.children[0].name == "mo");
    return simple ? child(e, 0) : group(e, 0);
  }

  bool dotted(const Element& e) {
    std::size_t size = 0;
    return e.children.size() == 2 && e.children[1].children.size() == 1 &&
           entity(e.children[1].children[0].text, size) == kDot;
  }

  std::string identifier(const Element& e) {
    std::string name = row(e.children);
    if (e.attributes.find("normal") != std::string::npos) return "\\mathrm{" + name + "}";
    if (is_function(name)) return "\\" + name;
    if (std::ranges::find(kOperators, name) != kOperators.end()) return "\\operatorname{" + name + "}";
    return name.size() > 1 && name[0] != '\\' ? "\\mathit{" + name + "}" : name;
  }

  std::string lines(const Element& table) {
    std::string out;
    for (const Element& line : table.children) {
      if (!out.empty()) out += " \\\\ ";
      for (std::size_t i = 0; i < line.children.size(); ++i)
        out += (i > 0 ? " & " : "") + row(line.children[i].children);
    }
    return out;
  }
};

}  // namespace

std::string latex_text(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '#':
      case '$':
      case '%':
      case '&':
      case '_':
      case '{':
      case '}': out += std::string("\\") + c; break;
      case '\\': out += "\\textbackslash{}"; break;
      case '^': out += "\\textasciicircum{}"; break;
      case '~': out += "\\textasciitilde{}"; break;
      default: out += c;
    }
  return out;
}

std::string latex_of(std::string_view mathml) { return Writer().row(Parser(mathml).elements()); }

}  // namespace rattleback::report
