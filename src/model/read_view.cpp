// [view]: what a report draws of a motion. Places are expressions, so that points of a body follow from its coordinates.
//
//   [view]
//   rods  = [["O", "A"]]
//   paths = ["A"]
//   [view.points]
//   O = [0, 0]
//   A = ["l*sin(theta)", "-l*cos(theta)"]
//   [view.discs.wheel]        # in space
//   centre = "C"
//   rim    = "P"              # a point that turns with it
//   axle   = ["0", "1", "0"]
#include <algorithm>

#include "model/grammar/suggest.hpp"
#include "model/reader.hpp"

namespace rattleback::front {

namespace rules {
const Rules kView{.time = true,
                  .positions = true,
                  .definitions = true,
                  .accepts = "t, coordinates, parameters and definitions without velocities"};
}  // namespace rules

namespace {

constexpr std::size_t kMostPoints = 400;

class ViewReader {
 public:
  ViewReader(const Source& source, Reader& reader) : source_(source), reader_(reader) {}

  ViewText read(const Value& table) {
    reader_.only(table, "[view]", {"view"});
    read_points(table);
    if (const Value* rods = table.find("rods")) read_rods(*rods);
    if (const Value* discs = reader_.table(table, "discs", "view.discs.NAME")) read_discs(*discs);
    if (const Value* paths = table.find("paths")) {
      for (const Value& v : reader_.array(*paths, "`paths` of [view]").items)
        view_.paths.push_back(point(v, "`paths` of [view]"));
    } else {
      view_.paths.push_back(view_.points.size() - 1);
    }
    return std::move(view_);
  }

 private:
  void read_points(const Value& table) {
    const std::string example = "Write [view.points] and below it, for example, A = [\"x\", \"y\"]";
    const Value* points = reader_.table(table, "points", "view.points");
    if (points == nullptr || points->items.empty()) source_.fail(table.offset, "[view] has no points. " + example);
    if (points->items.size() > kMostPoints)
      source_.fail(points->offset, "[view.points] has " + std::to_string(points->items.size()) + " points; at most " +
                                       std::to_string(kMostPoints) + " are drawn");
    for (const Value& v : points->items) {
      if (v.type != Value::Type::array || (v.items.size() != 2 && v.items.size() != 3))
        source_.fail(v.offset, "expected two expressions (in a plane) or three (in space) for point `" + v.key +
                                   "`, found " +
                                   (v.type == Value::Type::array ? std::to_string(v.items.size()) : describe(v.type)) +
                                   ". " + example);
      if (!view_.points.empty() && view_.points[0].at.size() != v.items.size())
        source_.fail(v.offset, "point `" + v.key + "` has " + std::to_string(v.items.size()) + " components, and `" +
                                   view_.points[0].name + "` has " + std::to_string(view_.points[0].at.size()) +
                                   ". All points are in a plane, or all are in space");
      view_.points.push_back({v.key, formulas(v, "point `" + v.key + "`")});
    }
  }

  std::vector<Formula> formulas(const Value& list, const std::string& role) {
    std::vector<Formula> out;
    for (const Value& v : list.items) out.push_back(reader_.formula(v, role));
    return out;
  }

  std::size_t point(const Value& v, const std::string& where) {
    const std::string name = reader_.text(v, where);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < view_.points.size(); ++i) {
      if (view_.points[i].name == name) return i;
      names.push_back(view_.points[i].name);
    }
    source_.fail(v.offset, "unknown point `" + name + "` in " + where + ". " + did_you_mean(name, names) +
                               "Known here: " + listed(names));
  }

  void read_rods(const Value& rods) {
    const std::string wrong = "expected pairs of points for `rods` of [view]";
    if (rods.type != Value::Type::array)
      source_.fail(rods.offset, wrong + ", found " + describe(rods.type) + ". Write rods = [[\"A\", \"B\"]]");
    for (const Value& v : rods.items) {
      if (v.type != Value::Type::array || v.items.size() != 2)
        source_.fail(v.offset, wrong + ", found " +
                                   (v.type == Value::Type::array ? std::to_string(v.items.size()) + " names"
                                                                 : std::string(describe(v.type))) +
                                   ". Write rods = [[\"A\", \"B\"]]");
      view_.rods.push_back({point(v.items[0], "`rods` of [view]"), point(v.items[1], "`rods` of [view]")});
    }
  }

  void read_discs(const Value& discs) {
    for (const Value& v : discs.items) {
      const std::string path = "[view.discs." + v.key + "]";
      if (!v.is_table())
        source_.fail(v.offset, "expected a table for disc `" + v.key + "`, found " + describe(v.type) + ". Write " +
                                   path + " with centre, rim and axle");
      reader_.only(v, path, {"view", "discs", "*"});
      if (view_.points[0].at.size() != 3)
        source_.fail(v.key_offset, path + " is for points in space, but [view.points] are in a plane");
      const Value *centre = v.find("centre"), *rim = v.find("rim"), *axle = v.find("axle");
      if (centre == nullptr || rim == nullptr || axle == nullptr)
        source_.fail(v.key_offset, path +
                                       " needs centre and rim, each the name of a point, and axle, a direction of "
                                       "three expressions");
      if (axle->type != Value::Type::array || axle->items.size() != 3)
        source_.fail(axle->offset, "expected three expressions for `axle` of " + path + ", found " +
                                       (axle->type == Value::Type::array ? std::to_string(axle->items.size())
                                                                         : std::string(describe(axle->type))));
      view_.discs.push_back(
          {point(*centre, path), point(*rim, path), formulas(*axle, "the axle of disc `" + v.key + "`")});
    }
  }

  const Source& source_;
  Reader& reader_;
  ViewText view_;
};

}  // namespace

void read_view(ModelText& text, Reader& reader, const Value& document) {
  if (const Value* table = reader.table(document, "view", "view"))
    text.view = ViewReader(text.world.source, reader).read(*table);
}

}  // namespace rattleback::front
