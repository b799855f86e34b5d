// The promises of docs/theory/step-control.md, one test each. Numbers at line ends: measured.
#include "bind/applies.hpp"
#include "run/support.hpp"
#include "system/mechanical/step_density.hpp"

namespace rattleback::testing {
namespace {

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double d = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) d = std::fmax(d, std::fabs(a[i] - b[i]));
  return d;
}

// After whole turns the exact solution is the start again.
double error_after_a_turn(const Options& options) {
  const Trajectory run = simulate(kepler(), options);
  EXPECT_EQ(run.status, Status::done);
  return largest_difference(run.q, {0.2, 0.0, 0.0});
}

constexpr double kTurn = 6.283185307179586;

// --- the pi controller

TEST(PiController, GivesAnErrorInProportionToTheTolerance) {
  const double loose = error_after_a_turn(adaptive("spark-gauss", 2, 1e-6, kTurn));
  const double tight = error_after_a_turn(adaptive("spark-gauss", 2, 1e-9, kTurn));
  EXPECT_NEAR(std::log10(loose / tight), 3.0 * 4.0 / 5.0, 0.5);  // TOL^(p/(p+1))
}

TEST(PiController, TakesFewerStepsThanAFixedStepOfTheSameAccuracy) {
  const Trajectory run = simulate(kepler(), adaptive("spark-gauss", 2, 1e-8, kTurn));
  Options fixed = adaptive("spark-gauss", 2, 0.0, kTurn);
  fixed.step = kTurn / (2.0 * static_cast<double>(run.steps));  // a step of the controller is two of the method
  EXPECT_LT(20.0 * largest_difference(run.q, {0.2, 0.0, 0.0}), error_after_a_turn(fixed));
  EXPECT_GT(run.adaptive->largest, 5.0 * run.adaptive->smallest);
}

TEST(PiController, CountsWhatItDid) {
  const Model model = kepler();
  Options options = adaptive("spark-gauss", 2, 1e-7, kTurn);
  options.step = 1.0;  // far too large at the pericentre
  const Trajectory run = simulate(model, options);
  ASSERT_TRUE(run.adaptive);
  EXPECT_EQ(run.adaptive->controller, Controller::pi);
  EXPECT_EQ(run.adaptive->tolerance, 1e-7);
  EXPECT_EQ(run.adaptive->steps, run.steps);
  EXPECT_EQ(run.records.rows, static_cast<std::size_t>(run.steps) + 1);
  EXPECT_GT(run.adaptive->rejected, 0);
  EXPECT_LT(run.adaptive->rejected, run.steps / 4);
  EXPECT_EQ(run.t, kTurn);
  double smallest = INFINITY, largest = 0.0;
  for (std::size_t i = 2; i < run.records.rows; ++i) {
    smallest = std::fmin(smallest, run.records.t[i - 1] - run.records.t[i - 2]);
    largest = std::fmax(largest, run.records.t[i - 1] - run.records.t[i - 2]);
  }
  EXPECT_NEAR(run.adaptive->smallest, smallest, 1e-13);
  EXPECT_NEAR(run.adaptive->largest, largest, 1e-13);
}

void expect_iterations_of_steps(const Trajectory& run) {
  EXPECT_LE(run.newton_iterations, run.newton_max_per_step * run.steps);
  EXPECT_LE(run.newton_max_per_step, run.newton_iterations);
  EXPECT_EQ(run.newton_iterations == 0, run.steps == 0);
}

// All that was spent on a step, also on its rejected tries; so that the average is not above the maximum.
TEST(Iterations, AreThoseOfTheStepsTaken) {
  for (const char* controller : {"pi", "reversible"}) {
    SCOPED_TRACE(controller);
    Options options = adaptive("spark-gauss", 2, 1e-7, kTurn, controller);
    options.step = 1.0;
    expect_iterations_of_steps(simulate(kepler(), options));
  }
  // One step of the pi controller is three of the method, and a rejected one three more.
  Options options = adaptive("spark-gauss", 2, 1e-7, kTurn);
  options.step = 1.0;
  const Trajectory chosen = simulate(kepler(), options);
  const Trajectory fixed =
      simulate(kepler(), {.method = "spark-gauss", .stages = 2, .step = 0.01, .until = kTurn, .formulation = "index2"});
  EXPECT_GE(chosen.newton_max_per_step, 6 * (fixed.newton_iterations / fixed.steps));
  expect_iterations_of_steps(fixed);
}

