// What can be drawn of a motion is found in the formulas, not guessed from the name of the system.
#include "report/view.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "output/long_run.hpp"
#include "output/thinning.hpp"

namespace rattleback::report {
namespace {

View view(const std::string& system, const LoadOptions& options = {}) { return view_of(load_model(system, options)); }

TEST(View, FindsTheRodsOfPendulums) {
  const View one = view("pendulum"), two = view("double-pendulum");
  ASSERT_EQ(one.anchors.size(), 1u);
  EXPECT_TRUE(one.rods.empty());
  EXPECT_EQ(two.points.size(), 2u);
  ASSERT_EQ(two.anchors.size(), 1u);
  EXPECT_EQ(two.anchors[0].point, 0u);
  EXPECT_EQ(two.anchors[0].at, (std::array<double, 3>{0, 0, 0}));
  EXPECT_EQ(two.rods, (std::vector<std::array<std::size_t, 2>>{{0, 1}}));
  EXPECT_FALSE(two.in_space());
}

TEST(View, FindsTheRodsOfFamilies) {
  const View small = view("chain"), large = view("chain", {.set = {{"N", "300"}}});  // unrolled, and as one formula
  EXPECT_EQ(small.rods.size(), 9u);
  EXPECT_EQ(large.rods.size(), 299u);
  EXPECT_EQ(large.anchors.size(), 1u);
  const View huge = view("chain", {.set = {{"N", "5000"}}});
  EXPECT_EQ(huge.points_in_all, 5000u);
  EXPECT_EQ(huge.points.size(), 400u);
  EXPECT_EQ(huge.rods.size(), 399u);  // still one line from end to end
}

TEST(View, PlacesAnchorsWhereTheyAre) {
  const View v =
      view_of(parse_model("coordinates = [\"x\", \"y\", \"z\"]\n[lagrangian]\nkinetic = \"x'^2 + y'^2 + z'^2\"\n"
                          "[constraints.holonomic]\nrod = \"3*((x - 1)^2 + (y + 2)^2 + (z - 0.5)^2 - 4)\"\n"
                          "[initial]\nx = 3\ny = -2\nz = 0.5\n",
                          "m.toml"));
  ASSERT_EQ(v.anchors.size(), 1u);
  EXPECT_NEAR(v.anchors[0].at[0], 1.0, 1e-9);
  EXPECT_NEAR(v.anchors[0].at[1], -2.0, 1e-9);
  EXPECT_NEAR(v.anchors[0].at[2], 0.5, 1e-9);
  EXPECT_TRUE(v.in_space());
}

TEST(View, TakesNoEllipseForARod) {
  const View v =
      view_of(parse_model("coordinates = [\"x\", \"y\"]\n[lagrangian]\nkinetic = \"x'^2 + y'^2\"\n"
                          "[constraints.holonomic]\nring = \"x^2 + 2*y^2 - 1\"\n[initial]\nx = 1\n",
                          "m.toml"));
  EXPECT_TRUE(v.anchors.empty());
  EXPECT_TRUE(v.rods.empty());
  EXPECT_EQ(v.points.size(), 1u);
}

TEST(View, FindsBlades) {
  for (const char* system : {"chaplygin-sleigh", "skate"}) {
    const View v = view(system);
    ASSERT_TRUE(v.heading) << system;
    EXPECT_EQ(v.heading->angle, 2) << system;
    EXPECT_EQ(v.heading->radius, 0.0) << system;
    EXPECT_FALSE(v.in_space());
  }
}

TEST(View, FindsTheDiskAndItsRadius) {
  const View v = view("rolling-disk", {.set = {{"R", "0.7"}}});
  ASSERT_TRUE(v.heading);
  EXPECT_EQ(v.heading->angle, 2);
  EXPECT_EQ(v.heading->spin, 3);
  EXPECT_NEAR(v.heading->radius, 0.7, 1e-9);
  EXPECT_TRUE(v.in_space());
}

TEST(View, FollowsTheFileWhereItHasAView) {
  const View v = view("andrews");
  EXPECT_EQ(v.points.size(), 9u);
  EXPECT_EQ(v.rods.size(), 10u);
  EXPECT_EQ(v.points[v.paths.at(0)].name, "E");
  EXPECT_FALSE(v.in_space());
  for (const View::Point& p : v.points) EXPECT_GE(p.at[0], 7);  // none of its places is a coordinate
  const View disc = view("rolling-disc");
  ASSERT_EQ(disc.discs.size(), 1u);
  EXPECT_EQ(disc.points[disc.discs[0].centre].at, (std::array<std::int32_t, 3>{0, 1, 2}));  // a place that is
  EXPECT_TRUE(disc.in_space());
}

TEST(View, DrawsPathsAndLeavesTheRestToAPhasePortrait) {
  EXPECT_TRUE(view("nonholonomic-particle").in_space());
  EXPECT_FALSE(view("nonholonomic-particle").heading);
  EXPECT_TRUE(view("gearbox").empty());
  EXPECT_TRUE(view("dae-additive").empty());
  EXPECT_TRUE(view("suslov").empty());
}

const char* const kCrank = R"toml(coordinates = ["phi", "psi", "s"]
[define]
crank_x = "0.1*cos(phi)"
crank_y = "0.1*sin(phi)"
[lagrangian]
kinetic = "phi'^2 + psi'^2 + s'^2"
[constraints.holonomic]
loop_x = "crank_x + 0.3*cos(psi) - s"
loop_y = "crank_y - 0.3*sin(psi)"
[initial]
s = 0.4
)toml";

TEST(View, FindsTheRodsOfALoopWrittenThroughDefinitions) {
  const View v = view_of(parse_model(kCrank, "m.toml"));
  ASSERT_EQ(v.points.size(), 3u);  // the bearing, the pin, the slider
  EXPECT_EQ(v.rods, (std::vector<std::array<std::size_t, 2>>{{0, 1}, {1, 2}}));
  EXPECT_EQ(v.paths, (std::vector<std::size_t>{1, 2}));
  EXPECT_FALSE(v.in_space());
}

TEST(View, FindsJointsOfBodiesWrittenThroughDefinitions) {
  const View v = view_of(parse_model(R"toml(coordinates = ["x1", "y1", "phi1", "x2", "y2", "phi2"]
[define]
end_x   = "x1 + 0.5*cos(phi1)"
end_y   = "y1 + 0.5*sin(phi1)"
begin_x = "x2 - 0.3*cos(phi2)"
begin_y = "y2 - 0.3*sin(phi2)"
[lagrangian]
kinetic = "x1'^2 + y1'^2 + phi1'^2 + x2'^2 + y2'^2 + phi2'^2"
[constraints.holonomic]
foot_x = "x1 - 0.5*cos(phi1)"
foot_y = "y1 - 0.5*sin(phi1)"
pin_x  = "begin_x - end_x"
pin_y  = "begin_y - end_y"
[initial]
x1 = 0.5
x2 = 1.3
)toml",
                                     "m.toml"));
  ASSERT_EQ(v.points.size(), 4u);  // two bodies, the foot, the pin
  EXPECT_EQ(v.rods, (std::vector<std::array<std::size_t, 2>>{{0, 2}, {0, 3}, {1, 3}}));
  EXPECT_EQ(v.points[0].at, (std::array<std::int32_t, 3>{0, 1, -1}));
  EXPECT_GE(v.points[3].at[0], 6);  // a formula
}

