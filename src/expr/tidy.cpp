// A sum of monomials in atoms. An atom is what is not taken apart: a name, a function of a tidy argument, a sum that is not
// multiplied out. Atoms are known by their texts, so that equal ones are one.
#include "expr/tidy.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "expr/instructions.hpp"
#include "expr/parameters.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

constexpr std::size_t kMostTerms = 40;         // of a product that is multiplied out
constexpr std::size_t kLongest = 20'000;       // characters
constexpr std::size_t kMostWork = 10'000'000;  // characters and terms, in all

// In the order in which they stand in a product.
enum class AtomKind : std::uint8_t { parameter, position, function, velocity };

struct Atom {
  std::string text;
  AtomKind kind = AtomKind::position;
  int order = 0;     // among parameters: as they are declared
  bool sum = false;  // needs parentheses in a product
  int sine = -1;     // of a cosine: the atom of the sine of the same, when there is one
};

using Power = std::pair<int, int>;  // atom, exponent
using Monomial = std::vector<Power>;
struct Term {
  Monomial factors;  // ascending by atom
  double number = 0.0;
};
using Sum = std::vector<Term>;  // in the order in which they came; none with number 0

Monomial times(const Monomial& a, const Monomial& b) {
  Monomial out;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].first < b[j].first)) {
      out.push_back(a[i++]);
    } else if (i == a.size() || b[j].first < a[i].first) {
      out.push_back(b[j++]);
    } else {
      if (const int e = a[i].second + b[j].second; e != 0) out.emplace_back(a[i].first, e);
      ++i, ++j;
    }
  }
  return out;
}

Monomial inverse(Monomial m) {
  for (Power& p : m) p.second = -p.second;
  return m;
}

// Like terms together; what cancels but for rounding is gone.
Sum collected(Sum sum) {
  std::map<Monomial, std::size_t> places;
  Sum out;
  std::vector<double> sizes;
  for (Term& term : sum) {
    const auto [it, fresh] = places.try_emplace(term.factors, out.size());
    if (fresh) {
      sizes.push_back(std::fabs(term.number));
      out.push_back(std::move(term));
    } else {
      out[it->second].number += term.number;
      sizes[it->second] += std::fabs(term.number);
    }
  }
  Sum left;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (std::fabs(out[i].number) > 1e-14 * sizes[i]) left.push_back(std::move(out[i]));
  return left;
}

// x as a fraction with a small denominator, if it is one.
std::pair<double, int> fraction(double x) {
  for (int below = 1; below <= 60; ++below)
    if (const double above = x * below;
        std::fabs(above) < 1e15 && std::fabs(above - std::round(above)) <= 1e-15 * std::fabs(above))
      return {std::round(above), below};
  return {x, 1};
}

}  // namespace

class TidyText::Writer {
 public:
  Writer(const Graph& g, std::vector<std::string> parameters, std::function<std::string(const Node&)> variable)
      : g_(g), parameters_(std::move(parameters)), variable_(std::move(variable)) {}

  std::string operator()(NodeId id) { return text(sum_of(id)); }

 private:
  // --- atoms

  int atom(const std::string& text, AtomKind kind, bool sum = false) {
    spend(text.size());
    if (text.size() > kLongest) too_long();
    const auto [it, fresh] = numbers_.try_emplace(text, static_cast<int>(atoms_.size()));
    if (fresh) atoms_.push_back({.text = text, .kind = kind, .sum = sum});
    return it->second;
  }
  Sum of_parameter(std::uint32_t number) {
    const int a = atom(parameters_[number], AtomKind::parameter);
    atoms_[static_cast<std::size_t>(a)].order = static_cast<int>(number);
    return of_atom(a);
  }
  Sum of_atom(int a, int exponent = 1) { return {{{{a, exponent}}, 1.0}}; }
  static Sum number(double x) { return x == 0.0 ? Sum{} : Sum{{{}, x}}; }
  static bool is_number(const Sum& s) { return s.empty() || (s.size() == 1 && s[0].factors.empty()); }
  static bool is_atom(const Sum& s) {
    return s.size() == 1 && s[0].number == 1.0 && s[0].factors.size() == 1 && s[0].factors[0].second == 1;
  }
  static double value(const Sum& s) { return s.empty() ? 0.0 : s[0].number; }

  Sum call(const std::string& name, const std::vector<Sum>& arguments) {
    std::string inside;
    for (const Sum& s : arguments) inside += (inside.empty() ? "" : ", ") + text(s);
    return of_atom(atom(name + "(" + inside + ")", AtomKind::function));
  }

