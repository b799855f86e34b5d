// Poincare sections. Numbers at line ends: measured.
#include <array>
#include <numbers>

#include "linalg/decompositions.hpp"
#include "rattleback/trace.hpp"
#include "study/support.hpp"

namespace rattleback::testing {
namespace {

constexpr double kPi = std::numbers::pi;

// Ten starts of the contact oscillator, at y' = 0 falling. [Hilden2009, 4.3]
SectionRequest ten_starts(const std::string& method, int stages, std::int64_t crossings) {
  SectionRequest r;
  r.where = "y'";
  r.direction = Crossing::down;
  r.crossings = crossings;
  r.starts = members_on_grid({{"z0", -0.9 * std::sqrt(2.0), 0.9 * std::sqrt(2.0), 10}});
  r.axes = {"z", "z'"};
  r.options.method = method;
  r.options.stages = stages;
  return r;
}

// The least singular value of the matrix with rows (a^2, ab, b^2, a, b, 1), relative to the largest: 0 when all points
// lie on one conic. `ellipse`: that conic is closed.
double conic_defect(const SectionReport& r, std::size_t start, bool* ellipse = nullptr) {
  std::vector<std::array<double, 6>> rows;
  for (const SectionPoint& p : r.points)
    if (p.start == start) {
      const double a = p.axes[0], b = p.axes[1];
      rows.push_back({a * a, a * b, b * b, a, b, 1.0});
    }
  Eigen::MatrixXd m(static_cast<Eigen::Index>(rows.size()), 6);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < 6; ++j) m(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i][j];
  const auto [values, V] = linalg::singular_values_and_v(m);
  const Eigen::VectorXd c = V.col(5);
  if (ellipse != nullptr) *ellipse = c[1] * c[1] < 4.0 * c[0] * c[2];
  return values[5] / values[0];
}

// H-4.3: the crossings of both methods lie on closed curves, and the energy errors are those of the full experiment.
TEST(Section, OfTheContactOscillatorIsMadeOfEllipses) {
  const double mp[] = {1.343e-2, 1.492e-2, 1.453e-2, 1.331e-2, 1.170e-2, 9.80e-3, 7.63e-3, 5.37e-3, 5.95e-3, 7.54e-3};
  const double ab[] = {1.226e-2, 1.241e-2, 1.167e-2, 1.022e-2, 8.42e-3, 6.54e-3, 4.82e-3, 3.57e-3, 5.69e-3, 9.28e-3};
  for (const auto& [method, stages, expected] :
       {std::tuple{"mclachlan-perlmutter", 0, mp}, std::tuple{"spark-lobatto-ab", 2, ab}}) {
    const SectionReport r = section(MemberSource{"contact-oscillator"}, ten_starts(method, stages, 200));
    ASSERT_EQ(r.points.size(), 2000U);
    for (std::size_t i = 0; i < 10; ++i) {
      bool ellipse = false;
      EXPECT_LT(conic_defect(r, i, &ellipse), 1e-13) << method << i;  // 3.2e-15
      EXPECT_TRUE(ellipse) << method << i;
      EXPECT_NEAR(*r.starts[i].energy_error, expected[i], 3e-3 * expected[i]) << method << i;
    }
  }
}

// With eps = 0.8 the motion from z0 = -0.55 is chaotic: no curve.
TEST(Section, OfAChaoticMotionIsNoCurve) {
  for (const auto& [method, stages] : {std::pair{"mclachlan-perlmutter", 0}, std::pair{"spark-lobatto-ab", 2}}) {
    SectionRequest r = ten_starts(method, stages, 200);
    r.starts = members_on_grid({{"z0", -0.55, -0.55, 1}});
    EXPECT_GT(conic_defect(section(MemberSource{"contact-oscillator", {.set = {{"eps", "0.8"}}}}, r), 0), 1e-2);
  }
}

// The skate's x = sin(t)^2/2 is 1/4 at odd multiples of pi/4, growing and falling in turn.
TEST(Section, HasItsCrossingsAtTheTimesOfTheExactSolution) {
  SectionRequest r;
  r.where = "x - 0.25";
  r.crossings = 10;
  r.options.method = "spark-gauss";
  r.options.stages = 5;
  r.options.step = 0.1;
  const SectionReport both = section(MemberSource{"skate"}, r);
  ASSERT_EQ(both.points.size(), 10U);
  double worst = 0.0, off = 0.0;
  for (int i = 0; i < 10; ++i) {
    const SectionPoint& p = both.points[static_cast<std::size_t>(i)];
    worst = std::fmax(worst, std::fabs(p.t - (2 * i + 1) * kPi / 4.0));
    off = std::fmax(off, std::fabs(p.q[0] - 0.25));
    EXPECT_EQ(p.direction, i % 2 == 0 ? 1 : -1);
  }
  EXPECT_LT(worst, 1e-11);
  EXPECT_LT(off, 1e-14);
  EXPECT_NEAR(both.starts[0].t, 19.0 * kPi / 4.0, 0.11);  // the run ends with its last crossing

  r.direction = Crossing::down;
  r.crossings = 3;
  const SectionReport down = section(MemberSource{"skate"}, r);
  ASSERT_EQ(down.points.size(), 3U);
  EXPECT_NEAR(down.points[1].t, 7.0 * kPi / 4.0, 1e-11);
  r.condition = "y - 3";  // y = (t - sin(t) cos(t))/2: the third falling crossing is the first beyond y = 3
  r.axes = {"y", "2*t"};
  const SectionReport filtered = section(MemberSource{"skate"}, r);
  EXPECT_NEAR(filtered.points[0].t, 7.0 * kPi / 4.0 + (filtered.points[0].q[1] > 4.0 ? kPi : 0.0), 1e-11);
  for (const SectionPoint& p : filtered.points) {
    EXPECT_GT(p.q[1], 3.0);
    EXPECT_EQ(p.axes[0], p.q[1]);
    EXPECT_EQ(p.axes[1], 2.0 * p.t);
  }
}

TEST(Section, HasTheSameBitsForAnyNumberOfThreads) {
  SectionRequest r = ten_starts("spark-lobatto-ab", 2, 20);
  r.options.step = 0.1;  // crossings inside steps
  r.threads = 1;
  const SectionReport one = section(MemberSource{"contact-oscillator"}, r);
  for (const int threads : {2, 5}) {
    r.threads = threads;
    const SectionReport more = section(MemberSource{"contact-oscillator"}, r);
    ASSERT_EQ(more.points.size(), one.points.size());
    for (std::size_t i = 0; i < one.points.size(); ++i) {
      EXPECT_EQ(more.points[i].start, one.points[i].start);
      EXPECT_EQ(more.points[i].t, one.points[i].t);
      EXPECT_EQ(more.points[i].q, one.points[i].q);
      EXPECT_EQ(more.points[i].v, one.points[i].v);
    }
  }
}

// Crossings are those that a run with --event finds.
TEST(Section, FindsWhatARunWithAnEventFinds) {
  SectionRequest r = ten_starts("spark-lobatto-ab", 2, 1000);
  r.starts = {};
  r.direction = Crossing::both;
  r.options.step = 0.13;
  r.options.until = 30.0;
  const Model model = load_model("contact-oscillator");
  const SectionReport found = section(model, r);
  Options o = r.options;
  o.event = {"y'"};
  const Trajectory run = simulate(model, o);
  ASSERT_EQ(found.points.size(), run.events.size());
  for (std::size_t i = 0; i < run.events.size(); ++i) EXPECT_EQ(found.points[i].t, run.events[i].t);
  EXPECT_EQ(found.starts[0].message, "9 of 1000 crossings up to t = 30");
}

TEST(Section, TakesAllKindsOfSystems) {
  struct Case {
    const char* system;
    const char* where;
    double until;
    std::size_t least;
    std::size_t velocities;
  };
  for (const Case& c :
       {Case{"pendulum", "x", 5.0, 2, 2}, Case{"suslov", "t - 1", 2.0, 1, 0},
        Case{"mass-spring-damper", "t - 0.55", 1.0, 1, 0}, Case{"dae-hessenberg", "t - 0.33", 0.5, 1, 0},
        Case{"odae-exponential", "t - 0.123", 0.2, 1, 2}}) {
    const Model model = load_model(c.system);
    SectionRequest r;
    r.where = c.where;
    r.crossings = 100;
    r.options.until = c.until;
    if (!model.run.step) r.options.step = 0.01;
    const SectionReport found = section(model, r);
    EXPECT_GE(found.points.size(), c.least) << c.system << ": " << found.starts[0].message;
    ASSERT_FALSE(found.points.empty()) << c.system;
    EXPECT_EQ(found.points[0].q.size(), static_cast<std::size_t>(model.coordinates.size())) << c.system;
    if (c.velocities > 0) EXPECT_EQ(found.points[0].v.size(), c.velocities) << c.system;
  }
}

struct Free {
  template <class T>
  T lagrangian(const T&, std::span<const T>, std::span<const T> v) const {
    return v[0] * v[0] / 2.0;
  }
};

// A free particle crosses x = 1 once, at t = 1/v.
TEST(Section, TakesAModelFromCpp) {
  const Model model = trace(Free{}, {.name = "free", .coordinates = {"x"}, .q = {0}, .v = {1}});
  SectionRequest r;
  r.where = "x - 1";
  r.crossings = 3;
  r.options = {.method = "spark-gauss", .stages = 1, .step = 0.1, .until = 4.0};
  r.starts = members_on_grid({{"x'", 0.5, 2.0, 4}});
  const SectionReport found = section(model, r);
  ASSERT_EQ(found.points.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(found.points[i].start, i);
    EXPECT_NEAR(found.points[i].t, 1.0 / (0.5 + 0.5 * static_cast<double>(i)), 1e-13);
  }
}

// Without an end time a start that crosses nothing ends, and says so.
TEST(Section, EndsWithoutAnEndTime) {
  const Model model = trace(Free{}, {.name = "free", .coordinates = {"x"}, .q = {0}, .v = {1}});
  SectionRequest r;
  r.where = "x - 1";
  r.crossings = 3;
  r.options = {.method = "spark-gauss", .stages = 1, .step = 0.5};
  const SectionReport found = section(model, r);
  EXPECT_EQ(found.points.size(), 1U);
  EXPECT_EQ(found.starts[0].message,
            "1 of 3 crossings: none in the last 1000000 steps, to t = 500002. Pass --until T to look longer");
}

TEST(Section, KeepsWhatCameBeforeAFailure) {
  const Model model = parse_model(
      "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"-exp(x)\"\n", "escaping.toml");
  SectionRequest r;
  r.where = "x - 1";
  r.crossings = 3;
  r.options = {.method = "spark-gauss", .stages = 2, .step = 0.01};
  const SectionReport found = section(model, r);
  EXPECT_EQ(found.points.size(), 1U);
  EXPECT_EQ(found.starts[0].status, Status::stopped);
  EXPECT_NE(found.starts[0].message.find("stopped at t = "), std::string::npos);
}

TEST(Section, RefusesWrongRequests) {
  const auto refused = [](const SectionRequest& r) {
    return message_of([&] { section(MemberSource{"contact-oscillator"}, r); });
  };
  SectionRequest r = ten_starts("mclachlan-perlmutter", 0, 1);
  r.crossings = 0;
  EXPECT_EQ(refused(r), "--crossings must be at least 1, found 0");
  r = ten_starts("mclachlan-perlmutter", 0, 1);
  r.starts.names = {"zz0"};
  EXPECT_EQ(refused(r),
            "--vary: there is no parameter or start value `zz0`. Did you mean `vz0`? Parameters: E0, b, eps, vz0, z0. "
            "Start values: x, x', y, y', z, z'");
  // Starts for which the model has no value, or is not consistent: with the number of the start.
  r = ten_starts("mclachlan-perlmutter", 0, 1);
  r.starts = members_on_grid({{"z0", 0.0, 3.0, 4}});
  EXPECT_TRUE(refused(r).starts_with("start 2 (z0 = 2): ")) << refused(r);
  r.starts = members_on_grid({{"x'", 0.0, 1.0, 2}});
  EXPECT_TRUE(refused(r).starts_with("start 1 (x' = 1): ")) << refused(r);
  r.options.project = true;
  const SectionReport moved = section(MemberSource{"contact-oscillator"}, r);
  EXPECT_EQ(moved.moved, 1U);
  EXPECT_NEAR(moved.moved_by, 0.5, 1e-12);  // x' + y z' = 1 with y = 1: both go half the way
}

}  // namespace
}  // namespace rattleback::testing
