// The hand-written kernels are what they claim to be: the same methods as the library's, solved to rounding, of order 2.
#include "cases.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace {

double largest(const std::vector<double>& x) {
  double size = 0.0;
  for (const double value : x) size = std::fmax(size, std::fabs(value));
  return size;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) d[i] = a[i] - b[i];
  return largest(d);
}

std::vector<double> after(bench::Side& side, double h, std::int64_t steps) {
  side.advance(h, steps);
  return side.state();
}

// State at time `until`, with all cases started anew.
std::vector<double> kernel_state(std::size_t number, double until, std::int64_t steps) {
  return after(*bench::all_cases()[number].kernel, until / static_cast<double>(steps), steps);
}

class Kernels : public testing::TestWithParam<std::size_t> {};

// The quartic particles are chaotic: what rounding adds grows 30-fold until t = 50 and 10^5-fold until t = 100. So the
// steps are those of a run to t = 10, where it has not grown yet.
TEST_P(Kernels, AgreeWithTheLibraryAfterAThousandSteps) {
  const bench::Case c = std::move(bench::all_cases()[GetParam()]);
  const double h = c.system == "quartic-particles" ? 0.01 : c.h;
  const std::vector<double> kernel = after(*c.kernel, h, 1000), library = after(*c.library, h, 1000);
  EXPECT_LT(difference(kernel, library), 1e-12 * largest(library))
      << c.method << ", " << c.system;  // 6e-15, 4e-14, 3e-15, 7e-15
}

TEST_P(Kernels, KeepTheConstraintToRounding) {
  const bench::Case c = std::move(bench::all_cases()[GetParam()]);
  c.kernel->advance(c.h, 1000);
  const std::vector<double> x = c.kernel->state();
  const double residual = x.size() == 6 ? x[3] + x[1] * x[5] : x[7] + x[1] * x[11] + x[2] * x[12] + x[3] * x[13];
  EXPECT_LT(std::fabs(residual), 1e-14);
}

TEST_P(Kernels, HaveOrderTwo) {
  const std::vector<double> coarse = kernel_state(GetParam(), 5.0, 200), middle = kernel_state(GetParam(), 5.0, 400),
                            fine = kernel_state(GetParam(), 5.0, 800);
  EXPECT_NEAR(std::log2(difference(coarse, middle) / difference(middle, fine)), 2.0, 0.05);
}

INSTANTIATE_TEST_SUITE_P(, Kernels, testing::Range<std::size_t>(0, 4), [](const auto& test) {
  const bench::Case c = std::move(bench::all_cases()[test.param]);
  std::string name = c.method + "_on_" + c.system;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
