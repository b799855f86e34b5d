// Ports without `input`: 0 until a number is given from outside, through the list of values that parameters come from.
#include <gtest/gtest.h>

#include "audit/energy_balance.hpp"
#include "model/inputs.hpp"
#include "rattleback/simulate.hpp"
#include "support.hpp"

namespace rattleback::test {
namespace {

const char* const kCart = R"toml(
coordinates = ["x", "w[1:3]"]
[parameters]
m = 2
[lagrangian]
kinetic = "m*x'^2/2 + sum(i = 1:3, w[i]'^2)/2"
[ports.motor]
along = { x = "1", "w[i=1:3]" = "i" }
[ports.wind]
input = "sin(t)"
along = { x = "1" }
[ports.brake]
along = { x = "m" }
)toml";

TEST(Inputs, OfPortsMayBeLeftOut) {
  const Model model = parse_model(kCart, "cart.toml");
  EXPECT_EQ(port_names(model), (std::vector<std::string>{"motor", "wind", "brake"}));
  EXPECT_EQ(given_values(model), (std::vector<double>{2.0, 0.0, 0.0}));
  EXPECT_EQ(place_of_input(model, "motor"), 1U);
  EXPECT_EQ(place_of_input(model, "wind"), std::nullopt);
  EXPECT_EQ(place_of_input(model, "brake"), 2U);
  const auto force = [&](const Graph& graph) { return dense(graph, model.forces, 4, 0.0, {0, 0, 0, 0}, {0, 0, 0, 0}); };
  EXPECT_EQ(force(*model.graph), (std::vector<double>{0.0, 0.0, 0.0, 0.0}));
  Graph graph = *model.graph;
  ASSERT_TRUE(graph.set_parameters(std::vector<double>{3.0, 0.5, -1.0}, model.parameter_errors));
  EXPECT_EQ(force(graph), (std::vector<double>{0.5 - 3.0, 0.5, 1.0, 1.5}));
  // Without values of its own, an input stays as it is.
  ASSERT_TRUE(graph.set_parameters(std::vector<double>{2.0}, model.parameter_errors));
  EXPECT_EQ(force(graph), (std::vector<double>{0.5 - 2.0, 0.5, 1.0, 1.5}));
}

// Families that stay loops.
TEST(Inputs, ActOnFamiliesAsTheyAre) {
  LoadOptions options;
  options.unroll_below = 0;
  const Model model = parse_model(kCart, "cart.toml", options);
  Graph graph = *model.graph;
  ASSERT_TRUE(graph.set_parameters(std::vector<double>{2.0, 0.5, 0.0}, model.parameter_errors));
  EXPECT_EQ(dense(graph, model.forces, 4, 0.0, {0, 0, 0, 0}, {0, 0, 0, 0}), (std::vector<double>{0.5, 0.5, 1.0, 1.5}));
}

TEST(Inputs, AreTheSameRunAsAFormulaOfZero) {
  const std::string with = std::string(kCart) + "[initial]\n\"x'\" = 1\n";
  std::string zero = with;
  for (std::size_t at = 0; (at = zero.find("]\nalong", at)) != std::string::npos; ++at)
    zero.replace(at, 2, "]\ninput = \"0*t\"\n");
  const Options options = {.method = "spark-gauss", .stages = 2, .step = 0.1, .steps = 20};
  const Trajectory a = simulate(parse_model(with, "cart.toml"), options),
                   b = simulate(parse_model(zero, "cart.toml"), options);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
}

TEST(Inputs, ThatNobodyGivesDoNoWork) {
  const std::string text =
      "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\n[ports.motor]\nalong = { x = \"1\" }\n";
  EXPECT_EQ(why_energy_changes(parse_model(text, "m.toml")), "");
  EXPECT_EQ(why_energy_changes(parse_model(text + "[forces]\nx = \"-x'\"\n", "m.toml")),
            "Forces do work on this system");
  EXPECT_EQ(why_energy_changes(parse_model(text + "[ports.wind]\ninput = \"1\"\nalong = { x = \"1\" }\n", "m.toml")),
            "Forces do work on this system");
}

TEST(Inputs, OfPortHamiltonianSystemsToo) {
  const std::string text = R"toml(
kind = "port-hamiltonian"
states = ["p", "q"]
hamiltonian = "(p^2 + q^2)/2"
[E]
"p,p" = 1
"q,q" = 1
[J]
"p,q" = -1
[z]
p = "p"
q = "q"
[B.push]
p = 1
[B.pull]
p = "q"
)toml";
  const Model model = parse_model(text + "[inputs]\npull = \"t\"\n", "m.toml");
  EXPECT_EQ(place_of_input(model, "push"), 0U);
  EXPECT_EQ(place_of_input(model, "pull"), std::nullopt);
  const std::vector<std::string> ports = {"pull"};
  const Model given = with_given_inputs(model, ports);
  EXPECT_EQ(place_of_input(given, "pull"), 1U);
  EXPECT_EQ(given_values(given), (std::vector<double>{0.0, 0.0}));
  EXPECT_EQ(why_energy_changes(given), "");
  EXPECT_EQ(why_energy_changes(model), "Inputs do work on this system");
}

TEST(Inputs, OfTheWholeAreNumberedBehindItsParameters) {
  const Model model = load_model("two-oscillators");
  for (const std::string& port : port_names(model))
    if (const auto place = place_of_input(model, port)) EXPECT_GE(*place, model.parameters.size());
}

}  // namespace
}  // namespace rattleback::test
