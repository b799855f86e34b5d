// The hand-written SIMD kernels are the methods of the library, solved to rounding, in every lane.
#include "lane_kernels.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "rattleback/simulate.hpp"

namespace {

using rattleback::Options;
using rattleback::Trajectory;

template <class State>
double distance(const State& state, int lane, const Trajectory& run) {
  double out = 0.0;
  for (std::size_t i = 0; i < run.q.size(); ++i) {
    out = std::fmax(out, std::fabs(state.q[i][lane] - run.q[i]));
    out = std::fmax(out, std::fabs(state.v[i][lane] - run.v[i]));
  }
  return out;
}

TEST(LaneKernels, McLachlanPerlmutterAgreesWithTheLibrary) {
  kernels::ContactOscillators<16> state{};
  state.eps = 0.3;
  std::vector<Trajectory> runs;
  for (int lane = 0; lane < 16; ++lane) {
    const std::string z0 = std::to_string(-0.4 + 0.05 * lane);
    const rattleback::Model model =
        rattleback::load_model("contact-oscillator", {.set = {{"eps", "0.3"}, {"z0", z0}}, .start = {}});
    for (std::size_t i = 0; i < 3; ++i) {
      state.q[i][lane] = model.q0[i];
      state.v[i][lane] = model.v0[i];
    }
    runs.push_back(rattleback::simulate(model, Options{.method = "mclachlan-perlmutter", .step = 0.1, .steps = 500}));
  }
  kernels::mclachlan_perlmutter(state, 0.1, 500);
  for (int lane = 0; lane < 16; ++lane)
    EXPECT_LT(distance(state, lane, runs[static_cast<std::size_t>(lane)]), 1e-12) << lane;
}

TEST(LaneKernels, RattleAgreesWithTheLibraryAndKeepsTheRods) {
  kernels::DoublePendulums<16> state{};
  std::vector<Trajectory> runs;
  for (int lane = 0; lane < 16; ++lane) {
    const rattleback::Model model =
        rattleback::load_model("double-pendulum", {.set = {}, .start = {{"y2'", std::to_string(0.1 * lane - 0.7)}}});
    for (std::size_t i = 0; i < 4; ++i) {
      state.q[i][lane] = model.q0[i];
      state.v[i][lane] = model.v0[i];
    }
    runs.push_back(rattleback::simulate(model, Options{.method = "rattle", .step = 0.01, .steps = 200}));
  }
  kernels::rattle(state, 0.01, 200);
  for (int lane = 0; lane < 16; ++lane) {
    EXPECT_LT(distance(state, lane, runs[static_cast<std::size_t>(lane)]), 1e-10) << lane;  // chaotic
    const double x1 = state.q[0][lane], y1 = state.q[1][lane], x2 = state.q[2][lane], y2 = state.q[3][lane];
    EXPECT_LT(std::fabs(std::hypot(x1, y1) - 1.0), 1e-14);
    EXPECT_LT(std::fabs(std::hypot(x2 - x1, y2 - y1) - 1.0), 1e-14);
  }
}

}  // namespace
