// Promises on docs/methods/euler_*.md, one test each. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <cmath>

#include "bind/bind_overdetermined.hpp"
#include "support/properties.hpp"

namespace rattleback::testing {
namespace {

const std::vector<std::string> kAll = {"euler-natural", "euler-true", "euler-conjugate-natural",
                                       "euler-conjugate-true"};

Model exponential() { return shipped("odae-exponential"); }
Model cubic() { return shipped("friction-on-cubic"); }

// JS (4.1) with the reaction made affine in psi: psi^2 -> psi0(t) psi with the same solution.
Model affine_exponential() {
  std::string text = exponential().text;
  const std::string from = "y2*z1*psi^2";
  text.replace(text.find(from), from.size(), "y2*z1*exp(t)*psi");
  return parse_model(text, "affine.toml");
}

struct Errors {
  double y = 0.0, z = 0.0, psi = 0.0;
};

Errors errors_at_one(const std::string& name, int steps, int compose = 0, double alpha = 0.5) {
  Options options;
  options.method = name;
  options.compose = compose;
  options.alpha = alpha;
  options.step = 1.0 / steps;
  options.steps = steps;
  options.keep_records = false;
  const Trajectory run = simulate(exponential(), options);
  EXPECT_EQ(run.status, Status::done) << run.message;
  const double a = std::exp(2.0), b = std::exp(-1.0);
  return {std::hypot(run.q[0] - a, run.q[1] - b), std::hypot(run.v[0] - a, run.v[1] - b),
          std::fabs(run.multipliers[0] - std::exp(1.0))};
}

// One step of a scheme that need not be registered, from a given state.
class OneStep {
 public:
  OneStep(const Model& model, const EulerScheme& scheme) : system_(model) {
    const auto* const own = system_.as<Overdetermined>();
    const Overdetermined o = own != nullptr ? *own : Overdetermined(system_.mechanical());
    stepper_ = euler_stepper(o, {.scheme = scheme, .solve = {.cautious = true}}, std::make_unique<Acceleration>(o));
  }
  std::vector<double> operator()(const std::vector<double>& x, double h, std::span<const double> psi) {
    const std::size_t n = x.size() / 2;
    stepper_->start(0.0, std::span(x).first(n), std::span(x).subspan(n), psi, {});
    EXPECT_TRUE(stepper_->advance(h, 1).ok);
    std::vector<double> out(stepper_->q().begin(), stepper_->q().end());
    out.insert(out.end(), stepper_->v().begin(), stepper_->v().end());
    return out;
  }

 private:
  System system_;
  std::unique_ptr<PlanStepper> stepper_;
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double d = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) d = std::fmax(d, std::fabs(a[i] - b[i]));
  return d;
}

// JS-4.1
TEST(OverdeterminedEuler, TrueMethodHasTheErrorsOfTheSource) {
  const std::vector<double> y = {3.8e-1, 1.8e-1, 8.9e-2, 4.4e-2};  // at h = 0.02, 0.01, 0.005, 0.0025
  double last = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const Errors e = errors_at_one("euler-true", 50 << i);
    EXPECT_NEAR(e.y, y[i], 0.02 * y[i]);                   // 0.38240, 0.18187, 0.08880, 0.04389
    if (i == 3) EXPECT_NEAR(slope(last, e.y), 1.0, 0.03);  // 1.017
    last = e.y;
  }
}

TEST(OverdeterminedEuler, NaturalMethodDoesNotConverge) {
  const Errors coarse = errors_at_one("euler-natural", 1600), fine = errors_at_one("euler-natural", 6400);
  EXPECT_NEAR(fine.y, 0.43, 0.01);   // JS-4.1: 0.43
  EXPECT_NEAR(fine.z, 1.20, 0.015);  // JS-4.1: 1.20
  EXPECT_GT(fine.y, 0.95 * coarse.y);
}

