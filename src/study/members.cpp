#include "study/members.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "bind/applies.hpp"
#include "expr/evaluator.hpp"
#include "model/grammar/expression.hpp"
#include "model/grammar/suggest.hpp"
#include "model/kind_facts.hpp"
#include "model/usable.hpp"
#include "model/written.hpp"
#include "option/run_table.hpp"
#include "rattleback/error.hpp"
#include "study/random.hpp"
#include "system/families/family_mechanical.hpp"
#include "text/csv_line.hpp"

namespace rattleback {
namespace {

constexpr double kMostMembers = 1e8;

// A start value by its name: the vector of the model that holds it, and the place in it.
struct Element {
  std::vector<double> Model::*vector;
  std::int32_t index;
};

std::optional<Element> start_place(const Model& model, std::string_view name) {
  const bool primed = name.ends_with('\'');
  const std::string_view stem = primed ? name.substr(0, name.size() - 1) : name;
  if (primed && !facts_of(model).primed) return std::nullopt;
  const std::vector<std::string>& quasi = model.quasi.names;
  if (const auto at = std::ranges::find(quasi, name); at != quasi.end())
    return Element{&Model::w0, static_cast<std::int32_t>(at - quasi.begin())};
  if (const auto i = model.coordinates.find(stem)) return Element{primed ? &Model::v0 : &Model::q0, *i};
  if (primed) return std::nullopt;
  if (const auto i = model.odae.velocities.find(stem)) return Element{&Model::v0, *i};
  if (const auto i = model.algebraic.find(stem)) return Element{&Model::z0, *i};
  return std::nullopt;
}

bool is_parameter(const Model& model, std::string_view name) {
  const front::World* const world = world_of(model);
  if (world == nullptr) return false;
  const front::Symbol* symbol = world->find(name.substr(0, name.find('[')));
  return symbol != nullptr && symbol->thing == front::Thing::parameter && !name.ends_with('\'');
}

Message names_text(const Model& model, const std::string& name) {
  std::vector<std::string> parameters, starts = model.coordinates.all(), all;
  for (const std::string& velocity : velocity_names(model)) starts.push_back(velocity);
  starts.insert(starts.end(), model.quasi.names.begin(), model.quasi.names.end());
  if (world_of(model) != nullptr)
    for (const auto& [parameter, value] : model.parameters) parameters.push_back(parameter);
  all = parameters;
  all.insert(all.end(), starts.begin(), starts.end());
  Message text = front::did_you_mean(name, all);
  if (!parameters.empty()) text = text + "Parameters: " + front::listed(parameters) + ". ";
  return text + "Start values: " + front::listed(starts);
}

double base_value(const Model& model, const std::string& name) {
  if (const auto place = start_place(model, name))
    return (model.*place->vector)[static_cast<std::size_t>(place->index)];
  return evaluate_number(model, "--spread " + name, name);
}

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

void check_name(const Model& model, const std::string& origin, const std::string& name) {
  if (is_parameter(model, name) || start_place(model, name)) return;
  throw error_of(fmt::format("{}: there is no parameter or start value `{}`. ", origin, name) +
                 names_text(model, name));
}

void check_twice(const std::string& origin, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      throw Error(fmt::format("{}: `{}` is named twice", origin, names[i]));
}

void check_count(std::int64_t count) {
  if (count < 1) throw Error(fmt::format("--random must be at least 1, found {}", count));
  if (static_cast<double>(count) > kMostMembers)
    throw Error(fmt::format("--random: {} members are more than {:.0e}", count, kMostMembers));
}

double evaluate_number(const Model& model, const std::string& option, const std::string& text) {
  if (const auto number = number_of(text)) return *number;
  Graph graph = *model.graph;
  const NodeId node = read_expression(model, graph, option, "the value", text);
  const std::int32_t n = std::max(model.coordinates.size(), model.odae.velocities.size()), m = model.multiplier_count();
  Evaluator value(graph, std::span(&node, 1), n, m);
  // What depends on the motion is not a number here.
  const std::vector<double> none(static_cast<std::size_t>(n), std::nan(""));
  const double x = value(std::nan(""), none, none)[0];
  if (!std::isfinite(x))
    throw Error(fmt::format("{}: '{}' is not a number; write a number, or an expression of numbers and parameters",
                            option, text));
  return x;
}

namespace {

// What one --vary takes, in order.
std::vector<double> values_of(const Variation& v) {
  if (!v.values.empty()) {
    for (const double x : v.values)
      if (!std::isfinite(x)) throw Error(fmt::format("--vary {}: the values must be finite, found {}", v.name, x));
    return v.values;
  }
  if (!std::isfinite(v.from) || !std::isfinite(v.to))
    throw Error(fmt::format("--vary {}: the ends must be finite, found {} and {}", v.name, v.from, v.to));
  if (v.count < 1)
    throw Error(fmt::format("--vary {}: the number of values must be at least 1, found {}", v.name, v.count));
  if (v.count == 1 && v.from != v.to)
    throw Error(fmt::format("--vary {0}: one value, but two ends; write {0}={1:g}:{1:g}:1, or ask for more values",
                            v.name, v.from));
  if (v.count > 1 && v.from == v.to)
    throw Error(fmt::format("--vary {}: all {} values would be {:g}", v.name, v.count, v.from));
  if (static_cast<double>(v.count) > kMostMembers)
    throw Error(fmt::format("--vary {}: {} values are more than {:.0e}. Ask for fewer", v.name, v.count, kMostMembers));
  const auto n = static_cast<std::size_t>(v.count);
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) {
    // Both ends exactly, and the same values from either of them.
    const double part = n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.0;
    out.push_back(i + 1 == n && n > 1 ? v.to : v.from * (1.0 - part) + v.to * part);
  }
  return out;
}

}  // namespace

Members members_on_grid(const std::vector<Variation>& variations) {
  Members out;
  out.origin = "--vary";
  double count = 1.0;
  std::vector<std::vector<double>> lists;
  for (const Variation& v : variations) {
    lists.push_back(values_of(v));
    out.grid.push_back(lists.back().size());
    count *= static_cast<double>(lists.back().size());
    out.names.push_back(v.name);
    if (count > kMostMembers)
      throw Error(
          fmt::format("--vary: {:.3g} combinations are more than {:.0e}. Ask for fewer values", count, kMostMembers));
  }
  check_twice(out.origin, out.names);
  out.count = static_cast<std::size_t>(count);
  for (std::size_t member = 0; member < out.count; ++member) {
    std::size_t rest = out.count, place = member;
    for (const std::vector<double>& list : lists) {
      rest /= list.size();
      out.values.push_back(list[place / rest]);
      place %= rest;
    }
  }
  return out;
}

Members members_at_random(const Model& model, const std::vector<Spread>& spreads, std::int64_t count,
                          std::uint64_t seed) {
  Members out;
  out.origin = "--spread";
  check_count(count);
  std::vector<double> base;
  for (const Spread& spread : spreads) {
    check_name(model, out.origin, spread.name);
    if (!std::isfinite(spread.sigma) || spread.sigma < 0.0)
      throw Error(fmt::format("--spread {}: the standard deviation must not be negative, found {:g}", spread.name,
                              spread.sigma));
    out.names.push_back(spread.name);
    base.push_back(base_value(model, spread.name));
  }
  check_twice(out.origin, out.names);
  out.count = static_cast<std::size_t>(count);
  for (std::size_t member = 0; member < out.count; ++member) {
    Random random(seed, member);
    for (std::size_t i = 0; i < spreads.size(); ++i) out.values.push_back(base[i] + spreads[i].sigma * random.normal());
  }
  return out;
}

Members members_from_csv(const std::string& text, const std::string& file) {
  Members out;
  out.origin = file;
  out.count = 0;
  front::CsvText lines(std::string_view(text).substr(text.starts_with("\xef\xbb\xbf") ? 3 : 0));
  for (std::string_view line; lines.next(line);) {
    const std::size_t line_number = lines.number();
    const auto [cells, columns, open] = front::csv_line(line);
    FilePlace at{.file = file, .line = line_number};
    if (open)
      throw Error(fmt::format("{}:{}: a quote is not closed in this line. A cell in quotes ends on its line", file,
                              line_number),
                  at);
    if (out.names.empty()) {
      for (std::size_t i = 0; i < cells.size(); ++i)
        if (cells[i].empty()) throw Error(fmt::format("{}:{}: column {} has no name", file, line_number, i + 1), at);
      out.names = cells;
      check_twice(file, out.names);
      continue;
    }
    if (cells.size() != out.names.size())
      throw Error(fmt::format("{}:{}: expected {} value{} ({}), found {}", file, line_number, out.names.size(),
                              out.names.size() == 1 ? "" : "s", fmt::join(out.names, ", "), cells.size()),
                  at);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto value = number_of(cells[i]);
      at.column = columns[i];
      if (!value)
        throw Error(fmt::format("{}:{}: `{}`: '{}' is not a finite number", file, line_number, out.names[i], cells[i]),
                    at);
      out.values.push_back(*value);
    }
    ++out.count;
  }
  if (out.names.empty())
    throw Error(
        fmt::format("{}: the file is empty. Write a header row of names, then one row of numbers for each start", file),
        {.file = file});
  if (out.count == 0)
    throw Error(fmt::format("{}: there is a header row, but no row of numbers below it", file), {.file = file});
  return out;
}

