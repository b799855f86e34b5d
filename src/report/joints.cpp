#include "report/joints.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <map>
#include <optional>

#include "expr/evaluator.hpp"
#include "linalg/decompositions.hpp"
#include "model/grammar/expression.hpp"
#include "model/written.hpp"
#include "rattleback/error.hpp"
#include "report/samples.hpp"

namespace rattleback::report {
namespace {

constexpr std::int32_t kMostCoordinates = 128;
constexpr std::size_t kMostRows = 200, kMostPlaces = 60, kMostVectors = 8, kMostTerms = 64;
constexpr int kSamples = 9;

using Place = std::array<NodeId, 3>;
using Support = std::bitset<kMostCoordinates>;  // coordinates of which a term depends

struct Term {
  NodeId node = 0;
  double factor = 1.0;
  Support support;
};

struct Defined {
  std::string name;
  Place at = {};
};

class Joints {
 public:
  Joints(const Model& model, View& view)
      : model_(model), view_(view), graph_(std::make_shared<Graph>(*model.graph)), n_(model.coordinates.size()) {
    for (std::size_t p = 0; p < view.points.size(); ++p)
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (view.points[p].at[axis] >= 0) point_of_[view.points[p].at[axis]] = {p, axis};
    coordinate_points_ = view.points.size();
    const bool space = !view.points.empty() && view.points[0].at[2] >= 0;
    axes_ = space ? 3 : 2;
  }

  void find(const std::set<std::int32_t>& taken) {
    std::map<std::int32_t, std::vector<NodeId>> rows;
    for (const Entry& e : model_.holonomic) rows[e.row.at(0)].push_back(e.count == 0 ? e.expr : kNone);
    for (const auto& [row, parts] : rows)
      if (!taken.contains(row) && parts.size() == 1 && parts[0] != kNone) open_[row] = parts[0];
    if (open_.size() > kMostRows) return;
    // In one triple of rows names decide, elsewhere rows that follow each other.
    for (const std::vector<std::int32_t>& group : named_groups())
      if (joint(group) || (coordinate_points_ == 0 && loop(group)))
        for (const std::int32_t row : group) open_.erase(row);
    for (auto it = open_.begin(); it != open_.end();) {
      std::vector<std::int32_t> group;
      for (auto next = it; next != open_.end() && group.size() < axes_; ++next) group.push_back(next->first);
      const std::int32_t first = it->first;
      if (group.size() == axes_ && (joint(group) || (coordinate_points_ == 0 && loop(group))))
        for (const std::int32_t row : group) open_.erase(row);
      it = open_.upper_bound(first);
    }
    distances();
    if (view_.expressions.empty()) return;
    view_.graph = graph_;
    view_.points_in_all = view_.points.size();
  }

 private:
  static constexpr NodeId kNone = ~NodeId{0};

  // --- formulas

  // Coordinates that it depends on; nothing where there are others than places and t in it. Arguments stand before what is
  // made of them, so that no formula is too deep.
  std::optional<Support> support_of(NodeId id) {
    for (auto next = static_cast<NodeId>(supports_.size()); next <= id; ++next) {
      const Node& node = (*graph_)[next];
      std::optional<Support> out = Support{};
      if (node.count != 0 || node.op == Op::sum || node.op == Op::index || node.op == Op::table)
        out.reset();
      else if (node.op == Op::variable && node.space == kPosition)
        out->set(static_cast<std::size_t>(node.base()));
      else if (node.op == Op::variable && node.space != kTime)
        out.reset();
      const NodeId arguments[] = {node.a, node.b, node.c};
      for (int i = 0; i < arity(node.op) && out; ++i) {
        const std::optional<Support>& below = supports_[arguments[i]];
        if (below)
          *out |= *below;
        else
          out.reset();
      }
      supports_.push_back(out);
    }
    return supports_[id];
  }

