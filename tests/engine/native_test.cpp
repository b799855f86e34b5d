// Compiled steps: failures, the cache, no compiler, what the text contains.
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>

#include "engine/build/compile.hpp"
#include "engine/plan_stepper.hpp"
#include "engine/private_cache.hpp"
#include "rattleback/analysis.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "support/motion.hpp"

namespace rattleback::testing {
namespace {

std::string text_of(const Model& model, const std::string& name, int stages) {
  const Motion motion(model, method(name, stages));
  return dynamic_cast<const PlanStepper&>(*motion.stepper).step_text();
}

// The same failure, at the same step, in the same words.
void expect_same_failure(const Model& model, Options options, const char* reason) {
  options.every = 5;
  options.native = "off";
  const Trajectory a = simulate(model, options);
  options.native = "on";
  const Trajectory b = simulate(model, options);
  EXPECT_EQ(a.status, Status::stopped);
  EXPECT_EQ(b.status, Status::stopped);
  EXPECT_NE(a.message.find(reason), std::string::npos) << a.message;
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.records.rows, b.records.rows);
  EXPECT_EQ(a.newton_iterations, b.newton_iterations);
  EXPECT_TRUE(b.native);
}

TEST_F(Native, StopsAtASingularMatrixAsTheInterpreterDoes) {
  // The constraint vanishes where x = 0, which the particle reaches at t = 1 exactly.
  const Model model = parse_model(R"toml(
coordinates = ["x", "y"]
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
[constraints.nonholonomic]
gate = "x*x' + x*y'"
[initial]
x = 1.0
"x'" = -1.0
"y'" = 1.0
)toml",
                                  "gate.toml");
  Options options;
  options.step = 0.0625;
  options.steps = 40;
  for (const char* const name : {"spark-gauss", "spark-lobatto-ab", "mclachlan-perlmutter"}) {
    SCOPED_TRACE(name);
    options.method = name;
    expect_same_failure(model, options, "singular");
  }
}

// x'' = exp(x) x' / 4 blows up at a finite time.
Model explosion(const char* force) {
  return parse_model(std::string(R"toml(
coordinates = ["x", "y"]
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
[forces]
x = ")toml") + force +
                         R"toml("
[constraints.nonholonomic]
level = "y' - y*x'"
[initial]
x = 0.1
"x'" = 1.0
"y'" = 0.0
)toml",
                     "explosion.toml");
}

TEST_F(Native, StopsWhenNewtonFailsAsTheInterpreterDoes) {
  Options options;
  options.method = "spark-gauss";
  options.stages = 2;
  options.step = 0.02;
  options.steps = 2000;
  expect_same_failure(explosion("exp(x)*x'"), options, "Newton");
}

TEST_F(Native, StopsWhenTheStateIsNotFiniteAsTheInterpreterDoes) {
  Options options;
  options.method = "mclachlan-perlmutter";  // explicit in the force
  options.step = 0.02;
  options.steps = 5000;
  expect_same_failure(explosion("x^3"), options, "not finite");
}

TEST_F(Native, TakesAllButTheFirstSteps) {
  Motion motion(shipped("double-pendulum"), method("prk-lobatto", 3));
  ASSERT_EQ(motion.stepper->go_native(false), "");
  motion.advance(0.01, 500);
  EXPECT_EQ(motion.stepper->compiled_steps, 497);  // eight to predict the ninth from
}

// Five stages have rounding errors at which corrections stop shrinking above 64 eps: no reason to give a step up.
TEST_F(Native, StepsThatReachTheFloorOfRoundingAreNotGivenUp) {
  Motion motion(shipped("double-pendulum"), method("prk-lobatto", 5));
  ASSERT_EQ(motion.stepper->go_native(false), "");
  motion.advance(0.025, 400);
  EXPECT_GE(motion.stepper->compiled_steps, 385);  // 392; 371 without newton::at_the_floor
  Motion interpreted(shipped("double-pendulum"), method("prk-lobatto", 5));
  interpreted.advance(0.025, 400);
  EXPECT_EQ(motion.stepper->iterations, interpreted.stepper->iterations);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(motion.stepper->q()[i], interpreted.stepper->q()[i]);
}

