// Events that end a run or set another state.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "rattleback/stepper.hpp"
#include "rattleback/write.hpp"
#include "run/support.hpp"
#include "support/json.hpp"

namespace rattleback::testing {
namespace {

// A ball that bounces: t of impact k and the heights are known.
constexpr const char* kBall = R"toml(coordinates = ["y"]
parameters = { m = 1, g = 10, e = 0.5 }
[lagrangian]
kinetic = "m*y'^2/2"
potential = "m*g*y"
[events.floor]
when = "y"
direction = "falling"
then = { set = { "y'" = "-e*y'" } }
[initial]
y = 5
)toml";

// After impact k the ball leaves with speed 10 e^k; it falls first for 1 s.
double height(double t, double e, int* impacts = nullptr) {
  if (t < 1.0) return 5.0 - 5.0 * t * t;
  double speed = 10.0, at = 1.0;
  for (int k = 1;; ++k) {
    speed *= e;
    const double flight = 2.0 * speed / 10.0;
    if (impacts != nullptr) *impacts = k;
    if (t < at + flight) return speed * (t - at) - 5.0 * (t - at) * (t - at);
    at += flight;
  }
}

TEST(ActingEvents, ABallBouncesExactly) {
  const Model model = parse_model(kBall, "ball.toml");
  for (const char* const method : {"spark-gauss", "rk-gauss", "prk-lobatto", "ode-dop853"})
    for (const double step : {0.1, 0.0731})
      for (const double adaptive : {0.0, 1e-8}) {
        SCOPED_TRACE(std::string(method) + fmt::format(" {} {}", step, adaptive));
        Options options{.method = method, .step = step, .until = 2.7, .native = "off"};
        options.adaptive = adaptive;
        Trajectory run;
        try {
          run = simulate(model, options);
        } catch (const Error&) {
          continue;
        }
        ASSERT_EQ(run.status, Status::done) << run.message;
        int impacts = 0;
        EXPECT_NEAR(run.q[0], height(2.7, 0.5, &impacts), 1e-10);
        EXPECT_NEAR(run.t, 2.7, 1e-12);
        ASSERT_EQ(run.events.size(), static_cast<std::size_t>(impacts));
        EXPECT_NEAR(run.events[0].t, 1.0, 1e-12);
        EXPECT_NEAR(run.events[1].t, 2.0, 1e-12);
        EXPECT_NEAR(run.events[0].v[0], -10.0, 1e-10);
        EXPECT_NEAR(run.events[0].after_v[0], 5.0, 1e-10);
        EXPECT_NEAR(run.events[0].after_q[0], 0.0, 1e-12);
        // m/2 (v^2 - v'^2) of the impacts; the energy without them is kept.
        double taken = 0.0;
        for (const EventFound& e : run.events) taken += (e.v[0] * e.v[0] - e.after_v[0] * e.after_v[0]) / 2.0;
        EXPECT_NEAR(run.taken_by_events.value_or(0.0), taken, 1e-10);
        EXPECT_LT(run.energy->max_error, 1e-9);
        const auto json = nlohmann::json::parse(to_json(model, run));
        EXPECT_NEAR(json["power_balance"]["losses"]["events"].get<double>(), taken, 1e-10);
        const auto& first = json["events"][0];
        EXPECT_EQ(first["name"], "floor");
        EXPECT_EQ(first["what"], "event");
        EXPECT_EQ(first["direction"], "down");
        EXPECT_NEAR(first["after"]["y'"].get<double>(), 5.0, 1e-10);
        EXPECT_NEAR(first["state"]["y'"].get<double>(), -10.0, 1e-10);
      }
}

TEST(ActingEvents, AStopEndsTheRunThere) {
  const Model free = parse_model(R"toml(coordinates = ["x"]
[lagrangian]
kinetic = "x'^2/2"
potential = "x^2/2"
[initial]
x = 1
)toml",
                                 "oscillator.toml");
  const std::string text = free.text + "[events.half]\nwhen = \"x - 0.5\"\nthen = \"stop\"\n";
  const Model stopped = parse_model(text, "oscillator.toml");
  Options options{.method = "spark-gauss", .stages = 4, .step = 0.1, .until = 10.0, .native = "off"};
  for (const bool by_option : {false, true})
    for (const double output_every : {0.0, 0.25}) {
      Options o = options;
      o.output_every = output_every;
      if (by_option) o.until_event = "x - 0.5";
      const Trajectory run = simulate(by_option ? free : stopped, o);
      EXPECT_EQ(run.status, Status::done);
      EXPECT_EQ(run.stopped_by, by_option ? "x - 0.5" : "half");
      EXPECT_NEAR(run.t, std::acos(0.5), 1e-9);
      EXPECT_NEAR(run.q[0], 0.5, 1e-13);
      EXPECT_EQ(run.events.size(), 1U);
      if (output_every == 0.0) EXPECT_EQ(run.records.t.back(), run.t);
      for (const double t : run.records.t) EXPECT_LE(t, run.t);
      const auto json = nlohmann::json::parse(to_json(by_option ? free : stopped, run));
      EXPECT_EQ(json["stopped_by"], run.stopped_by);
      EXPECT_EQ(json["status"], "done");
    }
  Options rising = options;
  rising.until = 7.0;
  const Model other =
      parse_model(free.text + "[events.half]\nwhen = \"x - 0.5\"\ndirection = \"rising\"\nthen = \"stop\"\n", "o.toml");
  EXPECT_NEAR(simulate(other, rising).t, 2.0 * std::acos(-1.0) - std::acos(0.5), 1e-8);
}

