#include "report/report_data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "audit/energy_balance.hpp"
#include "expr/evaluator.hpp"
#include "model/kind_facts.hpp"
#include "model/units.hpp"
#include "output/columns.hpp"
#include "output/long_run.hpp"
#include "output/thinning.hpp"
#include "report/html_text.hpp"

namespace rattleback::report {
namespace {

static_assert(std::endian::native == std::endian::little, "the page reads little-endian numbers");

// 200 000 doubles are 2.1 MB in base64.
constexpr std::size_t kMostValues = 200'000, kMostRows = 20'000;
constexpr std::size_t kMostColumns = 40;  // of one group, when there are many in all
constexpr std::size_t kManyColumns = 256;
constexpr std::size_t kMostFrameValues = 150'000, kMostFrames = 4'000;  // of one clip, as floats
constexpr std::size_t kMostPhase = 64;                                  // coordinates of a phase portrait that moves

struct Named {
  std::string name, group;
  Column column;
};

// What the blocks of an output file are in plots.
std::string group_of(const std::string& dataset) {
  if (dataset == "q" || dataset == "x") return "positions";
  if (dataset == "v") return "velocities";
  if (dataset == "multipliers" || dataset == "z") return "multipliers";
  if (dataset.starts_with("residual/")) return "residuals";
  if (dataset == "quantities") return "outputs";
  return dataset;  // t, energy, inputs, outputs, balance
}

std::vector<Named> columns_of(const Model& model, const Trajectory& t, std::size_t& left_out) {
  std::size_t in_all = 0;
  const std::vector<Block> blocks = record_blocks(model, t);
  for (const Block& block : blocks) in_all += block.columns.size();
  std::vector<Named> out;
  for (const Block& block : blocks) {
    if (block.values == nullptr) continue;  // a level without constraints
    if (block.dataset == "residual/position" && !has_position_level(model)) continue;
    if (block.dataset == "residual/velocity" && !has_velocity_level(model)) continue;
    const std::size_t width = block.columns.size(), most = in_all > kManyColumns ? kMostColumns : width;
    for (std::size_t i = 0; i < std::min(width, most); ++i)
      out.push_back({block.columns[i], group_of(block.dataset), {block.values, width, i}});
    left_out += width - std::min(width, most);
  }
  return out;
}

std::string bytes_of(const auto& values) {
  return base64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])});
}

// What an animation needs of each frame: columns of the records, and places of [view], which are computed.
class Frames {
 public:
  Frames(const Model& model, const Trajectory::Records& records, const View& view)
      : r_(records), n_(static_cast<std::size_t>(model.coordinates.size())) {
    if (!view.expressions.empty())
      places_.emplace(view.graph != nullptr ? *view.graph : *model.graph, view.expressions, model.coordinates.size(),
                      0);
  }

  void add(const std::string& name, const Column& column) {
    names.push_back(name);
    columns_.push_back({column, 0});
  }
  void add_place(std::size_t expression) {
    names.push_back(fmt::format("[view] {}", expression));
    columns_.push_back({{}, expression + 1});
  }
  [[nodiscard]] std::size_t size() const { return columns_.size(); }

  // A stretch of the run, every `stride`-th record of it.
  Json clip(const std::string& label, std::size_t begin, std::size_t end, std::size_t stride) {
    std::vector<std::size_t> rows;
    for (std::size_t i = begin; i < end; i += stride) rows.push_back(i);
    if (rows.back() != end - 1) rows.push_back(end - 1);
    std::vector<float> values(rows.size() * (columns_.size() + 1));
    const double start = r_.t[rows[0]];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = rows[i];
      std::span<const double> places;
      if (places_) places = (*places_)(r_.t[row], {r_.q.data() + row * n_, n_});
      values[i] = static_cast<float>(r_.t[row] - start);
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        const auto& [column, place] = columns_[k];
        values[(k + 1) * rows.size() + i] = static_cast<float>(place > 0 ? places[place - 1] : column[row]);
      }
    }
    return {
        {"label", label}, {"start", start}, {"rows", rows.size()}, {"stride", stride}, {"values", bytes_of(values)}};
  }

  std::vector<std::string> names;

 private:
  const Trajectory::Records& r_;
  std::size_t n_;
  std::optional<Evaluator> places_;
  std::vector<std::pair<Column, std::size_t>> columns_;  // the second: number of the place from 1, or 0
};

