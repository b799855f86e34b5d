// Declared angles are wrapped in the steps and reported with all their turns. Numbers at line ends: measured.
#include <algorithm>

#include "run/support.hpp"
#include "system/angles.hpp"

namespace rattleback::testing {
namespace {

constexpr double kTurn = 6.283185307179586;

// The same model without its angles: what the steps did before there were any.
Model plain(Model model) {
  model.angles.clear();
  return model;
}

// A pendulum that goes over the top at the rate w, again and again.
Model rotor(const std::string& more = "") {
  return parse_model(R"toml(
name = "Rotor"
coordinates = ["theta"]
angles = ["theta"]
[parameters]
w = 1000
A = 160000
[lagrangian]
kinetic = "theta'^2/2"
potential = "A*cos(theta)"
[initial]
"theta'" = "w"
)toml" + more,
                     "rotor.toml");
}

// One turn of it: theta'^2 = w^2 + 4 A sin(theta/2)^2, and the integral of 1/theta' is one of Gauss'.
double period(double w, double A) {
  double a = std::sqrt(w * w + 4.0 * A), b = w;
  for (int k = 0; k < 10; ++k) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return kTurn / a;
}

Options fixed(const std::string& method, int stages, double h, std::int64_t steps) {
  Options o;
  o.method = method;
  o.stages = stages;
  o.step = h;
  o.steps = steps;
  o.record_multipliers = false;
  return o;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double size = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) size = std::fmax(size, std::fabs(a[i] - b[i]));
  return size;
}

TEST(Turns, AreTakenAwayAndGivenBackWithoutRounding) {
  // 2 pi k for k turns, in 50 digits rounded to double.
  EXPECT_EQ(turned(0.0, 1e5), 628318.53071795864769);
  EXPECT_EQ(turned(0.0, -12345679.0), -77570188.89995557);
  EXPECT_EQ(turned(0.25, 3.0), 19.099555921538759);
  for (const double start : {6.3, -7.0, 100.0, 12345.678, -1e7}) {
    double angle = start, turns = 0.0;
    EXPECT_TRUE(wrap(angle, turns));
    EXPECT_LE(std::fabs(angle), 3.1416);
    EXPECT_NEAR(std::sin(angle), std::sin(start), 1e-15);
    EXPECT_EQ(turned(angle, turns), start);
    EXPECT_FALSE(wrap(angle, turns));
  }
  double angle = 6.28, turns = 0.0;
  EXPECT_FALSE(wrap(angle, turns));
  angle = 1e300;
  EXPECT_FALSE(wrap(angle, turns));
}