TEST(Iterations, LeaveOutTheStepThatFailed) {
  const Model model =
      parse_model("coordinates = ['x']\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = '-exp(x)'\n", "escaping.toml");
  Options options{.method = "spark-gauss", .stages = 2, .step = 0.01, .until = 10.0};
  for (const int compose : {0, 4})
    for (const bool watched : {false, true}) {
      options.compose = compose;
      options.event.clear();
      if (watched) options.event = {"x - 100"};
      const Trajectory run = simulate(model, options);
      ASSERT_EQ(run.status, Status::stopped);
      EXPECT_GT(run.steps, 100);
      EXPECT_LT(run.newton_max_per_step, compose == 0 ? 10 : 100);  // the step that failed took 100
      expect_iterations_of_steps(run);
    }
  options.compose = 0;
  options.event.clear();
  options.adaptive = 1e-6;
  const Trajectory chosen = simulate(model, options);
  ASSERT_EQ(chosen.status, Status::stopped);
  expect_iterations_of_steps(chosen);
}

TEST(PiController, StopsInTheFirstStepWhenNoneIsPossible) {
  const Model model =
      parse_model("coordinates = ['x']\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = '-x*sqrt(-t)'\n", "dies.toml");
  const Trajectory run = simulate(model, adaptive("spark-gauss", 2, 1e-6, 1.0));
  EXPECT_EQ(run.status, Status::stopped);
  EXPECT_EQ(run.steps, 0);
  EXPECT_NE(run.message.find("Nothing was integrated."), std::string::npos) << run.message;
  EXPECT_EQ(run.message.find("h = 0)"), std::string::npos) << run.message;
  expect_iterations_of_steps(run);
}

TEST(PiController, WorksForEveryOneStepMethodAndKeepsItsConstraints) {
  for (const MethodEntry& entry : registry()) {
    const auto* const own = entry.as<OwnEquations>();
    const bool two_step = own != nullptr && own->first_step != nullptr;
    if (entry.as<Baseline>() != nullptr || two_step || !entry.info.kinds.has(Kind::mechanical)) continue;
    SCOPED_TRACE(entry.info.name);
    const Model model = shipped("nonholonomic-particle");
    if (!why_not(entry, model, Formulation::none).empty()) continue;
    Options options;
    options.method = entry.info.name;
    options.adaptive = 1e-5;
    if (entry.info.name == "gonzalez-f") {
      options.until = 5.0;
      EXPECT_THROW((void)simulate(model, options), Error);
      continue;
    }
    options.step = 0.1;
    options.until = 5.0;
    const Trajectory run = simulate(model, options);
    EXPECT_EQ(run.status, Status::done) << run.message;
    EXPECT_LT(run.energy->max_error, 0.01);
    if (entry.info.constraints.find("rounding") != std::string_view::npos) {
      EXPECT_LT(run.constraint_velocity.value(), 1e-13);
    }
  }
}

TEST(PiController, IntegratesADae) {
  Options options;
  options.method = "srk-gauss";
  options.stages = 2;
  options.adaptive = 1e-8;
  options.until = 1.0;
  const Trajectory run = simulate(shipped("dae-hessenberg"), options);
  EXPECT_EQ(run.status, Status::done);
  EXPECT_LT(run.error.value(), 1e-6);
  options.adaptive = 1e-5;
  EXPECT_GT(simulate(shipped("dae-hessenberg"), options).error.value(), 5.0 * run.error.value());
}

TEST(PiController, IntegratesBackwards) {
  Options options = adaptive("spark-gauss", 2, 1e-7, -kTurn);
  const Trajectory run = simulate(kepler(), options);
  EXPECT_EQ(run.t, -kTurn);
  EXPECT_LT(run.step, 0.0);
  EXPECT_LT(largest_difference(run.q, {0.2, 0.0, 0.0}), 1e-2);
}