  // sin and cos know each other; signs come out.
  Sum circular(Op op, Sum x) {
    double sign = 1.0;
    if (!x.empty() && std::ranges::all_of(x, [](const Term& t) { return t.number < 0.0; })) {
      for (Term& t : x) t.number = -t.number;
      if (op == Op::sin) sign = -1.0;
    }
    const std::string inside = text(x);
    const int sine = atom("sin(" + inside + ")", AtomKind::function),
              cosine = atom("cos(" + inside + ")", AtomKind::function);
    atoms_[static_cast<std::size_t>(cosine)].sine = sine;
    Sum out = of_atom(op == Op::sin ? sine : cosine);
    out[0].number = sign;
    return out;
  }

  // --- arithmetic

  Sum add(const Sum& a, const Sum& b, double factor) {
    Sum out = a;
    for (Term t : b) {
      t.number *= factor;
      out.push_back(std::move(t));
    }
    spend(out.size());
    return without_circles(collected(std::move(out)));
  }

  Sum multiply(Sum a, Sum b) {
    if (a.size() * b.size() > kMostTerms) {
      if (a.size() > 1) a = whole(a);
      if (a.size() * b.size() > kMostTerms) b = whole(b);
    }
    Sum out;
    for (const Term& x : a)
      for (const Term& y : b) out.push_back({times(x.factors, y.factors), x.number * y.number});
    spend(out.size());
    return without_circles(collected(std::move(out)));
  }

  // c m (a sum as one atom): what its terms have in common stands in front.
  Sum whole(const Sum& s) {
    if (s.size() <= 1) return s;
    auto [common, rest] = split(s);
    if (rest[0].number < 0.0) {
      for (Term& t : rest) t.number = -t.number;
      common.number = -common.number;
    }
    const int a = atom(terms_text(rest), AtomKind::function, true);
    return {{times(common.factors, {{a, 1}}), common.number}};
  }

  Sum invert(const Sum& s) {
    if (s.empty()) return number(std::nan(""));
    Sum one = whole(s);
    one[0].factors = inverse(std::move(one[0].factors));
    one[0].number = 1.0 / one[0].number;
    return one;
  }

  Sum divide(const Sum& a, const Sum& b) {
    if (const auto ratio = ratio_of(a, b)) return *ratio;
    return multiply(a.size() > 1 && b.size() > 1 ? whole(a) : a, invert(b));
  }

  // a/b where a is b times one term.
  std::optional<Sum> ratio_of(const Sum& a, const Sum& b) {
    if (a.size() != b.size() || a.size() < 2) return {};
    auto [front_a, rest_a] = split(a);
    auto [front_b, rest_b] = split(b);
    for (std::size_t i = 0; i < rest_a.size(); ++i) {
      const auto same = std::ranges::find(rest_b, rest_a[i].factors, &Term::factors);
      if (same == rest_b.end()) return {};
      const double ratio = rest_a[i].number / same->number,
                   first = rest_a[0].number / std::ranges::find(rest_b, rest_a[0].factors, &Term::factors)->number;
      if (std::fabs(ratio - first) > 1e-14 * std::fabs(first)) return {};
      if (i + 1 == rest_a.size())
        return Sum{{times(front_a.factors, inverse(front_b.factors)), front_a.number * first / front_b.number}};
    }
    return {};
  }

  Sum power(const Sum& a, const Sum& b) {
    if (!is_number(b)) return of_atom(atom(raised(a, text(b)), AtomKind::function));
    const double e = value(b);
    if (is_number(a)) return number(std::pow(value(a), e));
    if (e != std::round(e) || std::fabs(e) > 64.0) return of_atom(atom(raised(a, number_text(e)), AtomKind::function));
    const int n = static_cast<int>(e);
    if (n == 0) return number(1.0);
    Sum base = n < 0 ? invert(a) : a;
    if (base.size() > 1 && std::abs(n) > 3) base = whole(base);
    Sum out = base;
    for (int k = 1; k < std::abs(n); ++k) out = multiply(out, base);
    return out;
  }

  // R sin^2 + R cos^2 is R.
  Sum without_circles(Sum s) {
    for (bool again = true; again && s.size() > 1;) {
      again = false;
      for (std::size_t i = 0; i < s.size() && !again; ++i)
        for (const Power& p : s[i].factors) {
          const int sine = atoms_[static_cast<std::size_t>(p.first)].sine;
          if (sine < 0 || p.second < 2) continue;
          const Monomial rest = times(s[i].factors, {{p.first, -2}}), other = times(rest, sine_squared(sine));
          const auto partner = std::ranges::find(s, other, &Term::factors);
          if (partner == s.end() || std::fabs(partner->number - s[i].number) > 1e-14 * std::fabs(s[i].number)) continue;
          s[i].factors = rest;
          s.erase(partner);
          again = true;
          break;
        }
      if (again) s = collected(std::move(s));
    }
    return s;
  }
  static Monomial sine_squared(int sine) { return {{sine, 2}}; }