  // The terms of a sum, signs and factors taken into brackets. False: something else than places is in it.
  bool split(NodeId whole, std::vector<Term>& out) {
    std::vector<std::pair<NodeId, double>> left = {{whole, 1.0}};
    const auto number = [&](NodeId x) { return (*graph_)[x].value; };
    while (!left.empty()) {
      const auto [id, factor] = left.back();
      left.pop_back();
      const Node& node = (*graph_)[id];
      if (node.op == Op::add || node.op == Op::sub) {
        left.emplace_back(node.b, node.op == Op::add ? factor : -factor);
        left.emplace_back(node.a, factor);
      } else if (node.op == Op::neg) {
        left.emplace_back(node.a, -factor);
      } else if (node.op == Op::mul && graph_->is_constant(node.a)) {
        left.emplace_back(node.b, factor * number(node.a));
      } else if (node.op == Op::mul && graph_->is_constant(node.b)) {
        left.emplace_back(node.a, factor * number(node.b));
      } else if (node.op == Op::div && graph_->is_constant(node.b)) {
        left.emplace_back(node.a, factor / number(node.b));
      } else {
        const auto support = support_of(id);
        if (!support || out.size() == kMostTerms) return false;
        out.push_back({id, factor, *support});
      }
    }
    return true;
  }

  NodeId plus(NodeId sum, const Term& term, double factor = 1.0) {
    const double f = term.factor * factor;
    const NodeId value = f == 1.0    ? term.node
                         : f == -1.0 ? graph_->neg(term.node)
                                     : graph_->mul(graph_->constant(f), term.node);
    return graph_->add(sum, value);
  }

  // --- points of the drawing

  std::int32_t column(NodeId id) {
    const Node& node = (*graph_)[id];
    if (node.op == Op::variable && node.space == kPosition && node.count == 0) return node.base();
    const auto found = std::ranges::find(view_.expressions, id);
    if (found != view_.expressions.end()) return n_ + static_cast<std::int32_t>(found - view_.expressions.begin());
    view_.expressions.push_back(id);
    return n_ + static_cast<std::int32_t>(view_.expressions.size()) - 1;
  }

  std::size_t point(const Place& place, const std::string& name = {}) {
    const std::array<std::int32_t, 3> at = {column(place[0]), column(place[1]), axes_ == 3 ? column(place[2]) : -1};
    for (std::size_t i = 0; i < view_.points.size(); ++i)
      if (view_.points[i].at == at) {
        if (view_.points[i].name.empty()) view_.points[i].name = name;
        return i;
      }
    view_.points.push_back({at, name});
    return view_.points.size() - 1;
  }

  void rod(std::size_t a, std::size_t b) {
    const std::array<std::size_t, 2> ends = {std::min(a, b), std::max(a, b)};
    if (a != b && std::ranges::find(view_.rods, ends) == view_.rods.end()) view_.rods.push_back(ends);
  }

  // --- rows that belong together

