// Orders of convergence: those of the source documents' tables on their systems, and those that the registry claims on
// nonlinear systems, in positions, velocities and multipliers apart. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/error.hpp"
#include "rattleback/method.hpp"
#include "support/properties.hpp"

namespace rattleback::testing {
namespace {

const char* const kAdditive = "dae-additive";
const char* const kHessenberg = "dae-hessenberg";

// Slope of the error against [exact] at t = 1 between 1/count and 1/(2 count).
double slope_at(const std::string& name, int stages, const Model& model, int count) {
  const Maker maker = method(name, stages);
  return slope(exact_error(maker, model, 1.0, count), exact_error(maker, model, 1.0, 2 * count));
}

// --- H-2.2 to H-3.4 of the experiments

TEST(SparkLobatto, ConvergesAsHildensFigure22OnTheAdditiveSystem) {
  const Model model = shipped(kAdditive);
  EXPECT_NEAR(slope_at("spark-lobatto", 2, model, 40), 1.967, 0.02);                         // 1.967
  EXPECT_NEAR(slope_at("spark-lobatto", 3, model, 40), 4.179, 0.02);                         // 4.179
  EXPECT_NEAR(slope_at("spark-lobatto", 4, model, 20), 6.02, 0.02);                          // 6.020
  EXPECT_NEAR(exact_error(method("spark-lobatto", 2), model, 1.0, 20), 6.966887e-3, 1e-9);   // 6.966887e-3
  EXPECT_NEAR(exact_error(method("spark-lobatto", 3), model, 1.0, 20), 3.463696e-7, 1e-13);  // 3.463696e-7
}

TEST(SrkGauss, ConvergesAsHildensFigure23) {
  const Model model = shipped(kHessenberg);
  EXPECT_NEAR(slope_at("srk-gauss", 1, model, 20), 2.01, 0.02);   // 2.007
  EXPECT_NEAR(slope_at("srk-gauss", 2, model, 20), 4.006, 0.02);  // 4.003
  EXPECT_NEAR(slope_at("srk-gauss", 3, model, 20), 6.002, 0.02);  // 6.000
}

TEST(SrkRadauIa, ConvergesAsHildensFigure24) {
  const Model model = shipped(kHessenberg);
  EXPECT_NEAR(slope_at("srk-radau-ia", 2, model, 20), 2.96, 0.02);  // 2.966
  EXPECT_NEAR(slope_at("srk-radau-ia", 3, model, 20), 5.19, 0.02);  // 5.172; 5.034 at 1/80
}

// Stiffly accurate methods come near their order slowly on this system: 1.64, 1.78, 1.88, 1.93 for Lobatto IIIC with 2
// stages and h = 1/20 ... 1/160.
TEST(StandardRungeKutta, HasTheOrdersOfHildensTable21) {
  const Model model = shipped(kHessenberg);
  const struct {
    const char* name;
    int stages, count;
    double order, tolerance;
  } table[] = {
      {"rk-gauss", 1, 80, 2, 0.02},        {"rk-gauss", 2, 160, 2, 0.02},       {"rk-gauss", 3, 40, 4, 0.02},
      {"rk-gauss", 4, 80, 4, 0.02},        {"rk-radau-ia", 1, 320, 1, 0.05},    {"rk-radau-ia", 2, 640, 2, 0.05},
      {"rk-radau-ia", 3, 160, 3, 0.05},    {"rk-radau-ia", 4, 160, 4, 0.05},    {"rk-radau-iia", 1, 320, 1, 0.05},
      {"rk-radau-iia", 2, 80, 3, 0.05},    {"rk-radau-iia", 3, 40, 5, 0.05},    {"rk-lobatto-iiia", 2, 80, 2, 0.02},
      {"rk-lobatto-iiia", 3, 40, 4, 0.02}, {"rk-lobatto-iiia", 4, 20, 6, 0.02}, {"rk-lobatto-iiic", 2, 320, 2, 0.05},
      {"rk-lobatto-iiic", 3, 320, 4, 0.1}, {"rk-lobatto-iiic", 4, 40, 6, 0.25},  // 5.78, then rounding
  };
  for (const auto& row : table) {
    SCOPED_TRACE(row.name + std::to_string(row.stages));
    EXPECT_NEAR(slope_at(row.name, row.stages, model, row.count), row.order, row.tolerance);
    EXPECT_EQ(find_method(row.name).order(row.stages), row.order);
  }
}

TEST(DiscreteLagrange, ConvergesAsHildensFigure34OnTheRollingDisk) {
  const Model disk = shipped("rolling-disk");
  EXPECT_NEAR(slope_at("mclachlan-perlmutter", 0, disk, 10), 2.00, 0.02);                      // 2.001
  EXPECT_NEAR(slope_at("cortes-martinez", 0, disk, 10), 2.00, 0.02);                           // 2.001
  EXPECT_NEAR(exact_error(method("mclachlan-perlmutter"), disk, 1.0, 10), 7.0169e-4, 0.5e-8);  // 7.01694e-4
  EXPECT_NEAR(exact_error(method("cortes-martinez"), disk, 1.0, 10), 5.0690e-4, 0.5e-8);       // 5.06904e-4
}

// --- the orders that the registry claims

// A system with constant mass and one whose mass depends on the position.
Model oscillator() { return shipped("contact-oscillator", {{"eps", "0.8"}, {"z0", "-0.55"}}); }
Model sleigh() { return shipped("chaplygin-sleigh", {}, {{"x'", "1.4"}, {"theta'", "1.8"}}); }

// Numbers of steps at which methods of this order are past their first terms and above rounding.
std::vector<int> counts(int order) {
  switch (order) {
    case 1: return {640, 800, 1000};
    case 2: return {160, 200, 250};
    case 3: return {120, 150, 190};
    case 4: return {96, 120, 150};
    case 5: return {60, 75, 94};
    case 6: return {40, 50, 62};
    default: return {16, 20, 25};
  }
}

void expect_orders(const Orders& found, double order, double tolerance = 0.1) {
  EXPECT_NEAR(found.q, order, tolerance);
  EXPECT_NEAR(found.v, order, tolerance);
  EXPECT_NEAR(found.multipliers, order, tolerance);
}

struct Claimed {
  const char* name;
  int stages, order;
};

// Measured: within 0.05, mostly 0.01.
void expect_claims(const Model& model, double until, const std::vector<Claimed>& list) {
  const Motion::State gauss = reference_end(model, until);
  const Motion::State lobatto = reference_end(model, until, method("spark-lobatto-ab", 8));
  for (const Claimed& c : list) {
    SCOPED_TRACE(model.key + " " + c.name + " " + std::to_string(c.stages));
    EXPECT_EQ(find_method(c.name).order(c.stages), c.order);
    const bool is_gauss = std::string(c.name).find("gauss") != std::string::npos;
    expect_orders(measured_order(method(c.name, c.stages), model, until, counts(c.order), is_gauss ? lobatto : gauss),
                  c.order);
  }
}

TEST(Spark, HasTheDeclaredOrdersInPositionsVelocitiesAndMultipliers) {
  std::vector<Claimed> list;
  for (int order = 2; order <= 8; order += 2) {
    list.push_back({"spark-lobatto-ab", order / 2 + 1, order});
    list.push_back({"spark-lobatto-abd", order / 2 + 1, order});
    list.push_back({"spark-gauss", order / 2, order});
  }
  expect_claims(oscillator(), 4.0, list);
  expect_claims(sleigh(), 2.0, list);
}

TEST(RungeKutta, HasTheDeclaredOrdersOnMechanicalSystems) {
  const std::vector<Claimed> list = {
      {"srk-gauss", 1, 2},    {"srk-gauss", 2, 4},    {"srk-radau-ia", 2, 3},    {"srk-radau-ia", 3, 5},
      {"rk-radau-iia", 2, 3}, {"rk-radau-iia", 3, 5}, {"rk-lobatto-iiia", 3, 4}, {"rk-lobatto-iiic", 3, 4},
  };
  expect_claims(oscillator(), 4.0, list);
  expect_claims(sleigh(), 2.0, list);
}

TEST(SparkEuler, HasOrderOne) {
  for (const Model& model : {oscillator(), sleigh()})
    for (const char* const name : {"spark-euler-1", "spark-euler-2"}) {
      SCOPED_TRACE(model.key + " " + name);
      expect_orders(measured_order(method(name), model, 1.0, counts(1), reference_end(model, 1.0)), 1);
    }
}

TEST(SecondOrder, HoldsForConstantMass) {
  for (const Model& model :
       {shipped("nonholonomic-particle"), oscillator(), shipped("mobile-robot", {}, {{"theta'", "0.5"}})}) {
    SCOPED_TRACE(model.key);
    const Motion::State reference = reference_end(model, 2.0);
    expect_orders(measured_order(method("mclachlan-perlmutter"), model, 2.0, counts(2), reference), 2);
    expect_orders(measured_order(method("spark-lobatto-ab-modified"), model, 2.0, counts(2), reference), 2);
    const Orders two_step = measured_order(method("cortes-martinez"), model, 2.0, counts(2), reference);
    EXPECT_NEAR(two_step.q, 2, 0.1);  // 2.000
    EXPECT_NEAR(two_step.v, 1, 0.1);  // 1.002; (q_k - q_{k-1})/h is a first-order value of v(t_k)
  }
}

TEST(SecondOrder, IsLostByTheMethodsForConstantMassOnTheSleigh) {
  const Motion::State reference = reference_end(sleigh(), 1.0);
  expect_orders(measured_order(method("mclachlan-perlmutter"), sleigh(), 1.0, counts(1), reference), 1);
  expect_orders(measured_order(method("spark-lobatto-ab-modified"), sleigh(), 1.0, counts(1), reference), 1);
  EXPECT_NEAR(measured_order(method("cortes-martinez"), sleigh(), 1.0, counts(2), reference).q, 2, 0.1);  // 2.000
}

// The audit must say so: order 1, and a note.
TEST(SecondOrder, IsNotClaimedWhereItIsLost) {
  for (const char* const name : {"mclachlan-perlmutter", "spark-lobatto-ab-modified"}) {
    Options options;
    options.method = name;
    options.step = 0.1;
    options.steps = 2;
    const Trajectory lost = simulate(sleigh(), options), kept = simulate(oscillator(), options);
    EXPECT_EQ(lost.order, 1);
    EXPECT_EQ(kept.order, 2);
    ASSERT_EQ(lost.notes.size(), 1U);
    EXPECT_NE(lost.notes[0].find("order 1 and is not symmetric"), std::string::npos) << lost.notes[0];
    EXPECT_TRUE(kept.notes.empty());
  }
}

TEST(SecondOrder, IsClaimedOnlyWhereItHoldsOnMoreGeneralSystems) {
  for (const Model& model : {moving_contact(), nonlinear_contact(), forced_particle(), nonideal_particle(),
                             magnetic_particle(), swung_particle()}) {
    const Motion::State reference = reference_end(model, 2.0);
    for (const char* const name : {"mclachlan-perlmutter", "spark-lobatto-ab-modified", "cortes-martinez"}) {
      SCOPED_TRACE(model.key + " " + name);
      EXPECT_NEAR(measured_order(method(name), model, 2.0, counts(1), reference).q, claims_on(model, name).orders.q,
                  0.1);
    }
  }
}

TEST(Compositions, AreRefusedForMethodsThatAreNotSymmetricAndForTwoStepMethods) {
  for (const char* const name : {"srk-radau-ia", "spark-euler-1", "mclachlan-perlmutter", "cortes-martinez"})
    EXPECT_THROW(Motion(sleigh(), method(name, 0, 4)), Error) << name;
}

TEST(Compositions, RaiseTheOrderOfSymmetricMethods) {
  const struct {
    int order;
    double until;
    std::vector<int> counts;
    double tolerance;
  } table[] = {{4, 4.0, {80, 100, 125}, 0.05}, {6, 4.0, {48, 60, 75}, 0.05}, {8, 3.0, {24, 30, 37}, 0.15}};
  for (const Model& model : {shipped("nonholonomic-particle"), oscillator()})
    for (const auto& row : table) {
      const Motion::State reference = reference_end(model, row.until);
      const std::pair<const char*, int> methods[] = {
          {"mclachlan-perlmutter", 0}, {"spark-gauss", 1}, {"spark-lobatto-ab", 2}};
      for (const auto& [name, stages] : methods) {
        SCOPED_TRACE(model.key + " " + name + " composed to order " + std::to_string(row.order));
        expect_orders(measured_order(method(name, stages, row.order), model, row.until, row.counts, reference),
                      row.order,
                      row.tolerance);  // within 0.02, 0.01, 0.11
      }
    }
}

// --- systems of a more general form keep the orders

const std::vector<Claimed> kGeneral = {{"spark-lobatto-ab", 2, 2}, {"spark-lobatto-ab", 3, 4},
                                       {"spark-lobatto-ab", 4, 6}, {"spark-gauss", 1, 2},
                                       {"spark-gauss", 2, 4},      {"spark-gauss", 3, 6}};

TEST(GeneralForms, KeepTheOrderWhenLagrangianAndConstraintDependOnTime) {
  expect_claims(moving_contact(), 3.0, kGeneral);
}
TEST(GeneralForms, KeepTheOrderForConstraintsNonlinearInTheVelocity) {
  expect_claims(nonlinear_contact(), 3.0, kGeneral);
}
TEST(GeneralForms, KeepTheOrderWithAppliedForces) { expect_claims(forced_particle(), 3.0, kGeneral); }
TEST(GeneralForms, KeepTheOrderWithForcesLinearInTheMultiplier) { expect_claims(nonideal_particle(), 3.0, kGeneral); }
TEST(GeneralForms, KeepTheOrderInAMagneticField) { expect_claims(magnetic_particle(), 3.0, kGeneral); }

}  // namespace
}  // namespace rattleback::testing
