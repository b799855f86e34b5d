#include "reproduce/expectation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/error.hpp"

namespace rattleback::reproduce {
namespace {

bool holds(const char* text, double found) { return read_expectation(text).holds(found); }

TEST(Expectation, DigitsSayHowExactANumberIs) {
  EXPECT_TRUE(holds("2.647e-4", 2.6474e-4));
  EXPECT_TRUE(holds("2.647e-4", 2.6461e-4));
  EXPECT_FALSE(holds("2.647e-4", 2.649e-4));
  EXPECT_TRUE(holds("-6.747747", -6.7477465));
  EXPECT_FALSE(holds("-6.747747", 6.7477465));
  EXPECT_TRUE(holds("5.866210448e-4", 5.8662104481e-4));
  EXPECT_FALSE(holds("5.866210448e-4", 5.86621046e-4));
  EXPECT_TRUE(holds("48", 47.5));
  EXPECT_FALSE(holds("48", 46.5));
}

TEST(Expectation, BoundsAndRanges) {
  EXPECT_TRUE(holds("<6e-14", 1e-15));
  EXPECT_FALSE(holds("<6e-14", 7e-14));
  EXPECT_TRUE(holds(">1e-3", 2e-3));
  EXPECT_FALSE(holds(">1e-3", 0.0));
  EXPECT_TRUE(holds("0.8..1.0", 0.9));
  EXPECT_FALSE(holds("0.8..1.0", 1.1));
  EXPECT_TRUE(holds("-1e-9..1e-9", -5e-10));
  EXPECT_TRUE(holds("1~0.02", 1.01));
  EXPECT_FALSE(holds("1~0.02", 1.03));
  EXPECT_TRUE(holds("*", 17.0));
}

// A number that was not found is never as expected.
TEST(Expectation, NotANumberHoldsNothing) {
  for (const char* text : {"1", "<1", ">1", "0..1", "0~1"}) EXPECT_FALSE(holds(text, std::nan(""))) << text;
}

TEST(Expectation, SaysWhatIsAccepted) {
  for (const char* text : {"", "about 3", "1e", "3..", "<", "1~", "inf", "1..x"})
    EXPECT_THROW(read_expectation(text), Error) << text;
}

}  // namespace
}  // namespace rattleback::reproduce