// JS section 3.4: it converges with order 1, but to the solution of other equations.
TEST(OverdeterminedEuler, NaturalMethodConvergesToItsLimit) {
  for (const double alpha : {0.4, 0.5, 0.6}) {
    const Model limit = load_model("odae-exponential-limit", {.set = {{"alpha", std::to_string(alpha)}}});
    const Trajectory there = simulate(limit, {.method = "euler-true", .step = 0.01, .until = 0.5, .compose = 8});
    ASSERT_EQ(there.status, Status::done) << there.message;
    EXPECT_NEAR(there.multipliers[0], 0.0, 1e-12);
    const auto error = [&](int steps) {
      const Trajectory run =
          simulate(exponential(), {.method = "euler-natural", .step = 0.5 / steps, .steps = steps, .alpha = alpha});
      EXPECT_EQ(run.status, Status::done) << run.message;
      return distance(run.q, there.q) + distance(run.v, there.v);
    };
    EXPECT_NEAR(error(1000) / error(2000), 2.0, 0.05) << alpha;
    EXPECT_LT(error(2000), 0.01) << alpha;
  }
}

TEST(OverdeterminedEuler, ConvergesAtDeclaredOrderInEveryComponent) {
  for (const char* name : {"euler-true", "euler-conjugate-true"})
    for (const double alpha : {0.5, 0.3, 1.0, 2.0}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(alpha));
      const Errors a = errors_at_one(name, 800, 0, alpha), b = errors_at_one(name, 1600, 0, alpha);
      EXPECT_NEAR(slope(a.y, b.y), 1.0, 0.03);      // 0.994 .. 1.02
      EXPECT_NEAR(slope(a.z, b.z), 1.0, 0.03);      // 0.98 .. 1.02
      EXPECT_NEAR(slope(a.psi, b.psi), 1.0, 0.03);  // 0.99 .. 1.01
    }
}

TEST(OverdeterminedEuler, CompositionsWithTheAdjointHaveTheirOrder) {
  for (const auto& [compose, steps] : {std::pair{2, 40}, {4, 20}, {6, 40}}) {
    SCOPED_TRACE(compose);
    for (const char* name : {"euler-true", "euler-conjugate-true"}) {
      const Errors a = errors_at_one(name, steps, compose), b = errors_at_one(name, 2 * steps, compose);
      EXPECT_NEAR(slope(a.y, b.y), compose, 0.3);
      EXPECT_NEAR(slope(a.z, b.z), compose, 0.3);
      EXPECT_NEAR(slope(a.psi, b.psi), compose, 0.3);  // 5.74: rounding
    }
  }
}

TEST(OverdeterminedEuler, KeepsBothLevelsToRounding) {
  for (const std::string& name : kAll) {
    Motion motion(exponential(), method(name));
    double position = 0.0, velocity = 0.0;
    for (int k = 0; k < 100; ++k) {
      motion.advance(0.01, 1);
      const System::Observation o = motion.observe();
      position = std::fmax(position, o.position);
      velocity = std::fmax(velocity, o.velocity);
    }
    EXPECT_LT(position, 2e-14) << name;  // 4e-16
    EXPECT_LT(velocity, 4e-14) << name;  // 9e-16
  }
}

// Phi*_h is the inverse of Phi_{-h}.
TEST(OverdeterminedEuler, AdjointUndoesTheMethodWithTheOppositeStep) {
  double worst = 0.0;
  for (const Model& model : {exponential(), cubic()}) {
    const System system(model);
    const Start start = consistent_start(system, false);
    std::vector<double> x = start.q;
    x.insert(x.end(), start.v.begin(), start.v.end());
    for (const bool natural : {false, true})
      for (const bool conjugate : {false, true}) {
        const EulerScheme scheme{.natural = natural, .conjugate = conjugate};
        EulerScheme back = scheme;
        back.adjoint = true;
        OneStep phi(model, scheme), adjoint(model, back);
        for (const double h : {0.05, 0.01, 1e-3}) {
          const std::vector<double> there = phi(x, -h, start.multipliers);
          EXPECT_GT(distance(there, x), 0.1 * h);
          const double defect = distance(adjoint(there, h, start.multipliers), x) / 10.0;
          EXPECT_LT(defect, 3e-14) << model.key << natural << conjugate << h;
          worst = std::fmax(worst, defect);
        }
      }
  }
  RecordProperty("worst", std::to_string(worst));
}

