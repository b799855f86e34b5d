// The parts of an error against [exact]: positions, velocities, and what [exact] does not name.
#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/rattleback.hpp"

namespace rattleback {
namespace {

OrderReport study(const std::string& exact) {
  const Model model = parse_model(
      "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2\"\n[initial]\nx = 1\n[exact]\n" +
          exact,
      "oscillator.toml");
  OrderRequest request;
  request.methods = {{"spark-gauss", 1}};
  request.steps = {0.1, 0.05};
  request.until = 1.0;
  return order_study(model, request);
}

TEST(Order, ErrorsOfPositionsAndVelocitiesAreApart) {
  const OrderRun run = study("x = \"cos(t)\"\n\"x'\" = \"-sin(t)\"\n").runs.front();
  EXPECT_GT(run.error_q, 1e-5);
  EXPECT_GT(run.error_v, 1e-5);
  EXPECT_NE(run.error_q, run.error_v);
  EXPECT_NEAR(std::hypot(run.error_q, run.error_v), run.error, 1e-16);
}

TEST(Order, WhatExactDoesNotNameHasNoError) {
  const OrderReport report = study("x = \"cos(t)\"\n");
  EXPECT_EQ(report.runs.front().error_q, report.runs.front().error);
  EXPECT_TRUE(std::isnan(report.runs.front().error_v));
  EXPECT_TRUE(std::isnan(report.slopes.front().fitted_v));
  EXPECT_NEAR(report.slopes.front().fitted_q, 2.0, 0.02);
}

}  // namespace
}  // namespace rattleback