// Velocities stay consistent, and those that were set are held.
TEST(ActingEvents, AJumpKeepsTheConstraints) {
  const char* const text = R"toml(coordinates = ["x", "y"]
parameters = { g = 9.81 }
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "g*y"
[constraints.holonomic]
rod = "(x^2 + y^2 - 1)/2"
[events.stop]
when = "x"
then = { set = { "x'" = "-0.5*x'" } }
[initial]
x = 0.8
y = -0.6
)toml";
  const Model model = parse_model(text, "pendulum.toml");
  const Trajectory run =
      simulate(model, {.method = "prk-lobatto", .stages = 3, .step = 0.01, .until = 2.0, .native = "off"});
  ASSERT_EQ(run.status, Status::done) << run.message;
  ASSERT_GE(run.events.size(), 2U);
  for (const EventFound& e : run.events) {
    EXPECT_NEAR(e.after_v[0], -0.5 * e.v[0], 1e-12);
    EXPECT_NEAR(e.after_q[0] * e.after_v[0] + e.after_q[1] * e.after_v[1], 0.0, 1e-12);
  }
  EXPECT_LT(*run.constraint_velocity, 1e-12);
  // What cannot be is said, with the run up to there.
  std::string wrong = text;
  wrong.replace(wrong.find("\"x'\" = \"-0.5*x'\""), 17, "\"y'\" = \"1 + y'\"");
  const Trajectory refused =
      simulate(parse_model(wrong, "pendulum.toml"), {.method = "prk-lobatto", .stages = 3, .step = 0.01, .until = 2.0});
  EXPECT_EQ(refused.status, Status::stopped);
  EXPECT_NE(refused.message.find("event 'stop' sets a state that cannot be"), std::string::npos) << refused.message;
  EXPECT_NEAR(refused.q[0], 0.0, 1e-10);
}

TEST(ActingEvents, ResumedRunsHaveTheSameBits) {
  const Model model = parse_model(kBall, "ball.toml");
  for (const bool stops : {false, true}) {
    Options options{.method = "spark-gauss", .stages = 2, .step = 0.1, .until = 2.7, .native = "off"};
    if (stops) options.until_event = "y' + 2";
    if (stops) options.until = 3.0;
    const Trajectory whole = simulate(model, options);
    const Scratch scratch;
    options.checkpoint = scratch.file();
    for (const double until : {0.5, 1.1, 2.1}) {
      Options part = options;
      part.until = until;
      (void)simulate(model, part);
      options.resume = true;
    }
    const Trajectory resumed = simulate(model, options);
    EXPECT_EQ(resumed.q, whole.q);
    EXPECT_EQ(resumed.v, whole.v);
    EXPECT_EQ(resumed.t, whole.t);
    EXPECT_EQ(resumed.records.q, whole.records.q);
    EXPECT_EQ(resumed.stopped_by, whole.stopped_by);
    ASSERT_EQ(resumed.events.size(), whole.events.size());
    EXPECT_EQ(resumed.taken_by_events, whole.taken_by_events);
  }
}

TEST(ActingEvents, ActInAStepper) {
  const Model model = parse_model(kBall, "ball.toml");
  Stepper stepper(model, {.method = "spark-gauss", .stages = 2, .step = 0.1, .native = "off"});
  ASSERT_TRUE(stepper.advance(15)) << stepper.message();
  EXPECT_NEAR(stepper.t(), 1.5, 1e-12);
  EXPECT_NEAR(stepper.q()[0], height(1.5, 0.5), 1e-11);
  EXPECT_EQ(stepper.events().size(), 1U);
}

TEST(ActingEvents, FaultsSayWhatAndWhere) {
  const std::string head = "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\n[events.e]\n";
  const auto refused = [&](const std::string& rest) {
    try {
      (void)parse_model(head + rest, "m.toml");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto expect = [](const std::string& message, const char* part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(refused("direction = \"up\"\nwhen = \"x\"\n"), "\"rising\", \"falling\" or \"any\"");
  expect(refused("then = \"stop\"\n"), "has no `when`");
  expect(refused("when = \"x\"\nthen = \"go\"\n"), "neither \"stop\" nor \"note\"");
  expect(refused("when = \"x\"\nthen = { set = {} }\n"), "sets nothing");
  expect(refused("when = \"x\"\nthen = { set = { z = \"1\" } }\n"), "unknown coordinate `z`");
  expect(refused("when = \"x + z\"\n"), "unknown name `z`");
  expect(refused("whenn = \"x\"\n"), "Did you mean `when`");
  const Model sets = parse_model(kBall, "ball.toml");
  EXPECT_NE(message_of(sets, {.method = "cortes-martinez", .step = 0.1, .until = 1.0}).find("two-step"),
            std::string::npos);
  EXPECT_NE(message_of(sets, {.method = "ode", .step = 0.1, .until = 1.0}).find("[events]"), std::string::npos);
}

}  // namespace
}  // namespace rattleback::testing
