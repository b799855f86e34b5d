// What `rattleback section` prints and writes.
#include <algorithm>

#include <fmt/format.h>

#include "output/columns.hpp"
#include "output/ending.hpp"
#include "output/layout.hpp"
#include "output/lists.hpp"
#include "output/state.hpp"
#include "output/table.hpp"
#include "rattleback/analysis.hpp"
#include "run/memory.hpp"
#include "text/quantities.hpp"

namespace rattleback {
namespace {

using namespace report;

constexpr std::size_t kShown = 20;  // crossings, and starts

const char* direction_text(Crossing direction) {
  return direction == Crossing::up ? "up" : direction == Crossing::down ? "down" : "both";
}

std::vector<std::string> columns_of(const Model& model, const SectionRequest& request) {
  std::vector<std::string> columns = {"start", "t", "direction"};
  const std::vector<std::string> more = request.axes.empty() ? state_columns(model) : request.axes;
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

std::vector<double> values_of(const SectionPoint& p, bool axes) {
  if (axes) return p.axes;
  std::vector<double> values = p.q;
  values.insert(values.end(), p.v.begin(), p.v.end());
  return values;
}

// The first columns that fit.
std::string points_table(const Model& model, const SectionRequest& request, const SectionReport& r) {
  std::vector<std::vector<std::string>> rows = {columns_of(model, request)};
  for (std::size_t i = 0; i < std::min(kShown, r.points.size()); ++i) {
    const SectionPoint& p = r.points[i];
    rows.push_back({fmt::format("{}", p.start), fmt::format("{:.10g}", p.t), p.direction > 0 ? "up" : "down"});
    for (const double x : values_of(p, !request.axes.empty())) rows.back().push_back(fmt::format("{:.6g}", x));
  }
  std::size_t width = 0, columns = 0;
  for (; columns < rows[0].size(); ++columns) {
    std::size_t widest = 0;
    for (const auto& row : rows) widest = std::max(widest, display_width(row[columns]));
    width += widest + 2;
    if (width > kTextWidth) break;
  }
  std::vector<bool> right(columns, true);
  right[0] = right[2] = false;
  for (auto& row : rows) row.resize(columns);
  return align(rows, 2, right);
}

std::string starts_table(const SectionReport& r) {
  std::vector<std::vector<std::string>> rows = {{"start"}};
  rows[0].insert(rows[0].end(), r.names.begin(), r.names.end());
  for (const char* name : {"crossings", "steps", "until t", "energy error"}) rows[0].emplace_back(name);
  for (std::size_t i = 0; i < std::min(kShown, r.starts.size()); ++i) {
    const SectionStart& s = r.starts[i];
    rows.push_back({fmt::format("{}", i)});
    for (const double x : s.values) rows.back().push_back(fmt::format("{:.6g}", x));
    rows.back().push_back(fmt::format("{}", s.crossings));
    rows.back().push_back(fmt::format("{}", s.steps));
    rows.back().push_back(fmt::format("{:.6g}", s.t));
    rows.back().push_back(s.energy_error ? size_text(*s.energy_error) : "-");
  }
  return align(rows, 2, std::vector<bool>(rows[0].size(), true));
}

}  // namespace

std::string to_text(const Model& model, const SectionRequest& request, const SectionReport& r) {
  std::string text = fmt::format("{} ({})\n", model.name, model.key);
  text +=
      wrap(fmt::format("{}, step {:g}: {} of {}, in {}", method_label(r.method, r.stages), r.step,
                       count_text(static_cast<std::int64_t>(r.points.size()), "crossing"),
                       count_text(static_cast<std::int64_t>(r.starts.size()), "start"), duration_text(r.wall_seconds)),
           "", "  ");
  text += wrap(
      fmt::format("Section: {} = 0{}{}", request.where,
                  request.direction == Crossing::both ? "" : fmt::format(", {}", direction_text(request.direction)),
                  request.condition.empty() ? "" : fmt::format(", where {} > 0", request.condition)),
      "", "  ");
  text += "\nStarts\n" + starts_table(r);
  if (r.starts.size() > kShown) text += fmt::format("  ... and {} more\n", r.starts.size() - kShown);
  if (!r.points.empty()) text += "\nCrossings\n" + points_table(model, request, r);
  if (r.points.size() > kShown)
    text += fmt::format("  ... and {} more; --output FILE.csv or --json has them all\n", r.points.size() - kShown);
  std::string notes;
  for (std::size_t i = 0; i < r.starts.size(); ++i)
    if (!r.starts[i].message.empty()) notes += wrap(fmt::format("Start {}: {}.", i, r.starts[i].message), "  ", "    ");
  if (r.moved > 0)
    notes +=
        wrap(fmt::format("{} moved to the nearest consistent one, by at most {}.",
                         r.moved == 1 ? "1 start was" : fmt::format("{} starts were", r.moved), size_text(r.moved_by)),
             "  ", "    ");
  for (const std::string& note : r.notes) notes += wrap(note + ".", "  ", "    ");
  return notes.empty() ? text : text + "\nNotes\n" + notes;
}

std::string to_json(const Model& model, const SectionRequest& request, const SectionReport& r) {
  Json json;
  json["system"] = model.key;
  json["kind"] = to_string(model.kind);
  json["method"] = r.method;
  json["stages"] = r.stages;
  json["step"] = r.step;
  json["where"] = request.where;
  if (!request.condition.empty()) json["if"] = request.condition;
  json["direction"] = direction_text(request.direction);
  if (!request.axes.empty()) json["axes"] = request.axes;
  const bool fits =
      r.points.empty() ||
      json_fits(r.points.size() * (3 + r.points[0].q.size() + r.points[0].v.size() + r.points[0].axes.size()));
  json["crossings"] = Json::array();
  for (const SectionPoint& p : r.points) {
    if (!fits) break;
    Json one = {{"start", p.start}, {"t", p.t}};
    put_state(one, model, p.q, p.v);
    one["direction"] = p.direction > 0 ? "up" : "down";
    if (!request.axes.empty()) one["axes"] = p.axes;
    json["crossings"].push_back(std::move(one));
  }
  json["starts"] = Json::array();
  for (const SectionStart& s : r.starts) {
    Json one = {{"crossings", s.crossings}, {"steps", s.steps}, {"t", s.t}};
    Json values = Json::object();
    for (std::size_t i = 0; i < s.values.size(); ++i) values[r.names[i]] = s.values[i];
    one["values"] = std::move(values);
    if (s.energy_error) one["energy_error"] = *s.energy_error;
    one["status"] = to_string(s.status);
    one["message"] = s.message;
    json["starts"].push_back(std::move(one));
  }
  if (r.moved > 0) json["moved"] = {{"starts", r.moved}, {"largest", r.moved_by}};
  json["notes"] = r.notes;
  if (!fits) json["notes"].push_back(fmt::format("there is no memory to list the {} crossings here", r.points.size()));
  put_ending(json, ending_of(r));
  json["wall_seconds"] = r.wall_seconds;
  return dump(json);
}

void write_section(const Model& model, const SectionRequest& request, const SectionReport& r, const std::string& path) {
  write_table(path, columns_of(model, request), r.points.size(), [&](std::size_t row, std::vector<double>& cells) {
    const SectionPoint& p = r.points[row];
    cells.insert(cells.end(), {static_cast<double>(p.start), p.t, static_cast<double>(p.direction)});
    const std::vector<double> values = values_of(p, !request.axes.empty());
    cells.insert(cells.end(), values.begin(), values.end());
  });
}

}  // namespace rattleback
