// Models in C++ say what model files say, with the same names, the same refusals, and parameters that may have other values.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/inputs.hpp"
#include "rattleback/analysis.hpp"
#include "rattleback/simulate.hpp"
#include "rattleback/trace.hpp"
#include "support.hpp"

namespace rattleback::test {
namespace {

template <class T>
using Values = std::span<const T>;

// A pendulum on a rod whose joint rubs, pushed along x.
struct Pendulum {
  template <class T>
  T kinetic(const T&, Values<T>, Values<T> v, const Parameters<T>& p) const {
    return p["m"] * (v[0] * v[0] + v[1] * v[1]) / 2.0;
  }
  template <class T>
  T potential(const T&, Values<T> q, const Parameters<T>& p) const {
    return p["m"] * p["g"] * q[1];
  }
  template <class T>
  std::vector<T> holonomic(const T&, Values<T> q, const Parameters<T>& p) const {
    return {q[0] * q[0] + q[1] * q[1] - p["l"] * p["l"]};
  }
  template <class T>
  std::vector<T> forces(const T&, Values<T> q, Values<T> v, const Parameters<T>& p, const Inputs<T>& u,
                        Values<T> lambda) const {
    const T rub = p["mu"] * abs(lambda[0]);
    return {u["push"] * (1.0 + q[1] * q[1]) - rub * v[0], -(rub * v[1])};
  }
  template <class T>
  T rayleigh(const T&, Values<T>, Values<T> v) const {
    return 0.05 * (v[0] * v[0] + v[1] * v[1]);
  }
  template <class T>
  std::vector<std::pair<std::string, T>> initial(const Parameters<T>& p) const {
    return {{"x", p["l"]}};
  }
};

const char* const kPendulum = R"toml(
coordinates = ["x", "y"]
[parameters]
m = 2.0
g = 9.81
l = 1.5
mu = 0.01
[lagrangian]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*y"
[constraints.holonomic]
rod = "x^2 + y^2 - l^2"
[forces]
x = "-(mu*abs(lambda(rod))*x')"
y = "-(mu*abs(lambda(rod))*y')"
[dissipation]
rayleigh = "0.05*(x'^2 + y'^2)"
[ports.push]
along = { x = "1 + y^2" }
[initial]
x = "l"
)toml";

TraceOptions pendulum_options() {
  return {.name = "pendulum",
          .coordinates = {"x", "y"},
          .constraints = {"rod"},
          .parameters = {{"m", 2.0}, {"g", 9.81}, {"l", 1.5}, {"mu", 0.01}},
          .inputs = {"push"}};
}
Model pendulum() { return trace(Pendulum{}, pendulum_options()); }

void expect_same_values(const Model& a, const Model& b) {
  const std::vector<double> q = {0.3, -1.1}, v = {0.7, 0.2}, z = {4.0};
  EXPECT_EQ(value_of(a, a.lagrangian, 0.5, q, v), value_of(b, b.lagrangian, 0.5, q, v));
  EXPECT_EQ(dense(*a.graph, a.forces, 2, 0.5, q, v, z), dense(*b.graph, b.forces, 2, 0.5, q, v, z));
  EXPECT_EQ(dense(*a.graph, a.holonomic, 1, 0.5, q, v), dense(*b.graph, b.holonomic, 1, 0.5, q, v));
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.q0, b.q0);
  EXPECT_EQ(a.dissipative, b.dissipative);
  ASSERT_EQ(a.ports.size(), b.ports.size());
  ASSERT_EQ(a.ph.inputs.size(), b.ph.inputs.size());
  for (std::size_t i = 0; i < a.ph.inputs.size(); ++i) EXPECT_EQ(a.ph.inputs[i].name, b.ph.inputs[i].name);
  EXPECT_EQ(a.ph.R.size(), b.ph.R.size());
}

Options some_steps() { return {.method = "prk-lobatto", .stages = 2, .step = 0.01, .steps = 50}; }

