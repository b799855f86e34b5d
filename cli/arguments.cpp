#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "model/grammar/suggest.hpp"
#include "output/layout.hpp"

namespace rattleback::cli {
namespace {

// Long ones are cut, so that a message stays a message.
std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) return fmt::format("'{}'", text);
  return fmt::format("'{}...' ({} characters)", text.substr(0, kLongest), text.size());
}

std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

}  // namespace

Number parse_number(const std::string& text) {
  const std::string_view digits = without_plus(text);
  Number number;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number.value);
  if (error == std::errc::invalid_argument || stop != end || digits.empty())
    number.fault = fmt::format("{} is not a number", in_quotes(text));
  else if (error == std::errc::result_out_of_range)
    number.fault = fmt::format("{} is outside the range of double precision (4.9e-324 to 1.8e308)", in_quotes(text));
  else if (!std::isfinite(number.value))
    number.fault = fmt::format("{} is not a finite number", in_quotes(text));
  return number;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

Arguments::Arguments(std::string verb, std::string summary, std::string example)
    : verb_(std::move(verb)), summary_(std::move(summary)), example_(std::move(example)) {
  options_.push_back({"--quiet", "", "prints nothing but --json, and on stderr only what went wrong", Shape::flag, {}});
}

void Arguments::system() { takes_system_ = true; }

void Arguments::names(std::string unit, std::string help) {
  names_unit_ = std::move(unit);
  names_help_ = std::move(help);
}

void Arguments::declare(Option option) { options_.insert(options_.end() - 1, std::move(option)); }

void Arguments::name(std::string unit, std::string help) {
  names(std::move(unit), std::move(help));
  one_name_ = true;
}

void Arguments::flag(std::string name, std::string help) {
  declare({std::move(name), "", std::move(help), Shape::flag, {}});
}

void Arguments::value(std::string name, std::string unit, std::string help) {
  declare({std::move(name), std::move(unit), std::move(help), Shape::value, {}});
}

void Arguments::values(std::string name, std::string unit, std::string help) {
  declare({std::move(name), std::move(unit), std::move(help), Shape::values, {}});
}

bool Arguments::parse(std::vector<std::string> arguments) {
  // What follows "--" is no option, whatever it begins with: the way to a file called -x.toml.
  const auto end = std::ranges::find(arguments, "--");
  std::vector<std::string> words;
  if (end != arguments.end()) words.assign(end + 1, arguments.end());
  arguments.erase(end, arguments.end());
  if (std::ranges::any_of(arguments, [](const std::string& a) { return a == "--help" || a == "-h"; })) {
    std::fputs(help().c_str(), stdout);
    return false;
  }
  read(std::move(arguments), std::move(words));
  for (const Option& option : options_) {
    if (option.given.empty()) continue;
    if (option.shape == Shape::value && option.given.size() > 1)
      fault(fmt::format("{} was given {} times ({} and {}); give it once", option.name, option.given.size(),
                        in_quotes(option.given[0]), in_quotes(option.given[1])));
  }
  if (takes_system_ && system_.empty() && faults_.empty())
    fault(fmt::format("{} needs a system: a model file, or a name that `rattleback systems` lists. Example: {}", verb_,
                      example_));
  if (one_name_ && names_.empty() && faults_.empty())
    fault(fmt::format("{} needs {}: {}. Example: {}", verb_, names_unit_, names_help_, example_));
  if (one_name_ && names_.size() > 1)
    fault(fmt::format("{} takes one {}, but after {} there is also {}", verb_, names_unit_, in_quotes(names_[0]),
                      in_quotes(names_[1])));
  return true;
}

// What CLI11 would take in another sense than the user: "--json=maybe", and "--step --until 3", which has no step.
void Arguments::check_shape(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string name = arguments[i].substr(0, arguments[i].find('='));
    const Option* option = find(name);
    if (option == nullptr) continue;
    const bool is_flag = option->shape == Shape::flag;
    if (is_flag && name != arguments[i])
      throw Error(fmt::format("{} takes no value, found {}", name, in_quotes(arguments[i])));
    if (is_flag || name != arguments[i]) continue;
    if (i + 1 == arguments.size() || find(arguments[i + 1].substr(0, arguments[i + 1].find('='))) != nullptr)
      throw Error(fmt::format("{0} needs a value: {0} {1}", name, option->unit.empty() ? "VALUE" : option->unit));
    ++i;
  }
}

