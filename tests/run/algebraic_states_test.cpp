// The algebraic states of port-Hamiltonian systems that are reported: those that the equations demand at the state, not the
// method's own. Numbers at line ends: measured.
#include "run/support.hpp"

namespace rattleback::testing {
namespace {

constexpr double kGravity = 9.81;

// pendulum-ph: the rod's equation x u + y v = 0 differentiated along the motion, with m = l = 1.
double demanded(const double* x) { return (x[2] * x[2] + x[3] * x[3] - kGravity * x[1]) / (x[0] * x[0] + x[1] * x[1]); }

Options gauss(int stages, double h, double until) {
  Options o;
  o.method = "collocation-gauss";
  o.stages = stages;
  o.step = h;
  o.until = until;
  return o;
}

double worst_record(const Trajectory& run) {
  double worst = 0.0;
  for (std::size_t i = 0; i < run.records.rows; ++i)
    worst = std::fmax(worst, std::fabs(run.records.q[5 * i + 4] - demanded(&run.records.q[5 * i])));
  return worst;
}

TEST(AlgebraicStates, AreThoseThatTheStateDemandsInRecordsAndAtTheEnd) {
  const Model model = shipped("pendulum-ph");
  for (const char* method : {"collocation-gauss", "collocation-lobatto-iiic", "dg-gonzalez", "dg-avf"})
    for (const double between : {0.0, 0.0137}) {
      Options o = gauss(0, 0.01, 1.0);
      o.method = method;
      o.output_every = between;
      const Trajectory run = simulate(model, o);
      EXPECT_LT(worst_record(run), 1e-13) << method;  // 3.6e-15
      EXPECT_NEAR(run.q[4], demanded(run.q.data()), 1e-13) << method;
    }
}

// The numbers of the report: 3.24 of the method, 4.86 of the equations.
TEST(AlgebraicStates, OfTheMethodStayAvailable) {
  const Model model = shipped("pendulum-ph");
  Options o = gauss(2, 0.01, 1.0);
  const Trajectory demand = simulate(model, o);
  o.multiplier = "stage";
  const Trajectory own = simulate(model, o);
  EXPECT_NEAR(demand.q[4], 4.85626985, 1e-7);
  EXPECT_NEAR(own.q[4], 3.23762231, 1e-7);
  EXPECT_GT(worst_record(own), 1.0);
  // Everything else is the same run.
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(demand.q[i], own.q[i]);
  EXPECT_EQ(demand.records.energy, own.records.energy);
  EXPECT_EQ(demand.power_balance->max_residual, own.power_balance->max_residual);
  EXPECT_EQ(demand.records.balance, own.records.balance);
  EXPECT_NE(own.notes.back().find("(lam) are the method's own"), std::string::npos);
}

// With 4 stages the differential states have order 4 (index 2), and lam has it too; its own value has order s - 2 = 2.
TEST(AlgebraicStates, HaveTheOrderOfTheOthers) {
  const Model model = shipped("pendulum-ph");
  const double exact = simulate(model, gauss(7, 0.01, 0.5)).q[4];
  const auto order = [&](const std::string& multiplier) {
    std::vector<double> errors;
    for (const double h : {0.05, 0.025}) {
      Options o = gauss(4, h, 0.5);
      o.multiplier = multiplier;
      errors.push_back(std::fabs(simulate(model, o).q[4] - exact));
    }
    return slope(errors[0], errors[1]);
  };
  EXPECT_GT(order(""), 3.7);
  EXPECT_LT(order("stage"), 2.5);
}

TEST(AlgebraicStates, AreWhatEventsSee) {
  Options o = gauss(2, 0.01, 1.0);
  o.event = {"lam - 4.8"};
  const Trajectory run = simulate(shipped("pendulum-ph"), o);
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_NEAR(run.events[0].q[4], 4.8, 1e-11);
  EXPECT_NEAR(demanded(run.events[0].q.data()), 4.8, 1e-11);
}

// x' = u, u' = a, 0 = x - t^3 through a port: index 3, which one derivative does not resolve.
TEST(AlgebraicStates, ThatTheEquationsDoNotDetermineAreTheMethodsOwnWithANote) {
  const Model model = parse_model(R"toml(
kind = "port-hamiltonian"
states = ["x", "u", "a"]
hamiltonian = "u^2/2"
[E]
"x,x" = 1
"u,u" = 1
[J]
"x,u" = 1
[B.hand]
u = "a"
a = "x - t^3"
[inputs]
hand = "1"
[z]
u = "u"
)toml",
                                  "index3.toml");
  Options o = gauss(3, 0.1, 0.5);
  o.method = "collocation-lobatto-iiic";
  const Trajectory run = simulate(model, o);
  EXPECT_EQ(run.status, Status::done) << run.message;
  std::string notes;
  for (const std::string& note : run.notes) notes += note + "\n";
  EXPECT_NE(notes.find("do not determine the algebraic states (a) at t = 0"), std::string::npos) << notes;
  EXPECT_NEAR(run.q[2], 3.0, 0.5);  // 2.7: the method's own value of 6 t has order 1
}

TEST(AlgebraicStates, AreRefusedWhereThereAreNone) {
  Options o;
  o.multiplier = "stage";
  EXPECT_NE(
      message_of(shipped("skate"), o).find("--multiplier stage reports a method's own values of the algebraic states"),
      std::string::npos);
  EXPECT_NE(message_of(shipped("damped-oscillator"), o).find("has none. Leave it out"), std::string::npos);
  o.multiplier = "stages";
  EXPECT_EQ(message_of(shipped("skate"), o),
            "--multiplier takes acceleration, recursion, stage, sum or last, found 'stages'");
}

// Step control does not look at the method's own values, whose order may be 0: steps are those of the differential states.
TEST(AlgebraicStates, DoNotDecideAboutTheSizeOfSteps) {
  Options o = gauss(2, 0.0, 1.0);
  o.adaptive = 1e-6;
  const Trajectory run = simulate(shipped("pendulum-ph"), o);
  EXPECT_EQ(run.status, Status::done);
  EXPECT_LT(run.steps, 200);  // 115
  EXPECT_LT(worst_record(run), 1e-13);
}

// A dae's z come from the differentiated constraint, too. dae-hessenberg: y1^2 y2 = 1, so 2 y2 y1' + y1 y2' = 0 gives
// z from y: 2 y1 y2^3 z^2 - 3 y1 y2^2 z + y1^3 y2^2 = 0 on the branch z = e^(2t).
TEST(AlgebraicStates, OfADaeAreThoseThatTheStateDemands) {
  Options o;
  o.method = "rk-gauss";
  o.stages = 2;
  o.step = 0.05;
  o.until = 1.0;
  o.output_every = 0.03;
  const Trajectory run = simulate(shipped("dae-hessenberg"), o);
  for (std::size_t i = 0; i < run.records.rows; ++i) {
    const double y1 = run.records.q[2 * i], y2 = run.records.q[2 * i + 1], z = run.records.multipliers[i];
    const double rate1 = y1 * y2 * y2 * z * z, rate2 = y1 * y1 * y2 * y2 - 3.0 * y2 * y2 * z;
    EXPECT_NEAR(2.0 * y1 * y2 * rate1 + y1 * y1 * rate2, 0.0, 1e-13) << i;
    EXPECT_NEAR(z, std::exp(2.0 * run.records.t[i]), 2e-2) << i;
  }
}

}  // namespace
}  // namespace rattleback::testing
