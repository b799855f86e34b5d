// What can be asked of a run: one row for each field of Options. The command line with its help, the ranges that
// Options::validate() checks, the JSON of a request and the signature of a checkpoint are made from this table, so that a
// new option is one field and one row (a field without a row does not compile).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rattleback/simulate.hpp"

namespace rattleback {

enum class OnResume : std::uint8_t {
  same,  // decides the numbers or the layout of the records: a checkpoint made with another value is refused
  end,   // where the run ends: not before the checkpoint
  free,  // the numbers of the steps are the same with every value
  none,  // about the checkpoint itself or about this process; no part of a request
};

struct OptionRow {
  using Field =
      std::variant<std::string Options::*, Choice<Formulation> Options::*, Choice<Multiplier> Options::*,
                   Choice<Redundant> Options::*, Choice<Newton> Options::*, Choice<Controller> Options::*,
                   Choice<Native> Options::*, bool Options::*, int Options::*, std::int64_t Options::*,
                   double Options::*, std::optional<double> Options::*, std::optional<std::int64_t> Options::*,
                   std::vector<std::string> Options::*, std::function<void(const Progress&)> Options::*,
                   std::function<void(const std::string&)> Options::*, std::stop_token Options::*,
                   std::vector<double> Options::*, Values Options::*, std::function<Go(const StepView&)> Options::*>;
  std::string_view name;  // of the flag without its dashes, and the key in JSON
  Field field;
  OnResume on_resume = OnResume::same;
  std::string_view unit = {};  // what a value is called in help: H; or all that is accepted: 2|4|6|8; see unit_of()
  std::string_view help = {};  // empty: not on the command line
  bool (*holds)(double) = {};  // numbers: which are in range; null: all finite ones
  std::string_view rule = {};  // what a message says of the range, "must be positive"; of words: what follows
  std::string_view word = {};  // of a list of words in one flag (--audit): which one
  bool between_runs = false;   // runs of one Prepared may differ in it: no step is derived otherwise
};

std::span<const OptionRow> option_table();
const OptionRow& option_row(std::string_view name);  // the name must be in the table

// "--newton-tol"; "--audit power"
std::string flag_of(const OptionRow& row);
[[nodiscard]] bool is_number(const OptionRow& row);
[[nodiscard]] bool is_whole(const OptionRow& row);

template <class T>
inline constexpr bool is_choice = false;
template <class E>
inline constexpr bool is_choice<Choice<E>> = true;

// What a value is called in help; of a policy, its names: pi|reversible.
std::string unit_of(const OptionRow& row);
// The words that a row accepts; empty: every text.
std::vector<std::string_view> words_of(const OptionRow& row);
// Why a value is refused, beginning with the flag; "" when it is not.
std::string fault_of(const OptionRow& row, double value);
std::string fault_of(const OptionRow& row, const std::string& value);

// Is the field as in Options{}?
bool is_default(const OptionRow& row, const Options& options);
// The value as text that tells any two values apart: numbers read back exactly, a policy that was not asked for as what it stands for.
std::string option_text(const OptionRow& row, const Options& options);

}  // namespace rattleback
