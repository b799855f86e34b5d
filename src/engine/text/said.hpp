// Numbers and conditions as pieces of a C text: what the rules of step/stopping.hpp are written with. An operator
// writes itself, for one number or for four at once; a condition that is known while the text is written is not
// written.
#pragma once

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/text/instruction_text.hpp"

namespace rattleback {

struct Said {
  Said(double x) : text(literal(x)) {}  // NOLINT(google-explicit-constructor): as numbers are written
  explicit Said(std::string name, Words said_in = kOne) : text(std::move(name)), words(said_in) {}
  std::string text;
  Words words = kOne;  // one number stands for four equal ones
  bool whole = true;   // needs no parentheses

  [[nodiscard]] std::string part() const { return whole ? text : "(" + text + ")"; }
  [[nodiscard]] std::string in(Words said_in) const { return said_in.wide && !words.wide ? "ALL(" + text + ")" : text; }
};

// Where it is one condition, it is the same in all lanes.
struct Condition {
  template <std::same_as<bool> Bool>
  Condition(Bool is) : known(is) {}  // NOLINT(google-explicit-constructor): as conditions are written
  explicit Condition(std::string condition, Words said_in = kOne) : text(std::move(condition)), words(said_in) {}
  std::optional<bool> known;
  std::string text;
  Words words = kOne;

  [[nodiscard]] std::string mask() const { return words.wide ? "(" + text + ")" : "WHOLE(-(" + text + "))"; }
};

inline Said together(const char* operation, const Said& x, const Said& y) {
  Said out(x.part() + " " + operation + " " + y.part(), {x.words.wide || y.words.wide});
  out.whole = false;
  return out;
}
inline Said operator+(const Said& x, const Said& y) { return together("+", x, y); }
inline Said operator-(const Said& x, const Said& y) { return together("-", x, y); }
inline Said operator*(const Said& x, const Said& y) { return together("*", x, y); }
inline Said operator/(const Said& x, const Said& y) { return together("/", x, y); }

inline Condition compared(const char* how, const Said& x, const Said& y) {
  const Said both = together(how, x, y);
  return Condition(both.text, both.words);
}
inline Condition operator<(const Said& x, const Said& y) { return compared("<", x, y); }
inline Condition operator<=(const Said& x, const Said& y) { return compared("<=", x, y); }
inline Condition operator>(const Said& x, const Said& y) { return compared(">", x, y); }

inline Condition operator!=(const Said& x, const Said& y) { return compared("!=", x, y); }

inline Condition joined(const Condition& x, const Condition& y, bool decides, const char* one, const char* four) {
  if (x.known) return *x.known == decides ? x : y;
  if (y.known) return *y.known == decides ? y : x;
  if (x.words.wide || y.words.wide) return Condition(x.mask() + four + y.mask(), kFour);
  return Condition("(" + x.text + ")" + one + "(" + y.text + ")");
}
inline Condition operator&&(const Condition& x, const Condition& y) { return joined(x, y, false, " && ", " & "); }
inline Condition operator||(const Condition& x, const Condition& y) { return joined(x, y, true, " || ", " | "); }
inline Condition operator!(const Condition& x) {
  return x.known ? Condition(!*x.known) : Condition((x.words.wide ? "~(" : "!(") + x.text + ")", x.words);
}

inline Said larger(const Said& x, const Said& y) {
  const Words words{x.words.wide || y.words.wide};
  return Said(words.larger(x.in(words), y.in(words)), words);
}
inline Said size_of(const Said& x) { return Said(x.words.size_of(x.text), x.words); }
inline Said pick(const Condition& condition, const Said& yes, const Said& no) {
  if (condition.known) return *condition.known ? yes : no;
  const Words words{condition.words.wide || yes.words.wide || no.words.wide};
  return Said(words.pick(condition.text, yes.in(words), no.in(words)), words);
}

inline const Said kLargestNumber(std::numeric_limits<double>::max());

// Of all; pairs of pairs, so that no long chain waits for its first.
template <class Two>
Said in_pairs(std::vector<Said> all, const Two& two) {
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) all.push_back(two(all[i], all[i + 1]));
  return all.back();
}

// A count of iterations: the text increases it where it says so.
struct SaidCount {
  std::string name;
  SaidCount& operator++() { return *this; }
};
inline Condition operator>=(const SaidCount& x, int y) { return Condition(x.name + " >= " + std::to_string(y)); }
inline Condition operator<(const SaidCount& x, int y) { return Condition(x.name + " < " + std::to_string(y)); }
inline Condition operator>(const SaidCount& x, int y) { return Condition(x.name + " > " + std::to_string(y)); }

}  // namespace rattleback
