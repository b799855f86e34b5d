// Promises on docs/methods/projected_dop853.md. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <cmath>

#include "support/properties.hpp"

namespace rattleback::testing {
namespace {

constexpr const char* kName = "projected-dop853";

// Also where the mass depends on the position, and where k is not linear in v.
TEST(ProjectedDop853, ConvergesWithOrder8) {
  const auto expect_order = [](const Model& model, const std::vector<int>& counts) {
    SCOPED_TRACE(model.key);
    const Orders found = measured_order(method(kName), model, 5.0, counts, reference_end(model, 5.0));
    EXPECT_NEAR(found.q, 8.0, 0.6);  // 8.3 for the first
    EXPECT_NEAR(found.v, 8.0, 0.6);  // 7.6
  };
  expect_order(shipped("nonholonomic-particle"), {20, 25, 32, 40});
  expect_order(nonlinear_contact(), {20, 25, 32, 40});
  expect_order(offset_robot(), {10, 12, 15, 18});
}

TEST(ProjectedDop853, KeepsBothLevelsOfTheConstraints) {
  Options options;
  options.method = kName;
  for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
    SCOPED_TRACE(tolerance);
    options.adaptive = tolerance;
    options.until = 20.0;
    const Trajectory run = simulate(shipped("double-pendulum"), options);
    EXPECT_EQ(run.status, Status::done) << run.message;
    EXPECT_LT(run.constraint_position.value(), 1e-14);
    EXPECT_LT(run.constraint_velocity.value(), 1e-13);
  }
  for (const Model& model : {shipped("nonholonomic-particle"), offset_robot(), moving_contact()})
    EXPECT_LT(max_constraint(method(kName), model, 0.1, 2000), 1e-13) << model.key;
  EXPECT_LT(max_constraint(method(kName), nonlinear_contact(), 0.05, 200), 1e-13);
  // Without the projection the same steps drift off.
  EXPECT_GT(max_constraint(method("ode-dop853"), nonlinear_contact(), 0.05, 200), 1e-13);
}

// Kept constraints are not a kept structure: the energy goes away, where a symmetric method of lower order keeps it.
TEST(ProjectedDop853, LosesEnergyOverLongTimes) {
  const Model particle = shipped("nonholonomic-particle");
  const EnergyError lost = energy_error(method(kName), particle, 0.5, 20'000);
  EXPECT_GT(lost.late, 3.0 * lost.early);
  const EnergyError bounded = energy_error(method("spark-lobatto-ab", 3), particle, 0.5, 20'000);
  EXPECT_LT(bounded.late, 1.1 * bounded.early);
}

TEST(ProjectedDop853, IsNotSymmetric) {
  EXPECT_GT(round_trip_defect(method(kName), shipped("nonholonomic-particle"), 0.4, 200), 1e-8);
}

}  // namespace
}  // namespace rattleback::testing
