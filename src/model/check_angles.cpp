#include "model/check_angles.hpp"

#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "expr/traverse.hpp"
#include "model/evaluate.hpp"
#include "model/kind_facts.hpp"
#include "model/scatter.hpp"

namespace rattleback::front {
namespace {

constexpr double kTurn = 6.283185307179586;
constexpr int kPoints = 4;
constexpr double kTolerance = 1e-9;      // relative to the largest value of the function at the points
constexpr double kCancellation = 1e-13;  // relative to the largest number that it is made of
// So many angles are turned one by one. More are turned all together, each by a number of its own, which takes as many
// evaluations for any number of them.
constexpr std::size_t kOneByOne = 64;

// The functions of a model at some points.
class Functions {
 public:
  explicit Functions(const Model& model) : model_(model) {
    const auto one = [&](const char* name, NodeId id) {
      groups_.push_back({{{id, 0, {}, {}}}, [name](const Entry&, std::int32_t) { return std::string(name); }});
    };
    const auto rows = [&](const Entries& entries, const char* what, const Names& names) {
      groups_.push_back({entries, [what, &names](const Entry& e, std::int32_t k) {
                           return fmt::format("{} `{}`", what, names[e.row.at(k)]);
                         }});
    };
    if (facts_of(model).lagrangian) {
      if (model.kinetic) one("the kinetic energy", *model.kinetic);
      if (model.potential) one("the potential", *model.potential);
      if (!model.kinetic) one("the Lagrangian", model.lagrangian);
      rows(model.forces, "the force on", model.coordinates);
      rows(model.holonomic, "the constraint", model.holonomic_names);
      rows(model.nonholonomic, "the constraint", model.nonholonomic_names);
    } else {
      one("the Hamiltonian", model.hamiltonian);
      groups_.push_back({model.pi, [&](const Entry& e, std::int32_t) {
                           return fmt::format("the entry `{},{}` of Pi", model.coordinates[e.row.base],
                                              model.coordinates[e.col.base]);
                         }});
    }
  }

  struct Value {
    double value, size;  // size: the largest number that it is made of
  };
  std::vector<Value> operator()(const Point& point) const {
    std::vector<Value> out;
    for (const Group& group : groups_) {
      for (const Entry& e : group.entries) {
        PointValues values(*model_.graph, std::span(&e.expr, 1), point);
        const std::vector<NodeId> below = reachable(*model_.graph, std::span(&e.expr, 1));
        for (std::int32_t k = 0; k < std::max(1, e.count); ++k) {
          const double value = values.in_loop(e.expr, k);
          double size = 0.0;
          for (const NodeId id : below)
            if (std::isfinite(values[id])) size = std::fmax(size, std::fabs(values[id]));
          out.push_back({value, size});
        }
      }
    }
    return out;
  }

  [[nodiscard]] std::string name(std::size_t which) const {
    for (const Group& group : groups_)
      for (const Entry& e : group.entries) {
        const auto count = static_cast<std::size_t>(std::max(1, e.count));
        if (which < count) return group.name(e, static_cast<std::int32_t>(which));
        which -= count;
      }
    return "";
  }

 private:
  struct Group {
    Entries entries;
    std::function<std::string(const Entry&, std::int32_t k)> name;
  };
  const Model& model_;
  std::vector<Group> groups_;
};

class AngleCheck {
 public:
  AngleCheck(const ModelText& text, const Model& model) : text_(text), model_(model), functions_(model) {
    Scatter scatter;
    for (int p = 0; p < kPoints; ++p) {
      Place place{0.3 * p, model.q0, model.v0, std::vector<double>(at(model.multiplier_count()), 0.0), {}};
      if (p > 0) {  // the first one is the start
        for (double& x : place.q) x += 0.1 * (1.0 + std::fabs(x)) * scatter();
        for (double& x : place.v) x += (1.0 + std::fabs(x)) * scatter();
      }
      for (double& x : place.z) x = scatter();
      place.values = values(place, place.q);
      if (scale_.empty()) scale_.resize(place.values.size(), 0.0);
      for (std::size_t i = 0; i < scale_.size(); ++i)
        if (const double x = std::fabs(place.values[i].value); std::isfinite(x)) scale_[i] = std::fmax(scale_[i], x);
      places_.push_back(std::move(place));
    }
  }

  void each() {
    for (const Place& place : places_)
      for (std::size_t k = 0; k < model_.angles.size(); ++k) {
        std::vector<double> q = place.q;
        q[at(model_.angles[k])] += kTurn;
        compare(place.values, values(place, q), k, "once");
      }
  }

  void all_together() {
    Scatter scatter;
    for (const Place& place : places_) {
      std::vector<double> q = place.q, turns;
      for (const std::int32_t i : model_.angles) {
        turns.push_back(std::floor(2.5 * scatter() + 0.5));
        q[at(i)] += kTurn * turns.back();
      }
      const auto after = values(place, q);
      if (first_change(place.values, after) == after.size()) continue;
      // Which of them was it? One after the other.
      q = place.q;
      auto before = place.values;
      for (std::size_t k = 0; k < turns.size(); ++k) {
        q[at(model_.angles[k])] += kTurn * turns[k];
        auto now = values(place, q);
        compare(before, now, k, std::fabs(turns[k]) == 1.0 ? "once" : fmt::format("{:g} times", std::fabs(turns[k])));
        before = std::move(now);
      }
    }
  }

 private:
  using Values = std::vector<Functions::Value>;
  struct Place {
    double t;
    std::vector<double> q, v, z;
    Values values;
  };
  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

  [[nodiscard]] Values values(const Place& place, const std::vector<double>& q) const {
    return functions_({place.t, q, place.v, place.z});
  }

  // The first function whose values differ; their number when none does. What has no value before is not compared.
  [[nodiscard]] std::size_t first_change(const Values& before, const Values& after) const {
    std::size_t i = 0;
    for (; i < before.size(); ++i) {
      const double rounding = kCancellation * std::fmax(before[i].size, after[i].size);
      if (!std::isfinite(before[i].value)) continue;
      if (!(std::fabs(after[i].value - before[i].value) <= kTolerance * scale_[i] + rounding)) break;
    }
    return i;
  }

  void compare(const Values& before, const Values& after, std::size_t angle, const std::string& how_often) const {
    const std::size_t i = first_change(before, after);
    if (i == before.size()) return;
    const double change = std::fabs(after[i].value - before[i].value);
    text_.world.source.fail(text_.angle_places[angle],
                            fmt::format("`{}` is declared as an angle, but {} {} when it turns {}. Remove it from "
                                        "`angles`",
                                        model_.coordinates[model_.angles[angle]], functions_.name(i),
                                        std::isfinite(change) ? fmt::format("changes by {:.3g}", change)
                                                              : std::string("is not a finite number any more"),
                                        how_often));
  }

  const ModelText& text_;
  const Model& model_;
  Functions functions_;
  std::vector<Place> places_;
  std::vector<double> scale_;
};

}  // namespace

void check_angles(const ModelText& text, const Model& model) {
  if (model.angles.empty()) return;
  AngleCheck check(text, model);
  if (model.angles.size() <= kOneByOne)
    check.each();
  else
    check.all_together();
}

}  // namespace rattleback::front
