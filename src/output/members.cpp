#include "output/members.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "audit/energy_balance.hpp"
#include "files/replace.hpp"
#include "model/kind_facts.hpp"
#include "output/csv.hpp"
#include "output/ending.hpp"
#include "output/hdf5.hpp"
#include "output/state.hpp"
#include "output/table.hpp"
#include "output/version.hpp"
#include "output/write.hpp"
#include "run/quantities.hpp"

namespace rattleback {
namespace report {
namespace {

class Blocks {
 public:
  Blocks(const EnsembleReport& report, bool all) : report_(report), all_(all || report.selected.empty()) {}

  // Numbers of each member, of which those are taken that were selected.
  template <class List>
  void add(const std::string& dataset, const std::vector<std::string>& columns, bool chosen, const List& list) {
    Block block{.dataset = dataset, .columns = {}};
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (!chosen || is_selected(columns[i])) kept.push_back(i);
    if (kept.empty()) return;
    for (const std::size_t i : kept) block.columns.push_back(columns[i]);
    for (const EnsembleMember& m : report_.members) {
      const std::vector<double>& values = list(m);
      for (const std::size_t i : kept) block.own.push_back(i < values.size() ? values[i] : std::nan(""));
    }
    block.values = block.own.data();
    out.push_back(std::move(block));
  }
  // One number of each member; nothing where no member has it.
  template <class Value>
  void add_audit(const std::string& name, const Value& value) {
    Block block{.dataset = name, .columns = {name}, .vector = true};
    bool any = false;
    for (const EnsembleMember& m : report_.members) {
      const std::optional<double> x = value(m);
      any = any || x.has_value();
      block.own.push_back(x.value_or(std::nan("")));
    }
    if (!any) return;
    block.values = block.own.data();
    out.push_back(std::move(block));
  }

  std::vector<Block> out;