  // "pin_x", "pin_y" and "pin_z": names that differ in this letter only.
  std::vector<std::vector<std::int32_t>> named_groups() {
    std::map<std::string, std::int32_t> by_name;
    for (const auto& [row, expr] : open_) by_name[model_.holonomic_names[row]] = row;
    std::vector<std::vector<std::int32_t>> out;
    std::set<std::int32_t> used;
    for (const auto& [row, expr] : open_) {
      const std::string name = model_.holonomic_names[row];
      for (std::size_t at = name.size(); at-- > 0 && !used.contains(row);) {
        if (name[at] != 'x' && name[at] != 'X') continue;
        std::vector<std::int32_t> group = {row};
        for (std::size_t axis = 1; axis < 3; ++axis) {
          std::string other = name;
          other[at] = static_cast<char>(other[at] + static_cast<char>(axis));
          if (const auto found = by_name.find(other); found != by_name.end() && group.size() == axis)
            group.push_back(found->second);
        }
        if (group.size() != axes_) continue;
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
    for (std::size_t p = 0; p < coordinate_points_; ++p) {
      const std::string& rest = view_.points[p].name;
      bool fits = !rest.empty();
      for (std::int32_t c = 0; c < n_ && fits; ++c)
        fits = !support[static_cast<std::size_t>(c)] || model_.coordinates[c].ends_with(rest);
      if (fits && (!best || rest.size() > view_.points[*best].name.size())) best = p;
    }
    if (best) return centres.contains(*best) ? best : std::nullopt;
    if (centres.size() == 1) return centres.begin()->first;
    std::int32_t first = 0;
    while (!support[static_cast<std::size_t>(first)]) ++first;
    for (const auto& [p, sign] : centres) {
      const std::int32_t x = view_.points[p].at[0];
      if (x < first && (!best || x > view_.points[*best].at[0])) best = p;
    }
    return best;
  }

  // s (p + turned by p's body) - s (r + turned by r's body) + constant = 0, or one body's point in a fixed place.
  bool joint(const std::vector<std::int32_t>& group) {
    if (coordinate_points_ == 0) return false;
    std::map<std::size_t, double> centres;
    std::map<std::size_t, int> seen;
    std::vector<std::vector<Term>> turned(axes_);
    bool offset = false;
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      std::vector<Term> terms;
      if (!split(open_.at(group[axis]), terms)) return false;
      for (Term& term : terms) {
        const Node& node = (*graph_)[term.node];
        if (term.support.none()) {
          offset = true;
        } else if (node.op == Op::variable && point_of_.contains(node.base())) {
          const auto [p, of_axis] = point_of_.at(node.base());
          if (of_axis != axis || std::fabs(term.factor) != 1.0) return false;
          if (!centres.try_emplace(p, term.factor).second && centres[p] != term.factor) return false;
          ++seen[p];
        } else {
          turned[axis].push_back(std::move(term));
        }
      }
    }
    if (centres.empty() || centres.size() > 2) return false;
    for (const auto& [p, times] : seen)
      if (times != static_cast<int>(axes_)) return false;
    std::map<std::size_t, Place> places;
    for (const auto& [p, sign] : centres)
      for (std::size_t axis = 0; axis < axes_; ++axis)
        places[p][axis] = graph_->variable(kPosition, view_.points[p].at[axis]);
    const std::map<std::size_t, Place> bare = places;
    for (std::size_t axis = 0; axis < axes_; ++axis)
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
      const std::size_t end = meeting ? *meeting : point(place);
      rod(p, end);
      if (!offset && centres.size() == 2) meeting = end;
    }
    return true;
  }

  // v1 + v2 + ... + constant = 0, each vector of coordinates of its own: a polygon that begins in the origin.
  bool loop(const std::vector<std::int32_t>& group) {
    std::vector<std::pair<Support, Place>> vectors;
    const NodeId zero = graph_->zero();
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      std::vector<Term> terms;
      if (!split(open_.at(group[axis]), terms)) return false;
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
    for (const std::vector<double>& length : lengths) rigid.push_back(constant(length) && length[0] > kSame);
    if (std::ranges::count(rigid, true) < 2) return false;
    std::size_t from = point({zero, zero, zero});
    Place sum = {zero, zero, zero};
    for (std::size_t k = 0; k < vectors.size(); ++k) {
      for (std::size_t axis = 0; axis < axes_; ++axis) sum[axis] = graph_->add(sum[axis], places[k][axis]);
      const bool needed = rigid[k] || (k + 1 < vectors.size() && rigid[k + 1]);
      if (!needed) continue;
      const std::size_t to = point(sum);
      if (rigid[k]) rod(from, to);
      from = to;
      paths_.push_back(to);
    }
    view_.paths = paths_;
    return true;
  }

  // --- places of [define]

  std::vector<Defined> defined_places() {
    std::map<std::string, std::map<char, std::string>> groups;  // what remains without the letter -> letter -> name
    std::vector<std::string> order;
    const front::World* world = world_of(model_);
    if (world == nullptr) return {};
    const auto add = [&](const std::string& key, char letter, const std::string& name) {
      if (!groups.contains(key)) order.push_back(key);
      groups[key][static_cast<char>(letter | 0x20)] = name;
    };
    const auto is_axis = [](char c) { return (c | 0x20) == 'x' || (c | 0x20) == 'y' || (c | 0x20) == 'z'; };
    for (const front::Definition& d : world->definitions) {
      if (d.family) continue;
      if (is_axis(d.name.front())) add("^" + d.name.substr(1), d.name.front(), d.name);
      if (d.name.size() > 1 && is_axis(d.name.back())) add(d.name.substr(0, d.name.size() - 1), d.name.back(), d.name);
    }
    std::vector<Defined> out;
    for (const std::string& key : order) {
      const auto& of = groups.at(key);
      if (!of.contains('x') || !of.contains('y') || out.size() == kMostPlaces) continue;
      std::string name = key.starts_with('^') ? key.substr(1) : key;
      if (name.ends_with('_')) name.pop_back();
      Defined place{.name = name,
                    .at = {node(of.at('x')), node(of.at('y')), of.contains('z') ? node(of.at('z')) : graph_->zero()}};
      if (place.at[0] == kNone || place.at[1] == kNone || place.at[2] == kNone) continue;
      if (of.contains('z') != (axes_ == 3)) {
        if (coordinate_points_ > 0 || !view_.points.empty() || !out.empty()) continue;
        axes_ = of.contains('z') ? 3 : 2;
      }
      out.push_back(place);
    }
    return out;
  }

