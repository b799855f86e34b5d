#include "reproduce/expectation.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "rattleback/error.hpp"

namespace rattleback::reproduce {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double number(std::string_view text, const std::string& whole) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    throw Error(fmt::format(
        "'{}' is not an expected number; write 2.647e-4, <6e-14, >1e-3, 0.8..1.0, 1~0.02 or * in quotes", whole));
  return value;
}

// Of the last digit: 1e-7 for 2.647e-4.
double last_digit(std::string_view text) {
  const std::size_t exponent_at = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, exponent_at);
  int exponent = 0;
  if (exponent_at != std::string_view::npos) {
    std::string_view digits = text.substr(exponent_at + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  }
  const std::size_t point = mantissa.find('.');
  const auto decimals = point == std::string_view::npos ? 0 : static_cast<int>(mantissa.size() - point - 1);
  return std::pow(10.0, exponent - decimals);
}

}  // namespace

Expectation read_expectation(const std::string& text) {
  const std::string_view t = text;
  if (t == "*") return {text, -kInfinity, kInfinity, true};
  if (t.starts_with('<')) return {text, -kInfinity, number(t.substr(1), text), false};
  if (t.starts_with('>')) return {text, number(t.substr(1), text), kInfinity, false};
  if (const std::size_t dots = t.find(".."); dots != std::string_view::npos) {
    const double low = number(t.substr(0, dots), text), high = number(t.substr(dots + 2), text);
    if (low > high) throw Error(fmt::format("'{}': no number is above {:g} and below {:g}", text, low, high));
    return {text, low, high, false};
  }
  if (const std::size_t wave = t.find('~'); wave != std::string_view::npos) {
    const double middle = number(t.substr(0, wave), text), room = number(t.substr(wave + 1), text);
    return {text, middle - room, middle + room, false};
  }
  const double middle = number(t, text);
  const double room = last_digit(t) * (1.0 + 1e-9);
  return {text, middle - room, middle + room, false};
}

}  // namespace rattleback::reproduce
