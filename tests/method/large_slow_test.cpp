// A chain of 100000 links: constraints to rounding, and records that fit into memory. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <limits>

#include "rattleback/simulate.hpp"

namespace rattleback::testing {
namespace {

Model chain(int links) { return load_model("chain", {.set = {{"N", std::to_string(links)}}}); }

TEST(LargeSystems, AHundredThousandLinks) {
  constexpr int n = 100'000;
  const Trajectory t = simulate(chain(n), {.method = "rattle", .step = 0.001, .steps = 20});
  ASSERT_EQ(t.status, Status::done) << t.message;
  EXPECT_LT(*t.constraint_position, 10 * n * std::numeric_limits<double>::epsilon());  // 0.7 N eps
  EXPECT_LT(*t.constraint_velocity, 1e-13);                                            // 1.1e-15
  EXPECT_EQ(t.records.rows, 21U);
}

TEST(LargeSystems, RecordsAreThinnedByMemory) {
  const Trajectory t = simulate(chain(50'000), {.method = "rattle", .step = 0.001, .steps = 120});
  EXPECT_EQ(t.every, 2);  // 250004 numbers in a record, 99 records in 200 MB
  ASSERT_EQ(t.notes.size(), 1U);
  EXPECT_NE(t.notes[0].find("200 MB"), std::string::npos) << t.notes[0];
}

}  // namespace
}  // namespace rattleback::testing
