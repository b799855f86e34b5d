// Methods side by side. Numbers at line ends: measured.
#include <fstream>

#include "study/support.hpp"

namespace rattleback::testing {
namespace {

using RunStatus = CompareRun::Status;

CompareRequest request(std::vector<std::pair<std::string, int>> methods, std::vector<double> steps, double until) {
  CompareRequest r;
  r.methods = std::move(methods);
  r.steps = std::move(steps);
  r.until = until;
  return r;
}

TEST(Compare, FindsTheErrorsThatOrderFinds) {
  const Model model = load_model("skate");
  const CompareReport found =
      compare(model, request({{"spark-lobatto-ab", 3}, {"mclachlan-perlmutter", 0}}, {0.1, 0.05, 0.025}, 2.0));
  OrderRequest order;
  order.methods = {{"spark-lobatto-ab", 3}, {"mclachlan-perlmutter", 0}};
  order.steps = {0.1, 0.05, 0.025};
  order.until = 2.0;
  const OrderReport expected = order_study(model, order);
  ASSERT_EQ(found.runs.size(), 6U);
  EXPECT_EQ(found.reference, "exact");
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(found.runs[i].status, RunStatus::done);
    EXPECT_EQ(found.runs[i].method, expected.runs[i].method);
    EXPECT_EQ(found.runs[i].step, expected.runs[i].step);
    EXPECT_EQ(found.runs[i].error, expected.runs[i].error);
    EXPECT_GT(found.runs[i].seconds, 0.0);
  }
  ASSERT_EQ(found.slopes.size(), 2U);
  EXPECT_EQ(found.slopes[0].label, "spark-lobatto-ab(3)");
  EXPECT_NEAR(found.slopes[0].fitted, 4.0, 0.05);
  EXPECT_EQ(found.slopes[1].label, "mclachlan-perlmutter");
  EXPECT_NEAR(found.slopes[1].last, 2.0, 0.05);
}

// What the structure-preserving method keeps, the general code does not.
TEST(Compare, ShowsWhatIsKeptAndWhatIsNot) {
  const CompareReport r = compare(load_model("skate"), request({{"spark-lobatto-ab", 3}, {"ode", 0}}, {0.1}, 100.0));
  ASSERT_EQ(r.runs.size(), 2U);
  EXPECT_LT(*r.runs[0].constraint_velocity, 1e-15);  // 1.7e-16
  EXPECT_GT(*r.runs[1].constraint_velocity, 1e-9);   // 1e-7
  EXPECT_NEAR(*r.runs[0].energy_error, 6.955e-7, 1e-9);
  EXPECT_GT(r.runs[0].iterations, 1000);
  EXPECT_FALSE(r.runs[0].adaptive);
  EXPECT_TRUE(r.runs[1].adaptive);
  EXPECT_FALSE(r.runs[0].constraint_position.has_value());
  EXPECT_TRUE(r.slopes.empty());  // one step has no slope
}

TEST(Compare, GoesOnAfterAMethodThatDoesNotApply) {
  const CompareReport r = compare(load_model("skate"), request({{"rattle", 0}, {"spark-gauss", 2}}, {0.1, 0.05}, 1.0));
  ASSERT_EQ(r.runs.size(), 4U);
  EXPECT_EQ(r.runs[0].status, RunStatus::refused);
  EXPECT_NE(r.runs[0].message.find("needs holonomic constraints"), std::string::npos);
  EXPECT_FALSE(r.runs[0].error.has_value());
  EXPECT_EQ(r.runs[2].status, RunStatus::done);
  EXPECT_NEAR(r.slopes[1].fitted, 4.0, 0.05);
}

TEST(Compare, GoesOnAfterAMethodThatStops) {
  const Model model = parse_model(
      "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"-exp(x)\"\n", "escaping.toml");
  const CompareReport r = compare(model, request({{"spark-gauss", 2}, {"mclachlan-perlmutter", 0}}, {0.01}, 10.0));
  EXPECT_EQ(r.runs[0].status, RunStatus::stopped);
  EXPECT_NE(r.runs[0].message.find("stopped at t = "), std::string::npos);
  EXPECT_GT(r.runs[0].t, 1.0);
  EXPECT_TRUE(r.reference.empty());
  EXPECT_NE(r.reference_fault.find("did not reach t = 10"), std::string::npos);
}

TEST(Compare, RefusesWhatNoMethodTakes) {
  const Model model = load_model("skate", {.start = {{"y'", "1"}}});
  const std::string message = message_of([&] {
    compare(model, request({{"spark-gauss", 2}, {"spark-lobatto-ab", 3}}, {0.1}, 1.0));
  });
  EXPECT_NE(message.find("blade"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;  // said once
}

TEST(Compare, TakesAReferenceWhereExactBelongsToAnotherStart) {
  const CompareReport r = compare(load_model("skate", {.start = {{"theta'", "2"}}}),
                                  request({{"spark-lobatto-ab", 3}, {"spark-gauss", 2}}, {0.1, 0.05}, 2.0));
  EXPECT_EQ(r.reference, "spark-gauss:8:0.05");
  EXPECT_NEAR(r.slopes[0].fitted, 4.0, 0.1);
  EXPECT_TRUE(r.runs[0].error_velocities.has_value());
  EXPECT_EQ(message_of([] {
              CompareRequest exact = request({{"spark-gauss", 2}}, {0.1}, 2.0);
              exact.reference = "exact";
              compare(load_model("skate", {.start = {{"theta'", "2"}}}), exact);
            }),
            "--reference exact: [exact] is not the solution from this start. Leave --reference out");
}

TEST(Compare, TakesAllKindsOfSystems) {
  struct Case {
    const char* system;
    std::pair<std::string, int> method;
    double step, until, slope;
    const char* reference;
    bool energy, position, velocity;
  };
  const Case cases[] = {
      {"pendulum", {"prk-lobatto", 3}, 0.05, 2.0, 4.0, "prk-lobatto:8:0.0125", true, true, true},
      {"suslov", {"avf-collocation", 1}, 0.2, 5.0, 2.0, "avf-collocation:8:0.05", true, false, false},
      {"mass-spring-damper", {"collocation-gauss", 2}, 0.1, 2.0, 4.0, "collocation-gauss:8:0.025", true, false, false},
      {"dae-hessenberg", {"srk-gauss", 2}, 0.1, 1.0, 4.0, "exact", false, true, false},
      {"friction-on-cubic",
       {"euler-true", 0},
       0.004,
       1.0,
       1.0,
       "euler-true:1:0.001, composed to order 8",
       false,
       true,
       true},
  };
  for (const Case& c : cases) {
    const CompareReport r =
        compare(load_model(c.system), request({c.method}, {c.step, c.step / 2.0, c.step / 4.0}, c.until));
    EXPECT_EQ(r.reference, c.reference) << c.system;
    EXPECT_NEAR(r.slopes[0].fitted, c.slope, 0.1) << c.system;
    EXPECT_EQ(r.runs[0].energy_error.has_value(), c.energy) << c.system;
    EXPECT_EQ(r.runs[0].constraint_position.has_value(), c.position) << c.system;
    EXPECT_EQ(r.runs[0].constraint_velocity.has_value(), c.velocity) << c.system;
  }
}

// --gain is for one method; the others run without it.
TEST(Compare, GivesEachMethodItsOwnOptions) {
  CompareRequest both = request({{"baumgarte", 0}, {"prk-lobatto", 2}}, {0.01}, 1.0);
  both.options.gain = 5.0;
  const CompareReport r = compare(load_model("pendulum"), both);
  EXPECT_EQ(r.runs[0].status, RunStatus::done) << r.runs[0].message;
  EXPECT_EQ(r.runs[1].status, RunStatus::done) << r.runs[1].message;
}

// cortes-martinez keeps the constraint at midpoints, not at the ends of steps. [Hilden2009, 3.4: the errors]
TEST(Compare, KnowsTheMidpoints) {
  const CompareReport r =
      compare(load_model("rolling-disk"), request({{"cortes-martinez", 0}, {"mclachlan-perlmutter", 0}}, {0.1}, 1.0));
  EXPECT_NEAR(*r.runs[0].error, 5.0690e-4, 1e-8);
  EXPECT_NEAR(*r.runs[1].error, 7.0169e-4, 1e-8);
  EXPECT_LT(*r.runs[0].constraint_midpoint, 1e-15);
  EXPECT_GT(*r.runs[0].constraint_velocity, 1e-3);  // 2.5e-2
  EXPECT_FALSE(r.runs[1].constraint_midpoint.has_value());
  EXPECT_NE(to_text(load_model("rolling-disk"), r).find("cortes-martinez: velocity constraint kept to "),
            std::string::npos);
}

TEST(Compare, RefusesWrongRequests) {
  const Model model = load_model("skate");
  const auto refused = [&](const CompareRequest& r) { return message_of([&] { compare(model, r); }); };
  EXPECT_EQ(refused(request({}, {0.1}, 1.0)),
            "compare needs at least one method: --methods NAME[:S],... or --tableau FILE.toml");
  EXPECT_EQ(refused(request({{"spark-gauss", 2}}, {}, 1.0)),
            "compare needs a step: --step H, or --step-list H1,H2,...");
  EXPECT_EQ(refused(request({{"spark-gauss", 2}}, {-0.1}, 1.0)), "step sizes must be positive, found -0.1");
  EXPECT_EQ(refused(request({{"spark-gauss", 2}}, {0.1}, 0.0)), "--until must be a positive time, found 0");
  EXPECT_TRUE(refused(request({{"spark-gaus", 2}}, {0.1}, 1.0)).find("spark-gaus") != std::string::npos);
}

// --- over time

TEST(Compare, KeepsOverTimeWhatARunRecords) {
  const Model model = load_model("skate");
  CompareRequest r = request({{"spark-lobatto-ab", 3}, {"ode", 0}}, {0.1}, 20.0);
  r.over_time = {"energy", "velocity", "theta", "x'^2 + y'^2", "*'"};
  const CompareReport found = compare(model, r);
  EXPECT_EQ(found.over_time,
            (std::vector<std::string>{"energy", "velocity", "theta", "x'^2 + y'^2", "x'", "y'", "theta'"}));
  for (const CompareRun& run : found.runs) {
    const std::vector<std::vector<double>>& values = run.over_time.values;
    const Trajectory alone =
        simulate(model, {.method = run.method, .stages = run.adaptive ? 0 : 3, .step = 0.1, .until = 20.0});
    ASSERT_EQ(run.over_time.t, alone.records.t);
    ASSERT_EQ(run.over_time.t.size(), 201U);
    ASSERT_EQ(values.size(), found.over_time.size());
    double energy = 0.0, velocity = 0.0;
    for (std::size_t i = 0; i < 201; ++i) {
      // From the state alone: E = v^2/2 - x, and the velocity across the blade.
      const double x = alone.records.q[3 * i], theta = alone.records.q[3 * i + 2];
      const std::span<const double> v = alone.records.v_at(i);
      const double squares = v[0] * v[0] + v[1] * v[1];
      EXPECT_NEAR(values[0][i], (squares + v[2] * v[2]) / 2 - x - alone.records.energy[0], 1e-14);
      EXPECT_NEAR(values[1][i], std::fabs(std::cos(theta) * v[1] - std::sin(theta) * v[0]), 1e-14)
          << "1.5e-15: the spacing of numbers at theta = 20 is 3.6e-15";
      EXPECT_EQ(values[2][i], theta);
      EXPECT_NEAR(values[3][i], squares, 1e-15);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(values[4 + k][i], v[k]);
      energy = std::fmax(energy, std::fabs(values[0][i]));
      velocity = std::fmax(velocity, values[1][i]);
    }
    EXPECT_EQ(energy, run.energy_error);
    EXPECT_EQ(velocity, run.constraint_velocity);
  }
}

TEST(Compare, OverTimeChangesNoNumberOfTheTable) {
  const Model model = load_model("double-pendulum");
  const CompareRequest plain = request({{"prk-lobatto", 3}, {"index1", 0}}, {0.02}, 1.0);
  CompareRequest with = plain;
  with.over_time = {"energy", "position", "velocity"};
  const CompareReport a = compare(model, plain), b = compare(model, with);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(a.runs[i].error, b.runs[i].error);
    EXPECT_EQ(a.runs[i].energy_error, b.runs[i].energy_error);
    EXPECT_EQ(a.runs[i].constraint_position, b.runs[i].constraint_position);
    EXPECT_TRUE(a.runs[i].over_time.t.empty());
    const std::vector<double>& position = b.runs[i].over_time.values[1];
    EXPECT_EQ(*std::max_element(position.begin(), position.end()), *b.runs[i].constraint_position);
  }
  with.options.every = 10;
  EXPECT_EQ(compare(model, with).runs[0].over_time.t.size(), 6U);
}

TEST(Compare, RefusesWhatIsNotThereOverTime) {
  const auto refused = [](const std::string& system, std::vector<std::string> over_time) {
    return message_of([&] {
      CompareRequest r = request({{"spark-gauss", 2}}, {0.1}, 1.0);
      if (system == "dae-additive") r.methods = {{"srk-gauss", 2}};
      r.over_time = std::move(over_time);
      compare(load_model(system), r);
    });
  };
  EXPECT_EQ(refused("skate", {"position"}),
            "--over-time position: 'skate' has no constraints at position level. Leave it out");
  EXPECT_EQ(refused("dae-additive", {"energy"}), "--over-time energy: 'dae-additive' has no energy. Leave it out");
  EXPECT_EQ(refused("skate", {"x", "x"}), "--over-time: 'x' is named twice");
  EXPECT_EQ(refused("skate", {""}), "--over-time has an empty place: it takes names with commas between them");
  EXPECT_TRUE(refused("skate", {"thetta"}).starts_with("--over-time thetta")) << refused("skate", {"thetta"});
  EXPECT_TRUE(refused("skate", {"lam*", "q*"}).starts_with("--over-time: no column or definition matches 'q*'"));
}

// --- a tableau beside named methods

std::string gauss2(const std::string& name) {
  const std::string path = ::testing::TempDir() + "rattleback_" + name + ".toml";
  std::ofstream(path)
      << "name = \"" << name << "\"\norder = 4\n"
      << "A = [[\"1/4\", \"1/4 - sqrt(3)/6\"], [\"1/4 + sqrt(3)/6\", \"1/4\"]]\nb = [\"1/2\", \"1/2\"]\n";
  return path;
}

TEST(Compare, TakesATableauAsOneMoreMethod) {
  const Model model = load_model("skate");
  for (const char* name : {"my-gauss", "spark-gauss"}) {
    CompareRequest r = request({{"spark-gauss", 2}, {"ode", 0}}, {0.1, 0.05}, 2.0);
    r.options.tableau = gauss2(name);
    const CompareReport found = compare(model, r);
    ASSERT_EQ(found.runs.size(), 6U);
    const std::string label = name == std::string("my-gauss") ? name : "spark-gauss (tableau)";
    for (const std::size_t i : {0U, 1U}) {
      EXPECT_EQ(found.runs[4 + i].label, label);
      EXPECT_EQ(found.runs[4 + i].method, name);
      EXPECT_EQ(found.runs[4 + i].stages, 2);
      EXPECT_NEAR(*found.runs[4 + i].error, *found.runs[i].error, 1e-13);
    }
    EXPECT_EQ(found.slopes[2].label, label);
    EXPECT_NEAR(found.slopes[2].fitted, 4.0, 0.05);

    OrderRequest order;
    order.methods = {{"spark-gauss", 2}};
    order.steps = {0.1, 0.05};
    order.until = 2.0;
    order.options.tableau = r.options.tableau;
    const OrderReport orders = order_study(model, order);
    ASSERT_EQ(orders.runs.size(), 4U);
    EXPECT_EQ(orders.slopes[1].label, label);
    EXPECT_EQ(orders.runs[2].error, *found.runs[4].error);
    order.methods.clear();
    EXPECT_EQ(order_study(model, order).runs[0].error, orders.runs[2].error);
  }
}

// What is said of the tableau of the others is not said of the reference.
TEST(Compare, TheReferenceOfATableauIsANamedMethod) {
  CompareRequest r = request({}, {0.1, 0.05}, 2.0);
  r.options.tableau = gauss2("alone");
  r.reference = "spark-gauss:4:0.05";
  const CompareReport found = compare(load_model("skate"), r);
  EXPECT_EQ(found.reference, "spark-gauss:4:0.05");
  EXPECT_NEAR(found.slopes[0].fitted, 4.0, 0.1);
  EXPECT_TRUE(message_of([&] {
                r.options.tableau = "no-such.toml";
                compare(load_model("skate"), r);
              }).find("no-such.toml") != std::string::npos);
}

}  // namespace
}  // namespace rattleback::testing