TEST(Trace, SaysWhatAFileSays) {
  const Model model = pendulum(), file = parse_model(kPendulum, "pendulum.toml");
  expect_same_values(model, file);
  EXPECT_TRUE(model.kinetic.has_value());
  const Trajectory here = simulate(model, some_steps()), there = simulate(file, some_steps());
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(here.q[i], there.q[i], 1e-13);
  const CheckReport report = check(model);
  EXPECT_TRUE(report.derivatives_ok);
}

TEST(Trace, ParametersTakeOtherValues) {
  const Model model = pendulum(), file = parse_model(kPendulum, "pendulum.toml");
  expect_same_values(model.with({{"l", "2*m/3"}, {"g", "1.62"}}), file.with({{"l", "2*m/3"}, {"g", "1.62"}}));
  expect_same_values(model.with({{"mu", "0"}}), file.with({{"mu", "0"}}));  // that decides: there is one force less
  EXPECT_EQ(model.with({}, {{"y'", "-0.5"}}).v0[1], -0.5);
  EXPECT_EQ(message_of([&] {
              (void)model.with({{"length", "1"}});
            }),
            message_of([&] {
              (void)file.with({{"length", "1"}});
            }));
  EXPECT_EQ(message_of([&] {
              (void)model.with({{"m", "1/0"}});
            }),
            message_of([&] {
              (void)file.with({{"m", "1/0"}});
            }));
}

TEST(Trace, EnsemblesVaryParameters) {
  const Model model = pendulum();
  EnsembleRequest request;
  request.options = some_steps();
  request.members = members_on_grid({{"l", 1.0, 2.0, 5}});
  const EnsembleReport found = ensemble(model, request);
  ASSERT_EQ(found.members.size(), 5U);
  for (const EnsembleMember& member : found.members) {
    const Trajectory alone = simulate(model.with({{"l", std::to_string(member.values[0])}}), some_steps());
    EXPECT_EQ(member.q, alone.q);
  }
}

TEST(Trace, EnsemblesOverParametersKeepAStartThatWasChanged) {
  Model model = pendulum();
  model.v0[1] = 0.25;
  EnsembleRequest request;
  request.options = some_steps();
  request.members = members_on_grid({{"g", 5.0, 6.0, 2}});
  const EnsembleReport found = ensemble(model, request);
  Model alone = pendulum().with({{"g", "5"}});
  alone.v0[1] = 0.25;
  EXPECT_EQ(found.members[0].q, simulate(alone, some_steps()).q);
}

// The force of a pushed pendulum at rest, through the values that a step is given.
TEST(Trace, AnInputIsZeroUntilItIsGiven) {
  for (const Model& model : {pendulum(), parse_model(kPendulum, "pendulum.toml")}) {
    const std::optional<std::uint32_t> place = place_of_input(model, "push");
    ASSERT_TRUE(place.has_value());
    std::vector<double> values = given_values(model);
    EXPECT_EQ(values, (std::vector<double>{2.0, 9.81, 1.5, 0.01, 0.0}));
    EXPECT_EQ(*place, 4U);
    for (const double u : {3.0, -3.0, 0.0}) {  // no sign is decided
      values[*place] = u;
      Graph graph = *model.graph;
      ASSERT_TRUE(graph.set_parameters(values, model.parameter_errors));
      EXPECT_EQ(dense(graph, model.forces, 2, 0.0, {1.0, 2.0}, {0.0, 0.0}, {0.0})[0], 5.0 * u);
    }
  }
}

struct Driven {
  template <class T>
  T lagrangian(const T&, Values<T> q, Values<T> v) const {
    return v[0] * v[0] / 2.0 - q[0] * q[0] / 2.0;
  }
  template <class T>
  std::vector<T> forces(const T&, Values<T>, Values<T> v, const Parameters<T>& p, const Inputs<T>& u) const {
    return {p[0] * u[0] - v[0]};
  }
  template <class T>
  std::vector<T> inputs(const T& t, Values<T>, Values<T>) const {
    return {sin(t)};
  }
  template <class T>
  std::vector<std::pair<std::string, T>> exact(const T& t) const {
    return {{"x", -cos(t)}, {"x'", sin(t)}};
  }
};

