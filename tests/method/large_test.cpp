// Large systems: families as families and sparse matrices give what single coordinates and dense ones give, for every
// scheme and formulation. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "bind/bind.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "support/large_models.hpp"

namespace rattleback::testing {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

double difference(const std::vector<double>& x, const std::vector<double>& y) {
  double worst = 0.0, size = 1.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, std::fabs(x[i] - y[i]));
    size = std::max(size, std::fabs(x[i]));
  }
  return worst / size;
}

struct How {
  const char* method;
  int stages;
  const char* formulation;
  int compose = 0;
};
constexpr How kAll[] = {
    {"prk-lobatto", 2, "index3"},       {"prk-lobatto", 3, "index3"},      {"prk-murua", 3, "ggl"},
    {"spark-lobatto-abd", 3, "index3"}, {"spark-lobatto-ab", 2, "index2"}, {"spark-lobatto-ab", 3, "ggl"},
    {"spark-gauss", 2, "index2"},       {"spark-gauss", 2, "ggl"},         {"rk-radau-iia", 2, "ggl"},
    {"rk-lobatto-iiia", 3, "index2"},   {"rk-lobatto-iiia", 3, "ggl"},     {"spark-euler-1", 0, "index2"},
    {"prk-lobatto", 2, "index3", 4}};

// Numbers: the largest over all of kAll and the three systems.
void expect_same(const Model& single, const Model& families, double h) {
  ASSERT_FALSE(System(single).is_large());
  ASSERT_TRUE(System(families).has_families());
  for (const How& how : kAll) {
    SCOPED_TRACE(::testing::Message() << families.key << ' ' << how.method << ' ' << how.stages << ' '
                                      << how.formulation << ' ' << how.compose);
    const Options options{.method = how.method,
                          .stages = how.stages,
                          .step = h,
                          .steps = 40,
                          .formulation = how.formulation,
                          .compose = how.compose};
    const Trajectory a = simulate(single, options), b = simulate(families, options);
    ASSERT_EQ(a.status, Status::done) << a.message;
    ASSERT_EQ(b.status, Status::done) << b.message;
    EXPECT_LT(difference(a.q, b.q), 3e-14);                                        // 6.6e-16
    EXPECT_LT(difference(a.v, b.v), 4e-13);                                        // 8.8e-15
    EXPECT_LT(difference(a.multipliers, b.multipliers), 1e-12);                    // 2.4e-14
    EXPECT_LT(*b.constraint_velocity, 4e-14);                                      // 8.3e-16
    if (*a.constraint_position < 1e-13) EXPECT_LT(*b.constraint_position, 1e-13);  // 3.6e-15
    EXPECT_NEAR(a.energy->final, b.energy->final, 4e-11);                          // 1.1e-12
  }
}

TEST(LargeSystems, ChainAgreesWithSingleCoordinates) { expect_same(chain(12, kUnrolled), chain(12, kFamilies), 0.01); }
TEST(LargeSystems, MixedConstraintsWithADenseRowAgree) {
  expect_same(text(kBlades, 12, kUnrolled), text(kBlades, 12, kFamilies), 0.01);
}
TEST(LargeSystems, CoupledMassThatDependsOnThePositionAgrees) {
  expect_same(text(kPolar, 12, kUnrolled), text(kPolar, 12, kFamilies), 0.01);
}

// What the constraints must lend to L_vv, they lend to families, too. Without it velocities were wrong by 10^2 (rk-radau-iia
// with one stage, ggl), and other methods stopped.
TEST(LargeSystems, QuaternionsAgreeWithSingleCoordinates) {
  expect_same(text(kTops, 12, kUnrolled), text(kTops, 12, kFamilies), 0.01);
  for (const std::int32_t unrolled : {kUnrolled, kFamilies}) {
    const Model many = text(kTops, 40, unrolled);
    EXPECT_TRUE(System(many).is_large());
    for (const char* method : {"rk-radau-iia", "spark-euler-1", "spark-gauss"}) {
      const Options options{.method = method, .stages = 1, .step = 0.01, .steps = 20, .formulation = "ggl"};
      const Trajectory t = simulate(many, options);
      ASSERT_EQ(t.status, Status::done) << method << t.message;
      EXPECT_LT(*t.constraint_velocity, 1e-14) << method;
      EXPECT_LT(*t.constraint_position, 1e-14) << method;
      ASSERT_FALSE(t.notes.empty());
      EXPECT_NE(t.notes[0].find("gives no inertia to a motion of e0[1], e1[1]"), std::string::npos) << t.notes[0];
    }
    EXPECT_FALSE(check(many).mass_positive_definite);
    EXPECT_TRUE(check(many).saddle_regular);
  }
}

