// A recursive descent, one function per level of the grammar:
//
//   sum     = product (('+' | '-') product)*
//   product = factor (('*' | '/') factor)*
//   factor  = ('+' | '-') factor | '(' sum ')' | "sqrt" '(' sum ')' | number
#include "tableau/evaluate_coefficient.hpp"

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

#include "rattleback/error.hpp"

namespace rattleback {
namespace {

constexpr int kMaxDepth = 100;         // so that a file of brackets cannot exhaust the stack
constexpr std::size_t kLongest = 200;  // characters that a message repeats

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class CoefficientEvaluator {
 public:
  explicit CoefficientEvaluator(std::string_view text) : text_(text) {}

  Real value() {
    const Real result = sum(0);
    if (here() != '\0' || position_ < text_.size()) fail_unexpected("an operator");
    return result;
  }

 private:
  // The next character that is not a blank, '\0' at the end.
  char here() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t')) ++position_;
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    const std::string shown = std::string(text_.substr(0, kLongest)) + (text_.size() > kLongest ? "..." : "");
    throw Error("\"" + shown + "\": " + what + " at character " + std::to_string(at + 1));
  }

  [[noreturn]] void fail_unexpected(const std::string& expected) const {
    const std::string found = position_ < text_.size() ? "'" + std::string(1, text_[position_]) + "'" : "the end";
    fail(position_, "expected " + expected + ", found " + found);
  }

  Real sum(int depth) {
    if (depth > kMaxDepth) fail(position_, "more than " + std::to_string(kMaxDepth) + " levels of brackets or signs");
    Real result = product(depth);
    for (char c = here(); c == '+' || c == '-'; c = here()) {
      ++position_;
      const Real term = product(depth);
      result = c == '+' ? result + term : result - term;
    }
    return result;
  }

  Real product(int depth) {
    Real result = factor(depth);
    for (char c = here(); c == '*' || c == '/'; c = here()) {
      const std::size_t at = position_++;
      const Real term = factor(depth);
      if (c == '/' && term == 0) fail(at, "division by zero");
      result = c == '*' ? result * term : result / term;
    }
    return result;
  }

  Real factor(int depth) {
    const char c = here();
    if (c == '+' || c == '-') {
      if (depth > kMaxDepth) fail(position_, "more than " + std::to_string(kMaxDepth) + " levels of brackets or signs");
      ++position_;
      const Real result = factor(depth + 1);
      return c == '-' ? -result : result;
    }
    if (c == '(') return bracket(depth);
    if (is_digit(c) || c == '.') return number();
    if (is_letter(c)) {
      const std::size_t start = position_;
      while (position_ < text_.size() && (is_letter(text_[position_]) || is_digit(text_[position_]))) ++position_;
      const std::string_view name = text_.substr(start, position_ - start);
      if (name != "sqrt") fail(start, "unknown name '" + std::string(name) + "' (only sqrt is known)");
      if (here() != '(') fail_unexpected("'(' after sqrt");
      const Real argument = bracket(depth);
      if (argument < 0) fail(start, "square root of a negative number");
      return square_root(argument);
    }
    fail_unexpected("a number, sqrt or '('");
  }

  Real bracket(int depth) {
    ++position_;
    const Real result = sum(depth + 1);
    if (here() != ')') fail_unexpected("')'");
    ++position_;
    return result;
  }

  // Digits and the power of ten apart, so that 0.1 is 1/10 to 113 bits and no digit is lost.
  Real number() {
    const std::size_t start = position_;
    Real digits = 0;
    int exponent = 0;
    bool any = false;
    const auto read_digits = [&](int step) {
      for (; position_ < text_.size() && is_digit(text_[position_]); ++position_) {
        digits = digits * 10 + (text_[position_] - '0');
        exponent -= step;
        any = true;
      }
    };
    read_digits(0);
    if (position_ < text_.size() && text_[position_] == '.') {
      ++position_;
      read_digits(1);
    }
    if (!any) fail(start, "expected a digit beside the '.'");
    if (position_ < text_.size() && (text_[position_] == 'e' || text_[position_] == 'E')) {
      ++position_;
      bool negative = false;
      if (position_ < text_.size() && (text_[position_] == '+' || text_[position_] == '-'))
        negative = text_[position_++] == '-';
      if (position_ >= text_.size() || !is_digit(text_[position_])) fail_unexpected("the digits of the exponent");
      int power = 0;
      for (; position_ < text_.size() && is_digit(text_[position_]); ++position_)
        if (power < 10000) power = power * 10 + (text_[position_] - '0');
      exponent += negative ? -power : power;
    }
    for (; exponent > 0 && exponent < 400; --exponent) digits *= 10;
    Real divisor = 1;
    for (; exponent < 0 && exponent > -1000; ++exponent) divisor *= 10;
    if (exponent != 0) fail(start, "number out of range");
    return digits / divisor;
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

Real evaluate_coefficient(const std::string& text) { return CoefficientEvaluator(text).value(); }

}  // namespace rattleback