TEST(Trace, AFormulaOfAnInputCanBeReplacedByANumber) {
  const Model model = trace(Driven{}, {.name = "driven",
                                       .coordinates = {"x"},
                                       .q = {-1.0},
                                       .parameters = {{"k", 1.0}},
                                       .inputs = {"drive"},
                                       .run = {.method = "spark-gauss", .stages = 4, .step = 0.1, .until = 5.0}});
  const Trajectory run = simulate(model, {});
  ASSERT_TRUE(run.error.has_value());
  EXPECT_LT(*run.error, 1e-10);
  EXPECT_FALSE(place_of_input(model, "drive").has_value());
  const std::vector<std::string> ports = {"drive"};
  const Model given = with_given_inputs(model, ports);
  EXPECT_EQ(place_of_input(given, "drive"), 1U);
  EXPECT_EQ(dense(*model.graph, model.forces, 1, 1.0, {0.0}, {0.5})[0], std::sin(1.0) - 0.5);
  EXPECT_EQ(dense(*given.graph, given.forces, 1, 1.0, {0.0}, {0.5})[0], -0.5);
  EXPECT_EQ(message_of([&] { (void)place_of_input(model, "drve"); }),
            "there is no port `drve`. Did you mean `drive`? Ports: drive");
}

struct Point {
  template <class T>
  T lagrangian(const T&, Values<T> q, Values<T> v) const {
    T sum = 0.0;
    for (std::size_t i = 0; i < q.size(); ++i) sum += v[i] * v[i] / 2.0 - q[i] * q[i];
    return sum;
  }
};

std::string without_place(const std::string& message) { return message.substr(message.find(": ") + 2); }

TEST(Trace, NamesAreCheckedAsInFiles) {
  for (const std::string name : {"x y", "3", "t", "sin", "x'", "", "a-b", "lambda", "x[2]"}) {
    const std::string here = message_of([&] { (void)trace(Point{}, {.name = "p", .coordinates = {name}}); });
    const std::string there = message_of(
        [&] { (void)parse_model("coordinates = [\"" + name + "\"]\n[lagrangian]\nkinetic = \"1\"\n", "m.toml"); });
    EXPECT_FALSE(here.empty()) << name;
    EXPECT_TRUE(here.starts_with("C++ model 'p': ")) << here;
    EXPECT_EQ(without_place(here), without_place(there));
  }
  EXPECT_EQ(message_of([] {
              (void)trace(Point{}, {.name = "p", .coordinates = {"x", "x"}});
            }),
            "C++ model 'p': `x` is already the name of a coordinate. Two things cannot have one name");
  EXPECT_EQ(message_of([] {
              (void)trace(Point{}, {.name = "p", .coordinates = {"x"}, .parameters = {{"x", 1.0}}});
            }),
            "C++ model 'p': `x` is already the name of a parameter. Two things cannot have one name");
  EXPECT_EQ(message_of([] { (void)trace(Point{}, {.name = "p", .coordinates = {"x"}, .angles = {"x"}}); }),
            "C++ model 'p': `x` is declared as an angle, but the Lagrangian changes by 39.5 when it turns once. Remove "
            "it from `angles`");
  EXPECT_EQ(trace(Point{}, {.name = "p", .coordinates = {"x[1:3]", "y"}}).coordinates.size(), 4);
}

