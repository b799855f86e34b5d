// --audit power: the energy change of a step, and the work of forces and reactions at its stages. Numbers at line ends:
// measured.
#include <cmath>

#include <gtest/gtest.h>

#include "rattleback/error.hpp"
#include "support/properties.hpp"

namespace rattleback::testing {
namespace {

PowerBalance balance(const Model& model, const std::string& method, int stages, const std::string& formulation,
                     double h = 0.02) {
  Options o;
  o.method = method;
  o.stages = stages;
  o.formulation = formulation;
  o.step = h;
  o.until = 10.0;
  o.audit_power = true;
  const Trajectory run = simulate(model, o);
  EXPECT_EQ(run.status, Status::done) << run.message;
  return run.power_balance.value();
}

// Energies are quadratic here (U is linear), and the methods keep quadratic invariants. [Symank2025, eq. 6.15]
TEST(PowerAudit, PredictsTheEnergyChangeOfSymplecticMethods) {
  for (const auto& [method, stages, formulation] : {std::tuple{"prk-murua", 1, "index2"},
                                                    {"prk-murua", 3, "index2"},
                                                    {"prk-murua", 2, "ggl"},
                                                    {"spark-gauss", 2, "index2"},
                                                    {"srk-gauss", 2, "index2"}}) {
    SCOPED_TRACE(std::string(method) + " " + formulation);
    EXPECT_LT(balance(shipped("pendulum"), method, stages, formulation).max_residual, 3e-14);         // 3e-15 .. 5e-15
    EXPECT_LT(balance(shipped("double-pendulum"), method, stages, formulation).max_residual, 3e-13);  // 2e-14
  }
}

// The change itself is no rounding error, and the dampers are counted.
TEST(PowerAudit, SuppliesWhatIsStored) {
  const PowerBalance free = balance(shipped("double-pendulum"), "prk-murua", 1, "index2");
  EXPECT_NEAR(free.stored, free.supplied, 1e-12);
  EXPECT_GT(std::fabs(free.stored), 1e-6);  // 0.23
  const PowerBalance damped = balance(shipped("double-pendulum", {{"kappa", "0.3"}}), "prk-murua", 2, "index2");
  EXPECT_GT(damped.dissipated, 1.0);        // 42.8
  EXPECT_NEAR(damped.supplied, 0.0, 1e-4);  // the constraints: 0, but for the error of the stages
  EXPECT_LT(damped.max_residual, 3e-13);    // 2e-14
}

// Lobatto IIIA-IIIB does not keep quadratic invariants of the whole state.
TEST(PowerAudit, DoesNotPredictThatOfLobattoPairs) {
  EXPECT_GT(balance(shipped("pendulum"), "prk-lobatto", 2, "index3").max_residual, 1e-6);       // 3.7e-4
  EXPECT_GT(balance(shipped("pendulum"), "spark-lobatto-ab", 2, "index2").max_residual, 1e-6);  // 3.7e-4
}

TEST(PowerAudit, DoesNotChangeTheMotion) {
  Options o;
  o.method = "prk-murua";
  o.stages = 2;
  o.step = 0.02;
  o.until = 2.0;
  const Trajectory plain = simulate(shipped("double-pendulum"), o);
  o.audit_power = true;
  const Trajectory audited = simulate(shipped("double-pendulum"), o);
  EXPECT_FALSE(plain.power_balance);
  for (std::size_t i = 0; i < plain.q.size(); ++i) EXPECT_NEAR(plain.q[i], audited.q[i], 1e-12);
}

// A pendulum whose length and gravity change with the time: -L_t is part of what goes in. The sum is a quadrature of order 2s.
TEST(PowerAudit, CountsWhatALagrangianWithTimeGives) {
  const Model m = parse_model(
      "coordinates = [\"th\"]\n[lagrangian]\nkinetic = \"(1 + 0.3*sin(2*t))^2*th'^2/2\"\n"
      "potential = \"-(9.81 + t)*(1 + 0.3*sin(2*t))*cos(th)\"\n[initial]\nth = 1\n",
      "swing.toml");
  double largest[2];
  for (int k = 0; k < 2; ++k) {
    Options o;
    o.method = "spark-gauss";
    o.stages = 2;
    o.step = k == 0 ? 0.04 : 0.02;
    o.until = 2.0;
    o.audit_power = true;
    const Trajectory run = simulate(m, o);
    ASSERT_TRUE(run.power_balance);
    largest[k] = run.power_balance->max_residual;
    EXPECT_GT(std::fabs(run.energy->final - run.energy->initial), 1.0);  // there is something to count
  }
  EXPECT_LT(largest[1], 1e-6);
  EXPECT_NEAR(std::log2(largest[0] / largest[1]), 5.0, 0.5);  // of one step
}

TEST(PowerAudit, IsRefusedWhereThereIsNoSuchSum) {
  Options o;
  o.method = "mclachlan-perlmutter";
  o.step = 0.02;
  o.until = 1.0;
  o.audit_power = true;
  EXPECT_THROW((void)simulate(shipped("skate"), o), Error);
}

}  // namespace
}  // namespace rattleback::testing