  // --- from the graph

  Sum sum_of(NodeId root) {
    std::vector<NodeId> open = {root};
    while (!open.empty()) {
      const NodeId id = open.back();
      if (known_.contains(id)) {
        open.pop_back();
        continue;
      }
      bool ready = true;
      for (const NodeId k : arguments(id))
        if (!known_.contains(k)) {
          open.push_back(k);
          ready = false;
        }
      if (!ready) continue;
      known_.emplace(id, made_of(id));
      open.pop_back();
    }
    return known_.at(root);
  }

  // Also of a constant that is made of parameters.
  [[nodiscard]] std::vector<NodeId> arguments(NodeId id) const {
    const Node& n = g_[id];
    if (n.op == Op::constant) {
      if (n.c < kMadeByOperation) return {};
      return arity(op_that_made(n.c)) > 1 ? std::vector{n.a, n.b} : std::vector{n.a};
    }
    switch (arity(n.op)) {
      case 0: return {};
      case 1: return {n.a};
      case 2: return {n.a, n.b};
      default: return {n.a, n.b, n.c};
    }
  }

  Sum made_of(NodeId id) {
    const Node& n = g_[id];
    if (n.count != 0 || n.op == Op::sum || n.op == Op::index || n.op == Op::table)
      throw Error("families are not written out; load the model with smaller ones");
    if (n.op == Op::constant) {
      if (n.c == kMadeByParameter && n.a < parameters_.size()) return of_parameter(n.a);
      if (n.c < kMadeByOperation) return number(n.value);
      return operation(op_that_made(n.c), arguments(id), id);
    }
    if (n.op == Op::variable || n.op == Op::input)
      return of_atom(
          atom(variable_(n), n.op == Op::variable && n.space == kVelocity ? AtomKind::velocity : AtomKind::position));
    return operation(n.op, arguments(id), id);
  }

  Sum operation(Op op, const std::vector<NodeId>& of, NodeId id) {
    const auto x = [&](std::size_t i) -> const Sum& { return known_.at(of[i]); };
    switch (op) {
      case Op::neg: return add({}, x(0), -1.0);
      case Op::add: return add(x(0), x(1), 1.0);
      case Op::sub: return add(x(0), x(1), -1.0);
      case Op::mul: return multiply(x(0), x(1));
      case Op::div: return divide(x(0), x(1));
      case Op::pow: return power(x(0), x(1));
      case Op::sin:
      case Op::cos: return circular(op, x(0));
      case Op::less:
      case Op::less_equal:
        return of_atom(atom(text(x(0)) + (op == Op::less ? " < " : " <= ") + text(x(1)), AtomKind::function, true));
      case Op::select: {
        const Op condition = g_[of[0]].op;  // in the text it is a comparison
        const Sum compared = condition == Op::less || condition == Op::less_equal
                                 ? x(0)
                                 : of_atom(atom("0 < abs(" + text(x(0)) + ")", AtomKind::function, true));
        return call("if", {compared, x(1), x(2)});
      }
      case Op::tan:
      case Op::asin:
      case Op::acos:
      case Op::atan:
      case Op::sinh:
      case Op::cosh:
      case Op::tanh:
      case Op::exp:
      case Op::log:
      case Op::sqrt:
      case Op::abs:
      case Op::sign:
      case Op::atan2:
      case Op::min:
      case Op::max:
      case Op::hypot: {
        std::vector<Sum> arguments;
        for (std::size_t i = 0; i < of.size(); ++i) arguments.push_back(x(i));
        return call(name_of(op), arguments);
      }
      case Op::lookup:
      case Op::lookup_slope: return call(fmt::format("{}{}", op == Op::lookup ? "series" : "slope", g_[id].c), {x(0)});
      case Op::constant:
      case Op::variable:
      case Op::index:
      case Op::table:
      case Op::input:
      case Op::sum: break;
    }
    return {};
  }

  // --- texts

  // Parentheses where the whole is not one factor.
  std::string raised(const Sum& base, const std::string& exponent) {
    const bool bare = is_atom(base) && !atoms_[static_cast<std::size_t>(base[0].factors[0].first)].sum;
    const std::string below = text(base);
    return (bare ? below : "(" + below + ")") + "^(" + exponent + ")";
  }

  static std::string number_text(double x) { return fmt::format("{}", x); }

