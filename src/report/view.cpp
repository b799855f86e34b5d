#include "report/view.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "expr/evaluator.hpp"
#include "linalg/decompositions.hpp"
#include "model/drawing.hpp"
#include "model/kind_facts.hpp"
#include "report/defined_places.hpp"
#include "report/joints.hpp"
#include "report/samples.hpp"

namespace rattleback::report {
namespace {

constexpr std::size_t kMostPoints = 400;       // that are drawn
constexpr std::size_t kMostPaths = 3;          // until more are asked for
constexpr std::int32_t kMostCoordinates = 40;  // of a system whose velocity constraints are looked at
constexpr std::size_t kMostConstraints = 200;  // of one whose formulas are looked at
constexpr int kSamples = 3;                    // an identity between formulas that holds at three points holds

// x1 and y1, x[3] and y[3], x and y and z: coordinates whose names differ in their first letter only.
std::vector<View::Point> points_of(const Names& names) {
  std::vector<View::Point> points;
  for (const Names::Group& group : names.groups()) {
    if (group.stem.empty() || group.stem[0] != 'x') continue;
    const std::string rest = group.stem.substr(1);
    const auto partner = [&](char letter) -> const Names::Group* {
      for (const Names::Group& other : names.groups())
        if (other.stem == letter + rest && other.family == group.family && other.first == group.first &&
            other.count == group.count)
          return &other;
      return nullptr;
    };
    const Names::Group *y = partner('y'), *z = partner('z');
    if (y == nullptr) continue;
    for (std::int32_t i = 0; i < group.count; ++i)
      points.push_back({.at = {group.offset + i, y->offset + i, z != nullptr ? z->offset + i : -1},
                        .name = names[group.offset + i].substr(1)});
  }
  return points;
}

// A matrix function with families, as its entries that may be other than 0.
class Sparse {
 public:
  Sparse(const Graph& graph, Entries entries, std::int32_t n, std::int32_t m)
      : entries_(std::move(entries)), flat_(flattened()), values_(graph, flat_, size_, n, m) {}

  struct Place {
    std::int32_t row, col;
    double value;
  };
  std::vector<Place> at(double t, std::span<const double> q, std::span<const double> v) {
    const std::span<const double> values = values_(t, q, v);
    std::vector<Place> out;
    std::size_t k = 0;
    for (const Entry& e : entries_)
      for (std::int32_t i = 0; i < std::max(1, e.count); ++i) out.push_back({e.row.at(i), e.col.at(i), values[k++]});
    return out;
  }

 private:
  // Each entry has a place of its own in one long vector.
  Entries flattened() {
    Entries out = entries_;
    for (Entry& e : out) {
      e.row = {size_, 1};
      e.col = {};
      size_ += std::max(1, e.count);
    }
    return out;
  }

