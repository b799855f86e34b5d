#include "reproduce/distance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/error.hpp"

namespace rattleback::reproduce {
namespace {

const States kHere{.names = {"x", "x'"}, .coordinates = 1, .values = {0.0, 2.0, 1.0, 4.0}};
const States kThere{.names = {"x", "x'"}, .coordinates = 1, .values = {0.0, 1.0, 4.0, 5.0}};

double between(const std::string& measure) { return distance(as_distance(measure).value(), kHere, kThere); }

TEST(Distance, IsThatOfTheCoordinatesOverTheRecords) {
  EXPECT_EQ(between("distance(there)"), 3.0);
  EXPECT_EQ(between("distance(there, x')"), 1.0);
}

TEST(Distance, AtTheEndHasVelocitiesToo) {
  EXPECT_EQ(between("end_distance(there)"), 3.0);
  EXPECT_EQ(between("end_distance(there, x')"), 1.0);
}

// x = 0 of the first record has no relative difference.
TEST(Distance, RelativeIsAMean) {
  EXPECT_DOUBLE_EQ(between("relative_distance(there)"), (1.0 + 3.0 / 4.0 + 1.0 / 5.0) / 3.0);
  EXPECT_DOUBLE_EQ(between("relative_distance(there, x)"), 3.0 / 4.0);
}

TEST(Distance, NeedsTheSameRecords) {
  States other = kThere;
  other.values.resize(2);
  EXPECT_THROW((void)distance({"distance", "there", ""}, kHere, other), Error);
  EXPECT_THROW((void)between("distance(there, y)"), Error);
}

TEST(Distance, OtherMeasuresAreNone) {
  EXPECT_FALSE(as_distance("max(x)"));
  EXPECT_FALSE(as_distance("energy.max_error"));
}

}  // namespace
}  // namespace rattleback::reproduce