// Everything that CLI11 does not know comes back as remaining arguments; it is named here, with the nearest known one.
void Arguments::read(std::vector<std::string> arguments, std::vector<std::string> words) {
  for (std::string& argument : arguments)  // --newton_tol and --newton-tol mean the same
    if (argument.starts_with("--")) {
      const auto end = static_cast<std::ptrdiff_t>(std::min(argument.find('='), argument.size()));
      std::replace(argument.begin(), argument.begin() + end, '_', '-');
    }
  check_shape(arguments);

  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::string> positional;
  if (takes_system_) app.add_option("SYSTEM", positional)->expected(0, -1);
  for (Option& option : options_) {
    if (option.shape == Shape::flag)
      app.add_flag_function(option.name, [&option](std::int64_t) { option.given.assign(1, "yes"); });
    else
      app.add_option(option.name, option.given)
          ->expected(1)
          ->allow_extra_args(false)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    throw Error(fmt::format("{}. `rattleback {} --help` lists what there is", error.what(), verb_));
  }

  std::vector<std::string> names;
  for (const Option& option : options_) names.push_back(option.name);
  bool unknown = false;
  for (const std::string& extra : app.remaining()) {
    if (!extra.starts_with('-') || extra == "-") {
      positional.push_back(extra);
      continue;
    }
    unknown = true;
    const std::string name = extra.substr(0, extra.find('='));
    const std::string close = front::nearest(name, names);
    fault(fmt::format("{} has no option {}. ", verb_, in_quotes(name)) +
          (close.empty() ? Message(fmt::format("`rattleback {} --help` lists what there is", verb_))
                         : Message(fmt::format("Did you mean {}?", close), close)));
  }
  positional.insert(positional.end(), words.begin(), words.end());
  if (takes_system_ && !positional.empty()) {
    system_ = positional.front();
    positional.erase(positional.begin());
    if (system_.empty()) fault("the system's name is empty");
  }
  if (!names_unit_.empty() && !unknown) names_ = std::exchange(positional, {});
  // What follows an unknown option is most likely its value.
  if (!positional.empty() && !unknown)
    fault(takes_system_ ? fmt::format("{} takes one system, but after {} there is also {}", verb_, in_quotes(system_),
                                      in_quotes(positional.front()))
                        : fmt::format("{} takes no argument, but there is {}", verb_, in_quotes(positional.front())));
}

const Arguments::Option* Arguments::find(std::string_view name) const {
  const auto at = std::ranges::find(options_, name, &Option::name);
  return at == options_.end() ? nullptr : &*at;
}

bool Arguments::has(std::string_view name) const {
  const Option* option = find(name);
  return option != nullptr && !option->given.empty();
}

std::optional<std::string> Arguments::text(std::string_view name) const {
  return has(name) ? std::optional(find(name)->given.back()) : std::nullopt;
}

std::vector<std::string> Arguments::texts(std::string_view name) const {
  const Option* option = find(name);
  return option == nullptr ? std::vector<std::string>{} : option->given;
}

std::optional<double> Arguments::number(std::string_view name) {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const Number number = parse_number(*given);
  if (number.fault.empty()) return number.value;
  fault(fmt::format("{}: {}", name, number.fault));
  return std::nullopt;
}

std::optional<double> Arguments::positive(std::string_view name) {
  const auto value = number(name);
  if (!value || *value > 0.0) return value;
  fault(fmt::format("{} must be positive, found {}", name, *value));
  return std::nullopt;
}

std::optional<std::int64_t> Arguments::whole(std::string_view name, std::int64_t least, std::int64_t most) {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const std::string_view digits = without_plus(*given);
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end || digits.empty())
    fault(fmt::format("{}: {} is not a whole number", name, in_quotes(*given)));
  else if (error == std::errc::result_out_of_range || value > most)
    fault(fmt::format("{}: {} is too large", name, in_quotes(*given)));
  else if (value < least)
    fault(fmt::format("{} must be at least {}, found {}", name, least, value));
  else
    return value;
  return std::nullopt;
}

