// A user's own tableau: what is accepted, and the text of every refusal.
#include "tableau/user_tableau.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "rattleback/error.hpp"

namespace rattleback {
namespace {

// A file in a folder of its own, removed at the end. Messages show it as "FILE".
class UserTableauFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("rattleback_" + std::string(test->name()) + "_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  UserTableau read(const std::string& text, const std::string& name = "mine.toml") {
    path_ = (folder_ / name).string();
    std::ofstream(path_) << text;
    return read_user_tableau(path_);
  }

  std::string message(const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      std::string what = error.what();
      if (const auto at = what.find(path_); at != std::string::npos) what.replace(at, path_.size(), "FILE");
      return what;
    }
    return "no error";
  }

  std::filesystem::path folder_;
  std::string path_;
};

const std::string kGauss2 = R"(name = "my Gauss"
order = 4
A = [["1/4", "1/4 - sqrt(3)/6"], ["1/4 + sqrt(3)/6", "1/4"]]
b = ["1/2", "1/2"]
)";

const std::string kLobatto3 = R"(order = 4
A = [[0, 0, 0], ["5/24", "1/3", "-1/24"], ["1/6", "2/3", "1/6"]]
b = ["1/6", "2/3", "1/6"]
)";
const std::string kIIIB3 = R"([["1/6", "-1/6", 0], ["1/6", "1/3", 0], ["1/6", "5/6", 0]])";
const std::string kIIID3 = R"([["1/12", "-1/6", "1/12"], ["5/24", "1/3", "-1/24"], ["1/12", "5/6", "1/12"]])";

const std::string kKnown = " Known here: name, order, A, b, c, Ahat, Atilde, constraint, omega, A1, A2, A3, A4, A5";

// ---- accepted

TEST_F(UserTableauFile, ReadsExactTextsToTheBit) {
  const UserTableau t = read(kGauss2 + "c = [\"1/2 - sqrt(3)/6\", \"1/2 + sqrt(3)/6\"]\n");
  EXPECT_EQ(t.a.name, "my Gauss");
  EXPECT_EQ(t.a.order, 4);
  EXPECT_EQ(t.a.stages, 2);
  EXPECT_EQ(t.a.A, gauss(2).A);
  EXPECT_EQ(t.a.b, gauss(2).b);
  EXPECT_EQ(t.ahat.A, t.a.A);
  EXPECT_EQ(t.atilde.A, t.a.A);
  EXPECT_TRUE(t.weighted);
}

TEST_F(UserTableauFile, TakesRowSumsForCAndTheFileNameForTheName) {
  const UserTableau t = read("order = 2\nA = [[0.5]]\nb = [1]\n", "midpoint.toml");
  EXPECT_EQ(t.a.c, std::vector<double>{0.5});
  EXPECT_EQ(t.a.name, "midpoint");
}

TEST_F(UserTableauFile, AcceptsThreeDifferentMatrices) {
  const UserTableau t = read(kLobatto3 + "Ahat = " + kIIIB3 + "\nAtilde = " + kIIID3 + "\n");
  EXPECT_EQ(t.a.A, lobatto_iiia(3).A);
  EXPECT_EQ(t.ahat.A, lobatto_iiib(3).A);
  EXPECT_EQ(t.atilde.A, lobatto_iiid(3).A);
  EXPECT_EQ(t.atilde.b, lobatto_iiid(3).b);
  EXPECT_EQ(t.atilde.c, lobatto_iiid(3).c);
}

TEST_F(UserTableauFile, AcceptsConstraintsAtTheStagesForAnInvertibleMatrixOrAZeroFirstRow) {
  EXPECT_FALSE(read(kGauss2 + "constraint = \"stages\"\n").weighted);
  EXPECT_FALSE(read(kLobatto3 + "constraint = \"stages\"\n").weighted);
}

TEST_F(UserTableauFile, AcceptsTheSymplecticEulerMethods) {
  EXPECT_EQ(read("order = 1\nA = [[0]]\nb = [1]\nAhat = [[1]]\nAtilde = [[1]]\n").ahat.A[0], 1);
  EXPECT_EQ(read("order = 1\nA = [[1]]\nb = [1]\nAhat = [[0]]\nAtilde = [[0]]\n").ahat.A[0], 0);
}