// 3125 turns in 10^5 steps. Without wrapping, theta is known to 4e-12 only, and so is the force at every step.
TEST(Angles, KeepTheirDigitsInALongRotation) {
  const double T = period(1000.0, 160000.0);
  Options o = fixed("spark-gauss", 6, T / 32.0, 100'000);
  o.every = 100;
  struct Seen {
    double energy, angle;
  };
  const auto measure = [&](const Model& model) {
    const Trajectory run = simulate(model, o);
    EXPECT_EQ(run.status, Status::done) << run.message;
    return Seen{run.energy->max_error / run.energy->initial,
                std::fabs(run.q[0] - turned(0.0, 3125.0)) / turned(0.0, 3125.0)};
  };
  const Seen wrapped = measure(rotor()), long_way = measure(plain(rotor()));
  EXPECT_LT(wrapped.energy, 1e-13);                        // 8.8e-15
  EXPECT_LT(wrapped.angle, 1e-14);                         // 0: the rounded exact angle
  EXPECT_GT(long_way.energy, 50.0 * wrapped.energy);       // 6.7e-12
  EXPECT_GT(long_way.angle, 3.0 * wrapped.angle + 1e-15);  // 4.3e-14
}

// q3 turns 4500 times. Without wrapping it is known to 4e-12 at the end; forces that are wrong by as much at every step
// change the speed, and the speed the angle.
TEST(Angles, OfTheGearboxAreReportedAsWithoutWrapping) {
  for (const auto& [method, stages] : {std::pair("mclachlan-perlmutter", 0), std::pair("spark-gauss", 2)}) {
    Options o = fixed(method, stages, 0.1, 100'000);
    o.every = 1000;
    const Model model = shipped("gearbox");
    ASSERT_EQ(model.angles, (std::vector<std::int32_t>{2}));
    const Trajectory a = simulate(model, o), b = simulate(plain(model), o);
    EXPECT_GT(a.q[2], 20'000.0);
    double angle = 0.0, rest = 0.0;
    for (std::size_t i = 0; i < a.records.q.size(); ++i)
      (i % 3 == 2 ? angle : rest) = std::fmax(i % 3 == 2 ? angle : rest, std::fabs(a.records.q[i] - b.records.q[i]));
    EXPECT_LT(angle, 1e-6);                                       // 1.3e-7 with both, of 28 000
    EXPECT_LT(rest, 1e-6);                                        // 7.4e-8, 2.2e-8
    EXPECT_NEAR(a.energy->max_error, b.energy->max_error, 1e-7);  // 4.78, and 1.685e-3
    EXPECT_EQ(a.newton_iterations, b.newton_iterations);          // velocities stay good starting guesses
  }
}

// Holonomic constraints, two steps, compositions, the symplectic Euler methods.
TEST(Angles, WrapInEveryKindOfStep) {
  struct Case {
    const char *system, *method;
    int stages;
    const char* formulation;
    int compose;
    double until;
  };
  for (const Case& c :
       {Case{"rolling-disc", "spark-lobatto-ab", 3, "ggl", 0, 20.0},
        Case{"rolling-disc", "prk-lobatto", 3, "", 0, 20.0}, Case{"rolling-disk", "cortes-martinez", 0, "", 0, 60.0},
        Case{"skate", "spark-lobatto-ab", 2, "", 4, 60.0}, Case{"skate", "srk-radau-ia", 2, "", 0, 60.0},
        Case{"andrews", "euler-true", 0, "", 2, 0.03}}) {
    const Model model = shipped(c.system);
    Options o;
    o.method = c.method;
    o.stages = c.stages;
    o.formulation = c.formulation;
    o.compose = c.compose;
    o.step = c.until / 600.0;
    o.until = c.until;
    const Trajectory a = simulate(model, o), b = simulate(plain(model), o);
    EXPECT_EQ(a.status, Status::done) << a.message;
    double most = 0.0, size = 0.0;
    for (const std::int32_t i : model.angles) most = std::fmax(most, std::fabs(a.q[static_cast<std::size_t>(i)]));
    for (const double x : b.records.q) size = std::fmax(size, std::fabs(x));
    EXPECT_GT(most, 1.5 * kTurn) << c.system;
    // At most 2.7e-12 and 1.8e-11 (andrews, whose velocities are 1e3).
    EXPECT_LT(largest_difference(a.records.q, b.records.q), 1e-12 * size) << c.system << " " << c.method;
    EXPECT_LT(largest_difference(a.records.v, b.records.v), 1e-11 * size) << c.system << " " << c.method;
  }
}

Model skew_rotor() {
  return parse_model(R"toml(
kind = "skew-gradient"
states = ["theta", "p"]
angles = ["theta"]
hamiltonian = "p^2/(2 + sin(theta)) + cos(theta)"
[pi]
"theta,p" = "1"
[initial]
p = 2.5
)toml",
                     "skew.toml");
}

TEST(Angles, OfASkewGradientSystemWrapToo) {
  for (const int stages : {2, 4}) {  // dense output from the ends, and through the stages
    Options o = fixed("srk-gauss", stages, 0.1, 3000);
    o.output_every = 0.03;
    o.event = {"theta - 500.5"};
    const Trajectory a = simulate(skew_rotor(), o), b = simulate(plain(skew_rotor()), o);
    EXPECT_GT(a.q[0], 600.0);
    // Here theta is among the unknowns, and solutions before a wrap are no starting guesses after it; eight
    // steps begin with poorer ones: 1.22. (The rest is a criterion of convergence that is relative to the state, which is smaller.)
    EXPECT_LT(static_cast<double>(a.newton_iterations), 1.25 * static_cast<double>(b.newton_iterations));
    EXPECT_LT(largest_difference(a.records.q, b.records.q), 1e-9);
    ASSERT_EQ(a.events.size(), 1U);
    ASSERT_EQ(b.events.size(), 1U);
    EXPECT_NEAR(a.events[0].t, b.events[0].t, 1e-10);
    EXPECT_NEAR(a.events[0].q[0], 500.5, 1e-12);
  }
}

// The records between the steps follow the angle through the wraps, and an event on it means all its turns.
TEST(Angles, BetweenTheStepsAndInEventsHaveAllTheirTurns) {
  for (const double tolerance : {0.0, 1e-8}) {
    Options o;
    o.method = "spark-gauss";
    o.stages = 3;
    o.step = 0.2;
    o.until = 40.0;
    o.adaptive = tolerance;
    o.output_every = 0.05;
    o.event = {"theta - 20", "sin(theta)", "theta - 2*pi"};
    const Trajectory run = simulate(shipped("skate"), o);  // theta = t
    EXPECT_EQ(run.records.rows, 801U);
    double worst = 0.0;
    for (std::size_t i = 0; i < run.records.rows; ++i)
      worst = std::fmax(worst, std::fabs(run.records.q[3 * i + 2] - run.records.t[i]));
    EXPECT_LT(worst, 1e-12);
    EXPECT_LT(*run.error, 1e-4);  // against [exact], which has theta = t
    int turns = 0;
    for (const EventFound& e : run.events) {
      EXPECT_NEAR(e.q[2], e.t, 1e-12);
      if (e.event == "theta - 20") EXPECT_NEAR(e.t, 20.0, 1e-12);
      if (e.event == "theta - 2*pi") EXPECT_NEAR(e.t, kTurn, 1e-12);
      if (e.event == "sin(theta)") EXPECT_NEAR(e.t, ++turns * kTurn / 2, 1e-12);
    }
    EXPECT_EQ(turns, 12);
    EXPECT_EQ(run.events.size(), 14U);
  }
}

// The error of a step that ends on either side of a wrap is not a turn.
TEST(Angles, DoNotDisturbTheStepControl) {
  for (const char* controller : {"pi", "reversible"}) {
    Options o = adaptive("spark-gauss", 2, 1e-7, 100.0, controller);
    o.formulation = "";
    const Trajectory a = simulate(shipped("gearbox"), o), b = simulate(plain(shipped("gearbox")), o);
    EXPECT_GT(a.q[2], 200.0);
    EXPECT_LT(largest_difference(a.q, b.q), 1e-3);
    EXPECT_LE(a.adaptive->rejected, b.adaptive->rejected + 10);                // 27 and 43; 0 and 0
    EXPECT_LT(a.adaptive->steps, b.adaptive->steps + b.adaptive->steps / 10);  // 1102 and 1098; 1968 and 1968
  }
}

TEST(Angles, AreResumedWithTheSameBits) {
  for (const bool controlled : {false, true}) {
    const Scratch folder;
    Options o = controlled ? adaptive("spark-gauss", 2, 1e-6, 60.0) : fixed("spark-gauss", 2, 0.1, 600);
    o.formulation = "";
    o.event = {"q3 - 50"};
    const Model model = shipped("gearbox");
    const Trajectory whole = simulate(model, o);
    Options part = o;
    part.checkpoint = folder.file();
    if (controlled)
      part.until = 31.0;
    else
      part.steps = 301;
    EXPECT_GT(simulate(model, part).q[2], 2.0 * kTurn);
    part.until = o.until;
    part.steps = o.steps;
    part.resume = true;
    const Trajectory resumed = simulate(model, part);
    expect_same_run(whole, resumed);
    ASSERT_EQ(whole.events.size(), 1U);
    ASSERT_EQ(resumed.events.size(), 1U);
    EXPECT_EQ(whole.events[0].q, resumed.events[0].q);
  }
}

TEST(Angles, TurnBackToTheStart) {
  for (const auto& [method, stages] :
       {std::pair("spark-gauss", 2), std::pair("mclachlan-perlmutter", 0), std::pair("cortes-martinez", 0)}) {
    Options o = fixed(method, stages, 0.05, 2000);
    o.audit_reverse = true;
    const Trajectory run = simulate(shipped("gearbox"), o);
    EXPECT_GT(run.q[2], 200.0);
    EXPECT_LT(*run.reverse_defect, 1e-11) << method;  // 2.1e-13, 9.8e-14, 2.6e-13
  }
  Options o = adaptive("spark-gauss", 2, 1e-6, 100.0, "reversible");
  o.formulation = "";
  o.audit_reverse = true;
  EXPECT_LT(*simulate(shipped("gearbox"), o).reverse_defect, 1e-8);
}

TEST(Angles, MayStartFarFromZero) {
  const auto gearbox = [](const char* q3) { return shipped("gearbox", {}, {{"q3", q3}, {"q1'", "-sin(1)*q2'"}}); };
  const Model near = gearbox("1"), far = gearbox("1 + 2000*pi");
  const Options o = fixed("spark-gauss", 2, 0.1, 200);
  const Trajectory a = simulate(near, o), b = simulate(far, o);
  EXPECT_EQ(b.records.q[2], far.q0[2]);
  EXPECT_NEAR(b.q[2] - a.q[2], 2000.0 * kTurn / 2.0, 1e-9);
  EXPECT_NEAR(b.q[0], a.q[0], 1e-10);
  EXPECT_NEAR(b.energy->initial, a.energy->initial, 1e-12);
}

TEST(Angles, DoNotChangeTheOrderThatIsMeasured) {
  Options o = fixed("spark-gauss", 2, 0.1, 400);
  o.audit_order = true;
  EXPECT_NEAR(*simulate(shipped("gearbox"), o).observed_order, 4.0, 0.1);
}

}  // namespace
}  // namespace rattleback::testing
