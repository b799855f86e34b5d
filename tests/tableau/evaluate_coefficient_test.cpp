// The little language of coefficients. What it refuses is in user_tableau_test.cpp, with the place in the file.
#include "tableau/evaluate_coefficient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace rattleback {
namespace {

double value(const std::string& text) { return static_cast<double>(evaluate_coefficient(text)); }

TEST(CoefficientText, FollowsTheUsualRules) {
  EXPECT_EQ(value("1 + 2*3 - 8/4/2"), 6);
  EXPECT_EQ(value("-(1 - 3) * -2"), -4);
  EXPECT_EQ(value(" 2 * sqrt( 9 ) "), 6);
  EXPECT_EQ(value("sqrt(0)"), 0);
  EXPECT_EQ(value("1.5e-3"), 1.5e-3);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("2.E2"), 200);
}

TEST(CoefficientText, IsRoundedOnlyOnce) {
  EXPECT_EQ(value("1/3"), 1.0 / 3);
  EXPECT_EQ(value("0.1 + 0.2"), 0.3);  // 0.30000000000000004 in double arithmetic
  EXPECT_EQ(value("0.1"), 0.1);
  EXPECT_EQ(value("3.14159265358979323846264338327950288"), 3.14159265358979323846264338327950288);
  EXPECT_EQ(value("1/4 - sqrt(3)/6"), static_cast<double>(0.25L - std::sqrt(3.0L) / 6));
  EXPECT_LT(std::abs(value("sqrt(2)*sqrt(2) - 2")), 1e-32);  // 3.9e-34
}

}  // namespace
}  // namespace rattleback
