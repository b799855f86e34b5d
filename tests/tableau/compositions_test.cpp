// Compositions: the conditions on gamma that can be written as power sums, and the order as a run shows it.
#include "tableau/compositions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "rattleback/error.hpp"

namespace rattleback {
namespace {

double power_sum(const std::vector<double>& gamma, int power) {
  long double sum = 0;
  for (const double g : gamma) sum += std::pow(static_cast<long double>(g), power);
  return static_cast<double>(sum);
}

// n composed steps of leapfrog on q'' = -sin q + cos(q)/2 until t = 1, in long double: the errors of order 8 must be
// above rounding.
struct State {
  long double q = 0.7L, p = 0.4L;
};

State run(const std::vector<double>& gamma, int n) {
  State x;
  const auto force = [](long double q) { return -std::sin(q) + std::cos(q) / 2; };
  for (int k = 0; k < n; ++k)
    for (const double g : gamma) {
      const long double h = static_cast<long double>(g) / n;
      x.q += h / 2 * x.p;
      x.p += h * force(x.q);
      x.q += h / 2 * x.p;
    }
  return x;
}

// From the errors at the end with n and 2n steps, against a fine run of another composition.
double measured_order(const std::vector<double>& gamma, int n, const State& reference) {
  const State coarse = run(gamma, n), fine = run(gamma, 2 * n);
  const auto error = [&](const State& x) { return std::hypot(x.q - reference.q, x.p - reference.p); };
  return static_cast<double>(std::log2(error(coarse) / error(fine)));
}

TEST(Compositions, HaveTheirOrderAndNumberOfSteps) {
  const int steps[] = {1, 5, 9, 17};
  for (const int order : {2, 4, 6, 8}) {
    EXPECT_EQ(composition(order).order, order);
    EXPECT_EQ(composition(order).gamma.size(), static_cast<std::size_t>(steps[order / 2 - 1]));
    EXPECT_FALSE(composition(order).name.empty());
  }
}

TEST(Compositions, AreSymmetricToTheBit) {
  for (const int order : {2, 4, 6, 8}) {
    const auto gamma = composition(order).gamma;
    EXPECT_EQ(gamma, std::vector<double>(gamma.rbegin(), gamma.rend())) << order;
  }
}

TEST(Compositions, MakeOneStepInTotal) {
  for (const int order : {2, 4, 6, 8})
    EXPECT_NEAR(power_sum(composition(order).gamma, 1), 1, 1e-14) << order;  // 1.1e-16
}

TEST(Compositions, CancelTheOddPowersBelowTheirOrderAndNotTheNext) {
  for (const int order : {2, 4, 6, 8}) {
    const auto gamma = composition(order).gamma;
    for (int power = 3; power < order; power += 2) EXPECT_NEAR(power_sum(gamma, power), 0, 1e-14) << order;  // 8.9e-17
    EXPECT_GT(std::abs(power_sum(gamma, order + 1)), 5e-4) << order;  // 7.5e-4 for order 8
  }
}

// The one condition for order 6 which is no power sum:
// sum_k gamma_k^3 (gamma_1 + .. + gamma_{k-1} + gamma_k/2)^2 = 0      [HLW2006, V.3.2]
TEST(Compositions, SatisfyTheMixedConditionFromOrder6) {
  const auto mixed = [](const std::vector<double>& gamma) {
    double sum = 0, before = 0;
    for (const double g : gamma) {
      sum += g * g * g * (before + g / 2) * (before + g / 2);
      before += g;
    }
    return sum;
  };
  EXPECT_GT(std::abs(mixed(composition(4).gamma)), 1e-2);  // 1.4e-2
  EXPECT_NEAR(mixed(composition(6).gamma), 0, 1e-14);      // 6.9e-18
  EXPECT_NEAR(mixed(composition(8).gamma), 0, 1e-14);      // 1.2e-17
}

TEST(Compositions, OfLeapfrogConvergeAtTheirOrder) {
  const State by_8 = run(composition(8).gamma, 200), by_6 = run(composition(6).gamma, 2000);
  EXPECT_NEAR(measured_order(composition(2).gamma, 64, by_8), 2, 0.02);  // 2.0000
  EXPECT_NEAR(measured_order(composition(4).gamma, 32, by_8), 4, 0.02);  // 4.0001
  EXPECT_NEAR(measured_order(composition(6).gamma, 16, by_8), 6, 0.02);  // 5.9999
  EXPECT_NEAR(measured_order(composition(8).gamma, 4, by_6), 8,
              0.05);  // 7.981; from n = 12 on gamma rounded to double shows: 1e-15
}

TEST(Compositions, OfOrder4AreSuzukis) {
  const long double gamma = 1 / (4 - std::cbrt(4.0L));
  EXPECT_EQ(composition(4).gamma[0], static_cast<double>(gamma));
  EXPECT_EQ(composition(4).gamma[2], static_cast<double>(1 - 4 * gamma));
}

TEST(Compositions, OfOtherOrdersAreRefusedWithTheList) {
  for (const int order : {-2, 0, 1, 3, 5, 10}) {
    try {
      composition(order);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()),
                "--compose " + std::to_string(order) +
                    ": no composition of this order. Compositions exist for the orders 2, 4, 6, 8");
    }
  }
}

}  // namespace
}  // namespace rattleback
