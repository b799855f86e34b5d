#include "option/run_table.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "option/faults.hpp"
#include "rattleback/error.hpp"
#include "rattleback/method.hpp"

namespace rattleback {
namespace {

// Of each pair only one can be given.
struct Either {
  std::string_view one, other;
};
constexpr std::array kEither = {Either{"until", "steps"}, Either{"every", "output-every"}, Either{"steps", "adaptive"},
                                Either{"steps", "controller"}};

// A list of words (audit) is one option.
bool is_given(std::string_view name, const Options& options) {
  const auto table = option_table();
  return std::any_of(table.begin(), table.end(),
                     [&](const OptionRow& row) { return row.name == name && !is_default(row, options); });
}

bool is_kept_away(const OptionRow& row, const Options& asked) {
  return std::any_of(kEither.begin(), kEither.end(), [&](const Either& e) {
    return (e.one == row.name && is_given(e.other, asked)) || (e.other == row.name && is_given(e.one, asked));
  });
}

bool has_method_of_model(const Model& model, const Options& asked) {
  if (!model.run.method) return true;  // what is said there is said of all
  if (!asked.tableau.empty()) return false;
  if (asked.method.empty()) return true;
  return is_method(*model.run.method) && is_method(asked.method) &&
         find_method(*model.run.method).name == find_method(asked.method).name;
}

}  // namespace

Options with_run_table(const Model& model, const Options& asked, Place place) {
  Options out = asked;
  const bool same_method = has_method_of_model(model, asked);
  bool taken = false;
  if (model.run.others)
    for (const OptionRow& row : option_table())
      if (row.places.has(Place::model_file) && row.places.has(place) && !is_default(row, *model.run.others) &&
          !is_given(row.name, asked) && !is_kept_away(row, asked) && (same_method || !row.of_method)) {
        copy_value(row.field, *model.run.others, out);
        taken = true;
      }
  const Called called = [&](std::string_view option) {
    const std::string_view name = option.substr(0, option.find(' '));
    return is_given(name, out) && !is_given(name, asked) ? fmt::format("[run] {}", name) : fmt::format("--{}", option);
  };
  auto faults = missing_partners(out, called);
  if (faults.empty() && taken) faults = contradictions(out, called);  // else validate() has looked at it
  if (!faults.empty()) throw Error(faults.front().text);
  return out;
}

}  // namespace rattleback