 private:
  [[nodiscard]] bool is_selected(const std::string& name) const {
    return all_ || std::any_of(report_.selected.begin(), report_.selected.end(),
                               [&](const std::string& pattern) { return pattern == name || matches(name, pattern); });
  }
  const EnsembleReport& report_;
  bool all_;
};

std::vector<std::string> multiplier_columns(const Model& model) {
  std::vector<std::string> out;
  for (std::int32_t i = 0; i < model.multiplier_count(); ++i)
    out.push_back((facts_of(model).primed ? "lambda." : "") + model.multiplier_name(i));
  return out;
}

}  // namespace

std::vector<Block> member_blocks(const Model& model, const EnsembleReport& r, bool all) {
  using M = EnsembleMember;
  const KindFacts& facts = facts_of(model);
  Blocks blocks(r, all);
  blocks.add("values", r.columns, false, [](const M& m) -> const std::vector<double>& { return m.values; });
  blocks.add_audit("t", [](const M& m) { return std::optional<double>(m.t); });
  blocks.add(facts.record_key, model.coordinates.all(), true,
             [](const M& m) -> const std::vector<double>& { return m.q; });
  blocks.add("v", velocity_names(model), true, [](const M& m) -> const std::vector<double>& { return m.v; });
  blocks.add(facts.multiplier_key, multiplier_columns(model), true,
             [](const M& m) -> const std::vector<double>& { return m.multipliers; });
  blocks.add("outputs", r.output_names, true, [](const M& m) -> const std::vector<double>& { return m.outputs; });
  blocks.add_audit("energy", [](const M& m) { return m.energy; });
  blocks.add_audit(energy_key(model, r), [](const M& m) { return m.energy_error; });
  std::vector<std::string> errors;
  for (const std::string& name : r.invariant_names) errors.push_back("invariant_error." + name);
  blocks.add("invariant_errors", errors, false, [](const M& m) -> const std::vector<double>& { return m.invariants; });
  blocks.add_audit("power_balance", [](const M& m) { return m.power_balance; });
  blocks.add_audit("residual.position", [](const M& m) { return m.constraint_position; });
  blocks.add_audit("residual.velocity", [](const M& m) { return m.constraint_velocity; });
  return std::move(blocks.out);
}

std::string why_not_kept(const Model& model, const EnsembleReport& r) {
  return r.energy_changes.empty() ? why_energy_changes(model) : r.energy_changes;
}

std::string energy_key(const Model& model, const EnsembleReport& r) {
  return why_not_kept(model, r).empty() ? "energy_error" : "energy_change";
}

std::string ends_text(const EnsembleReport& r) {
  double first = r.until, last = r.until;
  bool any = false;
  for (const EnsembleMember& m : r.members) {
    if (m.status != Status::done) continue;
    first = any ? std::fmin(first, m.t) : m.t;
    last = any ? std::fmax(last, m.t) : m.t;
    any = true;
  }
  return first == last ? fmt::format("{:.10g}", last) : fmt::format("{:.6g} .. {:.6g}", first, last);
}

Json member_rows(const Model& model, const EnsembleReport& r, std::size_t most) {
  Json rows = Json::array();
  const std::vector<Block> blocks = member_blocks(model, r);
  for (std::size_t i = 0; i < std::min(most, r.members.size()); ++i) {
    Json row = {{"member", i}};
    for (const Block& block : blocks)
      for (std::size_t k = 0; k < block.columns.size(); ++k)
        row[block.columns[k]] = block.values[i * block.columns.size() + k];
    row["status"] = to_string(r.members[i].status);
    if (!r.members[i].message.empty()) row["message"] = r.members[i].message;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> member_status(const EnsembleReport& r) {
  std::vector<std::string> out;
  for (const EnsembleMember& m : r.members) out.emplace_back(to_string(m.status));
  return out;
}

std::vector<std::string> member_messages(const EnsembleReport& r) {
  std::vector<std::string> out;
  for (const EnsembleMember& m : r.members) out.push_back(m.message);
  return out;
}

std::vector<std::pair<std::string, std::string>> ensemble_attributes(const Model& model, const EnsembleReport& r) {
  return {{"model", model.text},
          {"system", model.key},
          {"title", model.name},
          {"kind", to_string(model.kind)},
          {"method", r.method},
          {"version", std::string(kVersion)},
          {"status", to_string(ending_of(r).status)},
          {"audit", dump(ensemble_json(model, r))}};
}

namespace {

void write_members_csv(const Model& model, const EnsembleReport& r, const std::string& path) {
  const std::vector<Block> blocks = member_blocks(model, r);
  std::vector<std::string> columns = {"member"};
  for (const Block& block : blocks) columns.insert(columns.end(), block.columns.begin(), block.columns.end());
  columns.insert(columns.end(), {"status", "message"});
  write_rows(path, columns, r.members.size(), [&](std::size_t i, std::string& text) {
    text += fmt::format("{}", i);
    for (const Block& block : blocks)
      for (std::size_t k = 0; k < block.columns.size(); ++k) {
        text += ',';
        append_number(text, block.values[i * block.columns.size() + k]);
      }
    text += ',';
    append_cell(text, to_string(r.members[i].status));
    text += ',';
    append_cell(text, r.members[i].message);
  });
}

}  // namespace
}  // namespace report

void write_members(const Model& model, const EnsembleReport& r, const std::string& path) {
  using namespace report;
  check_output_path(path);
  if (path.ends_with(".csv") || path.ends_with(".CSV")) {
    write_members_csv(model, r, path);
    return;
  }
  std::vector<std::pair<Block, std::size_t>> tables;
  for (Block& block : member_blocks(model, r)) {
    block.dataset = "members/" + block.dataset;
    tables.emplace_back(std::move(block), r.members.size());
  }
  files::write_whole(path, [&](const std::string& place) {
    write_hdf5(tables, ensemble_attributes(model, r), place,
               {{"members/status", member_status(r)}, {"members/message", member_messages(r)}});
  });
}

}  // namespace rattleback
