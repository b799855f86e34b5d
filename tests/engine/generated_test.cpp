// What generated headers contain, and what is refused. The headers are compiled in generated_long_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "engine/plan_stepper.hpp"
#include "engine/text/carried.hpp"
#include "rattleback/error.hpp"
#include "rattleback/generate.hpp"
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

// Parameters of subsystems are a.k and b.k to their model, which no member can be called: looking for a name ends.
TEST(GeneratedHeader, IsWrittenForCoupledSystems) {
  const std::string text = step_header(shipped("two-oscillators"), options_of("collocation-gauss", 2), "Both");
  EXPECT_NE(text.find("struct Both : "), std::string::npos);
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
}  // namespace
}  // namespace rattleback::testing
