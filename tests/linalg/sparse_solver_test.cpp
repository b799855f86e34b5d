// Sparse linear equations, with a band and without one. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "linalg/sparse_solver.hpp"

namespace rattleback::testing {
namespace {

using Place = SparseSolver::Place;

std::vector<Place> sorted(std::vector<Place> pattern) {
  std::sort(pattern.begin(), pattern.end());
  pattern.erase(std::unique(pattern.begin(), pattern.end()), pattern.end());
  return pattern;
}

// A saddle-point pattern along a shuffled line: small band after reordering, zeros on half of the diagonal.
std::vector<Place> shuffled_line(std::int32_t n) {
  std::vector<std::int32_t> name(static_cast<std::size_t>(n));
  for (std::int32_t i = 0; i < n; ++i) name[static_cast<std::size_t>(i)] = i * 37 % n;
  std::vector<Place> p;
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t j = std::max(0, i - 2); j < std::min(n, i + 3); ++j)
      if (i != j || i % 2 == 0) p.emplace_back(name[static_cast<std::size_t>(i)], name[static_cast<std::size_t>(j)]);
  return sorted(p);
}

std::vector<Place> arrow(std::int32_t n) {
  std::vector<Place> p;
  for (std::int32_t i = 0; i < n; ++i) {
    p.emplace_back(i, i);
    p.emplace_back(0, i);
    p.emplace_back(i, 0);
  }
  return sorted(p);
}

void expect_solved(SparseSolver& solver, std::int32_t n, const std::vector<Place>& pattern, unsigned seed) {
  std::minstd_rand random(seed);
  const auto number = [&] { return static_cast<double>(random()) / std::minstd_rand::max() - 0.5; };
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> values;
  solver.clear();
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    const double scale = pattern[k].first % 3 == 0 ? 1e-6 : 1.0;  // rows of very different size
    const double x = scale * (number() + (pattern[k].first == pattern[k].second ? 2.0 : 0.0));
    solver.matrix()[solver.places()[k]] = x;
    values.push_back(x);
  }
  std::vector<double> r(size), x(size);
  for (double& e : r) e = number();
  if (seed % 2 == 0) {
    ASSERT_TRUE(solver.factor_and_solve(r.data(), x.data()));
  } else {
    ASSERT_TRUE(solver.factor());
    solver.solve(r.data(), x.data());
  }
  // Backward stable: the residual is rounding, row by row.
  std::vector<double> residual(size), terms(size);
  for (std::size_t i = 0; i < size; ++i) {
    residual[i] = -r[i];
    terms[i] = std::fabs(r[i]);
  }
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    const auto row = static_cast<std::size_t>(pattern[k].first), column = static_cast<std::size_t>(pattern[k].second);
    residual[row] += values[k] * x[column];
    terms[row] += std::fabs(values[k] * x[column]);
  }
  double worst = 0.0;
  for (std::size_t i = 0; i < size; ++i) worst = std::fmax(worst, std::fabs(residual[i]) / terms[i]);
  EXPECT_LT(worst, 4e-13);  // 7.7e-15
}

TEST(SparseSolver, FindsTheBandOfAShuffledLine) {
  const auto pattern = shuffled_line(200);
  SparseSolver solver(200, pattern);
  EXPECT_TRUE(solver.banded());
  EXPECT_LE(solver.band().kl + solver.band().ku, 10);  // 4
  for (unsigned seed = 1; seed < 6; ++seed) expect_solved(solver, 200, pattern, seed);
}

std::vector<Place> tridiagonal(std::int32_t n) {
  std::vector<Place> pattern;
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t j = std::max(0, i - 1); j < std::min(n, i + 2); ++j) pattern.emplace_back(i, j);
  return pattern;
}

// Eliminated from both ends, which meet at different places for even and odd sizes.
TEST(SparseSolver, TridiagonalWithRowExchanges) {
  for (const std::int32_t n : {2, 3, 4, 5, 50, 51}) {
    SCOPED_TRACE(n);
    const auto pattern = tridiagonal(n);
    SparseSolver solver(n, pattern);
    EXPECT_EQ(solver.band().width(), 4);
    for (unsigned seed = 1; seed < 6; ++seed) expect_solved(solver, n, pattern, seed);
  }
}

// Nothing on the diagonal: every elimination exchanges rows, on both sides.
TEST(SparseSolver, TridiagonalWithAZeroDiagonal) {
  for (const std::int32_t n : {4, 6, 30}) {
    const auto pattern = tridiagonal(n);
    SparseSolver solver(n, pattern);
    for (int repeat = 0; repeat < 2; ++repeat) {  // nothing of the first factors may be left
      solver.clear();
      for (std::size_t k = 0; k < pattern.size(); ++k)
        solver.matrix()[solver.places()[k]] = pattern[k].first == pattern[k].second ? 0.0 : 1.0 + 0.1 * repeat;
      std::vector<double> r(static_cast<std::size_t>(n)), x(r), again(r);
      for (std::size_t i = 0; i < r.size(); ++i) r[i] = 1.0 + static_cast<double>(i);
      ASSERT_TRUE(solver.factor_and_solve(r.data(), x.data()));
      solver.solve(r.data(), again.data());
      EXPECT_EQ(x, again);
      for (std::size_t i = 0; i < r.size(); ++i)
        EXPECT_NEAR((1.0 + 0.1 * repeat) * ((i > 0 ? x[i - 1] : 0.0) + (i + 1 < r.size() ? x[i + 1] : 0.0)), r[i],
                    1e-13);
    }
  }
}

TEST(SparseSolver, TakesKluWithoutABand) {
  const auto pattern = arrow(300);
  SparseSolver solver(300, pattern);
  EXPECT_FALSE(solver.banded());
  for (unsigned seed = 1; seed < 6; ++seed) expect_solved(solver, 300, pattern, seed);
}

TEST(SparseSolver, SaysThatAMatrixIsSingular) {
  for (const auto& pattern : {arrow(300), shuffled_line(200), tridiagonal(40)}) {
    const std::int32_t n = pattern.back().first + 1;
    SparseSolver solver(n, pattern);
    solver.clear();
    for (std::size_t k = 0; k < pattern.size(); ++k)  // nothing in row 5
      solver.matrix()[solver.places()[k]] = pattern[k].first == 5 ? 0.0 : 1.0 + static_cast<double>(k % 7);
    EXPECT_FALSE(solver.factor());
  }
}

}  // namespace
}  // namespace rattleback::testing
