// [view]: what a file says about how it is drawn.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "model/drawing.hpp"
#include "rattleback/simulate.hpp"
#include "support.hpp"

namespace rattleback {
namespace {

TEST(ViewTable, HasPointsRodsAndPaths) {
  const Model m = parse_model(R"model(coordinates = ["theta"]
[parameters]
l = 2
[lagrangian]
kinetic = "l^2*theta'^2/2"
[view]
rods = [["O", "A"]]
[view.points]
O = [0, 0]
A = ["l*sin(theta)", "-l*cos(theta)"]
)model",
                              "m.toml", {.set = {{"l", "3"}}});
  const Drawing* view = drawing_of(m);
  ASSERT_NE(view, nullptr);
  EXPECT_FALSE(view->space);
  ASSERT_EQ(view->points.size(), 2u);
  EXPECT_EQ(view->points[1].name, "A");
  EXPECT_DOUBLE_EQ(test::value_of(m, view->points[1].at[0], 0.0, {0.5}, {0.0}), 3.0 * std::sin(0.5));
  EXPECT_DOUBLE_EQ(test::value_of(m, view->points[1].at[1], 0.0, {0.5}, {0.0}), -3.0 * std::cos(0.5));
  EXPECT_EQ(view->rods, (std::vector<std::array<std::size_t, 2>>{{0, 1}}));
  EXPECT_EQ(view->paths, (std::vector<std::size_t>{1}));  // the last point, unless it says otherwise
}

TEST(ViewTable, IsThereForEveryKind) {
  for (const char* key : {"dae-hessenberg", "friction-on-cubic", "suslov", "pendulum-ph", "skate"})
    for (const ShippedModel& shipped : shipped_models()) {
      if (shipped.key != key) continue;
      const std::string first = load_model(key).coordinates[0];
      const std::string text = std::string(shipped.text) + "\n[view.points]\nA = [\"" + first + "\", 1]\n";
      const std::string fault =
          test::message_of([&] { EXPECT_NE(drawing_of(parse_model(text, "m.toml")), nullptr) << key; });
      EXPECT_EQ(fault, "");
    }
}

// The places agree with the constraints: what is drawn as rigid has the same length all the time.
TEST(ViewTable, RodsAndDiscsOfShippedSystemsKeepTheirSize) {
  for (const char* name : {"andrews", "rolling-disc", "heavy-top"}) {
    const Model m = load_model(name);
    const Drawing* view = drawing_of(m);
    ASSERT_NE(view, nullptr) << name;
    std::vector<std::vector<double>> qs = {m.q0};
    const Trajectory t = simulate(m, {.steps = 20});
    qs.push_back(t.q);
    const auto size = [&](std::size_t a, std::size_t b, const std::vector<double>& q) {
      double sum = 0.0;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto at = [&](std::size_t p) { return test::value_of(m, view->points[p].at[k], 0.0, q, m.v0); };
        sum += (at(a) - at(b)) * (at(a) - at(b));
      }
      return std::sqrt(sum);
    };
    for (const auto& [a, b] : view->rods) {
      if (view->points[a].name == "D" && view->points[b].name == "C") continue;  // the spring of andrews
      EXPECT_NEAR(size(a, b, qs[0]), size(a, b, qs[1]), 1e-8) << name;
    }
    for (const Drawing::Disc& d : view->discs)
      EXPECT_NEAR(size(d.centre, d.rim, qs[0]), size(d.centre, d.rim, qs[1]), 1e-8) << name;
  }
}

}  // namespace
}  // namespace rattleback