TEST_F(UserTableauFile, AcceptsALowerClaimAndDecimalsWithAllDigits) {
  const UserTableau t = read(R"(order = 3
A = [[0.25, -0.038675134594812882], [0.53867513459481288, 0.25]]
b = [0.5, 0.5]
)");
  EXPECT_EQ(t.a.order, 3);
}

TEST_F(UserTableauFile, AcceptsEveryShippedFamilyUpTo20StagesWithItsOwnReaction) {
  const auto text = [](const std::vector<double>& A, int s) {
    std::string result = "[";
    for (int i = 0; i < s; ++i) {
      result += "[";
      for (int j = 0; j < s; ++j) {
        char digits[40];
        std::snprintf(digits, sizeof digits, "%.17e, ", A[i * s + j]);
        result += digits;
      }
      result += "],";
    }
    return result + "]";
  };
  for (const int s : {1, 2, 3, 5, 8, 12, 20})
    for (auto* make : {gauss, radau_iia, radau_ia, lobatto_iiia, lobatto_iiic, lobatto_iiid}) {
      const bool lobatto = make != gauss && make != radau_iia && make != radau_ia;
      if (s == 1 && (lobatto || make == radau_ia)) continue;
      const Tableau t = make(s);
      std::string file = "order = " + std::to_string(t.order) + "\nA = " + text(t.A, s) + "\n";
      file += "b = [";
      for (const double x : t.b) {
        char digits[40];
        std::snprintf(digits, sizeof digits, "%.17e, ", x);
        file += digits;
      }
      file += "]\n";
      if (make == lobatto_iiia)
        file += "Ahat = " + text(lobatto_iiib(s).A, s) + "\nAtilde = " + text(lobatto_iiib(s).A, s) + "\n";
      EXPECT_EQ(message(file), "no error") << t.name << ", s = " << s;
      EXPECT_EQ(message(file + "constraint = \"stages\"\n") == "no error", make != lobatto_iiia)
          << t.name << ", s = " << s;
    }
}

// ---- the file and its keys

TEST_F(UserTableauFile, MustBeReadable) {
  try {
    read_user_tableau("/nowhere/mine.toml");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "/nowhere/mine.toml: cannot be read: No such file or directory. A tableau is a short TOML file");
  }
  EXPECT_THROW(read_user_tableau(folder_.string()), Error);
}

TEST_F(UserTableauFile, MustBeToml) {
  EXPECT_EQ(message("order = \n").rfind("FILE:1:9: not valid TOML. ", 0), 0u) << message("order = \n");
}

// The TOML library states some of what it expects only as assertions; a program must not end with them.
TEST_F(UserTableauFile, IsRefusedWhenItIsNoTomlHoweverItIsBroken) {
  EXPECT_EQ(message("order = 1\nA = [}]\nb = [1]\n"),
            "FILE:2:1: not valid TOML. A key or a value is missing in this line, or a bracket or comma is misplaced");
  for (const char* text :
       {"A = [}]",    "A = {]}",       "x = ]",        "x = }",    "A = [,]",      "A = {,}",  "= 1",
        "A",          "A =",           ".a = 1",       "a. = 1",   "A = [[[[",     "A = \"",   "A = '''",
        "A = \"\\",   "A = \"\\u12\"", "A = 0x",       "A = 1e",   "A = 1-2-3",    "A = 12:",  "\"\" = 1",
        "A = {a = }", "A = [1 2]",     "A.b.c.d = {}", "\xff = 1", "A = \"\xff\"", "A = \x1b", "\x80\x80"}) {
    const std::string said = message(text);
    EXPECT_TRUE(said.starts_with("FILE:")) << text << ": " << said;
  }
}

TEST_F(UserTableauFile, IsReadOrRefusedWithAPlaceWhateverOneCharacterBecomes) {
  const std::string text = kGauss2 + "constraint = \"weighted\"\n";
  for (std::size_t i = 0; i < text.size(); ++i)
    for (const char c : std::string("[]{=,\"\n\x80")) {
      std::string changed = text;
      changed[i] = c;
      const std::string said = message(changed);  // another exception than Error ends the test
      EXPECT_TRUE(said == "no error" || said.starts_with("FILE:")) << changed << said;
      EXPECT_LT(said.size(), 1000U);
    }
}

