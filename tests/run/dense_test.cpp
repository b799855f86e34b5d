// Output between the steps: its order, and what it leaves alone. Numbers at line ends: measured.
#include "run/support.hpp"

namespace rattleback::testing {
namespace {

struct Errors {
  double q = 0.0, v = 0.0;
};

Options between(const std::string& method, int stages, double h, double until, double every) {
  Options o;
  o.method = method;
  o.stages = stages;
  o.step = h;
  o.until = until;
  o.output_every = every;
  o.record_multipliers = false;
  return o;
}

Errors errors(const Trajectory& run, const Trajectory& reference) {
  EXPECT_EQ(run.records.rows, reference.records.rows);
  Errors e;
  const auto compare = [](const std::vector<double>& a, const std::vector<double>& b, double& largest) {
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::fmax(largest, std::fabs(a[i] - b[i]));
  };
  compare(run.records.q, reference.records.q, e.q);
  compare(run.records.v, reference.records.v, e.v);
  return e;
}

// Slopes between two steps; the errors of the output, everywhere in the steps.
Errors orders(const Model& model, const std::string& method, int stages, double h) {
  const double until = 2.4, every = 0.02;
  Options fine = between(model.kind == Kind::dae ? "srk-gauss" : "spark-gauss", 8, every, until, 0.0);
  const Trajectory reference = simulate(model, fine);
  const Errors coarse = errors(simulate(model, between(method, stages, h, until, every)), reference);
  const Errors finer = errors(simulate(model, between(method, stages, h / 2, until, every)), reference);
  return {slope(coarse.q, finer.q), slope(coarse.v, finer.v)};
}

struct Expected {
  const char* method;
  int stages;
  double h, q, v;
};
void PrintTo(const Expected& x, std::ostream* out) {
  *out << x.method;
  if (x.stages > 0) *out << ' ' << x.stages;
}

class DenseOrder : public ::testing::TestWithParam<Expected> {};

// Records between the steps are steps of the method: they have its order.
TEST_P(DenseOrder, IsAtLeastWhatThePagePromises) {
  const Expected x = GetParam();
  const Errors measured = orders(shipped("nonholonomic-particle"), x.method, x.stages, x.h);
  EXPECT_GT(measured.q, x.q - 0.5);
  EXPECT_GT(measured.v, x.v - 0.5);
}

INSTANTIATE_TEST_SUITE_P(Methods, DenseOrder,
                         ::testing::Values(Expected{"spark-gauss", 1, 0.1, 2, 2},           //
                                           Expected{"spark-gauss", 2, 0.2, 4, 4},           //
                                           Expected{"spark-gauss", 3, 0.3, 6, 6},           //
                                           Expected{"spark-gauss", 4, 0.4, 8, 8},           //
                                           Expected{"spark-gauss", 5, 0.6, 10, 10},         //
                                           Expected{"spark-gauss", 6, 0.8, 11, 11},         //
                                           Expected{"spark-lobatto-ab", 2, 0.1, 2, 2},      //
                                           Expected{"spark-lobatto-ab", 3, 0.2, 4, 4},      //
                                           Expected{"spark-lobatto-ab", 7, 0.8, 11, 11},    //
                                           Expected{"spark-lobatto-abd", 6, 0.8, 10, 10},   //
                                           Expected{"rk-radau-iia", 3, 0.2, 5, 5},          //
                                           Expected{"rk-radau-iia", 5, 0.4, 9, 9},          //
                                           Expected{"srk-radau-ia", 5, 0.4, 9, 9},          //
                                           Expected{"mclachlan-perlmutter", 0, 0.1, 2, 2},  //
                                           Expected{"cortes-martinez", 0, 0.05, 2, 1}));

TEST(DenseOutput, OfADaeHasTheOrderOfTheMethod) {
  const Model model = shipped("dae-hessenberg");
  const auto error = [&](int stages, double h) {
    Options o = between("srk-gauss", stages, h, 0.8, 0.01);
    const Trajectory run = simulate(model, o);
    double largest = 0.0;
    for (std::size_t i = 0; i < run.records.rows; ++i)
      largest = std::fmax(largest, std::fabs(run.records.q[2 * i] - std::exp(run.records.t[i])));
    return largest;
  };
  EXPECT_GT(slope(error(1, 0.1), error(1, 0.05)), 1.8);  // 2.0: the method's
  EXPECT_GT(slope(error(2, 0.1), error(2, 0.05)), 3.8);
  EXPECT_GT(slope(error(3, 0.1), error(3, 0.05)), 5.7);
  EXPECT_LT(error(4, 0.05), 1e-12);
}

TEST(DenseOutput, IsAtTheMultiplesAndLeavesTheRunAlone) {
  const Model model = shipped("nonholonomic-particle");
  Options o = between("spark-gauss", 3, 0.11, 5.0, 0.25);
  const Trajectory run = simulate(model, o);
  ASSERT_EQ(run.records.rows, 21U);
  for (std::size_t i = 0; i < run.records.rows; ++i)
    EXPECT_NEAR(run.records.t[i], 0.25 * static_cast<double>(i), 1e-12);
  o.output_every = 0.0;
  const Trajectory plain = simulate(model, o);
  EXPECT_EQ(run.q, plain.q);
  EXPECT_EQ(run.v, plain.v);
  EXPECT_EQ(run.steps, plain.steps);
  EXPECT_EQ(run.newton_iterations, plain.newton_iterations);
  // The audit is that of the steps.
  EXPECT_EQ(run.energy->max_error, plain.energy->max_error);
  EXPECT_EQ(run.constraint_velocity, plain.constraint_velocity);
  EXPECT_LT(run.constraint_velocity.value(), 1e-14);
  double largest = 0.0;  // between the steps the constraint holds as at their ends
  for (const double r : run.records.residual_velocity) largest = std::fmax(largest, r);
  EXPECT_LT(largest, 1e-14);
}

TEST(DenseOutput, IsTheStateWhereATimeIsTheEndOfAStep) {
  const Model model = shipped("nonholonomic-particle");
  Options o = between("spark-gauss", 3, 0.1, 5.0, 0.5);
  const Trajectory run = simulate(model, o);
  o.output_every = 0.0;
  o.every = 5;
  const Trajectory plain = simulate(model, o);
  EXPECT_EQ(run.records.q, plain.records.q);
  EXPECT_EQ(run.records.v, plain.records.v);
}

TEST(DenseOutput, OfAdaptiveStepsIsAsAccurateAsTheSteps) {
  const Model model = shipped("nonholonomic-particle");
  Options o = between("spark-gauss", 3, 0.1, 6.0, 0.05);
  const Trajectory reference = simulate(model, between("spark-gauss", 8, 0.05, 6.0, 0.0));
  for (const char* controller : {"pi", "reversible"}) {
    o.adaptive = 1e-7;
    o.controller = controller;
    const Errors e = errors(simulate(model, o), reference);
    EXPECT_LT(e.q, 2e-5) << controller;
    EXPECT_LT(e.v, 2e-4) << controller;
  }
}

TEST(DenseOutput, ContinuesAfterACheckpointWithTheSameBits) {
  const Model model = shipped("nonholonomic-particle");
  const Scratch scratch;
  Options o = between("spark-gauss", 4, 0.13, 13.0, 0.21);
  const Trajectory whole = simulate(model, o);
  o.checkpoint = scratch.file();
  o.until = {};
  o.steps = 37;
  (void)simulate(model, o);
  o.steps = 100;
  o.resume = true;
  expect_same_run(simulate(model, o), whole);
}

}  // namespace
}  // namespace rattleback::testing
