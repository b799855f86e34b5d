// Claims that the audit contradicts are said, and nothing else is.
#include "audit/claims.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/simulate.hpp"

namespace rattleback {
namespace {

constexpr double kRounding = 1e-15;

TEST(OrderClaim, IsContradictedByAMeasurementClearlyBelow) {
  EXPECT_EQ(order_contradiction("spark-gauss", 4, {2.01, 1e-6, kRounding}),
            "spark-gauss claims order 4, but 2.01 was measured: either the step is too large to show it (try a smaller "
            "--step), or the claim does not hold on this system");
}

TEST(OrderClaim, StandsWhenItIsMetOrExceeded) {
  for (const double order : {3.8, 4.0, 5.2}) EXPECT_EQ(order_contradiction("m", 4, {order, 1e-6, kRounding}), "");
}

TEST(OrderClaim, IsNotJudgedAtRounding) {
  EXPECT_EQ(order_contradiction("m", 8, {0.3, 5e-15, kRounding}), "");
  EXPECT_EQ(order_contradiction("m", 8, {std::nan(""), 1e-6, kRounding}), "");
}

TEST(OrderClaim, IsNotJudgedWithoutAClaim) { EXPECT_EQ(order_contradiction("ode", 0, {1.0, 1e-3, kRounding}), ""); }

TEST(SymmetryClaim, IsContradictedByMissingTheStart) {
  EXPECT_EQ(symmetry_contradiction("spark-gauss", 2e-4, 0.0),
            "spark-gauss claims to be symmetric, but integrating back missed the start by 2.0e-04: either rounding "
            "errors grow that much on this motion (try a smaller --until), or the claim does not hold on this system");
}

TEST(SymmetryClaim, StandsUpToRoundingAndNewtonsTolerance) {
  EXPECT_EQ(symmetry_contradiction("m", 1e-9, 0.0), "");
  EXPECT_EQ(symmetry_contradiction("m", 1e-4, 1e-6), "");
  EXPECT_NE(symmetry_contradiction("m", 1e-2, 1e-6), "");
}

bool claims(const Trajectory& t, const std::string& what) {
  for (const std::string& note : t.notes)
    if (note.find(" claims " + what) != std::string::npos) return true;
  return false;
}

// The steps are far too large for the fast spin of this top: what is measured is nowhere near the order.
TEST(ClaimNotes, SayThatTheOrderWasNotSeen) {
  Options options{.method = "spark-lobatto-ab", .stages = 2, .step = 0.02, .steps = 50, .audit_order = true};
  const Trajectory coarse = simulate(load_model("heavy-top"), options);
  EXPECT_LT(coarse.observed_order.value(), 1.0);  // -0.03
  EXPECT_TRUE(claims(coarse, "order 2"));
  const Trajectory fine = simulate(load_model("skate"), options);
  EXPECT_NEAR(fine.observed_order.value(), 2.0, 0.05);
  EXPECT_FALSE(claims(fine, "order"));
}

// Velocities of cortes-martinez belong to midpoints, so that positions alone have the order that it claims.
TEST(ClaimNotes, AreSilentAboutTwoStepMethods) {
  const Trajectory t =
      simulate(load_model("skate"), {.method = "cortes-martinez", .step = 0.02, .steps = 50, .audit_order = true});
  EXPECT_NEAR(t.observed_order.value(), 2.0, 0.05);
  EXPECT_FALSE(claims(t, "order"));
}

TEST(ClaimNotes, SayThatTheStartWasMissed) {
  Options options{.method = "prk-murua", .stages = 3, .step = 0.05, .until = 2.0, .audit_reverse = true};
  EXPECT_FALSE(claims(simulate(load_model("double-pendulum"), options), "to be symmetric"));
  options.until = 100.0;  // chaotic: rounding errors have grown to the size of the motion
  const Trajectory far = simulate(load_model("double-pendulum"), options);
  EXPECT_GT(far.reverse_defect.value(), 1e-6);
  EXPECT_TRUE(claims(far, "to be symmetric"));
  // A method that makes no such claim, and a controller that does not retrace its steps, contradict nothing.
  options.until = 5.0;
  options.method = "rk-radau-iia";
  options.formulation = "ggl";
  const Trajectory radau = simulate(load_model("double-pendulum"), options);
  EXPECT_GT(radau.reverse_defect.value(), 1e-6);
  EXPECT_FALSE(claims(radau, "to be symmetric"));
  Options pi{.method = "spark-gauss",
             .stages = 2,
             .until = 5.0,
             .formulation = "ggl",
             .adaptive = 1e-4,
             .audit_reverse = true};
  const Trajectory chosen = simulate(load_model("double-pendulum"), pi);
  EXPECT_GT(chosen.reverse_defect.value(), 1e-6);
  EXPECT_FALSE(claims(chosen, "to be symmetric"));
}

}  // namespace
}  // namespace rattleback
