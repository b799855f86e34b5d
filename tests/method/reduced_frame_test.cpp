// Steps in reduced coordinates depend on the span of the constraints, not on how they are written: their order, factors, or
// other combinations of them. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/properties.hpp"

namespace rattleback::testing {
namespace {

const char* const kReduced[] = {"gonzalez-r", "gonzalez-r-fd", "dg-gonzalez", "dg-avf", "dg-itoh-abe"};

Model rolling(const std::vector<std::string>& constraints) {
  std::string text = R"toml(
coordinates = ["theta", "x", "phi", "y"]
[lagrangian]
kinetic = "(dt(x + 0.4*cos(theta))^2 + dt(y + 0.4*sin(theta))^2)/2 + theta'^2/2 + 3*phi'^2/2"
potential = "sin(phi) + 0.2*x^2"
[constraints.nonholonomic]
)toml";
  for (std::size_t i = 0; i < constraints.size(); ++i)
    text += "c" + std::to_string(i + 1) + " = \"" + constraints[i] + "\"\n";
  text += R"toml([initial]
"theta'" = 1.5
"phi'" = 0.7
"x'" = "phi'"
)toml";
  return parse_model(text, "rolling.toml");
}

// The same two constraints, written in other ways.
std::vector<std::vector<std::string>> ways() {
  const std::string a = "(x' - cos(theta)*phi')", b = "(y' - sin(theta)*phi')";
  return {{a, b}, {b, a}, {"-2*" + a, "1000*" + b}, {"(2 + sin(y))*" + b, a + " + 2*" + b}};
}

std::vector<double> end_of(const Model& model, const Maker& maker, double h, int steps) {
  Motion motion(model, maker);
  motion.advance(h, steps);
  const Motion::State s = motion.state();
  std::vector<double> out = s.q;
  out.insert(out.end(), s.v.begin(), s.v.end());
  return out;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::fmax(largest, std::fabs(a[i] - b[i]));
  return largest;
}

// Before, they differed by 1e-6 to 4e-3.
TEST(ReducedFrame, DoesNotDependOnHowTheConstraintsAreWritten) {
  std::vector<std::pair<std::string, int>> methods = {{"avf-collocation", 2}};
  for (const char* const name : kReduced) methods.emplace_back(name, 0);
  const std::vector<std::vector<std::string>> list = ways();
  for (const auto& [name, stages] : methods) {
    SCOPED_TRACE(name);
    const Maker maker = method(name, stages);
    const std::vector<double> first = end_of(rolling(list[0]), maker, 0.1, 40);
    for (std::size_t i = 1; i < list.size(); ++i)
      EXPECT_LT(difference(end_of(rolling(list[i]), maker, 0.1, 40), first), 1e-12) << i;
  }
}

// Holonomic constraints, at velocity level, whose span turns through all coordinates: what was chosen changes on the way.
TEST(ReducedFrame, DoesNotDependOnItWhereTheChoiceOfCoordinatesChanges) {
  const auto rods = [](const char* first, const char* second) {
    return parse_model(std::string(R"toml(
coordinates = ["x1", "y1", "x2", "y2"]
[lagrangian]
kinetic = "(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2"
potential = "9.81*(y1 + y2)"
[constraints.holonomic]
)toml") + "a = \"" + first +
                           "\"\nb = \"" + second + R"toml("
[initial]
x1 = 1
x2 = 2
"y1'" = 1.5
"y2'" = -0.5
)toml",
                       "rods.toml");
  };
  const char *a = "(x1^2 + y1^2 - 1)/2", *b = "((x2 - x1)^2 + (y2 - y1)^2 - 1)/2";
  const std::string both = std::string(a) + " - 2*" + b;
  for (const char* const name : {"gonzalez-r", "dg-avf"}) {
    const Maker maker = method(name, 0, 0, "index2");
    const std::vector<double> first = end_of(rods(a, b), maker, 0.02, 100);
    EXPECT_LT(difference(end_of(rods(b, a), maker, 0.02, 100), first), 1e-11) << name;
    EXPECT_LT(difference(end_of(rods(b, both.c_str()), maker, 0.02, 100), first), 1e-11) << name;
  }
}

