// The baselines are there to be compared with: they must be right within their tolerances, and drift off the constraint.
// Numbers at line ends: measured.
#include "bind/baselines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "rattleback/error.hpp"
#include "system/start/start.hpp"

namespace rattleback {
namespace {

// A model with its system and start, and a baseline at that start.
struct Motion {
  Motion(Baseline which, Model from, double rtol, double atol)
      : model(std::move(from)),
        system(model),
        start(consistent_start(system, false)),
        stepper(make_baseline(which, system, rtol, atol)) {
    stepper->start(0.0, start.q, start.v, start.multipliers, start.acceleration);
  }

  // Largest velocity-level residual over the output times of so many intervals.
  double drift(double h, int steps) {
    double largest = 0.0;
    for (int k = 0; k < steps; ++k) {
      const AdvanceReport report = stepper->advance(h, 1);
      EXPECT_TRUE(report.ok) << report.failure.reason << ", t = " << stepper->t();
      if (!report.ok) break;
      largest = std::fmax(largest, system.observe(stepper->t(), stepper->q(), stepper->v()).velocity);
    }
    return largest;
  }
  double exact_error() {
    return system.exact_error(stepper->t(), stepper->q(), stepper->v(), start.multipliers).value();
  }

  Model model;
  System system;
  Start start;
  std::unique_ptr<StepTaker> stepper;
};

double distance(std::span<const double> a, std::span<const double> b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::fmax(largest, std::fabs(a[i] - b[i]));
  return largest;
}

Model disk() { return load_model("rolling-disk"); }

// Chaplygin's sleigh as in Hilden, 4.2.3.
Model sleigh() {
  LoadOptions options;
  options.set = {{"g", "9.8"}, {"m", "0.001"}, {"a", "0.04"}, {"I", "0.01"}};
  options.start = {{"theta", "0.2"}};
  return load_model("chaplygin-sleigh", options);
}

// One particle on a line, without constraints.
Model free_particle(const std::string& potential, const std::string& x, const std::string& v,
                    const std::string& solution) {
  std::string text = "name = \"free\"\ncoordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"" +
                     potential + "\"\n[initial]\nx = " + x + "\n\"x'\" = " + v + "\n";
  if (!solution.empty()) text += "[exact]\nx = \"" + solution + "\"\n";
  return parse_model(text, "free.toml");
}

const Baseline kBoth[] = {Baseline::ode, Baseline::index1};

// Hilden's 5e-6 (experiment H-2.1) belongs to his system (2.12), where the multipliers are states too and their errors
// are integrated once more. With multipliers eliminated, as here, a Dormand-Prince pair drifts less.
TEST(BaselineOde, DriftsOffTheConstraintAndTheDriftGrows) {
  Motion motion(Baseline::ode, disk(), 1e-6, 1e-9);
  const double early = motion.drift(0.1, 100), late = motion.drift(0.1, 900);
  EXPECT_GT(early, 4e-10);  // 4.1e-9
  EXPECT_GT(late, 4e-9);    // 3.8e-8
  EXPECT_LT(late, 4e-7);
  EXPECT_GT(late, 3.0 * early);  // ratio 9.3
}

TEST(BaselineIndex1, DriftsOffTheConstraintAndTheDriftGrows) {
  Motion motion(Baseline::index1, disk(), 1e-6, 1e-9);
  const double early = motion.drift(0.1, 100), late = motion.drift(0.1, 900);
  EXPECT_GT(early, 2e-7);  // 2.3e-6
  EXPECT_GT(late, 3e-6);   // 8.7e-6; Hilden's figure 2.1, with another BDF code: 3e-5
  EXPECT_LT(late, 3e-4);
  EXPECT_GT(late, 2.0 * early);  // ratio 3.9
}

// Table 4.1 of Hilden, with MATLAB's ode15s: 8.256e-4, 1.320e-5, 1.838e-7, 8.647e-9.
TEST(BaselineIndex1, DriftsAsMuchAsInHildensTable) {
  const double printed[] = {8.256e-4, 1.320e-5, 1.838e-7, 8.647e-9};
  const double rtol[] = {1e-5, 1e-7, 1e-9, 1e-11};
  for (int i = 0; i < 4; ++i) {
    const double drift = Motion(Baseline::index1, sleigh(), rtol[i], 1e-3 * rtol[i]).drift(0.1, 300);
    EXPECT_GT(drift, printed[i] / 10) << rtol[i];  // 3.5e-4, 1.33e-5, 9.7e-8, 2.7e-9
    EXPECT_LT(drift, printed[i] * 10) << rtol[i];
  }
}

TEST(Baselines, ConvergeToTheExactSolutionWhenTolerancesShrink) {
  const auto error = [](Baseline which, double rtol) {
    Motion motion(which, disk(), rtol, 1e-3 * rtol);
    motion.drift(1.0, 10);
    return motion.exact_error();
  };
  const double bounds[2][3] = {{2e-7, 1e-9, 5e-12},  // ode: 2.0e-8, 1.1e-10, 4.9e-13
                               {1e-4, 1e-6, 1e-8}};  // index1: 1.3e-5, 1.1e-7, 8.8e-10
  for (const Baseline which : kBoth) {
    const double* bound = bounds[which == Baseline::index1];
    const double coarse = error(which, 1e-6), middle = error(which, 1e-8), fine = error(which, 1e-10);
    EXPECT_LT(coarse, bound[0]);
    EXPECT_LT(middle, bound[1]);
    EXPECT_LT(fine, bound[2]);
    EXPECT_LT(middle, coarse / 5);
    EXPECT_LT(fine, middle / 5);
  }
}

TEST(Baselines, DoNotDependOnTheOutputInterval) {
  for (const Baseline which : kBoth) {
    Motion often(which, disk(), 1e-8, 1e-11), rarely(which, disk(), 1e-8, 1e-11);
    often.drift(0.0625, 160);
    rarely.drift(10.0, 1);
    EXPECT_EQ(often.stepper->t(), rarely.stepper->t());
    EXPECT_LT(distance(often.stepper->q(), rarely.stepper->q()), 2e-9);   // ode 1.8e-10, index1 0
    EXPECT_LT(distance(often.stepper->v(), rarely.stepper->v()), 5e-10);  // ode 2.4e-11, index1 0
  }
}

TEST(Baselines, AgreeWithEachOther) {
  for (const char* const key : {"pendulum", "double-pendulum", "gearbox"}) {
    Motion ode(Baseline::ode, load_model(key), 1e-11, 1e-13), index1(Baseline::index1, load_model(key), 1e-11, 1e-13);
    ode.drift(0.5, 2);
    index1.drift(0.5, 2);
    EXPECT_LT(distance(ode.stepper->q(), index1.stepper->q()), 1e-7) << key;  // 6e-9
    EXPECT_LT(distance(ode.stepper->v(), index1.stepper->v()), 1e-6) << key;  // 4e-8
  }
}

// A block that slides on a floor: friction from the normal force, which is the multiplier of a holonomic constraint.
TEST(Baselines, TakeForcesThatDependOnTheMultipliers) {
  const Model block = parse_model(R"toml(
name = "block"
coordinates = ["x", "y"]
[lagrangian]
kinetic = "3*(x'^2 + y'^2)/2"
potential = "3*9.81*y"
[constraints.holonomic]
floor = "y"
[forces]
x = "-0.2*abs(lambda(floor))"
[initial]
"x'" = 2.0
[exact]
x = "2*t - 0.2*9.81*t^2/2"
y = "0"
)toml",
                                  "block.toml");
  for (const Baseline which : kBoth) {
    Motion motion(which, block, 1e-9, 1e-12);
    motion.drift(0.25, 4);
    EXPECT_LT(motion.exact_error(), 5e-11);  // 6e-16, 1e-12
  }
}

TEST(Baselines, IntegrateSystemsWithoutConstraints) {
  for (const Baseline which : kBoth) {
    Motion motion(which, free_particle("x^2/2", "1.0", "0.0", "cos(t)"), 1e-10, 1e-13);
    EXPECT_EQ(motion.drift(0.5, 20), 0.0);
    EXPECT_LT(motion.exact_error(), which == Baseline::ode ? 1e-9 : 1e-7);  // 1.8e-11, 3.7e-9
  }
}

TEST(Baselines, GoBackToTheStart) {
  for (const Baseline which : kBoth) {
    Motion motion(which, disk(), 1e-9, 1e-12);
    motion.drift(0.5, 20);
    motion.drift(-0.5, 20);
    EXPECT_EQ(motion.stepper->t(), 0.0);
    EXPECT_LT(distance(motion.stepper->q(), motion.start.q), which == Baseline::ode ? 1e-9 : 5e-7);  // 1.4e-11, 2.9e-8
    EXPECT_LT(distance(motion.stepper->v(), motion.start.v), which == Baseline::ode ? 1e-9 : 5e-7);  // 9e-13, 4e-9
  }
}

TEST(Baselines, ContinueFromASavedState) {
  for (const Baseline which : kBoth) {
    Motion whole(which, disk(), 1e-9, 1e-12), resumed(which, disk(), 1e-9, 1e-12);
    whole.drift(0.1, 50);
    resumed.stepper->load(whole.stepper->save());
    EXPECT_EQ(resumed.stepper->t(), whole.stepper->t());
    EXPECT_EQ(resumed.stepper->iterations, whole.stepper->iterations);
    EXPECT_EQ(distance(resumed.stepper->q(), whole.stepper->q()), 0.0);
    EXPECT_EQ(distance(resumed.stepper->v(), whole.stepper->v()), 0.0);
    whole.drift(0.1, 50);
    resumed.drift(0.1, 50);
    EXPECT_EQ(resumed.stepper->t(), whole.stepper->t());
    EXPECT_LT(distance(resumed.stepper->q(), whole.stepper->q()),
              which == Baseline::ode ? 1e-10 : 5e-8);  // 3e-12, 1.3e-9
  }
}

TEST(Baselines, CountTheStepsOfTheCode) {
  for (const Baseline which : kBoth) {
    Motion motion(which, disk(), 1e-6, 1e-9);
    motion.drift(1.0, 10);
    EXPECT_GT(motion.stepper->iterations, 50);
    EXPECT_LT(motion.stepper->iterations, 2000);
    EXPECT_GE(10 * motion.stepper->max_iterations, motion.stepper->iterations);
  }
}

// x'' = 2 x^3 is solved by 1/(1 - t): nothing can be computed past t = 1.
TEST(Baselines, KeepTheLastGoodStateWhenTheSolutionEnds) {
  for (const Baseline which : kBoth) {
    Motion motion(which, free_particle("-x^4/2", "1.0", "1.0", "1/(1 - t)"), 1e-8, 1e-10);
    const AdvanceReport report = motion.stepper->advance(0.125, 20);
    EXPECT_FALSE(report.ok);
    EXPECT_FALSE(report.failure.ok);
    EXPECT_EQ(report.done, 7);
    EXPECT_EQ(motion.stepper->t(), 0.875);
    EXPECT_NEAR(motion.stepper->q()[0], 8.0, 1e-4);  // off by 5e-8, 5e-6
    const std::string reason = report.failure.reason;
    EXPECT_EQ(reason.find(which == Baseline::ode ? "ARKODE: " : "IDA: "), 0u) << reason;
    // It can go back from there.
    EXPECT_TRUE(motion.stepper->advance(-0.125, 7).ok);
    EXPECT_NEAR(motion.stepper->q()[0], 1.0, 1e-3);
  }
}

TEST(Baselines, RefuseTolerancesWithoutMeaning) {
  const Model model = disk();
  const System system(model);
  for (const Baseline which : kBoth) {
    EXPECT_THROW(make_baseline(which, system, 0.0, 0.0), Error);
    EXPECT_THROW(make_baseline(which, system, -1e-6, 1e-9), Error);
    EXPECT_THROW(make_baseline(which, system, 1e-6, std::numeric_limits<double>::quiet_NaN()), Error);
  }
}

}  // namespace
}  // namespace rattleback