TEST_F(UserTableauFile, HasNoTablesNotEvenBrokenOnes) {
  const std::string refusal = ": a tableau has no [tables]: write all its keys at the top level";
  EXPECT_EQ(message("[tableau]\norder = 4\n"), "FILE:1:1" + refusal);
  EXPECT_EQ(message("order = 4 # [x]\n  [=\n"), "FILE:2:3" + refusal);  // toml++ 3.3 fails an assertion on this
  EXPECT_EQ(message("name = '''a\n[b'''\n[[["), "FILE:3:1" + refusal);
  EXPECT_EQ(message("name = \"a\\\"[\"\norder = 2\nA = [\n[ # half\n0.5]\n]\nb = [1]\n"), "no error");
}

TEST_F(UserTableauFile, RefusesUnknownKeysWithASuggestion) {
  EXPECT_EQ(message(kGauss2 + "a_hat = [[1]]\n"),
            "FILE:5:1: unknown key 'a_hat' in a tableau. Did you mean 'Ahat'?" + kKnown);
  EXPECT_EQ(message("a = [[1]]\n"), "FILE:1:1: unknown key 'a' in a tableau. Did you mean 'A'?" + kKnown);
  EXPECT_EQ(message("ordr = 4\n"), "FILE:1:1: unknown key 'ordr' in a tableau. Did you mean 'order'?" + kKnown);
  EXPECT_EQ(message("references = 4\n"), "FILE:1:1: unknown key 'references' in a tableau." + kKnown);
}

TEST_F(UserTableauFile, RefusesMissingKeysWithAnExample) {
  EXPECT_EQ(message("name = \"x\"\n"), "FILE: key 'order' is missing. Add, for example, order = 4");
  EXPECT_EQ(message("order = 1\n"),
            "FILE: key 'A' is missing. Add, for example, A = [[\"1/4\", \"1/4 - sqrt(3)/6\"], [\"1/4 + sqrt(3)/6\", "
            "\"1/4\"]]");
  EXPECT_EQ(message("order = 1\nA = [[1]]\n"), "FILE: key 'b' is missing. Add, for example, b = [\"1/2\", \"1/2\"]");
}

// ---- single values

TEST_F(UserTableauFile, RefusesAnOrderThatIsNotAPositiveWholeNumber) {
  for (const char* order : {"0", "-1", "4.0", "\"4\"", "41"})
    EXPECT_EQ(message("order = " + std::string(order) + "\n"),
              "FILE:1:9: order must be a whole number from 1 to 40: the order of convergence you claim");
}

TEST_F(UserTableauFile, RefusesANameThatIsNoText) {
  EXPECT_EQ(message("name = 3\n"), "FILE:1:8: name must be a text in quotes which is not empty");
  EXPECT_EQ(message("name = \"\"\n"), "FILE:1:8: name must be a text in quotes which is not empty");
}

TEST_F(UserTableauFile, RefusesWrongShapes) {
  EXPECT_EQ(message("order = 1\nA = 3\n"),
            "FILE:2:5: A must be an array of rows, such as A = [[\"1/4\", \"1/4 - sqrt(3)/6\"], [\"1/4 + sqrt(3)/6\", "
            "\"1/4\"]]");
  EXPECT_EQ(message("order = 1\nA = [1]\n"),
            "FILE:2:6: row 1 of A must be an array of numbers, such as [\"1/2\", \"1/2\"]");
  EXPECT_EQ(message("order = 1\nA = [[1, 2], [3]]\n"), "FILE:2:14: row 2 of A has 1 value, but A has 2 rows");
  EXPECT_EQ(message("order = 1\nA = [[1, 2]]\n"), "FILE:2:6: row 1 of A has 2 values, but A has 1 row");
  EXPECT_EQ(message("order = 1\nA = [[1]]\nb = [1, 0]\n"), "FILE:3:5: b has 2 values, but A has 1 row");
  EXPECT_EQ(message("order = 1\nA = [[1]]\nb = [1]\nc = []\n"), "FILE:4:5: c has 0 values, but A has 1 row");
  EXPECT_EQ(message(kGauss2 + "Ahat = [[1]]\n"), "FILE:5:8: Ahat has 1 row, but A has 2 rows");
  std::string rows = "order = 1\nA = [";
  for (int i = 0; i < 21; ++i) rows += "[1], ";
  EXPECT_EQ(message(rows + "]\n"), "FILE:2:5: A has 21 rows, but at most 20 stages are possible");
}

