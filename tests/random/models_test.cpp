// Random models of every kind, 200 in all: each draws a few pairs of method and check.
#include <gtest/gtest.h>

#include <cstdlib>

#include "random/expect_right.hpp"

namespace rattleback::testing {
namespace {

TEST(RandomModels, OfMechanisms) { expect_right({RandomFamily::mechanism, 0, 40, 3, of_mechanisms()}); }
TEST(RandomModels, OfMechanicalSystems) { expect_right({RandomFamily::mechanical, 0, 80, 4, kAll}); }
TEST(RandomModels, OfDaes) { expect_right({RandomFamily::dae, 0, 30, 4, kAll}); }
TEST(RandomModels, OfOverdeterminedSystems) { expect_right({RandomFamily::odae, 0, 15, 4, kAll}); }
TEST(RandomModels, OfSkewGradientSystems) { expect_right({RandomFamily::skew_gradient, 0, 20, 6, kAll}); }
TEST(RandomModels, OfPortHamiltonianSystems) { expect_right({RandomFamily::port_hamiltonian, 0, 15, 4, kAll}); }

TEST(RandomModels, OneThatIsNamed) {
  const char* const what = std::getenv("RATTLEBACK_RANDOM");
  if (what == nullptr) GTEST_SKIP() << "set RATTLEBACK_RANDOM to family:number:method:check";
  std::printf("%s\n", repeat_one(what).c_str());
}

// RATTLEBACK_RANDOM_RANGE=mechanism:5000:100, also with RATTLEBACK_RANDOM_MORE=1.
TEST(RandomModels, OfARangeThatIsNamed) {
  const char* const what = std::getenv("RATTLEBACK_RANDOM_RANGE");
  if (what == nullptr) GTEST_SKIP() << "set RATTLEBACK_RANDOM_RANGE to family:first:count";
  const std::string text = what;
  const std::size_t one = text.find(':'), two = text.find(':', one + 1);
  ASSERT_NE(two, std::string::npos);
  for (int f = 0; f <= static_cast<int>(RandomFamily::port_hamiltonian); ++f)
    if (const auto family = static_cast<RandomFamily>(f); text.substr(0, one) == to_string(family))
      expect_right({family, std::stoull(text.substr(one + 1)), std::stoi(text.substr(two + 1)), 4, of_mechanisms()});
}

}  // namespace
}  // namespace rattleback::testing