  NodeId node(const std::string& definition) {
    try {
      const NodeId id = read_expression(model_, *graph_, "view", "a definition", definition);
      return support_of(id) ? id : kNone;
    } catch (const Error&) {
      return kNone;
    }
  }

  // Constraints that are a function of the distance between two places, or of one to a fixed place.
  void distances() {
    std::vector<Defined> places = defined_places();
    if (places.empty()) return;
    const std::size_t of_definitions = places.size();
    for (std::size_t p = 0; p < coordinate_points_; ++p) {
      Defined own{.name = view_.points[p].name, .at = {}};
      for (std::size_t axis = 0; axis < axes_; ++axis)
        own.at[axis] = graph_->variable(kPosition, view_.points[p].at[axis]);
      places.push_back(own);
    }
    std::vector<NodeId> nodes;
    for (const Defined& place : places) nodes.insert(nodes.end(), place.at.begin(), place.at.end());
    for (const auto& [row, expr] : open_) nodes.push_back(expr);
    values_ = evaluate(nodes);
    const std::size_t rows_at = 3 * places.size();
    if (model_.holonomic.empty() && coordinate_points_ == 0) return constant_distances(places);
    for (std::size_t g = rows_at; g < rows_at + open_.size(); ++g) {
      bool found = false;
      for (std::size_t a = 0; a < of_definitions && !found; ++a) {
        for (std::size_t b = a + 1; b < places.size() && !found; ++b)
          if (is_distance(g, a, b)) {
            rod(point(places[a].at, places[a].name), point(places[b].at, places[b].name));
            found = true;
          }
        if (const auto centre = found ? std::nullopt : fixed_centre(g, a)) {
          view_.anchors.push_back({point(places[a].at, places[a].name), *centre});
          found = true;
        }
      }
    }
    if (coordinate_points_ == 0 && view_.paths.empty() && !view_.points.empty())
      view_.paths = {view_.points.size() - 1};
  }

  // Each place is joined to the last one before it that stays at its distance, or to the origin.
  void constant_distances(const std::vector<Defined>& places) {
    const auto distance = [&](std::size_t a, std::size_t b) {
      std::vector<double> out;
      for (int s = 0; s < kSamples; ++s) out.push_back(square(s, a, b));
      return out;
    };
    for (std::size_t a = 0; a < places.size(); ++a) {
      const std::vector<double> own = distance(a, a);
      if (own.empty()) continue;
      std::optional<std::size_t> other;
      for (std::size_t b = 0; b < a; ++b)
        if (const auto d = distance(a, b); constant(d) && d[0] > kSame) other = b;
      std::vector<double> from_origin;
      for (int s = 0; s < kSamples; ++s) from_origin.push_back(square(s, a, a, true));
      if (other) {
        rod(point(places[*other].at, places[*other].name), point(places[a].at, places[a].name));
      } else if (constant(from_origin) && from_origin[0] > kSame) {
        view_.anchors.push_back({point(places[a].at, places[a].name), {}});
      }
    }
    if (!view_.points.empty()) view_.paths = {view_.points.size() - 1};
  }

  // --- numbers

  std::vector<std::vector<double>> evaluate(const std::vector<NodeId>& nodes) {
    Evaluator evaluator(*graph_, nodes, n_, 0);
    std::vector<std::vector<double>> out;
    for (const Sample& s : samples_of(model_, kSamples)) {
      const auto values = evaluator(s.t, s.q);
      out.emplace_back(values.begin(), values.end());
    }
    return out;
  }

