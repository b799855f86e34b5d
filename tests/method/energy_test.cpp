// Energy-preserving methods: what they claim, and that other methods do not have it. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "support/properties.hpp"

namespace rattleback::testing {
namespace {

// The sleigh on an incline: its mass matrix depends on the heading.
Model sleigh() {
  return shipped("chaplygin-sleigh", {{"g", "0.7"}}, {{"theta'", "0.8"}, {"x'", "0.4"}, {"theta", "0"}});
}

struct Named {
  const char* name;
  int stages;
  double order;
};

// --- order

TEST(EnergyMethods, HaveTheirOrdersOnSkewGradientSystems) {
  const Named cases[] = {{"dg-gonzalez", 0, 2},     {"dg-avf", 0, 2},          {"dg-itoh-abe", 0, 1},
                         {"avf-collocation", 1, 2}, {"avf-collocation", 2, 4}, {"avf-collocation", 3, 6}};
  for (const char* system : {"quartic-reduced", "gearbox-reduced", "suslov"}) {
    const Model model = shipped(system);
    const Motion::State reference = reference_end(model, 2.0);
    for (const Named& c : cases) {
      SCOPED_TRACE(std::string(system) + " " + c.name + " " + std::to_string(c.stages));
      const std::vector<int> counts = c.order < 5 ? std::vector<int>{20, 28, 40} : std::vector<int>{12, 16, 24};
      const Orders o = measured_order(method(c.name, c.stages), model, 2.0, counts, reference);
      // Where H has no terms that couple two states, itoh-abe is symmetric and has order 2.
      EXPECT_NEAR(o.q, c.order == 1 && model.key == "suslov" ? 2.0 : c.order, 0.3);
      EXPECT_EQ(claims_on(model, c.name, c.stages).order, c.order);
    }
  }
}

TEST(EnergyMethods, HaveTheirOrdersOnMechanicalSystems) {
  const Named cases[] = {{"gonzalez-r", 0, 2},      {"gonzalez-r-fd", 0, 2},  {"gonzalez-f", 0, 2},
                         {"dg-gonzalez", 0, 2},     {"dg-avf", 0, 2},         {"dg-itoh-abe", 0, 1},
                         {"avf-collocation", 2, 4}, {"avf-collocation", 3, 6}};
  for (const Model& model :
       {shipped("gearbox"), shipped("quartic-particles"), sleigh(), offset_robot(), magnetic_particle()}) {
    const Motion::State reference = reference_end(model, 1.0);
    for (const Named& c : cases) {
      SCOPED_TRACE(model.name + " " + c.name + " " + std::to_string(c.stages));
      const std::vector<int> counts = c.order < 3              ? std::vector<int>{40, 56, 80}
                                      : c.order < 5            ? std::vector<int>{14, 20, 28}
                                      : model.key == "gearbox" ? std::vector<int>{14, 20, 28}
                                                               : std::vector<int>{6, 8, 11};
      const Orders o = measured_order(method(c.name, c.stages), model, 1.0, counts, reference);
      // Where H has no terms that couple two coordinates, itoh-abe is symmetric and has order 2.
      const double more = c.order == 1 && model.name != "Quartic particles" ? 1.0 : 0.0;
      EXPECT_NEAR(o.q, c.order + more, 0.3);
      EXPECT_NEAR(o.v, c.order + more, 0.3);
    }
  }
}

// --- structure

double relative_energy(const std::string& name, int stages, const Model& model, double h, int steps) {
  Motion motion(model, method(name, stages));
  const double start = motion.observe().energy;
  double worst = 0.0, size = std::fabs(start);
  for (int i = 0; i < steps; ++i) {
    motion.advance(h, 1);
    const System::Observation o = motion.observe();
    worst = std::fmax(worst, std::fabs(o.energy - start));
    size = std::fmax(size, o.kinetic);
  }
  return worst / size;
}

TEST(EnergyMethods, KeepTheEnergyToRoundingAtAnyStep) {
  const Named cases[] = {{"dg-gonzalez", 0, 0},     {"dg-avf", 0, 0},          {"dg-itoh-abe", 0, 0},
                         {"avf-collocation", 2, 0}, {"avf-collocation", 3, 0}, {"gonzalez-r", 0, 0},
                         {"gonzalez-r-fd", 0, 0},   {"gonzalez-f", 0, 0}};
  for (const Model& model : {shipped("quartic-reduced"), shipped("gearbox-reduced"), shipped("quartic-particles"),
                             shipped("gearbox"), sleigh(), offset_robot(), magnetic_particle()})
    for (const Named& c : cases) {
      if (model.kind == Kind::skew_gradient && !find_method(c.name).kinds.has(Kind::skew_gradient)) continue;
      SCOPED_TRACE(model.name + " " + c.name + " " + std::to_string(c.stages));
      EXPECT_EQ(find_method(c.name).energy, Claim::yes);
      for (const double h : {0.02, 0.2}) EXPECT_LT(relative_energy(c.name, c.stages, model, h, 200), 1e-14);
    }
}

TEST(EnergyMethods, KeepWhatOthersDoNot) {
  for (const Model& model : {shipped("quartic-particles"), shipped("gearbox"), sleigh(), offset_robot()}) {
    SCOPED_TRACE(model.name);
    for (const char* name : {"mclachlan-perlmutter", "spark-lobatto-ab", "spark-gauss"})
      EXPECT_GT(relative_energy(name, 0, model, 0.2, 200), 1e-10) << name;
  }
  for (const char* name : {"quartic-reduced", "gearbox-reduced"})
    EXPECT_GT(relative_energy("srk-gauss", 2, shipped(name), 0.2, 200), 1e-10) << name;
}

TEST(EnergyMethods, KeepTheConstraintWhereTheyClaimIt) {
  for (const Model& model : {shipped("quartic-particles"), shipped("gearbox"), sleigh(), offset_robot()}) {
    SCOPED_TRACE(model.name);
    for (const Named& c : {Named{"gonzalez-r", 0, 0}, Named{"gonzalez-r-fd", 0, 0}, Named{"dg-avf", 0, 0},
                           Named{"dg-itoh-abe", 0, 0}, Named{"avf-collocation", 3, 0}})
      EXPECT_LT(max_constraint(method(c.name, c.stages), model, 0.1, 200), 4e-15) << c.name;  // 1.1e-15
    EXPECT_GT(max_constraint(method("gonzalez-f"), model, 0.1, 200), 1e-6);                   // 2e-5 to 2e-2
  }
}

TEST(EnergyMethods, AreReversibleWhereTheyClaimIt) {
  for (const Model& model : {shipped("quartic-reduced"), shipped("gearbox"), sleigh(), offset_robot()})
    for (const Named& c : {Named{"dg-gonzalez", 0, 0}, Named{"dg-avf", 0, 0}, Named{"avf-collocation", 2, 0},
                           Named{"avf-collocation", 3, 0}, Named{"gonzalez-r", 0, 0}, Named{"gonzalez-r-fd", 0, 0},
                           Named{"gonzalez-f", 0, 0}, Named{"dg-itoh-abe", 0, 0}}) {
      if (model.kind == Kind::skew_gradient && !find_method(c.name).kinds.has(Kind::skew_gradient)) continue;
      SCOPED_TRACE(model.name + " " + c.name + " " + std::to_string(c.stages));
      const double defect = round_trip_defect(method(c.name, c.stages), model, 0.1, 20);
      if (find_method(c.name).symmetric == Claim::yes)
        EXPECT_LT(defect, 2e-12);
      else if (model.name == "Quartic particles, reduced")  // elsewhere H couples no coordinates, and it is
        EXPECT_GT(defect, 1e-5);
    }
}

TEST(EnergyMethods, ComposeToHigherOrderWithTheEnergyKept) {
  const Model model = shipped("gearbox");
  const Motion::State reference = reference_end(model, 1.0);
  const Orders o = measured_order(method("gonzalez-r", 0, 4), model, 1.0, {20, 28, 40}, reference);
  EXPECT_NEAR(o.q, 4.0, 0.2);
  EXPECT_THROW((void)Motion(model, method("dg-itoh-abe", 0, 4)), Error);
}

// Quadratic C with Pi grad C = 0: grad C at the midpoint (at the stages) times the step is the change of C. A rigid body with
// a quartic term in its energy.
TEST(EnergyMethods, KeepQuadraticCasimirFunctions) {
  const Model model = parse_model(R"toml(
kind = "skew-gradient"
states = ["x", "y", "z"]
hamiltonian = "x^2/2 + y^2/4 + z^2/6 + x^2*y^2/5 + 0.3*sin(x*z)"
[pi]
"x,y" = "-z"
"x,z" = "y"
"y,z" = "-x"
[initial]
x = 0.8
y = 0.5
z = -0.4
)toml",
                                  "body.toml");
  const auto change = [&](const char* name, int stages) {
    Motion motion(model, method(name, stages));
    const auto square = [&] {
      double sum = 0.0;
      for (const double e : motion.stepper->q()) sum += e * e;
      return sum;
    };
    const double start = square();
    motion.advance(0.3, 100);
    return std::fabs(square() - start);
  };
  for (const Named& c : {Named{"dg-gonzalez", 0, 0}, Named{"dg-avf", 0, 0}, Named{"dg-itoh-abe", 0, 0},
                         Named{"avf-collocation", 2, 0}, Named{"avf-collocation", 3, 0}})
    EXPECT_LT(change(c.name, c.stages), 5e-15) << c.name << " " << c.stages;  // 4e-16
  EXPECT_GT(change("rk-radau-iia", 2), 1e-6);                                 // 1e-3
}

// Next to an equilibrium the step vanishes, and with it what the discrete gradient divides by.
TEST(EnergyMethods, ComeToRestAtAnEquilibrium) {
  for (const char* name : {"dg-gonzalez", "dg-avf", "dg-itoh-abe"}) {
    SCOPED_TRACE(name);
    Options options;
    options.method = name;
    options.step = 0.5;
    options.steps = 2000;
    const Trajectory run = simulate(shipped("suslov"), options);
    ASSERT_EQ(run.status, Status::done) << run.message;
    EXPECT_LT(run.energy->max_error, 1e-15);               // 4e-16
    const double rest = 0.3 * run.q[0] + 0.25 * run.q[1];  // Pi_12 vanishes there
    EXPECT_LT(std::fabs(rest), 1e-14);
  }
  Options still;
  still.method = "gonzalez-r";
  still.step = 0.1;
  still.steps = 10;
  const Model gearbox =
      shipped("gearbox", {}, {{"q1", "0"}, {"q2", "0"}, {"q2'", "0"}, {"q3'", "0"}, {"q3", "-0.3398369094541219"}});
  EXPECT_EQ(simulate(gearbox, still).status, Status::done);
}

// With forces, the energy changes by their work and by nothing else.
TEST(EnergyMethods, BalanceThePowerOfForcesToRounding) {
  const Model model = parse_model(R"toml(
name = "forced robot"
coordinates = ["x", "y", "theta", "psi"]
[lagrangian]
kinetic = "(dt(x + 0.4*cos(theta))^2 + dt(y + 0.4*sin(theta))^2)/2 + theta'^2/2 + 3*psi'^2/2"
potential = "sin(psi) + 0.2*x^2"
[constraints.nonholonomic]
roll_x = "x' - cos(theta)*psi'"
roll_y = "y' - sin(theta)*psi'"
[dissipation]
rayleigh = "0.1*theta'^2 + 0.05*x^2*psi'^2"
[ports.motor]
input = "0.5*sin(2*t)"
along = { psi = "1" }
[initial]
"x'" = 1
"psi'" = 1
"theta'" = 0.5
)toml",
                                  "forced_robot.toml");
  for (const auto& [name, stages] :
       {std::pair{"gonzalez-r", 0}, std::pair{"dg-avf", 0}, std::pair{"avf-collocation", 2},
        std::pair{"dg-itoh-abe", 0}, std::pair{"gonzalez-f", 0}}) {
    SCOPED_TRACE(name);
    Options options;
    options.method = name;
    options.stages = stages;
    options.step = 0.1;
    options.steps = 500;
    const Trajectory run = simulate(model, options);
    ASSERT_EQ(run.status, Status::done) << run.message;
    ASSERT_TRUE(run.power_balance);
    EXPECT_LT(run.power_balance->max_residual, 1e-14);
    EXPECT_GT(run.power_balance->dissipated, 0.1);
    EXPECT_NEAR(run.power_balance->stored, run.power_balance->supplied - run.power_balance->dissipated, 1e-12);
    EXPECT_NEAR(run.power_balance->stored, run.energy->final - run.energy->initial, 1e-12);
  }
  Options other;
  other.method = "collocation-gauss";
  other.stages = 2;
  other.step = 0.1;
  other.steps = 500;
  EXPECT_GT(simulate(model, other).power_balance->max_residual, 1e-9);
}

