// What a run does besides the formulas: no allocation in a step, equations solved to rounding, failures that keep what was
// computed and say what to do, and restarts with the same bits. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "bind/applies.hpp"
#include "rattleback/analysis.hpp"
#include "rattleback/error.hpp"
#include "support/count_allocations.hpp"
#include "support/properties.hpp"

namespace rattleback::testing {
namespace {

Model oscillator() { return shipped("contact-oscillator", {{"eps", "0.8"}, {"z0", "-0.55"}}); }
Model sleigh() { return shipped("chaplygin-sleigh", {}, {{"x'", "0.7"}, {"theta'", "0.9"}}); }
Model robot() { return shipped("mobile-robot", {}, {{"theta'", "0.5"}}); }

// Every method of the registry with fixed steps that takes the model.
std::vector<std::string> fixed_step_methods(const Model& model) {
  std::vector<std::string> names;
  for (const MethodEntry& entry : registry())
    if (entry.as<Baseline>() == nullptr && why_not(entry, model, Formulation::none).empty() &&
        !(entry.info.name == "spark-lobatto" && model.key == "dae-hessenberg"))  // singular stages, see structure_test
      names.emplace_back(entry.info.name);
  return names;
}

// --- allocation

long allocations_in_1000_steps(const Model& model, const Maker& maker, double h) {
  Motion motion(model, maker);
  motion.advance(h, 10);
  const long before = allocations;
  motion.advance(h, 1000);
  return allocations - before;
}

TEST(Step, DoesNotAllocate) {
  for (const Model& model : {oscillator(), sleigh(), shipped("dae-hessenberg"), shipped("dae-additive"),
                             shipped("pendulum-ph"), shipped("two-oscillators")})
    for (const std::string& name : fixed_step_methods(model))
      EXPECT_EQ(allocations_in_1000_steps(model, method(name), 0.001), 0) << model.key << " " << name;
  for (const int order : {4, 6, 8})
    EXPECT_EQ(allocations_in_1000_steps(oscillator(), method("mclachlan-perlmutter", 0, order), 0.01), 0) << order;
  for (const char* const name :
       {"odae-exponential", "friction-on-cubic"}) {  // the second with a surface that may let go
    for (const std::string& each : fixed_step_methods(shipped(name)))
      EXPECT_EQ(allocations_in_1000_steps(shipped(name), method(each), 0.001), 0) << name << " " << each;
    EXPECT_EQ(allocations_in_1000_steps(shipped(name), method("euler-true", 0, 4), 0.001), 0) << name;
  }
}

TEST(AllocationCount, SeesAnAllocation) {
  const long before = allocations;
  delete new int(1);
  EXPECT_GE(allocations - before, 0);  // a compiler may remove the pair
  const std::vector<double> x(1000);
  EXPECT_GT(allocations - before, 0);
}

// --- Newton's tolerance

TEST(Newton, SolvesToRoundingUnlessToldOtherwise) {
  Options options;
  options.method = "spark-gauss";
  options.stages = 2;
  options.step = 0.1;
  options.until = 2000;
  options.keep_records = false;
  const Trajectory tight = simulate(robot(), options);
  // Starting values from the steps before hide a loose tolerance; plain codes do not have them.
  options.newton = "simplified";
  options.newton_tol = 1e-2;
  const Trajectory loose = simulate(robot(), options);
  EXPECT_LT(std::fabs(tight.energy->drift_per_time), 5e-11);  // 5.0e-12
  EXPECT_GT(std::fabs(loose.energy->drift_per_time), 5e-9);
  EXPECT_LT(tight.energy->max_error, 7.5e-6);  // 7.37e-6
  EXPECT_GT(loose.energy->max_error, 2e-5);
}

// On the rolling disk every block of the step is linear, once the headings are substituted: there is nothing to iterate.
TEST(Newton, HasNothingToIterateOnTheRollingDisk) {
  Options options;
  options.step = 0.1;
  options.until = 1000;
  for (const char* const name : {"spark-lobatto-ab", "spark-gauss", "mclachlan-perlmutter"}) {
    options.method = name;
    options.newton_tol = 0.0;
    const Trajectory tight = simulate(shipped("rolling-disk"), options);
    options.newton_tol = 1e-3;
    const Trajectory loose = simulate(shipped("rolling-disk"), options);
    EXPECT_EQ(loose.q, tight.q) << name;
    EXPECT_LT(loose.energy->max_error, 5e-14) << name;  // 2e-15
  }
}

// --- branches: z of the Hessenberg system has two values, e^2t and e^2t/2

TEST(Branch, IsKeptByAShorterLastStep) {
  Options options;
  options.method = "srk-gauss";
  options.stages = 2;
  options.step = 0.03;
  options.until = 1.0;
  const Trajectory run = simulate(shipped("dae-hessenberg"), options);
  EXPECT_LT(run.error.value(), 1e-6);  // 2.0e-2 when the last step goes to the other branch
}

TEST(Branch, OfTheFinalMultipliersDoesNotDependOnTheRecords) {
  Options options;
  options.method = "srk-gauss";
  options.stages = 2;
  options.step = 0.05;
  options.until = 1.0;
  for (const bool keep : {true, false}) {
    options.keep_records = keep;
    EXPECT_NEAR(simulate(shipped("dae-hessenberg"), options).multipliers[0], std::exp(2.0), 1e-4) << keep;
  }
}

// --- failures

// x' = 1/(1 - t): the midpoint rule has no solution once 2 h x' > 1.
Model explosion() {
  return parse_model(R"toml(
name = "explosion"
coordinates = ["x", "y"]
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
[constraints.nonholonomic]
follow = "y' - x"
[forces]
x = "x'^2"
[initial]
"x'" = 1.0
)toml",
                     "explosion.toml");
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST(Failure, KeepsEverythingBeforeItAndSaysWhereAndWhatToTry) {
  Options options;
  options.method = "spark-gauss";
  options.stages = 1;
  options.step = 0.1;
  options.steps = 20;
  const Trajectory run = simulate(explosion(), options);
  ASSERT_EQ(run.status, Status::stopped);
  EXPECT_GT(run.steps, 3);
  EXPECT_LT(run.steps, 10);
  EXPECT_EQ(run.records.rows, static_cast<std::size_t>(run.steps) + 1);
  EXPECT_NEAR(run.t, 0.1 * static_cast<double>(run.steps), 1e-12);
  expect_contains(run.message, "spark-gauss (1 stage): stopped at t = ");
  expect_contains(run.message, "(step " + std::to_string(run.steps + 1) + ", h = 0.1)");
  expect_contains(run.message, std::to_string(run.steps) + " steps were kept");
  // x' has no end at t = 1, with no step and no method.
  expect_contains(run.message, "No cure was found: --step down to ");
  expect_contains(run.message, "The solution seems to end there");

  options.steps = run.steps;
  const Trajectory shorter = simulate(explosion(), options);
  EXPECT_EQ(shorter.status, Status::done);
  EXPECT_EQ(shorter.records.q, run.records.q);
  EXPECT_EQ(shorter.records.v, run.records.v);
  EXPECT_EQ(shorter.q, run.q);
  EXPECT_EQ(shorter.v, run.v);
}

TEST(Failure, OfAStepFarTooLargeLeavesTheStart) {
  Options options;
  options.method = "spark-gauss";
  options.stages = 1;
  options.step = 10.0;
  options.steps = 5;
  const Trajectory run = simulate(explosion(), options);
  ASSERT_EQ(run.status, Status::stopped);
  EXPECT_EQ(run.steps, 0);
  EXPECT_EQ(run.records.rows, 1U);
  EXPECT_EQ(run.q, (std::vector<double>{0, 0}));
  EXPECT_EQ(run.v, (std::vector<double>{1, 0}));
  expect_contains(run.message, "stopped at t = 0 (step 1, h = 10)");
  expect_contains(run.message, "No cure was found: --step down to ");
}

// The advice after a failure is one that works.
TEST(Failure, AdvisesAStepThatWasTried) {
  const auto advised = [](const Model& model, Options options) {
    const Trajectory run = simulate(model, options);
    EXPECT_EQ(run.status, Status::stopped) << options.step;
    const std::size_t at = run.message.find("Try --step ");
    if (at == std::string::npos) return std::string("no step is advised: ") + run.message;
    options.step = std::strtod(run.message.c_str() + at + 11, nullptr);
    EXPECT_EQ(simulate(model, options).status, Status::done) << run.message;
    expect_contains(run.message, "and reaches its end");
    return std::string();
  };
  // Ends before the explosion.
  EXPECT_EQ(advised(explosion(), {.method = "spark-gauss", .stages = 1, .step = 0.1, .until = 0.9}), "");
  EXPECT_EQ(advised(shipped("double-pendulum"), {.method = "rattle", .step = 1.0, .until = 6.0}), "");
  // Backwards, and far too large: x' = 1/(1 - t) from t = 0 to -1 is smooth.
  const Model orbit = parse_model(
      "coordinates = ['x', 'y']\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = '-1/hypot(x, y)'\n"
      "[initial]\nx = 1\n\"y'\" = 0.2\n",
      "orbit.toml");
  EXPECT_EQ(advised(orbit, {.method = "spark-gauss", .stages = 2, .step = -0.5, .until = -20.0}), "");
}

// V = -x^4 from x = 1, x' = 1.5 reaches infinity at t = 0.6987. Methods that step over it arrive, with energies of 1e17.
TEST(Failure, AdvisesNothingWhereTheSolutionEnds) {
  const Model model = parse_model(
      "coordinates = ['x']\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = '-x^4'\n[initial]\nx = 1\n\"x'\" = 1.5\n",
      "escape.toml");
  const Trajectory run = simulate(model, {.method = "ode", .step = 0.1, .until = 3.0});
  EXPECT_EQ(run.status, Status::stopped);
  expect_contains(run.message, "ARKODE: the state grows beyond what numbers hold: the solution seems to end there");
  expect_contains(run.message, "--until 0.6 ends the run before that");
  EXPECT_EQ(run.message.find("Try "), std::string::npos) << run.message;
  const Trajectory adaptive =
      simulate(model, {.method = "spark-gauss", .stages = 2, .step = 0.1, .until = 3.0, .adaptive = 1e-6});
  EXPECT_EQ(adaptive.status, Status::stopped);
  EXPECT_EQ(adaptive.message.find("Try "), std::string::npos) << adaptive.message;
}

// Studies of many runs try nothing.
TEST(Failure, IsNotCuredInStudies) {
  EnsembleRequest request;
  request.members = members_on_grid({{"x'", 0.5, 1.5, 3}});
  request.options = {.method = "spark-gauss", .stages = 1, .step = 0.1, .until = 3.0};
  const EnsembleReport report = ensemble(explosion(), request);
  ASSERT_EQ(report.failed.size(), 3U);
  for (const EnsembleMember& m : report.members) EXPECT_TRUE(m.message.ends_with("kept.")) << m.message;
}

// A constraint that vanishes at t = 1, whatever the state: at t = 0 it has full rank.
TEST(Failure, JudgesTheRankAtItsOwnTime) {
  const Model model = parse_model(
      "coordinates = ['x', 'y']\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = 'x^2'\n"
      "[constraints.nonholonomic]\ngate = \"(1 - t)*x' + (1 - t)*y'\"\n[initial]\nx = 1\n",
      "gate.toml");
  const Trajectory run = simulate(model, {.method = "spark-gauss", .stages = 2, .step = 0.125, .until = 2.5});
  ASSERT_EQ(run.status, Status::stopped);
  expect_contains(run.message, "The constraints lose rank at t = 1: 'gate' depends on the others or vanishes");
  // And one that loses rank at t = 0 only: not to blame for a failure at another time.
  const Model early = parse_model(
      "coordinates = ['x', 'y', 'z']\n[lagrangian]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n[forces]\nz = \"z'^2\"\n"
      "[constraints.nonholonomic]\na = \"x' - y'\"\nb = \"x' - cos(t - 1)*y'\"\n[initial]\n\"z'\" = 1\n",
      "early.toml");
  const Trajectory later = simulate(early, {.method = "spark-gauss", .stages = 1, .step = 0.4, .until = 0.9});
  ASSERT_EQ(later.status, Status::stopped);
  EXPECT_EQ(later.message.find("rank"), std::string::npos) << later.message;
}

// A constraint that vanishes where x = 0, which the particle reaches at t = 1 exactly.
Model vanishing_gate() {
  return parse_model(R"toml(
name = "vanishing gate"
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
                     "vanishing_gate.toml");
}

TEST(Failure, AtASingularConstraintNamesIt) {
  Options options;
  options.step = 0.125;
  options.steps = 20;
  for (const char* const name : {"spark-gauss", "spark-lobatto-ab", "mclachlan-perlmutter", "cortes-martinez"}) {
    SCOPED_TRACE(name);
    options.method = name;
    const Trajectory run = simulate(vanishing_gate(), options);
    ASSERT_EQ(run.status, Status::stopped);
    EXPECT_GE(run.steps, 7);
    EXPECT_LE(run.steps, 8);
    expect_contains(run.message, "singular");
    expect_contains(run.message, "'gate'");
  }
}

// --- restarts

TEST(SavedStepper, ContinuesWithTheSameBits) {
  for (const Model& model : {oscillator(), sleigh(), shipped("dae-hessenberg"), shipped("odae-exponential")}) {
    std::vector<Maker> makers;
    if (model.kind == Kind::odae) makers.push_back(method("euler-true", 0, 4));
    for (const std::string& name : fixed_step_methods(model)) makers.push_back(method(name));
    if (model.kind == Kind::mechanical) makers.push_back(method("spark-lobatto-ab", 2));
    if (model.key == "contact-oscillator") makers.push_back(method("mclachlan-perlmutter", 0, 6));
    for (std::size_t i = 0; i < makers.size(); ++i) {
      SCOPED_TRACE(model.key + " " + std::to_string(i));
      for (const int steps : {0, 1, 2, 3, 17}) {
        Motion whole(model, makers[i]), resumed(model, makers[i]);
        whole.advance(0.02, steps);
        const std::vector<double> saved = whole.stepper->save();
        whole.advance(0.02, 20);
        resumed.stepper->load(saved);
        resumed.advance(0.02, 20);
        EXPECT_EQ(whole.stepper->save(), resumed.stepper->save());
        EXPECT_EQ(whole.stepper->t(), resumed.stepper->t());
        EXPECT_EQ(whole.stepper->iterations, resumed.stepper->iterations);
      }
    }
  }
}

void expect_same_bits(const Trajectory& a, const Trajectory& b) {
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.multipliers, b.multipliers);
  EXPECT_EQ(a.records.rows, b.records.rows);
  EXPECT_EQ(a.records.t, b.records.t);
  EXPECT_EQ(a.records.q, b.records.q);
  EXPECT_EQ(a.records.v, b.records.v);
  EXPECT_EQ(a.records.multipliers, b.records.multipliers);
  EXPECT_EQ(a.records.energy, b.records.energy);
  EXPECT_EQ(a.records.residual_position, b.records.residual_position);
  EXPECT_EQ(a.records.residual_velocity, b.records.residual_velocity);
  EXPECT_EQ(a.newton_iterations, b.newton_iterations);
  EXPECT_EQ(a.newton_max_per_step, b.newton_max_per_step);
  if (a.energy && b.energy) {
    EXPECT_EQ(a.energy->max_error, b.energy->max_error);
    EXPECT_EQ(a.energy->drift_per_time, b.energy->drift_per_time);
    EXPECT_EQ(a.constraint_velocity, b.constraint_velocity);
  }
}

// A folder of its own, removed at the end.
struct Scratch {
  Scratch() {
    char name[] = "/tmp/rattleback-checkpoint-XXXXXX";
    path = mkdtemp(name);
  }
  ~Scratch() { std::filesystem::remove_all(path); }
  [[nodiscard]] std::string file() const { return (path / "run.checkpoint").string(); }
  std::filesystem::path path;
};

// Runs in a child process and is killed after a while. Returns whether it was killed before it was done.
bool run_and_kill(const Model& model, const Options& options, std::chrono::milliseconds after) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      simulate(model, options);
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  std::this_thread::sleep_for(after);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

TEST(Checkpoint, SurvivesBeingKilledAtAnyMomentAndResumesWithTheSameBits) {
  struct Case {
    Model model;
    std::string method;
    std::int64_t every;
  };
  const Case cases[] = {{shipped("quartic-particles", {{"j", "3"}}), "spark-gauss", 7},
                        {sleigh(), "cortes-martinez", 10},
                        {oscillator(), "rk-lobatto-iiia", 5}};
  int killed = 0;
  for (std::size_t seed = 0; seed < 6; ++seed) {
    const Case& c = cases[seed % 3];
    SCOPED_TRACE(c.model.key + " " + c.method + ", seed " + std::to_string(seed));
    Options options;
    options.method = c.method;
    options.step = 0.01;
    options.steps = 2'000;
    options.every = c.every;
    Trajectory whole;
    while (whole.wall_seconds < 0.6) {  // checkpoints are at least 0.1 s apart
      *options.steps *= 2;
      whole = simulate(c.model, options);
    }
    const Scratch scratch;
    options.checkpoint = scratch.file();
    options.checkpoint_seconds = 0.001;
    options.resume = true;
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int life = 0; life < 3; ++life)
      killed += run_and_kill(c.model, options, std::chrono::milliseconds(30 + random() % 300)) ? 1 : 0;
    expect_same_bits(simulate(c.model, options), whole);
  }
  EXPECT_GT(killed, 5);  // 18 of 18
}