TEST(PiController, StopsWhereTheSolutionEnds) {
  const Model model = parse_model(R"toml(
coordinates = ["x"]
[lagrangian]
kinetic = "x'^2/2"
[forces]
x = "x'^2"
[initial]
"x'" = 1.0
)toml",
                                  "explosion.toml");
  const Trajectory run = simulate(model, adaptive("spark-gauss", 2, 1e-6, 2.0));  // x' = 1/(1 - t)
  EXPECT_EQ(run.status, Status::stopped);
  EXPECT_NEAR(run.t, 1.0, 1e-3);
  EXPECT_NE(run.message.find("No cure was found: --adaptive down to "), std::string::npos) << run.message;
  EXPECT_NE(run.message.find("The solution seems to end there"), std::string::npos) << run.message;
}

// --- the step density

// G by its formula against differences of ln Q along the motion, on systems whose mass is constant, depends on the
// position, and with constraints of both kinds.
TEST(StepDensity, HasTheExactDerivativeAlongTheMotion) {
  struct Case {
    Model model;
    std::string formulation;
  };
  for (const Case& c : {Case{kepler(), "index2"}, Case{shipped("chaplygin-sleigh", {}, {{"theta'", "0.9"}}), ""},
                        Case{shipped("double-pendulum"), "index2"}, Case{nonlinear_contact(), ""},
                        Case{moving_contact(), ""}, Case{magnetic_particle(), ""}}) {
    SCOPED_TRACE(c.model.name);
    const auto logarithm = [&](double t, double* G) {
      Options o = adaptive("spark-gauss", 6, 0.0, t);
      o.formulation = c.formulation;
      o.step = t / 50.0;
      o.keep_records = false;
      const Trajectory run = simulate(c.model, o);
      const System system(c.model);
      StepDensity density(system.mechanical());
      density.v2_ref = 0.3;
      density.w2_ref = 0.2;
      EXPECT_TRUE(density.solve(t, run.q, run.v));
      if (G != nullptr) *G = density.G();
      return std::log(density.Q());
    };
    const double d = 1e-3;
    double G = 0.0;
    logarithm(0.7, &G);
    const double slope = (8.0 * (logarithm(0.7 + d, nullptr) - logarithm(0.7 - d, nullptr)) -
                          (logarithm(0.7 + 2 * d, nullptr) - logarithm(0.7 - 2 * d, nullptr))) /
                         (12.0 * d);
    EXPECT_GT(std::fabs(G), 1e-3);
    EXPECT_NEAR(G, slope, 1e-8 * (1.0 + std::fabs(G)));
  }
}

TEST(StepDensity, IsEvenAndItsDerivativeOddUnderReversal) {
  const Model model = shipped("chaplygin-sleigh", {}, {{"theta'", "0.9"}, {"x'", "0.4"}});
  const System system(model);
  StepDensity density(system.mechanical());
  density.v2_ref = 0.3;
  density.w2_ref = 0.2;
  std::vector<double> v = model.v0;
  ASSERT_TRUE(density.solve(0.0, model.q0, v));
  const double Q = density.Q(), G = density.G();
  for (double& x : v) x = -x;
  ASSERT_TRUE(density.solve(0.0, model.q0, v));
  EXPECT_NEAR(density.Q(), Q, 1e-15 * Q);
  EXPECT_NEAR(density.G(), -G, 1e-14 * std::fabs(G));
  EXPECT_GT(std::fabs(G), 1e-3);
}

// --- the reversible controller

