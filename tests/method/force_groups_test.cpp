// Groups of forces with coefficients of their own in SPARK Lobatto methods. [Hilden2009, 2.5; Jay2009, 6]
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <Eigen/Dense>

#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "tableau/tableau.hpp"

namespace rattleback::testing {
namespace {

constexpr const char* kNames[] = {"iiia", "iiib", "iiic", "iiicstar", "iiid"};

Model falling(const std::string& coefficients) {
  return parse_model(
      "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"x\"\n[forces" +
          (coefficients.empty() ? std::string("]\n") : ".drag]\ncoefficients = \"" + coefficients + "\"\n") +
          "x = \"-1e4*x'\"\n",
      "falling.toml");
}

Options steps(double step, std::int64_t count, int stages = 3, const std::string& method = "spark-lobatto-ab") {
  return {.method = method, .stages = stages, .step = step, .steps = count, .native = "off"};
}

// A stiff drag: with IIIB its limit is far off, with IIIC it is there after one step.
TEST(ForceGroups, StiffDragWithLobattoIIICIsRightAtOnce) {
  EXPECT_NEAR(simulate(falling(""), steps(0.05, 20)).v[0], -3.8e-5, 1e-6);
  EXPECT_NEAR(simulate(falling("iiib"), steps(0.05, 20)).v[0], simulate(falling(""), steps(0.05, 20)).v[0], 1e-13);
  EXPECT_NEAR(simulate(falling("iiic"), steps(0.05, 1)).v[0], -1.00002e-4, 1e-9);
  EXPECT_NEAR(simulate(falling("iiic"), steps(0.05, 2)).v[0], -1.0e-4, 1e-10);
  // Other methods add the groups up.
  EXPECT_EQ(simulate(falling("iiic"), steps(0.05, 3, 3, "spark-gauss")).v[0],
            simulate(falling(""), steps(0.05, 3, 3, "spark-gauss")).v[0]);
}

// One step of a linear system by its own equations: x'' = -x - c x', V = v0 + h (Ah (-Q) + G (-c V)), Q = q0 + h A V.
TEST(ForceGroups, OneStepOfALinearSystemIsThatOfTheCoefficients) {
  for (int s = 2; s <= 5; ++s)
    for (int which = 0; which < 5; ++which) {
      const double c = 3.0, h = 0.1, q0 = 0.7, v0 = -0.4;
      const Model m = parse_model(
          fmt::format("coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2\"\n"
                      "[forces.drag]\ncoefficients = \"{}\"\nx = \"-3*x'\"\n[initial]\nx = 0.7\n\"x'\" = -0.4\n",
                      kNames[which]),
          "m.toml");
      const Tableau own[] = {lobatto_iiia(s), lobatto_iiib(s), lobatto_iiic(s), lobatto_iiic_star(s), lobatto_iiid(s)};
      Eigen::MatrixXd A(s, s), B(s, s), G(s, s);
      Eigen::VectorXd b(s);
      for (int i = 0; i < s; ++i) {
        b(i) = own[0].b[static_cast<std::size_t>(i)];
        for (int j = 0; j < s; ++j) {
          A(i, j) = own[0].a(i, j);
          B(i, j) = own[1].a(i, j);
          G(i, j) = own[which].a(i, j);
        }
      }
      const Eigen::VectorXd one = Eigen::VectorXd::Ones(s);
      const Eigen::MatrixXd system = Eigen::MatrixXd::Identity(s, s) + h * h * B * A + h * c * G;
      const Eigen::VectorXd V = system.fullPivLu().solve(Eigen::VectorXd(v0 * one - h * q0 * (B * one))),
                            Q = q0 * one + h * A * V;
      const Trajectory run = simulate(m, steps(h, 1, s));
      EXPECT_NEAR(run.q[0], q0 + h * b.dot(V), 1e-14) << s << kNames[which];
      EXPECT_NEAR(run.v[0], v0 - h * b.dot(Q + c * V), 1e-14) << s << kNames[which];
    }
}

// Nonlinear, with constraints of both sorts, two groups: the order is 2s-2 for all coefficients, and steps are symmetric unless
// one of them is IIIC or IIIC*.
std::string machine(const std::string& first, const std::string& second) {
  return fmt::format(R"toml(coordinates = ["x", "y", "z", "th"]
[lagrangian]
kinetic = "((2 + cos(x))*x'^2 + y'^2 + z'^2 + 0.5*th'^2)/2"
potential = "x*y + z^2 + cos(th)"
[constraints.holonomic]
surface = "z - x^2/2 - y*th/3"
[constraints.nonholonomic]
blade = "cos(th)*y' - sin(th)*x'"
[forces]
z = "-0.1*z'"
[forces.drag]
coefficients = "{}"
x = "-0.4*x' + 0.1*y^2"
th = "-0.3*th'^3"
[forces.push]
coefficients = "{}"
y = "sin(t) - 0.2*y'"
[initial]
x = 0.5
y = 0.2
th = 0.4
z = "x^2/2 + y*th/3"
"x'" = "0.6*cos(th)"
"y'" = "0.6*sin(th)"
"th'" = 0.5
"z'" = "x*x' + (y'*th + y*th')/3"
)toml",
                     first, second);
}

TEST(ForceGroups, OrdersAreThoseOfTheMethod) {
  for (const char* method : {"spark-lobatto-ab", "spark-lobatto-abd"})
    for (int s = 2; s <= 3; ++s)
      for (int which = 0; which < 5; ++which) {
        const Model m = parse_model(machine(kNames[which], kNames[(which + 2) % 5]), "machine.toml");
        Options fine = steps(0.002, 200, 5, method);
        const Trajectory exact = simulate(m, fine);
        double error[2];
        for (int k = 0; k < 2; ++k) {
          const std::int64_t count = s == 2 ? 40 << k : 10 << k;
          const Trajectory run = simulate(m, steps(0.4 / static_cast<double>(count), count, s, method));
          ASSERT_EQ(run.status, Status::done);
          error[k] = 0.0;
          for (std::size_t i = 0; i < 4; ++i)
            error[k] = std::max({error[k], std::fabs(run.q[i] - exact.q[i]), std::fabs(run.v[i] - exact.v[i])});
        }
        EXPECT_NEAR(std::log2(error[0] / error[1]), 2 * s - 2, 0.35) << method << ' ' << s << ' ' << kNames[which];
      }
}

TEST(ForceGroups, StepsAreSymmetricUnlessAGroupIsNot) {
  for (int which = 0; which < 5; ++which) {
    const Model m = parse_model(machine(kNames[which], "iiid"), "machine.toml");
    const Trajectory there = simulate(m, steps(0.05, 8));
    Options back = steps(-0.05, 8);
    back.from = there.t;
    back.q0 = there.q;
    back.v0 = there.v;
    const Trajectory here = simulate(m, back);
    double defect = 0.0;
    for (std::size_t i = 0; i < 4; ++i) defect = std::max(defect, std::fabs(here.q[i] - m.q0[i]));
    const bool symmetric = which != 2 && which != 3;
    EXPECT_EQ(defect < 1e-12, symmetric) << kNames[which] << ' ' << defect;
    const bool told =
        std::ranges::any_of(there.notes, [](const std::string& n) { return n.find("not symmetric") != n.npos; });
    EXPECT_EQ(told, !symmetric);
    Options composed = steps(0.05, 2, 2);
    composed.compose = 4;
    if (symmetric)
      EXPECT_EQ(simulate(m, composed).status, Status::done);
    else
      EXPECT_THROW((void)simulate(m, composed), Error);
  }
}

TEST(ForceGroups, FaultsAreNamed) {
  const auto refusal = [](const std::string& group) {
    try {
      (void)parse_model(
          "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"0\"\n[forces.drag]\n" + group,
          "m.toml");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("x = \"1\"\n"),
            "m.toml:5:9: [forces.drag] has no `coefficients`. They are one of: iiia, iiib, iiic, iiicstar, iiid");
  EXPECT_EQ(
      refusal("coefficients = \"iiicc\"\nx = \"1\"\n"),
      "m.toml:6:16: `coefficients` of [forces.drag] is \"iiicc\". Did you mean `iiic`? It can be: iiia, iiib, iiic, "
      "iiicstar, iiid");
  EXPECT_NE(refusal("coefficients = \"iiic\"\ny = \"1\"\n").find("unknown coordinate `y` in [forces.drag]"),
            std::string::npos);
  EXPECT_NE(refusal("coefficients = \"iiic\"\nx = \"1/x\"\n").find("is inf at the initial state in group `drag`"),
            std::string::npos);
}

}  // namespace
}  // namespace rattleback::testing
