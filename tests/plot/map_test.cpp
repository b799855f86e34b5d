// Maps and colour bars: which cell has which place and colour.
#include "plot/map.hpp"

#include <cmath>
#include <regex>

#include <gtest/gtest.h>

#include "plot/colours.hpp"
#include "plot/svg.hpp"

namespace rattleback::plot {
namespace {

struct Cell {
  double x, y, width, height;
  std::string fill;
};

std::vector<Cell> cells_of(const std::string& svg) {
  const std::regex rect(
      "<rect x=\"([^\"]*)\" y=\"([^\"]*)\" width=\"([^\"]*)\" height=\"([^\"]*)\" fill=\"([^\"]*)\"/>");
  std::vector<Cell> out;
  for (std::sregex_iterator at(svg.begin(), svg.end(), rect), end; at != end; ++at)
    out.push_back({std::stod((*at)[1]), std::stod((*at)[2]), std::stod((*at)[3]), std::stod((*at)[4]), (*at)[5]});
  return out;
}

// x at 0, 2, 3 has edges at -1, 1, 2.5, 3.5; y at 10, 20 has edges at 5, 15, 25.
TEST(Maps, HaveCellsAroundTheirMiddles) {
  const Map map{{0, 2, 3}, {10, 20}, {0, 1, 2, 3, std::nan(""), 4}};
  const ColourBar bar{"z", 0, 4};
  EXPECT_EQ(map_range(map, true).low, -1.0);
  EXPECT_EQ(map_range(map, true).high, 3.5);
  EXPECT_EQ(map_range(map, false).high, 25.0);
  // 100 pixels for a unit of x, and y upwards, 10 for one.
  const std::vector<Cell> cells =
      cells_of(map_cells(map, bar, Scale({-1, 3.5}, false, 0, 450), Scale({5, 25}, false, 200, 0)));
  ASSERT_EQ(cells.size(), 6U);
  const std::vector<Cell> expected = {{0, 100, 200, 100, shade(0)},     {200, 100, 150, 100, shade(0.25)},
                                      {350, 100, 100, 100, shade(0.5)}, {0, 0, 200, 100, shade(0.75)},
                                      {200, 0, 150, 100, kNoShade},     {350, 0, 100, 100, shade(1)}};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(cells[i].x, expected[i].x) << i;
    EXPECT_EQ(cells[i].y, expected[i].y) << i;
    EXPECT_EQ(cells[i].width, expected[i].width) << i;
    EXPECT_EQ(cells[i].height, expected[i].height) << i;
    EXPECT_EQ(cells[i].fill, expected[i].fill) << i;
  }
}

TEST(Maps, HaveBarsThatMayBeLogarithmic) {
  EXPECT_EQ(shade_of({"z", 1e-8, 1e-4, true}, 1e-6), shade(0.5));
  EXPECT_EQ(shade_of({"z", 1e-8, 1e-4, true}, 0.0), kNoShade);
  EXPECT_EQ(shade_of({"z", 3, 3}, 3), shade(0.5));                                 // all are one
  EXPECT_EQ(shade_of({"z", std::nan(""), std::nan("")}, std::nan("")), kNoShade);  // there is none
  const std::vector<Cell> steps = cells_of(drawn_bar({"z", 0, 1}, 10, 20, 220));
  ASSERT_EQ(steps.size(), 100U);
  EXPECT_EQ(steps.front().y + steps.front().height, 220.0);
  EXPECT_EQ(steps.back().y, 20.0);
  EXPECT_EQ(steps.front().fill, shade(0.005));
  EXPECT_EQ(steps.back().fill, shade(0.995));
}

// The bar takes its room from the panel, whose curves have its colours.
TEST(Maps, StandInFigures) {
  Panel panel{.x = {.label = "a"}, .y = {.label = "b"}};
  panel.bar = ColourBar{"<speed>", 0, 10};
  panel.series.push_back({.x = {0, 1}, .y = {0, 1}, .shade = {5}});
  panel.series.push_back({.x = {0, 1}, .y = {1, 0}, .style = Series::Style::points, .shade = {0, 10}});
  const std::string svg = to_svg({.title = "t", .panels = {panel}});
  EXPECT_NE(svg.find("stroke: " + shade(0.5)), std::string::npos);
  EXPECT_NE(svg.find("r=\"3\" fill=\"" + shade(0.0)), std::string::npos);
  EXPECT_NE(svg.find("r=\"3\" fill=\"" + shade(1.0)), std::string::npos);
  EXPECT_NE(svg.find("&lt;speed&gt;"), std::string::npos);
  panel.bar.reset();
  EXPECT_NE(to_svg({.title = "t", .panels = {panel}}).find("class=\"curve s0\""), std::string::npos);
}

}  // namespace
}  // namespace rattleback::plot
