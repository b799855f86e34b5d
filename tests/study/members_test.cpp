// Members: grids, tables, random values.
#include <filesystem>
#include <fstream>

#include "study/members.hpp"
#include "study/random.hpp"
#include "study/support.hpp"

namespace rattleback::testing {
namespace {

TEST(Members, OfAGridAreAllCombinations) {
  const Members m = members_on_grid({{"a", 0.0, 1.0, 3}, {"b'", -1.0, 1.0, 2}});
  EXPECT_EQ(m.names, (std::vector<std::string>{"a", "b'"}));
  EXPECT_EQ(m.count, 6U);
  EXPECT_EQ(m.values, (std::vector<double>{0, -1, 0, 1, 0.5, -1, 0.5, 1, 1, -1, 1, 1}));
  // Both ends to the last bit.
  const Members ends = members_on_grid({{"a", 0.1, 0.7, 7}});
  EXPECT_EQ(ends.values.front(), 0.1);
  EXPECT_EQ(ends.values.back(), 0.7);
}

TEST(Members, OfAGridRefuseWrongRanges) {
  const auto refused = [](double from, double to, std::int64_t n) {
    return message_of([&] { members_on_grid({{"a", from, to, n}}); });
  };
  EXPECT_EQ(refused(0, 1, 0), "--vary a: the number of values must be at least 1, found 0");
  EXPECT_EQ(refused(0, 1, 1), "--vary a: one value, but two ends; write a=0:0:1, or ask for more values");
  EXPECT_EQ(refused(2, 2, 5), "--vary a: all 5 values would be 2");
  EXPECT_EQ(refused(0, INFINITY, 5), "--vary a: the ends must be finite, found 0 and inf");
  EXPECT_EQ(message_of([] { members_on_grid({{"a", 0, 1, 2}, {"a", 0, 1, 2}}); }), "--vary: `a` is named twice");
  EXPECT_EQ(message_of([] {
              members_on_grid({{"a", 0, 1, 100000}, {"b", 0, 1, 100000}});
            }),
            "--vary: 1e+10 combinations are more than 1e+08. Ask for fewer values");
}

TEST(Members, OfATableAreItsRows) {
  const Members m = members_from_csv("\xef\xbb\xbfz0, \"x'\"\r\n1,2\r\n\r\n-0.5,+1e-3\n", "starts.csv");
  EXPECT_EQ(m.names, (std::vector<std::string>{"z0", "x'"}));
  EXPECT_EQ(m.count, 2U);
  EXPECT_EQ(m.values, (std::vector<double>{1, 2, -0.5, 1e-3}));
  const auto refused = [](const std::string& text) {
    return message_of([&] { members_from_csv(text, "starts.csv"); });
  };
  EXPECT_EQ(refused(""),
            "starts.csv: the file is empty. Write a header row of names, then one row of numbers for each start");
  EXPECT_EQ(refused("\n \n"),
            "starts.csv: the file is empty. Write a header row of names, then one row of numbers for each start");
  EXPECT_EQ(refused("z0\n"), "starts.csv: there is a header row, but no row of numbers below it");
  EXPECT_EQ(refused("z0,b\n1,2\n3\n"), "starts.csv:3: expected 2 values (z0, b), found 1");
  EXPECT_EQ(refused("z0,b\n1,two\n"), "starts.csv:2: `b`: 'two' is not a finite number");
  EXPECT_EQ(refused("z0,b\n1,inf\n"), "starts.csv:2: `b`: 'inf' is not a finite number");
  EXPECT_EQ(refused("z0,\n1,2\n"), "starts.csv:1: column 2 has no name");
  EXPECT_EQ(refused("z0,z0\n1,2\n"), "starts.csv: `z0` is named twice");
}

// The generator uses integers, comparisons and exactly rounded operations, so these bits hold everywhere.
TEST(Members, AreMadeFromWhatTheModelKeepsOfItsFile) {
  const std::string path = ::testing::TempDir() + "members_of_a_file.toml";
  std::ofstream(path) << "coordinates = [\"x\"]\n[parameters]\nm = 1\n[lagrangian]\nL = \"m*x'^2/2 - x^2\"\n"
                         "[initial]\nx = \"2*m\"\n";
  const MemberModels models({.system = path}, members_on_grid({{"m", 1.0, 2.0, 3}, {"x'", 0.0, 1.0, 2}}), {},
                            Place::ensemble, "member");
  std::filesystem::remove(path);
  const Model last = models.model(5);
  EXPECT_EQ(last.parameters[0].second, 2.0);
  EXPECT_EQ(last.q0, std::vector<double>{4.0});
  EXPECT_EQ(last.v0, std::vector<double>{1.0});
  EXPECT_EQ(models.model(0).q0, std::vector<double>{2.0});
}

TEST(Members, AtRandomHaveTheSameBitsOnEveryMachine) {
  const Model model = load_model("contact-oscillator");
  const Members m = members_at_random(model, {{"z0", 0.1}, {"b", 0.01}}, 3, 7);
  EXPECT_EQ(m.values, (std::vector<double>{-0.14539810880636481, 1.0042900795500256, 0.081640602750102306,
                                           0.99605729394538278, -0.04047249523886156, 1.006446553265997}));
  // The first members do not depend on how many there are; another seed gives others.
  const Members more = members_at_random(model, {{"z0", 0.1}, {"b", 0.01}}, 100, 7);
  EXPECT_TRUE(std::equal(m.values.begin(), m.values.end(), more.values.begin()));
  EXPECT_NE(members_at_random(model, {{"z0", 0.1}, {"b", 0.01}}, 3, 8).values, m.values);
}

// Moments and tails of 10^6 numbers from 1000 streams, within four standard errors.
TEST(Members, AtRandomAreNormallyDistributed) {
  double sum = 0, squares = 0, cubes = 0, fourths = 0, beyond2 = 0, neighbours = 0, last = 0;
  constexpr int kStreams = 1000, kEach = 1000;
  constexpr double kCount = kStreams * kEach;
  for (int s = 0; s < kStreams; ++s) {
    Random random(42, static_cast<std::uint64_t>(s));
    for (int i = 0; i < kEach; ++i) {
      const double x = random.normal();
      sum += x;
      squares += x * x;
      cubes += x * x * x;
      fourths += x * x * x * x;
      beyond2 += std::fabs(x) > 2.0 ? 1.0 : 0.0;
      neighbours += x * last;
      last = x;
    }
  }
  const double error = 4.0 / std::sqrt(kCount);
  EXPECT_NEAR(sum / kCount, 0.0, error);
  EXPECT_NEAR(squares / kCount, 1.0, error * std::sqrt(2.0));
  EXPECT_NEAR(cubes / kCount, 0.0, error * std::sqrt(15.0));
  EXPECT_NEAR(fourths / kCount, 3.0, error * std::sqrt(96.0));
  EXPECT_NEAR(beyond2 / kCount, std::erfc(std::sqrt(2.0)), error * 0.21);
  EXPECT_NEAR(neighbours / kCount, 0.0, error);
}

TEST(Members, AtRandomRefuseWrongSpreads) {
  const Model model = load_model("contact-oscillator");
  const auto refused = [&](const std::vector<Spread>& spreads, std::int64_t count) {
    return message_of([&] { members_at_random(model, spreads, count, 1); });
  };
  EXPECT_EQ(refused({{"z0", 0.1}}, 0), "--random must be at least 1, found 0");
  EXPECT_EQ(refused({{"z0", -0.1}}, 1), "--spread z0: the standard deviation must not be negative, found -0.1");
  EXPECT_EQ(refused({{"zz", 0.1}}, 1),
            "--spread: there is no parameter or start value `zz`. Parameters: E0, b, eps, vz0, z0. "
            "Start values: x, x', y, y', z, z'");
  EXPECT_EQ(refused({{"z0", 0.1}, {"z0", 0.1}}, 1), "--spread: `z0` is named twice");
}

TEST(Members, OfListsHaveTheirValuesInOrder) {
  const Members m = members_on_grid({{.name = "a", .values = {3.0, -1.0, 2.5}}, {"b", 0.0, 1.0, 2}});
  EXPECT_EQ(m.count, 6U);
  EXPECT_EQ(m.grid, (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(m.values, (std::vector<double>{3, 0, 3, 1, -1, 0, -1, 1, 2.5, 0, 2.5, 1}));
  EXPECT_EQ(message_of([] {
              members_on_grid({{.name = "a", .values = {1.0, std::nan("")}}});
            }),
            "--vary a: the values must be finite, found nan");
  EXPECT_TRUE(message_of([] {
                members_on_grid({{"a", 0.0, 1.0, 2'000'000'000}});
              }).starts_with("--vary a: 2000000000 values"));
}

}  // namespace
}  // namespace rattleback::testing
