// Random models of every kind, 200 in all: each draws a few pairs of method and check.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "random/expect_right.hpp"
#include "support/mechanisms.hpp"

namespace rattleback::testing {
namespace {

TEST(RandomModels, OfMechanisms) { expect_right({RandomFamily::mechanism, 0, 40, 3, of_mechanisms()}); }
TEST(RandomModels, OfMechanicalSystems) { expect_right({RandomFamily::mechanical, 0, 80, 4, kAll}); }
TEST(RandomModels, OfDaes) { expect_right({RandomFamily::dae, 0, 30, 4, kAll}); }
TEST(RandomModels, OfOverdeterminedSystems) { expect_right({RandomFamily::odae, 0, 15, 4, kAll}); }
TEST(RandomModels, OfSkewGradientSystems) { expect_right({RandomFamily::skew_gradient, 0, 20, 6, kAll}); }
TEST(RandomModels, OfPortHamiltonianSystems) { expect_right({RandomFamily::port_hamiltonian, 0, 15, 4, kAll}); }

// Tests that are there only when the environment asks for them.
class Asked : public ::testing::Test {
 public:
  explicit Asked(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};
bool register_asked(const char* variable, const char* name, const std::function<void(const std::string&)>& body) {
  const char* const what = std::getenv(variable);
  if (what == nullptr) return false;
  const std::string text = what;
  ::testing::RegisterTest("RandomModels", name, nullptr, nullptr, __FILE__, __LINE__,
                          [=]() -> ::testing::Test* { return new Asked([=] { body(text); }); });
  return true;
}

// RATTLEBACK_RANDOM=family:number:method:check
const bool kOne = register_asked("RATTLEBACK_RANDOM", "OneThatIsNamed",
                                 [](const std::string& text) { std::printf("%s\n", repeat_one(text).c_str()); });

// RATTLEBACK_RANDOM_RANGE=mechanism:5000:100, also with RATTLEBACK_RANDOM_MORE=1.
const bool kRange = register_asked("RATTLEBACK_RANDOM_RANGE", "OfARangeThatIsNamed", [](const std::string& text) {
  const std::size_t one = text.find(':'), two = text.find(':', one + 1);
  ASSERT_NE(two, std::string::npos);
  for (int f = 0; f <= static_cast<int>(RandomFamily::port_hamiltonian); ++f)
    if (const auto family = static_cast<RandomFamily>(f); text.substr(0, one) == to_string(family))
      expect_right({family, std::stoull(text.substr(one + 1)), std::stoi(text.substr(two + 1)), 4, of_mechanisms()});
});

// RATTLEBACK_MECHANISMS=FOLDER writes the spatial mechanisms as files to run by hand.
const bool kFiles = register_asked("RATTLEBACK_MECHANISMS", "MechanismsAreWrittenToAFolder", [](const std::string& to) {
  for (const Rotation rotation : {Rotation::quaternion, Rotation::directors})
    for (const Mechanism& mechanism : spatial_mechanisms(rotation))
      std::ofstream(to + "/" + mechanism.name + "-" + to_string(rotation) + ".toml") << mechanism.text;
});

}  // namespace
}  // namespace rattleback::testing
