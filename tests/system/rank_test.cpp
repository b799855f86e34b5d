// Which constraints depend on others, when all of them have a share in it and when there are many. Numbers at line ends:
// measured.
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "linalg/decompositions.hpp"
#include "rattleback/simulate.hpp"
#include "system/start/start.hpp"

namespace rattleback {
namespace {

using Names = std::vector<std::string>;

// `rings` rings of n points on a line each; what closes a ring follows from its n - 1 other members.
Model rings(int n, int rings, bool closed) {
  std::string coordinates, kinetic, rows;
  for (int r = 0; r < rings; ++r) {
    const std::string x(1, static_cast<char>('p' + r));
    coordinates += fmt::format("{}'{}[1:{}]'", r == 0 ? "" : ", ", x, n);
    kinetic += fmt::format("{}sum(i = 1:{}, {}[i]'^2)/2", r == 0 ? "" : " + ", n, x);
    rows += fmt::format("\"{0}_gap[i=1:{1}]\" = '{0}[i+1] - {0}[i]'\n", x, n - 1);
    if (closed) rows += fmt::format("{0}_close = '{0}[1] - {0}[{1}]'\n", x, n);
  }
  return parse_model("coordinates = [" + coordinates + "]\n[lagrangian]\nkinetic = \"" + kinetic +
                         "\"\n[constraints.holonomic]\n" + rows,
                     "rings.toml");
}

StartAnalysis start_of(const Model& model) { return analyse_start(System(model), model.q0, model.v0); }

// All rows have the same share: pivots of K K^T grow with the number of rows.
TEST(Rank, DependenceOfAllRowsIsSeenWhateverTheirNumber) {
  for (const int n : {50, 300, 3000, 30'000}) {
    SCOPED_TRACE(n);
    const StartAnalysis a = start_of(rings(n, 1, true));
    EXPECT_EQ(a.rank, n - 1);
    EXPECT_EQ(a.redundant, Names{"p_close"});
    EXPECT_FALSE(a.saddle_regular);
    const StartAnalysis open = start_of(rings(n, 1, false));  // smallest singular value: 2.2/n
    EXPECT_EQ(open.rank, n - 1);
    EXPECT_TRUE(open.redundant.empty());
    EXPECT_TRUE(open.saddle_regular);
  }
}

TEST(Rank, SeveralDependencesOfManyRowsAreSeen) {
  const StartAnalysis a = start_of(rings(2000, 3, true));
  EXPECT_EQ(a.rank, 3 * 1999);
  EXPECT_EQ(a.redundant.size(), 3U);
}

// row 3 = (row 1 + row 2)/sqrt(2) + 1e-8 row 4: in their order, row 4 is left with rounding errors of 1e-8.
TEST(Rank, RowWithASmallShareInADependenceIsSeen) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(4, 5);
  A.row(0) << 0.3, 0.1, 0.7, 0.2, 0.9;
  A.row(1) << 0.2, -0.6, 0.1, 0.8, 0.3;
  A.row(3) << 0.5, 0.4, -0.3, 0.1, 0.7;
  A.row(2) = (A.row(0) + A.row(1)) / std::sqrt(2.0) + 1e-8 * A.row(3);
  EXPECT_EQ(linalg::dependent_rows(A, 1e-10).size(), 1U);
  A.row(2)(0) += 1e-6;
  EXPECT_TRUE(linalg::dependent_rows(A, 1e-10).empty());
}

TEST(Rank, LaterRowsDependOnEarlierOnes) {
  Eigen::MatrixXd A(5, 3);
  A << 1, 2, 3, 0, 0, 0, -2e9, -4e9, -6e9, 0, 1, 0, NAN, 0, 0;
  EXPECT_EQ(linalg::dependent_rows(A, 1e-10), (std::vector<Eigen::Index>{1, 2, 4}));
  EXPECT_EQ(linalg::dependent_rows(Eigen::MatrixXd::Ones(3, 0), 1e-10).size(), 3U);
  EXPECT_TRUE(linalg::dependent_rows(Eigen::MatrixXd::Ones(0, 3), 1e-10).empty());
}

// More than 200 unknowns: the condition is estimated, without the row that is written twice.
TEST(Rank, ConditionOfManyUnknownsLeavesOutDependentRows) {
  const auto chain = [](const std::string& more) {
    return parse_model(
        "coordinates = ['x[1:80]', 'y[1:80]']\n[lagrangian]\nkinetic = \"sum(i = 1:80, x[i]'^2 + "
        "y[i]'^2)/2\"\npotential = 'sum(i = 1:80, 9.81*y[i])'\n[constraints.holonomic]\n"
        "first = 'x[1]^2 + y[1]^2 - 1'\n"
        "\"rod[i=2:80]\" = '(x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1'\n" +
            more + "[initial]\n\"x[i=1:80]\" = 'i'\n",
        "chain.toml", {.unroll_below = kLargestFamily});
  };
  const Options options{.method = "rattle", .step = 1e-3, .steps = 2, .redundant = "minimum-norm"};
  const Trajectory once = simulate(chain(""), options),
                   twice = simulate(chain("again = '3*((x[5] - x[4])^2 + (y[5] - y[4])^2 - 1)'\n"), options);
  ASSERT_EQ(twice.status, Status::done) << twice.message;
  ASSERT_TRUE(once.equations && twice.equations);
  EXPECT_EQ(twice.redundant->rank, 80);
  EXPECT_NEAR(twice.equations->condition / once.equations->condition, 1.0, 0.5);  // equilibrated with it
  for (const std::string& note : twice.notes) EXPECT_EQ(note.find("badly determined"), std::string::npos) << note;
}

}  // namespace
}  // namespace rattleback