TEST(View, FindsJointsOfBodiesThatQuaternionsTurn) {
  const View v = view_of(load_model(std::string(RATTLEBACK_SOURCE_DIR) + "/bench/models/bricard-quaternions.toml"));
  EXPECT_TRUE(v.in_space());
  EXPECT_EQ(v.points.size(), 11u);  // five bodies, six joints
  EXPECT_EQ(v.rods.size(), 10u);    // each body has two
}

TEST(View, FindsDistancesBetweenPlacesOfDefinitions) {
  const auto model = [](const std::string& rod) {
    return parse_model(
        "coordinates = [\"theta\", \"u\", \"w\"]\n[define]\nxA = \"u + 2*sin(theta)\"\nyA = \"w - 2*cos(theta)\"\n"
        "B_x = \"3*u\"\nB_y = \"w + theta\"\nv_x = \"u'\"\nv_y = \"w'\"\n[lagrangian]\nkinetic = \"u'^2 + w'^2 + "
        "theta'^2\"\n"
        "[constraints.holonomic]\nrod = \"" +
            rod + "\"\n[initial]\nu = 1\nw = 2\n[run]\nproject = true\n",
        "m.toml");
  };
  const View two = view_of(model("((xA - B_x)^2 + (yA - B_y)^2 - 4)/2"));
  ASSERT_EQ(two.points.size(), 2u);
  EXPECT_EQ(two.points[0].name, "A");
  EXPECT_EQ(two.points[1].name, "B");
  EXPECT_EQ(two.rods.size(), 1u);
  EXPECT_EQ(view_of(model("sqrt((xA - B_x)^2 + (yA - B_y)^2) - 2")).rods.size(), 1u);
  const View one = view_of(model("(xA - 1)^2 + (yA - 2)^2 - 9"));
  ASSERT_EQ(one.anchors.size(), 1u);
  EXPECT_NEAR(one.anchors[0].at[0], 1.0, 1e-9);
  EXPECT_NEAR(one.anchors[0].at[1], 2.0, 1e-9);
  EXPECT_TRUE(view_of(model("(xA - 1)^2 + 2*(yA - 2)^2 - 9")).empty());  // an ellipse is no rod
}