TEST(LargeSystems, ManySingleCoordinatesTakeTheSamePath) {
  const Model single = chain(60, kUnrolled), families = chain(60, kFamilies);
  EXPECT_TRUE(System(single).is_large());
  EXPECT_FALSE(System(single).has_families());
  const Options options{.method = "prk-lobatto", .step = 0.001, .steps = 40};
  const Trajectory a = simulate(single, options), b = simulate(families, options);
  EXPECT_LT(difference(a.q, b.q), 1e-14);  // 2.9e-20
  EXPECT_LT(difference(a.v, b.v), 1e-14);  // 1.1e-16
}

TEST(LargeSystems, ConstraintsAreKeptToRoundingForAnySize) {
  for (const int n : {100, 1000, 10'000}) {
    const Trajectory t =
        simulate(chain(n), {.method = "rattle", .step = 0.001, .steps = 20, .record_multipliers = false});
    ASSERT_EQ(t.status, Status::done) << t.message;
    EXPECT_LT(*t.constraint_position, 10 * n * kEps);  // 0.5 to 0.8 N eps
    EXPECT_LT(*t.constraint_velocity, 10 * n * kEps);  // 2.2e-16 for N = 10000
    EXPECT_LE(t.newton_max_per_step, 4);               // 2
  }
}

TEST(LargeSystems, IntegratesBackToTheStart) {
  const Trajectory t = simulate(chain(500), {.method = "rattle", .step = 0.001, .steps = 50, .audit_reverse = true});
  ASSERT_TRUE(t.reverse_defect);
  EXPECT_LT(*t.reverse_defect, 1e-12);  // 2.0e-14
}

TEST(LargeSystems, EnergyErrorOfALongChainStaysBounded) {
  const auto late = [](std::int64_t from, std::int64_t steps) {
    const Trajectory t = simulate(
        chain(1000), {.method = "rattle", .step = 0.002, .steps = steps, .every = 10, .record_multipliers = false});
    EXPECT_EQ(t.status, Status::done) << t.message;
    double worst = 0.0;
    for (std::size_t i = static_cast<std::size_t>(from / 10); i < t.records.rows; ++i)
      worst = std::max(worst, std::fabs(t.records.energy[i] - t.records.energy[0]));
    return worst / t.energy->max_kinetic;
  };
  EXPECT_LT(late(0, 500), 5e-8);     // 4.1e-8
  EXPECT_LT(late(500, 1000), 5e-8);  // 2.8e-8
}

TEST(LargeSystems, ResumeWithTheSameBitsWithBandAndWithoutOne) {
  for (const bool band : {true, false}) {
    SCOPED_TRACE(band ? "chain" : "blades");
    const Model model = band ? chain(200) : text(kBlades, 200, kFamilies);
    const Options options{.method = "prk-lobatto", .stages = 2, .step = 0.004};
    const System system(model);
    const Start start = consistent_start(system, false);
    const auto fresh = [&] {
      BoundMethod bound = bind(system, options, start);
      bound.stepper->start(0.0, start.q, start.v, start.multipliers, start.acceleration);
      return bound;
    };
    const BoundMethod first = fresh(), second = fresh();
    ASSERT_TRUE(first.stepper->advance(0.004, 20).ok);
    second.stepper->load(first.stepper->save());
    ASSERT_TRUE(first.stepper->advance(0.004, 10).ok);
    ASSERT_TRUE(second.stepper->advance(0.004, 10).ok);
    EXPECT_TRUE(std::ranges::equal(first.stepper->q(), second.stepper->q()));
    EXPECT_TRUE(std::ranges::equal(first.stepper->v(), second.stepper->v()));
  }
}

TEST(LargeSystems, AnInconsistentStartIsNamedOrMoved) {
  LoadOptions load{.set = {{"N", "300"}}};
  load.start = {{"x[7]", "7.1"}};
  const Model model = load_model("chain", load);
  const Options options{.method = "rattle", .step = 0.001, .steps = 5};
  try {
    (void)simulate(model, options);
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("'rod[7]' at position level"), std::string::npos) << e.what();
  }
  Options moved = options;
  moved.project = true;
  const Trajectory t = simulate(model, moved);
  EXPECT_EQ(t.status, Status::done) << t.message;
  EXPECT_LT(*t.constraint_position, 3000 * kEps);
}

TEST(LargeSystems, CheckListsTheMethodsThatApply) {
  const CheckReport r = check(chain(1000));
  for (const MethodCheck& m : r.methods) {
    if (m.name == "prk-lobatto") EXPECT_TRUE(m.applies) << m.reason;
    if (m.name == "ode") EXPECT_NE(m.reason.find("single coordinates"), std::string::npos) << m.reason;
  }
  EXPECT_THROW((void)simulate(chain(1000), {.method = "ode", .step = 0.1, .steps = 1}), Error);
}

}  // namespace
}  // namespace rattleback::testing
