// Figures: marks, thinning, and what the drawing holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "output/columns.hpp"
#include "output/figures.hpp"
#include "plot/figure_file.hpp"
#include "plot/svg.hpp"
#include "plot/ticks.hpp"
#include "rattleback/error.hpp"
#include "rattleback/write.hpp"

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

// What is drawn in one panel can be seen in it: no curve is ten times smaller than another that is not zero.
TEST(Figures, PutColumnsOfLikeSizeIntoOnePanel) {
  const Model model = load_model("skate");
  const Trajectory t = simulate(model, {.step = 0.1, .until = 100.0});
  const Figure f = report::figure_of(model, t);
  std::vector<std::string> drawn;
  for (const Panel& p : f.panels) {
    if (p.y.logarithmic || p.height < 1.0) continue;
    double low = INFINITY, high = 0.0;
    for (const Series& s : p.series) {
      drawn.push_back(s.label);
      const std::vector<double> column = t.column(s.label);
      double size = 0.0;
      for (const double x : column) size = std::fmax(size, std::fabs(x));
      low = std::fmin(low, size);
      high = std::fmax(high, size);
    }
    EXPECT_LE(high, 10.0 * low) << p.series[0].label;
  }
  EXPECT_EQ(drawn, (std::vector<std::string>{"x", "y", "theta"}));
  EXPECT_EQ(f.panels[0].y.label, "x") << "alone: it is " << *std::ranges::max_element(f.panels[0].series[0].y);
}

TEST(Figures, OfARunHaveItsOutputsAndEndWithIt) {
  const Model model = parse_model(
      "coordinates = ['x']\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = 'x^2/2'\n[outputs]\npush = '-x'\n"
      "large = '100*x'\n[initial]\nx = 1\n",
      "m.toml");
  const Trajectory run = simulate(model, {.method = "spark-gauss", .step = 0.01, .steps = 1000});
  const Figure figure = report::figure_of(model, run, {});
  std::vector<std::string> labels;
  for (const Panel& panel : figure.panels) labels.push_back(panel.y.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"x", "push", "large", "|E - E0|"}));
  EXPECT_EQ(figure.panels[1].series[0].y[0], -1.0);
  EXPECT_EQ(figure.panels[3].series[0].x.back(), 10.0);  // the last of 360 pieces begins before
}

TEST(Figures, OfALongRunShowAWindowAndTheWholeRunBelow) {
  const Model model = load_model("double-pendulum");
  const Trajectory t = simulate(model, {.step = 0.02, .until = 400.0});
  const Figure f = report::figure_of(model, t);
  ASSERT_GT(f.panels.size(), 2U);
  const Panel &window = f.panels[0], &strip = f.panels[1];
  ASSERT_EQ(window.series.size(), strip.series.size());
  EXPECT_LT(strip.height, 0.5);
  EXPECT_EQ(strip.marked.first, 0.0);
  std::size_t most = 0;
  for (std::size_t i = 0; i < window.series.size(); ++i) {
    const Series &part = window.series[i], &whole = strip.series[i];
    EXPECT_EQ(part.x.back(), strip.marked.second);
    EXPECT_EQ(whole.x.back(), 400.0);
    EXPECT_EQ(whole.label, "") << "named above";
    const std::vector<double> all = t.column(part.label);
    EXPECT_EQ(*std::ranges::max_element(whole.y), *std::ranges::max_element(all));
    for (std::size_t k = 0; k < part.y.size(); ++k) ASSERT_EQ(part.y[k], all[k]);
    std::size_t turns = 0;
    for (std::size_t k = 2; k < part.y.size(); ++k)
      turns += (part.y[k] - part.y[k - 1]) * (part.y[k - 1] - part.y[k - 2]) < 0.0 ? 1 : 0;
    most = std::max(most, turns);
  }
  EXPECT_GE(most, 16U);  // 12 oscillations, in which small wiggles do not count
  EXPECT_LE(most, 60U);
  const std::string svg = to_svg(f);
  EXPECT_EQ(count(svg, "<rect class=\"marked\""),
            static_cast<std::size_t>(std::ranges::count_if(f.panels, [](const Panel& p) { return p.height < 1.0; })));
  const auto width_of = [&](const std::string& what) {
    const std::size_t at = svg.find("width=\"", svg.find("<rect class=\"" + what));
    return std::stod(svg.substr(at + 7));
  };
  EXPECT_NEAR(width_of("marked"), width_of("frame") * strip.marked.second / 400.0, 0.06) << "the part of the run";
  EXPECT_EQ(report::figure_of(model, simulate(model, {.step = 0.02, .until = 4.0})).panels[1].height, 1.0);
}