  // What all terms have in common, and the rest.
  std::pair<Term, Sum> split(const Sum& s) {
    Term common{s[0].factors, 1.0};
    for (const Term& t : s) {
      Monomial both;
      for (const Power& p : common.factors)
        for (const Power& q : t.factors)
          if (p.first == q.first && (p.second > 0) == (q.second > 0))
            both.emplace_back(p.first, p.second > 0 ? std::min(p.second, q.second) : std::max(p.second, q.second));
      common.factors = std::move(both);
    }
    // A denominator or number that all have.
    const double size = std::fabs(s[0].number);
    if (std::ranges::all_of(s, [&](const Term& t) { return std::fabs(t.number) == size; })) common.number = size;
    Sum rest = s;
    for (Term& t : rest) {
      t.factors = times(t.factors, inverse(common.factors));
      t.number /= common.number;
    }
    return {common, rest};
  }

  std::string text(const Sum& s) {
    if (s.empty()) return "0";
    if (is_atom(s)) return atoms_[static_cast<std::size_t>(s[0].factors[0].first)].text;
    if (s.size() == 1) return term_text(s[0], true);
    auto [common, rest] = split(s);
    std::string out;
    if (common.factors.empty() && common.number == 1.0) {
      out = terms_text(rest);
    } else {
      if (std::ranges::all_of(rest, [](const Term& t) { return t.number < 0.0; })) {
        for (Term& t : rest) t.number = -t.number;
        common.number = -common.number;
      }
      const int sum = atom(terms_text(rest), AtomKind::velocity, true);
      common.factors = times(common.factors, {{sum, 1}});
      out = term_text(common, true);
    }
    if (out.size() > kLongest) too_long();
    return out;
  }

  std::string terms_text(const Sum& s) {
    // A positive term in front, if there is one.
    std::size_t first = 0;
    while (first < s.size() && s[first].number < 0.0) ++first;
    if (first == s.size()) first = 0;
    std::string out = term_text(s[first], true);
    for (std::size_t i = 0; i < s.size(); ++i)
      if (i != first) out += (s[i].number < 0.0 ? " - " : " + ") + term_text(s[i], false);
    return out;
  }

  // signed_: with its sign.
  std::string term_text(const Term& term, bool with_sign) {
    const auto [above_number, below_number] = fraction(std::fabs(term.number));
    Monomial order = term.factors;
    std::ranges::stable_sort(order, {}, [&](const Power& p) {
      const Atom& a = atoms_[static_cast<std::size_t>(p.first)];
      return std::tuple(a.sum ? 1 : 0, static_cast<int>(a.kind), a.order);
    });
    std::vector<std::string> above, below;
    for (const auto& [a, exponent] : order) {
      const Atom& x = atoms_[static_cast<std::size_t>(a)];
      const int size = std::abs(exponent);
      std::string factor = x.sum ? "(" + x.text + ")" : x.text;
      if (size > 1 && x.text.find('^') != std::string::npos && !x.sum) factor.insert(0, "(").append(")");
      if (size > 1) factor += "^" + std::to_string(size);
      (exponent > 0 ? above : below).push_back(std::move(factor));
    }
    if (above_number != 1.0 || above.empty()) above.insert(above.begin(), number_text(above_number));
    if (below_number != 1) below.insert(below.begin(), std::to_string(below_number));
    std::string out = with_sign && term.number < 0.0 ? "-" : "";
    const auto join = [](const std::vector<std::string>& list) {
      std::string joined;
      for (const std::string& factor : list) joined += (joined.empty() ? "" : "*") + factor;
      return joined;
    };
    out += join(above);
    if (!below.empty()) out += "/" + (below.size() > 1 ? "(" + join(below) + ")" : below[0]);
    return out;
  }

  void spend(std::size_t work) {
    if ((work_ += work) > kMostWork) too_long();
  }
  [[noreturn]] static void too_long() { throw Error("its formulas are too long to be written"); }

  const Graph& g_;
  std::vector<std::string> parameters_;
  std::function<std::string(const Node&)> variable_;
  std::vector<Atom> atoms_;
  std::unordered_map<std::string, int> numbers_;
  std::unordered_map<NodeId, Sum> known_;
  std::size_t work_ = 0;
};

TidyText::TidyText(const Graph& graph, std::vector<std::string> parameters,
                   std::function<std::string(const Node&)> variable)
    : writer_(std::make_unique<Writer>(graph, std::move(parameters), std::move(variable))) {}
TidyText::~TidyText() = default;
std::string TidyText::operator()(NodeId expr) { return (*writer_)(expr); }

}  // namespace rattleback
