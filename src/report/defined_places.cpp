#include "report/defined_places.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/decompositions.hpp"
#include "model/grammar/expression.hpp"
#include "model/written.hpp"
#include "rattleback/error.hpp"
#include "report/samples.hpp"

namespace rattleback::report {
namespace {

constexpr std::size_t kMostPlaces = 60, kMostDefinitions = 400;

struct Defined {
  std::string name;
  Place at = {};
};

class DefinedPlaces {
 public:
  explicit DefinedPlaces(ViewBuilder& builder) : b_(builder) {}

  // Constraints that are a function of the distance between two places, or of one to a fixed place.
  void find() {
    std::vector<Defined> places = defined_places();
    if (places.empty()) return;
    const std::size_t of_definitions = places.size();
    for (std::size_t p = 0; p < b_.coordinate_points; ++p) {
      Defined own{.name = b_.view.points[p].name, .at = {}};
      for (std::size_t axis = 0; axis < b_.axes; ++axis)
        own.at[axis] = b_.graph->variable(kPosition, b_.view.points[p].at[axis]);
      places.push_back(own);
    }
    std::vector<NodeId> nodes;
    for (const Defined& place : places) nodes.insert(nodes.end(), place.at.begin(), place.at.end());
    for (const auto& [row, expr] : b_.open) nodes.push_back(expr);
    values_ = b_.evaluate(nodes);
    const std::size_t rows_at = 3 * places.size();
    if (b_.model.holonomic.empty() && b_.coordinate_points == 0) return constant_distances(places);
    for (std::size_t g = rows_at; g < rows_at + b_.open.size(); ++g) {
      bool found = false;
      for (std::size_t a = 0; a < of_definitions && !found; ++a) {
        for (std::size_t b = a + 1; b < places.size() && !found; ++b)
          if (is_distance(g, a, b)) {
            join(places[a], places[b]);
            found = true;
          }
        if (const auto centre = found ? std::nullopt : fixed_centre(g, a)) {
          b_.view.anchors.push_back({b_.point(places[a].at, places[a].name), *centre});
          found = true;
        }
      }
    }
    if (b_.coordinate_points == 0 && b_.view.paths.empty() && !b_.view.points.empty())
      b_.view.paths = {b_.view.points.size() - 1};
  }

 private:
  void join(const Defined& a, const Defined& b) {
    const std::size_t first = b_.point(a.at, a.name), second = b_.point(b.at, b.name);
    b_.rod(first, second);
  }

  std::vector<Defined> defined_places() {
    std::map<std::string, std::map<char, std::string>> groups;  // what remains without the letter -> letter -> name
    std::vector<std::string> order;
    const front::World* world = world_of(b_.model);
    if (world == nullptr || world->definitions.size() > kMostDefinitions) return {};
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
                    .at = {node(of.at('x')), node(of.at('y')), of.contains('z') ? node(of.at('z')) : b_.graph->zero()}};
      if (place.at[0] == ViewBuilder::kNone || place.at[1] == ViewBuilder::kNone || place.at[2] == ViewBuilder::kNone)
        continue;
      if (of.contains('z') != (b_.axes == 3)) {
        if (b_.coordinate_points > 0 || !b_.view.points.empty() || !out.empty()) continue;
        b_.axes = of.contains('z') ? 3 : 2;
      }
      out.push_back(place);
    }
    return out;
  }

  NodeId node(const std::string& definition) {
    try {
      const NodeId id = read_expression(b_.model, *b_.graph, "view", "a definition", definition);
      return b_.support_of(id) ? id : ViewBuilder::kNone;
    } catch (const Error&) {
      return ViewBuilder::kNone;
    }
  }

  // Each place is joined to the last one before it that stays at its distance, or to the origin.
  void constant_distances(const std::vector<Defined>& places) {
    const auto distance = [&](std::size_t a, std::size_t b) {
      std::vector<double> out;
      for (int s = 0; s < ViewBuilder::kSamples; ++s) out.push_back(square(s, a, b));
      return out;
    };
    for (std::size_t a = 0; a < places.size(); ++a) {
      std::optional<std::size_t> other;
      for (std::size_t b = 0; b < a; ++b)
        if (const auto d = distance(a, b); b_.constant(d) && d[0] > kSame) other = b;
      std::vector<double> from_origin;
      for (int s = 0; s < ViewBuilder::kSamples; ++s) from_origin.push_back(square(s, a, a, true));
      if (other) {
        join(places[*other], places[a]);
      } else if (b_.constant(from_origin) && from_origin[0] > kSame) {
        b_.view.anchors.push_back({b_.point(places[a].at, places[a].name), {}});
      }
    }
    if (!b_.view.points.empty()) b_.view.paths = {b_.view.points.size() - 1};
  }

  [[nodiscard]] double square(int sample, std::size_t a, std::size_t b, bool from_origin = false) const {
    const std::vector<double>& values = values_[static_cast<std::size_t>(sample)];
    double out = 0.0;
    for (std::size_t axis = 0; axis < b_.axes; ++axis) {
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
      for (int s = 2; s < ViewBuilder::kSamples && holds; ++s)
        holds = near(value(s) - value(0), c * (length(s) - length(0)));
      if (holds) return true;
    }
    return false;
  }

  // g = c |a - centre|^2 + d.
  [[nodiscard]] std::optional<std::array<double, 3>> fixed_centre(std::size_t g, std::size_t a) const {
    const auto width = static_cast<Eigen::Index>(b_.axes) + 2;
    Eigen::MatrixXd A(ViewBuilder::kSamples, width);
    Eigen::MatrixXd right(ViewBuilder::kSamples, 1);
    for (int s = 0; s < ViewBuilder::kSamples; ++s) {
      const std::vector<double>& values = values_[static_cast<std::size_t>(s)];
      A(s, 0) = square(s, a, a, true);
      for (std::size_t axis = 0; axis < b_.axes; ++axis)
        A(s, static_cast<Eigen::Index>(axis) + 1) = values[3 * a + axis];
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
    for (std::size_t axis = 0; axis < b_.axes; ++axis) {
      centre[axis] = -x(static_cast<Eigen::Index>(axis) + 1, 0) / (2.0 * c);
      if (std::fabs(centre[axis]) < kSame) centre[axis] = 0.0;
    }
    return centre;
  }

  ViewBuilder& b_;
  std::vector<std::vector<double>> values_;  // of places and constraints, at each sample
};

}  // namespace

void find_defined_places(ViewBuilder& builder) { DefinedPlaces(builder).find(); }

}  // namespace rattleback::report
