// Lists with separators, as people write them.
#include <gtest/gtest.h>

#include "text/parts.hpp"

namespace rattleback {
namespace {

using Parts = std::vector<std::string>;

TEST(Parts, EndAtSeparatorsOutsideBrackets) {
  EXPECT_EQ(parts_outside_brackets("x, y", ','), (Parts{"x", "y"}));
  EXPECT_EQ(parts_outside_brackets("atan2(y, x),x[1],  sum(i = 1:3, x[i])", ','),
            (Parts{"atan2(y, x)", "x[1]", "sum(i = 1:3, x[i])"}));
  EXPECT_EQ(parts_outside_brackets("x:sum(i = 1:3, x[i])", ':'), (Parts{"x", "sum(i = 1:3, x[i])"}));
}

TEST(Parts, MayBeEmpty) {
  EXPECT_EQ(parts_outside_brackets("", ','), (Parts{""}));
  EXPECT_EQ(parts_outside_brackets("a,, b ,", ','), (Parts{"a", "", "b", ""}));
  EXPECT_EQ(parts_outside_brackets("a)b,c", ','), (Parts{"a)b,c"})) << "whoever reads it says what is wrong";
}

}  // namespace
}  // namespace rattleback
