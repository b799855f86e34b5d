// The figures of ensembles as data: which member stands where. Reports are made by hand, with outputs that tell their members.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "output/figures.hpp"

namespace rattleback::report {
namespace {

const Model& model() {
  static const Model made =
      parse_model("coordinates = ['x']\n[parameters]\na = 1\nb = 1\n[lagrangian]\nkinetic = \"x'^2/2\"\n", "one.toml");
  return made;
}

// Output f = 10 a + b of all pairs.
EnsembleReport pairs(const std::vector<double>& a, const std::vector<double>& b) {
  EnsembleReport r;
  r.method = "rattle";
  r.names = r.columns = {"a", "b"};
  r.grid = {a.size(), b.size()};
  r.output_names = {"f"};
  for (const double x : a)
    for (const double y : b) {
      EnsembleMember& m = r.members.emplace_back();
      m.values = {x, y};
      m.q = m.v = {0.0};
      m.outputs = {10.0 * x + y};
    }
  return r;
}

TEST(EnsembleFigure, OfTwoListsIsAMapWhateverTheirOrder) {
  EnsembleReport r = pairs({3.0, 1.0, 2.0}, {0.5, -0.5});
  r.members[2].status = Status::stopped;  // a = 1, b = 0.5
  r.failed = {2};
  const plot::Figure f = figure_of(model(), r);
  ASSERT_EQ(f.panels.size(), 1U);
  const plot::Panel& p = f.panels[0];
  ASSERT_TRUE(p.map && p.bar);
  EXPECT_EQ(p.x.label, "a");
  EXPECT_EQ(p.y.label, "b");
  EXPECT_EQ(p.map->x, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(p.map->y, (std::vector<double>{-0.5, 0.5}));
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t column = 0; column < 3; ++column) {
      const double value = p.map->values[row * 3 + column];
      if (row == 1 && column == 0)
        EXPECT_TRUE(std::isnan(value));
      else
        EXPECT_EQ(value, 10.0 * p.map->x[column] + p.map->y[row]);
    }
  EXPECT_EQ(p.bar->label, "f");
  EXPECT_EQ(p.bar->low, 9.5);
  EXPECT_EQ(p.bar->high, 30.5);
  EXPECT_NE(f.caption.find("1 stopped early and are left out."), std::string::npos) << f.caption;
}

// A value that comes twice has no place of its own in a map.
TEST(EnsembleFigure, OfRepeatedValuesHasColouredPoints) {
  const plot::Panel p = figure_of(model(), pairs({2.0, 1.0}, {1.0, 1.0})).panels.at(0);
  EXPECT_FALSE(p.map);
  ASSERT_TRUE(p.bar);
  EXPECT_EQ(p.bar->label, "b");
  EXPECT_EQ(p.series.at(0).x, (std::vector<double>{1, 1, 2, 2}));
  EXPECT_EQ(p.series[0].y, (std::vector<double>{11, 11, 21, 21}));
  EXPECT_EQ(p.series[0].shade, (std::vector<double>{1, 1, 1, 1}));
}

TEST(EnsembleFigure, OfOneListIsACurve) {
  EnsembleReport r = pairs({2.0, 1.0, 4.0}, {0.0});
  r.names = r.columns = {"a"};
  r.grid = {3};
  const plot::Panel p = figure_of(model(), r).panels.at(0);
  EXPECT_FALSE(p.bar);
  EXPECT_EQ(p.series.at(0).x, (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(p.series[0].y, (std::vector<double>{10, 20, 40}));
  EXPECT_EQ(p.series[0].style, plot::Series::Style::line_and_points);
  r.grid.clear();  // a table of starts, or random ones
  EXPECT_EQ(figure_of(model(), r).panels.at(0).series.at(0).style, plot::Series::Style::points);
}

TEST(EnsembleFigure, WithoutOutputsShowsPositionsAndTheEnergy) {
  EnsembleReport r = pairs({1.0, 2.0}, {0.0});
  r.names = r.columns = {"start.x"};
  r.grid = {2};
  r.output_names.clear();
  for (EnsembleMember& m : r.members) {
    m.q = {3.0 * m.values[0]};
    m.energy_error = 1e-6;
  }
  plot::Figure f = figure_of(model(), r);
  ASSERT_EQ(f.panels.size(), 2U);
  EXPECT_EQ(f.panels[0].y.label, "x");
  EXPECT_EQ(f.panels[0].series[0].y, (std::vector<double>{3, 6}));
  EXPECT_EQ(f.panels[1].y.label, "largest |E - E0|");
  EXPECT_TRUE(f.panels[1].y.logarithmic);
  r.energy_changes = "Forces do work on this system";
  f = figure_of(model(), r);
  EXPECT_EQ(f.panels[1].y.label, "largest change |E - E0|");
  EXPECT_FALSE(f.panels[1].y.logarithmic);
  EXPECT_NE(f.caption.find("Forces do work on this system."), std::string::npos);
}

// The steps of a histogram: at each edge the line goes from one count to the next, and the counts are all members.
TEST(EnsembleFigure, OfRandomStartsOfOneEnergyIsADistribution) {
  std::vector<double> a;
  for (int i = 0; i < 100; ++i) a.push_back(i < 60 ? 0.1 * i / 60.0 : 1.0);
  EnsembleReport r = pairs(a, {0.0});
  r.grid.clear();
  r.origin = "--energy";
  const plot::Series s = figure_of(model(), r).panels.at(0).series.at(0);
  ASSERT_EQ(s.x.size(), 22U);  // ten bins, from 0 and back to 0
  double count = 0.0;
  for (std::size_t i = 1; i + 1 < s.x.size(); i += 2) {
    EXPECT_EQ(s.y[i], s.y[i + 1]);
    count += s.y[i];
  }
  EXPECT_EQ(count, 100.0);
  EXPECT_EQ(s.y[1], 60.0);  // f from 0 to 1
  EXPECT_EQ(s.y[19], 40.0);
  EXPECT_EQ(s.x.front(), 0.0);
  EXPECT_NEAR(s.x.back(), 10.0, 1e-12);
}

TEST(EnsembleFigure, OverTimeHasACurveForEachMember) {
  EnsembleReport r = pairs({5.0, 7.0, 6.0}, {0.0});
  MemberCurves curves({"x", "t"}, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    Trajectory run;
    run.model = std::make_shared<const Model>(model());
    run.records.rows = 3;
    run.records.t = {0, 1, 2};
    run.records.q = {1.0 * static_cast<double>(i), 2, 3};
    run.records.v = {0, 0, 0};
    run.records.energy = {0, 0, 0};
    curves.add(i, run);
  }
  const plot::Figure f = figure_of(model(), r, &curves);
  ASSERT_EQ(f.panels.size(), 2U);
  const plot::Panel& p = f.panels[0];
  ASSERT_EQ(p.series.size(), 3U);
  EXPECT_EQ(p.series[1].y, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(p.series[1].shade, (std::vector<double>{7}));
  EXPECT_EQ(p.bar->low, 5.0);
  EXPECT_EQ(p.bar->high, 7.0);
}

TEST(EnsembleFigure, TakesTwoHundredMembersOverTimeAtMost) {
  MemberCurves curves({"t"}, 1001);
  Trajectory run;
  run.model = std::make_shared<const Model>(model());
  for (std::size_t i = 0; i < 1001; ++i) curves.add(i, run);
  EXPECT_GT(curves.curves().size(), 150U);
  EXPECT_LE(curves.curves().size(), 200U);
}

}  // namespace
}  // namespace rattleback::report