// The conjugate method is the adjoint where r is affine in psi, and another method where it is not.
TEST(OverdeterminedEuler, ConjugateMethodIsTheAdjointOnlyForAffineReactions) {
  const auto difference = [](const Model& model, double h) {
    const System system(model);
    const Start start = consistent_start(system, false);
    std::vector<double> x = start.q;
    x.insert(x.end(), start.v.begin(), start.v.end());
    OneStep adjoint(model, {.adjoint = true}), conjugate(model, {.conjugate = true});
    return distance(adjoint(x, h, start.multipliers), conjugate(x, h, start.multipliers));
  };
  EXPECT_LT(difference(affine_exponential(), 0.01), 1e-14);
  EXPECT_GT(difference(exponential(), 0.01), 1e-6);
  EXPECT_NEAR(slope(difference(exponential(), 0.01), difference(exponential(), 0.005)), 2.0, 0.3);
}

TEST(OverdeterminedEuler, CompositionReturnsToStartWhenTimeIsReversed) {
  EXPECT_LT(round_trip_defect(method("euler-true", 0, 2), exponential(), 0.02, 50), 1e-11);
  EXPECT_LT(round_trip_defect(method("euler-true", 0, 4), exponential(), 0.02, 50), 1e-11);
  EXPECT_GT(round_trip_defect(method("euler-true"), exponential(), 0.02, 50), 1e-3);  // not symmetric by itself
}

TEST(OverdeterminedEuler, NaturalAndTrueAreTheSameForAffineReactions) {
  for (const bool conjugate : {false, true}) {
    const std::string middle = conjugate ? "conjugate-" : "";
    Motion a(affine_exponential(), method("euler-" + middle + "natural")),
        b(affine_exponential(), method("euler-" + middle + "true"));
    a.advance(0.01, 100);
    b.advance(0.01, 100);
    EXPECT_LT(distance(a.state().q, b.state().q), 1e-13);
    EXPECT_LT(distance(a.state().v, b.state().v), 1e-13);
  }
}

TEST(OverdeterminedEuler, WarnsWithTheTheoremOnlyWhereTheNaturalMethodIsInconsistent) {
  const auto notes = [](const Model& model, const std::string& name) {
    Options options;
    options.method = name;
    options.step = 0.01;
    options.steps = 1;
    const Trajectory run = simulate(model, options);
    return run.notes;
  };
  for (const std::string& name : kAll) {
    const bool natural = name.ends_with("natural");
    EXPECT_EQ(notes(exponential(), name).size(), natural ? 1U : 0U) << name;
    EXPECT_EQ(notes(cubic(), name).size(), natural ? 1U : 0U) << name;
    EXPECT_EQ(notes(affine_exponential(), name).size(), 0U) << name;
  }
  EXPECT_NE(notes(cubic(), "euler-natural")[0].find("theorem 3.1"), std::string::npos);
}

// Psi_0 has two values in the limit, 0.618 and -1.618 at the start of (4.1); with a guess of psi far away on the same side
// the branch of the motion is found, and on the other side lies another solution of the system.
TEST(OverdeterminedEuler, FindsTheBranchOfPsi0) {
  for (const auto& [conjugate, limit] : {std::pair{false, 0.6180339887498949}, {true, 1.3027756377319946}}) {
    const Model model = exponential();
    const System system(model);
    BranchedMultipliers branch(*system.as<Overdetermined>(), {.conjugate = conjugate});
    ASSERT_TRUE(branch.solve(0.0, model.q0, model.v0, std::vector<double>{1.0}));
    EXPECT_NEAR(branch.values()[0], limit, 1e-14);
    ASSERT_TRUE(branch.solve(0.0, model.q0, model.v0, std::vector<double>{-2.0}));  // the other consistent psi
    EXPECT_NEAR(branch.values()[0], -1.0 - limit, 1e-14);
  }
  for (const char* guess : {"5", "0.1", "30"}) {
    const Trajectory run = simulate(shipped("odae-exponential", {}, {{"psi", guess}}),
                                    {.method = "euler-true", .step = 0.01, .steps = 100});
    EXPECT_NEAR(run.q[0], 7.570876521, 1e-9) << guess;
  }
}

