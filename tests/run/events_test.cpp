// Events: found, located with steps of the method, and without effect on the run. Numbers at line ends: measured.
#include "rattleback/trace.hpp"
#include "run/support.hpp"

namespace rattleback::testing {
namespace {

constexpr double kK = 1.8540746773013719184;  // complete elliptic integral K for k^2 = 1/2
constexpr double kPi = 3.14159265358979323846;

Options watch(const std::string& method, int stages, double h, double until, std::vector<std::string> events) {
  Options o;
  o.method = method;
  o.stages = stages;
  o.step = h;
  o.until = until;
  o.event = std::move(events);
  o.record_multipliers = false;
  return o;
}

// A pendulum released from the horizontal passes its lowest point at (2j + 1) K sqrt(l/g); y' vanishes there and at the
// turning points, at j K sqrt(l/g).
TEST(Events, OfThePendulumAreAtTheTimesOfTheClosedForm) {
  Options o = watch("spark-gauss", 5, 0.05, 10.0, {"x", "y'"});
  o.formulation = "index2";
  const Trajectory run = simulate(shipped("pendulum"), o);
  const double quarter = kK / std::sqrt(9.81);
  int lowest = 0, level = 0;
  double worst = 0.0;
  for (const EventFound& e : run.events) {
    if (e.event == "x") {
      const double exact = (2 * lowest + 1) * quarter;
      worst = std::fmax(worst, std::fabs(e.t - exact));
      EXPECT_EQ(e.direction, lowest % 2 == 0 ? -1 : 1);
      EXPECT_LT(std::fabs(e.q[0]), 1e-13);
      ++lowest;
    } else {
      worst = std::fmax(worst, std::fabs(e.t - (level + 1) * quarter));
      EXPECT_LT(std::fabs(e.v[1]), 1e-12);
      ++level;
    }
  }
  EXPECT_EQ(lowest, 8);
  EXPECT_EQ(level, 16);
  EXPECT_LT(worst, 1e-12);  // 8e-14
}

// The disk rolls on a circle: y = rho (1 - cos(omega t)).
TEST(Events, OfTheRollingDiskAreAtTheTimesOfTheExactSolution) {
  const Trajectory run =
      simulate(shipped("rolling-disk"), watch("spark-gauss", 6, 0.2, 20.0, {"y - R*Omega/omega", "x"}));
  double worst = 0.0;
  int count[2] = {0, 0};
  for (const EventFound& e : run.events) {
    int& k = count[e.event == "x" ? 1 : 0];
    const double exact = e.event == "x" ? (k + 1) * kPi / 2.0 : (k + 0.5) * kPi / 2.0;
    worst = std::fmax(worst, std::fabs(e.t - exact));
    ++k;
  }
  EXPECT_EQ(count[0], 13);
  EXPECT_EQ(count[1], 12);
  EXPECT_LT(worst, 1e-12);  // 9e-14
}

// The skate comes back to the line x = 1/4 at t = pi/4 + j pi/2, and turns round at x = 1/2.
TEST(Events, OfTheSkateAreAtTheTimesOfTheExactSolution) {
  const Trajectory run = simulate(shipped("skate"), watch("spark-gauss", 6, 0.2, 20.0, {"x - 0.25"}));
  double worst = 0.0;
  ASSERT_EQ(run.events.size(), 13U);
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    worst = std::fmax(worst, std::fabs(run.events[i].t - (static_cast<double>(i) + 0.5) * kPi / 2.0));
    EXPECT_EQ(run.events[i].direction, i % 2 == 0 ? 1 : -1);
  }
  EXPECT_LT(worst, 1e-12);
}

// The state of an event is the end of a step of the method: a run of one such step gives the same bits.
TEST(Events, AreStatesOfTheMethod) {
  const Model model = shipped("nonholonomic-particle");
  Options o = watch("spark-lobatto-ab", 3, 0.3, 0.9, {"x - 0.5"});
  const Trajectory run = simulate(model, o);
  ASSERT_EQ(run.events.size(), 1U);
  const EventFound& e = run.events[0];
  ASSERT_GT(e.t, 0.6);
  Options two = o;
  two.event.clear();
  two.until = {};
  two.steps = 2;
  const Trajectory before = simulate(model, two);
  Motion motion(model, method("spark-lobatto-ab", 3));
  motion.advance(0.3, 2);
  motion.advance(e.t - before.t, 1);
  for (std::size_t i = 0; i < e.q.size(); ++i) EXPECT_NEAR(motion.stepper->q()[i], e.q[i], 1e-15);
  EXPECT_LT(motion.observe().velocity, 1e-15);
}

TEST(Events, LeaveTheRunAsItIs) {
  const Model model = shipped("chaplygin-sleigh");
  for (const char* name :
       {"spark-lobatto-ab", "spark-gauss", "mclachlan-perlmutter", "cortes-martinez", "rk-lobatto-iiia"}) {
    SCOPED_TRACE(name);
    Options o = watch(name, 0, 0.12, 30.0, {});
    const Trajectory plain = simulate(model, o);
    o.event = {"sin(3*theta)", "cos(5*theta)"};
    const Trajectory watched = simulate(model, o);
    EXPECT_GE(watched.events.size(), 3U);
    expect_same_run(plain, watched);
    EXPECT_EQ(plain.newton_iterations, watched.newton_iterations);
  }
}

// One step may cross twice. y of the disk reaches 0.25 at t = pi/2; a little below, it is passed up and down.
TEST(Events, InsideOneStepAreBothFound) {
  const Trajectory run = simulate(shipped("rolling-disk"), watch("spark-gauss", 8, 0.5, 3.0, {"y - 0.2499"}));
  ASSERT_EQ(run.events.size(), 2U);
  const double half = std::acos(1.0 - 2.0 * 0.0001 / 0.25) / 2.0;  // 0.020 before and after
  EXPECT_NEAR(run.events[0].t, kPi / 2.0 - half, 1e-11);
  EXPECT_NEAR(run.events[1].t, kPi / 2.0 + half, 1e-11);
  EXPECT_EQ(run.events[0].direction, 1);
  EXPECT_EQ(run.events[1].direction, -1);
  // Just above the top there is nothing.
  EXPECT_TRUE(simulate(shipped("rolling-disk"), watch("spark-gauss", 8, 0.5, 3.0, {"y - 0.2500001"})).events.empty());
}

TEST(Events, AtTheEndsOfStepsAreFoundOnceAndNotAtTheStart) {
  // theta = t exactly: zeros at 0 (the start), 0.5 (the end of a step) and 1.0 (the end of the run).
  const Model model = shipped("skate");
  const Trajectory run = simulate(model, watch("spark-gauss", 2, 0.25, 1.0, {"theta", "theta - 0.5", "theta - 1"}));
  ASSERT_EQ(run.events.size(), 2U);
  EXPECT_EQ(run.events[0].event, "theta - 0.5");
  EXPECT_NEAR(run.events[0].t, 0.5, 1e-15);
  EXPECT_EQ(run.events[0].direction, 1);
  EXPECT_EQ(run.events[1].event, "theta - 1");
  EXPECT_NEAR(run.events[1].t, 1.0, 1e-15);
}

TEST(Events, OfTimeAndOfADae) {
  const Trajectory run = simulate(shipped("dae-hessenberg"), watch("srk-gauss", 4, 0.07, 1.0, {"y1 - 2", "t - 0.5"}));
  ASSERT_EQ(run.events.size(), 2U);
  EXPECT_NEAR(run.events[0].t, 0.5, 1e-14);
  EXPECT_NEAR(run.events[1].t, std::log(2.0), 1e-9);
  EXPECT_NEAR(run.events[1].q[0], 2.0, 1e-14);
  EXPECT_TRUE(run.events[1].v.empty());
}

TEST(Events, OfAdaptiveRunsAreAsAccurateAsTheRun) {
  for (const char* controller : {"pi", "reversible"}) {
    Options o = watch("spark-gauss", 4, 0.1, 10.0, {"x"});
    o.formulation = "index2";
    o.adaptive = 1e-11;
    o.controller = controller;
    const Trajectory run = simulate(shipped("pendulum"), o);
    ASSERT_EQ(run.events.size(), 8U) << controller;
    for (std::size_t i = 0; i < run.events.size(); ++i)
      EXPECT_NEAR(run.events[i].t, (2.0 * static_cast<double>(i) + 1.0) * kK / std::sqrt(9.81), 1e-8) << controller;
  }
}

TEST(Events, GoBackwards) {
  const Trajectory run = simulate(shipped("skate"), watch("spark-gauss", 6, -0.2, -5.0, {"x - 0.25"}));
  ASSERT_EQ(run.events.size(), 3U);
  EXPECT_NEAR(run.events[0].t, -kPi / 4.0, 1e-12);
  EXPECT_EQ(run.events[0].direction, 1);  // in the direction of the run
  EXPECT_GT(run.events[0].t, run.events[1].t);
}

TEST(Events, MayUseDefinitionsAndParameters) {
  const Trajectory run =
      simulate(shipped("chaplygin-sleigh"), watch("spark-gauss", 2, 0.12, 5.0, {"side + x - m - a*0.1"}));
  EXPECT_EQ(run.status, Status::done);
}

struct Spring {
  template <class T>
  T lagrangian(const T&, std::span<const T> q, std::span<const T> v) const {
    return (v[0] * v[0] - q[0] * q[0]) / 2.0;
  }
};

TEST(Events, OfAModelInCppUseItsCoordinates) {
  const Model model = trace(Spring{}, {.name = "spring", .coordinates = {"x"}, .q = {1.0}});
  const Trajectory run = simulate(model, watch("spark-gauss", 6, 0.2, 3.0, {"x"}));
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_NEAR(run.events[0].t, kPi / 2.0, 1e-13);
  EXPECT_EQ(message_of(model, watch("spark-gauss", 2, 0.2, 3.0, {"z"})),
            "--event z: unknown name `z` in the event \"z\". Known here: t, x, x'");
}

// rk-radau-ia imposes the constraints at the beginning of a step, so that it begins with a jump: here from 0.845 to 0.863. A
// zero between them is passed by no step, and is not reported as one.
TEST(Events, ThatAJumpPassesAreNotReported) {
  const Model model = parse_model(R"toml(
coordinates = ["x", "y"]
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "2*y"
[constraints.holonomic]
rod = "x - 0.8*sqrt(1 + y^2) - 0.2*sin(2*t)"
[initial]
x = 0.8
"x'" = 0.4
"y'" = 1
)toml",
                                  "jump.toml");
  Options o = {.method = "rk-radau-ia", .stages = 1, .step = 0.05, .steps = 6, .formulation = "ggl"};
  const Trajectory plain = simulate(model, o);
  int found = 0, passed = 0;
  for (std::size_t i = 1; i < 6; ++i) {
    const double mean = 0.5 * (plain.records.q[2 * i] + plain.records.q[2 * i + 2]);
    o.event = {"x - (" + std::to_string(mean) + ")"};
    const Trajectory run = simulate(model, o);
    for (const EventFound& e : run.events) EXPECT_NEAR(e.q[0], std::stod(std::to_string(mean)), 1e-12) << e.t;
    found += static_cast<int>(run.events.size());
    for (const std::string& note : run.notes)
      if (note.find("not located: no step of the method ends there") != std::string::npos) ++passed;
  }
  EXPECT_GE(found + passed, 5);
  EXPECT_GT(passed, 0);
}

TEST(Events, WithFaultsAreRefused) {
  const Model skate = shipped("skate");
  const auto fault = [&](const char* event) { return message_of(skate, watch("spark-gauss", 2, 0.1, 1.0, {event})); };
  EXPECT_EQ(fault("thta - 1"),
            "--event thta - 1: unknown name `thta` in the event \"thta - 1\". Did you mean `theta`? Known here: I, "
            "beta, g, m, "
            "t, theta, theta', x, x', y, y'");
  EXPECT_EQ(fault(""), "--event : the event is empty. Write an expression, for example \"x\"");
  EXPECT_EQ(message_of(skate, watch("ode", 0, 0.1, 1.0, {"x"})),
            "--event: method 'ode' chooses its own steps inside each interval and shows only the ends. Pass another "
            "--method");
}

}  // namespace
}  // namespace rattleback::testing
