#include "option/option_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rattleback {
namespace {

constexpr bool not_zero(double x) { return x != 0.0; }
constexpr bool positive(double x) { return x > 0.0; }
constexpr bool not_negative(double x) { return x >= 0.0; }
constexpr bool at_least_one(double x) { return x >= 1.0; }
constexpr bool tolerance(double x) { return x >= 1e-14 && x < 1.0; }

constexpr auto end = OnResume::end, free_choice = OnResume::free, none = OnResume::none;  // all others: same
using O = Options;
using enum Place;

// Those that several rows have in common. `order` and `compare` have --until, --step and --methods of their own.
constexpr Places kAnywhere = {run, order, compare, section, ensemble, generate, recipe, model_file};
constexpr Places kStep = {run, section, ensemble, generate, model_file};
constexpr Places kOfMethods = {run, compare, section, ensemble, recipe, model_file};

// clang-format off
constexpr std::array kTable = {
    OptionRow{.name = "method", .field = &O::method, .places = kStep, .unit = "NAME",
              .help = "default: the model's, else spark-lobatto-ab (dae: srk-gauss, odae: euler-true, skew-gradient: "
                      "dg-gonzalez, port-hamiltonian: collocation-gauss)"},
    OptionRow{.name = "stages", .field = &O::stages, .places = kStep, .unit = "S",
              .help = "default: the model's, else the method's", .holds = at_least_one, .rule = "must be at least 1"},
    OptionRow{.name = "step", .field = &O::step, .between_runs = true, .places = kStep, .unit = "H",
              .help = "the fixed step; negative integrates backwards. Default: the model's. With --adaptive: the first",
              .holds = not_zero, .rule = "must not be 0"},
    OptionRow{.name = "until", .field = &O::until, .between_runs = true, .places = {run, section, ensemble, recipe, model_file},
              .on_resume = end, .unit = "T",
              .help = "end time. If it is not a multiple of H, a shorter last step ends on it"},
    OptionRow{.name = "steps", .field = &O::steps, .between_runs = true, .places = {run, model_file}, .on_resume = end, .unit = "N",
              .help = "instead of --until: exactly so many steps", .holds = not_negative, .rule = "must be at least 0"},
    OptionRow{.name = "formulation", .field = &O::formulation, .places = kAnywhere, .of_method = true,
              .help = "how holonomic constraints are taken: position level at the stages, velocity level, or both"},
    OptionRow{.name = "multiplier", .field = &O::multiplier, .places = kAnywhere, .of_method = true,
              .help = "reported multipliers: consistent ones, or those of prk-murua's own recursion; stage: a method's own "
                      "algebraic states (port-Hamiltonian); sum, last: an euler method's own"},
    OptionRow{.name = "project", .field = &O::project, .between_runs = true, .places = kAnywhere,
              .help = "moves an inconsistent start to the nearest consistent one instead of refusing it"},
    OptionRow{.name = "compose", .field = &O::compose, .places = kAnywhere, .of_method = true, .unit = "2|4|6|8",
              .help = "symmetric composition of the method to this order"},
    OptionRow{.name = "tableau", .field = &O::tableau, .places = {run, order, compare, generate}, .unit = "FILE.toml",
              .help = "your own Runge-Kutta coefficients instead of --method"},
    OptionRow{.name = "alpha", .field = &O::alpha, .places = {run, order, compare, section, ensemble, recipe, model_file}, .of_method = true, .unit = "A",
              .help = "weight of the reaction at the start, for the euler methods. Default: 0.5"},
    OptionRow{.name = "reaction", .field = &O::reaction, .places = kOfMethods, .of_method = true,
              .help = "which velocity stands in all terms of the reaction, for the euler methods. Default: as printed, z0 in "
                      "the first half of a step and z1 in the second",
              .rule = "left out, z0 stands in the first half of a step and z1 in the second"},
    OptionRow{.name = "rtol", .field = &O::rtol, .places = kOfMethods, .of_method = true, .unit = "R",
              .help = "relative tolerance, for ode, index1 and baumgarte", .holds = positive, .rule = "must be positive"},
    OptionRow{.name = "atol", .field = &O::atol, .places = kOfMethods, .of_method = true, .unit = "A",
              .help = "absolute tolerance, for ode, index1 and baumgarte", .holds = positive, .rule = "must be positive"},
    OptionRow{.name = "gain", .field = &O::gain, .places = kOfMethods, .of_method = true, .unit = "G",
              .help = "rate at which baumgarte lets constraint errors decay, in 1/time. Default: 10",
              .holds = not_negative, .rule = "must not be negative (0 = no feedback)"},
    OptionRow{.name = "redundant", .field = &O::redundant, .places = kAnywhere,
              .help = "what to do with constraints that follow from the others: minimum-norm integrates a subset of full "
                      "rank, chosen anew at each step, and reports multipliers of least norm. Default: refuse"},
    OptionRow{.name = "newton-tol", .field = &O::newton_tol, .places = kAnywhere, .unit = "X",
              .help = "relative size of the last Newton correction; 0, the default: to rounding",
              .holds = not_negative, .rule = "must not be negative (0 = to rounding)"},
    OptionRow{.name = "newton", .field = &O::newton, .places = kAnywhere, .of_method = true,
              .help = "solves all equations of a step together with one matrix, as plain codes do; shows what loose "
                      "tolerances cost",
              .rule = "left out, each step is solved in the best known way"},
    OptionRow{.name = "adaptive", .field = &O::adaptive, .between_runs = true, .places = {run, recipe, model_file}, .unit = "TOL",
              .help = "chooses the steps so that the error of each is about TOL, relative",
              .holds = tolerance, .rule = "takes a tolerance from 1e-14 to 1, for example 1e-6"},
    OptionRow{.name = "controller", .field = &O::controller, .places = {run, recipe, model_file},
              .help = "of --adaptive: pi for general use (the default), reversible for long runs with symmetric methods"},
    OptionRow{.name = "event", .field = &O::event, .between_runs = true, .places = {run, model_file}, .unit = "EXPR",
              .help = "locates where this expression is zero: --event x --event \"y' - 0.1\""},
    OptionRow{.name = "until-event", .field = &O::until_event, .between_runs = true, .places = {run, model_file}, .unit = "EXPR",
              .help = "ends the run where this expression is zero"},
    OptionRow{.name = "every", .field = &O::every, .between_runs = true, .places = {run, compare, ensemble, recipe, model_file}, .unit = "K",
              .help = "records every K-th step. Default: all, thinned beyond 10^6 or 200 MB",
              .holds = at_least_one, .rule = "must be at least 1"},
    OptionRow{.name = "output-every", .field = &O::output_every, .between_runs = true, .places = {run, model_file}, .unit = "DT",
              .help = "instead: records at the multiples of DT, between the steps",
              .holds = positive, .rule = "takes a positive time"},
    OptionRow{.name = "output-columns", .field = &O::output_columns, .between_runs = true, .places = {run, ensemble, recipe, model_file}, .unit = "LIST",
              .help = "further columns: definitions, accelerations x'', patterns such as \"slip*\"; \"=t,x\" writes these alone"},
    OptionRow{.name = "plot-columns", .field = &O::plot_columns, .between_runs = true, .places = {run}, .unit = "LIST",
              .help = "what --plot draws: panels with semicolons between them, \"theta, phi'; energy; x:y\"; names as in "
                      "--output-columns, x:y is a path in the plane"},
    OptionRow{.name = "keep-records", .field = &O::keep_records, .between_runs = true},
    OptionRow{.name = "record-multipliers", .field = &O::record_multipliers, .between_runs = true},
    OptionRow{.name = "audit", .field = &O::audit_reverse, .between_runs = true, .places = {run, model_file}, .on_resume = free_choice,
              .unit = "reverse,order,power",
              .help = "also integrates back, repeats with h/2 and h/4 (not with --adaptive), or compares the energy "
                      "change of each step with the work of forces and reactions",
              .word = "reverse"},
    OptionRow{.name = "audit", .field = &O::audit_order, .between_runs = true, .places = {run, model_file}, .on_resume = free_choice,
              .word = "order"},
    OptionRow{.name = "audit", .field = &O::audit_power, .places = {run, ensemble, recipe, model_file}, .unit = "power",
              .help = "compares the energy change of each step with the work of forces and reactions", .word = "power"},
    OptionRow{.name = "checkpoint", .field = &O::checkpoint, .between_runs = true, .places = {run}, .on_resume = none, .unit = "FILE",
              .help = "saves the state now and then while the run goes on"},
    OptionRow{.name = "resume", .field = &O::resume, .between_runs = true, .places = {run}, .on_resume = none,
              .help = "continues from the checkpoint, with the same bits"},
    OptionRow{.name = "checkpoint-seconds", .field = &O::checkpoint_seconds, .between_runs = true, .places = {run}, .on_resume = none,
              .unit = "S", .help = "how often the checkpoint is written. Default: 1", .holds = not_negative,
              .rule = "must not be negative"},
    OptionRow{.name = "native", .field = &O::native, .between_runs = true, .places = {run, order, compare, ensemble}, .on_resume = free_choice,
              .help = "steps as compiled machine code; auto, the default: when the run is long"},
    OptionRow{.name = "from", .field = &O::from, .between_runs = true},  // parameters, q0, v0: their values are in the signature as those of the model
    OptionRow{.name = "q0", .field = &O::q0, .between_runs = true, .on_resume = free_choice},
    OptionRow{.name = "v0", .field = &O::v0, .between_runs = true, .on_resume = free_choice},
    OptionRow{.name = "parameters", .field = &O::parameters, .between_runs = true, .on_resume = free_choice},
    OptionRow{.name = "progress", .field = &O::progress, .between_runs = true, .on_resume = none},
    OptionRow{.name = "warn", .field = &O::warn, .between_runs = true, .on_resume = none},
    OptionRow{.name = "stop", .field = &O::stop, .between_runs = true, .on_resume = none},
    OptionRow{.name = "observe", .field = &O::observe, .between_runs = true, .on_resume = none},
};
// clang-format on

// Options{row 0, row 1, ...} compiles when the rows have the types of the fields, in their order; with something behind them, it
// does not when there is no field left.
template <std::size_t I>
struct MemberOf {
  template <class T>
  static T type(T Options::*);
  using Type = decltype(type(std::get<kTable[I].field.index()>(kTable[I].field)));
};
template <std::size_t... I>
constexpr bool rows_are_fields(std::index_sequence<I...>) {
  return requires { Options{std::declval<typename MemberOf<I>::Type>()...}; }
  &&!requires { Options{std::declval<typename MemberOf<I>::Type>()..., {}}; };
}
static_assert(rows_are_fields(std::make_index_sequence<kTable.size()>()),
              "each field of Options has one row in kTable, in the order of the fields");

}  // namespace

