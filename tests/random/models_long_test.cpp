// The same as models_test.cpp with 10^4 other models, enough for all pairs of method and check.
#include "random/expect_right.hpp"

namespace rattleback::testing {
namespace {

TEST(ManyRandomModels, OfMechanisms) { expect_right({RandomFamily::mechanism, 1000, 700, 3, of_mechanisms()}, true); }
TEST(ManyRandomModels, OfMechanicalSystems) { expect_right({RandomFamily::mechanical, 1000, 5300, 4, kAll}, true); }
TEST(ManyRandomModels, OfDaes) { expect_right({RandomFamily::dae, 1000, 1500, 4, kAll}, true); }
TEST(ManyRandomModels, OfOverdeterminedSystems) { expect_right({RandomFamily::odae, 1000, 800, 4, kAll}, true); }
TEST(ManyRandomModels, OfSkewGradientSystems) { expect_right({RandomFamily::skew_gradient, 1000, 900, 6, kAll}, true); }
TEST(ManyRandomModels, OfPortHamiltonianSystems) {
  expect_right({RandomFamily::port_hamiltonian, 1000, 800, 4, kAll}, true);
}

}  // namespace
}  // namespace rattleback::testing
