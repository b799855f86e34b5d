#include "report/mathml.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "model/grammar/formula.hpp"
#include "report/html_text.hpp"

namespace rattleback::report {
namespace {

using front::Ast;
using front::AstNode;
using front::Formula;

constexpr std::string_view kTimes = "<mo>&#x2062;</mo>";  // invisible
constexpr std::string_view kDot = "<mo lspace=\"0.15em\" rspace=\"0.15em\">&#x22C5;</mo>";
constexpr std::string_view kThin = "<mspace width=\"0.17em\"/>";
constexpr std::string_view kMinus = "<mo>&#x2212;</mo>";

std::string tag(std::string_view name, const std::string& content) {
  return fmt::format("<{0}>{1}</{0}>", name, content);
}
std::string row(const std::string& content) { return tag("mrow", content); }
// They grow with what is high, but not with a mere power.
std::string in_parentheses(const std::string& content) {
  bool high = false;
  for (const char* what : {"<mfrac", "<munderover", "<mtable", "<msqrt"})
    high = high || content.find(what) != std::string::npos;
  const std::string stretchy = high ? "" : " stretchy=\"false\"";
  return row("<mo" + stretchy + ">(</mo>" + content + "<mo" + stretchy + ">)</mo>");
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

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What stands below: digits at the end of a name, what follows its first "_", and an index.
struct Symbol {
  std::string base, sub;
  [[nodiscard]] std::string plain() const { return sub.empty() ? base : "<msub>" + base + sub + "</msub>"; }
  [[nodiscard]] std::string power(const std::string& exponent) const {
    return sub.empty() ? "<msup>" + base + exponent + "</msup>" : "<msubsup>" + base + sub + exponent + "</msubsup>";
  }
};

Symbol symbol(std::string_view name, bool primed, const std::string& index = {}) {
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
  if (primed) s.base = "<mover>" + s.base + "<mo>&#x2D9;</mo></mover>";
  return s;
}

class Writer {
 public:
  explicit Writer(const Formula& formula) : f_(formula) {}

  std::vector<std::string> terms(bool equals) {
    std::vector<std::string> out;
    const AstNode& root = f_[f_.root];
    const std::string first = equals ? "<mo form=\"infix\">=</mo>" : "";
    if (const std::int32_t sum = long_sum_over_number(root); sum >= 0) {
      // (a + b + ...)/2 as 1/2 (a + b + ...), which can be broken.
      const std::string half = "<mfrac><mn>1</mn>" + row(factor(f_[root.first].next, true)) + "</mfrac>";
      out = terms_of(f_[sum], first + half + "<mo stretchy=\"false\">(</mo>");
      out.back() += "<mo stretchy=\"false\">)</mo>";
      return out;
    }
    if (!is_sum(root)) return {first + sum_level(f_.root)};
    return terms_of(root, first);
  }

 private:
  // The sum in (a + b + ...)/2, when it has many terms; -1 otherwise.
  [[nodiscard]] std::int32_t long_sum_over_number(const AstNode& n) const {
    constexpr int kMany = 5;
    if (n.kind != Ast::chain || is_sum(n)) return -1;
    const AstNode &above = f_[n.first], &below = f_[above.next];
    if (!is_sum(above) || below.kind != Ast::number || below.joined != Op::div || below.next >= 0) return -1;
    int terms = 0;
    for (std::int32_t child = above.first; child >= 0; child = f_[child].next) ++terms;
    return terms < kMany ? -1 : n.first;
  }

  std::vector<std::string> terms_of(const AstNode& root, const std::string& first) {
    std::vector<std::string> out;
    for (std::int32_t child = root.first; child >= 0; child = f_[child].next)
      out.push_back((child == root.first
                         ? first
                         : fmt::format("<mo form=\"infix\">{}</mo>", f_[child].joined == Op::sub ? "&#x2212;" : "+")) +
                    term_level(child, child == root.first));
    return out;
  }

  [[nodiscard]] bool is_sum(const AstNode& n) const {
    return n.kind == Ast::chain && (second(n).joined == Op::add || second(n).joined == Op::sub);
  }
  [[nodiscard]] const AstNode& second(const AstNode& n) const { return f_[f_[n.first].next]; }

  // Anything, as it stands.
  std::string sum_level(std::int32_t id) {
    const AstNode& n = f_[id];
    if (n.kind == Ast::negate) return std::string(kMinus) + term_level(n.first, false);
    if (!is_sum(n)) return factor_or_product(id, true, true);
    std::string out;
    for (std::int32_t child = n.first; child >= 0; child = f_[child].next) {
      if (child != n.first) out += f_[child].joined == Op::sub ? kMinus : "<mo>+</mo>";
      out += term_level(child, child == n.first);
    }
    return out;
  }

  // A term of a sum: sums and, but for the first, signs need parentheses.
  std::string term_level(std::int32_t id, bool first) {
    const AstNode& n = f_[id];
    if (is_sum(n) || (n.kind == Ast::negate && !first)) return in_parentheses(sum_level(id));
    if (n.kind == Ast::negate) return sum_level(id);
    return factor_or_product(id, true, first);
  }

  // The factors of a product; a division makes a fraction of all that stands in front of it.
  // `leads`: a sign of the first factor can stand in front of all.
  std::string factor_or_product(std::int32_t id, bool last, bool leads) {
    const AstNode& n = f_[id];
    if (n.kind != Ast::chain || is_sum(n)) return factor(id, last);
    std::vector<std::int32_t> factors;  // since the last division
    std::string fraction;               // the divisions so far
    for (std::int32_t child = n.first; child >= 0; child = f_[child].next) {
      if (child != n.first && f_[child].joined == Op::div) {
        const bool alone = fraction.empty() && factors.size() == 1;
        const std::string above = alone ? sum_level(factors[0]) : product(fraction, factors, true, true);
        fraction = "<mfrac>" + row(above) + row(sum_level(child)) + "</mfrac>";
        factors.clear();
      } else {
        factors.push_back(child);
      }
    }
    return product(fraction, factors, last, leads);
  }

  std::string product(const std::string& first, const std::vector<std::int32_t>& factors, bool last, bool leads) {
    std::string out = first;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (!out.empty()) out += begins_with_digit(factors[i]) ? kDot : kTimes;
      if (!out.empty() &&
          (begins_with_function(factors[i]) || (i > 0 && (is_word(factors[i - 1]) || is_word(factors[i])))))
        out += kThin;
      const bool signed_first = leads && out.empty() && f_[factors[i]].kind == Ast::negate;
      if (signed_first) out += kMinus;
      out += factor(signed_first ? f_[factors[i]].first : factors[i], last && i + 1 == factors.size());
    }
    return out;
  }

  [[nodiscard]] bool begins_with_digit(std::int32_t id) const {
    const AstNode& n = f_[id];
    return n.kind == Ast::number || (n.kind == Ast::power && begins_with_digit(n.first));
  }

  // A name of several letters, which would run into its neighbours.
  [[nodiscard]] bool is_word(std::int32_t id) const {
    const AstNode& n = f_[id];
    if (n.kind == Ast::power) return is_word(n.first);
    if (n.kind != Ast::reference) return false;
    const std::string_view name = f_.name_of(n), stem = name.substr(0, name.find_first_of("_0123456789", 1));
    return stem.size() > 1 && greek(stem) == nullptr;
  }

  [[nodiscard]] bool begins_with_function(std::int32_t id) const {
    const AstNode& n = f_[id];
    return (n.kind == Ast::call && n.op != Op::sqrt && n.op != Op::abs && n.op != Op::exp) ||
           (n.kind == Ast::power && begins_with_function(n.first));
  }

  // `last`: nothing follows that could be taken for part of a function's argument.
  std::string factor(std::int32_t id, bool last) {
    const AstNode& n = f_[id];
    switch (n.kind) {
      case Ast::number: return math_number(n.value);
      case Ast::reference: return reference(n).plain();
      case Ast::negate:
      case Ast::chain: return in_parentheses(sum_level(id));
      case Ast::power: return power(n, last);
      case Ast::call: return call(n, {}, last);
      case Ast::apply: return own_function(n);
      case Ast::conditional: return conditional(n);
      case Ast::compare:
        return sum_level(n.first) + (n.op == Op::less ? "<mo>&lt;</mo>" : "<mo>&#x2264;</mo>") +
               sum_level(f_[n.first].next);
      case Ast::sum: return summation(n, last);
      case Ast::rate:
        return "<mfrac><mi mathvariant=\"normal\">d</mi><mrow><mi "
               "mathvariant=\"normal\">d</mi><mi>t</mi></mrow></mfrac>" +
               argument(n.first, last);
      case Ast::multiplier: {
        const std::string index = n.first >= 0 ? sum_level(n.first) : "";
        std::string below = symbol(f_.name_of(n), false, index).plain();
        return "<msub><mi>&#x3BB;</mi>" + row(below) + "</msub>";
      }
    }
    return {};
  }

  Symbol reference(const AstNode& n) {
    return symbol(f_.name_of(n), n.primed, n.first >= 0 ? row(sum_level(n.first)) : "");
  }

  std::string power(const AstNode& n, bool last) {
    const AstNode& base = f_[n.first];
    const std::string exponent = row(sum_level(base.next));
    if (base.kind == Ast::reference) return reference(base).power(exponent);
    if (base.kind == Ast::number && base.value >= 0.0)
      return "<msup>" + row(math_number(base.value)) + exponent + "</msup>";
    if (base.kind == Ast::call && has_power_in_name(base.op)) return call(base, exponent, last);
    return "<msup>" + in_parentheses(sum_level(n.first)) + exponent + "</msup>";
  }

  // sin^2 x
  static bool has_power_in_name(Op op) {
    return op == Op::sin || op == Op::cos || op == Op::tan || op == Op::sinh || op == Op::cosh || op == Op::tanh;
  }

  std::string argument(std::int32_t id, bool last) {
    const AstNode& n = f_[id];
    if (last && n.kind == Ast::reference) return "<mo>&#x2061;</mo>" + std::string(kThin) + reference(n).plain();
    return "<mo>&#x2061;</mo>" + in_parentheses(sum_level(id));
  }

  std::string call(const AstNode& n, const std::string& exponent, bool last) {
    const std::string first = sum_level(n.first);
    if (n.op == Op::sqrt) return tag("msqrt", first);
    if (n.op == Op::abs) return row("<mo>|</mo>" + first + "<mo>|</mo>");
    if (n.op == Op::exp) return "<msup><mi mathvariant=\"normal\">e</mi>" + row(first) + "</msup>";
    std::string name = "f";
    for (const front::Function& function : front::functions())
      if (function.op == n.op) name = function.name;
    if (n.op == Op::log) name = "ln";
    if (n.op == Op::sign) name = "sgn";
    if (name.size() == 4 && name[0] == 'a' && n.op != Op::atan2) name = "arc" + name.substr(1);
    std::string head = tag("mi", name);
    if (!exponent.empty()) head = "<msup>" + head + exponent + "</msup>";
    if (f_[n.first].next < 0) return head + argument(n.first, last);
    return head + "<mo>&#x2061;</mo>" + in_parentheses(first + "<mo>,</mo>" + sum_level(f_[n.first].next));
  }

  std::string own_function(const AstNode& n) {
    std::string arguments;
    for (std::int32_t c = n.first; c >= 0; c = f_[c].next)
      arguments += (arguments.empty() ? "" : "<mo>,</mo>") + sum_level(c);
    return letters(f_.name_of(n)) + "<mo>&#x2061;</mo>" + in_parentheses(arguments);
  }

  std::string conditional(const AstNode& n) {
    const std::int32_t yes = f_[n.first].next, no = f_[yes].next;
    return row("<mo>{</mo><mtable columnalign=\"left left\"><mtr><mtd>" + row(sum_level(yes)) +
               "</mtd><mtd><mtext>if&#xA0;</mtext>" + row(sum_level(n.first)) + "</mtd></mtr><mtr><mtd>" +
               row(sum_level(no)) + "</mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable>");
  }

  std::string summation(const AstNode& n, bool last) {
    const std::int32_t to = f_[n.first].next, body = f_[to].next;
    const std::string out = "<munderover><mo>&#x2211;</mo>" +
                            row(letters(f_.name_of(n)) + "<mo>=</mo>" + sum_level(n.first)) + row(sum_level(to)) +
                            "</munderover>" + term_level(body, false);
    return last ? out : in_parentheses(out);
  }

  const Formula& f_;
};

}  // namespace

std::string math(const std::string& content) {
  return "<math displaystyle=\"true\"><mrow>" + content + "</mrow></math>";
}

std::string math_number(double value) {
  std::string text = fmt::format("{}", value);
  const bool negative = text.starts_with('-');
  if (negative) text.erase(0, 1);
  const auto e = text.find('e');
  std::string out;
  if (e == std::string::npos) {
    out = text == "inf" ? "<mi>&#x221E;</mi>" : tag("mn", text);
  } else {
    std::string power = text.substr(e + 1);
    const bool down = power.starts_with('-');
    power.erase(0, power.find_first_not_of("+-0"));
    if (text.substr(0, e) != "1") out = tag("mn", text.substr(0, e)) + "<mo>&#xD7;</mo>";
    out += "<msup><mn>10</mn>" + row((down ? std::string(kMinus) : "") + tag("mn", power)) + "</msup>";
  }
  return negative ? row(std::string(kMinus) + out) : out;
}

std::string math_name(std::string_view name) {
  const bool primed = name.ends_with('\'');
  if (primed) name.remove_suffix(1);
  std::string_view stem = name, index;
  if (const auto bracket = name.find('['); bracket != std::string_view::npos && name.ends_with(']')) {
    stem = name.substr(0, bracket);
    index = name.substr(bracket + 1, name.size() - bracket - 2);
    index = index.substr(0, index.find('='));
  }
  const bool number = !index.empty() && std::ranges::all_of(index, is_digit);
  return symbol(stem, primed, index.empty() ? "" : number ? tag("mn", html(index)) : tag("mi", html(index))).plain();
}

std::vector<std::string> math_terms(const Formula& formula, bool equals) {
  std::vector<std::string> out = Writer(formula).terms(equals);
  for (std::string& term : out) term = math(term);
  return out;
}

}  // namespace rattleback::report
