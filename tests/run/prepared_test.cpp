// Runs of one Prepared have the bits of simulate(), in whatever order and by however many threads; runs that are watched.
#include <cmath>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include "rattleback/error.hpp"
#include "rattleback/method.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback::testing {
namespace {

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

void expect_same(const Trajectory& a, const Trajectory& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_TRUE(same_bits(a.q, b.q));
  EXPECT_TRUE(same_bits(a.v, b.v));
  EXPECT_TRUE(same_bits(a.multipliers, b.multipliers));
  EXPECT_TRUE(same_bits(a.records.q, b.records.q));
  EXPECT_TRUE(same_bits(a.records.multipliers, b.records.multipliers));
  EXPECT_TRUE(same_bits(a.records.energy, b.records.energy));
  EXPECT_EQ(a.newton_iterations, b.newton_iterations);
  EXPECT_EQ(a.energy.has_value(), b.energy.has_value());
  if (a.energy && b.energy) EXPECT_EQ(a.energy->max_error, b.energy->max_error);
  if (a.equations && b.equations) EXPECT_EQ(a.equations->residual, b.equations->residual);
  EXPECT_EQ(a.notes, b.notes);
}

// Different requests one after the other: each as if it were the first.
TEST(Prepared, RunsHaveTheBitsOfSimulateForEveryMethodAndKind) {
  int compared = 0;
  for (const char* const system : {"skate", "double-pendulum", "gearbox", "gearbox-reduced", "pendulum-ph",
                                   "friction-on-cubic", "dae-hessenberg", "contact-oscillator"})
    for (const MethodInfo& info : methods()) {
      const Model model = load_model(system);
      Options base{.method = std::string(info.name), .native = "off"};
      if (!model.run.step) base.step = 0.01;
      base.steps = 6;
      std::optional<Prepared> prepared;
      try {
        prepared.emplace(model, base);
      } catch (const Error&) {
        continue;
      }
      SCOPED_TRACE(std::string(system) + ", " + base.method);
      Options longer = base, events = base, finer = base;
      longer.steps = 9;
      longer.audit_reverse = true;
      events.event = {model.coordinates[0] + " - 1e3"};
      finer.step = 0.5 * (base.step != 0.0 ? base.step : *model.run.step);
      for (const Options& o : {base, longer, finer, base, events, base}) {
        std::optional<Trajectory> alone;
        try {
          alone = simulate(model, o);
        } catch (const Error& error) {
          EXPECT_THROW((void)prepared->run(o), Error) << error.what();
        }
        if (!alone) continue;
        expect_same(prepared->run(o), *alone);
        ++compared;
      }
    }
  EXPECT_GT(compared, 250);
}

TEST(Prepared, RunsDifferInStartsAndParameters) {
  const Model model = load_model("skate");
  const Options base{.method = "spark-lobatto-ab", .stages = 3, .step = 0.05, .steps = 20, .native = "off"};
  const Prepared prepared = prepare(model, base);
  const Trajectory first = simulate(model, base);
  for (int k = 0; k < 5; ++k) {
    Options other = base;
    for (const auto& [name, value] : model.parameters) other.parameters.emplace_back(name, value * (1.0 + 0.1 * k));
    expect_same(prepared.run(other), simulate(model, other));
    Options from = base;
    from.from = first.t;
    from.q0 = first.q;
    from.v0 = first.v;
    expect_same(prepared.run(from), simulate(model, from));
    expect_same(prepared.run(), first);
  }
  // A parameter that decides otherwise than it did.
  Options none = base;
  none.parameters = {{model.parameters.front().first, 0.0}};
  std::optional<Trajectory> alone;
  try {
    alone = simulate(model, none);
  } catch (const Error&) {
    EXPECT_THROW((void)prepared.run(none), Error);
  }
  if (alone) expect_same(prepared.run(none), *alone);
  expect_same(prepared.run(base), first);
}

// Every parameter of every shipped system, two methods each: no run has the numbers of another.
TEST(Prepared, EveryParameterOfEverySystemActs) {
  int compared = 0;
  for (const ShippedModel& shipped : shipped_models()) {
    const Model model = load_model(std::string(shipped.key));
    if (model.coordinates.size() > 30) continue;
    int methods_left = 2;
    for (const MethodInfo& info : methods()) {
      if (methods_left == 0) break;
      Options base{.method = std::string(info.name), .native = "off"};
      if (!model.run.step) base.step = 0.01;
      base.steps = 4;
      std::optional<Prepared> prepared;
      try {
        prepared.emplace(model, base);
      } catch (const Error&) {
        continue;
      }
      --methods_left;
      SCOPED_TRACE(model.key + ", " + base.method);
      for (const auto& [name, value] : model.parameters)
        for (const double factor : {1.001, 1.0}) {
          Options o = base;
          o.parameters = {{name, factor * value}};
          SCOPED_TRACE(name);
          std::optional<Trajectory> alone;
          try {
            alone = simulate(model, o);
          } catch (const Error& error) {  // the length of a rod
            EXPECT_THROW((void)prepared->run(o), Error) << error.what();
          }
          if (!alone) continue;
          expect_same(prepared->run(o), *alone);
          ++compared;
        }
    }
  }
  EXPECT_GT(compared, 300);
}

TEST(Prepared, RefusesWhatAsksForAnotherPlan) {
  const Prepared prepared =
      prepare(load_model("skate"), {.method = "spark-gauss", .stages = 2, .step = 0.1, .steps = 3});
  try {
    (void)prepared.run({.method = "spark-lobatto-ab"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("method"), std::string::npos);
  }
  EXPECT_THROW((void)prepared.run({.stages = 3}), Error);
  EXPECT_THROW((void)prepared.run({.q0 = {1.0}}), Error);
  EXPECT_THROW((void)prepared.run({.parameters = {{"nothing", 1.0}}}), Error);
  EXPECT_EQ(prepared.run({.steps = 5}).steps, 5);
}

TEST(Prepared, IsUsedByManyThreadsAtOnce) {
  const Model model = load_model("double-pendulum");
  const Options base{.method = "rattle", .step = 0.01, .steps = 50, .native = "off"};
  const Prepared prepared = prepare(model, base);
  const Trajectory alone = simulate(model, base);
  std::vector<std::thread> threads;
  std::vector<char> good(8, 1);
  for (std::size_t i = 0; i < good.size(); ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 10; ++k) {
        Options mine;
        mine.steps = 50;
        mine.parameters = {{model.parameters.front().first, model.parameters.front().second}};
        const Trajectory run = prepared.run(k % 2 == 0 ? base : mine);
        if (!same_bits(run.q, alone.q) || !same_bits(run.records.multipliers, alone.records.multipliers)) good[i] = 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::count(good.begin(), good.end(), 1), 8);
}

// --- where a run begins

TEST(Start, OfARunMayBeTheEndOfAnother) {
  for (const char* const system : {"skate", "double-pendulum", "driven-oscillator", "car-axis"}) {
    SCOPED_TRACE(system);
    const Model model = load_model(system);
    Options o{.step = 0.01, .until = 0.6, .native = "off"};
    const Trajectory whole = simulate(model, o);
    o.until = 0.3;
    const Trajectory first = simulate(model, o);
    Options rest = o;
    rest.from = first.t;
    rest.q0 = first.q;
    rest.v0 = first.v;
    rest.until = 0.6;
    const Trajectory second = simulate(model, rest);
    EXPECT_EQ(second.steps, 30);
    EXPECT_NEAR(second.t, 0.6, 1e-15);
    EXPECT_EQ(second.records.t.front(), first.t);
    for (std::size_t i = 0; i < whole.q.size(); ++i)
      EXPECT_NEAR(second.q[i], whole.q[i], 1e-10 * (1.0 + std::fabs(whole.q[i])));
    ASSERT_TRUE(second.equations);
    EXPECT_LT(second.equations->residual, 1e-12);
  }
  EXPECT_THROW((void)simulate(load_model("skate"), {.step = 0.1, .until = 1.0, .from = 2.0}), Error);
}

TEST(Start, ChosenStepsRecordsAndTheWayBackCountFromThere) {
  const Model model = parse_model(R"toml(coordinates = ["x"]
[lagrangian]
kinetic = "x'^2/2"
potential = "x^2/2"
[forces]
x = "cos(2*t)"
[initial]
x = 1
)toml",
                                  "driven.toml");
  const Trajectory first =
      simulate(model, {.method = "spark-gauss", .stages = 2, .step = 0.01, .until = 1.0, .native = "off"});
  Options o{
      .method = "spark-gauss", .stages = 2, .until = 2.0, .adaptive = 1e-8, .output_every = 0.25, .native = "off"};
  o.from = first.t;
  o.q0 = first.q;
  o.v0 = first.v;
  const Trajectory run = simulate(model, o);
  EXPECT_EQ(run.t, 2.0);
  ASSERT_EQ(run.records.rows, 5U);
  EXPECT_NEAR(run.records.t[1], 1.25, 1e-15);
  Options back = o;
  back.adaptive = 0.0;
  back.output_every = 0.0;
  back.step = 0.01;
  back.audit_reverse = true;
  EXPECT_LT(simulate(model, back).reverse_defect.value(), 1e-11);
}

// --- watching

TEST(Observe, SeesTheStartAndEachRecordAndMayEndTheRun) {
  const Model model = load_model("double-pendulum");
  Options o{.method = "rattle", .step = 0.01, .steps = 20, .native = "off"};
  std::vector<double> t, q, energy, multipliers;
  o.observe = [&](const StepView& view) {
    t.push_back(view.t);
    q.insert(q.end(), view.q.begin(), view.q.end());
    multipliers.insert(multipliers.end(), view.multipliers.begin(), view.multipliers.end());
    energy.push_back(view.energy);
    return Go::on;
  };
  const Trajectory run = simulate(model, o);
  EXPECT_EQ(t, run.records.t);
  EXPECT_TRUE(same_bits(q, run.records.q));
  EXPECT_TRUE(same_bits(multipliers, run.records.multipliers));
  EXPECT_TRUE(same_bits(energy, run.records.energy));

  o.observe = [](const StepView& view) { return view.t < 0.055 ? Go::on : Go::stop; };
  const Trajectory stopped = simulate(model, o);
  EXPECT_EQ(stopped.status, Status::cancelled);
  EXPECT_EQ(stopped.failure, Failure::cancelled);
  EXPECT_EQ(stopped.steps, 6);
  EXPECT_EQ(stopped.records.rows, 7U);
}

TEST(Trajectory, HasColumnsAndRowsByName) {
  const Model model = load_model("double-pendulum");
  const Trajectory run = simulate(model, {.method = "rattle", .step = 0.01, .steps = 5});
  const std::string name = model.coordinates[1];
  const std::vector<double> y = run.column(name);
  ASSERT_EQ(y.size(), 6U);
  EXPECT_EQ(y[3], run.records.q_at(3)[run.index(name)]);
  EXPECT_EQ(run.column("energy"), run.records.energy);
  EXPECT_EQ(run.column("lambda." + model.multiplier_name(0))[2], run.records.multipliers_at(2)[0]);
  EXPECT_THROW((void)run.column("nothing"), Error);
  EXPECT_THROW((void)run.records.v_at(6), Error);
}

}  // namespace
}  // namespace rattleback::testing
