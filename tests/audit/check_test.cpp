// What `check` says: rank, integrability, consistency, derivative check, and families of 10^5 members.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <ctime>

#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "rattleback/write.hpp"

namespace rattleback {
namespace {

TEST(Check, SeesThatTheRollingDiskIsNonholonomic) {
  const CheckReport r = check(load_model("rolling-disk"));
  EXPECT_EQ(r.coordinates, 4);
  EXPECT_EQ(r.degrees_of_freedom, 2);
  EXPECT_EQ(r.rank, 2);
  EXPECT_FALSE(r.integrable_together);
  EXPECT_TRUE(r.consistent);
  EXPECT_TRUE(r.derivatives_ok);
  EXPECT_LT(r.derivative_error, 1e-8);  // 2e-11
}

// b has the gradient of a at y = 0, but not beside it, and holds nowhere else together with a.
TEST(Check, DoesNotPromiseToRunWhatDependsAtOneStateOnly) {
  const Model model = parse_model(
      "coordinates = ['x', 'y']\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints.holonomic]\na = 'x'\n"
      "b = 'x - 1e-3*y^2'\n[initial]\n\"y'\" = 1\n",
      "instant.toml");
  const CheckReport r = check(model);
  ASSERT_EQ(r.redundant, std::vector<std::string>{"b"});
  const std::string text = to_text(model, r);
  EXPECT_NE(text.find("'b' depends on the other constraints at the start only"), std::string::npos) << text;
  EXPECT_EQ(text.find("runs this system"), std::string::npos) << text;
}

TEST(Check, SaysWhereNothingCouldBeCompared) {
  const Model model = load_model("skate");
  CheckReport r = check(model);
  EXPECT_FALSE(r.derivatives_undetermined);
  EXPECT_EQ(to_json(model, r).find("derivatives_undetermined"), std::string::npos);
  EXPECT_NE(to_text(model, r).find("agree with finite differences"), std::string::npos);
  r.derivatives_undetermined = true;
  EXPECT_NE(to_json(model, r).find("\"derivatives_undetermined\":true"), std::string::npos) << to_json(model, r);
  EXPECT_NE(to_text(model, r).find("not compared: finite differences do not settle"), std::string::npos);
}

// Frobenius: x' - y z' is not integrable alone; x' + 2 x x' ... is the derivative of a function; and two forms that are
// not integrable alone can be together.
TEST(Check, TellsIntegrableConstraintsFromOthers) {
  const auto text = [](const std::string& constraints) {
    return "name = 'test'\ncoordinates = ['x', 'y', 'z']\n[lagrangian]\nkinetic = \"(x'^2 + y'^2 + "
           "z'^2)/2\"\npotential = '0'\n"
           "[constraints.nonholonomic]\n" +
           constraints;
  };
  const CheckReport a = check(parse_model(text("c = \"x' - y*z'\"\n"), "a.toml"));
  EXPECT_FALSE(a.constraints[0].integrable);
  const CheckReport b = check(parse_model(text("c = \"y*x' + x*y' + z'*cos(z)\"\n"), "b.toml"));
  EXPECT_TRUE(b.constraints[0].integrable);
  // An integrating factor does not change it: exp(x) times a gradient.
  const CheckReport c = check(parse_model(text("c = \"exp(x)*(y*x' + x*y' + z')\"\n"), "c.toml"));
  EXPECT_TRUE(c.constraints[0].integrable);
  // x' - y z' = 0 and y' = 0: not integrable alone, integrable together (x - y z with y constant).
  const CheckReport d = check(parse_model(text("c = \"x' - y*z'\"\nd = \"y'\"\n"), "d.toml"));
  EXPECT_FALSE(d.constraints[0].integrable);
  EXPECT_TRUE(d.integrable_together);
}

TEST(Check, NamesRedundantConstraints) {
  const CheckReport r =
      check(parse_model("name = 'r'\ncoordinates = ['x', 'y']\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n"
                        "potential = '0'\n[constraints.nonholonomic]\na = \"x' + y'\"\nb = \"2*x' + 2*y'\"\n",
                        "r.toml"));
  EXPECT_EQ(r.rank, 1);
  ASSERT_EQ(r.redundant.size(), 1U);
  // They run with --redundant minimum-norm, as a note says.
  for (const MethodCheck& m : r.methods)
    if (m.name == "spark-gauss" || m.name == "ode") EXPECT_TRUE(m.applies) << m.name << " " << m.reason;
  ASSERT_EQ(r.notes.size(), 1U);
  EXPECT_NE(r.notes[0].find("'b' follows from the other constraints. `--redundant minimum-norm` runs this system"),
            std::string::npos)
      << r.notes[0];
  ASSERT_EQ(r.multipliers.size(), 2U);
  EXPECT_EQ(r.multipliers[0], 0.0);
}

// A parallelogram whose last row repeats the one before it, but for 1e-3: no state satisfies both.
TEST(Check, NamesTheDependentConstraintThatContradictsTheOthers) {
  const Model model = parse_model(R"toml(
coordinates = ["x1", "y1", "x2", "y2"]
[lagrangian]
kinetic = "(x1'^2 + y1'^2)/2 + (x2'^2 + y2'^2)"
[constraints.holonomic]
a = "x1^2 + y1^2 - 1"
b = "(x2 - 2)^2 + y2^2 - 1"
d = "x2 - x1 - 2"
e = "y2 - y1"
f = "2*(y2 - y1) + 1e-3"
[initial]
x1 = "cos(0.5)"
y1 = "sin(0.5)"
x2 = "2 + cos(0.5)"
y2 = "sin(0.5)"
"x1'" = "-3*sin(0.5)"
"y1'" = "3*cos(0.5)"
"x2'" = "-3*sin(0.5)"
"y2'" = "3*cos(0.5)"
)toml",
                                  "contradiction.toml");
  const std::string text =
      "'f' depends on the other constraints at the start, but contradicts them: residual 1.000e-03 at position level. "
      "Correct or remove it";
  const CheckReport r = check(model);
  EXPECT_TRUE(r.nearest_q.empty());
  EXPECT_EQ(r.redundant, (std::vector<std::string>{"e", "f"}));
  ASSERT_EQ(r.notes.size(), 2U);
  EXPECT_EQ(r.notes[1], text);
  EXPECT_EQ(r.obstacle, "needs constraints that can all hold: 'f' contradicts the others");
  // At the start as it is given the reactions are determined, and these are the least multipliers that give them.
  const double least[] = {5.3548, 8.1452, 1.5003, 0.1639, 0.3278};
  ASSERT_EQ(r.multipliers.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(r.multipliers[i], least[i], 1e-4) << i;
  try {
    (void)simulate(model, {.step = 0.01, .steps = 1, .redundant = "minimum-norm"});
    FAIL() << "it ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "--redundant minimum-norm: " + text);
  }
}

// A rod of length 0 has no direction, so it does not follow from other constraints either.
TEST(Check, NamesConstraintsWithoutAGradient) {
  const auto rod = [](const std::string& formula) {
    return check(
        parse_model("coordinates = ['x', 'y']\n[parameters]\nl = 0\n[lagrangian]\nkinetic = \"(x'^2 + "
                    "y'^2)/2\"\n[constraints.holonomic]\nrod = '" +
                        formula + "'\n",
                    "rod.toml"));
  };
  const CheckReport zero = rod("x^2 + y^2 - l^2"), root = rod("sqrt(x^2 + y^2) - l");
  EXPECT_EQ(zero.vanishing, std::vector<std::string>{"rod"});
  EXPECT_TRUE(zero.not_finite.empty());
  EXPECT_EQ(root.not_finite, std::vector<std::string>{"rod"});
  EXPECT_TRUE(root.vanishing.empty());
  EXPECT_EQ(zero.obstacle, "needs constraints that can act: the gradient of 'rod' vanishes at the start");
  EXPECT_EQ(root.obstacle, "needs constraints that can act: the gradient of 'rod' is not finite at the start");
  for (const CheckReport* r : {&zero, &root}) {
    EXPECT_TRUE(r->redundant.empty());
    EXPECT_EQ(r->rank, 0);
    EXPECT_FALSE(r->saddle_regular);
    for (const MethodCheck& m : r->methods) EXPECT_FALSE(m.applies) << m.name;
    ASSERT_EQ(r->notes.size(), 1U);  // what to do; no word of --redundant
    EXPECT_NE(r->notes[0].find("Start elsewhere, or write"), std::string::npos) << r->notes[0];
  }
}

TEST(Check, NamesConstraintsWithoutAGradientInDaes) {
  const auto dae = [](const std::string& constraint) {
    return check(
        parse_model("kind = 'dae'\nstates = ['y1', 'y2']\nalgebraic = ['z']\n[rhs]\ny1 = 'z'\ny2 = "
                    "'y1'\n[constraints]\nc = '" +
                        constraint + "'\n",
                    "dae.toml"));
  };
  EXPECT_EQ(dae("y1^2 + y2^2").vanishing, std::vector<std::string>{"c"});
  EXPECT_EQ(dae("sqrt(y1)").not_finite, std::vector<std::string>{"c"});
}

// Families too long to be unrolled.
TEST(Check, NamesConstraintsWithoutAGradientInLargeFamilies) {
  const auto chain = [](const std::string& rod) {
    return check(
        parse_model("coordinates = ['x[1:300]', 'y[1:300]']\n[lagrangian]\nkinetic = \"sum(i = 1:300, "
                    "x[i]'^2 + y[i]'^2)/2\"\n[constraints.holonomic]\n\"rod[i=1:300]\" = '" +
                        rod + "'\n",
                    "chain.toml"));
  };
  const CheckReport zero = chain("x[i]^2 + y[i]^2"), root = chain("sqrt(x[i]^2 + y[i]^2)");
  EXPECT_EQ(zero.vanishing.size(), 300U);
  EXPECT_EQ(zero.rank, 0);
  EXPECT_EQ(zero.obstacle,
            "needs constraints that can act: the gradient of 'rod[1]' and 299 more vanishes at the start");
  EXPECT_EQ(root.not_finite.size(), 300U);
  EXPECT_EQ(root.rank, 0);
  EXPECT_EQ(chain("x[i]").rank, 300);
  const CheckReport one = chain("(i - 7)*x[i]");  // the others are still counted
  EXPECT_EQ(one.vanishing, std::vector<std::string>{"rod[7]"});
  EXPECT_EQ(one.rank, 299);
}

TEST(Check, CountsTheRankOfLargeDaes) {
  const auto dae = [](const std::string& constraint) {
    return check(parse_model(
        "kind = 'dae'\nstates = ['y[1:300]', 'w[1:300]']\nalgebraic = ['z[1:300]']\n[rhs]\n\"y[i=1:300]\" = "
        "'z[i]'\n\"w[i=1:300]\" = 'y[i]'\n[constraints]\n\"c[i=1:300]\" = '" +
            constraint + "'\n",
        "dae.toml"));
  };
  EXPECT_EQ(dae("y[i] - w[i]").rank, 300);
  EXPECT_TRUE(dae("y[i] - w[i]").vanishing.empty());
  EXPECT_EQ(dae("(i - 7)*y[i]").vanishing, std::vector<std::string>{"c[7]"});
}

// What inertia does not determine, forces may: check agrees with what a run does.
TEST(Check, NamesTheCoordinateWithoutInertia) {
  const auto checked = [](const std::string& rest) {
    return check(parse_model("coordinates = ['x', 'y']\n[lagrangian]\nkinetic = \"x'^2/2\"\n" + rest, "test.toml"));
  };
  const auto applies = [](const CheckReport& r, std::string_view name) {
    return std::ranges::any_of(r.methods, [&](const MethodCheck& m) { return m.name == name && m.applies; });
  };
  const CheckReport nothing = checked("");
  EXPECT_FALSE(std::ranges::any_of(nothing.methods, &MethodCheck::applies));
  EXPECT_EQ(nothing.obstacle, "needs inertia in y. Add a kinetic term for it, or remove the coordinate");
  const CheckReport damped =
      checked("potential = 'y^2'\n[dissipation]\nrayleigh = \"y'^2/2\"\n[initial]\ny = 1\n[run]\nstep = 1000\n");
  EXPECT_EQ(damped.obstacle, "");
  EXPECT_TRUE(applies(damped, "spark-gauss"));
  EXPECT_TRUE(applies(damped, "collocation-gauss"));
  // The first refuses. The second takes a step, and then its velocities grow without bound.
  for (const char* name : {"spark-lobatto-ab", "mclachlan-perlmutter", "ode-dop853", "ode"})
    EXPECT_FALSE(applies(damped, name)) << name;
  // The constraint stands in for inertia: only what bind() refuses does not apply.
  const CheckReport held = checked("potential = '-x^4'\n[constraints.nonholonomic]\nhold = \"y' - x*x'\"\n");
  EXPECT_TRUE(applies(held, "ode"));
  EXPECT_TRUE(applies(held, "spark-gauss"));
}

TEST(Check, OffersTheNearestConsistentStart) {
  LoadOptions options;
  options.start = {{"x'", "1"}, {"theta'", "0"}};
  const Model model = load_model("rolling-disk", options);
  const CheckReport r = check(model);
  EXPECT_FALSE(r.consistent);
  ASSERT_EQ(r.nearest_v.size(), 4U);
  // Nearest to x' = 1, theta' = 0 on x' = theta'/4: theta' = 4/17, x' = 1/17.
  EXPECT_NEAR(r.nearest_v[0], 1.0 / 17.0, 1e-15);
  EXPECT_NEAR(r.nearest_v[3], 4.0 / 17.0, 1e-15);
  EXPECT_THROW(simulate(model, {.step = 0.1, .until = 1.0}), Error);
  const Trajectory t = simulate(model, {.step = 0.1, .until = 1.0, .project = true});
  EXPECT_EQ(t.status, Status::done);
  EXPECT_LT(*t.constraint_velocity, 1e-15);
}

// 10^5 links: loaded, differentiated, evaluated and checked within 2 s and 500 MB.
TEST(Check, HandlesAChainOfAHundredThousandLinks) {
  // Processor time, so that what else the machine does is not measured.
  const auto processor_seconds = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  const double begin = processor_seconds();
  LoadOptions options;
  options.set = {{"N", "100000"}};
  const Model model = load_model("chain", options);
  const CheckReport r = check(model);
  const double seconds = processor_seconds() - begin;
  EXPECT_EQ(r.coordinates, 200000);
  EXPECT_EQ(r.rank, 100000);
  EXPECT_TRUE(r.consistent);
  EXPECT_TRUE(r.derivatives_ok) << r.derivative_error;  // 4e-8
  EXPECT_LT(model.graph->size(), 300U);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
#if defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(seconds, 60.0);
#else
  EXPECT_LT(seconds, 2.0);                 // 0.6
  EXPECT_LT(usage.ru_maxrss, 500 * 1024);  // kB; 46 MB
#endif
}

}  // namespace
}  // namespace rattleback