Json view_json(const View& view, const std::vector<std::int32_t>& used) {
  const auto place = [&](std::int32_t coordinate) -> int {
    const auto found = std::ranges::find(used, coordinate);
    return found == used.end() ? -1 : static_cast<int>(found - used.begin());
  };
  Json json = {{"space", view.in_space()}, {"points", Json::array()}, {"rods", view.rods}, {"anchors", Json::array()}};
  for (const View::Point& p : view.points)
    json["points"].push_back({{"name", p.name}, {"at", {place(p.at[0]), place(p.at[1]), place(p.at[2])}}});
  json["discs"] = Json::array();
  for (const View::Disc& d : view.discs)
    json["discs"].push_back(
        {{"centre", d.centre}, {"rim", d.rim}, {"axle", {place(d.axle[0]), place(d.axle[1]), place(d.axle[2])}}});
  json["paths"] = view.paths;
  for (const View::Anchor& a : view.anchors) json["anchors"].push_back({{"point", a.point}, {"at", a.at}});
  if (view.heading)
    json["heading"] = {{"angle", place(view.heading->angle)},
                       {"spin", view.heading->spin < 0 ? -1 : place(view.heading->spin)},
                       {"radius", view.heading->radius}};
  json["pointsInAll"] = view.points_in_all;
  return json;
}

Json motion_json(const Model& model, const Trajectory& t, const View& view, std::vector<std::int32_t>& used) {
  const Trajectory::Records& r = t.records;
  const auto n = static_cast<std::size_t>(model.coordinates.size());
  const auto use = [&](std::int32_t coordinate) {
    if (coordinate >= 0 && std::ranges::find(used, coordinate) == used.end()) used.push_back(coordinate);
  };
  if (view.points.size() > 1 && view.expressions.empty())  // many: they are all different
    for (const View::Point& p : view.points)
      std::ranges::copy_if(p.at, std::back_inserter(used), [](std::int32_t c) { return c >= 0; });
  else
    for (const View::Point& p : view.points) std::ranges::for_each(p.at, use);
  for (const View::Disc& d : view.discs) std::ranges::for_each(d.axle, use);
  if (view.heading) {
    use(view.heading->angle);
    use(view.heading->spin);
  }
  Frames frames(model, r, view);
  if (view.empty())  // a phase portrait
    for (std::size_t i = 0; i < std::min(n, kMostPhase); ++i) used.push_back(static_cast<std::int32_t>(i));
  for (const std::int32_t c : used) {
    const auto i = static_cast<std::size_t>(c);
    if (i < n)
      frames.add(model.coordinates[c], {r.q.data(), n, i});
    else
      frames.add_place(i - n);
  }
  if (view.empty() && !r.v.empty()) {
    const std::size_t width = r.v.size() / std::max<std::size_t>(1, r.rows);
    for (std::size_t i = 0; i < std::min(width, kMostPhase); ++i) {
      const auto at = static_cast<std::int32_t>(i);
      frames.add(velocity_name(model, at), {r.v.data(), width, i});
    }
  }
  Json json = {{"names", frames.names}, {"clips", Json::array()}};
  if (frames.size() == 0 || r.rows < 2) return json;
  const std::size_t most = std::clamp<std::size_t>(kMostFrameValues / (frames.size() + 1), 40, kMostFrames);
  const std::size_t stride = (r.rows + most - 1) / most;
  if (stride > 4) {  // the whole run in so few frames may show a fast motion as a slow one
    json["clips"].push_back(frames.clip("the beginning", 0, most / 2, 1));
    json["clips"].push_back(frames.clip("the end", r.rows - most / 2, r.rows, 1));
  }
  json["clips"].push_back(frames.clip("the whole run", 0, r.rows, stride));
  return json;
}

}  // namespace

Json report_data(const Model& model, const Trajectory& t) {
  const Trajectory::Records& r = t.records;
  std::size_t left_out = 0;
  const std::vector<Named> columns = columns_of(model, t, left_out);
  std::vector<Column> plain, states;
  for (const Named& c : columns) {
    plain.push_back(c.column);
    if (c.group == "positions" || c.group == "velocities") states.push_back(c.column);
  }
  const std::size_t most = std::min(kMostRows, kMostValues / std::max<std::size_t>(1, columns.size()));
  const std::size_t window = first_window(states, r.rows);
  const std::vector<std::size_t> rows = shown_rows_with(window, plain, r.rows, most);

  Json json;
  json["columns"] = Json::array();
  std::vector<double> values;
  values.reserve(rows.size() * columns.size());
  for (const Named& c : columns) {
    json["columns"].push_back({{"name", c.name}, {"group", c.group}, {"label", with_unit(model, c.name)}});
    for (const std::size_t row : rows) values.push_back(c.column[row]);
  }
  json["rows"] = rows.size();
  json["recorded"] = r.rows;
  json["leftOut"] = left_out;
  if (window > 0) json["window"] = {r.t[0], r.t[window - 1]};
  if (!r.energy.empty() && t.energy)
    json["energy"] = {{"initial", t.energy->initial}, {"conserved", why_energy_changes(model).empty()}};
  const View view = view_of(model);
  std::vector<std::int32_t> used;
  Json motion = motion_json(model, t, view, used);
  if (!view.empty()) json["view"] = view_json(view, used);
  json["motion"] = std::move(motion);
  json["values"] = bytes_of(values);
  return json;
}

}  // namespace rattleback::report