  std::int32_t size_ = 0;
  Entries entries_, flat_;
  Evaluator values_;
};

// Rods: the gradient of such a constraint is c (p - a) for a point p and a place a, or c (p - r) and -c (p - r) for two
// points, with a constant c. Returns the constraints that are one.
std::set<std::int32_t> find_rods(const Model& model, View& view) {
  const std::int32_t n = model.coordinates.size();
  std::map<std::int32_t, std::pair<std::size_t, std::size_t>> place;  // coordinate -> point and axis
  for (std::size_t p = 0; p < view.points.size(); ++p)
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (view.points[p].at[axis] >= 0) place[view.points[p].at[axis]] = {p, axis};

  Graph graph = *model.graph;
  Sparse gradient(graph, jacobian(graph, model.holonomic, kPosition), n, 0);
  const std::vector<Sample> samples = samples_of(model, kSamples);
  using Row = std::map<std::int32_t, double>;
  std::vector<std::map<std::int32_t, Row>> rows;
  for (const Sample& s : samples) {
    auto& by_row = rows.emplace_back();
    for (const Sparse::Place& e : gradient.at(s.t, s.q, s.v)) by_row[e.row][e.col] += e.value;
  }
  std::set<std::int32_t> found_rows;
  for (const auto& first : rows[0]) {
    const std::int32_t row = first.first;
    const Row& entries = first.second;
    std::vector<std::size_t> touched;
    bool points_only = true;
    for (const auto& [col, value] : entries) {
      const auto found = place.find(col);
      if (found == place.end()) {
        points_only = false;
      } else if (std::ranges::find(touched, found->second.first) == touched.end()) {
        touched.push_back(found->second.first);
      }
    }
    if (!points_only || touched.empty() || touched.size() > 2) continue;
    const auto slope = [&](std::size_t sample, std::size_t p, std::size_t axis) {
      const Row& r = rows[sample][row];
      const auto found = r.find(view.points[p].at[axis]);
      return found == r.end() ? 0.0 : found->second;
    };
    const auto value = [&](std::size_t sample, std::size_t p, std::size_t axis) {
      return samples[sample].q[static_cast<std::size_t>(view.points[p].at[axis])];
    };
    const std::size_t p = touched[0], r = touched.back(), axes = view.points[p].at[2] >= 0 ? 3 : 2;
    const bool anchored = touched.size() == 1;
    if (!anchored && (view.points[r].at[2] >= 0) != (axes == 3)) continue;
    const auto distance = [&](std::size_t sample, std::size_t axis) {
      return value(sample, p, axis) - (anchored ? 0.0 : value(sample, r, axis));
    };
    const double c = (slope(1, p, 0) - slope(0, p, 0)) / (distance(1, 0) - distance(0, 0));
    if (!std::isfinite(c) || std::fabs(c) < kSame) continue;
    std::array<double, 3> centre = {};
    bool holds = true;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      centre[axis] = distance(0, axis) - slope(0, p, axis) / c;
      for (std::size_t sample = 0; sample < samples.size(); ++sample) {
        holds = holds && near(slope(sample, p, axis), c * (distance(sample, axis) - centre[axis]));
        if (!anchored)
          holds = holds && near(centre[axis], 0.0) && near(slope(sample, r, axis), -slope(sample, p, axis));
      }
    }
    if (!holds) continue;
    found_rows.insert(row);
    if (anchored) {
      for (double& x : centre) x = std::fabs(x) < kSame ? 0.0 : x;
      view.anchors.push_back({p, centre});
    } else {
      view.rods.push_back({std::min(p, r), std::max(p, r)});
    }
  }
  return found_rows;
}

// The velocities that the constraints allow, as an orthogonal projection, at each sample.
std::vector<Eigen::MatrixXd> allowed(const Model& model, const std::vector<Sample>& samples) {
  const std::int32_t n = model.coordinates.size(), m = model.nonholonomic_names.size();
  Graph graph = *model.graph;
  Sparse K(graph, jacobian(graph, model.nonholonomic, kVelocity), n, m);
  std::vector<Eigen::MatrixXd> out;
  for (const Sample& s : samples) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(m, n);
    for (const Sparse::Place& e : K.at(s.t, s.q, s.v)) A(e.row, e.col) += e.value;
    if (!A.allFinite()) return {};
    out.emplace_back(Eigen::MatrixXd::Identity(n, n) - linalg::product(linalg::pseudo_inverse(A), A));
  }
  return out;
}

// A heading a of the point (x, y): no velocity across it, y' cos a - x' sin a = 0. If moreover x' cos a + y' sin a = r s'
// with a constant r, it is a disk of this radius, which turns by s.
std::optional<View::Heading> find_heading(const Model& model, const View::Point& point) {
  const std::int32_t n = model.coordinates.size();
  const std::vector<Sample> samples = samples_of(model, kSamples);
  const std::vector<Eigen::MatrixXd> P = allowed(model, samples);
  if (P.empty()) return std::nullopt;
  for (std::int32_t a = 0; a < n; ++a) {
    if (a == point.at[0] || a == point.at[1]) continue;
    bool blade = true;
    std::vector<Eigen::VectorXd> along;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double angle = samples[i].q[static_cast<std::size_t>(a)];
      Eigen::VectorXd side = Eigen::VectorXd::Zero(n), forward = side;
      side[point.at[0]] = -std::sin(angle);
      side[point.at[1]] = std::cos(angle);
      forward[point.at[0]] = std::cos(angle);
      forward[point.at[1]] = std::sin(angle);
      blade = blade && linalg::product(P[i], side).norm() < kSame && linalg::product(P[i], forward).norm() > 1e-3;
      along.push_back(forward);
    }
    if (!blade) continue;
    View::Heading heading{.x = point.at[0], .y = point.at[1], .angle = a};
    for (std::int32_t s = 0; s < n; ++s) {
      if (s == a || s == point.at[0] || s == point.at[1]) continue;
      double radius = 0.0;
      bool rolls = true;
      for (std::size_t i = 0; i < samples.size() && rolls; ++i) {
        const Eigen::VectorXd turn = P[i].col(s), way = linalg::product(P[i], along[i]);
        if (turn.norm() < 1e-6) {
          rolls = false;
          break;
        }
        const double r = way.dot(turn) / turn.squaredNorm();
        rolls = (way - r * turn).norm() < kSame && (i == 0 || near(r, radius));
        radius = r;
      }
      if (!rolls || std::fabs(radius) < kSame) continue;
      heading.spin = s;
      heading.radius = radius;
      break;
    }
    return heading;
  }
  return std::nullopt;
}

