// Every method's claim about its records between the steps (MethodInfo::dense), measured on random nonlinear models of
// every kind: they are as accurate as the ends of the steps, in each component, and have the order that is claimed.
// Numbers at line ends: measured.
#include "run/dense_claims.hpp"

namespace rattleback::testing {
namespace {

TEST(DenseClaims, HoldForEveryMethodOnRandomModels) {
  for (const char* kind : kKinds) expect_claims(kind, 1, 2);
}

// The measure sees a polynomial through the ends of the steps: this is what linear or cubic output would look like.
TEST(DenseClaims, WouldFailForACubicThroughTheEndsOfTheSteps) {
  const Case c = random_case("nonholonomic", 1);
  const Model model = parse_model(c.text, "random.toml");
  const Trajectory reference = reference_of(c, model);
  Options o = options_of("spark-gauss", 3, "", 0, kStep);
  const std::size_t n = model.q0.size();
  const Blocks good = blocks(simulate(model, o), reference);
  o.output_every = 0.0;
  const Trajectory steps = simulate(model, o);
  Errors cubic;
  for (std::size_t row = 0; row < reference.records.rows; ++row) {
    const double t = reference.records.t[row];
    const auto k = std::min(static_cast<std::size_t>(t / kStep + 1e-9), steps.records.rows - 2);
    const double x = (t - steps.records.t[k]) / kStep, y = 1.0 - x;
    for (std::size_t i = 0; i < n; ++i) {
      const double q0 = steps.records.q[n * k + i], q1 = steps.records.q[n * k + n + i];
      const double v0 = steps.records.v[n * k + i], v1 = steps.records.v[n * k + n + i];
      const double q = q0 + x * x * (3.0 - 2.0 * x) * (q1 - q0) + kStep * x * y * (y * v0 - x * v1);
      cubic.off = std::fmax(cubic.off, std::fabs(q - reference.records.q[n * row + i]));
    }
  }
  EXPECT_LE(good.q.off, 3.0 * good.q.on + kRounding);
  EXPECT_GT(cubic.off, 30.0 * good.q.on + kRounding);
}

// A record between two steps is what a run gives that ends there with a shorter last step, by other starting guesses.
void expect_record_is_a_shorter_step(const Model& model, Options o, double tolerance) {
  o.step = 0.02;
  o.until = 0.1;
  o.output_every = 0.014;
  const Trajectory records = simulate(model, o);
  ASSERT_EQ(records.status, Status::done) << records.message;
  o.output_every = 0.0;
  for (const std::size_t row : {1U, 4U, 6U}) {
    o.until = records.records.t[row];
    const Trajectory end = simulate(model, o);
    for (std::size_t i = 0; i < end.q.size(); ++i)
      EXPECT_NEAR(records.records.q[row * end.q.size() + i], end.q[i], tolerance) << o.method << " row " << row;
    for (std::size_t i = 0; i < end.v.size(); ++i)
      EXPECT_NEAR(records.records.v[row * end.v.size() + i], end.v[i], tolerance) << o.method << " row " << row;
  }
}

TEST(DenseOutput, IsAShorterStepOfLargeSystemsContactsAndTwoStepMethodsToo) {
  Options o;
  expect_record_is_a_shorter_step(load_model("chain", {.set = {{"N", "100"}}, .unroll_below = 0}), o, 1e-11);
  o.method = "cortes-martinez";
  expect_record_is_a_shorter_step(shipped("skate"), o, 1e-13);
  o.method = "euler-true";
  expect_record_is_a_shorter_step(shipped("friction-on-cubic"), o, 1e-11);
}

// Codes that choose their own steps are visited on the way, and go on as if nobody had looked.
TEST(DenseOutput, OfTheBaselinesLeavesTheirStepsAlone) {
  const Model model = shipped("skate");
  for (const char* method : {"ode", "index1", "baumgarte"}) {
    Options o = options_of(method, 0, "", 0, 0.5);
    o.output_every = 0.13;
    const Trajectory looked = simulate(model, o);
    o.output_every = 0.0;
    const Trajectory plain = simulate(model, o);
    EXPECT_EQ(looked.records.rows, 16U) << method;
    EXPECT_EQ(looked.newton_iterations, plain.newton_iterations) << method;
    for (std::size_t i = 0; i < plain.q.size(); ++i) EXPECT_NEAR(looked.q[i], plain.q[i], 1e-13) << method;
  }
}

}  // namespace
}  // namespace rattleback::testing