TEST(ReversibleController, ReturnsToTheStartWithSymmetricMethodsOnly) {
  for (const auto& [name, stages] : {std::pair("spark-gauss", 2), std::pair("spark-lobatto-ab", 3)}) {
    SCOPED_TRACE(name);
    Options options = adaptive(name, stages, 1e-6, 60.0, "reversible");
    options.audit_reverse = true;
    const Trajectory run = simulate(kepler(), options);
    EXPECT_GT(run.steps, 500);
    EXPECT_GT(run.adaptive->largest, 5.0 * run.adaptive->smallest);
    EXPECT_LT(run.reverse_defect.value(), 1e-9);
    options.controller = "pi";
    EXPECT_GT(simulate(kepler(), options).reverse_defect.value(), 1e-6);
  }
  Options options = adaptive("srk-radau-ia", 2, 1e-6, 60.0, "reversible");
  options.audit_reverse = true;
  const Trajectory run = simulate(kepler(), options);
  EXPECT_GT(run.reverse_defect.value(), 1e-6);
  ASSERT_FALSE(run.notes.empty());
  EXPECT_NE(run.notes.front().find("srk-radau-ia is not symmetric here"), std::string::npos);
}

TEST(ReversibleController, ReturnsToTheStartWithConstraintsAtPositionLevel) {
  Options options = adaptive("rattle", 0, 1e-5, 5.0, "reversible");
  options.formulation = "";
  options.audit_reverse = true;
  const Trajectory run = simulate(shipped("double-pendulum"), options);
  EXPECT_LT(run.constraint_position.value(), 1e-14);  // 4e-16
  EXPECT_LT(run.reverse_defect.value(), 1e-9);
  options.controller = "pi";
  EXPECT_GT(simulate(shipped("double-pendulum"), options).reverse_defect.value(), 1e-6);
}

TEST(ReversibleController, GivesAnErrorThatFollowsTheTolerance) {
  const double loose = error_after_a_turn(adaptive("spark-gauss", 2, 1e-6, kTurn, "reversible"));
  const double tight = error_after_a_turn(adaptive("spark-gauss", 2, 1e-9, kTurn, "reversible"));
  EXPECT_NEAR(std::log10(loose / tight), 3.0 * 4.0 / 5.0, 0.5);
}

// rk-gauss with one stage carries an error of the velocities along, off their constraints, that no step makes smaller. Where
// the pilot's steps shrink for it (from 4e-3 to 4e-7 without an end, from t = 0.8 on), the run's must not.
TEST(ReversibleController, DoesNotFollowAPilotThatCollapses) {
  const Model model = parse_model(R"toml(coordinates = ["x", "y", "z", "theta", "u1", "s"]
[parameters]
m0 = 1.3
k0 = "2*m0 - 0.4"
[lagrangian]
kinetic = "m0*x'^2/2 + 1.715*y'^2/2 + 1.67*z'^2/2 + 0.903*theta'^2/2 + 1.265*u1'^2/2 + 1.742*s'^2/2"
potential = "k0*x^2/5 + 2.624*x^2/2 + 1.21*y^2/2 + 0.953*z^2/2 + 0.553*theta^2/2 + 2.52*u1^2/2 + 0.712*s^2/2 + 1.182*y*y/(1 + y^2) + 1.386*sin(x)"
[constraints.holonomic]
rod = "((x + 1.271)^2 + 0.545*theta^2 - 1.6154409999999997)/2"
[constraints.nonholonomic]
c_two = "y' - (0.546*log(2 + x^2))*u1'"
[forces]
y = "-0.146*y' + 0.415*cos(2.346*t) + (-0.1)*y'^3"
z = "-0.06*z' + 0.055*sqrt(1 + lambda(rod)^2)*tanh(z')"
theta = "-0.065*theta' + 0.58*cos(0.858*t)"
s = "-0.438*s' + 0.333*cos(2.35*t)"
[initial]
"x" = -0.03560883410586572
"x'" = -0.012275947402139614
"y" = 0.48
"y'" = 0.0514084331827925
"z" = 0.471
"z'" = -0.853
"theta" = -0.4046737665133416
"theta'" = -0.06876349726725364
"u1" = -0.233
"u1'" = 0.1357123401041924
"s" = 0.425
"s'" = -0.366
)toml",
                                  "collapse.toml", {});
  Options options = adaptive("rk-gauss", 1, 1e-7, 0.4);
  options.formulation = "index2";
  options.controller = "reversible";
  const Trajectory run = simulate(model, options);
  EXPECT_EQ(run.status, Status::done);
  EXPECT_LT(run.steps, 20'000);  // 2e8 with the whole pilot
}