TEST(Trace, RefusesNamesForWhichNothingIsDelivered) {
  EXPECT_EQ(message_of([] { (void)trace(Point{}, {.name = "p", .coordinates = {}}); }),
            "C++ model 'p': it has no coordinates");
  EXPECT_EQ(
      message_of([] { (void)trace(Point{}, {.name = "p", .coordinates = {"x"}, .constraints = {"rod"}}); }),
      "C++ model 'p': 1 constraint name was given (rod), but holonomic() and nonholonomic() return 0 constraints");
  EXPECT_EQ(message_of([] {
              (void)trace(Point{}, {.name = "p", .coordinates = {"x"}, .inputs = {"a", "b"}});
            }),
            "C++ model 'p': 2 inputs were named (a, b), but 0 of them occur in forces(t, q, v, p, u)");
  TraceOptions two = pendulum_options();
  two.inputs = {"push", "pull"};
  EXPECT_EQ(message_of([&] { (void)trace(Pendulum{}, two); }),
            "C++ model 'pendulum': 2 inputs were named (push, pull), but 1 of them occurs in forces(t, q, v, p, u)");
  two.inputs = {"pull"};
  EXPECT_EQ(message_of([&] { (void)trace(Pendulum{}, two); }), "there is no input `push`. Known: pull");
  TraceOptions short_start = pendulum_options();
  short_start.v = {1.0};
  EXPECT_EQ(message_of([&] { (void)trace(Pendulum{}, short_start); }),
            "C++ model 'pendulum': the start has 1 velocities, but there are 2 coordinates (x, y)");
}

struct Root {
  template <class T>
  T lagrangian(const T&, Values<T> q, Values<T> v, const Parameters<T>& p) const {
    return v[0] * v[0] / 2.0 - sqrt(q[0] - 1.0) / p["k"];
  }
};

TEST(Trace, SaysWhatIsNotANumber) {
  const auto message = [](std::vector<double> q, double k = 1.0) {
    return message_of([&] {
      (void)trace(Root{}, {.name = "root", .coordinates = {"x"}, .q = std::move(q), .parameters = {{"k", k}}});
    });
  };
  EXPECT_EQ(
      message({0.5}),
      "C++ model 'root': lagrangian() is nan at the initial state: `sqrt(x - 1)` is nan there. Change the start or "
      "the parameters, or write it so that it is finite there");
  EXPECT_EQ(
      message({1.0}),
      "C++ model 'root': the derivative of lagrangian() by `x` is -inf at the initial state. Change the start, or "
      "write it so that it is smooth there");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message({nan}), "C++ model 'root': the start of `x` is nan, where a finite number is expected");
  EXPECT_EQ(message({2.0}, nan), "C++ model 'root': expected a finite number for parameter `k`, found nan");
  EXPECT_EQ(message({2.0}), "");
  Model model = pendulum();
  model.q0[1] = nan;
  EXPECT_EQ(message_of([&] { (void)simulate(model, some_steps()); }),
            "the start of `y` is nan, where a finite number is expected");
}

struct Curved {
  template <class T>
  T lagrangian(const T&, Values<T>, Values<T> v) const {
    return v[0] * v[0] / 2.0;
  }
  template <class T>
  std::vector<T> forces(const T&, Values<T>, Values<T>, const Parameters<T>&, const Inputs<T>& u) const {
    return {u[0] * u[0]};
  }
};

TEST(Trace, InputsArePorts) {
  EXPECT_EQ(message_of([] { (void)trace(Curved{}, {.name = "c", .coordinates = {"x"}, .inputs = {"u"}}); }),
            "C++ model 'c': the force on `x` must be linear in the input `u`, with a factor of t and q, so that the "
            "input is a port; what enters in another way is a parameter");
}

// One template for formulas and for numbers.
template <class T>
T clipped(const T& x) {
  return rattleback::where(rattleback::less(x, T(1.0)), x, T(1.0));
}

TEST(Trace, BranchesRunWithNumbersToo) {
  EXPECT_EQ(clipped(0.5), 0.5);
  EXPECT_EQ(clipped(2.0), 1.0);
  EXPECT_EQ(less_equal(1.0, 1.0), 1.0);
  Graph g;
  const Expr x(g, g.variable(kPosition, 0));
  EXPECT_EQ(to_string(g, clipped(x).id(g)), "if(s1[0+0i] < 1, s1[0+0i], 1)");
  const Parameters<double> p({{"a", 2.0}, {"b", 3.0}});
  EXPECT_EQ(p["b"] + p[0], 5.0);
  EXPECT_EQ(message_of([&] { (void)p["c"]; }), "there is no parameter `c`. Known: a, b");
  EXPECT_EQ(message_of([&] { (void)p[2]; }), "there is no parameter number 2: this model has 2, counted from 0");
}

