// Steps end where data have jumps and kinks. Numbers at line ends: measured.
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "rattleback/stepper.hpp"
#include "rattleback/write.hpp"
#include "run/support.hpp"
#include "support/json.hpp"

namespace rattleback::testing {
namespace {

const std::vector<double> kTimes = {0.0, 0.137, 0.4, 0.771, 0.9, 1.3, 1.314, 1.77, 2.5};
const std::vector<double> kValues = {0.3, 1.0, -0.4, 0.9, 0.9, -1.2, 0.5, 0.1, 0.7};

// A cubic with one jump of its third derivative, at 0.771: the spline through its values is the cubic itself.
const std::vector<double> kFive = {0.0, 0.4, 0.771, 1.3, 2.5};
double cubic(double t) { return 0.5 * t - 0.3 * t * t + (t > 0.771 ? 2.0 * std::pow(t - 0.771, 3) : 0.0); }

class Driven {
 public:
  explicit Driven(const std::string& how, const std::string& more = "") {
    folder_ = std::filesystem::path(::testing::TempDir()) / fmt::format("rattleback-knots-{}-{}", ::getpid(), count_++);
    std::filesystem::create_directories(folder_);
    std::ofstream data(folder_ / "u.csv");
    data << "t,u\n";
    const bool smooth = how == "cubic";
    for (std::size_t i = 0; i < (smooth ? kFive : kTimes).size(); ++i)
      data << (smooth ? fmt::format("{},{}\n", kFive[i], cubic(kFive[i]))
                      : fmt::format("{},{}\n", kTimes[i], kValues[i]));
    data.close();
    std::ofstream(folder_ / "m.toml")
        << "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = "
           "\"x^2/2\"\n[ports.motor]\ninput = { file = \"u.csv\", column = \"u\", interpolate = \""
        << how << "\"" << more << " }\nalong = { x = 1 }\n";
    model = load_model((folder_ / "m.toml").string());
  }
  ~Driven() { std::filesystem::remove_all(folder_); }
  Driven(const Driven&) = delete;
  Driven& operator=(const Driven&) = delete;
  Model model;

