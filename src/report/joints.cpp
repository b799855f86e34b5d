#include "report/joints.hpp"

#include <algorithm>
#include <cmath>

#include "report/samples.hpp"

namespace rattleback::report {
namespace {

constexpr std::size_t kMostVectors = 8, kMostTerms = 64;

struct Term {
  NodeId node = 0;
  double factor = 1.0;
  Support support;
};

class Joints {
 public:
  explicit Joints(ViewBuilder& builder) : b_(builder) {
    for (std::size_t p = 0; p < b_.coordinate_points; ++p)
      for (std::size_t axis = 0; axis < b_.axes; ++axis) point_of_[b_.view.points[p].at[axis]] = {p, axis};
  }

  // Names say which rows belong together; of the others those that follow each other are tried.
  void find() {
    for (const std::vector<std::int32_t>& group : named_groups()) explain(group);
    for (auto it = b_.open.begin(); it != b_.open.end();) {
      const std::int32_t first = it->first;
      std::vector<std::int32_t> group;
      for (; it != b_.open.end() && group.size() < b_.axes; ++it) group.push_back(it->first);
      if (group.size() == b_.axes) explain(group);
      it = b_.open.upper_bound(first);
    }
  }

 private:
  void explain(const std::vector<std::int32_t>& group) {
    if (!joint(group) && (b_.coordinate_points > 0 || !loop(group))) return;
    for (const std::int32_t row : group) b_.open.erase(row);
  }

  // The terms of a sum, signs and factors taken into brackets. False: something else than places is in it.
  bool split(NodeId whole, std::vector<Term>& out) {
    std::vector<std::pair<NodeId, double>> left = {{whole, 1.0}};
    const auto number = [&](NodeId x) { return (*b_.graph)[x].value; };
    while (!left.empty()) {
      const auto [id, factor] = left.back();
      left.pop_back();
      const Node& node = (*b_.graph)[id];
      if (node.op == Op::add || node.op == Op::sub) {
        left.emplace_back(node.b, node.op == Op::add ? factor : -factor);
        left.emplace_back(node.a, factor);
      } else if (node.op == Op::neg) {
        left.emplace_back(node.a, -factor);
      } else if (node.op == Op::mul && b_.graph->is_constant(node.a)) {
        left.emplace_back(node.b, factor * number(node.a));
      } else if (node.op == Op::mul && b_.graph->is_constant(node.b)) {
        left.emplace_back(node.a, factor * number(node.b));
      } else if (node.op == Op::div && b_.graph->is_constant(node.b)) {
        left.emplace_back(node.a, factor / number(node.b));
      } else {
        const auto support = b_.support_of(id);
        if (!support || out.size() == kMostTerms) return false;
        out.push_back({id, factor, *support});
      }
    }
    return true;
  }

  NodeId plus(NodeId sum, const Term& term, double factor = 1.0) {
    const double f = term.factor * factor;
    const NodeId value = f == 1.0    ? term.node
                         : f == -1.0 ? b_.graph->neg(term.node)
                                     : b_.graph->mul(b_.graph->constant(f), term.node);
    return b_.graph->add(sum, value);
  }

  // "pin_x", "pin_y" and "pin_z": names that differ in this letter only.
  std::vector<std::vector<std::int32_t>> named_groups() {
    std::map<std::string, std::int32_t> by_name;
    for (const auto& [row, expr] : b_.open) by_name[b_.model.holonomic_names[row]] = row;
    std::vector<std::vector<std::int32_t>> out;
    std::set<std::int32_t> used;
    for (const auto& [row, expr] : b_.open) {
      const std::string name = b_.model.holonomic_names[row];
      for (std::size_t at = name.size(); at-- > 0 && !used.contains(row);) {
        if (name[at] != 'x' && name[at] != 'X') continue;
        std::vector<std::int32_t> group = {row};
        for (std::size_t axis = 1; axis < 3; ++axis) {
          std::string other = name;
          other[at] = static_cast<char>(other[at] + static_cast<char>(axis));
          if (const auto found = by_name.find(other); found != by_name.end() && group.size() == axis)
            group.push_back(found->second);
        }
        if (group.size() != b_.axes) continue;
        used.insert(group.begin(), group.end());
        out.push_back(group);
      }
    }
    return out;
  }

  // The point whose body the coordinates of a term turn: by a common end of the names (x_1, e0_1), else the one that stands
  // before them in the list of coordinates.
  std::optional<std::size_t> owner(const Support& support, const std::map<std::size_t, double>& centres) const {
    std::optional<std::size_t> best;
    for (std::size_t p = 0; p < b_.coordinate_points; ++p) {
      const std::string& rest = b_.view.points[p].name;
      bool fits = !rest.empty();
      for (std::int32_t c = 0; c < b_.n && fits; ++c)
        fits = !support[static_cast<std::size_t>(c)] || b_.model.coordinates[c].ends_with(rest);
      if (fits && (!best || rest.size() > b_.view.points[*best].name.size())) best = p;
    }
    if (best) return centres.contains(*best) ? best : std::nullopt;
    if (centres.size() == 1) return centres.begin()->first;
    std::int32_t first = 0;
    while (!support[static_cast<std::size_t>(first)]) ++first;
    for (const auto& [p, sign] : centres) {
      const std::int32_t x = b_.view.points[p].at[0];
      if (x < first && (!best || x > b_.view.points[*best].at[0])) best = p;
    }
    return best;
  }