std::vector<std::string> Arguments::list(std::string_view name) {
  const auto given = text(name);
  if (!given) return {};
  std::vector<std::string> parts = split(*given, ',');
  if (std::ranges::any_of(parts, [](const std::string& part) { return part.empty(); })) {
    fault(fmt::format("{}: {} has an empty place between its commas", name, in_quotes(*given)));
    return {};
  }
  return parts;
}

std::vector<std::pair<std::string, std::string>> Arguments::assignments(std::string_view name) {
  std::vector<std::pair<std::string, std::string>> out;
  if (!has(name)) return out;
  for (const std::string& given : find(name)->given) {
    const std::size_t equals = given.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == given.size()) {
      fault(fmt::format("{}: {} is not of the form NAME=VALUE", name, in_quotes(given)));
      continue;
    }
    const std::string left = given.substr(0, equals);
    if (std::ranges::any_of(out, [&](const auto& pair) { return pair.first == left; }))
      fault(fmt::format("{}: {} is set twice", name, in_quotes(left)));
    out.emplace_back(left, given.substr(equals + 1));
  }
  return out;
}

void Arguments::fault(const Message& message) { add(error_of(message)); }

void Arguments::faults(std::string_view lines) {
  for (const std::string& line : split(lines, '\n'))
    if (!line.empty()) add(Error(line));
}

void Arguments::add(const Error& fault) {
  const auto same = [&](const Error& known) { return std::string_view(known.what()) == fault.what(); };
  if (std::ranges::none_of(faults_, same)) faults_.push_back(fault);
}

void Arguments::refuse_if_faulty() const {
  if (faults_.empty()) return;
  std::string all;
  for (const Error& fault : faults_) all += fmt::format("{}{}", all.empty() ? "" : "\n", fault.what());
  // Programs are told the place and the suggestion of the first fault that has one.
  const auto tells = [](const Error& fault) { return !fault.place().file.empty() || !fault.suggestion().empty(); };
  const auto first = std::ranges::find_if(faults_, tells);
  throw in_other_words(first == faults_.end() ? faults_.front() : *first, all);
}

std::string Arguments::help() const {
  std::string usage = fmt::format("rattleback {}{}", verb_, takes_system_ ? " SYSTEM" : "");
  if (!names_unit_.empty()) usage += one_name_ ? " " + names_unit_ : fmt::format(" [{}]...", names_unit_);
  std::vector<std::vector<std::string>> rows;
  std::size_t width = 0;
  for (const Option& option : options_) {
    if (option.help.empty()) continue;
    rows.push_back({option.unit.empty() ? option.name : option.name + " " + option.unit, option.help});
    width = std::max(width, rows.back()[0].size());
    usage += fmt::format(" [{}]{}", rows.back()[0], option.shape == Shape::values ? "..." : "");
  }
  std::string text = report::wrap(summary_, "", "");
  // An option and its value stay on one line.
  std::string glued;
  for (std::size_t i = 0, depth = 0; i < usage.size(); ++i) {
    depth += usage[i] == '[' ? 1 : 0;
    depth -= usage[i] == ']' ? 1 : 0;
    glued += usage[i] == ' ' && depth > 0 ? '\x01' : usage[i];
  }
  glued = report::wrap(glued, "", std::string(verb_.size() + 12, ' '));
  std::replace(glued.begin(), glued.end(), '\x01', ' ');
  text += "\nUsage\n" + [&] {
    std::string indented;
    for (const std::string& line : split(glued, '\n'))
      if (!line.empty()) indented += "  " + line + '\n';
    return indented;
  }();
  if (takes_system_)
    text += "\nSYSTEM is the path of a model file, or the name of a shipped system (`rattleback systems`).\n";
  if (!names_unit_.empty()) text += "\n" + report::wrap(fmt::format("{} is {}.", names_unit_, names_help_), "", "");
  if (!rows.empty()) text += "\nOptions\n";
  const std::string blank(width + 4, ' ');
  for (const auto& row : rows) text += report::wrap(row[1], fmt::format("  {}  ", report::pad(row[0], width)), blank);
  return text + "\nExample\n  " + example_ + '\n';
}

}  // namespace rattleback::cli
