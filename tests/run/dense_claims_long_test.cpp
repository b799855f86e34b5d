// The claims about records between the steps on more random models, with more coordinates and stages.
#include "run/dense_claims.hpp"

namespace rattleback::testing {
namespace {

TEST(DenseClaims, HoldOnManyRandomModels) {
  for (unsigned seed = 2; seed < 12; ++seed)
    for (const char* kind : kKinds) expect_claims(kind, seed, 2 + static_cast<int>(seed % 2));
}

}  // namespace
}  // namespace rattleback::testing