  // s (p + turned by p's body) - s (r + turned by r's body) + constant = 0, or one body's point in a fixed place.
  bool joint(const std::vector<std::int32_t>& group) {
    if (b_.coordinate_points == 0) return false;
    std::map<std::size_t, double> centres;
    std::map<std::size_t, int> seen;
    std::vector<std::vector<Term>> turned(b_.axes);
    bool offset = false;
    for (std::size_t axis = 0; axis < b_.axes; ++axis) {
      std::vector<Term> terms;
      if (!split(b_.open.at(group[axis]), terms)) return false;
      for (Term& term : terms) {
        const Node& node = (*b_.graph)[term.node];
        if (term.support.none()) {
          offset = true;
        } else if (node.op == Op::variable && point_of_.contains(node.base())) {
          const auto [p, of_axis] = point_of_.at(node.base());
          if (of_axis != axis || std::fabs(term.factor) != 1.0) return false;
          if (!centres.try_emplace(p, term.factor).second && centres[p] != term.factor) return false;
          ++seen[p];
        } else if (node.op == Op::variable) {
          return false;  // a length that changes, such as the way of a slider, is no part of a body
        } else {
          turned[axis].push_back(term);
        }
      }
    }
    if (centres.empty() || centres.size() > 2) return false;
    for (const auto& [p, times] : seen)
      if (times != static_cast<int>(b_.axes)) return false;
    std::map<std::size_t, Place> places;
    for (const auto& [p, sign] : centres)
      for (std::size_t axis = 0; axis < b_.axes; ++axis)
        places[p][axis] = b_.graph->variable(kPosition, b_.view.points[p].at[axis]);
    const std::map<std::size_t, Place> bare = places;
    for (std::size_t axis = 0; axis < b_.axes; ++axis)
      for (const Term& term : turned[axis]) {
        const auto p = owner(term.support, centres);
        if (!p) return false;
        places[*p][axis] = plus(places[*p][axis], term, 1.0 / centres[*p]);
      }
    if (places == bare) return false;
    // Where both meet in one place it is drawn once: as the point of a body that has it there, else as the joint.
    std::optional<std::size_t> meeting;
    for (const auto& [p, place] : places)
      if (!offset && centres.size() == 2 && place == bare.at(p)) meeting = p;
    for (const auto& [p, place] : places) {
      if (meeting == p || place == bare.at(p)) continue;
      const std::size_t end = meeting ? *meeting : b_.point(place);
      b_.rod(p, end);
      if (!offset && centres.size() == 2) meeting = end;
    }
    return true;
  }

  // v1 + v2 + ... + constant = 0, each vector of coordinates of its own: a polygon that begins in the origin.
  bool loop(const std::vector<std::int32_t>& group) {
    std::vector<std::pair<Support, Place>> vectors;
    const NodeId zero = b_.graph->zero();
    for (std::size_t axis = 0; axis < b_.axes; ++axis) {
      std::vector<Term> terms;
      if (!split(b_.open.at(group[axis]), terms)) return false;
      for (const Term& term : terms) {
        if (term.support.none()) continue;
        auto found = std::ranges::find(vectors, term.support, &std::pair<Support, Place>::first);
        if (found == vectors.end()) found = vectors.insert(found, {term.support, Place{zero, zero, zero}});
        found->second[axis] = plus(found->second[axis], term);
      }
    }
    if (vectors.size() < 2 || vectors.size() > kMostVectors) return false;
    std::vector<Place> places;
    for (const auto& [support, place] : vectors) places.push_back(place);
    const std::vector<std::vector<double>> lengths = squares(places);
    std::vector<bool> rigid;
    for (const std::vector<double>& length : lengths) rigid.push_back(b_.constant(length) && length[0] > kSame);
    if (std::ranges::count(rigid, true) < 2) return false;
    std::size_t from = b_.point({zero, zero, zero});
    Place sum = {zero, zero, zero};
    for (std::size_t k = 0; k < vectors.size(); ++k) {
      for (std::size_t axis = 0; axis < b_.axes; ++axis) sum[axis] = b_.graph->add(sum[axis], places[k][axis]);
      const bool needed = rigid[k] || (k + 1 < vectors.size() && rigid[k + 1]);
      if (!needed) continue;
      const std::size_t to = b_.point(sum);
      if (rigid[k]) b_.rod(from, to);
      from = to;
      if (std::ranges::find(b_.view.paths, to) == b_.view.paths.end()) b_.view.paths.push_back(to);
    }
    return true;
  }

  // Squares of the lengths, for each vector at each sample.
  std::vector<std::vector<double>> squares(const std::vector<Place>& places) {
    std::vector<NodeId> nodes;
    for (const Place& place : places) nodes.insert(nodes.end(), place.begin(), place.end());
    std::vector<std::vector<double>> out(places.size());
    for (const std::vector<double>& values : b_.evaluate(nodes))
      for (std::size_t p = 0; p < places.size(); ++p)
        out[p].push_back(values[3 * p] * values[3 * p] + values[3 * p + 1] * values[3 * p + 1] +
                         values[3 * p + 2] * values[3 * p + 2]);
    return out;
  }

  ViewBuilder& b_;
  std::map<std::int32_t, std::pair<std::size_t, std::size_t>> point_of_;  // coordinate -> point and axis
};

}  // namespace

void find_joints(ViewBuilder& builder) { Joints(builder).find(); }

}  // namespace rattleback::report