TEST_F(UserTableauFile, RefusesWhatIsNoFiniteNumber) {
  EXPECT_EQ(message("order = 1\nA = [[inf]]\nb = [1]\n"), "FILE:2:7: A[1][1] = inf is not a finite number");
  EXPECT_EQ(message("order = 1\nA = [[0.5]]\nb = [nan]\n"), "FILE:3:6: b[1] = nan is not a finite number");
  EXPECT_EQ(message("order = 1\nA = [[\"1e300*1e300\"]]\nb = [1]\n"), "FILE:2:7: A[1][1] = inf is not a finite number");
  EXPECT_EQ(message("order = 1\nA = [[true]]\nb = [1]\n"),
            "FILE:2:7: A[1][1] must be a number or a text such as \"1/6\" or \"1/2 - sqrt(3)/6\"");
}

TEST_F(UserTableauFile, RefusesTextsItCannotEvaluateAndSaysWhere) {
  const auto with = [&](const std::string& text) { return message("order = 1\nA = [[\"" + text + "\"]]\nb = [1]\n"); };
  EXPECT_EQ(with("1/2 - sqr(3)/6"),
            "FILE:2:7: A[1][1] = \"1/2 - sqr(3)/6\": unknown name 'sqr' (only sqrt is known) at character 7");
  EXPECT_EQ(with("1/0"), "FILE:2:7: A[1][1] = \"1/0\": division by zero at character 2");
  EXPECT_EQ(with("(1+2"), "FILE:2:7: A[1][1] = \"(1+2\": expected ')', found the end at character 5");
  EXPECT_EQ(with("2^3"), "FILE:2:7: A[1][1] = \"2^3\": expected an operator, found '^' at character 2");
  EXPECT_EQ(with(""), "FILE:2:7: A[1][1] = \"\": expected a number, sqrt or '(', found the end at character 1");
  EXPECT_EQ(with("sqrt 3"), "FILE:2:7: A[1][1] = \"sqrt 3\": expected '(' after sqrt, found '3' at character 6");
  EXPECT_EQ(with("sqrt(1-2)"), "FILE:2:7: A[1][1] = \"sqrt(1-2)\": square root of a negative number at character 1");
  EXPECT_EQ(with("1e999"), "FILE:2:7: A[1][1] = \"1e999\": number out of range at character 1");
  EXPECT_NE(with(std::string(5000, '(')).find("more than 100 levels of brackets or signs"), std::string::npos);
  EXPECT_NE(with(std::string(5000, '-')).find("more than 100 levels of brackets or signs"), std::string::npos);
}

TEST_F(UserTableauFile, RefusesAnUnknownPlaceForTheConstraint) {
  EXPECT_EQ(message(kGauss2 + "constraint = \"stage\"\n"),
            "FILE:5:14: constraint must be \"weighted\" or \"stages\", not \"stage\". Did you mean 'stages'?");
  EXPECT_EQ(message(kGauss2 + "constraint = 1\n"), "FILE:5:14: constraint must be \"weighted\" or \"stages\".");
}

// ---- values together

TEST_F(UserTableauFile, RefusesWeightsWhichDoNotSumToOne) {
  EXPECT_EQ(message("order = 1\nA = [[0.5]]\nb = [\"3/4\"]\n"), "FILE:3:5: the weights b sum to 0.75 instead of 1");
}

TEST_F(UserTableauFile, RefusesNodesWhichAreNotTheRowSums) {
  EXPECT_EQ(message(kGauss2 + "c = [0.25, 0.75]\n"),
            "FILE:5:5: c[1] = 0.25, but row 1 of A sums to 0.211324865405187. Correct the row, or leave c out");
}

