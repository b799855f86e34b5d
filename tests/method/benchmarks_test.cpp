// The benchmark systems against reference values from outside: refined to 15 and more digits by an independent code in
// quadruple precision (docs/guide/benchmarks.md). Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/motion.hpp"

namespace rattleback::testing {
namespace {

struct Reference {
  std::string system;
  double until;
  std::vector<double> q, v;
};

const Reference kCarAxis = {
    "car-axis",
    3.0,
    {4.93455784275240921315e-02, 4.96989460230008106763e-01, 1.04174252488542611519e+00, 3.73911027265365819358e-01},
    {-7.70583684035920842839e-02, 7.44686659206841649140e-03, 1.75568157535417366297e-02, 7.70341043779601063121e-01}};
const Reference kAndrews = {
    "andrews",
    0.03,
    {1.58107711951537070971e+01, -1.57563710584118394697e+01, 4.08222401196458048584e-02, -5.34730116342079593770e-01,
     5.24409965879954069372e-01, 5.34730116342079593770e-01, 1.04808074104193787307e+00},
    {1.13992030225910606420e+03, -1.42437929517754007320e+03, 1.10329119106185937451e+01, 1.92933741050320408313e+01,
     5.73569914829502453807e-01, -1.92933741050320408313e+01, 3.23179149249130874984e-01}};
const Reference kHeavyTop = {
    "heavy-top",
    2.0,
    {-1.50416822745794223e-01, -7.24165591636978587e-01, -6.73022269560257585e-01, 1.22947135038536175e-01,
     -4.91079892543594620e-01, 3.50430030344571986e-01, -7.87986887554517915e-01},
    {-2.74918631258292970e+00, -3.20271863557299538e+00, 4.06052314975730841e+00, -2.85593168350422659e+01,
     5.80805373274339480e+01, 7.73508629373951712e+00, -3.72123751697518032e+01}};
const Reference kBall = {"ball-on-turntable",
                         10.0,
                         {-6.89874525122226637933e-01, 1.09545958538688953247e+00, 8.54735398469531045126e-01,
                          1.78456628732091436855e-01, 2.22094349066029370252e-02, -4.86916185052251361174e-01},
                         {-7.24679644617333884994e-01, -2.34178164390479975410e-01, 8.09110922971687189953e-01,
                          -5.64452103592709215560e+00, 2.68988481276234876641e+00, -5.25728316145191928673e-01}};
const Reference kDisc = {
    "rolling-disc",
    10.0,
    {-6.71384049740258082755e-01, -1.81677454852714433326e+00, 4.69686356423689460e-01, 15.0, 0.35,
     -3.61167073424061633481e+01},
    {1.17649981126199818676e+00, -1.00707607461038550116e+00, 0.0, 1.5, 0.0, -3.61167073424061633481e+00}};

double digits(const std::vector<double>& found, const std::vector<double>& expected, bool relative) {
  double worst = 1e-17;
  for (std::size_t i = 0; i < expected.size(); ++i)
    worst = std::fmax(worst, std::fabs(found[i] - expected[i]) / ((relative ? 0.0 : 1.0) + std::fabs(expected[i])));
  return -std::log10(worst);
}

struct Scores {
  double q = 0.0, v = 0.0;                // correct digits
  double position = 1.0, velocity = 1.0;  // largest residuals
  std::vector<double> multipliers;
};
// The measure of each source: relative for the problems of the test set, |error|/(1 + |value|) for the others.
Scores score(const Reference& reference, Options options, const Values& set = {}, const Values& start = {}) {
  options.until = reference.until;
  const Trajectory run = simulate(shipped(reference.system, set, start), options);
  Scores out;
  EXPECT_EQ(run.status, Status::done) << run.message;
  if (run.status != Status::done) return out;
  const bool relative = reference.system == "car-axis" || reference.system == "andrews";
  out.q = digits(run.q, reference.q, relative);
  out.v = digits(run.v, reference.v, relative);
  out.position = run.constraint_position.value();
  out.velocity = run.constraint_velocity.value();
  out.multipliers = run.multipliers;
  return out;
}

TEST(CarAxis, AgreesWithTheReferenceAtVelocityLevel) {
  const Scores s = score(kCarAxis, {.method = "spark-gauss", .stages = 6, .step = 0.02, .formulation = "index2"});
  EXPECT_GT(s.q, 11.0);          // 12.9
  EXPECT_GT(s.v, 8.5);           // 9.5
  EXPECT_LT(s.velocity, 1e-13);  // 1.7e-15
  EXPECT_LT(s.position, 1e-13);  // 1.1e-15: collocation at velocity level keeps quadratic positions too
  // Our sign of the multipliers is the opposite one.
  EXPECT_LT(std::fabs(s.multipliers[0] - 4.73688659085332651531e-03), 1e-11);
  EXPECT_LT(std::fabs(s.multipliers[1] - 1.10468033125956583986e-03), 1e-11);
}

TEST(Andrews, AgreesWithTheReferenceAtVelocityLevel) {
  const Scores s = score(kAndrews, {.method = "spark-gauss", .stages = 5, .step = 1.5e-4, .formulation = "index2"});
  EXPECT_GT(s.q, 12.0);          // 13.7
  EXPECT_GT(s.v, 10.5);          // 11.9
  EXPECT_LT(s.velocity, 2e-13);  // 4.4e-15
  EXPECT_LT(s.position, 1e-14);  // 2.9e-16
  const double expected[] = {1.99175348104538628186e+02, -2.97553099749717633244e+01, 2.30665436116221511286e+01,
                             3.14527252757711370753e+01, 2.26424947863943785777e+01,  1.16173923526112559069e+01};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(s.multipliers[i], expected[i], 1e-8);
}

TEST(HeavyTop, AgreesWithTheReference) {
  const Scores s = score(kHeavyTop, {.method = "spark-gauss", .stages = 5, .step = 0.005, .formulation = "index2"});
  EXPECT_GT(s.q, 10.0);          // 12.6
  EXPECT_GT(s.v, 10.0);          // 11.7
  EXPECT_LT(s.velocity, 2e-12);  // 3.5e-14, at velocities of 75
  EXPECT_LT(s.position, 1e-13);  // 2.4e-15
}

TEST(BallOnTurntable, AgreesWithTheReference) {
  const Scores s = score(kBall, {.method = "spark-gauss", .stages = 5, .step = 0.04, .formulation = "index2"});
  EXPECT_GT(s.q, 11.0);          // 12.9
  EXPECT_GT(s.v, 10.5);          // 12.4
  EXPECT_LT(s.velocity, 2e-12);  // 3.4e-14
  EXPECT_LT(s.position, 1e-13);  // 1.8e-15
}

TEST(RollingDisc, AgreesWithTheSteadyMotion) {
  const Scores s = score(kDisc, {.method = "spark-gauss", .stages = 4, .step = 0.1, .formulation = "index2"});
  EXPECT_GT(s.q, 11.0);          // 12.7
  EXPECT_GT(s.v, 11.0);          // 12.7
  EXPECT_LT(s.velocity, 5e-14);  // 1.1e-15
  EXPECT_LT(s.position, 1e-14);  // 1.7e-16
}

// What a user gets who only types the name: positions to rounding as well, in one run also with nonholonomic constraints.
TEST(Benchmarks, ReachTenDigitsWithTheDefaultsOfTheirFiles) {
  const struct {
    const Reference& reference;
    double q, v;                        // digits
  } cases[] = {{kCarAxis, 10.0, 7.0},   // 10.75, 7.83
               {kAndrews, 11.0, 9.5},   // 12.31, 10.22
               {kHeavyTop, 10.0, 9.5},  // 11.18, 10.37
               {kBall, 11.5, 11.0},     // 13.03, 12.37
               {kDisc, 11.0, 11.0}};    // 12.34, 12.20
  for (const auto& c : cases) {
    const Scores s = score(c.reference, {});
    EXPECT_GT(s.q, c.q) << c.reference.system;
    EXPECT_GT(s.v, c.v) << c.reference.system;
    EXPECT_LT(s.position, 2e-14) << c.reference.system;  // 4.4e-16 and less
    EXPECT_LT(s.velocity, 2e-12) << c.reference.system;  // 7.8e-14 (andrews, velocities of 1400) and less
  }
}

TEST(Benchmarks, AgreeWithPrkMurua) {
  EXPECT_GT(score(kCarAxis, {.method = "prk-murua", .stages = 5, .step = 0.02}).q, 9.0);  // 9.79
  EXPECT_GT(score(kAndrews, {.method = "prk-murua", .stages = 4, .step = 1.5e-4, .formulation = "index2"}).q,
            10.0);                                                                     // 11.38
  EXPECT_GT(score(kBall, {.method = "prk-murua", .stages = 4, .step = 0.04}).q, 9.0);  // 9.58
  EXPECT_GT(score(kDisc, {.method = "prk-murua", .stages = 4, .step = 0.1}).q, 11.5);  // 13.47
}

// The spinning coin of Rill and Schaeffer: a fast yaw at a small lean, after which it falls.
TEST(RollingDisc, AgreesWithTheSpinningCoin) {
  const Reference coin = {"rolling-disc",
                          0.5,
                          {1.581781900500747984e-03, -8.275291844834433352e-05, 9.760873842581719111e-03,
                           1.619384975549938397e+01, 2.191279551531808603e-01, -2.872551623452023336e+00},
                          {2.535288539561279710e-02, 3.197452448074508657e-02, -3.659967783081459877e-03,
                           3.362255225791302162e+01, 1.683684241802058265e+00, -1.104386410366603591e+01}};
  const Scores s = score(coin, {.method = "spark-gauss", .stages = 5, .step = 0.01, .formulation = "index2"},
                         {{"m", "1"}, {"r", "0.01"}, {"lean", "pi/180"}, {"Om", "10*pi"}},
                         {{"q3'", "0"}, {"y", "-0.01*sin(pi/180)"}});
  EXPECT_GT(s.q, 12.0);  // 14.3
  EXPECT_GT(s.v, 11.5);  // 13.3
}

// Quaternions, whose L_vv is singular, run with every method at its order.
TEST(Quaternions, ConvergeAtTheOrderOfTheMethod) {
  const Reference& ball = kBall;
  const auto error = [&](const std::string& name, int stages, double step) {
    return std::pow(10.0, -score(ball, {.method = name, .stages = stages, .step = step, .formulation = "index2"}).q);
  };
  const struct {
    const char* method;
    int stages, order;
  } cases[] = {{"spark-gauss", 2, 4},  {"spark-lobatto-ab", 3, 4}, {"spark-lobatto-abd", 3, 4}, {"srk-gauss", 2, 4},
               {"srk-radau-ia", 2, 3}, {"rk-radau-iia", 2, 3},     {"spark-lobatto-ab", 2, 2}};
  for (const auto& c : cases) {
    const double coarse = error(c.method, c.stages, 0.02), fine = error(c.method, c.stages, 0.01);
    // 4.00, 4.00, 4.00, 4.00, 3.02, 3.01, 2.02
    EXPECT_NEAR(std::log2(coarse / fine), c.order, 0.1) << c.method << c.stages;
  }
}

}  // namespace
}  // namespace rattleback::testing
