// The command line of one verb: which arguments it takes, what was given, and everything that is wrong with it.
//
// CLI11 does the splitting; values stay texts until they are asked for, so that a wrong one is reported in our words
// and all of them at once.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/message.hpp"

namespace rattleback::cli {

class Arguments {
 public:
  // `example` is one command that works, shown by --help and where the verb lacks its system.
  Arguments(std::string verb, std::string summary, std::string example);

  void system();                                                      // the verb works on one SYSTEM
  void names(std::string unit, std::string help);                     // any number of words: ID ...
  void name(std::string unit, std::string help);                      // exactly one word: NAME
  void flag(std::string name, std::string help);                      // --json
  void value(std::string name, std::string unit, std::string help);   // --step H, at most once
  void values(std::string name, std::string unit, std::string help);  // --set NAME=VALUE, any number of times

  // What there is, for --help and for shells that complete commands.
  enum class Shape { flag, value, values };
  struct Option {
    std::string name, unit, help;
    Shape shape = Shape::flag;
    std::vector<std::string> given;
  };
  [[nodiscard]] const std::vector<Option>& options() const { return options_; }
  [[nodiscard]] bool takes_system() const { return takes_system_; }
  [[nodiscard]] const std::string& names_unit() const { return names_unit_; }  // "" when it takes no words
  [[nodiscard]] const std::string& summary() const { return summary_; }

  // false: --help was asked for and answered. Faults so far are kept.
  bool parse(std::vector<std::string> arguments);

  [[nodiscard]] const std::string& system_name() const { return system_; }
  [[nodiscard]] const std::vector<std::string>& name_list() const { return names_; }
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;  // of an option that may be repeated
  std::optional<double> number(std::string_view name);                        // finite
  std::optional<double> positive(std::string_view name);                      // finite
  std::optional<std::int64_t> whole(std::string_view name, std::int64_t least,
                                    std::int64_t most = std::numeric_limits<std::int64_t>::max());
  std::vector<std::string> list(std::string_view name);  // of a value A,B,C; empty parts are a fault
  std::vector<std::pair<std::string, std::string>> assignments(std::string_view name);  // of values NAME=VALUE

  void fault(const Message& message);
  // Lines of a message as faults; those that are already known are left out.
  void faults(std::string_view lines);
  // Runs `check` and keeps the message of an Error as fault.
  template <class Check>
  void collect(const Check& check);
  // Throws Error with all faults, one per line, if there are any.
  void refuse_if_faulty() const;

  [[nodiscard]] std::string help() const;

 private:
  [[nodiscard]] const Option* find(std::string_view name) const;
  void declare(Option option);  // before --quiet, which every verb has
  void add(const Error& fault);
  void check_shape(const std::vector<std::string>& arguments);
  void read(std::vector<std::string> arguments, std::vector<std::string> words);

  std::string verb_, summary_, example_;
  bool takes_system_ = false;
  std::string system_;
  std::string names_unit_, names_help_;
  bool one_name_ = false;
  std::vector<std::string> names_;
  std::vector<Option> options_;
  std::vector<Error> faults_;  // each with what programs want to know of it
};

// A number written out in full: "0.1", "-3", "1e-3". Nothing but the fault text otherwise.
struct Number {
  double value = 0.0;
  std::string fault;  // "'0.1x' is not a number"
};
Number parse_number(const std::string& text);

// The parts of a text between separators.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace rattleback::cli

template <class Check>
void rattleback::cli::Arguments::collect(const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    add(error);
  }
}
