// What generated headers contain, and what is refused. The headers are compiled in generated_long_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <fmt/format.h>

#include "engine/plan_stepper.hpp"
#include "engine/text/carried.hpp"
#include "engine/text/header_runtime.hpp"
#include "rattleback/error.hpp"
#include "rattleback/generate.hpp"
#include "step/convergence.hpp"
#include "support/motion.hpp"

namespace rattleback::testing {
namespace {

Options options_of(const std::string& method, int stages = 0) {
  Options o;
  o.method = method;
  o.stages = stages;
  o.step = 0.1;
  return o;
}

std::size_t carried(const Model& model, const std::string& name, int stages) {
  const Motion motion(model, method(name, stages));
  return carried_values(dynamic_cast<const PlanStepper&>(*motion.stepper).step_shape()).values.size();
}

// The force at the end of a Lobatto step is that at the start of the next one. Gauss methods and mclachlan-perlmutter,
// whose force is taken inside the step, have nothing to carry.
TEST(Carried, FindsTheForceOfLobattoSteps) {
  const Model model = shipped("contact-oscillator", {{"eps", "0.3"}, {"z0", "-0.4"}});
  EXPECT_GE(carried(model, "spark-lobatto-ab", 2), 2U);
  EXPECT_EQ(carried(model, "mclachlan-perlmutter", 0), 0U);
  EXPECT_EQ(carried(model, "spark-gauss", 2), 0U);
}

void expect_refused(const Model& model, const Options& options, const std::string& reason,
                    const std::string& name = "Steps") {
  try {
    (void)step_header(model, options, name);
    ADD_FAILURE() << "not refused: " << options.method;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
  }
}

TEST(GeneratedHeader, IsRefusedWithTheReason) {
  const std::string skate =
      "steps of 'ode' on 'skate' cannot be generated: this method has no step that could be "
      "written down. `rattleback run` takes them";
  expect_refused(shipped("skate"), options_of("ode"), skate);
  expect_refused(shipped("odae-exponential"), options_of("euler-true"), "followed along a branch");
  Options simplified = options_of("spark-gauss", 2);
  simplified.newton = "simplified";
  expect_refused(shipped("skate"), simplified, "simplified iterations");
  Options adaptive = options_of("spark-gauss", 2);
  adaptive.adaptive = 1e-6;
  adaptive.until = 1.0;
  expect_refused(shipped("skate"), adaptive, "--adaptive");
  for (const char* const name : {"", "1st", "demo::", "::Demo", "a b", "double", "demo::class", "a;b"})
    expect_refused(shipped("skate"), options_of("spark-gauss", 2), "identifier of C++", name);
}

// Names of a model stand in comments only, and nothing in them can end a comment.
TEST(GeneratedHeader, KeepsNamesInsideComments) {
  const Model model = parse_model(
      "name = \"odd \\\\\\n#include </etc/passwd> */ \\\"\"\ncoordinates = [\"x\"]\n[lagrangian]\nkinetic = "
      "\"x'^2/2\"\n"
      "potential = \"x^4\"\n[initial]\nx = 1.0\n",
      "odd.toml");
  const std::string text = step_header(model, options_of("spark-gauss", 2), "Odd");
  EXPECT_EQ(text.find("#include </etc"), std::string::npos);
  EXPECT_EQ(text.substr(0, text.find('\n')).find('\\'), std::string::npos);
  EXPECT_EQ(text.find("rattleback/"), std::string::npos);  // nothing of the library is included
}

TEST(GeneratedHeader, IsLeftAloneWhenNothingChanged) {
  const auto path = std::filesystem::temp_directory_path() / "rattleback_generated_header_test.hpp";
  std::filesystem::remove(path);
  const Model model = shipped("skate");
  ASSERT_EQ(write_step_header(model, options_of("spark-gauss", 2), "Skate", path.string()), 0);
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(path, old);
  ASSERT_EQ(write_step_header(model, options_of("spark-gauss", 2), "Skate", path.string()), 0);
  EXPECT_EQ(std::filesystem::last_write_time(path), old);
  ASSERT_EQ(write_step_header(model, options_of("spark-gauss", 3), "Skate", path.string()), 0);
  EXPECT_NE(std::filesystem::last_write_time(path), old);
  EXPECT_EQ(write_step_header(model, options_of("ode"), "Skate", path.string()), 2);
  std::filesystem::remove(path);
}

// The rule by which Newton's iteration ends, in a header and in the library, for corrections that shrink, take turns,
// stagnate, or run away, with exact matrices and with others.
TEST(GeneratedHeader, EndsNewtonsIterationByTheRuleOfTheLibrary) {
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "rattleback_rule_XXXXXX").string();
  const fs::path folder = mkdtemp(pattern.data());
  std::ofstream(folder / "rule.cpp") << R"(#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <utility>
struct Header {
  struct Report {
    const char* reason = "";
    int iterations = 0;
    double residual = 0.0, correction = 0.0, contraction = 0.0, first = 0.0;
  };
)" << kHeaderMath << header_solve() << R"(};
int main() {
  int start = 0, current = 0, cautious = 0;
  double size = 0.0, noise = 0.0, big = 0.0;
  Header::Convergence c = {0.0, false};
  while (std::scanf("%d %d %d %la %la %la", &start, &current, &cautious, &size, &noise, &big) == 6) {
    if (start == 1) c = {0.0, cautious == 1};
    if (start == 2) c.restart();
    const Header::Correction x = {size, noise, {big, 1.0}};
    const bool arrived = c.arrived(x, current == 1);
    std::printf("%d %d %a %a\n", arrived, c.ran_away(x), c.ratio, c.older);
  }
}
)";
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto power = [&](double from, double to) { return std::pow(10.0, from + (to - from) * uniform(random)); };
  std::string input, expected;
  int turns = 0;  // one ratio small by chance: the test of two steps decides
  for (int i = 0; i < 2000; ++i) {
    SolveOptions options;
    options.cautious = uniform(random) < 0.3;
    Convergence convergence(options);
    const double even = power(-6, 0), odd = uniform(random) < 0.5 ? even : power(-6, 0);
    const double floor = uniform(random) < 0.5 ? 0.0 : power(-16, -9), noise = power(-4, 0);
    const double grow = uniform(random) < 0.9 ? 1.0 : 1e2;
    const int exact = uniform(random) < 0.4 ? 12 : static_cast<int>(3 * uniform(random));
    double size = power(-4, 0), big = 1.0;
    for (int k = 0; k < 12; ++k) {
      const Correction c = {.size = size + floor, .noise = (size + floor) * noise, .finite = true, .big = {big, 1.0}};
      const bool current = k<exact, restart = k> 0 && k == exact;
      if (restart) convergence.restart();
      const bool arrived = convergence.arrived(c, current);
      fmt::format_to(std::back_inserter(input), "{} {} {} {:a} {:a} {:a}\n",
                     k == 0    ? 1
                     : restart ? 2
                               : 0,
                     current ? 1 : 0, options.cautious ? 1 : 0, c.size, c.noise, big);
      fmt::format_to(std::back_inserter(expected), "{} {} {:a} {:a}\n", arrived ? 1 : 0,
                     convergence.ran_away(c) ? 1 : 0, convergence.ratio(), convergence.older());
      const double ratio = convergence.ratio();
      turns += !arrived && !current && ratio > 0.0 && ratio < 0.5 && c.size * 2 * ratio <= Convergence::kSmall ? 1 : 0;
      size *= (k % 2 == 0 ? even : odd) * (1.0 + 0.1 * uniform(random));
      big *= grow;
    }
  }
  EXPECT_GT(turns, 20);  // 43
  std::ofstream(folder / "in.txt") << input;
  const std::string to = (folder / "rule").string();
  ASSERT_EQ(std::system(("c++ -std=c++20 -O0 " + to + ".cpp -o " + to + " && " + to + " < " + folder.string() +
                         "/in.txt > " + to + ".txt")
                            .c_str()),
            0);
  // As numbers: printf and fmt write hexadecimal digits in different ways.
  std::ifstream told(to + ".txt");
  std::istringstream ours(expected);
  std::string a, b;
  while (ours >> a) {
    ASSERT_TRUE(told >> b);
    ASSERT_EQ(std::strtod(a.c_str(), nullptr), std::strtod(b.c_str(), nullptr));
  }
  EXPECT_FALSE(told >> b);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace rattleback::testing
