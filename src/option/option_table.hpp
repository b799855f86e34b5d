// What can be asked of a run: one row for each field of Options. The row says all there is to say of an option: its name and help,
// its range, what a resumed run does with it, and who takes it: which verbs as a flag, whether [run] of a model file and recipes
// as a key. The flags of every verb with their help, the keys of [run] and of recipes, the checks of Options::validate(), the
// JSON of a request and the signature of a checkpoint are made from the rows. A new option is one field and one row, in the
// order of the fields; a field without a row does not compile. Types of fields: option/values.hpp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "option/values.hpp"

namespace rattleback {

enum class OnResume : std::uint8_t {
  same,  // decides the numbers or the layout of the records: a checkpoint made with another value is refused
  end,   // where the run ends: not before the checkpoint
  free,  // the numbers of the steps are the same with every value
  none,  // about the checkpoint itself or about this process; no part of a request
};

// Where an option can be given: flags of a verb, keys of a recipe, keys of [run] in a model file.
enum class Place : std::uint8_t { run, order, compare, section, ensemble, generate, recipe, model_file };

class Places {
 public:
  constexpr Places() = default;
  constexpr Places(std::initializer_list<Place> places) {
    for (const Place place : places) bits_ |= bit(place);
  }
  [[nodiscard]] constexpr bool has(Place place) const { return (bits_ & bit(place)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }

 private:
  static constexpr unsigned bit(Place place) { return 1U << static_cast<unsigned>(place); }
  unsigned bits_ = 0;
};

struct OptionRow {
  using Field = OptionField;
  std::string_view name;  // of the flag without its dashes, and the key in files and JSON
  Field field;
  bool between_runs = false;  // runs of one Prepared may differ in it: no step is derived otherwise
  Places places = {};         // none: it is for programs that use the library
  OnResume on_resume = OnResume::same;
  bool of_method = false;      // says how a method is applied: [run] says it of its own method alone
  std::string_view unit = {};  // what a value is called in help: H; or all that is accepted: 2|4|6|8; see unit_of()
  std::string_view help = {};
  bool (*holds)(double) = {};  // numbers: which are in range; null: all finite ones
  std::string_view rule = {};  // what a message says of the range, "must be positive"; of words: what follows
  std::string_view word = {};  // of a list of words in one flag (--audit): which one
};

std::span<const OptionRow> option_table();
const OptionRow& option_row(std::string_view name);  // the name must be in the table
// The names that can be given there, each once.
std::vector<std::string> option_names(Place place);

// "--newton-tol"; "--audit power"
std::string flag_of(const OptionRow& row);
[[nodiscard]] bool is_number(const OptionRow& row);
[[nodiscard]] bool is_whole(const OptionRow& row);

// What a value is called in help; of a policy, its names: pi|reversible.
std::string unit_of(const OptionRow& row);
// The words that a row accepts; empty: every text.
std::vector<std::string_view> words_of(const OptionRow& row);
// Why a value is refused, beginning with what the option is called (its flag); "" when it is not.
std::string fault_of(const OptionRow& row, double value, const std::string& called);
std::string fault_of(const OptionRow& row, double value);
std::string fault_of(const OptionRow& row, const std::string& value, const std::string& called);
std::string fault_of(const OptionRow& row, const std::string& value);
// Of options that are lists of words (--audit power,order): turns on what one word asks for there. Else says which are known.
std::string set_word(std::string_view name, Place place, const std::string& word, const std::string& called,
                     Options& options);

// Is the field as in Options{}?
bool is_default(const OptionRow& row, const Options& options);
// The value as text that tells any two values apart: numbers read back exactly, a policy that was not asked for as what it stands for.
std::string option_text(const OptionRow& row, const Options& options);

}  // namespace rattleback