TEST_F(Native, TheSecondTimeTheCacheIsUsed) {
  const std::string text = text_of(shipped("skate"), "spark-gauss", 2);
  EXPECT_EQ(native_code(text, true).steps, nullptr);
  const NativeCode first = native_code(text), second = native_code(text), third = native_code(text, true);
  EXPECT_NE(first.steps, nullptr) << first.fault;
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_TRUE(third.from_cache);
  EXPECT_FALSE(native_code(text + "/* another */", true).from_cache);
  // One object and nothing else is left.
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(cached())) {
    EXPECT_EQ(entry.path().extension(), ".so");
    ++files;
  }
  EXPECT_EQ(files, 1);
}

TEST_F(Native, ADamagedObjectIsMadeAgain) {
  const std::string text = text_of(shipped("skate"), "spark-gauss", 2);
  std::filesystem::path object;
  ASSERT_NE(native_code(text).steps, nullptr);
  object = std::filesystem::directory_iterator(cached())->path();
  std::filesystem::remove(object);
  std::ofstream(object) << "not an object";
  ASSERT_EQ(chmod(object.c_str(), 0700), 0);
  const NativeCode again = native_code(text);
  EXPECT_NE(again.steps, nullptr) << again.fault;
  EXPECT_FALSE(again.from_cache);
  EXPECT_TRUE(native_code(text).from_cache);
}

TEST_F(Native, WithoutACompilerEverythingIsInterpreted) {
  const Environment path("PATH", folder_.string());
  const Model model = shipped("skate");
  Options options;
  options.method = "spark-gauss";
  options.steps = 100;
  options.native = "auto";
  const Trajectory run = simulate(model, options);
  EXPECT_EQ(run.status, Status::done);
  EXPECT_FALSE(run.native);
  options.native = "on";
  try {
    (void)simulate(model, options);
    ADD_FAILURE() << "not refused";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("--native on: no C compiler"), std::string::npos) << e.what();
  }
}

TEST_F(Native, ACompilerThatFailsIsNamed) {
  const std::filesystem::path broken = folder_ / "gcc";
  std::ofstream(broken) << "#!/bin/sh\nexit 1\n";
  ASSERT_EQ(chmod(broken.c_str(), 0700), 0);
  const Environment path("PATH", folder_.string());
  const NativeCode code = native_code(text_of(shipped("skate"), "spark-gauss", 2));
  EXPECT_EQ(code.steps, nullptr);
  EXPECT_NE(code.fault.find(broken.string()), std::string::npos) << code.fault;
}

// No fault of the request: the run is made, and says what happened. The compiler costs its patience once.
TEST_F(Native, ACompilerThatHangsIsGivenUpAndTheRunInterpreted) {
  const std::filesystem::path hanging = folder_ / "gcc";
  std::ofstream(hanging) << "#!/bin/sh\n/bin/sleep 1000\n";
  ASSERT_EQ(chmod(hanging.c_str(), 0700), 0);
  const Environment path("PATH", folder_.string()), patience("RATTLEBACK_COMPILER_SECONDS", "0.25");
  const Model model = shipped("double-pendulum");
  const std::string note =
      "the compiler " + hanging.string() +
      " did not end within 0.25 s and was given up: the steps were interpreted, with the same results";
  Options options;
  options.method = "rattle";
  options.step = 0.01;
  options.steps = 200;
  options.native = "off";
  const Trajectory plain = simulate(model, options);
  options.native = "on";
  const Trajectory run = simulate(model, options);
  EXPECT_EQ(run.status, Status::done);
  EXPECT_FALSE(run.native);
  EXPECT_EQ(run.q, plain.q);
  EXPECT_EQ(run.v, plain.v);
  ASSERT_EQ(run.notes.size(), plain.notes.size() + 1);
  EXPECT_EQ(run.notes.back(), note);
  EXPECT_GT(run.compile_seconds, 0.2);
  options.native = "auto";
  options.steps = 3'000'000;
  options.every = 1'000'000;
  const Trajectory longer = simulate(model, options);
  EXPECT_EQ(longer.status, Status::done);
  EXPECT_FALSE(longer.native);
  EXPECT_LT(longer.compile_seconds, 0.2);
  EXPECT_EQ(std::count(longer.notes.begin(), longer.notes.end(), note), 1);
  // An ensemble says it once.
  EnsembleRequest request;
  request.options = options;
  request.options.native = "on";
  request.options.steps = 100;
  request.options.every = 100;
  request.members = members_on_grid({{"y1'", 0.0, 0.2, 3}});
  const EnsembleReport report = ensemble(model, request);
  EXPECT_TRUE(report.failed.empty());
  EXPECT_EQ(std::count(report.notes.begin(), report.notes.end(), note), 1);
}

