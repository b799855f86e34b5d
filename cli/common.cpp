#include "common.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "answer.hpp"
#include "files/replace.hpp"
#include "option/option_table.hpp"
#include "plot/figure_file.hpp"
#include "rattleback/error.hpp"
#include "rattleback/method.hpp"
#include "reserve.hpp"
#include "signals.hpp"

namespace rattleback::cli {
namespace {

std::string flag_named(std::string_view name) { return "--" + std::string(name); }

}  // namespace

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
  const bool projects = model.project || (model.run.others && model.run.others->project);
  if (arguments.has("--keep") && !arguments.has("--project") && !projects)
    throw Error(
        "--keep says what --project holds while it moves the rest, and nothing is to be moved. Add --project, or leave "
        "--keep out");
}

void add_options(Arguments& arguments, Place place, const OptionWords& words) {
  std::string_view before;
  for (const OptionRow& row : option_table()) {
    if (!row.places.has(place) || row.name == before) continue;  // a list of words is one flag
    before = row.name;
    const std::string flag = flag_named(row.name);
    const auto own = std::find_if(words.begin(), words.end(), [&](const auto& w) { return w.first == row.name; });
    const std::string help(own != words.end() ? own->second : row.help);
    switch (shape_of(row.field)) {
      case Shape::flag:
        if (row.word.empty())
          arguments.flag(flag, help);
        else
          arguments.value(flag, unit_of(row), help);
        break;
      case Shape::texts: arguments.values(flag, unit_of(row), help); break;
      case Shape::whole:
      case Shape::number:
      case Shape::text: arguments.value(flag, unit_of(row), help); break;
      case Shape::numbers:
      case Shape::values:
      case Shape::none: break;
    }
  }
}

namespace {

template <class Number>
void read_number(Arguments& arguments, const OptionRow& row, std::optional<Number> x, Options& options) {
  if (!x) return;
  const std::string fault = fault_of(row, static_cast<double>(*x));
  if (fault.empty())
    set_value(row.field, options, *x);
  else
    arguments.fault(fault);
}

void read_text(Arguments& arguments, const OptionRow& row, const std::string& text, Options& options) {
  if (row.name == "method" && text.empty())
    arguments.fault("--method has no name; `rattleback methods` lists them");
  else if (row.name == "method")
    check_method(arguments, text);
  else if (row.unit.starts_with("FILE") && text.empty())
    arguments.fault(fmt::format("{} needs the name of a file", flag_of(row)));
  else if (const std::string fault = fault_of(row, text); !fault.empty())
    arguments.fault(fault);
  set_value(row.field, options, text);
}

void read_option(Arguments& arguments, Place place, const OptionRow& row, Options& options) {
  const std::string flag = flag_named(row.name);
  switch (shape_of(row.field)) {
    case Shape::flag:
      if (row.word.empty()) return set_value(row.field, options, true);
      for (const std::string& word : arguments.list(flag))  // --audit reverse,power
        if (const std::string fault = set_word(row.name, place, word, flag, options); !fault.empty())
          arguments.fault(fault);
      return;
    case Shape::whole: {
      const auto x = arguments.whole(flag, std::numeric_limits<std::int64_t>::min(), largest_of(row.field));
      return read_number(arguments, row, x, options);
    }
    case Shape::number: return read_number(arguments, row, arguments.number(flag), options);
    case Shape::text: return read_text(arguments, row, arguments.text(flag).value_or(""), options);
    case Shape::texts: return set_value(row.field, options, arguments.texts(flag));
    case Shape::numbers:
    case Shape::values:
    case Shape::none: return;
  }
}

}  // namespace

void read_options(Arguments& arguments, Place place, Options& options) {
  for (const OptionRow& row : option_table())
    if (row.places.has(place) && arguments.has(flag_named(row.name))) read_option(arguments, place, row, options);
  options.stop = stop_token();
  arguments.faults(options.validate());
}

bool same_file(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return false;
  std::error_code error;
  const auto place = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  return place(one) == place(other) && !error;
}

void add_plot_option(Arguments& arguments, const std::string& what) {
  arguments.value("--plot", plot::kFigureFiles, what);
}

std::string read_plot_path(Arguments& arguments) {
  std::string path = arguments.text("--plot").value_or("");
  if (arguments.has("--plot")) arguments.collect([&] { plot::check_figure_path(path); });
  return path;
}

void check_different(Arguments& arguments, const char* option, const std::string& path, const char* other_option,
                     const std::string& other_path) {
  if (same_file(path, other_path))
    arguments.fault(fmt::format("{} and {} name the same file; give two names", option, other_option));
}

void add_table_option(Arguments& arguments) {
  arguments.value("--table", "FILE.tex", "writes the table for LaTeX, with the package booktabs");
}

std::string read_table_path(Arguments& arguments) {
  std::string path = arguments.text("--table").value_or("");
  if (arguments.has("--table"))
    arguments.collect([&] {
      files::check_place(path, "table");
      if (!path.ends_with(".tex"))
        throw Error(fmt::format("table '{}' has an ending that is not known. Tables are written as .tex", path));
    });
  return path;
}

void Files::write(const std::string& path, const std::string& said, const std::function<void()>& write_it) {
  if (path.empty()) return;
  attempt("to write '" + path + "'", [&] {
    std::error_code unknown;
    const bool was_there = std::filesystem::exists(path, unknown);
    write_it();
    if (was_there) note(fmt::format("replaced {}, which was there before", path));
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
  write(path, fmt::format("Drawn in {}", path), [&] { plot::write_figure(figure(), path); });
}

void Files::write_table(const std::string& path, const std::function<std::string()>& text) {
  write(path, fmt::format("Table in {}", path), [&] { files::write_text(path, text()); });
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