std::span<const OptionRow> option_table() { return kTable; }

const OptionRow& option_row(std::string_view name) {
  return *std::find_if(kTable.begin(), kTable.end(), [&](const OptionRow& row) { return row.name == name; });
}

std::vector<std::string> option_names(Place place) {
  std::vector<std::string> names;
  for (const OptionRow& row : kTable)
    if (row.places.has(place) && (names.empty() || names.back() != row.name)) names.emplace_back(row.name);
  return names;
}

std::string flag_of(const OptionRow& row) {
  return fmt::format("--{}{}{}", row.name, row.word.empty() ? "" : " ", row.word);
}

bool is_whole(const OptionRow& row) { return shape_of(row.field) == Shape::whole; }

bool is_number(const OptionRow& row) { return is_whole(row) || shape_of(row.field) == Shape::number; }

std::string unit_of(const OptionRow& row) {
  const std::vector<std::string_view> names = names_of(row.field);
  return names.empty() ? std::string(row.unit) : fmt::format("{}", fmt::join(names, "|"));
}

std::vector<std::string_view> words_of(const OptionRow& row) {
  std::vector<std::string_view> words = names_of(row.field);
  if (!words.empty()) return words;
  const bool names_a_value = std::any_of(row.unit.begin(), row.unit.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (row.unit.empty() || names_a_value || shape_of(row.field) == Shape::flag) return words;
  for (std::size_t at = 0; at <= row.unit.size();) {
    const std::size_t stop = std::min(row.unit.find('|', at), row.unit.size());
    words.push_back(row.unit.substr(at, stop - at));
    at = stop + 1;
  }
  return words;
}

namespace {

std::string not_among(const OptionRow& row, const std::vector<std::string_view>& words, const std::string& called,
                      const std::string& found) {
  std::string list(words.front());
  for (std::size_t i = 1; i < words.size(); ++i)
    list += fmt::format("{}{}", i + 1 == words.size() ? " or " : ", ", words[i]);
  return fmt::format("{} takes {}, found {}{}{}", called, list, found, row.rule.empty() ? "" : "; ", row.rule);
}

}  // namespace

std::string fault_of(const OptionRow& row, double value, const std::string& called) {
  if (!std::isfinite(value)) return fmt::format("{} must be a finite number, found {}", called, value);
  if (const auto words = words_of(row); !words.empty()) {
    const std::string found = fmt::format("{}", value);
    return std::find(words.begin(), words.end(), found) == words.end() ? not_among(row, words, called, found) : "";
  }
  if (row.holds == nullptr || row.holds(value)) return "";
  if (row.holds == not_zero) return fmt::format("{} {}", called, row.rule);
  return fmt::format("{} {}, found {}", called, row.rule, value);
}

std::string fault_of(const OptionRow& row, double value) { return fault_of(row, value, flag_of(row)); }

std::string fault_of(const OptionRow& row, const std::string& value, const std::string& called) {
  const auto words = words_of(row);
  if (words.empty() || std::find(words.begin(), words.end(), value) != words.end()) return "";
  return not_among(row, words, called, fmt::format("'{}'", value));
}

std::string fault_of(const OptionRow& row, const std::string& value) { return fault_of(row, value, flag_of(row)); }

std::string set_word(std::string_view name, Place place, const std::string& word, const std::string& called,
                     Options& options) {
  std::vector<std::string_view> known;
  for (const OptionRow& row : kTable) {
    if (row.name != name || !row.places.has(place)) continue;
    known.push_back(row.word);
    if (row.word != word) continue;
    set_value(row.field, options, true);
    return "";
  }
  std::string list;
  for (std::size_t i = 0; i < known.size(); ++i)
    list += fmt::format("{}{}", i == 0 ? "" : i + 1 == known.size() ? " and " : ", ", known[i]);
  return fmt::format("{} takes {}, found '{}'", called, list, word);
}

bool is_default(const OptionRow& row, const Options& options) { return is_default(row.field, options); }

std::string option_text(const OptionRow& row, const Options& options) { return text_of(row.field, options); }

}  // namespace rattleback
