// Formulas as MathML. Browsers do not break its lines: what is wide comes in pieces, with signs in front, and the page puts as
// many of them into a line as there is room for.
#include "report/mathml.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

#include "model/grammar/formula.hpp"
#include "report/html_text.hpp"
#include "report/mathml_symbol.hpp"

namespace rattleback::report {
namespace {

using front::Ast;
using front::AstNode;
using front::Formula;

constexpr std::string_view kTimes = "<mo>&#x2062;</mo>";  // invisible
constexpr std::string_view kDot = "<mo lspace=\"0.15em\" rspace=\"0.15em\">&#x22C5;</mo>";
constexpr std::string_view kThin = "<mspace width=\"0.17em\"/>";
constexpr std::string_view kMinus = "<mo>&#x2212;</mo>";
constexpr std::string_view kOpen = "<mo stretchy=\"false\">(</mo>", kClose = "<mo stretchy=\"false\">)</mo>";
constexpr std::size_t kWide = 32;  // characters; what is wider is broken where it can be: a line of a phone has 40

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// They grow with what is high, but not with a mere power.
std::string in_parentheses(const std::string& content) {
  bool high = false;
  for (const char* what : {"<mfrac", "<munderover", "<mtable", "<msqrt"})
    high = high || content.find(what) != std::string::npos;
  const std::string stretchy = high ? "" : " stretchy=\"false\"";
  return row("<mo" + stretchy + ">(</mo>" + content + "<mo" + stretchy + ">)</mo>");
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
      return wrapped(first + half + std::string(kOpen), terms_of(f_[sum]), std::string(kClose));
    }
    return wrapped(first, is_sum(root) ? terms_of(root) : pieces(f_.root), "");
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

  using Pieces = std::vector<std::string>;

  static Pieces wrapped(const std::string& before, Pieces pieces, const std::string& after) {
    pieces.front() = before + pieces.front();
    pieces.back() += after;
    return pieces;
  }
  static void append(Pieces& out, Pieces more) { std::ranges::move(more, std::back_inserter(out)); }

  Pieces terms_of(const AstNode& root) {
    Pieces out;
    for (std::int32_t child = root.first; child >= 0; child = f_[child].next) {
      const bool leads = child == root.first;
      const std::string sign =
          leads ? "" : fmt::format("<mo form=\"infix\">{}</mo>", f_[child].joined == Op::sub ? "&#x2212;" : "+");
      append(out, wrapped(sign, term_pieces(child, leads), ""));
    }
    return out;
  }

  // As sum_level(), term_level(), factor_or_product() and factor(), in pieces where that is wide.
  Pieces pieces(std::int32_t id) {
    const AstNode& n = f_[id];
    std::string whole = sum_level(id);
    if (width_of(whole) <= kWide) return {std::move(whole)};
    if (n.kind == Ast::negate) return wrapped(std::string(kMinus), term_pieces(n.first, false), "");
    return is_sum(n) ? terms_of(n) : product_pieces(id, true);
  }

  Pieces term_pieces(std::int32_t id, bool first) {
    const AstNode& n = f_[id];
    std::string whole = term_level(id, first);
    if (width_of(whole) <= kWide) return {std::move(whole)};
    if (is_sum(n) || (n.kind == Ast::negate && !first))
      return wrapped(std::string(kOpen), pieces(id), std::string(kClose));
    return n.kind == Ast::negate ? pieces(id) : product_pieces(id, first);
  }

  // Narrow divisors make a fraction in front of all, wide ones stand at the end, behind a slash.
  Pieces product_pieces(std::int32_t id, bool leads) {
    const AstNode& n = f_[id];
    if (n.kind != Ast::chain || is_sum(n)) return factor_pieces(id);
    Pieces out, behind;
    std::vector<std::int32_t> run, below;  // narrow factors that follow each other
    const auto put = [&](Pieces more) {
      append(out, out.empty() ? std::move(more) : wrapped(std::string(kDot), std::move(more), ""));
    };
    const auto flush = [&] {
      if (!run.empty()) put({product("", run, false, leads && out.empty())});
      run.clear();
    };
    for (std::int32_t child = n.first; child >= 0; child = f_[child].next) {
      if (child != n.first && f_[child].joined == Op::div) {
        if (width_of(sum_level(child)) <= kWide)
          below.push_back(child);
        else
          append(behind, wrapped("<mo>/</mo>" + std::string(kOpen), pieces(child), std::string(kClose)));
        continue;
      }
      run.push_back(child);
      if (width_of(product("", run, false, leads)) <= kWide) continue;
      run.pop_back();
      flush();
      if (width_of(factor(child, false)) <= kWide)
        run.push_back(child);
      else
        put(factor_pieces(child));
    }
    flush();
    if (!below.empty())
      out.front() =
          "<mfrac><mn>1</mn>" + row(product("", below, true, true)) + "</mfrac>" + std::string(kTimes) + out.front();
    append(out, std::move(behind));
    return out;
  }

