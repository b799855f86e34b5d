// Holonomic constraints: what each formulation keeps, and at which order, alone and beside nonholonomic constraints.
// Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <cmath>

#include "bind/bind.hpp"
#include "method/runge_kutta/rk_families.hpp"
#include "method/runge_kutta/runge_kutta.hpp"
#include "rattleback/error.hpp"
#include "support/properties.hpp"

namespace rattleback::testing {
namespace {

// Two rods; constant mass. Started away from rest, where the order is seen in all components.
Model two_rods() { return shipped("double-pendulum", {}, {{"y1'", "1.5"}, {"y2'", "-0.5"}}); }

// A sphere that breathes: g depends on t.
Model breathing_sphere() {
  return parse_model(R"toml(
coordinates = ["x", "y", "z"]
[lagrangian]
kinetic = "(x'^2 + 2*y'^2 + z'^2)/2"
potential = "z + x*y/2"
[constraints.holonomic]
sphere = "(x^2 + y^2 + z^2 - (1 + 0.2*sin(t))^2)/2"
[initial]
x = 1
"x'" = 0.2
"y'" = 0.8
"z'" = 0.5
)toml",
                     "sphere.toml");
}

// A blade on a hilly surface: one holonomic and one nonholonomic constraint.
Model blade_on_hills() {
  return parse_model(R"toml(
coordinates = ["x", "y", "z", "theta"]
[lagrangian]
kinetic = "(x'^2 + y'^2 + z'^2)/2 + (1 + 0.3*sin(x))*theta'^2/2"
potential = "z + 0.3*cos(theta)"
[constraints.holonomic]
ground = "z - 0.3*x^2 - 0.2*sin(y)"
[constraints.nonholonomic]
blade = "y'*cos(theta) - x'*sin(theta)"
[initial]
x = 0.2
y = 0.1
z = "0.3*x^2 + 0.2*sin(y)"
theta = 0.4
"x'" = "cos(theta)"
"y'" = "sin(theta)"
"z'" = "0.6*x*x' + 0.2*cos(y)*y'"
"theta'" = 0.7
)toml",
                     "hills.toml");
}

struct Case {
  std::string name, formulation;
  int stages, order;
};

// Steps to t = 1, so many that the leading term of the error is seen and rounding is not.
std::vector<int> counts(int order) {
  return order <= 2 ? std::vector{40, 57, 80} : order <= 4 ? std::vector{16, 23, 32} : std::vector{8, 11, 15};
}

void expect_orders(const Model& model, const std::vector<Case>& cases, int finer = 1) {
  const Motion::State reference = reference_end(model, 1.0);
  for (const Case& c : cases) {
    SCOPED_TRACE(model.key + " " + c.name + " " + c.formulation + " s=" + std::to_string(c.stages));
    std::vector<int> steps = counts(c.order);
    for (int& count : steps) count *= finer;
    const Orders found = measured_order(method(c.name, c.stages, 0, c.formulation), model, 1.0, steps, reference);
    EXPECT_NEAR(found.q, c.order, 0.35);
    EXPECT_NEAR(found.v, c.order, 0.35);
    EXPECT_NEAR(found.multipliers, c.order, 0.35);
  }
}

std::vector<Case> promised() {
  return {{"prk-lobatto", "index3", 2, 2},
          {"prk-lobatto", "index3", 3, 4},
          {"prk-lobatto", "index3", 4, 6},
          {"spark-lobatto-abd", "index3", 2, 2},
          {"spark-lobatto-abd", "index3", 3, 4},
          {"spark-lobatto-abd", "index3", 4, 6},
          {"prk-murua", "index2", 1, 2},
          {"prk-murua", "index2", 2, 4},
          {"prk-murua", "index2", 3, 6},
          {"prk-murua", "ggl", 1, 2},
          {"prk-murua", "ggl", 2, 4},
          {"prk-murua", "ggl", 3, 6}};
}

TEST(Holonomic, OrdersWithConstantMass) { expect_orders(two_rods(), promised(), 4); }
TEST(Holonomic, OrdersWithMassThatDependsOnPosition) { expect_orders(on_a_surface(), promised(), 2); }
TEST(Holonomic, OrdersWithAConstraintThatDependsOnTime) { expect_orders(breathing_sphere(), promised()); }
TEST(Holonomic, OrdersBesideANonholonomicConstraint) { expect_orders(blade_on_hills(), promised()); }