TEST(Figures, DrawTheColumnsThatWereAskedFor) {
  const Model model = load_model("skate");
  Options options{.step = 0.1, .until = 10.0};
  const Trajectory plain = simulate(model, options);
  options.plot_columns = "theta, theta'; energy; x:y; x'^2 + y'^2; *'; residual.velocity";
  const Trajectory t = simulate(model, options);
  const Figure f = report::figure_of(model, t, options);
  std::vector<std::vector<std::string>> labels;
  for (const Panel& p : f.panels) {
    labels.emplace_back();
    for (const Series& s : p.series) labels.back().push_back(s.label);
  }
  EXPECT_EQ(
      labels,
      (std::vector<std::vector<std::string>>{
          {"theta", "theta'"}, {"energy"}, {"x:y"}, {"x'^2 + y'^2"}, {"x'", "y'", "theta'"}, {"residual.velocity"}}));
  EXPECT_TRUE(f.panels[2].same_scale);
  EXPECT_EQ(f.panels[2].series[0].x, t.column("x"));
  EXPECT_EQ(f.panels[2].series[0].y, t.column("y"));
  EXPECT_TRUE(f.panels[5].y.logarithmic);
  EXPECT_FALSE(f.panels[1].y.logarithmic);
  const std::vector<double> vx = t.column("x'"), vy = t.column("y'");
  for (std::size_t i = 0; i < vx.size(); ++i)
    EXPECT_NEAR(f.panels[3].series[0].y[i], vx[i] * vx[i] + vy[i] * vy[i], 1e-15);
  // Nothing else of the run is another: neither its numbers nor its files.
  EXPECT_EQ(t.records.q, plain.records.q);
  const auto names = [&](const Trajectory& run) {
    std::vector<std::string> out;
    for (const report::Block& b : report::record_blocks(model, run))
      out.insert(out.end(), b.columns.begin(), b.columns.end());
    return out;
  };
  EXPECT_EQ(names(t), names(plain));
  EXPECT_EQ(plain.columns(), names(plain));
  EXPECT_EQ(t.columns().size(), plain.columns().size() + 1) << "the expression";
  EXPECT_EQ(to_text(model, t).find("Outputs"), std::string::npos);
  EXPECT_EQ(to_json(model, t).find("outputs"), std::string::npos);
}

TEST(Figures, RefuseColumnsThatAreNotThere) {
  const auto message = [](const char* system, const char* columns) -> std::string {
    try {
      (void)simulate(load_model(system), {.steps = 1, .plot_columns = columns});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("skate", "x; y, theta:x").find("--plot-columns takes columns with commas between them"), 0U);
  EXPECT_NE(message("skate", "x; y, theta:x").find("'y, theta:x' has paths and columns over time in one panel"),
            std::string::npos);
  EXPECT_NE(message("skate", "x;;y").find("There is an empty place"), std::string::npos);
  EXPECT_NE(message("skate", "x:y:theta").find("'x:y:theta' has too many colons"), std::string::npos);
  EXPECT_NE(message("skate", "x:").find("'x:' lacks a column"), std::string::npos);
  EXPECT_NE(message("skate", "x*:y").find("a path has one column on each axis"), std::string::npos);
  EXPECT_EQ(message("skate", "thetta").find("--plot-columns thetta"), 0U);
  EXPECT_EQ(message("skate", "q*").find("--plot-columns: no column or definition matches 'q*'"), 0U);
  EXPECT_NE(message("dae-additive", "energy"), "") << "a dae has none";
  EXPECT_EQ(message("skate", "atan2(y, x); if(x < y, x, y):theta"), "");
}

TEST(Figures, AreSvgPdfOrPng) {
  for (const char* path : {"/tmp/figure.svg", "/tmp/figure.pdf", "/tmp/figure.png"})
    EXPECT_NO_THROW(check_figure_path(path)) << path;
  for (const char* path : {"/tmp/figure.gif", "/tmp/figure", "/tmp/figure.svgz", "/no/such/folder/figure.pdf"})
    EXPECT_THROW(check_figure_path(path), Error) << path;
}

}  // namespace
}  // namespace rattleback::plot
