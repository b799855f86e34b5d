#include "output/columns.hpp"
#include "model/grammar/suggest.hpp"
#include "model/kind_facts.hpp"
#include "model/units.hpp"
#include "rattleback/error.hpp"
#include "run/quantities.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

namespace rattleback::report {
namespace {

void add(std::vector<Block>& blocks, const Trajectory& trajectory, std::string dataset,
         std::vector<std::string> columns, const std::vector<double>& values) {
  if (columns.empty()) return;
  if (values.size() != trajectory.records.rows * columns.size())
    throw std::logic_error(fmt::format("records of '{}' hold {} values, but {} rows of {} columns were announced",
                                       dataset, values.size(), trajectory.records.rows, columns.size()));
  blocks.push_back({std::move(dataset), std::move(columns), values.data()});
}

// A level without constraints has no residuals: its column is zero, so that readers find the same columns everywhere.
void add_residual(std::vector<Block>& blocks, const Trajectory& trajectory, const char* level,
                  const std::vector<double>& values) {
  const std::string dataset = fmt::format("residual/{}", level), column = fmt::format("residual.{}", level);
  if (values.empty())
    blocks.push_back({dataset, {column}, nullptr});
  else
    add(blocks, trajectory, dataset, {column}, values);
}

}  // namespace

std::vector<Block> all_blocks(const Model& model, const Trajectory& trajectory) {
  const Trajectory::Records& records = trajectory.records;
  const KindFacts& facts = facts_of(model);
  std::vector<Block> blocks;
  add(blocks, trajectory, "t", {"t"}, records.t);
  add(blocks, trajectory, facts.record_key, model.coordinates.all(), records.q);
  add(blocks, trajectory, "v", velocity_names(model), records.v);
  if (!records.multipliers.empty() || records.rows == 0) {  // empty: Options::record_multipliers was off
    std::vector<std::string> multipliers;
    for (std::int32_t i = 0; i < model.multiplier_count(); ++i)
      multipliers.push_back((facts.primed ? "lambda." : "") + model.multiplier_name(i));
    add(blocks, trajectory, facts.multiplier_key, std::move(multipliers), records.multipliers);
  }
  if (facts.energy) add(blocks, trajectory, "energy", {"energy"}, records.energy);
  if (facts.reports_ports) {
    std::vector<std::string> inputs, outputs;
    for (const auto& input : model.ph.inputs) {
      inputs.push_back("u." + input.name);
      outputs.push_back("y." + input.name);
    }
    add(blocks, trajectory, "inputs", std::move(inputs), records.inputs);
    add(blocks, trajectory, "outputs", std::move(outputs), records.outputs);
  }
  add(blocks, trajectory, "quantities", trajectory.quantity_names, records.quantities);
  if (facts.position_level) add_residual(blocks, trajectory, "position", records.residual_position);
  if (facts.velocities) add_residual(blocks, trajectory, "velocity", records.residual_velocity);
  if (trajectory.power_balance) add(blocks, trajectory, "balance", {"balance"}, records.balance);
  return blocks;
}

std::vector<Block> record_blocks(const Model& model, const Trajectory& trajectory) {
  std::vector<Block> blocks = all_blocks(model, trajectory);
  for (Block& block : blocks)
    if (!units_of(model, block.columns).empty())
      for (const std::string& column : block.columns) block.units.push_back(unit_of(model, column));
  if (trajectory.selected_columns.empty() && trajectory.drawn_quantities == 0) return blocks;
  const auto end = trajectory.quantity_names.end(),
             drawn = end - static_cast<std::ptrdiff_t>(trajectory.drawn_quantities);
  const auto selected = [&](const std::string& name) {
    if (std::find(drawn, end, name) != end) return false;
    if (trajectory.selected_columns.empty()) return true;
    return std::any_of(trajectory.selected_columns.begin(), trajectory.selected_columns.end(),
                       [&](const std::string& pattern) { return pattern == name || matches(name, pattern); });
  };
  for (Block& block : blocks) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < block.columns.size(); ++i)
      if (selected(block.columns[i])) kept.push_back(i);
    if (kept.size() == block.columns.size()) continue;
    std::vector<std::string> names, units;
    for (const std::size_t i : kept) {
      names.push_back(block.columns[i]);
      if (!block.units.empty()) units.push_back(block.units[i]);
    }
    for (std::size_t row = 0; row < trajectory.records.rows && block.values != nullptr; ++row)
      for (const std::size_t i : kept) block.own.push_back(block.values[row * block.columns.size() + i]);
    block.columns = std::move(names);
    block.units = std::move(units);
    if (block.values != nullptr) block.values = block.own.data();
  }
  std::erase_if(blocks, [](const Block& block) { return block.columns.empty(); });
  return blocks;
}

namespace {

// A column of the blocks, or null.
struct Column {
  const Block* block;
  std::size_t index;
};
std::optional<Column> find_column(const std::vector<Block>& blocks, std::string_view name) {
  for (const Block& block : blocks)
    for (std::size_t i = 0; i < block.columns.size(); ++i)
      if (block.columns[i] == name) return Column{&block, i};
  return std::nullopt;
}

}  // namespace

void append_number(std::string& text, double value) {
  if (std::isnan(value)) {  // its sign says nothing
    text += "nan";
    return;
  }
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  text.append(buffer.data(), end);
}

}  // namespace rattleback::report

namespace rattleback {

std::vector<double> Trajectory::column(std::string_view name) const {
  if (model == nullptr) throw Error("this trajectory was made without a model, so its columns have no names");
  const std::vector<report::Block> blocks = report::all_blocks(*model, *this);
  const auto found = report::find_column(blocks, name);
  if (!found) {
    const std::vector<std::string> known = columns();
    throw error_of(fmt::format("the records have no column `{}`. ", name) + front::did_you_mean(name, known) +
                   "Columns: " + front::listed(known));
  }
  std::vector<double> out(records.rows, 0.0);
  const std::size_t width = found->block->columns.size();
  for (std::size_t row = 0; row < out.size() && found->block->values != nullptr; ++row)
    out[row] = found->block->values[row * width + found->index];
  return out;
}

std::vector<std::string> Trajectory::columns() const {
  if (model == nullptr) throw Error("this trajectory was made without a model, so its columns have no names");
  std::vector<std::string> names;
  for (const report::Block& block : report::all_blocks(*model, *this))
    names.insert(names.end(), block.columns.begin(), block.columns.end());
  return names;
}

}  // namespace rattleback