TEST(ReversibleController, DoesNotVaryTheStepOfAnOscillatorMuch) {
  const Model model = shipped("contact-oscillator", {{"eps", "0.8"}, {"z0", "-0.55"}});
  Options options = adaptive("spark-gauss", 2, 1e-6, 500.0, "reversible");
  const Trajectory run = simulate(model, options);
  EXPECT_EQ(run.status, Status::done);
  EXPECT_LT(run.adaptive->largest, 4.0 * run.adaptive->smallest);
}

TEST(ReversibleController, RunsOnFreeMotionAndFromRest) {
  EXPECT_EQ(simulate(shipped("rolling-disk"), adaptive("spark-gauss", 2, 1e-6, 20.0, "reversible")).status,
            Status::done);
  EXPECT_EQ(simulate(shipped("pendulum"), adaptive("spark-gauss", 2, 1e-6, 20.0, "reversible")).status, Status::done);
}

// --- requests that are refused

TEST(Adaptive, IsRefusedWhereItHasNoMeaning) {
  const Model particle = shipped("nonholonomic-particle");
  Options options = adaptive("cortes-martinez", 0, 1e-5, 1.0);
  EXPECT_EQ(
      message_of(particle, options),
      "--adaptive: method 'cortes-martinez' is a two-step method, whose formula ties neighbouring steps together, so "
      "its step is fixed. Leave --adaptive out, or pass another --method");
  for (const char* name : {"ode", "index1"}) {
    options.method = name;
    EXPECT_EQ(message_of(particle, options),
              std::string("--adaptive: method '") + name + "' chooses its own steps; set --rtol and --atol instead");
  }
  options = adaptive("srk-gauss", 2, 1e-5, 1.0, "reversible");
  EXPECT_EQ(
      message_of(shipped("dae-hessenberg"), options),
      "--controller reversible needs a mechanical system: its step density is made of velocity and acceleration. Use "
      "--controller pi");
  EXPECT_EQ(message_of(shipped("friction-on-cubic"), {.until = 0.77, .adaptive = 1e-4}),
            "--adaptive: steps of method 'euler-true' are cut at contacts and lift-offs on a system with unilateral "
            "constraints, where its errors do not shrink with the step as an estimate needs it. Leave --adaptive out");
}

// --- restarts

TEST(AdaptiveCheckpoint, ContinuesWithTheSameBits) {
  for (const char* controller : {"pi", "reversible"}) {
    SCOPED_TRACE(controller);
    const Model model = kepler();
    const Scratch scratch;
    Options options = adaptive("spark-gauss", 2, 1e-7, 40.0, controller);
    options.event = {"x", "y - 0.1"};
    const Trajectory whole = simulate(model, options);
    options.checkpoint = scratch.file();
    options.until = 17.0;
    (void)simulate(model, options);
    options.until = 40.0;
    options.resume = true;
    const Trajectory resumed = simulate(model, options);
    expect_same_run(whole, resumed);
    EXPECT_EQ(whole.adaptive->rejected, resumed.adaptive->rejected);
    EXPECT_EQ(whole.adaptive->smallest, resumed.adaptive->smallest);
    EXPECT_EQ(whole.adaptive->largest, resumed.adaptive->largest);
    EXPECT_EQ(whole.step, resumed.step);
    EXPECT_EQ(whole.newton_iterations, resumed.newton_iterations);
    EXPECT_EQ(whole.newton_max_per_step, resumed.newton_max_per_step);
    EXPECT_EQ(whole.watched, resumed.watched);
    ASSERT_EQ(whole.events.size(), resumed.events.size());
    EXPECT_GT(whole.events.size(), 10U);
    for (std::size_t i = 0; i < whole.events.size(); ++i) {
      EXPECT_EQ(whole.events[i].t, resumed.events[i].t);
      EXPECT_EQ(whole.events[i].q, resumed.events[i].q);
    }
  }
}

}  // namespace
}  // namespace rattleback::testing
