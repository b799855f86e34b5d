#include "common.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "files/replace.hpp"
#include "output/figures.hpp"
#include "plot/svg.hpp"
#include "rattleback/error.hpp"
#include "rattleback/method.hpp"
#include "reserve.hpp"
#include "run/option_table.hpp"
#include "signals.hpp"

namespace rattleback::cli {

void add_model_options(Arguments& arguments) {
  arguments.values("--set", "NAME=VALUE",
                   "changes a parameter of the model; VALUE may be an expression: --set g=9.81/6");
  arguments.values("--start", "NAME=VALUE", "changes an initial value: --start theta=0.2 --start \"theta'=1\"");
  arguments.value("--keep", "NAMES",
                  "initial values that --project holds while it solves for the others: --keep \"y,theta'\"");
}

LoadOptions model_options(Arguments& arguments) {
  LoadOptions options;
  options.set = arguments.assignments("--set");
  options.start = arguments.assignments("--start");
  options.keep = arguments.list("--keep");
  for (std::string& name : options.keep) {
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
  }
  return options;
}

void check_keep(const Arguments& arguments, const Model& model) {
  if (arguments.has("--keep") && !arguments.has("--project") && !model.project)
    throw Error(
        "--keep says what --project holds while it moves the rest, and nothing is to be moved. Add --project, or leave "
        "--keep out");
}

void add_option(Arguments& arguments, std::string_view name, const std::string& help) {
  const OptionRow& row = option_row(name);
  const std::string flag = "--" + std::string(name), text = help.empty() ? std::string(row.help) : help;
  const std::string unit = unit_of(row);
  if (unit.empty())
    arguments.flag(flag, text);
  else if (std::holds_alternative<std::vector<std::string> Options::*>(row.field))
    arguments.values(flag, unit, text);
  else
    arguments.value(flag, unit, text);
}

void add_options(Arguments& arguments, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) add_option(arguments, name);
}

void add_method_options(Arguments& arguments) {
  add_options(arguments, {"formulation", "multiplier", "project", "compose", "newton-tol", "newton"});
}

void add_special_options(Arguments& arguments) {
  add_options(arguments, {"alpha", "rtol", "atol", "gain", "redundant"});
}

namespace {

// One flag whose value is several words: --audit reverse,power.
void read_words(Arguments& arguments, std::string_view name, Options& options) {
  for (const std::string& word : arguments.list("--" + std::string(name))) {
    std::string known;
    bool found = false;
    for (const OptionRow& row : option_table()) {
      if (row.name != name) continue;
      if (row.word == word) {
        options.*std::get<bool Options::*>(row.field) = true;
        found = true;
      }
      known += fmt::format("{}{}", known.empty() ? "" : ", ", row.word);
    }
    if (const std::size_t comma = known.rfind(", "); comma != std::string::npos) known.replace(comma, 2, " and ");
    if (!found) arguments.fault(fmt::format("--{} takes {}, found '{}'", name, known, word));
  }
}

struct ReadField {
  Arguments& arguments;
  const OptionRow& row;
  Options& options;
  std::string flag;

