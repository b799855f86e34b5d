#include "audit/moved_points.hpp"

#include <algorithm>
#include <map>

namespace rattleback {
namespace {

using Points = std::map<std::string, std::map<char, std::int32_t>>;

Points points_of(const Model& model) {
  Points out;
  for (std::int32_t i = 0; i < model.coordinates.size(); ++i) {
    const std::string name = model.coordinates[i];
    if (name[0] < 'x' || name[0] > 'z') continue;
    if (name.size() == 1 || name[1] == '[' || name[1] == '_' || (name[1] >= '0' && name[1] <= '9'))
      out[name.substr(1)][name[0]] = i;
  }
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> MovedPoints::text(const Names& names) const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Term& term : terms)
    out.emplace_back(names[term.row],
                     (term.factor < 0.0 ? "-" : "") + (term.by < 0 ? std::string("1") : names[term.by]));
  return out;
}

std::vector<MovedPoints> moved_points(const Model& model) {
  const Points points = points_of(model);
  std::vector<MovedPoints> out;
  const auto put = [&](MovedPoints field) {
    if (field.terms.empty()) return;
    std::ranges::sort(field.terms, {}, &MovedPoints::Term::row);
    out.push_back(std::move(field));
  };
  for (const char axis : {'x', 'y', 'z'}) {
    MovedPoints shift;
    for (const auto& [end, at] : points)
      if (at.contains(axis)) shift.terms.push_back({at.at(axis), -1, 1.0});
    put(std::move(shift));
  }
  for (const auto& [from, to] : {std::pair{'x', 'y'}, std::pair{'y', 'z'}, std::pair{'z', 'x'}}) {
    MovedPoints turn;
    for (const auto& [end, at] : points)
      if (at.contains(from) && at.contains(to)) {
        turn.terms.push_back({at.at(from), at.at(to), -1.0});
        turn.terms.push_back({at.at(to), at.at(from), 1.0});
      }
    put(turn);
    if (from != 'x' || model.angles.empty()) continue;
    for (const std::int32_t angle : model.angles) turn.terms.push_back({angle, -1, 1.0});
    put(std::move(turn));
  }
  return out;
}

}  // namespace rattleback
