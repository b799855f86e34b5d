// Coefficients from a file: matrices for the parts of a dae, weights for the constraints, and what holds of them.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "support/motion.hpp"
#include "tableau/tableau.hpp"
#include "tableau/user_tableau.hpp"

namespace rattleback::testing {
namespace {

std::string text_of(const std::vector<double>& x, int columns) {
  std::string out = "[";
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % static_cast<std::size_t>(columns) == 0)
      out += i == 0 ? "[" : "], [";
    else
      out += ", ";
    out += fmt::format("{}", x[i]);
  }
  return out + "]]";
}

std::string lobatto(int s) {
  const Tableau a = lobatto_iiia(s), b = lobatto_iiib(s), c = lobatto_iiic(s), star = lobatto_iiic_star(s),
                d = lobatto_iiid(s);
  std::string text = fmt::format("order = {}\nb = [", 2 * s - 2);
  for (std::size_t i = 0; i < a.b.size(); ++i) text += fmt::format("{}{}", i > 0 ? ", " : "", a.b[i]);
  text += "]\nA = " + text_of(a.A, s) + "\n";
  const Tableau* parts[] = {&a, &b, &c, &star, &d};
  for (int k = 0; k < 5; ++k) text += fmt::format("A{} = {}\n", k + 1, text_of(parts[k]->A, s));
  return text;
}

// A file that is there for the time of a test.
struct TableauFile {
  explicit TableauFile(const std::string& text)
      : path((std::filesystem::temp_directory_path() / fmt::format("own_tableau_{}.toml", ::getpid())).string()) {
    std::ofstream(path) << text;
  }
  ~TableauFile() { std::filesystem::remove(path); }
  std::string path;
};

TEST(OwnTableau, PartsOfADaeAreThoseOfTheMethod) {
  for (int s = 2; s <= 4; ++s) {
    const TableauFile file(lobatto(s));
    const Model m = shipped("dae-additive");
    Options o{.method = "spark-lobatto", .stages = s, .step = 0.05, .steps = 10, .native = "off"};
    const Trajectory method = simulate(m, o);
    o.method = {};
    o.stages = 0;
    o.tableau = file.path;
    const Trajectory own = simulate(m, o);
    ASSERT_EQ(own.status, Status::done);
    for (std::size_t i = 0; i < own.q.size(); ++i) EXPECT_NEAR(own.q[i], method.q[i], 1e-13) << s;
    ASSERT_TRUE(own.tableau);
    EXPECT_FALSE(own.tableau->variational);  // of mechanical systems
    EXPECT_FALSE(own.tableau->weights_ok);   // IIIC and IIIC* are each other's mirror
    EXPECT_FALSE(method.tableau);
  }
}

const char* const kGauss =
    "name = \"gauss\"\norder = 4\nA = [[\"1/4\", \"1/4 - sqrt(3)/6\"], [\"1/4 + sqrt(3)/6\", \"1/4\"]]\nb = [\"1/2\", "
    "\"1/2\"]\n";

// Other rows that span the same condition are the same method; another condition is another one.
TEST(OwnTableau, WeightsOfTheConstraintAreThoseOfTheFile) {
  const Model m = shipped("skate");
  const auto run = [&](const std::string& more) {
    const TableauFile file(kGauss + more);
    Options o{.step = 0.1, .steps = 20, .native = "off"};
    o.tableau = file.path;
    return simulate(m, o);
  };
  const Trajectory usual = run(""), twice = run("omega = [[1, 1]]\n"), first = run("omega = [[1, 0]]\n");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(usual.q[i], twice.q[i], 1e-13);
  EXPECT_GT(std::fabs(usual.q[0] - first.q[0]), 1e-9);
  EXPECT_TRUE(usual.tableau->variational.value_or(false));
  EXPECT_TRUE(usual.tableau->weights_ok);
  EXPECT_TRUE(twice.tableau->weights_ok);
  EXPECT_TRUE(first.tableau->variational.value_or(false));
  EXPECT_FALSE(first.tableau->weights_ok);  // the first stage alone: not the same when it is read backwards
  // And so it is: the step back does not return.
  const TableauFile file(std::string(kGauss) + "omega = [[1, 0]]\n");
  Options o{.step = 0.1, .steps = 20, .audit_reverse = true, .native = "off"};
  o.tableau = file.path;
  EXPECT_GT(simulate(m, o).reverse_defect.value_or(0.0), 1e-9);
}