// A spring around the origin, in the plane: what turns it is a symmetry, unless the spring is bent.
struct Turning {
  template <class T>
  T lagrangian(const T&, Values<T> q, Values<T> v, const Parameters<T>& p) const {
    return (v[0] * v[0] + v[1] * v[1]) / 2.0 - p["k"] * (q[0] * q[0] + p["bent"] * q[1] * q[1]) / 2.0;
  }
  template <class T>
  std::vector<std::pair<std::string, T>> invariants(const T&, Values<T> q, Values<T> v) const {
    return {{"spin", q[0] * v[1] - q[1] * v[0]}};
  }
  template <class T>
  std::vector<std::pair<std::string, std::vector<T>>> symmetries(const T&, Values<T> q) const {
    return {{"turn", {-q[1], q[0]}}};
  }
};

TEST(Trace, HasInvariantsAndSymmetries) {
  const Model model = trace(Turning{}, {.name = "turning",
                                        .coordinates = {"x", "y"},
                                        .q = {1.0, 0.0},
                                        .v = {0.1, 0.7},
                                        .parameters = {{"k", 2.0}, {"bent", 1.0}}});
  const Model file = parse_model(R"toml(
coordinates = ["x", "y"]
parameters = { k = 2, bent = 1 }
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "k*(x^2 + bent*y^2)/2"
[invariants]
spin = "x*y' - y*x'"
[symmetries.turn]
x = "-y"
y = "x"
[initial]
x = 1
"x'" = 0.1
"y'" = 0.7
)toml",
                                 "turning.toml");
  const Options options{.method = "spark-gauss", .stages = 2, .step = 0.1, .until = 5.0, .native = "off"};
  for (const Model* const each : {&model, &file}) {
    const CheckReport report = check(*each);
    ASSERT_EQ(report.symmetries.size(), 1U);
    EXPECT_EQ(report.symmetries[0].name, "turn");
    EXPECT_TRUE(report.symmetries[0].conserved);
    const Trajectory run = simulate(*each, options);
    ASSERT_EQ(run.invariants.size(), 2U);
    EXPECT_EQ(run.invariants[0].name, "spin");
    EXPECT_NEAR(run.invariants[0].initial, 0.7, 1e-16);
    EXPECT_LT(run.invariants[0].max_error, 1e-14);
    EXPECT_EQ(run.invariants[1].name, "turn");
    // With another parameter it is none.
    const Model bent = each->with({{"bent", "3"}});
    EXPECT_FALSE(check(bent).symmetries[0].conserved);
    EXPECT_EQ(simulate(bent, options).momenta.size(), 1U);
  }
}

struct Wrong : Turning {
  template <class T>
  std::vector<std::pair<std::string, std::vector<T>>> symmetries(const T& t, Values<T> q) const {
    return {{"turn", {-q[1] * t, q[0]}}};
  }
};

TEST(Trace, RefusesSymmetriesThatAreNone) {
  const auto refusal = [](const auto& system, const char* x) {
    try {
      (void)trace(system, {.name = "turning", .coordinates = {x, "y"}, .parameters = {{"k", 2.0}, {"bent", 1.0}}});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(refusal(Wrong{}, "x").find("t occurs in symmetry `turn`"), std::string::npos);
  EXPECT_NE(
      refusal(Turning{}, "spin").find("invariants() gives the name `spin`, which something else in the model has"),
      std::string::npos);
  EXPECT_EQ(refusal(Turning{}, "x"), "accepted");
}

}  // namespace
}  // namespace rattleback::test
