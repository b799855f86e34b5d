// The types that a field of Options may have. Everybody else (command line, [run], recipes, JSON, ranges) knows the few shapes of
// a value and nothing of these types: a new type of field is one more in the variant, and what values.cpp says of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rattleback/simulate.hpp"

namespace rattleback {

using OptionField =
    std::variant<std::string Options::*, Choice<Formulation> Options::*, Choice<Multiplier> Options::*,
                 Choice<Reaction> Options::*, Choice<Redundant> Options::*, Choice<Newton> Options::*,
                 Choice<Controller> Options::*, Choice<Native> Options::*, bool Options::*, int Options::*,
                 std::int64_t Options::*, double Options::*, Usual Options::*, std::optional<double> Options::*,
                 std::optional<std::int64_t> Options::*, std::vector<std::string> Options::*,
                 std::function<void(const Progress&)> Options::*, std::function<void(const std::string&)> Options::*,
                 std::stop_token Options::*, std::vector<double> Options::*, Values Options::*,
                 std::function<Go(const StepView&)> Options::*>;

template <class T>
inline constexpr bool is_choice = false;
template <class E>
inline constexpr bool is_choice<Choice<E>> = true;

enum class Shape : std::uint8_t {
  flag,     // bool
  whole,    // std::int64_t
  number,   // double
  text,     // std::string; of a policy, one of its names
  texts,    // std::vector<std::string>
  numbers,  // std::vector<double>
  values,   // names with numbers
  none,     // of this process: it cannot be written down
};
using OptionValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>, std::vector<double>, Values>;

Shape shape_of(const OptionField& field);
// The names of a policy; of other fields there are none.
std::vector<std::string_view> names_of(const OptionField& field);
// The largest value of a whole number that the field can hold.
std::int64_t largest_of(const OptionField& field);
// Is the field as in Options{}?
bool is_default(const OptionField& field, const Options& options);
// The value of a field that is not; of the alternative that belongs to its shape, which is not none.
OptionValue value_of(const OptionField& field, const Options& options);
void set_value(const OptionField& field, Options& options, const OptionValue& value);
void copy_value(const OptionField& field, const Options& from, Options& to);
// A text that tells any two values apart: numbers read back exactly, a policy that was not asked for is what it stands for.
std::string text_of(const OptionField& field, const Options& options);

}  // namespace rattleback