MemberModels::MemberModels(const MemberSource& source, const Members& members, const Options& options, Place place,
                           std::string noun)
    : noun_(std::move(noun)), members_(members), source_(source), base_(load_model(source.system, source.load)) {
  if (largest_family(base_) != 0 && !takes_families(base_, with_run_table(base_, options, place))) {
    source_->load.unroll_below = kLargestFamily;
    base_ = read_again(base_, source_->load);
  }
  check();
}

MemberModels::MemberModels(const Model& model, const Members& members, std::string noun)
    : noun_(std::move(noun)), members_(members), base_(usable(model)) {
  const bool varies = std::any_of(members_.names.begin(), members_.names.end(),
                                  [&](const std::string& name) { return is_parameter(base_, name); });
  if (varies) {  // starts that are written as formulas follow
    source_.emplace(MemberSource{.system = {}, .load = base_.written->options});
    keep_changed_starts();
  }
  check();
}

void MemberModels::keep_changed_starts() {
  const front::ModelText& text = *base_.written->text;
  const std::vector<std::string> velocities = velocity_names(base_);
  const auto keep = [&](const std::vector<double>& now, const std::vector<double>& read, const auto& name) {
    for (std::size_t i = 0; i < now.size(); ++i)
      if (now[i] != read[i]) source_->load.start.emplace_back(name(i), front::number_text(now[i]));
  };
  keep(base_.q0, text.q0, [&](std::size_t i) { return base_.coordinates[static_cast<std::int32_t>(i)]; });
  keep(base_.v0, text.v0, [&](std::size_t i) { return velocities[i]; });
}

