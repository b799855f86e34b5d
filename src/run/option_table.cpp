#include "run/option_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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

// clang-format off
constexpr std::array kTable = {
    OptionRow{.name = "method", .field = &O::method, .unit = "NAME",
              .help = "default: the model's, else spark-lobatto-ab (dae: srk-gauss, odae: euler-true, skew-gradient: "
                      "dg-gonzalez, port-hamiltonian: collocation-gauss)"},
    OptionRow{.name = "stages", .field = &O::stages, .unit = "S", .help = "default: the model's, else the method's",
              .holds = at_least_one, .rule = "must be at least 1"},
    OptionRow{.name = "step", .field = &O::step, .unit = "H",
              .help = "the fixed step; negative integrates backwards. Default: the model's. With --adaptive: the first",
              .holds = not_zero, .rule = "must not be 0", .between_runs = true},
    OptionRow{.name = "until", .field = &O::until, .on_resume = end, .unit = "T",
              .help = "end time. If it is not a multiple of H, a shorter last step ends on it", .between_runs = true},
    OptionRow{.name = "steps", .field = &O::steps, .on_resume = end, .unit = "N",
              .help = "instead of --until: exactly so many steps", .holds = not_negative, .rule = "must be at least 0", .between_runs = true},
    OptionRow{.name = "formulation", .field = &O::formulation,
              .help = "how holonomic constraints are taken: position level at the stages, velocity level, or both"},
    OptionRow{.name = "multiplier", .field = &O::multiplier,
              .help = "reported multipliers: consistent ones, or those of prk-murua's own recursion; stage: a method's own "
                      "algebraic states (port-Hamiltonian)"},
    OptionRow{.name = "project", .field = &O::project,
              .help = "moves an inconsistent start to the nearest consistent one instead of refusing it", .between_runs = true},
    OptionRow{.name = "compose", .field = &O::compose, .unit = "2|4|6|8",
              .help = "symmetric composition of the method to this order"},
    OptionRow{.name = "tableau", .field = &O::tableau, .unit = "FILE.toml",
              .help = "your own Runge-Kutta coefficients instead of --method"},
    OptionRow{.name = "alpha", .field = &O::alpha, .unit = "A",
              .help = "weight of the reaction at the start, for the euler methods. Default: 0.5"},
    OptionRow{.name = "rtol", .field = &O::rtol, .unit = "R",
              .help = "relative tolerance, for ode, index1 and baumgarte", .holds = positive, .rule = "must be positive"},
    OptionRow{.name = "atol", .field = &O::atol, .unit = "A",
              .help = "absolute tolerance, for ode, index1 and baumgarte", .holds = positive, .rule = "must be positive"},
    OptionRow{.name = "gain", .field = &O::gain, .unit = "G",
              .help = "rate at which baumgarte lets constraint errors decay, in 1/time. Default: 10",
              .holds = not_negative, .rule = "must not be negative (0 = no feedback)"},
    OptionRow{.name = "redundant", .field = &O::redundant,
              .help = "what to do with constraints that follow from the others: minimum-norm integrates a subset of full "
                      "rank, chosen anew at each step, and reports multipliers of least norm. Default: refuse"},
    OptionRow{.name = "newton-tol", .field = &O::newton_tol, .unit = "X",
              .help = "relative size of the last Newton correction; 0, the default: to rounding",
              .holds = not_negative, .rule = "must not be negative (0 = to rounding)"},
    OptionRow{.name = "newton", .field = &O::newton,
              .help = "solves all equations of a step together with one matrix, as plain codes do; shows what loose "
                      "tolerances cost",
              .rule = "left out, each step is solved in the best known way"},
    OptionRow{.name = "adaptive", .field = &O::adaptive, .unit = "TOL",
              .help = "chooses the steps so that the error of each is about TOL, relative",
              .holds = tolerance, .rule = "takes a tolerance from 1e-14 to 1, for example 1e-6", .between_runs = true},
    OptionRow{.name = "controller", .field = &O::controller,
              .help = "of --adaptive: pi for general use (the default), reversible for long runs with symmetric methods"},
    OptionRow{.name = "event", .field = &O::event, .unit = "EXPR",
              .help = "locates where this expression is zero: --event x --event \"y' - 0.1\"", .between_runs = true},
    OptionRow{.name = "every", .field = &O::every, .unit = "K",
              .help = "records every K-th step. Default: all, thinned beyond 10^6 or 200 MB",
              .holds = at_least_one, .rule = "must be at least 1", .between_runs = true},
    OptionRow{.name = "output-every", .field = &O::output_every, .unit = "DT",
              .help = "instead: records at the multiples of DT, between the steps",
              .holds = positive, .rule = "takes a positive time", .between_runs = true},
    OptionRow{.name = "keep-records", .field = &O::keep_records, .between_runs = true},
    OptionRow{.name = "record-multipliers", .field = &O::record_multipliers, .between_runs = true},
    OptionRow{.name = "audit", .field = &O::audit_reverse, .on_resume = free_choice, .unit = "reverse,order,power",
              .help = "also integrates back, repeats with h/2 and h/4 (not with --adaptive), or compares the energy "
                      "change of each step with the work of forces and reactions",
              .word = "reverse", .between_runs = true},
    OptionRow{.name = "audit", .field = &O::audit_order, .on_resume = free_choice, .word = "order", .between_runs = true},
    OptionRow{.name = "audit", .field = &O::audit_power, .word = "power"},
    OptionRow{.name = "checkpoint", .field = &O::checkpoint, .on_resume = none, .unit = "FILE",
              .help = "saves the state now and then while the run goes on", .between_runs = true},
    OptionRow{.name = "resume", .field = &O::resume, .on_resume = none,
              .help = "continues from the checkpoint, with the same bits", .between_runs = true},
    OptionRow{.name = "checkpoint-seconds", .field = &O::checkpoint_seconds, .on_resume = none, .unit = "S",
              .help = "how often the checkpoint is written. Default: 1", .holds = not_negative, .rule = "must not be negative", .between_runs = true},
    OptionRow{.name = "native", .field = &O::native, .on_resume = free_choice,
              .help = "steps as compiled machine code; auto, the default: when the run is long", .between_runs = true},
    OptionRow{.name = "from", .field = &O::from, .between_runs = true},  // q0, v0, parameters: their values are in the signature as those of the model
    OptionRow{.name = "q0", .field = &O::q0, .on_resume = free_choice, .between_runs = true},
    OptionRow{.name = "v0", .field = &O::v0, .on_resume = free_choice, .between_runs = true},
    OptionRow{.name = "parameters", .field = &O::parameters, .on_resume = free_choice, .between_runs = true},
    OptionRow{.name = "progress", .field = &O::progress, .on_resume = none, .between_runs = true},
    OptionRow{.name = "warn", .field = &O::warn, .on_resume = none, .between_runs = true},
    OptionRow{.name = "stop", .field = &O::stop, .on_resume = none, .between_runs = true},
    OptionRow{.name = "observe", .field = &O::observe, .on_resume = none, .between_runs = true},
};
// clang-format on

