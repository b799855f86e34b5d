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
  std::vector<std::string> out = {"t", "energy", "balance", "residual.position", "residual.velocity"};
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

// Commas within brackets belong to an expression.
std::vector<std::string> listed_columns(const Options& options) {
  std::vector<std::string> out;
  std::string item;
  int depth = 0;
  const auto finish = [&] {
    const std::size_t begin = item.find_first_not_of(' '), end = item.find_last_not_of(' ');
    if (begin != std::string::npos) out.push_back(item.substr(begin, end - begin + 1));
    item.clear();
  };
  for (const char c : options.output_columns.substr(selects_columns(options) ? 1 : 0)) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      finish();
    else
      item += c;
  }
  finish();
  return out;
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
  const std::vector<std::string> list = listed_columns(options);
  if (nodes.empty() && list.empty()) return;
  Graph graph = kept.graph;
  const std::vector<std::string> standard = standard_names(model), definitions = definition_names(model);
  const auto add = [&](const std::string& name) {
    if (contains(names_, name) || contains(standard, name)) return;
    nodes.push_back(read_expression(model, graph, "--output-columns " + name, "the column", name, true));
    names_.push_back(name);
  };
  for (const std::string& item : list) {
    const bool pattern = item.find('*') == 0 || item.ends_with('*') || item.find('?') != std::string::npos;
    if (!pattern || item.find_first_of("+-/^() ") != std::string::npos) {
      add(item);
      continue;
    }
    bool found = std::any_of(standard.begin(), standard.end(), [&](const auto& name) { return matches(name, item); });
    for (const std::string& name : definitions)
      if (matches(name, item)) {
        found = true;
        add(name);
      }
    if (found) continue;
    std::vector<std::string> known = standard;
    known.insert(known.end(), definitions.begin(), definitions.end());
    throw Error(fmt::format("--output-columns: no column or definition matches '{}'. Known: {}", item,
                            front::listed(std::move(known))));
  }
  if (!nodes.empty()) evaluate(system, graph, nodes);
}

}  // namespace rattleback