// What a crash between its two writes leaves behind: records that the state does not know, and a half-written state.
TEST(Checkpoint, IgnoresWhatWasWrittenAfterIt) {
  const Scratch scratch;
  Options options;
  options.method = "spark-gauss";
  options.step = 0.01;
  options.steps = 500;
  options.every = 10;
  const Trajectory whole = simulate(oscillator(), options);
  options.checkpoint = scratch.file();
  options.steps = 200;
  simulate(oscillator(), options);
  std::ofstream(scratch.file() + ".records", std::ios::app) << std::string(1001, 'x');
  std::ofstream(scratch.file() + ".new") << "half";
  options.resume = true;
  options.steps = 500;
  expect_same_bits(simulate(oscillator(), options), whole);
}

TEST(Checkpoint, OfAFinishedRunIsNotRunAgain) {
  const Scratch scratch;
  Options options;
  options.method = "spark-gauss";
  options.step = 0.03;
  options.until = 1.0;  // with a shorter last step
  options.checkpoint = scratch.file();
  const Trajectory first = simulate(oscillator(), options);
  options.resume = true;
  expect_same_bits(simulate(oscillator(), options), first);
}

TEST(Checkpoint, ContinuesToALaterEnd) {
  const Scratch scratch;
  Options options;
  options.method = "spark-gauss";
  options.step = 0.01;
  options.steps = 500;
  options.every = 10;
  const Trajectory whole = simulate(oscillator(), options);
  options.checkpoint = scratch.file();
  options.steps = 200;
  simulate(oscillator(), options);
  options.resume = true;
  options.steps = 500;
  expect_same_bits(simulate(oscillator(), options), whole);
}

TEST(Checkpoint, OfAnotherRunIsRefused) {
  const Scratch scratch;
  Options options;
  options.method = "spark-gauss";
  options.step = 0.01;
  options.steps = 100;
  options.checkpoint = scratch.file();
  simulate(oscillator(), options);
  options.resume = true;
  options.step = 0.02;
  try {
    simulate(oscillator(), options);
    ADD_FAILURE() << "was accepted";
  } catch (const Error& error) {
    expect_contains(error.what(), "belongs to another run");
  }
}

TEST(Checkpoint, ThatIsDamagedIsRefused) {
  const Scratch scratch;
  Options options;
  options.method = "spark-gauss";
  options.step = 0.01;
  options.steps = 100;
  options.checkpoint = scratch.file();
  simulate(oscillator(), options);
  options.resume = true;
  const auto size = std::filesystem::file_size(scratch.file());
  for (const std::uintmax_t keep : {std::uintmax_t{0}, std::uintmax_t{4}, std::uintmax_t{20}, size / 2, size - 1}) {
    std::filesystem::resize_file(scratch.file(), keep);
    EXPECT_THROW(simulate(oscillator(), options), Error) << keep;
  }
}

}  // namespace
}  // namespace rattleback::testing
