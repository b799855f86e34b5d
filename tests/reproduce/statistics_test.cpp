#include "reproduce/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/error.hpp"

namespace rattleback::reproduce {
namespace {

Column sequence(int count, double (*value)(double)) {
  Column out;
  for (int i = 0; i < count; ++i) out.push_back(value(i));
  return out;
}

TEST(Statistic, OfKnownColumns) {
  const Column t = sequence(101, [](double i) { return 0.1 * i; });
  const Column line = sequence(101, [](double i) { return 3.0 - 0.2 * i; });
  EXPECT_NEAR(statistic("slope", t, line), -2.0, 1e-12);
  EXPECT_NEAR(statistic("offset", t, line), 3.0, 1e-12);
  EXPECT_EQ(statistic("max", t, line), 17.0);
  EXPECT_EQ(statistic("min", t, line), -17.0);
  EXPECT_EQ(statistic("first", t, line), 3.0);
  EXPECT_EQ(statistic("final", t, line), -17.0);
  EXPECT_EQ(statistic("range", t, line), 20.0);
  EXPECT_NEAR(statistic("mean", t, line), -7.0, 1e-12);
  const Column growing = sequence(101, [](double i) { return -std::exp(0.05 * i); });
  EXPECT_NEAR(statistic("rate", t, growing), 0.5, 1e-12);
  EXPECT_NEAR(statistic("late_rate", t, growing), 0.5, 1e-12);
  EXPECT_NEAR(statistic("growth", t, growing), std::exp(0.05 * 91), 1e-9);
  EXPECT_GT(statistic("excess", t, growing), 1.5);
  const Column bounded = sequence(101, [](double i) { return std::sin(i); });
  EXPECT_LT(statistic("excess", t, bounded), 1.01);
  EXPECT_TRUE(std::isnan(statistic("max", {}, {})));
  EXPECT_THROW(statistic("median", t, line), Error);
}

// Quasi-periodic sequences, with one frequency and with two, and the logistic map before and in its chaos.
TEST(ZeroOneTest, TellsRegularFromChaotic) {
  EXPECT_LT(zero_one_test(sequence(2000, [](double i) { return 1.0 + std::cos(2.59 * i); })), 0.05);
  EXPECT_LT(zero_one_test(sequence(2000, [](double i) { return std::cos(0.7 * i) + 0.3 * std::cos(1.93 * i); })), 0.05);
  const auto logistic = [](double r) {
    Column out{0.4};
    while (out.size() < 2000) out.push_back(r * out.back() * (1.0 - out.back()));
    return out;
  };
  EXPECT_LT(zero_one_test(logistic(3.5)), 0.05);
  EXPECT_GT(zero_one_test(logistic(3.97)), 0.9);
  EXPECT_TRUE(std::isnan(zero_one_test(Column(20, 1.0))));
}

TEST(ConicDefect, IsRoundingOnAnEllipseAndNotOnOtherCurves) {
  Column x, y, quartic;
  for (int i = 0; i < 500; ++i) {
    x.push_back(0.3 + 2.0 * std::cos(0.1 * i) + 0.5 * std::sin(0.1 * i));
    y.push_back(-1.0 + 0.4 * std::cos(0.1 * i) - 0.9 * std::sin(0.1 * i));
    quartic.push_back(y.back() + 1e-6 * std::cos(0.4 * i));
  }
  EXPECT_LT(conic_defect(x, y), 1e-14);
  EXPECT_GT(conic_defect(x, quartic), 1e-8);
}

}  // namespace
}  // namespace rattleback::reproduce
