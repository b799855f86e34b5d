// The same as models_test.cpp with 10^4 other models, enough for all pairs of method and check.
#include <algorithm>

#include "random/expect_right.hpp"

namespace rattleback::testing {
namespace {

// One in 20 runs compiled, and every method has its turn.
TEST(ManyRandomModels, OfMechanisms) {
  const int models = std::max(700, 20 * static_cast<int>(methods_for(RandomFamily::mechanism).size() + 1));
  expect_right({RandomFamily::mechanism, 1000, models, 3, of_mechanisms()}, true);
}

TEST(ManyRandomModels, OfMechanicalSystems) { expect_right({RandomFamily::mechanical, 1000, 5300, 4, kAll}, true); }
TEST(ManyRandomModels, OfDaes) { expect_right({RandomFamily::dae, 1000, 1500, 4, kAll}, true); }
TEST(ManyRandomModels, OfOverdeterminedSystems) { expect_right({RandomFamily::odae, 1000, 800, 4, kAll}, true); }
TEST(ManyRandomModels, OfSkewGradientSystems) { expect_right({RandomFamily::skew_gradient, 1000, 900, 6, kAll}, true); }
TEST(ManyRandomModels, OfPortHamiltonianSystems) {
  expect_right({RandomFamily::port_hamiltonian, 1000, 800, 4, kAll}, true);
}

}  // namespace
}  // namespace rattleback::testing