// Does not compile when Options has another number of fields than the table has rows.
[[maybe_unused]] constexpr std::size_t fields_of(const Options& o) {
  const auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23,
               f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36, f37, f38, f39] = o;
  (void)f1;
  return 39;
}
static_assert(kTable.size() == 39, "each field of Options has one row, and fields_of() counts the fields");

template <class T>
constexpr bool is_text = std::is_same_v<T, std::string>;
template <class T>
constexpr bool is_optional = std::is_same_v<T, std::optional<double>> || std::is_same_v<T, std::optional<std::int64_t>>;
template <class T>
constexpr bool is_of_process =  // of this process, no value
    std::is_same_v<T, std::function<void(const Progress&)>> || std::is_same_v<T, std::function<Go(const StepView&)>> ||
    std::is_same_v<T, std::function<void(const std::string&)>> || std::is_same_v<T, std::stop_token>;
template <class T>
constexpr bool is_numbers = std::is_same_v<T, std::vector<double>>;
template <class T>
constexpr bool is_values = std::is_same_v<T, Values>;
template <class T>
constexpr bool is_list = std::is_same_v<T, std::vector<std::string>>;

// The names of a policy; of other fields there are none.
template <class T>
std::vector<std::string_view> names_of(const T&) {
  return {};
}
template <class E>
std::vector<std::string_view> names_of(const Choice<E>&) {
  std::vector<std::string_view> names;
  for (const E value : values_of<E>())
    if (const std::string_view name = to_string(value); !name.empty()) names.push_back(name);
  return names;
}

template <class Visitor>
auto look(const OptionRow& row, const Options& options, const Visitor& visitor) {
  return std::visit([&](auto field) { return visitor(options.*field); }, row.field);
}

}  // namespace