TEST_F(Native, MethodsWithoutAPlanSayWhy) {
  Options options;
  options.method = "ode";
  options.steps = 10;
  options.native = "on";
  EXPECT_THROW((void)simulate(shipped("skate"), options), Error);
  options.native = "auto";
  EXPECT_FALSE(simulate(shipped("skate"), options).native);
  options.native = "fast";
  EXPECT_THROW((void)simulate(shipped("skate"), options), Error);
}

// Asked for, compiled code takes every step that has three solutions before it; a run without such steps says so.
TEST_F(Native, OnTakesTheStepsFromTheFourthOnAndSaysWhenItTookNone) {
  const Model model = shipped("double-pendulum");
  Options options;
  options.method = "prk-lobatto";
  options.step = 0.01;
  options.native = "on";
  options.steps = 3;
  const Trajectory none = simulate(model, options);
  EXPECT_FALSE(none.native);
  EXPECT_EQ(none.compiled_steps, 0);
  EXPECT_GT(none.compile_seconds, 0.0);
  ASSERT_FALSE(none.notes.empty());
  EXPECT_NE(none.notes.back().find("--native on: the step was compiled in"), std::string::npos) << none.notes.back();
  EXPECT_NE(none.notes.back().find("all 3 steps were interpreted"), std::string::npos) << none.notes.back();
  for (const int steps : {4, 7, 9, 30}) {
    options.native = "on";
    options.steps = steps;
    const Trajectory on = simulate(model, options);
    EXPECT_EQ(on.compiled_steps, steps - 3);
    EXPECT_TRUE(on.native);
    EXPECT_TRUE(on.notes.empty());
    options.native = "off";
    const Trajectory off = simulate(model, options);
    EXPECT_EQ(on.q, off.q);
    EXPECT_EQ(on.v, off.v);
    EXPECT_EQ(on.newton_iterations, off.newton_iterations);
  }
}

// Long runs are compiled without being asked, short ones are not.
TEST_F(Native, AutomaticallyWhenItPays) {
  const Model model = shipped("double-pendulum");
  Options options;
  options.method = "prk-lobatto";
  options.stages = 3;
  options.step = 0.01;
  options.steps = 100;
  options.keep_records = false;
  const Trajectory shorter = simulate(model, options);
  EXPECT_FALSE(shorter.native);
  EXPECT_EQ(shorter.compile_seconds, 0.0);
  options.steps = 1'000'000;
  options.every = 100'000;
  const Trajectory run = simulate(model, options);
  EXPECT_TRUE(run.native);
  EXPECT_GT(run.compile_seconds, 1e-3);  // 0.3: a text and a compiler
  EXPECT_LT(run.compile_seconds, run.wall_seconds);
  EXPECT_EQ(run.status, Status::done);
  EXPECT_EQ(run.steps, 1'000'000);
}

// Two models that differ in nothing but names have one text: no name gets into it.
TEST_F(Native, TheTextContainsNoNames) {
  const auto particle = [](const std::string& x, const std::string& y, const std::string& k, const std::string& title) {
    return parse_model("name = \"" + title + "\"\ncoordinates = [\"" + x + "\", \"" + y + "\"]\n[parameters]\n" + k +
                           " = 2.0\n[lagrangian]\nkinetic = \"(" + x + "'^2 + " + y + "'^2)/2\"\npotential = \"" + k +
                           "*" + x + "^4 + sin(" + y + ")\"\n[constraints.nonholonomic]\nc = \"" + y + "' - " + y +
                           "*" + x + "'\"\n[initial]\n" + x + " = 0.5\n" + y + " = 0.25\n\"" + x + "'\" = 1.0\n\"" + y +
                           "'\" = 0.25\n",
                       "particle.toml");
  };
  const std::string plain = text_of(particle("x", "y", "k", "particle"), "spark-gauss", 2);
  const std::string odd = text_of(particle("double", "return", "goto", "*/ #include </etc/passwd>"), "spark-gauss", 2);
  EXPECT_EQ(plain, odd);
  EXPECT_EQ(plain.find("#include"), std::string::npos);
  const NativeCode code = native_code(odd);
  EXPECT_NE(code.steps, nullptr) << code.fault;
}

}  // namespace
}  // namespace rattleback::testing