TEST(View, DrawsPlacesOfDefinitionsWhereAnglesAreTheCoordinates) {
  const View v = view_of(parse_model(R"toml(coordinates = ["th1", "th2"]
[define]
x1 = "sin(th1)"
y1 = "-cos(th1)"
x2 = "x1 + sin(th2)"
y2 = "y1 - cos(th2)"
[lagrangian]
kinetic = "(dt(x1)^2 + dt(y1)^2 + dt(x2)^2 + dt(y2)^2)/2"
potential = "9.81*(y1 + y2)"
[initial]
th1 = 1
)toml",
                                     "m.toml"));
  EXPECT_EQ(v.points.size(), 2u);
  EXPECT_EQ(v.anchors.size(), 1u);
  EXPECT_EQ(v.rods, (std::vector<std::array<std::size_t, 2>>{{0, 1}}));
}

TEST(View, FormulasOfAnyDepthAreLookedAt) {
  std::string sum = "x";
  for (int i = 0; i < 20'000; ++i) sum += " + 1e-9*t";
  const View v =
      view_of(parse_model("coordinates = [\"x\", \"y\"]\n[lagrangian]\nkinetic = \"x'^2 + y'^2\"\n"
                          "[constraints.holonomic]\na_x = \"" +
                              sum + "\"\na_y = \"y\"\n",
                          "m.toml"));
  EXPECT_EQ(v.points.size(), 1u);
}

TEST(View, TracesAllOfAFewPoints) {
  EXPECT_EQ(view("double-pendulum").paths, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(view("chain").paths, (std::vector<std::size_t>{9}));
}

TEST(LongRun, OpensOnTwelveOscillationsOfTheFastestColumn) {
  constexpr std::size_t kRows = 24'000;
  std::vector<double> values(3 * kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    const double t = 0.01 * static_cast<double>(i);
    values[3 * i] = std::sin(2.0 * 3.14159265358979 * t);
    values[3 * i + 1] = 0.01 * t + 1e-3 * std::sin(50.0 * t);  // a wiggle that nobody sees
    values[3 * i + 2] = 1.0 + 1e-14 * std::sin(300.0 * t);     // rounding
  }
  std::vector<Column> columns;
  for (std::size_t k = 0; k < 3; ++k) columns.push_back({values.data(), 3, k});
  EXPECT_NEAR(static_cast<double>(first_window(columns, kRows)), 1200.0, 60.0);
  EXPECT_EQ(first_window({columns.data() + 1, 2}, kRows), 0u);
  EXPECT_EQ(first_window(columns, 2'000), 0u);  // twenty oscillations are legible
  const std::vector<std::size_t> rows = shown_rows_with(1200, columns, kRows, 4000);
  EXPECT_LE(rows.size(), 4000u);
  for (std::size_t i = 0; i < 1200; ++i) ASSERT_EQ(rows[i], i);
  EXPECT_EQ(rows.back(), kRows - 1);
}

TEST(Thinning, KeepsTheExtremesOfEveryColumn) {
  constexpr std::size_t kRows = 100'000;
  std::vector<double> values(3 * kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    values[3 * i] = std::sin(0.7 * static_cast<double>(i));
    values[3 * i + 1] = i == 77'777 ? 1e6 : 0.0;
    values[3 * i + 2] = i == 12'345 ? -1e6 : 1.0;
  }
  const std::vector<Column> columns = {{values.data(), 3, 0}, {values.data(), 3, 1}, {values.data(), 3, 2}};
  const std::vector<std::size_t> rows = shown_rows(columns, kRows, 1000);
  EXPECT_LE(rows.size(), 1000u);
  EXPECT_GT(rows.size(), 500u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(rows.front(), 0u);
  EXPECT_EQ(rows.back(), kRows - 1);
  EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), 77'777u));
  EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), 12'345u));
  double largest = -1.0, shown = -1.0;
  for (std::size_t i = 0; i < kRows; ++i) largest = std::max(largest, values[3 * i]);
  for (const std::size_t i : rows) shown = std::max(shown, values[3 * i]);
  EXPECT_EQ(shown, largest);
}

TEST(Thinning, LeavesShortRunsAlone) {
  const std::vector<double> t = {0, 1, 2};
  const std::vector<Column> columns = {{t.data(), 1, 0}};
  EXPECT_EQ(shown_rows(columns, 3, 10), (std::vector<std::size_t>{0, 1, 2}));
}

// A body's point on a slider is not a point in a fixed place: the way of the slider is no part of the body.
TEST(View, ASliderIsNoBar) {
  const Model model = parse_model(R"toml(coordinates = ["xb", "yb", "pb", "s"]
[lagrangian]
kinetic = "(xb'^2 + yb'^2 + pb'^2 + s'^2)/2"
[constraints.holonomic]
wristx = "xb + 0.1*cos(pb) - s"
wristy = "yb + 0.1*sin(pb)"
[initial]
s = 0.1
)toml",
                                  "crank.toml");
  const View v = view_of(model);
  EXPECT_TRUE(v.rods.empty());
  EXPECT_TRUE(v.anchors.empty());
}

}  // namespace
}  // namespace rattleback::report
