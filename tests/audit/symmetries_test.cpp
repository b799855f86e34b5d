// Symmetries in `check`: those that a model names, and those that are found. What is found must be all there is, and nothing
// else: random models have none, and what is planted is found whatever the coordinates.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <map>

#include <fmt/format.h>

#include "expr/scalars.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "rattleback/write.hpp"
#include "support/json.hpp"
#include "support/random_models.hpp"

namespace rattleback {
namespace {

Model model_of(const std::string& text) { return parse_model(text, "m.toml"); }

// "x = 1; y = x" of what is kept or not.
std::vector<std::string> found(const CheckReport& r, bool conserved) {
  std::vector<std::string> out;
  for (const FoundSymmetry& s : r.found_symmetries) {
    if (s.conserved != conserved) continue;
    std::string text;
    for (const auto& [coordinate, expression] : s.field)
      text += (text.empty() ? "" : "; ") + coordinate + " = " + expression;
    out.push_back(text);
  }
  return out;
}
std::vector<std::string> kept(const std::string& text) { return found(check(model_of(text)), true); }

using List = std::vector<std::string>;

const std::string kPlane = "coordinates = ['x', 'y']\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n";

TEST(FoundSymmetries, OfAFreeParticleAreTranslationsAndRotations) {
  EXPECT_EQ(kept(kPlane), (List{"x = -y; y = x", "x = 1", "y = 1"}));
  EXPECT_EQ(kept("coordinates = ['x', 'y', 'z']\n[lagrangian]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n"),
            (List{"x = -y; y = x", "x = -z; z = x", "y = -z; z = y", "x = 1", "y = 1", "z = 1"}));
  // Bodies of different masses, and numbers that are no integers.
  EXPECT_EQ(kept("coordinates = ['x', 'y']\n[parameters]\na = 2\n[lagrangian]\nkinetic = \"(a*x'^2 + 0.5*y'^2)/2\"\n"),
            (List{"x = -y; y = 4*x", "x = 1", "y = 1"}));
}

TEST(FoundSymmetries, OfAPotentialAreThoseThatLeaveItAlone) {
  EXPECT_EQ(kept(kPlane + "potential = '9.81*y'\n"), List{"x = 1"});
  EXPECT_EQ(kept(kPlane + "potential = '1/sqrt(x^2 + y^2)'\n[initial]\nx = 1\n"), List{"x = -y; y = x"});
  EXPECT_EQ(kept(kPlane + "potential = '(x - 1)^2 + (y + 2)^2'\n"), List{"x = -2 - y; y = -1 + x"});
  EXPECT_EQ(kept(kPlane + "potential = 'x^2 + 1.001*y^2'\n"), List{});
  // Little, but not nothing.
  EXPECT_EQ(kept(kPlane + "potential = 'x^2 + y^2 + 1e-9*x^4'\n"), List{});
  // A helix: turn and rise.
  EXPECT_EQ(kept("coordinates = ['r', 'phi', 'z']\n[lagrangian]\nkinetic = \"(r'^2 + r^2*phi'^2 + z'^2)/2\"\n"
                 "potential = 'r^2 + cos(2*phi - 3*z)'\n[initial]\nr = 1\n"),
            List{"phi = 1; z = 2/3"});
  // With the time in it.
  EXPECT_EQ(kept(kPlane + "potential = 'sin(t)*(x^2 + y^2)'\n"), List{"x = -y; y = x"});
}

TEST(FoundSymmetries, OfTheSphericalPendulumIsTheRotationAboutTheVertical) {
  const CheckReport r = check(model_of(
      "coordinates = ['x', 'y', 'z']\n[parameters]\ng = 9.81\nl = 0.7\n[lagrangian]\n"
      "kinetic = \"(x'^2 + y'^2 + z'^2)/2\"\npotential = 'g*z'\n[constraints.holonomic]\nrod = 'x^2 + y^2 + z^2 - "
      "l^2'\n[initial]\nx = 'l'\n\"y'\" = 1\n"));
  EXPECT_EQ(found(r, true), List{"x = -y; y = x"});
  EXPECT_EQ(found(r, false), (List{"x = 1", "y = 1"}));  // of L, but the rod pulls
}

TEST(FoundSymmetries, OfShippedSystems) {
  const auto of = [](const char* name) { return check(load_model(name)); };
  EXPECT_EQ(found(of("skate"), true), List{"theta = 1"});
  EXPECT_EQ(found(of("skate"), false), List{"y = 1"});
  EXPECT_TRUE(found(of("double-pendulum"), true).empty());
  const CheckReport disk = of("rolling-disk"), sleigh = of("chaplygin-sleigh"), top = of("heavy-top");
  EXPECT_NE(std::ranges::count(found(sleigh, false), "x = 1"), 0);
  EXPECT_FALSE(found(disk, false).empty());
  EXPECT_FALSE(found(top, true).empty());
}

// A charge in a magnetic field: A of the potential is invariant under turns, not under shifts.
TEST(FoundSymmetries, SeeTermsThatAreLinearInTheVelocities) {
  EXPECT_EQ(kept("coordinates = ['x', 'y']\n[lagrangian]\nL = \"(x'^2 + y'^2)/2 + x*y' - y*x'\"\n"),
            List{"x = -y; y = x"});
  EXPECT_EQ(kept("coordinates = ['x', 'y']\n[lagrangian]\nL = \"(x'^2 + y'^2)/2 + 2*x*y'\"\n"), List{"y = 1"});
}

// A coordinate without inertia moves as a constraint wants it to.
TEST(FoundSymmetries, CombineWhatConstraintsTie) {
  const CheckReport r = check(
      model_of("coordinates = ['x', 'phi']\n[parameters]\nR = 0.5\n[lagrangian]\nkinetic = \"(x'^2 + phi'^2)/2\"\n"
               "[constraints.nonholonomic]\nrolls = \"x' - R*phi'\"\n"));
  EXPECT_EQ(found(r, true), List{"x = 1; phi = 2"});
  EXPECT_EQ(found(r, false).size(), 2U);
}

TEST(FoundSymmetries, LoseTheirMomentaToForces) {
  const std::string text = kPlane + "potential = 'x^2 + y^2'\n[forces]\n";
  EXPECT_EQ(kept(text + "x = \"-0.1*x'\"\n"), List{});
  EXPECT_EQ(kept(text + "x = '-x^3 - x*y^2'\ny = '-y^3 - y*x^2'\n"), List{"x = -y; y = x"});  // a central force
  // A force that is given while steps are taken may be any.
  EXPECT_EQ(kept(kPlane + "[ports.push]\nalong = { x = '1' }\n"), List{"y = 1"});
}

TEST(FoundSymmetries, AreFoundAmongManyCoordinates) {
  std::string coordinates, kinetic, potential;
  for (int i = 1; i <= 15; ++i) {
    coordinates += fmt::format("{}'x{}', 'y{}'", i > 1 ? ", " : "", i, i);
    kinetic += fmt::format("{}{}*(x{}'^2 + y{}'^2)/2", i > 1 ? " + " : "", i, i, i);
    if (i > 1)
      potential += fmt::format("{}(sqrt((x{}-x{})^2 + (y{}-y{})^2) - 1)^2", i > 2 ? " + " : "", i, i - 1, i, i - 1);
  }
  std::string start;
  for (int i = 1; i <= 15; ++i) start += fmt::format("x{} = {}\n", i, i);
  const CheckReport r = check(model_of("coordinates = [" + coordinates + "]\n[lagrangian]\nkinetic = \"" + kinetic +
                                       "\"\npotential = \"" + potential + "\"\n[initial]\n" + start));
  EXPECT_EQ(found(r, true).size(), 3U);
}

// In other coordinates q = T p + c with random T and c, a planted symmetry is one of p.
TEST(FoundSymmetries, ArePlantedAndFoundInAnyCoordinates) {
  for (std::uint64_t number = 0; number < 20; ++number) {
    testing::Draw draw(11, number);
    std::string define, kinetic, potential;
    for (int i = 0; i < 3; ++i) {
      std::string sum = fmt::format("{}", draw.in(-1, 1));
      for (int j = 0; j < 3; ++j) sum += fmt::format(" + {}*p{}", draw.in(-1, 1) + (i == j ? 2.0 : 0.0), j);
      define += fmt::format("q{} = \"{}\"\n", i, sum);
    }
    const CheckReport r = check(model_of("coordinates = ['p0', 'p1', 'p2']\n[define]\n" + define +
                                         "[lagrangian]\nkinetic = '(dt(q0)^2 + dt(q1)^2 + 2*dt(q2)^2)/2'\n"
                                         "potential = '1/(1 + q0^2 + q1^2) + sin(q2)'\n"));
    ASSERT_EQ(r.found_symmetries.size(), 1U) << number;
    EXPECT_TRUE(r.found_symmetries[0].conserved) << number;
  }
}

TEST(FoundSymmetries, OfRandomModelsAreNone) {
  int models = 0;
  for (std::uint64_t number = 0; number < 60; ++number) {
    const testing::RandomModel random = testing::random_model(testing::RandomFamily::mechanical, number);
    const Model model = model_of(random.text);
    const CheckReport r = check(model);
    ++models;
    // What is found there is a coordinate that L does not contain.
    for (const FoundSymmetry& s : r.found_symmetries)
      for (const auto& [coordinate, expression] : s.field) {
        Graph g = *model.graph;
        const auto at = model.coordinates.find(coordinate);
        ASSERT_TRUE(at);
        const auto slope = scalars(g, gradient(g, model.lagrangian, kPosition), model.coordinates.size());
        EXPECT_TRUE(g.is_constant(slope[static_cast<std::size_t>(*at)], 0.0))
            << random.title() << ": " << coordinate << " = " << expression << "\n"
            << random.text;
      }
  }
  EXPECT_EQ(models, 60);
}

const std::string kTurn = "[symmetries.turn]\nx = '-y'\ny = 'x'\n";

TEST(NamedSymmetries, AreJudged) {
  const auto turn = [](const std::string& text) {
    const CheckReport r = check(model_of(text + kTurn));
    EXPECT_EQ(r.symmetries.size(), 1U);
    return r.symmetries.at(0);
  };
  const SymmetryCheck free = turn(kPlane);
  EXPECT_EQ(free.name, "turn");
  EXPECT_TRUE(free.of_lagrangian && free.of_constraints && free.conserved);
  const SymmetryCheck falls = turn(kPlane + "potential = '9.81*y'\n");
  EXPECT_FALSE(falls.of_lagrangian || falls.conserved);
  EXPECT_TRUE(falls.of_constraints);
  const SymmetryCheck blade = turn(kPlane + "[constraints.nonholonomic]\nblade = \"x' - x*y'\"\n");
  EXPECT_TRUE(blade.of_lagrangian);
  EXPECT_FALSE(blade.of_constraints || blade.conserved);
  const SymmetryCheck damped = turn(kPlane + "[dissipation]\nrayleigh = \"x'^2\"\n");
  EXPECT_TRUE(damped.of_lagrangian && damped.of_constraints);
  EXPECT_FALSE(damped.conserved);
}

// K xi = 0 where the constraint holds, and nowhere else: (y - x) (x^2 + y^2 - 1) has the gradient of the circle on the circle.
TEST(NamedSymmetries, OfConstraintsAreJudgedOnTheConstraints) {
  const CheckReport r =
      check(model_of("coordinates = ['x', 'y']\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints.holonomic]\n"
                     "circle = '(3 + x)*(x^2 + y^2 - 1)'\n[initial]\nx = 1\n\"y'\" = 1\n" +
                     kTurn));
  ASSERT_EQ(r.symmetries.size(), 1U);
  EXPECT_TRUE(r.symmetries[0].of_constraints);
  EXPECT_TRUE(r.symmetries[0].conserved);
}

// Rounding of parameters is no asymmetry, and a field need not be affine.
TEST(NamedSymmetries, AreJudgedUpToRounding) {
  const CheckReport r = check(
      model_of("coordinates = ['x', 'y']\n[parameters]\na = '0.1 + 0.2'\nb = 0.3\n[lagrangian]\nkinetic = \"(x'^2 + "
               "y'^2)/2\"\npotential = 'a*x^2 + b*y^2'\n" +
               kTurn));
  EXPECT_TRUE(r.symmetries.at(0).of_lagrangian);
  const CheckReport curved = check(model_of(
      "coordinates = ['x']\n[lagrangian]\nkinetic = \"exp(2*x^3)*x'^2\"\n[symmetries.flow]\nx = 'exp(-x^2)'\n"));
  EXPECT_FALSE(curved.symmetries.at(0).of_lagrangian);
  const CheckReport flow =
      check(model_of("coordinates = ['x']\n[lagrangian]\nkinetic = \"(3*x^2*x')^2\"\n[symmetries.flow]\nx = "
                     "'1/x^2'\n[initial]\nx = 1\n"));
  EXPECT_TRUE(flow.symmetries.at(0).conserved);
}

TEST(NamedSymmetries, AreNotFoundAgain) {
  const CheckReport r = check(model_of(kPlane + kTurn));
  EXPECT_EQ(found(r, true), (List{"x = 1", "y = 1"}));
}

// A chain of 100 links, taken as families: it may be shifted sideways, and turned, but for the wall at its end.
TEST(NamedSymmetries, OfFamiliesAreJudgedAsFamilies) {
  const auto chain = [](const std::string& more) {
    const CheckReport r = check(model_of(
        "coordinates = ['x[1:100]', 'y[1:100]']\n[lagrangian]\nkinetic = \"sum(i = 1:100, (x[i]'^2 + y[i]'^2)/2)\"\n"
        "potential = 'sum(i = 1:100, 9.81*y[i])'\n[constraints.holonomic]\n'rod[i=2:100]' = '(x[i] - x[i-1])^2 + (y[i] "
        "- "
        "y[i-1])^2 - 1'\n" +
        more +
        "[initial]\n'x[i=1:100]' = 'i'\n[symmetries.shift]\n'x[i=1:100]' = 1\n"
        "[symmetries.turn]\n'x[i=1:100]' = '-y[i]'\n'y[i=1:100]' = 'x[i]'\n"));
    std::string out;
    for (const SymmetryCheck& s : r.symmetries)
      out += fmt::format("{} {:d}{:d}{:d};", s.name, s.of_lagrangian, s.of_constraints, s.conserved);
    return out;
  };
  EXPECT_EQ(chain(""), "shift 111;turn 010;");
  EXPECT_EQ(chain("wall = 'x[1] + y[1] - 1'\n"), "shift 100;turn 000;");
  EXPECT_EQ(chain("[forces]\n'x[3]' = \"-x[3]'\"\n"), "shift 110;turn 010;");
}

// What nobody named is looked for among translations and rotations of all points.
TEST(FoundSymmetries, OfFamiliesAreTranslationsAndRotations) {
  const auto chain = [](const std::string& potential, const std::string& more) {
    return found(
        check(model_of("coordinates = ['x[1:100]', 'y[1:100]']\n[lagrangian]\nkinetic = \"sum(i = 1:100, (x[i]'^2 "
                       "+ y[i]'^2)/2)\"\n" +
                       potential +
                       "[constraints.holonomic]\n'rod[i=2:100]' = '(x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1'\n" +
                       more + "[initial]\n'x[i=1:100]' = 'i'\n")),
        more.empty());
  };
  // Free: all three. With weight the shift along x alone; hung up, none is kept.
  const List free = chain("", "");
  ASSERT_EQ(free.size(), 3U);
  EXPECT_TRUE(free[0].starts_with("x[1] = 1; x[2] = 1; ")) << free[0];
  EXPECT_TRUE(free[1].starts_with("y[1] = 1; ")) << free[1];
  EXPECT_TRUE(free[2].starts_with("x[1] = -y[1]; ")) << free[2];
  EXPECT_TRUE(free[2].ends_with("y[100] = x[100]")) << free[2];
  const List heavy = chain("potential = 'sum(i = 1:100, 9.81*y[i])'\n", "");
  ASSERT_EQ(heavy.size(), 1U);
  EXPECT_TRUE(heavy[0].starts_with("x[1] = 1; "));
  const List hung = chain("", "wall = 'x[1] + y[1] - 1'\n");
  EXPECT_EQ(hung.size(), 3U);  // of the Lagrangian alone
  // What is named is not found again.
  const CheckReport named = check(model_of(
      "coordinates = ['x[1:100]', 'y[1:100]']\n[lagrangian]\nkinetic = \"sum(i = 1:100, (x[i]'^2 + y[i]'^2)/2)\"\n"
      "[symmetries.shift]\n'x[i=1:100]' = 2\n"));
  EXPECT_EQ(named.found_symmetries.size(), 2U);
}

TEST(Symmetries, OfALargeSystemAreFoundSoonAndSaidShortly) {
  const Model model = load_model("chain", {.set = {{"N", "1000"}}});
  const auto begin = std::clock();
  const CheckReport r = check(model);
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(std::clock() - begin, 10 * CLOCKS_PER_SEC);  // 1 s; 40 s before
#else
  (void)begin;
#endif
  ASSERT_FALSE(r.found_symmetries.empty());
  const std::string text = to_text(model, r);
  EXPECT_NE(text.find("x[6] = \"1\" ... and 994 more"), std::string::npos) << text;
  EXPECT_EQ(text.find("x[7] = \"1\""), std::string::npos);
}

TEST(Symmetries, AreInTextAndJson) {
  const Model model = model_of(kPlane + "potential = 'x'\n" + kTurn);
  const CheckReport r = check(model);
  const auto json = nlohmann::ordered_json::parse(to_json(model, r));
  EXPECT_EQ(json["symmetries"]["turn"].dump(), R"({"of_lagrangian":false,"of_constraints":true,"conserved":false})");
  EXPECT_EQ(json["found_symmetries"].dump(), R"([{"field":{"y":"1"},"conserved":true}])");
  const std::string text = to_text(model, r);
  EXPECT_NE(
      text.find("\nSymmetries\n  turn: the Lagrangian is not invariant\n  Found, with momenta that are kept:\n    y = "
                "\"1\"\n"),
      std::string::npos)
      << text;
  const Model dae = load_model("dae-hessenberg");
  EXPECT_FALSE(nlohmann::ordered_json::parse(to_json(dae, check(dae))).contains("found_symmetries"));
}

// A field that vanishes where the constraints hold has a momentum that is 0 there.
TEST(Symmetries, ThatDoNotMoveAnythingOnTheConstraintsAreNotFound) {
  const CheckReport r =
      check(model_of("coordinates = ['x', 'y', 'z', 'w']\n[lagrangian]\nkinetic = \"(x'^2 + y'^2 + z'^2 + w'^2)/2\"\n"
                     "potential = 'z^2/2'\n[constraints.holonomic]\na = 'x'\nb = 'y'\n[initial]\n\"z'\" = 1\n"));
  EXPECT_EQ(found(r, true), (std::vector<std::string>{"w = 1"}));  // x = -y; y = x before
}

}  // namespace
}  // namespace rattleback