// --- C-3 and C-4.3 of the experiments

TEST(EnergyMethods, LeadTheSleighFromOneEquilibriumToTheOther) {
  Options options;
  options.method = "dg-gonzalez";
  options.step = 0.5;
  options.until = 150.0;
  for (const char* rho1 : {"0.001", "-0.001"}) {
    const Trajectory run = simulate(shipped("sleigh-reduced", {}, {{"rho1", rho1}}), options);
    EXPECT_NEAR(std::fabs(run.q[3]), 0.0652, 5e-5);
    EXPECT_NEAR(run.q[4], 0.5965, 5e-5);
    EXPECT_LT(run.energy->max_error, 1.4e-15);  // 1.1e-16
    options.until = 1000.0;
    EXPECT_NEAR(simulate(shipped("sleigh-reduced", {}, {{"rho1", rho1}}), options).q[4], 0.600000833, 5e-10);
    options.until = 150.0;
  }
}

TEST(EnergyMethods, SayHowTheAverageIsTaken) {
  Options options;
  options.method = "dg-avf";
  options.step = 0.1;
  options.steps = 10;
  EXPECT_EQ(simulate(shipped("suslov"), options).notes.front(),
            "the average of the gradient is exact with 1 quadrature point");
  const Trajectory run = simulate(shipped("quartic-reduced"), options);
  EXPECT_TRUE(run.notes.front().starts_with("the average of the gradient is taken with ")) << run.notes.front();
  options.adaptive = 1e-4;
  options.steps.reset();
  options.until = 1.0;
  EXPECT_EQ(
      simulate(shipped("quartic-reduced"), options).notes.front(),
      "the average of the gradient is taken with 10 quadrature points: the sizes of the steps are not known before "
      "the run");
}

}  // namespace
}  // namespace rattleback::testing
