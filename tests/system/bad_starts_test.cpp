// Models that can be read but not run: every one in bad_starts.txt is refused in exactly these words, and what looks like
// one of them but is sound runs.
//
// The file is a list of cases:
//   === title
//   the model text
//   --- the expected message of a run
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback {
namespace {

struct Case {
  std::string title, text, expected;
};

std::vector<Case> read_cases() {
  std::ifstream in(std::string(RATTLEBACK_SOURCE_DIR) + "/tests/system/bad_starts.txt");
  std::vector<Case> cases;
  std::string line;
  while (std::getline(in, line)) {
    if (line.starts_with("=== "))
      cases.push_back({line.substr(4), {}, {}});
    else if (cases.empty())
      continue;  // the head comment
    else if (line.starts_with("--- "))
      cases.back().expected = line.substr(4);
    else
      cases.back().text += line + "\n";
  }
  return cases;
}

const Options kOneStep = {.method = "ode", .step = 0.1, .steps = 1};

std::string message_of(const std::string& text) {
  try {
    (void)simulate(parse_model(text, "m.toml"), kOneStep);
  } catch (const Error& error) {
    return error.what();
  }
  return "it ran";
}

TEST(BadStarts, AreRefusedWithExactlyThisMessage) {
  const bool print = std::getenv("RATTLEBACK_PRINT_MESSAGES") != nullptr;  // to write the expectations of new cases
  const auto cases = read_cases();
  EXPECT_GE(cases.size(), 20U);
  for (const Case& c : cases) {
    const std::string message = message_of(c.text);
    if (print) std::cout << "=== " << c.title << "\n--- " << message << "\n";
    EXPECT_EQ(message, c.expected) << c.title;
  }
}

// A negative mass whose motion a constraint ties to a larger positive one.
TEST(Starts, RunWhereInertiaIsPositiveOnTheMotionsThatAreAllowed) {
  const Model model = parse_model(
      "coordinates = [\"x\", \"y\"]\n[lagrangian]\nkinetic = \"(3*x'^2 - 2*y'^2)/2\"\npotential = \"x\"\n"
      "[constraints.holonomic]\nline = \"x - y\"\n",
      "tied.toml");
  const Trajectory run = simulate(model, kOneStep);
  EXPECT_NEAR(run.q[0], -0.005, 1e-12);  // falls like a mass of 1
  ASSERT_FALSE(run.notes.empty());
  EXPECT_EQ(run.notes[0], "L_vv has a negative direction, but is positive on the motions that the constraints allow");
}

// A Lagrangian as one formula may have any sign: Bateman's pair of a damped and an excited oscillator.
TEST(Starts, RunWithAnIndefiniteLagrangianThatIsOneFormula) {
  const Model model = parse_model(
      "coordinates = [\"x\", \"y\"]\n[lagrangian]\nL = \"x'*y' - x*y\"\n[initial]\nx = 1\ny = 1\n", "bateman.toml");
  const Trajectory run = simulate(model, kOneStep);
  EXPECT_NEAR(run.q[0], std::cos(0.1), 1e-6);
  ASSERT_FALSE(run.notes.empty());
  EXPECT_EQ(run.notes[0], "L_vv is negative in a motion that the constraints allow (of x, y)");
}

// No degree of freedom is left, and none is needed: a crank that is driven.
TEST(Starts, RunWithoutAnyDegreeOfFreedom) {
  const Model model = parse_model(
      "coordinates = [\"x\", \"y\"]\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints.holonomic]\n"
      "a = \"x - cos(t)\"\nb = \"y - sin(t)\"\n[initial]\nx = 1\n\"y'\" = 1\n",
      "crank.toml");
  const Trajectory run = simulate(model, kOneStep);
  EXPECT_NEAR(run.q[0], std::cos(0.1), 1e-6);
  EXPECT_NEAR(run.multipliers[0], std::cos(0.1), 1e-5);
}

}  // namespace
}  // namespace rattleback