// Psi_0 does not exist on the branch: alpha of the wrong sign asks for psi^2 + psi = -1.
TEST(OverdeterminedEuler, StopsWhereThereIsNoPsi0) {
  const Trajectory run = simulate(exponential(), {.method = "euler-true", .step = 0.01, .steps = 10, .alpha = -0.5});
  EXPECT_EQ(run.status, Status::stopped);
  EXPECT_EQ(run.steps, 0);
}

// JS-4.3
TEST(OverdeterminedEuler, FrictionOnTheCubicHasTheErrorsOfTheSource) {
  Motion reference(cubic(), method("euler-true", 0, 6));
  reference.advance(1.0 / 800, 800);
  const Motion::State end = reference.state();
  const auto error = [&](const std::string& name, int steps) {
    Motion motion(cubic(), method(name));
    motion.advance(1.0 / steps, steps);
    const Motion::State x = motion.state();
    return std::pair{std::hypot(x.q[0] - end.q[0], x.q[1] - end.q[1]),
                     std::hypot(x.v[0] - end.v[0], x.v[1] - end.v[1])};
  };
  const double coarse = error("euler-true", 50).first, fine = error("euler-true", 400).first;
  EXPECT_NEAR(coarse, 8.0e-2, 0.05e-2);              // h = 0.02: 8.02e-2
  EXPECT_NEAR(fine, 9.8e-3, 0.05e-3);                // h = 0.0025: 9.79e-3
  EXPECT_NEAR(slope(coarse, fine, 8.0), 1.0, 0.03);  // 1.01
  EXPECT_LT(error("euler-true", 8000).first, 6e-4);  // 4.9e-4
  // The natural method's errors look like those of the true one at first (1.27e-2 and 1.37e-2 at h = 0.0025) and then stay.
  const auto a = error("euler-natural", 4000), b = error("euler-natural", 8000);
  EXPECT_NEAR(2.0 * b.first - a.first, 3.01e-3, 0.05e-3);    // limit for h -> 0, positions
  EXPECT_NEAR(2.0 * b.second - a.second, 5.70e-3, 0.05e-3);  // velocities; JS-4.3: near 5.5e-3
}

// A mechanical model whose friction is nonlinear in the normal force is the same system: friction on the cubic again.
Model mechanical_cubic() {
  return parse_model(R"toml(
coordinates = ["x", "y"]
[parameters]
m = 1.0
b = 0.01
g = 9.81
cf = 0.1
rf = 0.85
[define]
friction = "cf*((1 + 9*b^2*x^4)*lambda(surface)^2)^(rf/2)/sqrt(x'^2 + y'^2)"
[lagrangian]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*y"
[constraints.holonomic]
surface = "b*x^3 - y"
[forces]
x = "-friction*x'"
y = "-friction*y'"
[initial]
x = 10
y = 10
"x'" = -3.6
"y'" = -10.8
)toml",
                     "mechanical_cubic.toml");
}

TEST(OverdeterminedEuler, RunsMechanicalModelsWithForcesOfTheMultiplier) {
  for (const char* name : {"euler-true", "euler-conjugate-true"}) {
    Motion a(mechanical_cubic(), method(name)), b(cubic(), method(name));
    a.advance(0.01, 100);
    b.advance(0.01, 100);
    EXPECT_LT(distance(a.state().q, b.state().q), 1e-12);
    EXPECT_LT(distance(a.state().v, b.state().v), 1e-12);
    EXPECT_LT(distance(a.state().multipliers, b.state().multipliers), 1e-11);
  }
}