  void operator()(bool Options::*field) const { options.*field = arguments.has(flag); }
  void operator()(std::vector<std::string> Options::*field) const { options.*field = arguments.texts(flag); }
  void operator()(std::string Options::*field) const {
    const std::string text = arguments.text(flag).value_or("");
    if (row.name == "method" && text.empty())
      arguments.fault("--method has no name; `rattleback methods` lists them");
    else if (row.name == "method")
      check_method(arguments, text);
    else if (row.unit.starts_with("FILE") && text.empty())
      arguments.fault(fmt::format("{} needs the name of a file", flag));
    else if (const std::string fault = fault_of(row, text); !fault.empty())
      arguments.fault(fault);
    options.*field = text;
  }
  template <class E>
  void operator()(Choice<E> Options::*field) const {
    const std::string text = arguments.text(flag).value_or("");
    if (const std::string fault = fault_of(row, text); !fault.empty()) arguments.fault(fault);
    options.*field = text;
  }
  template <class Number>  // double, int, std::int64_t, or an optional of these
  void operator()(Number Options::*field) const {
    if constexpr (std::is_same_v<Number, int> || std::is_same_v<Number, std::int64_t> ||
                  std::is_same_v<Number, std::optional<std::int64_t>>) {
      const std::int64_t most =
          std::is_same_v<Number, int> ? std::numeric_limits<int>::max() : std::numeric_limits<std::int64_t>::max();
      if (const auto x = arguments.whole(flag, std::numeric_limits<std::int64_t>::min(), most); x && accepted(*x))
        options.*field = static_cast<std::conditional_t<std::is_same_v<Number, int>, int, std::int64_t>>(*x);
    } else {
      if (const auto x = arguments.number(flag); x && accepted(*x)) options.*field = *x;
    }
  }
  // Of programs alone.
  template <class... Told>
  void operator()(std::function<void(Told...)> Options::*) const {}
  void operator()(std::function<Go(const StepView&)> Options::*) const {}
  void operator()(std::stop_token Options::*) const {}
  void operator()(std::vector<double> Options::*) const {}
  void operator()(Values Options::*) const {}

 private:
  template <class Number>
  [[nodiscard]] bool accepted(Number x) const {
    const std::string fault = fault_of(row, static_cast<double>(x));
    if (!fault.empty()) arguments.fault(fault);
    return fault.empty();
  }
};

}  // namespace

void read_options(Arguments& arguments, Options& options, std::initializer_list<std::string_view> but) {
  for (const OptionRow& row : option_table()) {
    const std::string flag = "--" + std::string(row.name);
    if (row.help.empty() || !arguments.has(flag) || std::find(but.begin(), but.end(), row.name) != but.end()) continue;
    if (!row.word.empty())
      read_words(arguments, row.name, options);
    else
      std::visit(ReadField{arguments, row, options, flag}, row.field);
  }
  options.stop = stop_token();
  arguments.faults(options.validate());
}

void add_plot_option(Arguments& arguments, const std::string& what) { arguments.value("--plot", "FILE.svg", what); }

std::string read_plot_path(Arguments& arguments) {
  std::string path = arguments.text("--plot").value_or("");
  if (arguments.has("--plot")) arguments.collect([&] { report::check_figure_path(path); });
  return path;
}

void Files::write(const std::string& path, const std::string& said, const std::function<void()>& write_it) {
  if (path.empty()) return;
  attempt("to write '" + path + "'", [&] {
    write_it();
    text_ += fmt::format("\n{}\n", said);
  });
}

void Files::attempt(const std::string& what, const std::function<void()>& action) {
  keep_reserve();
  try {
    action();
  } catch (const Error& error) {
    fail(error.what());
  } catch (const std::bad_alloc&) {
    fail(fmt::format("there was not enough memory {}", what));
  } catch (const std::length_error&) {  // a text that cannot be that long
    fail(fmt::format("there was not enough memory {}", what));
  }
}

void Files::fail(std::string_view message) {
  if (!failed_.empty()) failed_ += '\n';
  failed_ += message;
}

void Files::draw(const std::string& path, const std::function<plot::Figure()>& figure) {
  write(path, fmt::format("Drawn in {}", path), [&] { files::write_text(path, plot::to_svg(figure())); });
}

int Files::conclude(const std::function<std::string()>& result, int status) {
  attempt("to print the result", [&] {
    if (const std::string text = result(); !text.empty()) print(text);
  });
  if (failed_.empty()) return status;
  say(failed_);
  return status == kDone ? kOutputFailed : status;
}

void check_method(Arguments& arguments, const std::string& name) {
  if (!name.empty()) arguments.collect([&] { find_method(name); });
}

}  // namespace rattleback::cli
