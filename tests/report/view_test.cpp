// What can be drawn of a motion is found in the formulas, not guessed from the name of the system.
#include "report/view.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace rattleback::report