// The same motion in polar coordinates, where the mass depends on the position.
TEST(OverdeterminedEuler, RunsMechanicalModelsWithVariableMass) {
  const Model polar = parse_model(R"toml(
coordinates = ["rho", "phi"]
[define]
x = "rho*cos(phi)"
y = "rho*sin(phi)"
friction = "0.1*((1 + 9*0.01^2*x^4)*lambda(surface)^2)^(0.85/2)/sqrt(dt(x)^2 + dt(y)^2)"
[lagrangian]
kinetic = "(rho'^2 + rho^2*phi'^2)/2"
potential = "9.81*y"
[constraints.holonomic]
surface = "0.01*x^3 - y"
[forces]
rho = "-friction*rho'"
phi = "-friction*rho^2*phi'"
[initial]
rho = "sqrt(200)"
phi = "pi/4"
"rho'" = "(-3.6 - 10.8)/sqrt(2)"
"phi'" = "(3.6 - 10.8)/sqrt(2)/rho"
)toml",
                                  "polar.toml");
  Motion a(polar, method("euler-true", 0, 4)), b(cubic(), method("euler-true", 0, 4));
  a.advance(0.005, 100);
  b.advance(0.005, 100);
  const std::vector<double> p = a.state().q, q = b.state().q;
  EXPECT_NEAR(p[0] * std::cos(p[1]), q[0], 1e-8);
  EXPECT_NEAR(p[0] * std::sin(p[1]), q[1], 1e-8);
}

// Beside the friction a push along the curve's normal that grows with the square of the normal force.
Model pushed_cubic() {
  std::string text = mechanical_cubic().text;
  const std::string from = "y = \"-friction*y'\"";
  text.replace(text.find(from), from.size(), "y = \"-friction*y' + 0.02*lambda(surface)^2\"");
  return parse_model(text, "pushed_cubic.toml");
}

TEST(OverdeterminedEuler, RungeKuttaSaysWhatItPromisesWithForcesOfTheMultiplier) {
  Options options;
  options.method = "spark-lobatto-ab";
  options.formulation = "index2";
  options.step = 0.01;
  options.steps = 10;
  const Trajectory run = simulate(pushed_cubic(), options);
  ASSERT_EQ(run.status, Status::done) << run.message;
  ASSERT_EQ(run.notes.size(), 1U);
  EXPECT_EQ(
      run.notes[0],
      "the forces are nonlinear in the multipliers. spark-lobatto-ab takes the constraints at velocity level, where "
      "its stage multipliers are consistent: it has its usual order, as on any system of index 2");
  EXPECT_EQ(simulate(nonideal_particle(), {.method = "spark-gauss", .step = 0.01, .steps = 1}).notes.size(), 0U);
}

// Two independent ways to the same motion: Runge-Kutta at velocity level, Euler methods at position level.
TEST(OverdeterminedEuler, AgreesWithRungeKuttaOnForcesOfTheMultiplier) {
  const auto end = [](const std::string& name, int stages, int compose, double h) {
    Options options;
    options.method = name;
    options.stages = stages;
    options.compose = compose;
    if (stages != 0) options.formulation = "index2";
    options.step = h;
    options.until = 0.8;
    const Trajectory run = simulate(pushed_cubic(), options);
    EXPECT_EQ(run.status, Status::done) << run.message;
    std::vector<double> x = run.q;
    x.insert(x.end(), run.v.begin(), run.v.end());
    return x;
  };
  const std::vector<double> reference = end("spark-gauss", 6, 0, 0.02);
  EXPECT_LT(distance(end("euler-true", 0, 6, 0.01), reference), 1e-9);
  EXPECT_NEAR(
      slope(distance(end("spark-gauss", 2, 0, 0.05), reference), distance(end("spark-gauss", 2, 0, 0.025), reference)),
      4.0, 0.1);  // 4.01
  EXPECT_NEAR(slope(distance(end("spark-lobatto-ab", 3, 0, 0.05), reference),
                    distance(end("spark-lobatto-ab", 3, 0, 0.025), reference)),
              4.0, 0.1);                                                   // 4.00
  EXPECT_GT(distance(end("euler-natural", 0, 0, 5e-4), reference), 0.02);  // 0.04: another motion
}

}  // namespace
}  // namespace rattleback::testing
