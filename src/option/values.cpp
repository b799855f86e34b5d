#include "option/values.hpp"

#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rattleback {
namespace {

using Words = std::vector<std::string_view>;

// What is said of each type. V: how its value is handed on.
template <class T, Shape S, class V = T>
struct Plain {
  static constexpr Shape shape = S;
  static constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  static Words names() { return {}; }
  static bool same(const T& a, const T& b) { return a == b; }
  static OptionValue value(const T& x) { return static_cast<V>(x); }
  static void set(T& x, const OptionValue& value) { x = static_cast<T>(std::get<V>(value)); }
  static std::string text(const T& x) { return fmt::format("{}", static_cast<V>(x)); }
};

template <class T>
struct Type;

template <>
struct Type<bool> : Plain<bool, Shape::flag> {};
template <>
struct Type<std::int64_t> : Plain<std::int64_t, Shape::whole> {};
template <>
struct Type<int> : Plain<int, Shape::whole, std::int64_t> {
  static constexpr std::int64_t largest = std::numeric_limits<int>::max();
};
template <>
struct Type<double> : Plain<double, Shape::number> {};
template <>
struct Type<std::string> : Plain<std::string, Shape::text> {};

template <>
struct Type<Usual> : Plain<Usual, Shape::number, double> {
  static bool same(const Usual& a, const Usual& b) { return a.given() == b.given() && double(a) == double(b); }
};

template <class V>
struct Type<std::optional<V>> : Type<V> {
  static bool same(const std::optional<V>& a, const std::optional<V>& b) { return a == b; }
  static OptionValue value(const std::optional<V>& x) { return x.value(); }
  static void set(std::optional<V>& x, const OptionValue& value) { x = std::get<V>(value); }
  static std::string text(const std::optional<V>& x) { return x ? Type<V>::text(*x) : ""; }
};

template <class E>
struct Type<Choice<E>> : Plain<std::string, Shape::text> {
  static Words names() {
    Words names;
    for (const E value : values_of<E>())
      if (const std::string_view name = to_string(value); !name.empty()) names.push_back(name);
    return names;
  }
  static bool same(const Choice<E>& a, const Choice<E>& b) { return a == b; }
  static OptionValue value(const Choice<E>& x) { return x.text(); }
  static void set(Choice<E>& x, const OptionValue& value) { x = std::get<std::string>(value); }
  static std::string text(const Choice<E>& x) { return x.given() ? x.text() : to_string(x.value()); }
};

template <>
struct Type<std::vector<std::string>> : Plain<std::vector<std::string>, Shape::texts> {
  static std::string text(const std::vector<std::string>& x) { return fmt::format("{}", fmt::join(x, "\n")); }
};

template <>
struct Type<std::vector<double>> : Plain<std::vector<double>, Shape::numbers> {
  static std::string text(const std::vector<double>& x) { return fmt::format("{}", fmt::join(x, ", ")); }
};
template <>
struct Type<Values> : Plain<Values, Shape::values> {
  static std::string text(const Values& x) {
    std::string all;
    for (const auto& [name, value] : x) all += fmt::format("{}{}={}", all.empty() ? "" : ", ", name, value);
    return all;
  }
};

template <class T>
struct OfProcess {
  static constexpr Shape shape = Shape::none;
  static constexpr std::int64_t largest = 0;
  static Words names() { return {}; }
  static OptionValue value(const T&) { return {}; }
  static void set(T&, const OptionValue&) {}
  static std::string text(const T&) { return ""; }
};
template <class R, class... A>
struct Type<std::function<R(A...)>> : OfProcess<std::function<R(A...)>> {
  using T = std::function<R(A...)>;
  static bool same(const T& a, const T& b) { return static_cast<bool>(a) == static_cast<bool>(b); }
};
template <>
struct Type<std::stop_token> : OfProcess<std::stop_token> {
  static bool same(const std::stop_token& a, const std::stop_token& b) {
    return a.stop_possible() == b.stop_possible();
  }
};

// Calls look(Type<T>(), the member) for the field, which is of type T.
template <class Look>
auto visit(const OptionField& field, const Look& look) {
  return std::visit([&]<class T>(T Options::*member) { return look(Type<T>(), member); }, field);
}

const Options& usual() {
  static const Options options;
  return options;
}

}  // namespace

Shape shape_of(const OptionField& field) {
  return visit(field, [](auto type, auto) { return type.shape; });
}

std::vector<std::string_view> names_of(const OptionField& field) {
  return visit(field, [](auto type, auto) { return type.names(); });
}

std::int64_t largest_of(const OptionField& field) {
  return visit(field, [](auto type, auto) { return type.largest; });
}

bool is_default(const OptionField& field, const Options& options) {
  return visit(field, [&](auto type, auto member) { return type.same(options.*member, usual().*member); });
}

OptionValue value_of(const OptionField& field, const Options& options) {
  return visit(field, [&](auto type, auto member) { return type.value(options.*member); });
}

void set_value(const OptionField& field, Options& options, const OptionValue& value) {
  visit(field, [&](auto type, auto member) { type.set(options.*member, value); });
}

void copy_value(const OptionField& field, const Options& from, Options& to) {
  visit(field, [&](auto, auto member) { to.*member = from.*member; });
}

std::string text_of(const OptionField& field, const Options& options) {
  return visit(field, [&](auto type, auto member) { return type.text(options.*member); });
}

}  // namespace rattleback
