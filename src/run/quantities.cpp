#include "run/quantities.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "expr/spaces.hpp"
#include "expr/traverse.hpp"
#include "model/grammar/expression.hpp"
#include "model/grammar/suggest.hpp"
#include "model/kind_facts.hpp"
#include "model/written.hpp"
#include "rattleback/error.hpp"
#include "run/plot_columns.hpp"
#include "text/parts.hpp"

namespace rattleback {
namespace {

// Every definition of the model, element by element.
std::vector<std::string> definition_names(const Model& model) {
  std::vector<std::string> out;
  const front::World* const world = world_of(model);
  if (world == nullptr) return out;
  for (const front::Definition& d : world->definitions)
    for (const front::DefinitionPiece& p : d.pieces)
      for (std::int64_t i = p.from; i <= p.to; ++i) out.push_back(d.family ? front::element_name(d.name, i) : d.name);
  return out;
}

// What a file has without being asked.
std::vector<std::string> standard_names(const Model& model) {
  const KindFacts& facts = facts_of(model);
  std::vector<std::string> out = {"t", "balance"};  // of methods that know it
  if (facts.energy) out.emplace_back("energy");
  if (facts.position_level) out.emplace_back("residual.position");
  if (facts.velocities) out.emplace_back("residual.velocity");
  const auto add = [&](const std::vector<std::string>& names) { out.insert(out.end(), names.begin(), names.end()); };
  add(model.coordinates.all());
  add(velocity_names(model));
  for (std::int32_t i = 0; i < model.multiplier_count(); ++i)
    out.push_back((facts.primed ? "lambda." : "") + model.multiplier_name(i));
  for (const auto& input : model.ph.inputs) add({"u." + input.name, "y." + input.name});
  for (const Output& output : model.outputs) out.push_back(output.name);
  return out;
}

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

NodeId read_column(const Model& model, Graph& graph, const std::string& option, const std::string& name) {
  return read_expression(model, graph, option + " " + name, "the column", name, true);
}

// Of what is listed, patterns in full: the columns that a run does not have without being asked, nor among `there`.
std::vector<std::string> further_columns(const Model& model, const std::vector<std::string>& items,
                                         const std::string& option, const std::vector<std::string>& there) {
  if (items.empty()) return {};
  const std::vector<std::string> standard = standard_names(model), definitions = definition_names(model);
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (!contains(out, name) && !contains(there, name) && !contains(standard, name)) out.push_back(name);
  };
  for (const std::string& item : items) {
    if (!is_pattern(item)) {
      add(item);
      continue;
    }
    const auto fits = [&](const std::string& name) { return matches(name, item); };
    bool found = std::ranges::any_of(standard, fits) || std::ranges::any_of(there, fits);
    for (const std::string& name : definitions)
      if (fits(name)) {
        found = true;
        add(name);
      }
    if (found) continue;
    std::vector<std::string> known = standard;
    known.insert(known.end(), definitions.begin(), definitions.end());
    throw Error(fmt::format("{}: no column or definition matches '{}'. Known: {}", option, item,
                            front::listed(std::move(known))));
  }
  return out;
}

}  // namespace

bool matches(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') {
    for (std::size_t skip = 0; skip <= name.size(); ++skip)
      if (matches(name.substr(skip), pattern.substr(1))) return true;
    return false;
  }
  return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) && matches(name.substr(1), pattern.substr(1));
}

bool is_pattern(std::string_view item) {
  return (item.starts_with('*') || item.ends_with('*') || item.find('?') != std::string_view::npos) &&
         item.find_first_of("+-/^() ") == std::string_view::npos;
}

// Commas within brackets belong to an expression.
std::vector<std::string> listed_columns(const Options& options) {
  std::vector<std::string> out =
      parts_outside_brackets(std::string_view(options.output_columns).substr(selects_columns(options) ? 1 : 0), ',');
  std::erase(out, "");
  return out;
}

void check_columns(const Model& model, const std::vector<std::string>& items, const std::string& option) {
  Graph graph = *model.graph;
  for (const std::string& name : further_columns(model, items, option, {}))
    if (!name.starts_with("invariant.")) (void)read_column(model, graph, option, name);
}

Quantities::Quantities(const System& system, const Graph& graph, std::span<const NodeId> nodes) {
  evaluate(system, graph, nodes);
}

void Quantities::evaluate(const System& system, const Graph& graph, std::span<const NodeId> nodes) {
  need_multipliers_ = depends_on(graph, nodes, kMultiplier);
  need_accelerations_ = depends_on(graph, nodes, kAcceleration);
  values_.emplace(graph, nodes, system.n(), system.m(), need_accelerations_ ? system.n() : 0);
}

Quantities::Quantities(const System& system, const Options& options, const KeptQuantities& kept) {
  const Model& model = system.model();
  std::vector<NodeId> nodes;
  for (const Output& output : model.outputs) {
    names_.push_back(output.name);
    nodes.push_back(output.expr);
  }
  for (std::size_t i = 0; i < kept.nodes.size(); ++i) {
    names_.push_back("invariant." + kept.names[i]);
    nodes.push_back(kept.nodes[i]);
  }
  const std::vector<std::string> listed = listed_columns(options), plotted = plotted_columns(options);
  if (nodes.empty() && listed.empty() && plotted.empty()) return;
  Graph graph = kept.graph;
  const auto add = [&](const std::vector<std::string>& items, const std::string& option) {
    for (const std::string& name : further_columns(model, items, option, names_)) {
      nodes.push_back(read_column(model, graph, option, name));
      names_.push_back(name);
    }
  };
  add(listed, "--output-columns");
  const std::size_t written = names_.size();
  add(plotted, "--plot-columns");
  drawn_ = names_.size() - written;
  if (!nodes.empty()) evaluate(system, graph, nodes);
}

}  // namespace rattleback
