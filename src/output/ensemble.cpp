// What `rattleback ensemble` prints and writes.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "audit/energy_balance.hpp"
#include "files/replace.hpp"
#include "output/ending.hpp"
#include "output/hdf5.hpp"
#include "output/layout.hpp"
#include "output/lists.hpp"
#include "output/state.hpp"
#include "output/table.hpp"
#include "output/version.hpp"
#include "output/write.hpp"
#include "rattleback/analysis.hpp"
#include "run/memory.hpp"
#include "text/quantities.hpp"

namespace rattleback {
namespace {

using namespace report;

constexpr std::size_t kShown = 10;  // times, and failed members

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

// By member: a value that some of them may not have.
std::vector<double> column(const EnsembleReport& r, std::optional<double> EnsembleMember::*value) {
  std::vector<double> out;
  for (const EnsembleMember& m : r.members) out.push_back((m.*value).value_or(std::nan("")));
  return out;
}

// A parameter that varies may switch a force on.
std::string why_not_kept(const Model& model, const EnsembleReport& r) {
  return r.energy_changes.empty() ? why_energy_changes(model) : r.energy_changes;
}

Json summary(const Model& model, const EnsembleReport& r) {
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
  if (r.energy)
    json["energy_error"] = {{"mean", r.energy->mean.back()},
                            {"variance", r.energy->variance.back()},
                            {"max", largest(r.energy->max)},
                            {"mean_square", r.energy->mean_square.back()},
                            {"conserved", why_not_kept(model, r).empty()}};
  const auto worst = [&](std::optional<double> EnsembleMember::*value) -> std::optional<double> {
    std::optional<double> out;
    for (const EnsembleMember& m : r.members)
      if (m.*value) out = std::fmax(out.value_or(0.0), *(m.*value));
    return out;
  };
  if (const auto x = worst(&EnsembleMember::constraint_position)) json["constraints"]["position"] = *x;
  if (const auto x = worst(&EnsembleMember::constraint_velocity)) json["constraints"]["velocity"] = *x;
  if (r.moved > 0) json["moved"] = {{"members", r.moved}, {"largest", r.moved_by}};
  json["notes"] = r.notes;
  put_ending(json, ending_of(r));
  return json;
}

}  // namespace

std::string to_text(const Model& model, const EnsembleReport& r) {
  std::string text = fmt::format("{} ({})\n", model.name, model.key);
  text += wrap(fmt::format("{}, step {:g}: {} to t = {:.10g}, {}, in {}", method_label(r.method, r.stages), r.step,
                           count_text(static_cast<std::int64_t>(r.members.size()), "member"), r.until,
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
  } else {
    text += "\nNo statistics of the energy: ";
    text += r.failed.size() == r.members.size() ? "no member reached the end.\n" : "this kind of system has none.\n";
  }
  const Json json = summary(model, r);
  std::string kept;
  if (json.contains("constraints"))
    for (const auto& [level, value] : json["constraints"].items())
      kept += wrap(fmt::format("{} constraints: kept to {} by all members.",
                               level == "position" ? "Position" : "Velocity", size_text(value.get<double>())),
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

std::string to_json(const Model& model, const EnsembleReport& r) {
  Json json = summary(model, r);
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

void write_ensemble(const Model& model, const EnsembleReport& r, const std::string& path) {
  check_output_path(path);
  const std::size_t members = r.members.size(), names = r.names.size();
  std::vector<double> values, q, v;
  for (const EnsembleMember& m : r.members) {
    values.insert(values.end(), m.values.begin(), m.values.end());
    q.insert(q.end(), m.q.begin(), m.q.end());
    v.insert(v.end(), m.v.begin(), m.v.end());
  }
  if (path.ends_with(".csv") || path.ends_with(".CSV")) {
    if (r.energy) {
      const EnergyStatistics& e = *r.energy;
      write_table(path, {"t", "mean", "variance", "mean_square", "max"}, e.t.size(),
                  [&](std::size_t i, std::vector<double>& cells) {
                    cells = {e.t[i], e.mean[i], e.variance[i], e.mean_square[i], e.max[i]};
                  });
      return;
    }
    std::vector<std::string> columns = r.names;
    columns.emplace_back("t");
    for (std::string& column : state_columns(model)) columns.push_back(std::move(column));
    write_table(path, columns, members, [&](std::size_t i, std::vector<double>& cells) {
      const EnsembleMember& m = r.members[i];
      cells = m.values;
      cells.push_back(m.t);
      cells.insert(cells.end(), m.q.begin(), m.q.end());
      cells.insert(cells.end(), m.v.begin(), m.v.end());
    });
    return;
  }
  std::vector<std::string> state = state_columns(model), positions = model.coordinates.all();
  const std::vector<std::string> velocities(state.begin() + static_cast<std::ptrdiff_t>(positions.size()), state.end());
  std::vector<std::pair<Block, std::size_t>> tables;
  if (r.energy) {
    const EnergyStatistics& e = *r.energy;
    tables.push_back({{"t", {"t"}, e.t.data(), true}, e.t.size()});
    tables.push_back({{"energy_error/mean", {"mean"}, e.mean.data(), true}, e.t.size()});
    tables.push_back({{"energy_error/variance", {"variance"}, e.variance.data(), true}, e.t.size()});
    tables.push_back({{"energy_error/mean_square", {"mean_square"}, e.mean_square.data(), true}, e.t.size()});
    tables.push_back({{"energy_error/max", {"max"}, e.max.data(), true}, e.t.size()});
  }
  std::vector<double> ends;
  for (const EnsembleMember& m : r.members) ends.push_back(m.t);
  const std::vector<double> errors = column(r, &EnsembleMember::energy_error);
  if (names > 0) tables.push_back({{"members/values", r.names, values.data()}, members});
  tables.push_back({{"members/t", {"t"}, ends.data(), true}, members});
  tables.push_back({{"members/q", positions, q.data()}, members});
  if (!v.empty()) tables.push_back({{"members/v", velocities, v.data()}, members});
  if (r.energy) tables.push_back({{"members/energy_error", {"energy_error"}, errors.data(), true}, members});
  files::write_whole(path, [&](const std::string& place) {
    write_hdf5(tables,
               {{"model", model.text},
                {"system", model.key},
                {"title", model.name},
                {"kind", to_string(model.kind)},
                {"method", r.method},
                {"version", std::string(kVersion)},
                {"audit", dump(summary(model, r))}},
               place);
  });
}

}  // namespace rattleback