void MemberModels::check() {
  if (members_.count < 1) throw Error(fmt::format("{}: there is no {}", members_.origin, noun_));
  if (members_.values.size() != members_.names.size() * members_.count)
    throw Error(fmt::format("{}: {} names and {} {}s need {} values, found {}", members_.origin, members_.names.size(),
                            members_.count, noun_, members_.names.size() * members_.count, members_.values.size()));
  check_twice(members_.origin, members_.names);
  for (const std::string& name : members_.names) {
    check_name(base_, members_.origin, name);
    parameter_.push_back(is_parameter(base_, name));
  }
}

std::vector<double> MemberModels::values(std::size_t member) const {
  const std::size_t n = members_.names.size();
  const auto first = members_.values.begin() + static_cast<std::ptrdiff_t>(member * n);
  return {first, first + static_cast<std::ptrdiff_t>(n)};
}

std::vector<std::string> MemberModels::columns() const {
  std::vector<std::string> out = members_.names;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!parameter_[i]) out[i] = "start." + out[i];
  return out;
}

std::string MemberModels::describe(std::size_t member) const {
  std::string text = fmt::format("{} {}", noun_, member);
  const std::vector<double> row = values(member);
  for (std::size_t i = 0; i < row.size(); ++i)
    text += fmt::format("{}{} = {:.10g}", i == 0 ? " (" : ", ", members_.names[i], row[i]);
  return row.empty() ? text : text + ")";
}

