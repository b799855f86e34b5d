// Many random pairs of requests, with compiled steps among them (tests/run/resume_pairs.hpp).
#include "run/resume_pairs.hpp"

namespace rattleback::testing {
namespace {

TEST(Resume, ManyRandomPairsHaveTheSameBitsOrAreRefusedByName) {
  for (unsigned seed = 100; seed < 106; ++seed) {
    const Played played = play_resume_pairs(seed, 150, seed == 100);
    EXPECT_GT(played.resumed, 150) << played.text();
    EXPECT_GT(played.refused, 100) << played.text();
  }
}

}  // namespace
}  // namespace rattleback::testing