// The methods of the other families, when asked.
TEST(Holonomic, OrdersOfTheOtherFamiliesOnRequest) {
  expect_orders(on_a_surface(), {{"spark-gauss", "index2", 2, 4},
                                 {"spark-gauss", "ggl", 2, 4},
                                 {"srk-gauss", "ggl", 2, 4},
                                 {"srk-radau-ia", "ggl", 2, 3},
                                 {"rk-radau-iia", "ggl", 2, 3},
                                 {"rk-lobatto-iiic", "ggl", 3, 4},
                                 {"rk-lobatto-iiia", "ggl", 3, 4},
                                 {"spark-lobatto-ab", "index2", 3, 4},
                                 {"spark-lobatto-ab", "ggl", 3, 4}});
}

TEST(Holonomic, CompositionsRaiseTheOrder) {
  const Model model = on_a_surface();
  const Motion::State reference = reference_end(model, 1.0);
  const auto order = [&](const std::string& name, int stages, int compose, std::vector<int> steps) {
    return measured_order(method(name, stages, compose), model, 1.0, steps, reference);
  };
  for (const char* name : {"prk-lobatto", "prk-murua"}) {
    SCOPED_TRACE(name);
    const int stages = std::string(name) == "prk-murua" ? 1 : 2;
    EXPECT_NEAR(order(name, stages, 4, {12, 16, 22}).q, 4.0, 0.4);
    EXPECT_NEAR(order(name, stages, 6, {8, 11, 15}).q, 6.0, 0.6);
    EXPECT_NEAR(order(name, stages, 8, {8, 10, 13}).q, 8.0, 0.9);
  }
}

struct Residuals {
  double position = 0.0, velocity = 0.0;
};
Residuals largest_residuals(const Maker& maker, const Model& model, double h, int steps) {
  Motion motion(model, maker);
  Residuals out;
  for (int i = 0; i < steps; ++i) {
    motion.advance(h, 1);
    const System::Observation o = motion.observe();
    out.position = std::fmax(out.position, o.position);
    out.velocity = std::fmax(out.velocity, o.velocity);
  }
  return out;
}

TEST(Holonomic, BothLevelsAreKeptToRounding) {
  for (const Model& model : {two_rods(), on_a_surface(), breathing_sphere(), blade_on_hills()})
    for (const Case& c : promised()) {
      SCOPED_TRACE(model.key + " " + c.name + " " + c.formulation + " s=" + std::to_string(c.stages));
      const Residuals r = largest_residuals(method(c.name, c.stages, 0, c.formulation), model, 0.02, 500);
      EXPECT_LT(r.velocity, 3e-14);
      if (c.formulation != "index2") {
        EXPECT_LT(r.position, 3e-15);
      } else if (c.stages == 1) {
        EXPECT_GT(r.position, 1e-6);  // the velocity level alone lets the positions drift
      }
    }
}

TEST(Holonomic, SymmetricMethodsReturnToTheStart) {
  for (const Model& model : {two_rods(), on_a_surface(), blade_on_hills()})
    for (const Case& c : promised()) {
      SCOPED_TRACE(model.key + " " + c.name + " " + c.formulation + " s=" + std::to_string(c.stages));
      EXPECT_LT(round_trip_defect(method(c.name, c.stages, 0, c.formulation), model, 0.02, 100), 5e-12);
    }
  EXPECT_GT(round_trip_defect(method("rk-lobatto-iiic", 3, 0, "ggl"), two_rods(), 0.02, 100), 1e-9);
}

// The recursion gamma_0 psi_0 + sum gamma_j Psi_j has |gamma_0| = 1: an error at the start is never forgotten, whereas the
// multipliers of the acceleration level depend on the state alone. [Symank2025, def. 6.5, with the sum from 0]
TEST(Murua, RecursionRemembersAWrongMultiplier) {
  const auto end = [](double wrong) {
    const Model model = shipped("pendulum");
    const System system(model);
    Start start = consistent_start(system, false);
    start.multipliers[0] += wrong;
    Options options;
    options.method = "prk-murua";
    options.stages = 2;
    options.formulation = "index2";
    options.multiplier = "recursion";
    const BoundMethod bound = bind(system, options, start);
    bound.stepper->start(0.0, start.q, start.v, start.multipliers, start.acceleration);
    EXPECT_TRUE(bound.stepper->advance(0.01, 100).ok);
    return bound.stepper->own_multipliers()[0];
  };
  EXPECT_NEAR(std::fabs(end(0.5) - end(0.0)), 0.5, 1e-12);
}