 private:
  std::filesystem::path folder_;
  static inline int count_ = 0;
};

// x'' = -x + u(t), from rest: x = p + A cos + B sin on each piece, with p = u - u''.
struct Exact {
  double x = 0.0, v = 0.0;
  // To u = c0 + c1 s + c2 s^2 + c3 s^3 for a time h.
  void go(double h, double c0, double c1, double c2, double c3) {
    const auto p = [&](double s) { return c0 + s * (c1 + s * (c2 + s * c3)) - (2.0 * c2 + 6.0 * c3 * s); };
    const auto dp = [&](double s) { return c1 + s * (2.0 * c2 + 3.0 * s * c3) - 6.0 * c3; };
    const double A = x - p(0.0), B = v - dp(0.0);
    x = p(h) + A * std::cos(h) + B * std::sin(h);
    v = dp(h) - A * std::sin(h) + B * std::cos(h);
  }
};
Exact exact(const std::string& how, double until) {
  Exact out;
  if (how == "cubic") {
    const double k = std::fmin(until, 0.771);
    out.go(k, 0.0, 0.5, -0.3, 0.0);
    if (until > k) out.go(until - k, 0.5 * k - 0.3 * k * k, 0.5 - 0.6 * k, -0.3, 2.0);
    return out;
  }
  for (std::size_t i = 0; i + 1 < kTimes.size() && kTimes[i] < until; ++i) {
    const double slope = how == "hold" ? 0.0 : (kValues[i + 1] - kValues[i]) / (kTimes[i + 1] - kTimes[i]);
    out.go(std::fmin(kTimes[i + 1], until) - kTimes[i], kValues[i], slope, 0.0, 0.0);
  }
  return out;
}

double error(const Trajectory& run, const std::string& how) {
  const Exact x = exact(how, run.t);
  return std::fmax(std::fabs(run.q[0] - x.x), std::fabs(run.v[0] - x.v));
}

Options options(const std::string& method, int stages, double h) {
  return {.method = method, .stages = stages, .step = h, .until = 2.0, .native = "off"};
}

// With steps of which no data times are multiples.
TEST(Knots, KeepTheOrderOfTheMethod) {
  struct Case {
    const char* method;
    int stages, order;
  };
  for (const std::string how : {"hold", "linear", "cubic"}) {
    const Driven driven(how);
    for (const Case& c : {Case{"spark-gauss", 2, 4},
                          {"spark-lobatto-ab", 3, 4},
                          {"rk-lobatto-iiia", 3, 4},
                          {"rk-radau-iia", 2, 3},
                          {"spark-gauss", 3, 6},
                          {"spark-lobatto-ab", 4, 6}}) {
      SCOPED_TRACE(fmt::format("{} {}({})", how, c.method, c.stages));
      const Trajectory coarse = simulate(driven.model, options(c.method, c.stages, 0.4));
      const Trajectory fine = simulate(driven.model, options(c.method, c.stages, 0.1));
      ASSERT_EQ(fine.status, Status::done) << fine.message;
      EXPECT_EQ(fine.steps, 20);
      EXPECT_LT(error(fine, how), c.order == 6 ? 3e-9 : c.order == 4 ? 3e-6 : 3e-4);
      // Some of the pieces are as long with both.
      EXPECT_LT(error(fine, how), 0.3 * error(coarse, how) + 2e-15);
      for (const std::string& note : fine.notes) EXPECT_EQ(note.find("order"), std::string::npos) << note;
    }
    Options o = options("ode-dop853", 0, 0.1);
    EXPECT_LT(error(simulate(driven.model, o), how), 1e-13);
    // Steps far shorter than the pieces have the order to be seen.
    const double wide = error(simulate(driven.model, options("spark-lobatto-ab", 3, 0.03)), how),
                 narrow = error(simulate(driven.model, options("spark-lobatto-ab", 3, 0.0075)), how);
    EXPECT_GT(std::log2(wide / narrow) / 2.0, 3.8) << how;  // up to 4.5: the steps shrink more than by 4
    for (const char* method : {"spark-gauss", "spark-lobatto-ab"}) {
      const int stages = method == std::string("spark-gauss") ? 3 : 4;
      const double six = error(simulate(driven.model, options(method, stages, 0.16)), how) /
                         error(simulate(driven.model, options(method, stages, 0.04)), how);
      EXPECT_GT(std::log2(six) / 2.0, 5.5) << how << " " << method;  // 5.8 to 6.1
    }
  }
}

TEST(Knots, LeaveStepsAndRecordsAsTheyAre) {
  const Driven driven("hold");
  Options o = options("spark-lobatto-ab", 3, 0.1);
  const Trajectory run = simulate(driven.model, o);
  EXPECT_EQ(run.steps, 20);
  ASSERT_EQ(run.records.t.size(), 21U);
  for (std::size_t i = 0; i < 21; ++i) {
    EXPECT_NEAR(run.records.t[i], 0.1 * static_cast<double>(i), 1e-14);
    const Exact x = exact("hold", run.records.t[i]);
    EXPECT_NEAR(run.records.q[i], x.x, 1e-6);
  }
  // Whoever takes the steps.
  Stepper stepper(driven.model, o);
  ASSERT_TRUE(stepper.advance(20));
  EXPECT_EQ(stepper.q()[0], run.q[0]);
  EXPECT_EQ(stepper.v()[0], run.v[0]);
  o.every = 7;
  EXPECT_EQ(simulate(driven.model, o).q, run.q);
  o.event = {"x - 100"};
  EXPECT_EQ(simulate(driven.model, o).q, run.q);
}

TEST(Knots, AreThoseOfAdaptiveRunsToo) {
  for (const std::string how : {"hold", "linear", "cubic"}) {
    const Driven driven(how);
    for (const char* method : {"spark-lobatto-ab", "ode-dop853"}) {
      Options o = options(method, method[0] == 's' ? 4 : 0, 0.1);
      o.adaptive = 1e-9;
      const Trajectory run = simulate(driven.model, o);
      EXPECT_EQ(run.t, 2.0);
      EXPECT_LT(error(run, how), 1e-8) << how << " " << method;
    }
  }
}

// A stepper has no end in sight.
TEST(Knots, AreThoseOfAStepperThatChoosesItsSteps) {
  const Driven driven("hold", ", outside = \"hold\"");
  Options o = options("spark-lobatto-ab", 4, 0.1);
  o.adaptive = 1e-9;
  o.until = {};
  Stepper stepper(driven.model, o);
  ASSERT_TRUE(stepper.advance_to(2.0)) << stepper.message();
  const Exact x = exact("hold", 2.0);
  EXPECT_NEAR(stepper.q()[0], x.x, 1e-8);
  EXPECT_NEAR(stepper.v()[0], x.v, 1e-8);
}

TEST(Knots, AreTheSameOnTheWayBack) {
  for (const std::string how : {"hold", "linear"}) {
    const Driven driven(how);
    Options o = options("spark-lobatto-ab", 3, 0.1);
    o.audit_reverse = true;
    const Trajectory run = simulate(driven.model, o);
    ASSERT_TRUE(run.reverse_defect);
    EXPECT_LT(*run.reverse_defect, 1e-13) << how;
    // And from the end, as a run of its own.
    Options back = options("spark-lobatto-ab", 3, -0.1);
    back.from = 2.0;
    back.until = 0.0;
    back.q0 = run.q;
    back.v0 = run.v;
    const Trajectory home = simulate(driven.model, back);
    EXPECT_NEAR(home.q[0], 0.0, 1e-13) << how;
    EXPECT_NEAR(home.v[0], 0.0, 1e-13) << how;
  }
}

TEST(Knots, OfAResumedRunAreTheSame) {
  for (const double tolerance : {0.0, 1e-7}) {
    const Driven driven("hold");
    Options o = options("spark-lobatto-ab", 3, 0.1);
    o.adaptive = tolerance;
    const Trajectory whole = simulate(driven.model, o);
    const Scratch scratch;
    o.checkpoint = scratch.file();
    for (const double until : {0.3, 0.9, 1.3}) {
      Options part = o;
      part.until = until;
      (void)simulate(driven.model, part);
      o.resume = true;
    }
    const Trajectory resumed = simulate(driven.model, o);
    EXPECT_EQ(resumed.q, whole.q);
    EXPECT_EQ(resumed.v, whole.v);
    EXPECT_EQ(resumed.t, whole.t);
    EXPECT_EQ(resumed.records.q, whole.records.q);
  }
}

std::string notes_of(const Model& model, const Options& o) {
  std::string out;
  for (const std::string& note : simulate(model, o).notes) out += note + "\n";
  return out;
}

TEST(Knots, ThatStepsPassOverAreNoted) {
  const Driven driven("hold");
  Options o = options("mclachlan-perlmutter", 0, 0.1);
  o.compose = 4;
  EXPECT_NE(notes_of(driven.model, o).find("parts of composed steps go beyond their ends"), std::string::npos);
  EXPECT_NE(notes_of(driven.model, options("cortes-martinez", 0, 0.1)).find("a two-step method, cannot end there"),
            std::string::npos);
  const Driven smooth("cubic");
  EXPECT_EQ(notes_of(smooth.model, options("spark-lobatto-ab", 3, 0.1)), "");
  o.compose = 6;
  EXPECT_NE(notes_of(smooth.model, o).find("jumps of the third derivative within the steps"), std::string::npos);
}

}  // namespace
}  // namespace rattleback::testing