std::span<const OptionRow> option_table() { return kTable; }

const OptionRow& option_row(std::string_view name) {
  return *std::find_if(kTable.begin(), kTable.end(), [&](const OptionRow& row) { return row.name == name; });
}

std::string flag_of(const OptionRow& row) {
  return fmt::format("--{}{}{}", row.name, row.word.empty() ? "" : " ", row.word);
}

bool is_whole(const OptionRow& row) {
  return look(row, {}, [](const auto& x) {
    using T = std::decay_t<decltype(x)>;
    return std::is_same_v<T, int> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::optional<std::int64_t>>;
  });
}

bool is_number(const OptionRow& row) {
  return is_whole(row) || look(row, {}, [](const auto& x) {
           using T = std::decay_t<decltype(x)>;
           return std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>;
         });
}

std::string unit_of(const OptionRow& row) {
  const std::vector<std::string_view> names = look(row, {}, [](const auto& x) { return names_of(x); });
  return names.empty() ? std::string(row.unit) : fmt::format("{}", fmt::join(names, "|"));
}

std::vector<std::string_view> words_of(const OptionRow& row) {
  std::vector<std::string_view> words = look(row, {}, [](const auto& x) { return names_of(x); });
  if (!words.empty()) return words;
  const bool names_a_value = std::any_of(row.unit.begin(), row.unit.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (row.unit.empty() || names_a_value || std::holds_alternative<bool Options::*>(row.field)) return words;
  for (std::size_t at = 0; at <= row.unit.size();) {
    const std::size_t stop = std::min(row.unit.find('|', at), row.unit.size());
    words.push_back(row.unit.substr(at, stop - at));
    at = stop + 1;
  }
  return words;
}

namespace {

std::string values_text(const Values& values) {
  std::string text;
  for (const auto& [name, value] : values) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  return text;
}

std::string not_among(const OptionRow& row, const std::vector<std::string_view>& words, const std::string& found) {
  std::string list(words.front());
  for (std::size_t i = 1; i < words.size(); ++i)
    list += fmt::format("{}{}", i + 1 == words.size() ? " or " : ", ", words[i]);
  return fmt::format("{} takes {}, found {}{}{}", flag_of(row), list, found, row.rule.empty() ? "" : "; ", row.rule);
}

}  // namespace

std::string fault_of(const OptionRow& row, double value) {
  if (!std::isfinite(value)) return fmt::format("{} must be a finite number, found {}", flag_of(row), value);
  if (const auto words = words_of(row); !words.empty()) {
    const std::string found = fmt::format("{}", value);
    return std::find(words.begin(), words.end(), found) == words.end() ? not_among(row, words, found) : "";
  }
  if (row.holds == nullptr || row.holds(value)) return "";
  if (row.holds == not_zero) return fmt::format("{} {}", flag_of(row), row.rule);
  return fmt::format("{} {}, found {}", flag_of(row), row.rule, value);
}

std::string fault_of(const OptionRow& row, const std::string& value) {
  const auto words = words_of(row);
  if (words.empty() || std::find(words.begin(), words.end(), value) != words.end()) return "";
  return not_among(row, words, fmt::format("'{}'", value));
}

bool is_default(const OptionRow& row, const Options& options) {
  return std::visit(
      [&](auto field) {
        const Options usual;
        if constexpr (std::is_same_v<std::decay_t<decltype(usual.*field)>, std::stop_token>)
          return !(options.*field).stop_possible();
        else if constexpr (is_of_process<std::decay_t<decltype(usual.*field)>>)
          return !(options.*field);
        else
          return options.*field == usual.*field;
      },
      row.field);
}

std::string option_text(const OptionRow& row, const Options& options) {
  return look(row, options, [&](const auto& x) -> std::string {
    using T = std::decay_t<decltype(x)>;
    if constexpr (is_text<T>)
      return x;
    else if constexpr (is_choice<T>)
      return x.given() ? x.text() : to_string(x.value());
    else if constexpr (is_list<T>)
      return fmt::format("{}", fmt::join(x, "\n"));
    else if constexpr (is_numbers<T>)
      return fmt::format("{}", fmt::join(x, ", "));
    else if constexpr (is_values<T>)
      return values_text(x);
    else if constexpr (is_optional<T>)
      return x ? fmt::format("{}", *x) : "";
    else if constexpr (is_of_process<T>)
      return "";
    else
      return fmt::format("{}", x);
  });
}

}  // namespace rattleback
