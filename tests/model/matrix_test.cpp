// Matrices of model files: which entries the keys stand for.
#include <gtest/gtest.h>

#include "support.hpp"

namespace rattleback::test {
namespace {

using Matrix = std::vector<std::vector<double>>;

// Pi of the states x[1:3], y[1:3] with H = 0, at the point 1, 2, ..., 6.
Matrix pi(const std::string& entries) {
  const Model m = parse_model("kind = \"skew-gradient\"\nstates = [\"x[1:3]\", \"y[1:3]\"]\nhamiltonian = \"0\"\n" +
                                  ("[parameters]\nk = [10, 20, 30]\nN = 3\n[pi]\n" + entries),
                              "m.toml");
  const std::vector<double> q{1, 2, 3, 4, 5, 6};
  Matrix out(6, std::vector<double>(6, 0.0));
  for (const Entry& e : m.pi)
    out.at(static_cast<std::size_t>(e.row.base)).at(static_cast<std::size_t>(e.col.base)) +=
        value_of(m, e.expr, 0.0, q, {});
  return out;
}

Matrix with(std::initializer_list<std::tuple<int, int, double>> above) {
  Matrix out(6, std::vector<double>(6, 0.0));
  for (const auto& [i, j, value] : above) {
    out.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j)) = value;
    out.at(static_cast<std::size_t>(j)).at(static_cast<std::size_t>(i)) = -value;
  }
  return out;
}

TEST(Matrix, EntriesFollowAcrossTheDiagonal) {
  EXPECT_EQ(pi("\"x[1],y[2]\" = \"x[3]\""), with({{0, 4, 3.0}}));
  EXPECT_EQ(pi("\"y[2],x[1]\" = \"x[3]\""), with({{0, 4, -3.0}}));
  EXPECT_EQ(pi("\" x[1] , y[2] \" = 2"), with({{0, 4, 2.0}}));
}

TEST(Matrix, FamiliesHaveTheirRangeInTheRow) {
  EXPECT_EQ(pi("\"x[i=1:N],y[i]\" = \"k[i]\""), with({{0, 3, 10.0}, {1, 4, 20.0}, {2, 5, 30.0}}));
  EXPECT_EQ(pi("\"x[i=1:2],y[i+1]\" = \"i*x[i+1]\""), with({{0, 4, 2.0}, {1, 5, 6.0}}));
  EXPECT_EQ(pi("\"x[i=1:3],y[4-i]\" = \"i\""), with({{0, 5, 1.0}, {1, 4, 2.0}, {2, 3, 3.0}}));
  EXPECT_EQ(pi("\"x[i=1:3],y[2]\" = \"i\""), with({{0, 4, 1.0}, {1, 4, 2.0}, {2, 4, 3.0}}));
  EXPECT_EQ(pi("\"x[i=1:N-1],x[i+1]\" = \"1\""), with({{0, 1, 1.0}, {1, 2, 1.0}}));
  EXPECT_EQ(pi("\"x[i=1:0],y[i]\" = \"1\""), with({}));
}

// Both sides may be given, in different words. The one above the diagonal is taken, so that Pi is skew to the last bit.
TEST(Matrix, BothSidesMayBeGiven) {
  const Matrix m = pi("\"x[1],y[1]\" = \"sin(x[2])^2\"\n\"y[1],x[1]\" = \"cos(x[2])^2 - 1\"");
  EXPECT_NE(m[0][3], 0.0);
  EXPECT_EQ(m[3][0], -m[0][3]);
  EXPECT_EQ(pi("\"x[2],x[2]\" = \"sin(y[1])^2 + cos(y[1])^2 - 1\"\n\"x[1],x[2]\" = 1"), with({{0, 1, 1.0}}));
}

}  // namespace
}  // namespace rattleback::test