std::unique_ptr<StartReader> MemberModels::start_reader() const {
  if (!source_) return nullptr;
  return std::make_unique<StartReader>(base_);
}

bool MemberModels::place(std::size_t member, StartReader* reader, Model& model) const {
  const std::vector<double> row = values(member);
  if (reader != nullptr) {
    if (row.empty()) return true;
    LoadOptions options = source_->load;
    for (std::size_t i = 0; i < row.size(); ++i)
      (parameter_[i] ? options.set : options.start).emplace_back(members_.names[i], front::number_text(row[i]));
    return reader->read(options, model) && model.q0.size() == base_.q0.size() && model.v0.size() == base_.v0.size();
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Element place = *start_place(model, members_.names[i]);
    if (place.vector == &Model::w0) return false;  // velocities follow from it
    (model.*place.vector)[static_cast<std::size_t>(place.index)] = row[i];
  }
  return true;
}

Model MemberModels::read(std::size_t member) const {
  const std::vector<double> row = values(member);
  if (row.empty()) return base_;
  if (!source_) {
    Model model = base_;
    Settings quasi;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (start_place(model, members_.names[i])->vector == &Model::w0)
        quasi.emplace_back(members_.names[i], front::number_text(row[i]));
    if (!quasi.empty()) model = base_.with({}, quasi);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Element place = *start_place(model, members_.names[i]);
      (model.*place.vector)[static_cast<std::size_t>(place.index)] = row[i];
    }
    return model;
  }
  LoadOptions load = source_->load;
  for (std::size_t i = 0; i < row.size(); ++i)
    (parameter_[i] ? load.set : load.start).emplace_back(members_.names[i], front::number_text(row[i]));
  return read_again(base_, load);
}

Model MemberModels::model(std::size_t member) const {
  try {
    Model out = read(member);
    if (out.coordinates.size() != base_.coordinates.size())
      throw Error(fmt::format("it has {} coordinates, but the system without --vary has {}", out.coordinates.size(),
                              base_.coordinates.size()));
    out.exact.clear();  // of the base model; nobody compares members with it
    return out;
  } catch (const Error& error) {
    throw in_other_words(error, fmt::format("{}: {}", describe(member), error.what()));
  }
}

void add_notes(std::vector<std::string>& all, std::vector<std::string>& of_one) {
  constexpr std::size_t kMost = 5;
  for (std::string& note : of_one)
    if (all.size() < kMost && std::find(all.begin(), all.end(), note) == all.end()) all.push_back(std::move(note));
}

void Moved::see(const Model& model, const std::vector<double>& q0, const std::vector<double>& v0) {
  see(model.kind, model.q0, model.v0, q0, v0);
}

void Moved::see(Kind kind, const std::vector<double>& q_asked, const std::vector<double>& v_asked,
                const std::vector<double>& q0, const std::vector<double>& v0) {
  if (facts_of(kind).algebraic_states) return;  // they are where the equations put them
  double distance = 0.0;
  for (std::size_t i = 0; i < q0.size(); ++i) distance = std::fmax(distance, std::fabs(q0[i] - q_asked[i]));
  for (std::size_t i = 0; i < v0.size(); ++i) distance = std::fmax(distance, std::fabs(v0[i] - v_asked[i]));
  if (distance > 0.0) ++count;
  by = std::fmax(by, distance);
}

}  // namespace rattleback
