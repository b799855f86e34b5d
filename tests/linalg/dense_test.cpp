// Small dense systems: sizes that the compiler unrolls give the bits of the plain loops.
#include "linalg/dense.hpp"

#include <bit>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace rattleback {
namespace {

// As the comments of dense.hpp say it, for any size.
void plain_solve(const std::vector<double>& lu, const std::vector<double>& perm, const std::vector<double>& scale,
                 const std::vector<double>& b, std::vector<double>& x) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto p = static_cast<std::size_t>(perm[i]);
    x[i] = b[p] * scale[p];
    for (std::size_t j = 0; j < i; ++j) x[i] -= lu[i * n + j] * x[j];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) x[i] -= lu[i * n + j] * x[j];
    x[i] *= lu[i * n + i];
  }
}

TEST(Dense, SizesThatAreUnrolledGiveTheSameBits) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (std::size_t n = 1; n <= 20; ++n)
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<double> matrix(n * n), b(n), perm(n), scale(n), x(n), expected(n);
      for (double& a : matrix) a = trial % 3 == 0 && uniform(random) > 0.5 ? 0.0 : uniform(random);
      for (std::size_t i = 0; i < n; ++i) matrix[i * n + (i + static_cast<std::size_t>(trial)) % n] += 3.0;
      for (double& a : b) a = uniform(random);
      const auto size = static_cast<std::int32_t>(n);
      std::vector<double> fixed = matrix, plain = matrix, plain_perm(n), plain_scale(n);
      ASSERT_TRUE(factor_in_place(fixed.data(), perm.data(), scale.data(), size));
      ASSERT_TRUE(dense::factor(plain.data(), plain_perm.data(), plain_scale.data(), size));
      EXPECT_EQ(fixed, plain) << n;
      EXPECT_EQ(perm, plain_perm) << n;
      solve_factored(fixed.data(), perm.data(), scale.data(), b.data(), x.data(), size);
      plain_solve(plain, plain_perm, plain_scale, b, expected);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(x[i]), std::bit_cast<std::uint64_t>(expected[i])) << n;
        double left = -b[i];
        for (std::size_t j = 0; j < n; ++j) left += matrix[i * n + j] * x[j];
        EXPECT_LT(std::fabs(left), 5e-12) << n;  // 1.2e-13
      }
    }
}

}  // namespace
}  // namespace rattleback
