// Figures: marks, thinning, and what the drawing holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "output/figures.hpp"
#include "plot/figure_file.hpp"
#include "plot/svg.hpp"
#include "plot/ticks.hpp"
#include "rattleback/error.hpp"

namespace rattleback::plot {
namespace {

std::vector<std::string> texts(const std::vector<Tick>& ticks) {
  std::vector<std::string> out;
  for (const Tick& t : ticks) out.push_back(t.text);
  return out;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(Ticks, AreRoundNumbersInsideTheRange) {
  EXPECT_EQ(texts(linear_ticks({0.0, 1.0}, 5)), (std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(texts(linear_ticks({-3.0, 7.2}, 4)), (std::vector<std::string>{"0", "5"}));
  EXPECT_EQ(texts(linear_ticks({1e6, 3e6}, 2)), (std::vector<std::string>{"1e6", "2e6", "3e6"}));
  EXPECT_EQ(texts(linear_ticks({-2e-5, 2e-5}, 4)), (std::vector<std::string>{"-2e-5", "-1e-5", "0", "1e-5", "2e-5"}));
  EXPECT_TRUE(linear_ticks({1.0, 1.0}, 4).empty());
}

TEST(Ticks, OfALogarithmicAxisArePowersOfTen) {
  EXPECT_EQ(texts(logarithmic_ticks({1e-3, 1e2}, 10)),
            (std::vector<std::string>{"1e-3", "1e-2", "1e-1", "1e0", "1e1", "1e2"}));
  const auto many = logarithmic_ticks({1e-16, 1.0}, 4);
  EXPECT_EQ(many.size(), 17U);
  EXPECT_EQ(std::ranges::count_if(many, [](const Tick& t) { return !t.text.empty(); }), 4);
  EXPECT_EQ(texts(logarithmic_ticks({0.03, 0.3}, 5)), (std::vector<std::string>{"5e-2", "1e-1", "2e-1"}));
}

TEST(Thinning, KeepsTheExtremesAndTheEnds) {
  std::vector<double> x, y;
  for (int i = 0; i < 1'000'000; ++i) {
    x.push_back(i * 1e-3);
    y.push_back(std::sin(i * 0.01));
  }
  y[567'891] = 7.0;
  y[123'456] = -9.0;
  const auto points = thinned(x, y, 600);
  EXPECT_LT(points.size(), 2500U);
  const auto by_y = [](const auto& a, const auto& b) { return a.second < b.second; };
  EXPECT_EQ(std::ranges::max_element(points, by_y)->second, 7.0);
  EXPECT_EQ(std::ranges::min_element(points, by_y)->second, -9.0);
  EXPECT_EQ(points.front().first, x.front());
  EXPECT_EQ(points.back().first, x.back());
  EXPECT_TRUE(std::ranges::is_sorted(points, {}, [](const auto& p) { return p.first; }));
}

TEST(Svg, HoldsEverySeriesAndLeavesOutWhatALogarithmicAxisCannotShow) {
  Figure f{.title = "t", .panels = {{.x = {.label = "x"}, .y = {.label = "y", .logarithmic = true}}}};
  f.panels[0].series = {{.label = "a", .x = {1, 2, 3}, .y = {1.0, 0.0, 10.0}},
                        {.label = "b", .x = {1, 2}, .y = {1.0, 2.0}, .style = Series::Style::points}};
  const std::string svg = to_svg(f);
  EXPECT_EQ(count(svg, "<path"), 1U);
  EXPECT_EQ(count(svg, "M"), 2U) << "the line breaks where the value is 0";
  EXPECT_EQ(count(svg, "<circle"), 3U) << "two points and their mark in the legend";
  EXPECT_EQ(count(svg, "nan"), 0U);
  EXPECT_EQ(count(svg, "inf"), 0U);
}

TEST(Svg, ManyCurvesDifferInColourDashesOrMarks) {
  Figure f{.panels = {{}}};
  for (int i = 0; i < 32; ++i)
    f.panels[0].series.push_back({.label = "c" + std::to_string(i),
                                  .x = {0, 1},
                                  .y = {0.0, double(i)},
                                  .style = i % 2 == 0 ? Series::Style::line : Series::Style::points});
  const std::string svg = to_svg(f);
  std::set<std::string> looks;  // of the legend: lines by class and dashes, marks by class and shape
  std::istringstream lines(svg);
  for (std::string line; std::getline(lines, line);) {
    const auto word = [&](const std::string& name) {
      const std::size_t at = line.find(name + "=\"");
      return at == std::string::npos ? "" : line.substr(at, line.find('"', at + name.size() + 2) - at);
    };
    if (line.starts_with("<line class=\"curve")) looks.insert(word("class") + word("stroke-dasharray"));
    for (const char* mark : {"<circle", "<rect class=\"p", "<path class=\"p"})
      if (line.starts_with(mark)) {
        const std::size_t shape = line.find('l', line.find("d=\"M"));
        looks.insert(std::string(mark) + word("class") + (shape < line.size() ? line.substr(shape) : ""));
      }
  }
  EXPECT_EQ(looks.size(), 32u);
}

TEST(Svg, TextStaysText) {
  const std::string svg = to_svg({.title = "<script>alert(1)</script> & \"q\"", .caption = "a < b"});
  EXPECT_EQ(count(svg, "<script"), 0U);
  EXPECT_NE(svg.find("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;q&quot;"), std::string::npos);
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
}

TEST(Svg, TakesEmptyAndConstantData) {
  EXPECT_NE(to_svg({}).find("</svg>"), std::string::npos);
  Figure f{.panels = {{.series = {{.x = {0, 1}, .y = {2, 2}}, {}, {.x = {NAN}, .y = {INFINITY}}}}}};
  EXPECT_EQ(count(to_svg(f), "nan"), 0U);
}

TEST(Figures, OfARunShowWhatItHas) {
  const auto panels = [](const char* system) {
    const Model model = load_model(system);
    Options options;
    options.steps = 20;
    const Figure f = report::figure_of(model, simulate(model, options));
    std::vector<std::string> titles;
    for (const Panel& p : f.panels) titles.push_back(p.y.label);
    return titles;
  };
  EXPECT_EQ(panels("skate"), (std::vector<std::string>{"", "|E - E0|", "residual"}));
  EXPECT_EQ(panels("suslov"), (std::vector<std::string>{"", "|E - E0|"}));
  EXPECT_EQ(panels("two-oscillators"), (std::vector<std::string>{"", "E", "power balance"}));
  EXPECT_EQ(panels("dae-additive"), (std::vector<std::string>{"", "residual"}));
}

TEST(Figures, AreSvgPdfOrPng) {
  for (const char* path : {"/tmp/figure.svg", "/tmp/figure.pdf", "/tmp/figure.png"})
    EXPECT_NO_THROW(check_figure_path(path)) << path;
  for (const char* path : {"/tmp/figure.gif", "/tmp/figure", "/tmp/figure.svgz", "/no/such/folder/figure.pdf"})
    EXPECT_THROW(check_figure_path(path), Error) << path;
}

}  // namespace
}  // namespace rattleback::plot
