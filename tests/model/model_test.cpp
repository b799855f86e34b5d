// What a loaded model holds: starts, parameters, overrides, shipped systems, names.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <optional>

#include "model/starts/start_reader.hpp"
#include "support.hpp"

namespace rattleback::test {
namespace {

double energy(const Model& m) {
  return value_of(m, *m.kinetic, 0.0, m.q0, m.v0) + value_of(m, *m.potential, 0.0, m.q0, m.v0);
}

LoadOptions set(std::vector<std::pair<std::string, std::string>> set,
                std::vector<std::pair<std::string, std::string>> start = {}) {
  LoadOptions o;
  o.set = std::move(set);
  o.start = std::move(start);
  return o;
}

TEST(Shipped, AllLoadWithTheirNamesInAlphabeticalOrder) {
  std::vector<std::string> keys;
  for (const ShippedModel& s : shipped_models()) {
    keys.emplace_back(s.key);
    const Model m = load_model(std::string(s.key));
    EXPECT_EQ(m.key, s.key);
    EXPECT_FALSE(m.name.empty());
    EXPECT_EQ(m.text, s.text);
    EXPECT_TRUE(m.run.method && m.run.step && m.run.until) << s.key;
    EXPECT_TRUE(m.text.starts_with("# ")) << s.key;
  }
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  for (const char* key :
       {"rolling-disk", "chaplygin-sleigh", "contact-oscillator", "nonholonomic-particle", "skate", "mobile-robot",
        "quartic-particles", "gearbox", "dae-additive", "dae-hessenberg", "pendulum", "double-pendulum", "chain"})
    EXPECT_EQ(std::count(keys.begin(), keys.end(), key), 1) << key;
}

TEST(Shipped, StartsAreConsistent) {
  for (const ShippedModel& s : shipped_models()) {
    const Model m = load_model(std::string(s.key));
    const auto velocity =
        dense(*m.graph, m.nonholonomic, static_cast<std::size_t>(m.nonholonomic_names.size()), 0.0, m.q0, m.v0);
    const auto position =
        dense(*m.graph, m.holonomic, static_cast<std::size_t>(m.holonomic_names.size()), 0.0, m.q0, m.v0);
    for (const double r : velocity) EXPECT_NEAR(r, 0.0, 1e-15) << s.key;
    for (const double r : position) EXPECT_NEAR(r, 0.0, 1e-15) << s.key;
  }
}

TEST(Shipped, ExactSolutionsBeginAtTheStart) {
  for (const ShippedModel& s : shipped_models()) {
    const Model m = load_model(std::string(s.key));
    for (const ExactValue& e : m.exact) {
      const auto& start = e.space == kPosition ? m.q0 : e.space == kVelocity ? m.v0 : m.z0;
      EXPECT_NEAR(value_of(m, e.expr, 0.0, m.q0, m.v0), start.at(static_cast<std::size_t>(e.index)), 1e-15) << s.key;
    }
  }
}

// dy/dt of the exact solution equals the sum of the parts, with z1 = e^2t.
TEST(Shipped, DaePartsSatisfyTheExactSolution) {
  for (const char* key : {"dae-additive", "dae-hessenberg"}) {
    const Model m = load_model(key);
    const double t = 0.37;
    const std::vector<double> y = {std::exp(t), std::exp(-2 * t)}, z = {std::exp(2 * t)};
    std::vector<double> rate(2, 0.0);
    for (const Entries& part : m.parts) {
      const auto f = dense(*m.graph, part, 2, t, y, {}, z);
      rate[0] += f[0];
      rate[1] += f[1];
    }
    EXPECT_NEAR(rate[0], y[0], 1e-14) << key;
    EXPECT_NEAR(rate[1], -2 * y[1], 1e-14) << key;
  }
  EXPECT_EQ(load_model("dae-additive").part_count, 5);
  EXPECT_EQ(load_model("dae-hessenberg").part_count, 1);
}

TEST(Shipped, ContactOscillatorStartsOnItsEnergy) {
  const Model m =
      load_model("contact-oscillator", set({{"eps", "0.8"}, {"z0", "-0.55"}, {"b", "0.7"}, {"vz0", "0.2"}}));
  EXPECT_NEAR(energy(m), 1.5, 1e-15);
}

TEST(Shipped, QuarticParticlesShareOneEnergy) {
  for (const char* j : {"0", "4", "9"}) {
    const Model m = load_model("quartic-particles", set({{"j", j}}));
    EXPECT_NEAR(energy(m), 3.06, 1e-14);
  }
  EXPECT_EQ(load_model("quartic-particles").q0, (std::vector<double>{1, 0.6, 0.4, 0.2, 1, 1, 1}));
}

TEST(Shipped, RollingDiskFollowsItsParameters) {
  const Model m = load_model("rolling_disk", set({{"R", "1/2"}}, {{"phi", "pi/2"}}));
  EXPECT_NEAR(m.v0[0], 0.0, 1e-16);
  EXPECT_DOUBLE_EQ(m.v0[1], 0.5);
  EXPECT_EQ(m.angles, (std::vector<std::int32_t>{2, 3}));
}

TEST(Shipped, DoublePendulumIsDissipativeOnlyWithViscosity) {
  EXPECT_FALSE(load_model("double-pendulum").dissipative);
  const Model m = load_model("double-pendulum", set({{"kappa", "0.01"}}));
  EXPECT_TRUE(m.dissipative);
  const auto f = dense(*m.graph, m.forces, 4, 0.0, m.q0, {1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(f[3], -0.04);
}

const std::string kSmall =
    "name = \"Small\"\ncoordinates = [\"x\", \"y\", \"w[1:3]\"]\nangles = [\"y\", \"w[2:3]\"]\nproject = "
    "true\n[parameters]\nb = \"a^2\"\na = 3\nk = [1, \"a\", 4]\n"
    "[lagrangian]\nL = \"x'^2/2 + y'^2/2 + sum(i = 1:3, w[i]'^2) - b*x\"\n"
    "[initial]\nx = \"y + 1\"\ny = \"2*a\"\nw = [1, \"x\", 3]\n\"w[2]'\" = \"x*y\"\n\"y'\" = \"w[2]'\"\n"
    "[run]\nmethod = \"spark-gauss\"\nstages = 2\nstep = \"a/30\"\nuntil = 10\n";

TEST(Model, StartsMayReferToEachOtherInAnyOrder) {
  const Model m = parse_model(kSmall, "dir/small.toml");
  EXPECT_EQ(m.q0, (std::vector<double>{7, 6, 1, 7, 3}));
  EXPECT_EQ(m.v0, (std::vector<double>{0, 42, 0, 42, 0}));
  EXPECT_EQ(m.key, "small");
  EXPECT_EQ(m.name, "Small");
  EXPECT_EQ(m.angles, (std::vector<std::int32_t>{1, 3, 4}));
  EXPECT_TRUE(m.project);
  EXPECT_EQ(m.parameters,
            (std::vector<std::pair<std::string, double>>{{"b", 9}, {"a", 3}, {"k[1]", 1}, {"k[2]", 3}, {"k[3]", 4}}));
  EXPECT_EQ(*m.run.method, "spark-gauss");
  EXPECT_EQ(*m.run.stages, 2);
  EXPECT_DOUBLE_EQ(*m.run.step, 0.1);
}

TEST(Model, WhatDependsOnAnOverriddenStartFollowsIt) {
  const Model m = parse_model(kSmall, "m.toml", set({{"a", "1"}}, {{"y", "10"}, {"w[2]'", "-x"}}));
  EXPECT_EQ(m.q0, (std::vector<double>{11, 10, 1, 11, 3}));
  EXPECT_EQ(m.v0, (std::vector<double>{0, -11, 0, -11, 0}));
}

TEST(Model, ArrayElementsAndExpressionsCanBeSet) {
  const Model m = parse_model(kSmall, "m.toml", set({{"a", "pi/2"}, {"k[2]", "7"}}));
  EXPECT_DOUBLE_EQ(m.parameters[0].second, std::pow(std::numbers::pi / 2, 2));
}

// Everything that a model says: its graph, and what stands beside it.
void expect_same(const Model& a, const Model& b) {
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.coordinates.all(), b.coordinates.all());
  EXPECT_EQ(a.q0, b.q0);
  EXPECT_EQ(a.v0, b.v0);
  EXPECT_EQ(a.z0, b.z0);
  EXPECT_EQ(a.keep_q, b.keep_q);
  EXPECT_EQ(a.run.step, b.run.step);
  EXPECT_EQ(a.lagrangian, b.lagrangian);
  EXPECT_EQ(a.hamiltonian, b.hamiltonian);
  EXPECT_EQ(a.forces.size(), b.forces.size());
  ASSERT_EQ(a.graph->size(), b.graph->size());
  for (NodeId id = 0; id < a.graph->size(); ++id) {
    const Node &x = (*a.graph)[id], &y = (*b.graph)[id];
    EXPECT_TRUE(x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c && x.value == y.value) << id;
  }
}

TEST(Model, OtherValuesGiveTheModelThatReadingWithThemWouldGive) {
  const LoadOptions first = set({{"a", "1"}}, {{"y", "10"}}),
                    second = set({{"a", "1"}, {"k[3]", "a"}, {"a", "5"}}, {{"y", "10"}, {"x", "b"}});
  expect_same(parse_model(kSmall, "m.toml", first).with({{"k[3]", "a"}, {"a", "5"}}, {{"x", "b"}}),
              parse_model(kSmall, "m.toml", second));
  for (const ShippedModel& shipped : shipped_models()) {
    const Model model = load_model(std::string(shipped.key));
    expect_same(model.with({}), model);
    for (const auto& parameter : model.parameters) {
      const Settings other = {{parameter.first, std::to_string(parameter.second + 1.0)}};
      std::optional<Model> read, changed;
      const std::string refused = message_of([&] { read = load_model(std::string(shipped.key), set(other)); });
      EXPECT_EQ(message_of([&] { changed = model.with(other); }), refused);
      if (read) expect_same(*changed, *read);
    }
  }
}

TEST(Model, OtherValuesMayChangeTheSizesOfFamiliesAndTheRangesOfLines) {
  const std::string text =
      "coordinates = [\"x[1:N]\"]\n[parameters]\nN = 3\nM = \"N - 1\"\n[lagrangian]\nL = \"sum(i = 1:N, x[i]'^2)/2\"\n"
      "[forces]\n\"x[i=1:M]\" = \"-x[i+1]\"\n";
  const Model model = parse_model(text, "m.toml");
  EXPECT_EQ(model.with({{"N", "5"}}).coordinates.size(), 5);
  EXPECT_EQ(model.with({{"M", "1"}}).forces.size(), 1U);
  expect_same(model.with({{"N", "5"}}), parse_model(text, "m.toml", set({{"N", "5"}})));
}

TEST(Model, OtherValuesAreRefusedInTheWordsOfReading) {
  const Model model = parse_model(kSmall, "m.toml");
  for (const auto& wrong : Settings{{"c", "1"}, {"x", "1"}, {"a", "1/0"}, {"k", "1"}}) {
    const Settings one(1, wrong);
    EXPECT_EQ(message_of([&] { (void)model.with(one); }),
              message_of([&] { (void)parse_model(kSmall, "m.toml", set(one)); }));
  }
  EXPECT_EQ(message_of([] {
              (void)Model{}.with({{"a", "1"}});
            }),
            "model '' was neither read nor traced, so there is nothing to take other values of");
}

TEST(StartReader, FollowsParametersAsLongAsNothingIsDecidedOtherwise) {
  const Model model = parse_model(
      "coordinates = [\"x\", \"w[1:N]\"]\n[parameters]\nN = 2\ng = 10\ng2 = \"g/5\"\nb = 3\n# b, b2: only here\n"
      "[lagrangian]\nL = \"x'^2/2 + sum(i = 1:2, w[i]'^2) - g2*x\"\n[initial]\nx = \"b^2 + N\"\n",
      "m.toml");
  StartReader reader(model);
  Model start = model;
  const auto read = [&](const char* N, const char* g, const char* b) {
    return reader.read(set({{"N", N}, {"g", g}, {"b", b}}), start);
  };
  EXPECT_TRUE(read("2", "10", "4"));
  EXPECT_EQ(start.q0, (std::vector<double>{18, 0, 0}));
  EXPECT_TRUE(read("2", "11", "4"));  // through g2, which is a number of the potential
  EXPECT_FALSE(reader.decided_otherwise());
  EXPECT_FALSE(read("2", "0", "4"));  // no potential at all
  EXPECT_TRUE(reader.decided_otherwise());
  EXPECT_FALSE(read("3", "10", "4"));  // the size of a family
  EXPECT_FALSE(read("2", "10", "1/0"));
  EXPECT_TRUE(read("2", "10", "5"));
  EXPECT_EQ(start.q0, (std::vector<double>{27, 0, 0}));
}

TEST(Model, AlgebraicStartsCanBeOverridden) {
  const Model m = load_model("dae-hessenberg", set({}, {{"z1", "2"}, {"y2", "0.5"}}));
  EXPECT_EQ(m.z0, std::vector<double>{2});
  EXPECT_EQ(m.q0, (std::vector<double>{1, 0.5}));
}

TEST(Model, LoadsFromAPath) {
  const std::string path = testing::TempDir() + "/rattleback_model_test.toml";
  std::ofstream(path) << "coordinates = [\"x\"]\n[lagrangian]\nL = \"x'^2\"\n";
  EXPECT_EQ(load_model(path).key, "rattleback_model_test");
  std::filesystem::remove(path);
  EXPECT_EQ(message_of([&] { (void)load_model(path); }), path + ": cannot be read: No such file or directory");
  EXPECT_EQ(message_of([&] { (void)load_model(testing::TempDir()); }),
            testing::TempDir() + ": this is a folder, not a model file");
}

TEST(Model, PositionsInsideStringsAreExact) {
  const auto place = [](const std::string& line) {
    const std::string m =
        message_of([&] { (void)parse_model("coordinates = [\"x\"]\n[lagrangian]\n" + line + "\n", "m.toml"); });
    return m.substr(0, m.find(" unknown"));
  };
  EXPECT_EQ(place("L = \"x'^2 + bad\""), "m.toml:3:13:");
  EXPECT_EQ(place("L = 'x + bad'"), "m.toml:3:10:");
  EXPECT_EQ(place("L = \"\"\"\nx'^2\n + bad\"\"\""), "m.toml:5:4:");
  EXPECT_EQ(place("L = \"\"\"x'^2 \\\n   + bad\"\"\""), "m.toml:4:6:");
  EXPECT_EQ(place("L = \"\\u0078'^2 + bad\""), "m.toml:3:18:");
  EXPECT_EQ(place("L = \"x'^2 \\t+ bad\""), "m.toml:3:15:");
}

TEST(Model, LinesMayEndInCarriageReturns) {
  std::string text = kSmall;
  for (std::size_t i = 0; (i = text.find('\n', i)) != std::string::npos; i += 2) text.insert(i, "\r");
  EXPECT_EQ(parse_model(text, "m.toml").q0, parse_model(kSmall, "m.toml").q0);
}

TEST(Model, TitlesMayHaveAnyCharacters) {
  const std::string head = "coordinates = [\"x\"]\nname = ", tail = "\n[lagrangian]\nL = \"x'^2\"\n";
  EXPECT_EQ(parse_model(head + "\"W\u00fcrfel? \\t \\u00e4 \u2014 \U0001F600!\"" + tail, "m.toml").name,
            "W\u00fcrfel? \t \u00e4 \u2014 \U0001F600!");
  EXPECT_EQ(parse_model(head + "'''\n?\u00fc\\?'''" + tail, "m.toml").name, "?\u00fc\\?");
  EXPECT_EQ(message_of([&] { (void)parse_model(head + "\"\xC3(\"" + tail, "m.toml"); }),
            "m.toml:2:10: not valid UTF-8");
}

TEST(Model, ColumnsCountCharacters) {
  const std::string m = message_of([&] {
    (void)parse_model("name = \"Würfel\" # ä\ncoordinates = [\"x\"]\n[lagrangian]\n\"L\" = \"x'^2 + é\"\n", "m.toml");
  });
  EXPECT_EQ(m.substr(0, 13), "m.toml:4:15: ");
}

TEST(Options, UnknownNamesAreReportedWithTheOption) {
  const auto message = [](std::vector<std::pair<std::string, std::string>> s,
                          std::vector<std::pair<std::string, std::string>> start) {
    return message_of([&] { (void)parse_model(kSmall, "m.toml", set(std::move(s), std::move(start))); });
  };
  EXPECT_EQ(message({{"A", "1"}}, {}), "--set A=1: unknown parameter `A`. Did you mean `a`? Parameters: a, b, k");
  EXPECT_EQ(message({{"x", "1"}}, {}),
            "--set x=1: unknown parameter `x`. A start value is given with --start. Parameters: a, b, k");
  EXPECT_EQ(message({{"k", "1"}}, {}), "--set k=1: `k` is an array of 3. Set one element: --set k[1]=1");
  EXPECT_EQ(message({{"k[4]", "1"}}, {}), "--set k[4]=1: `k[4]` does not exist: the index of `k` is out of range 1:3");
  EXPECT_EQ(message({{"a[1]", "1"}}, {}), "--set a[1]=1: `a` is not an array and takes no index");
  EXPECT_EQ(message({{"a", "2*"}}, {}),
            "--set a=2*: expected a number, a name or `(` after `*`, found the end in parameter `a` \"2*\"");
  EXPECT_EQ(message({{"a", ""}}, {}), "--set a=: expected an expression, found nothing in parameter `a` \"\"");
  EXPECT_EQ(message({{"a", "x"}}, {}),
            "--set a=x: `x` is not a parameter, so it cannot occur in parameter `a` \"x\". Accepted here: numbers and "
            "other parameters");
  EXPECT_EQ(
      message({{"a", "b"}}, {}),
      "m.toml:6:6: parameter `b` depends on itself: b -> a -> b in parameter `b` \"a^2\". Give one of them a number");
  EXPECT_EQ(message({}, {{"q", "1"}}), "--start q=1: unknown coordinate `q` in --start. Known here: w[1:3], x, y");
  EXPECT_EQ(message({}, {{"w", "1"}}),
            "--start w=1: `w` in --start is a family, w[1:3]. Write \"w[i=1:3]\", or \"w[1]\" for one of them");
  EXPECT_EQ(message({}, {{"w[5]'", "1"}}),
            "--start w[5]'=1: `w[5]` does not exist: the index of `w` is out of range 1:3 in --start");
  EXPECT_EQ(message({}, {{"a", "1"}}),
            "--start a=1: `a` is a parameter, not a start value. Parameters are changed with --set");
  EXPECT_EQ(message({}, {{"x", "1/0"}}),
            "--start x=1/0: `1/0` is inf, not a finite number, in the start of `x` \"1/0\"");
  EXPECT_EQ(message({}, {{"y", "x"}}),
            "m.toml:12:6: the start of `x` depends on itself: x -> y -> x in the start of `x` \"y + 1\". Give one of "
            "them a number");
}

TEST(Options, UnknownSystemsAreReportedWithTheShippedOnes) {
  EXPECT_EQ(message_of([] { (void)load_model("pendulm"); }).substr(0, 98),
            "unknown system `pendulm`. Did you mean `pendulum`? A system is the path of a model file, or one of");
}

TEST(NamesOfElements, FamiliesAreFoundByIndex) {
  Names n;
  n.add("x");
  n.add_family("rod", 1, 1);
  n.add_family("rod", 2, 99'999);
  n.add_family("w", 0, 2);
  EXPECT_EQ(n.size(), 100'003);
  EXPECT_EQ(n.groups().size(), 3U);
  EXPECT_EQ(n[0], "x");
  EXPECT_EQ(n[100'000], "rod[100000]");
  EXPECT_EQ(n.find("rod[100000]"), 100'000);
  EXPECT_EQ(n.find("w[1]"), 100'002);
  EXPECT_EQ(n.find("w[2]"), std::nullopt);
  EXPECT_EQ(n.find("x[1]"), std::nullopt);
  EXPECT_EQ(n.find("rod"), std::nullopt);
  EXPECT_EQ(n.find("rod[1"), std::nullopt);
  EXPECT_EQ(n.find("rod[1]]"), std::nullopt);
}

TEST(Kept, InvariantsAndSymmetriesAreInTheModel) {
  const Model m = parse_model(
      "coordinates = ['x', 'y[1:2]']\n[parameters]\nk = 3\n[define]\nspin = \"x*y[1]' - "
      "y[1]*x'\"\n[lagrangian]\nkinetic "
      "= \"(x'^2 + y[1]'^2 + y[2]'^2)/2\"\n[symmetries.turn]\nx = '-y[1]'\n'y[i=1:2]' = 'k*x*i'\n[invariants]\n"
      "J = 'spin + t'\ntwice = '2*spin'\n[initial]\nx = 2\n\"y[1]'\" = 5\n",
      "m.toml");
  ASSERT_EQ(m.invariants.size(), 2U);
  EXPECT_EQ(m.invariants[0].name, "J");
  EXPECT_EQ(value_of(m, m.invariants[0].value, 1.0, m.q0, m.v0), 11.0);
  EXPECT_EQ(value_of(m, m.invariants[1].value, 1.0, m.q0, m.v0), 20.0);
  ASSERT_EQ(m.symmetries.size(), 1U);
  EXPECT_EQ(m.symmetries[0].name, "turn");
  std::vector<double> field(3, 0.0);
  for (const Entry& e : m.symmetries[0].field)
    field[static_cast<std::size_t>(e.row.base)] = value_of(m, e.expr, 0.0, m.q0, m.v0);
  EXPECT_EQ(field, (std::vector<double>{0.0, 6.0, 12.0}));
  EXPECT_EQ(value_of(m.with({{"k", "4"}}), m.with({{"k", "4"}}).invariants[0].value, 1.0, m.q0, m.v0), 11.0);
}

TEST(Kept, InvariantsOfEveryKindOfSystem) {
  const auto count = [](const std::string& text) { return parse_model(text, "m.toml").invariants.size(); };
  EXPECT_EQ(count("kind = 'dae'\nstates = ['y']\nalgebraic = ['z']\n[rhs]\ny = 'z'\n[constraints]\nc = 'y'\n"
                  "[invariants]\na = 'y^2'\n"),
            1U);
  for (const char* name : {"gearbox-reduced", "odae-exponential", "pendulum-ph"}) {
    const Model shipped = load_model(name);
    EXPECT_EQ(count(shipped.text + "\n[invariants]\na = '2*" + shipped.coordinates[0] + "'\n"), 1U) << name;
  }
}

}  // namespace
}  // namespace rattleback::test