TEST(OwnTableau, ConditionsAreThoseOfTheTheorem) {
  const auto parse = [](const std::string& text) { return parse_user_tableau(text, "t.toml"); };
  const auto pair = [](const Tableau& a, const Tableau& ahat) {
    std::string b = "b = [";
    for (std::size_t i = 0; i < a.b.size(); ++i) b += fmt::format("{}{}", i > 0 ? ", " : "", a.b[i]);
    return fmt::format("order = 2\n{}]\nA = {}\nAhat = {}\nAtilde = {}\n", b, text_of(a.A, a.stages),
                       text_of(ahat.A, a.stages), text_of(lobatto_iiib(a.stages).A, a.stages));
  };
  EXPECT_TRUE(is_variational(parse(pair(lobatto_iiia(3), lobatto_iiib(3)))));
  EXPECT_TRUE(is_symmetric(parse(pair(lobatto_iiia(3), lobatto_iiib(3)))));
  EXPECT_FALSE(is_variational(parse(pair(lobatto_iiia(3), lobatto_iiia(3)))));
  EXPECT_TRUE(is_variational(parse(pair(lobatto_iiid(3), lobatto_iiid(3)))));
  EXPECT_FALSE(is_symmetric(parse(pair(lobatto_iiic(3), lobatto_iiic_star(3)))));
  EXPECT_TRUE(is_variational(parse(pair(lobatto_iiic(3), lobatto_iiic_star(3)))));
}

TEST(OwnTableau, FaultsAreNamed) {
  const auto refusal = [](const std::string& more) {
    try {
      (void)parse_user_tableau(kGauss + more, "t.toml");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(
      refusal("omega = [[1, 1], [1, 0]]\n"),
      "t.toml:5:9: omega has 2 rows, but a method with 2 stages has 1: one condition less than stages, beside the end "
      "of the step");
  EXPECT_NE(refusal("omega = [[1, 1]]\nconstraint = \"stages\"\n").find("not of \"stages\""), std::string::npos);
  EXPECT_NE(refusal("omega = [[1, 1]]\nAtilde = [[\"1/4\", \"1/4\"], [\"1/4\", \"1/4\"]]\n").find("order = 4"),
            std::string::npos);
  const std::string plain = "order = 1\nb = [\"1/2\", \"1/2\"]\nA = [[0, 0], [1, 0]]\nomega = [[1, -1]]\n";
  const std::string singular = plain + "Atilde = [[\"1/2\", \"1/2\"], [\"1/2\", \"1/2\"]]\n";
  try {
    (void)parse_user_tableau(singular, "t.toml");
    ADD_FAILURE() << "accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("W = omega"), std::string::npos) << e.what();
  }
  EXPECT_NE(refusal("A2 = [[1, 2, 3]]\n").find("A2 has 1 row, but A has 2 rows"), std::string::npos);
  EXPECT_NE(refusal("A6 = [[1]]\n").find("unknown key 'A6'"), std::string::npos);
  EXPECT_NE(refusal("A2 = [[1, 0], [0, 1]]\n").find("order = 4 is claimed"), std::string::npos);
  // Parts with algebraic variables must determine them.
  const TableauFile file("order = 1\nb = [1]\nA = [[0]]\nA2 = [[0]]\n");
  Options o{.step = 0.1, .steps = 1, .native = "off"};
  o.tableau = file.path;
  EXPECT_EQ(simulate(shipped("skate"), o).status, Status::done);  // the end of the step determines one stage
}

}  // namespace
}  // namespace rattleback::testing