  // Squares of the lengths, for each vector at each sample.
  std::vector<std::vector<double>> squares(const std::vector<Place>& places) {
    std::vector<NodeId> nodes;
    for (const Place& place : places) nodes.insert(nodes.end(), place.begin(), place.end());
    std::vector<std::vector<double>> out(places.size());
    for (const std::vector<double>& values : evaluate(nodes))
      for (std::size_t p = 0; p < places.size(); ++p)
        out[p].push_back(values[3 * p] * values[3 * p] + values[3 * p + 1] * values[3 * p + 1] +
                         values[3 * p + 2] * values[3 * p + 2]);
    return out;
  }

  static bool constant(const std::vector<double>& values) {
    return std::ranges::all_of(values, [&](double x) { return near(x, values[0]); });
  }

  [[nodiscard]] double square(int sample, std::size_t a, std::size_t b, bool from_origin = false) const {
    const std::vector<double>& values = values_[static_cast<std::size_t>(sample)];
    double out = 0.0;
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      const double d = values[3 * a + axis] - (from_origin ? 0.0 : values[3 * b + axis]);
      out += d * d;
    }
    return out;
  }

  // g = c |a - b|^2 + d, or c |a - b| + d.
  [[nodiscard]] bool is_distance(std::size_t g, std::size_t a, std::size_t b) const {
    for (const bool root : {false, true}) {
      const auto length = [&](int s) { return root ? std::sqrt(square(s, a, b)) : square(s, a, b); };
      const auto value = [&](int s) { return values_[static_cast<std::size_t>(s)][g]; };
      const double c = (value(1) - value(0)) / (length(1) - length(0));
      bool holds = std::isfinite(c) && std::fabs(c) > kSame;
      for (int s = 2; s < kSamples && holds; ++s) holds = near(value(s) - value(0), c * (length(s) - length(0)));
      if (holds) return true;
    }
    return false;
  }

  // g = c |a - centre|^2 + d.
  [[nodiscard]] std::optional<std::array<double, 3>> fixed_centre(std::size_t g, std::size_t a) const {
    const auto width = static_cast<Eigen::Index>(axes_) + 2;
    Eigen::MatrixXd A(kSamples, width);
    Eigen::MatrixXd right(kSamples, 1);
    for (int s = 0; s < kSamples; ++s) {
      const std::vector<double>& values = values_[static_cast<std::size_t>(s)];
      A(s, 0) = square(s, a, a, true);
      for (std::size_t axis = 0; axis < axes_; ++axis) A(s, static_cast<Eigen::Index>(axis) + 1) = values[3 * a + axis];
      A(s, width - 1) = 1.0;
      right(s, 0) = values[g];
    }
    if (!A.allFinite() || !right.allFinite()) return std::nullopt;
    const Eigen::MatrixXd inverse = linalg::pseudo_inverse(A);
    // A place on a circle of its own says nothing about the constraint.
    if ((linalg::product(inverse, A) - Eigen::MatrixXd::Identity(width, width)).norm() > 1e-6) return std::nullopt;
    const Eigen::MatrixXd x = linalg::product(inverse, right);
    const double c = x(0, 0);
    if ((linalg::product(A, x) - right).norm() > 1e-8 * (1.0 + right.norm()) || std::fabs(c) < kSame)
      return std::nullopt;
    std::array<double, 3> centre = {};
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      centre[axis] = -x(static_cast<Eigen::Index>(axis) + 1, 0) / (2.0 * c);
      if (std::fabs(centre[axis]) < kSame) centre[axis] = 0.0;
    }
    return centre;
  }

  const Model& model_;
  View& view_;
  std::shared_ptr<Graph> graph_;  // the model's, with the sums of terms
  std::int32_t n_;
  std::size_t axes_ = 2, coordinate_points_ = 0;
  std::map<std::int32_t, std::pair<std::size_t, std::size_t>> point_of_;  // coordinate -> point and axis
  std::map<std::int32_t, NodeId> open_;                                   // constraints that are not explained yet
  std::vector<std::optional<Support>> supports_;  // of the nodes of the graph, as far as asked for
  std::vector<std::size_t> paths_;
  std::vector<std::vector<double>> values_;  // of places and constraints, at each sample
};

}  // namespace

void find_joints(const Model& model, const std::set<std::int32_t>& taken, View& view) {
  if (model.coordinates.size() > kMostCoordinates) return;
  Joints(model, view).find(taken);
}

}  // namespace rattleback::report
