// The hand-written kernels are what they claim to be: the same methods as the library's, solved to rounding, of their order.
#include "cases.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace {

using bench::Case;
using bench::Way;

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

std::vector<double> after(const Case& c, Way way, double h, std::int64_t steps) {
  const auto side = bench::make_side(c, way);
  side->advance(h, steps);
  return side->state();
}

class Kernels : public testing::TestWithParam<std::size_t> {
 protected:
  Case c = bench::all_cases()[GetParam()];
};

// The quartic particles and the double pendulum are chaotic: what rounding adds grows (for the particles 30-fold until t = 50 and
// 10^5-fold until t = 100). So they are compared where it has not grown yet.
TEST_P(Kernels, AgreeWithTheLibrary) {
  const bool quartic = c.system.starts_with("quartic"), pendulum = c.system == "double-pendulum";
  const double h = quartic ? 0.01 : c.h;
  const std::int64_t steps = pendulum ? 200 : 1000;
  const std::vector<double> kernel = after(c, Way::kernel, h, steps), library = after(c, Way::interpreter, h, steps);
  EXPECT_LT(difference(kernel, library), 1e-12 * largest(library)) << c.name();  // 2e-15 .. 1e-13
}

TEST_P(Kernels, KeepConstraintsOrEnergyToRounding) {
  const std::vector<double> x = after(c, Way::kernel, c.h, 1000);
  const rattleback::Model model = rattleback::load_model(c.system, c.load);
  rattleback::System system(model);
  const rattleback::Start start = rattleback::consistent_start(system, false);
  const std::span<const double> state(x);
  const auto q = state.subspan(0, start.q.size()), v = state.subspan(start.q.size());
  const auto o = system.observe(0.0, q, v);
  if (c.method == "dg-gonzalez")
    EXPECT_NEAR(o.energy, system.observe(0.0, start.q, start.v).energy, 1e-14);
  else
    EXPECT_LT(std::fmax(o.position, o.velocity), 1e-14);  // 4e-16
}

TEST_P(Kernels, HaveTheOrderOfTheirMethod) {
  const bool pendulum = c.system == "double-pendulum";
  const double until = pendulum ? 1.0 : 4.0;
  const std::int64_t steps = pendulum ? 50 : c.order == 4 ? 40 : 160;
  const auto at = [&](std::int64_t n) { return after(c, Way::kernel, until / static_cast<double>(n), n); };
  const std::vector<double> coarse = at(steps), middle = at(2 * steps), fine = at(4 * steps);
  EXPECT_NEAR(std::log2(difference(coarse, middle) / difference(middle, fine)), c.order,
              0.05)
      << c.name();  // 1.999 .. 2.008; 4.000, 4.005; 5.995
}

INSTANTIATE_TEST_SUITE_P(, Kernels, testing::Range<std::size_t>(0, 10), [](const auto& test) {
  std::string name = bench::all_cases()[test.param].name();
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
});

TEST(LaneKernels, ContactOscillatorsAreTheOnesOfASingleTrajectory) {
  kernels::ContactOscillators many{.q = {}, .v = {}, .eps = 0.3};
  std::vector<kernels::ContactOscillator> one;
  for (std::size_t j = 0; j < kernels::ContactOscillators::kLanes; ++j) {
    const double z = -0.4 + 0.02 * static_cast<double>(j);
    one.push_back({.q = {std::sqrt((2.0 - z * z) / (1.0 + 0.3 * z * z)), 1.0, z}, .v = {}, .eps = 0.3});
    for (std::size_t i = 0; i < 3; ++i) {
      many.q[i][j] = one[j].q[i];
      many.v[i][j] = 0.0;
    }
  }
  kernels::mclachlan_perlmutter(many, 0.15, 1000);
  for (std::size_t j = 0; j < one.size(); ++j) {
    kernels::mclachlan_perlmutter(one[j], 0.15, 1000);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(many.q[i][j], one[j].q[i], 1e-12);
  }
  EXPECT_LT(kernels::audit(many).constraint, 1e-15);
}

TEST(LaneKernels, DoublePendulumsAreTheOnesOfASingleTrajectory) {
  kernels::DoublePendulums many{};
  std::vector<kernels::DoublePendulum> one;
  for (std::size_t j = 0; j < kernels::DoublePendulums::kLanes; ++j) {
    const double push = 0.1 * static_cast<double>(j);  // lanes need different numbers of iterations
    one.push_back({.q = {1.0, 0.0, 2.0, 0.0}, .v = {0.0, push, 0.0, 2.0 * push}});
    for (std::size_t i = 0; i < 4; ++i) {
      many.q[i][j] = one[j].q[i];
      many.v[i][j] = one[j].v[i];
    }
  }
  kernels::rattle(many, 0.01, 200);
  for (std::size_t j = 0; j < one.size(); ++j) {
    kernels::rattle(one[j], 0.01, 200);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(many.q[i][j], one[j].q[i], 1e-12);
  }
  EXPECT_LT(kernels::audit(many).constraint, 1e-14);
}

kernels::Chain straight_chain(std::size_t links) {
  kernels::Chain chain(links);
  for (std::size_t i = 0; i < links; ++i) chain.q[i] = static_cast<double>(i + 1);
  return chain;
}

TEST(ChainKernel, AgreesWithTheLibrary) {
  constexpr std::size_t kLinks = 40;
  kernels::Chain chain = straight_chain(kLinks);
  kernels::rattle(chain, 1e-3, 200);
  bench::LibrarySide library("chain", {.set = {{"N", std::to_string(kLinks)}}, .start = {}},
                             {.method = "rattle", .step = 1e-3, .steps = 1});
  library.advance(1e-3, 200);
  std::vector<double> kernel = chain.q;
  kernel.insert(kernel.end(), chain.v.begin(), chain.v.end());
  EXPECT_LT(difference(kernel, library.state()), 1e-11);  // 3e-13
}

TEST(ChainKernel, KeepsALongChainAndHasOrderTwo) {
  kernels::Chain chain = straight_chain(10'000);
  kernels::rattle(chain, 1e-3, 100);
  EXPECT_LT(kernels::audit(chain).constraint, 10.0 * 1e4 * 2.2e-16);
  const auto at = [](std::int64_t steps) {
    kernels::Chain short_one = straight_chain(10);
    kernels::rattle(short_one, 0.5 / static_cast<double>(steps), steps);
    return short_one.q;
  };
  const std::vector<double> coarse = at(400), middle = at(800), fine = at(1600);
  EXPECT_NEAR(std::log2(difference(coarse, middle) / difference(middle, fine)), 2.0, 0.05);
}

}  // namespace