TEST(Murua, RecursionGivesTheMultiplierNearly) {
  const Model model = shipped("pendulum");
  Options options;
  options.method = "prk-murua";
  options.stages = 3;
  options.step = 0.01;
  options.until = 1.0;
  const Trajectory consistent = simulate(model, options);
  options.multiplier = "recursion";
  const Trajectory recursion = simulate(model, options);
  const double difference = std::fabs(recursion.multipliers[0] - consistent.multipliers[0]);
  EXPECT_LT(difference, 1e-3);
  EXPECT_GT(difference, 1e-12);  // it is not the same number
}

// The internal multiplier Psi_s of prk-lobatto has order s-1 only; what is reported does not come from it.
TEST(Lobatto, InternalMultipliersHaveLowOrder) {
  const Model model = shipped("pendulum", {}, {{"y'", "1"}});
  const System system(model);
  const auto error = [&](double h) {
    const Start start = consistent_start(system, false);
    Options options;
    options.method = "prk-lobatto";
    options.stages = 3;
    const BoundMethod bound = bind(system, options, start);
    bound.stepper->start(0.0, start.q, start.v, start.multipliers, start.acceleration);
    EXPECT_TRUE(bound.stepper->advance(h, static_cast<std::int64_t>(std::lround(0.5 / h))).ok);
    const auto acceleration = system.acceleration();
    EXPECT_TRUE(acceleration->solve(0.5, bound.stepper->q(), bound.stepper->v()));
    return std::fabs(bound.stepper->multiplier_guess()[0] - acceleration->multipliers()[0]);
  };
  EXPECT_NEAR(std::log2(error(0.02) / error(0.01)), 2.0, 0.3);
}

// Steps that are far too large must end with the constraints kept or with a failure, never with a runaway that looks
// converged because its corrections are small beside it.
TEST(Holonomic, StepsThatAreFarTooLargeAreSolvedOrRefused) {
  const Model wavy = parse_model(R"toml(
coordinates = ["x", "y"]
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y + 1.5*x^2/2"
[constraints.holonomic]
wire = "y - 0.3*cos(3*x)"
[initial]
x = 0.5
y = "0.3*cos(3*x)"
"x'" = 1
"y'" = "-0.9*sin(3*x)*x'"
)toml",
                                 "wavy.toml");
  for (const char* name : {"prk-murua", "spark-gauss", "spark-lobatto-ab"})
    for (const double h : {0.2, 0.25, 0.3, 0.35, 0.5}) {
      Options options;
      options.method = name;
      options.stages = 3;
      options.formulation = "ggl";
      options.step = h;
      options.steps = 40;
      const Trajectory t = simulate(wavy, options);
      EXPECT_LT(*t.constraint_position, 1e-12) << name << " " << h << " " << t.message;
      EXPECT_LT(*t.constraint_velocity, 1e-11) << name << " " << h << " " << t.message;
    }
}

TEST(Formulations, AreRefusedWithTheWaysThatAreTaken) {
  const Model model = shipped("pendulum");
  const auto message = [&](const std::string& name, const std::string& formulation) {
    Options options;
    options.method = name;
    options.formulation = formulation;
    options.step = 0.1;
    options.until = 1.0;
    try {
      simulate(model, options);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(
      message("spark-gauss", ""),
      "method 'spark-gauss' does not apply to 'pendulum': it keeps only the velocity level, so it takes holonomic "
      "constraints only with --formulation index2 (their positions then drift) or --formulation ggl. `rattleback "
      "check pendulum` lists the methods that do");
  EXPECT_EQ(
      message("prk-murua", "index3"),
      "method 'prk-murua' does not apply to 'pendulum': it does not take holonomic constraints as index3, only with "
      "--formulation ggl or --formulation index2 (their positions then drift). `rattleback check pendulum` lists the "
      "methods that do");
  EXPECT_EQ(message("mclachlan-perlmutter", "ggl"),
            "method 'mclachlan-perlmutter' does not apply to 'pendulum': it keeps only the velocity level, so it takes "
            "holonomic constraints only with --formulation index2 (their positions then drift). `rattleback check "
            "pendulum` lists the methods that do");
}

TEST(Formulations, RattleIsTwoStagesOfPrkLobatto) {
  const Model model = shipped("pendulum");
  Options options;
  options.method = "rattle";
  options.step = 0.1;
  options.until = 1.0;
  const Trajectory run = simulate(model, options);
  EXPECT_EQ(run.method, "prk-lobatto");
  EXPECT_EQ(run.stages, 2);
  EXPECT_EQ(run.formulation, Formulation::index3);
  options.stages = 3;
  EXPECT_THROW(simulate(model, options), Error);
}

}  // namespace
}  // namespace rattleback::testing