// At w = 0 an element of the factorisation is 0 but for rounding, which must not decide the sign of a reflection. Before, the
// ways differed by 3e-5 after one step and by 7e-2 at t = 5.
TEST(ReducedFrame, DoesNotDependOnItWhereAnElementIsZeroAtTheStart) {
  const auto model = [](const std::string& a, const std::string& b) {
    return parse_model(R"toml(
coordinates = ["x", "y", "z", "w", "u"]
[lagrangian]
kinetic = "(x'^2 + 2*y'^2 + 0.5*z'^2 + (1+0.3*x^2)*w'^2 + u'^2)/2"
potential = "x^2/2 + y^4/4 + z^2*w + cos(w) + u^2"
[constraints.nonholonomic]
)toml" + ("a = \"" + a) + "\"\nb = \"" +
                           b + R"toml("
[initial]
x = 0.3
y = 0.5
z = 0.4
"y'" = 0.6
"u'" = 0.5
"z'" = 0.2
"x'" = "z*y'"
"w'" = "x*u' - 0.2*y*z'"
)toml",
                       "zero.toml");
  };
  const std::string A = "(x' - z*y' + 0.3*sin(w)*u')", B = "(w' - x*u' + 0.2*y*z')";
  for (const char* const name : kReduced) {
    const Maker maker = method(name);
    const std::vector<double> first = end_of(model(A + " + " + B, A + " - " + B), maker, 0.1, 15);
    for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{
             {"-2*(" + A + " + " + B + ")", A + " - " + B},
             {A, B},
             {"3*" + A + " + 0.7*" + B, B},
             {"1.1*" + A + " + 0.3*" + B, "-0.7*(0.7*" + A + " + " + B + ")"}})
      EXPECT_LT(difference(end_of(model(a, b), maker, 0.1, 15), first), 1e-12) << name << ": " << a << ", " << b;
  }
}

TEST(ReducedFrame, KeepsEnergyAndConstraintsToRounding) {
  const Model model = rolling(ways()[3]);
  for (const char* const name : kReduced) {
    EXPECT_LT(energy_error(method(name), model, 0.1, 200).max, 1e-14) << name;
    EXPECT_LT(max_constraint(method(name), model, 0.1, 200), 1e-14) << name;
  }
}

TEST(ReducedFrame, LeavesTheOrderAndTheSymmetry) {
  const Model model = rolling(ways()[0]);
  const Motion::State reference = reference_end(model, 2.0);
  for (const char* const name : {"gonzalez-r", "gonzalez-r-fd", "dg-avf"}) {
    const Orders found = measured_order(method(name), model, 2.0, {40, 56, 80}, reference);
    EXPECT_NEAR(found.q, 2.0, 0.05) << name;
    EXPECT_NEAR(found.v, 2.0, 0.05) << name;
    EXPECT_LT(round_trip_defect(method(name), model, 0.05, 10), 1e-13) << name;
  }
}

// With one constraint it is that of A^T, and nothing changed: the bits of the version before.
TEST(ReducedFrame, OfOneConstraintHasTheBitsThatItHad) {
  const struct {
    const char *system, *method;
    double q, v;  // the first position and the second velocity after 40 steps
  } table[] = {
      {"gearbox", "gonzalez-r", 0.31914148327130426, -0.4520019920200037},
      {"chaplygin-sleigh", "gonzalez-r", 1.1008963117637953, -0.03941821867697579},
      {"contact-oscillator", "gonzalez-r", -0.11844095486150513, 0.7546227577754767},
  };
  for (const auto& row : table) {
    Motion motion(shipped(row.system), method(row.method));
    motion.advance(0.1, 40);
    EXPECT_EQ(motion.stepper->q()[0], row.q) << row.system;
    EXPECT_EQ(motion.stepper->v()[1], row.v) << row.system;
  }
}

}  // namespace
}  // namespace rattleback::testing
