// Events that reach zero and turn round there. Numbers at line ends: measured.
#include <fmt/format.h>

#include "rattleback/write.hpp"
#include "run/support.hpp"
#include "support/json.hpp"

namespace rattleback::testing {
namespace {

constexpr double kPi = 3.14159265358979323846;

Model oscillator(double x, double v, const std::string& more = "") {
  return parse_model(fmt::format("coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2\"\n{}"
                                 "[initial]\nx = {}\n\"x'\" = {}\n",
                                 more, x, v),
                     "oscillator.toml");
}

// y = 7 t - 5 t^2: at its top, 2.45, at t = 0.7.
Model projectile() {
  return parse_model(
      "coordinates = [\"y\"]\n[lagrangian]\nkinetic = \"y'^2/2\"\npotential = \"10*y\"\n[initial]\n\"y'\" = 7\n",
      "projectile.toml");
}

Options watch(const std::string& method, int stages, double h, double until, std::vector<std::string> events) {
  Options o{.method = method, .stages = stages, .step = h, .until = until, .native = "off"};
  o.event = std::move(events);
  return o;
}

// Gauss methods keep the amplitude, and so does a step of them to any time: sin t touches 1.
TEST(Touches, OfAnAmplitude) {
  for (const int stages : {1, 2, 3})
    for (const double h : {0.01, 0.1, 0.43}) {
      SCOPED_TRACE(fmt::format("{} stages, {}", stages, h));
      const Trajectory run =
          simulate(oscillator(0.0, 1.0),
                   watch("spark-gauss", stages, h, 20.0, {"x - 1", "x - 1 - 1e-9", "x - 1 + 1e-9", "1 - x^2", "x^2"}));
      std::map<std::string, std::vector<EventFound>> found;
      for (const EventFound& e : run.events) found[e.event].push_back(e);
      EXPECT_EQ(found["x - 1"].size(), 3U);
      for (const EventFound& e : found["x - 1"]) {
        EXPECT_EQ(e.direction, 0);
        EXPECT_NEAR(e.q[0], 1.0, 2e-13);
        EXPECT_NEAR(e.v[0], 0.0, 2e-6);
        if (stages == 3 && h < 0.2) EXPECT_NEAR(std::fmod(e.t, 2.0 * kPi), kPi / 2.0, 1e-5);
      }
      // A little further away it is never reached, a little nearer it is passed up and down.
      EXPECT_TRUE(found["x - 1 - 1e-9"].empty());
      ASSERT_EQ(found["x - 1 + 1e-9"].size(), 6U);
      for (std::size_t i = 0; i < 6; ++i) {
        const EventFound& e = found["x - 1 + 1e-9"][i];
        EXPECT_EQ(e.direction, i % 2 == 0 ? 1 : -1);
        if (i % 2 == 1) EXPECT_NEAR((e.t - found["x - 1 + 1e-9"][i - 1].t) / (2.0 * std::sqrt(2e-9)), 1.0, 0.03);
      }
      EXPECT_EQ(found["1 - x^2"].size(), 6U);
      ASSERT_EQ(found["x^2"].size(), 6U);
      for (const EventFound& e : found["x^2"]) {
        EXPECT_EQ(e.direction, 0);
        EXPECT_NEAR(e.q[0], 0.0, 1e-12);
      }
    }
}

// Wherever the top lies in a step, at its end as well: a parabola is exact for all of these.
TEST(Touches, AreFoundWithEveryMethodAndStep) {
  int methods = 0;
  for (const MethodInfo& info : rattleback::methods()) {
    // A two-step method goes to a time between by a step of another size, which is off the parabola.
    if (!info.kinds.has(Kind::mechanical) || info.name == "cortes-martinez") continue;
    bool any = false;
    for (const double h : {0.1, 0.07, 0.13, 0.7 / 3.0, 0.2 + 1e-9, 0.14 - 1e-9, 0.35, 1.4}) {
      SCOPED_TRACE(fmt::format("{} {}", info.name, h));
      Trajectory run;
      try {
        run = simulate(projectile(),
                       watch(std::string(info.name), 0, h, 1.4, {"y - 2.45", "y - 2.45 - 1e-9", "y - 2.45 + 1e-9"}));
      } catch (const Error&) {
        continue;  // no events, or constraints are wanted
      }
      if (run.status != Status::done || std::fabs(run.q[0] - (7.0 * run.t - 5.0 * run.t * run.t)) > 1e-12) continue;
      any = true;
      std::map<std::string, int> found;
      for (const EventFound& e : run.events) {
        ++found[e.event + (e.direction == 0 ? " touch" : "")];
        EXPECT_NEAR(e.t, 0.7, 2e-5);
      }
      EXPECT_EQ(found, (std::map<std::string, int>{{"y - 2.45 touch", 1}, {"y - 2.45 + 1e-9", 2}}));
    }
    methods += any ? 1 : 0;
  }
  EXPECT_GE(methods, 8);
}

TEST(Touches, OfAdaptiveRuns) {
  Options o = watch("spark-gauss", 2, 0.1, 2.0, {"y - 2.45", "y - 2.45 + 1e-9"});
  o.adaptive = 1e-8;
  const Trajectory run = simulate(projectile(), o);
  ASSERT_EQ(run.events.size(), 3U);
  EXPECT_EQ(run.events[0].direction + run.events[1].direction + run.events[2].direction, 0);
}

// Nothing, and what stays at zero for a while, touches nowhere.
TEST(Touches, AreNotWhereNothingMoves) {
  const Trajectory run = simulate(
      oscillator(1.0, 0.0),
      watch("spark-gauss", 2, 0.1, 20.0, {"0*x", "max(0, x - 0.5)", "sin(x)^2 + cos(x)^2 - 1", "3", "x'^2 + x^2 - 2"}));
  for (const EventFound& e : run.events) EXPECT_NE(e.direction, 0) << e.event << " " << e.t;
}

TEST(Touches, AreNotedAndDoNothingElse) {
  const std::string event = "[events.top]\nwhen = \"x - 1\"\nthen = \"stop\"\n";
  const Trajectory run = simulate(oscillator(0.0, 1.0, event), watch("spark-gauss", 2, 0.1, 20.0, {}));
  EXPECT_EQ(run.stopped_by, "");
  EXPECT_EQ(run.events.size(), 3U);
  // It neither rises nor falls.
  const std::string rising = "[events.top]\nwhen = \"x - 1\"\ndirection = \"rising\"\n";
  EXPECT_TRUE(simulate(oscillator(0.0, 1.0, rising), watch("spark-gauss", 2, 0.1, 20.0, {})).events.empty());

  const Model model = oscillator(0.0, 1.0, event);
  const auto json = nlohmann::json::parse(to_json(model, run));
  ASSERT_EQ(json["events"].size(), 3U);
  EXPECT_EQ(json["events"][0]["what"], "touch");
  EXPECT_EQ(json["events"][0]["name"], "top");
  EXPECT_EQ(json["events"][0]["direction"], "none");
  EXPECT_NE(to_text(model, run).find("top  touch  t = "), std::string::npos) << to_text(model, run);
}

TEST(Touches, AreTheSameInAResumedRun) {
  for (const double h : {0.1, 0.7 / 3.0}) {
    Options o = watch("spark-gauss", 2, h, 20.0, {"x - 1", "x^2"});
    const Model model = oscillator(0.0, 1.0);
    const Trajectory whole = simulate(model, o);
    const Scratch scratch;
    o.checkpoint = scratch.file();
    for (const double until : {1.5, 1.6, 7.9}) {
      Options part = o;
      part.until = until;
      (void)simulate(model, part);
      o.resume = true;
    }
    const Trajectory resumed = simulate(model, o);
    ASSERT_EQ(resumed.events.size(), whole.events.size());
    for (std::size_t i = 0; i < whole.events.size(); ++i) {
      EXPECT_EQ(resumed.events[i].t, whole.events[i].t);
      EXPECT_EQ(resumed.events[i].direction, whole.events[i].direction);
    }
  }
}

}  // namespace
}  // namespace rattleback::testing
