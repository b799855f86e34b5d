// [units]: names for the axes of figures and for readers of files.
#include <gtest/gtest.h>

#include "model/units.hpp"
#include "output/columns.hpp"
#include "output/figures.hpp"
#include "output/json.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback::testing {
namespace {

constexpr const char* kText = R"toml(coordinates = ["s", "theta", "u[1:2]"]
[lagrangian]
kinetic = "(s'^2 + theta'^2 + u[1]'^2 + u[2]'^2)/2"
[constraints.holonomic]
gear = "s - 2*theta"
[outputs]
push = "2*s"
[units]
t = "s"
s = "m"
theta = "rad"
"theta'" = "rpm"
u = "V"
push = "N"
energy = "J"
"lambda.gear" = "kN"
[initial]
"s'" = 2
"theta'" = 1
)toml";

std::string refusal(const std::string& units) {
  std::string text = kText;
  text.replace(text.find("push = \"N\""), 10, units);
  try {
    (void)parse_model(text, "model.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Units, OfColumnsAreThoseOfTheFileOrFollow) {
  const Model model = parse_model(kText, "model.toml");
  const auto unit = [&](const char* column) { return unit_of(model, column); };
  EXPECT_EQ(unit("s"), "m");
  EXPECT_EQ(unit("s'"), "m/s");      // over that of t
  EXPECT_EQ(unit("theta'"), "rpm");  // its own
  EXPECT_EQ(unit("u[2]"), "V");      // of the family
  EXPECT_EQ(unit("u[2]'"), "V/s");
  EXPECT_EQ(unit("push"), "N");
  EXPECT_EQ(unit("energy"), "J");
  EXPECT_EQ(unit("lambda.gear"), "kN");
  EXPECT_EQ(unit("residual.position"), "");
  EXPECT_EQ(with_unit(model, "push"), "push (N)");
  EXPECT_EQ(with_unit(model, "balance"), "balance");
}

TEST(Units, StandInFilesJsonAndFigures) {
  const Model model = parse_model(kText, "model.toml");
  const Options options{
      .method = "prk-lobatto", .step = 0.1, .steps = 20, .plot_columns = "s; theta; s, theta; s:push"};
  const Trajectory run = simulate(model, options);
  for (const report::Block& block : report::record_blocks(model, run))
    if (block.dataset == "v") EXPECT_EQ(block.units, (std::vector<std::string>{"m/s", "rpm", "V/s", "V/s"}));
  const auto json = report::run_json(model, run, &options);
  EXPECT_EQ(json["units"]["theta"], "rad");
  EXPECT_EQ(json["units"]["u[1]'"], "V/s");
  EXPECT_FALSE(json["units"].contains("residual.position"));
  const plot::Figure figure = report::figure_of(model, run, options);
  ASSERT_EQ(figure.panels.size(), 4U);
  EXPECT_EQ(figure.panels[0].x.label, "t (s)");
  EXPECT_EQ(figure.panels[0].y.label, "s (m)");
  EXPECT_EQ(figure.panels[1].y.label, "theta (rad)");
  EXPECT_EQ(figure.panels[2].y.label, "");  // two units
  EXPECT_EQ(figure.panels[3].x.label, "s (m)");
  EXPECT_EQ(figure.panels[3].y.label, "push (N)");
}

TEST(Units, OfWhatIsNoColumnAreRefused) {
  EXPECT_EQ(refusal("pusch = \"N\"").substr(0, 85),
            "model.toml:14:1: [units] names `pusch`, which is no column. Did you mean `push`? Colu");
  EXPECT_NE(refusal("push = 3").find("expected a string"), std::string::npos);
}

TEST(Units, AModelWithoutThemHasNone) {
  const Model model = load_model("skate");
  EXPECT_EQ(unit_of(model, "x"), "");
  EXPECT_FALSE(report::run_json(model, simulate(model, {.step = 0.1, .steps = 1}), nullptr).contains("units"));
}

}  // namespace
}  // namespace rattleback::testing