  Pieces factor_pieces(std::int32_t id) {
    const AstNode& n = f_[id];
    const std::string open(kOpen), close(kClose);
    if (n.kind == Ast::negate || n.kind == Ast::chain) return wrapped(open, pieces(id), close);
    if (n.kind == Ast::power) {
      const AstNode& base = f_[n.first];
      const std::string exponent = row(sum_level(base.next));
      if (base.kind == Ast::call && has_power_in_name(base.op)) return call_pieces(base, exponent);
      if (base.kind == Ast::reference || base.kind == Ast::number) return {factor(id, false)};
      return wrapped(open, pieces(n.first), "<msup>" + close + exponent + "</msup>");
    }
    if (n.kind == Ast::call) return call_pieces(n, {});
    if (n.kind == Ast::rate) return wrapped(rate() + open, pieces(n.first), close);
    if (n.kind == Ast::sum) {
      const std::int32_t body = f_[f_[n.first].next].next;
      return wrapped(open + sum_head(n), term_pieces(body, false), close);
    }
    return {factor(id, false)};
  }

  // sin (...), and what has no brackets of its own gets them.
  Pieces call_pieces(const AstNode& n, const std::string& exponent) {
    if (f_[n.first].next >= 0) return {call(n, exponent, false)};
    if (n.op == Op::abs) return wrapped("<mo form=\"prefix\">|</mo>", pieces(n.first), "<mo form=\"postfix\">|</mo>");
    const std::string head = n.op == Op::sqrt ? "<mo>&#x221A;</mo>" : function_name(n, exponent) + "<mo>&#x2061;</mo>";
    return wrapped(head + std::string(kOpen), pieces(n.first), std::string(kClose));
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
      case Ast::rate: return rate() + argument(n.first, last);
      case Ast::multiplier: {
        const std::string index = n.first >= 0 ? sum_level(n.first) : "";
        std::string below = symbol(f_.name_of(n), false, index).plain();
        return "<msub><mi>&#x3BB;</mi>" + row(below) + "</msub>";
      }
    }
    return {};
  }

  static std::string rate() {
    return "<mfrac><mi mathvariant=\"normal\">d</mi><mrow><mi mathvariant=\"normal\">d</mi><mi>t</mi></mrow></mfrac>";
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
    const std::string head = function_name(n, exponent);
    if (f_[n.first].next < 0) return head + argument(n.first, last);
    return head + "<mo>&#x2061;</mo>" + in_parentheses(first + "<mo>,</mo>" + sum_level(f_[n.first].next));
  }

  static std::string function_name(const AstNode& n, const std::string& exponent) {
    std::string name = "f";
    for (const front::Function& function : front::functions())
      if (function.op == n.op) name = function.name;
    if (n.op == Op::log) name = "ln";
    if (n.op == Op::sign) name = "sgn";
    if (name.size() == 4 && name[0] == 'a' && n.op != Op::atan2) name = "arc" + name.substr(1);
    const std::string head = tag("mi", name);
    return exponent.empty() ? head : "<msup>" + head + exponent + "</msup>";
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
    const std::string out = sum_head(n) + term_level(f_[f_[n.first].next].next, false);
    return last ? out : in_parentheses(out);
  }

  std::string sum_head(const AstNode& n) {
    return "<munderover><mo>&#x2211;</mo>" + row(letters(f_.name_of(n)) + "<mo>=</mo>" + sum_level(n.first)) +
           row(sum_level(f_[n.first].next)) + "</munderover>";
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
