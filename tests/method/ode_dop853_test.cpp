// What docs/methods/ode_dop853.md says. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bind/bind.hpp"
#include "rattleback/error.hpp"
#include "run/complete.hpp"
#include "support/properties.hpp"

namespace rattleback::testing {
namespace {

constexpr const char* kName = "ode-dop853";

Model pendulum() { return shipped("double-pendulum"); }

Options adaptive(double tolerance, double until) {
  Options options;
  options.method = kName;
  options.adaptive = tolerance;
  options.until = until;
  return options;
}

// Constant mass and one constraint (explicit stages), a mass that depends on the position, t in everything.
TEST(OdeDop853, ConvergesWithOrder8) {
  const auto expect_order = [](const Model& model, const std::vector<int>& counts) {
    SCOPED_TRACE(model.key);
    const Orders found = measured_order(method(kName), model, 5.0, counts, reference_end(model, 5.0));
    EXPECT_NEAR(found.q, 8.0, 0.6);  // 8.4 for the first
    EXPECT_NEAR(found.v, 8.0, 0.6);  // 7.7
  };
  expect_order(shipped("nonholonomic-particle"), {20, 25, 32, 40});
  expect_order(moving_contact(), {20, 25, 32, 40});
  expect_order(offset_robot(), {10, 12, 15, 18});
}

// The two estimates, without the factor h that makes them errors, are O(h^5) and O(h^3).
TEST(OdeDop853, EstimatesShrinkWithTheirOrders) {
  const Model model = shipped("nonholonomic-particle");
  const System system(model);
  const Start start = consistent_start(system, false);
  const auto estimates = [&](double h) {
    const BoundMethod bound = bind(system, complete(model, adaptive(1e-6, 1.0)), start);
    bound.stepper->start(0.0, start.q, start.v, start.multipliers, start.acceleration);
    EXPECT_TRUE(bound.stepper->advance(h, 1).ok);
    const auto e = bound.stepper->stage_values();
    double size[2] = {0.0, 0.0};
    for (std::size_t i = 0; i < e.size(); ++i)
      size[i / (e.size() / 2)] = std::fmax(size[i / (e.size() / 2)], std::fabs(e[i]));
    return std::pair(size[0], size[1]);
  };
  const auto [five, three] = estimates(0.2);
  const auto [five_half, three_half] = estimates(0.1);
  EXPECT_NEAR(slope(five, five_half), 5.0, 0.4);
  EXPECT_NEAR(slope(three, three_half), 3.0, 0.4);
}

// It knows only that k' = 0. A method that claims to keep k does so with the same steps.
TEST(OdeDop853, DriftsOffTheConstraints) {
  const Model particle = shipped("nonholonomic-particle");
  EXPECT_GT(max_constraint(method(kName), particle, 0.2, 5000), 1e-11);                  // 8.5e-11
  EXPECT_LT(max_constraint(method("spark-lobatto-ab", 3), particle, 0.2, 5000), 1e-14);  // 4e-16
  const Trajectory shorter = simulate(pendulum(), adaptive(1e-8, 10.0));
  const Trajectory longer = simulate(pendulum(), adaptive(1e-8, 100.0));
  EXPECT_GT(shorter.constraint_position.value(), 1e-8);
  EXPECT_GT(shorter.constraint_velocity.value(), 1e-8);
  EXPECT_GT(longer.constraint_position.value(), 10.0 * shorter.constraint_position.value());  // it grows
}

TEST(OdeDop853, IsNotSymmetric) {
  const Model particle = shipped("nonholonomic-particle");
  EXPECT_GT(round_trip_defect(method(kName), particle, 0.4, 200), 1e-8);
  EXPECT_FALSE(claims_on(particle, kName).symmetric);
}

TEST(OdeDop853, HoldsItsTolerance) {
  Motion reference(pendulum(), method("prk-murua", 5));  // another code path
  reference.advance(0.01, 300);
  double before = INFINITY;
  for (const double tolerance : {1e-5, 1e-7, 1e-9, 1e-11}) {
    const Trajectory run = simulate(pendulum(), adaptive(tolerance, 3.0));
    EXPECT_EQ(run.status, Status::done);
    double error = 0.0;
    for (std::size_t i = 0; i < run.q.size(); ++i)
      error = std::fmax(error, std::fabs(run.q[i] - reference.stepper->q()[i]));
    EXPECT_LT(error, 1e3 * tolerance);
    EXPECT_LT(error, 0.1 * before);
    before = error;
  }
}

// Two of Richardson's half steps and one whole step would be 36 stages for each step taken.
TEST(OdeDop853, TakesOneStepForEachTry) {
  const Trajectory run = simulate(pendulum(), adaptive(1e-8, 5.0));
  // Each of the 12 stages solves one linear system.
  EXPECT_EQ(run.newton_iterations, 12 * (run.steps + run.adaptive->rejected));
}

// A try that ends far outside of what numbers can hold leaves nothing behind.
TEST(OdeDop853, RecoversFromAFirstStepThatIsFarTooLong) {
  Options options = adaptive(1e-10, 10.0);
  options.step = 1e6;
  const Trajectory run = simulate(pendulum(), options);
  EXPECT_EQ(run.status, Status::done) << run.message;
  EXPECT_LT(run.adaptive->rejected, 80);  // 43; 36 with a first step of 0.01
  EXPECT_LT(run.adaptive->steps, 300);    // 232
}

TEST(OdeDop853, AgreesWithArkodeOnEverySystemItTakes) {
  for (const char* const key : {"rolling-disk", "chaplygin-sleigh", "andrews", "car-axis", "heavy-top"}) {
    SCOPED_TRACE(key);
    const Model model = shipped(key);
    const double until = std::string(key) == "andrews" ? 0.01 : 1.0;
    const Trajectory a = simulate(model, adaptive(1e-11, until));
    Options options;
    options.method = "ode";
    options.rtol = 1e-12;
    options.atol = 1e-14;
    options.step = until;
    options.until = until;
    const Trajectory b = simulate(model, options);
    ASSERT_EQ(a.status, Status::done) << a.message;
    ASSERT_EQ(b.status, Status::done) << b.message;
    for (std::size_t i = 0; i < a.q.size(); ++i) EXPECT_NEAR(a.q[i], b.q[i], 1e-8 * std::fmax(1.0, std::fabs(b.q[i])));
  }
}

TEST(OdeDop853, RefusesWhatItCannotDo) {
  const auto expect_refused = [](Options options, const char* part) {
    options.method = kName;
    options.step = 0.01;
    options.until = 1.0;
    try {
      (void)simulate(pendulum(), options);
      FAIL() << part;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  Options options;
  options.compose = 4;
  expect_refused(options, "not symmetric");
  options = {};
  options.formulation = "ggl";
  expect_refused(options, "Leave --formulation out");
  options = {};
  options.stages = 3;
  expect_refused(options, "fixed number of stages");
}

}  // namespace
}  // namespace rattleback::testing