TEST_F(UserTableauFile, RefusesAnOrderWhichTheConditionsDoNotConfirm) {
  std::string five = kGauss2;
  five.replace(five.find("order = 4"), 9, "order = 5");
  EXPECT_EQ(message(five), "FILE:2:9: order = 5 is claimed, but a method with 2 stages has at most order 4");
  EXPECT_EQ(message("order = 2\nA = [[\"1/3\"]]\nb = [1]\n"),
            "FILE:1:9: order = 2 is claimed, but the order conditions hold only up to order 1: tree [.] of order 2 "
            "gives 0.333333 "
            "instead of 1/2 (residual 1.7e-01, allowed 1e-13). Write order = 1, or correct the coefficients");
  EXPECT_EQ(message("order = 4\nA = [[0.25, -0.0386751346], [0.5386751346, 0.25]]\nb = [0.5, 0.5]\n"),
            "FILE:1:9: order = 4 is claimed, but the order conditions hold only up to order 2: tree [..] of order 3 "
            "gives 0.333333 "
            "instead of 1/3 (residual 3.0e-12, allowed 1e-13). The coefficients look rounded: write all digits, or "
            "exact texts "
            "such as \"1/6\"");
}

TEST_F(UserTableauFile, RefusesAPairWhichLosesTheOrderOfItsMembers) {
  // Radau IIA for the velocities; for the forces Radau IA with its stages in the other order, which gives it the same
  // weights: order 3 each, but the nodes 1/3, 1 and 2/3, 0 do not go together.
  EXPECT_EQ(
      message(R"(order = 3
A = [["5/12", "-1/12"], ["3/4", "1/4"]]
b = ["3/4", "1/4"]
Ahat = [["5/12", "1/4"], ["-1/4", "1/4"]]
)"),
      "FILE:1:9: order = 3 is claimed, but the order conditions hold only up to order 2 for the partitioned method (a "
      "= A, b = Ahat): "
      "tree a[b[a]] of order 3 gives 0.333333 instead of 1/6 (residual 1.7e-01, allowed 1e-13). Write order = 2, or "
      "correct the coefficients");
}

TEST_F(UserTableauFile, RefusesReactionsWhichTheWeightedConditionsDoNotDetermine) {
  EXPECT_EQ(message("order = 2\nA = [[0, 0], [0.5, 0.5]]\nb = [0.5, 0.5]\n"),
            "FILE:2:5: constraint = \"weighted\" needs the matrix [W A; b^T], W_ij = b_j c_j^(i-1), invertible: "
            "otherwise the reactions "
            "are not determined. It is singular here. Give an Atilde for the reaction, such as Lobatto IIIB for IIIA");
  EXPECT_EQ(message(kLobatto3 + "Ahat = " + kIIIB3 +
                    "\nAtilde = [[0, 0, 0], [\"5/24\", \"1/3\", \"-1/24\"], [\"1/6\", \"2/3\", \"1/6\"]]\n"),
            "FILE:5:10: constraint = \"weighted\" needs the matrix [W Atilde; b^T], W_ij = b_j c_j^(i-1), invertible: "
            "otherwise the "
            "reactions are not determined. It is singular here. Change Atilde");
}

TEST_F(UserTableauFile, RefusesReactionsWhichTheStagesDoNotDetermine) {
  const std::string rk4 = R"(order = 4
A = [[0, 0, 0, 0], ["1/2", 0, 0, 0], [0, "1/2", 0, 0], [0, 0, 1, 0]]
b = ["1/6", "1/3", "1/3", "1/6"]
)";
  EXPECT_EQ(message(rk4 + "constraint = \"stages\"\n"),
            "FILE:4:14: constraint = \"stages\" needs A invertible, or its first row zero and the rest invertible: "
            "otherwise the "
            "reactions are not determined. It is singular here");
  EXPECT_EQ(message(kLobatto3 + "Ahat = " + kIIIB3 + "\nAtilde = " + kIIIB3 + "\nconstraint = \"stages\"\n"),
            "FILE:6:14: constraint = \"stages\" needs Atilde invertible, or its first row zero and the rest "
            "invertible: otherwise "
            "the reactions are not determined. It is singular here, but constraint = \"weighted\" is possible");
}

}  // namespace
}  // namespace rattleback