// Of very many points only some can be drawn; rods then lead from one of them to the next where the points between are
// joined in their order.
void thin_out(View& view) {
  const std::size_t all = view.points.size();
  view.points_in_all = all;
  if (all <= kMostPoints) return;
  std::vector<char> joined(all, 0);  // to the one before
  for (const auto& [a, b] : view.rods)
    if (b == a + 1) joined[b] = 1;
  View thin;
  thin.expressions = view.expressions;
  thin.graph = view.graph;
  thin.points_in_all = all;
  std::size_t before = 0;
  for (std::size_t k = 0; k < kMostPoints; ++k) {
    const std::size_t p = k * (all - 1) / (kMostPoints - 1);
    thin.points.push_back(view.points[p]);
    if (k > 0 && std::all_of(joined.begin() + static_cast<std::ptrdiff_t>(before) + 1,
                             joined.begin() + static_cast<std::ptrdiff_t>(p) + 1, [](char j) { return j != 0; }))
      thin.rods.push_back({k - 1, k});
    for (const View::Anchor& anchor : view.anchors)
      if (anchor.point == p) thin.anchors.push_back({k, anchor.at});
    before = p;
  }
  view = std::move(thin);
}

// As the file says. What is a coordinate already is not computed again.
View drawing(const Model& model, const Drawing& d) {
  View view;
  const std::int32_t n = model.coordinates.size();
  const auto column = [&](NodeId id) -> std::int32_t {
    const Node& node = (*model.graph)[id];
    if (node.op == Op::variable && node.space == kPosition && node.count == 0) return node.base();
    const auto found = std::ranges::find(view.expressions, id);
    if (found != view.expressions.end()) return n + static_cast<std::int32_t>(found - view.expressions.begin());
    view.expressions.push_back(id);
    return n + static_cast<std::int32_t>(view.expressions.size()) - 1;
  };
  const auto columns = [&](const std::array<NodeId, 3>& at, bool space) {
    return std::array<std::int32_t, 3>{column(at[0]), column(at[1]), space ? column(at[2]) : -1};
  };
  for (const Drawing::Point& p : d.points) view.points.push_back({columns(p.at, d.space), p.name});
  for (const Drawing::Disc& disc : d.discs) view.discs.push_back({disc.centre, disc.rim, columns(disc.axle, true)});
  view.rods = d.rods;
  view.paths = d.paths;
  view.points_in_all = view.points.size();
  return view;
}

}  // namespace

bool View::in_space() const {
  return (heading && heading->radius != 0.0) ||
         std::ranges::any_of(points, [](const Point& p) { return p.at[2] >= 0; });
}

View view_of(const Model& model) {
  if (const Drawing* d = drawing_of(model)) return drawing(model, *d);
  View view;
  if (!facts_of(model).points) return view;
  view.points = points_of(model.coordinates);
  const auto last_path = [&] {
    if (!view.points.empty()) view.paths = {view.points.size() - 1};
  };
  const auto paths = [&] {  // of a few points all
    last_path();
    if (view.points.size() <= kMostPaths)
      for (std::size_t p = 0; p + 1 < view.points.size(); ++p) view.paths.insert(view.paths.end() - 1, p);
  };
  view.points_in_all = view.points.size();
  paths();
  if (!facts_of(model).lagrangian || model.graph == nullptr) return view;
  try {
    std::set<std::int32_t> rods;
    if (!model.holonomic.empty() && !view.points.empty()) rods = find_rods(model, view);
    if (view.points.size() == 1 && view.points[0].at[2] < 0 && !model.nonholonomic.empty() &&
        model.coordinates.size() <= kMostCoordinates)
      view.heading = find_heading(model, view.points[0]);
    if (!view.heading && model.coordinates.size() <= kMostTurned && model.holonomic.size() <= kMostConstraints) {
      ViewBuilder builder(model, view, rods);
      find_joints(builder);
      find_defined_places(builder);
      builder.finish();
    }
  } catch (const NeedsUnrolling&) {  // then the points alone are drawn
  }
  const std::size_t found = view.points.size();
  thin_out(view);
  if (view.points.size() < found || view.paths.empty()) last_path();
  return view;
}

}  // namespace rattleback::report
