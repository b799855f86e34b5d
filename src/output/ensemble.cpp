// What `rattleback ensemble` prints and writes.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "files/replace.hpp"
#include "model/kind_facts.hpp"
#include "output/ending.hpp"
#include "output/hdf5.hpp"
#include "output/layout.hpp"
#include "output/lists.hpp"
#include "output/members.hpp"
#include "output/state.hpp"
#include "output/table.hpp"
#include "output/write.hpp"
#include "rattleback/analysis.hpp"
#include "run/memory.hpp"
#include "text/quantities.hpp"

namespace rattleback {
namespace {

using namespace report;

constexpr std::size_t kShown = 10;  // times, and failed members
constexpr std::size_t kRows = 20;   // members in JSON when nobody says how many

double largest(const std::vector<double>& list) {
  double out = 0.0;
  for (const double x : list) out = std::fmax(out, x);
  return out;
}

std::string times_table(const EnergyStatistics& e) {
  std::vector<std::vector<std::string>> rows = {{"t", "mean", "standard deviation", "variance", "largest"}};
  const std::size_t n = e.t.size(), shown = std::min(n, kShown);
  for (std::size_t k = 0; k < shown; ++k) {
    const std::size_t i = shown > 1 ? k * (n - 1) / (shown - 1) : 0;
    rows.push_back({fmt::format("{:.6g}", e.t[i]), fmt::format("{:.3e}", e.mean[i]),
                    fmt::format("{:.3e}", std::sqrt(e.variance[i])), fmt::format("{:.3e}", e.variance[i]),
                    fmt::format("{:.3e}", e.max[i])});
  }
  return align(rows, 2, {true, true, true, true, true});
}

// Of the members that reached the end.
std::string outputs_table(const EnsembleReport& r) {
  std::vector<std::vector<std::string>> rows = {{"", "mean", "standard deviation", "smallest", "largest"}};
  if (r.failed.size() == r.members.size()) return "";
  for (std::size_t k = 0; k < r.output_names.size(); ++k) {
    double count = 0.0, mean = 0.0, squares = 0.0, low = std::nan(""), high = std::nan("");
    for (const EnsembleMember& m : r.members) {
      if (m.status != Status::done || k >= m.outputs.size()) continue;
      const double x = m.outputs[k], d = x - mean;
      mean += d / ++count;
      squares += d * (x - mean);
      low = std::fmin(low, x);
      high = std::fmax(high, x);
    }
    rows.push_back({r.output_names[k]});
    for (const double x : {mean, std::sqrt(squares / count), low, high})
      rows.back().push_back(fmt::format("{:.6g}", x));
  }
  return rows.size() > 1 ? align(rows, 2, {false, true, true, true, true}) : "";
}

}  // namespace

Json report::ensemble_json(const Model& model, const EnsembleReport& r) {
  Json json;
  json["system"] = model.key;
  json["kind"] = to_string(model.kind);
  json["method"] = r.method;
  json["stages"] = r.stages;
  if (r.order > 0) json["order"] = r.order;
  json["step"] = r.step;
  json["steps"] = r.steps;
  json["t"] = r.until;
  json["members"] = r.members.size();
  json["varied"] = r.columns;
  if (!r.output_names.empty()) json["outputs"] = r.output_names;
  json["failed"] = Json::array();
  for (const std::size_t i : r.failed) {
    Json one = {{"member", i}};
    Json values = Json::object();
    for (std::size_t k = 0; k < r.names.size(); ++k) values[r.names[k]] = r.members[i].values[k];
    one["values"] = std::move(values);
    one["t"] = r.members[i].t;
    one["message"] = r.members[i].message;
    json["failed"].push_back(std::move(one));
  }
  if (r.energy) {
    const std::string why = why_not_kept(model, r);
    json["energy_error"] = {{"mean", r.energy->mean.back()},
                            {"variance", r.energy->variance.back()},
                            {"max", largest(r.energy->max)},
                            {"mean_square", r.energy->mean_square.back()},
                            {"conserved", why.empty()}};
    if (!why.empty()) {  // the same numbers by their right name
      json["energy_change"] = json["energy_error"];
      json["energy_change"].erase("conserved");
      json["energy_change"]["reason"] = why;
    }
  }
  const auto worst = [&](std::optional<double> EnsembleMember::*value) -> std::optional<double> {
    std::optional<double> out;
    for (const EnsembleMember& m : r.members)
      if (m.*value) out = std::fmax(out.value_or(0.0), *(m.*value));
    return out;
  };
  if (const auto x = worst(&EnsembleMember::constraint_position)) json["constraints"]["position"] = *x;
  if (const auto x = worst(&EnsembleMember::constraint_velocity)) json["constraints"]["velocity"] = *x;
  if (const auto x = worst(&EnsembleMember::power_balance)) json["power_balance"]["max_residual"] = *x;
  if (r.moved > 0) json["moved"] = {{"members", r.moved}, {"largest", r.moved_by}};
  json["notes"] = r.notes;
  put_ending(json, ending_of(r));
  return json;
}

std::string to_text(const Model& model, const EnsembleReport& r) {
  std::string text = fmt::format("{} ({})\n", model.name, model.key);
  text += wrap(fmt::format("{}, step {:g}: {} to t = {}, {}, in {}", method_label(r.method, r.stages), r.step,
                           count_text(static_cast<std::int64_t>(r.members.size()), "member"), ends_text(r),
                           count_text(r.threads, "thread"), duration_text(r.wall_seconds)),
               "", "  ");
  if (r.energy) {
    const std::string why = why_not_kept(model, r);
    if (why.empty())
      text += "\nEnergy error E - E0 over the members\n";
    else
      text +=
          '\n' + wrap(fmt::format("Energy change E - E0 over the members. {}, so it is not expected to be kept.", why),
                      "", "");
    text += times_table(*r.energy);
  } else if (r.failed.size() == r.members.size()) {
    text += "\nNo statistics of the energy: no member reached the end.\n";
  } else if (!facts_of(model).energy) {
    text += "\nNo statistics of the energy: this kind of system has none.\n";
  }  // else a note says why
  if (const std::string table = outputs_table(r); !table.empty()) text += "\nOutputs at the end\n" + table;
  const Json json = ensemble_json(model, r);
  std::string kept;
  if (json.contains("constraints"))
    for (const auto& [level, value] : json["constraints"].items())
      kept += wrap(fmt::format("{} constraints: kept to {} by all members.",
                               level == "position" ? "Position" : "Velocity", size_text(value.get<double>())),
                   "  ", "    ");
  if (json.contains("power_balance"))
    kept += wrap(fmt::format("Power balance: stored = supplied - dissipated to {} in every step of all members.",
                             size_text(json["power_balance"]["max_residual"].get<double>())),
                 "  ", "    ");
  if (r.moved > 0)
    kept +=
        wrap(fmt::format("{} moved to the nearest consistent one, by at most {}.",
                         r.moved == 1 ? "1 start was" : fmt::format("{} starts were", r.moved), size_text(r.moved_by)),
             "  ", "    ");
  for (const std::string& note : r.notes) kept += wrap(note + ".", "  ", "    ");
  if (!kept.empty()) text += "\nWhat was kept\n" + kept;
  if (r.failed.empty()) return text;
  text +=
      fmt::format("\nMembers that stopped early, not in the statistics: {} of {}\n", r.failed.size(), r.members.size());
  for (std::size_t k = 0; k < std::min(kShown, r.failed.size()); ++k) {
    const EnsembleMember& m = r.members[r.failed[k]];
    std::string values;
    for (std::size_t i = 0; i < r.names.size(); ++i)
      values += fmt::format("{}{} = {:.6g}", i == 0 ? " (" : ", ", r.names[i], m.values[i]);
    text += wrap(fmt::format("{}{}: {}", r.failed[k], values.empty() ? "" : values + ")", m.message), "  ", "    ");
  }
  if (r.failed.size() > kShown) text += fmt::format("  ... and {} more\n", r.failed.size() - kShown);
  return text;
}

std::string to_json(const Model& model, const EnsembleReport& r) { return to_json(model, r, kRows); }

std::string to_json(const Model& model, const EnsembleReport& r, std::size_t rows) {
  Json json = ensemble_json(model, r);
  rows = std::min(rows, r.members.size());
  const bool rows_fit = rows == 0 || json_fits(rows * (r.names.size() + 2 * r.members[0].q.size() + 8));
  if (rows_fit) json["rows"] = member_rows(model, r, rows);
  if (!rows_fit) json["notes"].push_back(fmt::format("there is no memory to list {} members here", rows));
  const bool fits = !r.energy || json_fits(5 * r.energy->t.size() / 4);  // plain numbers take less than named ones
  if (!fits) json["notes"].push_back("there is no memory to list the statistics over time here");
  if (r.energy && fits)
    json["over_time"] = {{"t", r.energy->t},
                         {"mean", r.energy->mean},
                         {"variance", r.energy->variance},
                         {"mean_square", r.energy->mean_square},
                         {"max", r.energy->max}};
  json["threads"] = r.threads;
  json["wall_seconds"] = r.wall_seconds;
  return dump(json);
}

namespace {

// One row for each member: what varies, and its end.
void write_ends(const Model& model, const EnsembleReport& r, const std::string& path) {
  std::vector<std::string> columns = r.names;
  columns.emplace_back("t");
  for (std::string& column : state_columns(model)) columns.push_back(std::move(column));
  write_table(path, columns, r.members.size(), [&](std::size_t i, std::vector<double>& cells) {
    const EnsembleMember& m = r.members[i];
    cells = m.values;
    cells.push_back(m.t);
    cells.insert(cells.end(), m.q.begin(), m.q.end());
    cells.insert(cells.end(), m.v.begin(), m.v.end());
  });
}

}  // namespace

void write_ensemble(const Model& model, const EnsembleReport& r, const std::string& path) {
  check_output_path(path);
  if (path.ends_with(".csv") || path.ends_with(".CSV")) {
    if (!r.energy) return write_ends(model, r, path);
    const EnergyStatistics& e = *r.energy;
    write_table(path, {"t", "mean", "variance", "mean_square", "max"}, e.t.size(),
                [&](std::size_t i, std::vector<double>& cells) {
                  cells = {e.t[i], e.mean[i], e.variance[i], e.mean_square[i], e.max[i]};
                });
    return;
  }
  std::vector<std::pair<Block, std::size_t>> tables;
  if (r.energy) {
    const EnergyStatistics& e = *r.energy;
    const std::string group = energy_key(model, r);
    const auto add = [&](const std::string& dataset, const char* name, const std::vector<double>& values) {
      tables.push_back({{dataset, {name}, values.data(), true}, values.size()});
    };
    add("t", "t", e.t);
    add(group + "/mean", "mean", e.mean);
    add(group + "/variance", "variance", e.variance);
    add(group + "/mean_square", "mean_square", e.mean_square);
    add(group + "/max", "max", e.max);
  }
  for (Block& block : member_blocks(model, r, true)) {
    if (block.dataset == "values") block.columns = r.names;  // beside no ends here
    block.dataset = "members/" + block.dataset;
    tables.emplace_back(std::move(block), r.members.size());
  }
  files::write_whole(path, [&](const std::string& place) {
    write_hdf5(tables, ensemble_attributes(model, r), place, {{"members/status", member_status(r)}});
  });
}

}  // namespace rattleback
