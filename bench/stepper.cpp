// What it costs to step from outside: Stepper against the stepper inside, changing parameters and inputs, and many short runs of
// one Prepared against simulate().
//   bench_stepper [--check]   --check: exit 1 when a limit is exceeded, or a step allocates
// The sides are timed in turn, and the fastest batch of each counts.
#include <chrono>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "bind/bind.hpp"
#include "count_allocations.hpp"
#include "rattleback/stepper.hpp"

namespace {

using namespace rattleback;

constexpr double kMostBeyondStep = 20.0, kMostForParameter = 100.0, kLeastSpeedup = 20.0;
constexpr double kStep = 0.01;
constexpr int kBatch = 1000, kRounds = 1000;
// simulate() with its own derivation, for the run of run_side(): what 1000 of them took before there was Prepared.
constexpr double kBefore = 2e-3;

template <class Batch>
double nanoseconds(const Batch& batch) {
  const auto begin = std::chrono::steady_clock::now();
  batch();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / kBatch;
}

void need(bool ok) {
  if (!ok) throw std::runtime_error("a step failed");
}

// Steps of both, one call each, on the double pendulum.
bool steps_within_limits() {
  const Model model = load_model("double-pendulum");
  const Options options{.method = "rattle", .stages = 2, .step = kStep, .native = "off"};
  const System system(model);
  const Start start = consistent_start(system, false);
  const BoundMethod inside = bind(system, options, start);
  inside.stepper->start(start.t, start.q, start.v, start.multipliers, start.acceleration);
  Stepper stepper(model, options);
  const std::string name = model.parameters.front().first;
  const double value = model.parameters.front().second;
  double own = std::numeric_limits<double>::infinity(), outside = own, parameter = own;
  std::int64_t allocated = 0;
  for (int round = 0; round < kRounds; ++round) {
    own = std::min(own, nanoseconds([&] {
                     for (int k = 0; k < kBatch; ++k) need(inside.stepper->advance(kStep, 1).ok);
                   }));
    const std::int64_t before = allocations();
    outside = std::min(outside, nanoseconds([&] {
                         for (int k = 0; k < kBatch; ++k) need(stepper.step().ok);
                       }));
    if (round > 0) allocated += allocations() - before;
  }
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t before = allocations();
    parameter = std::min(parameter, nanoseconds([&] {
                           for (int k = 0; k < kBatch; ++k)
                             stepper.set_parameter(name, value * (k % 2 == 0 ? 1.1 : 1.0));
                         }));
    if (round > 0) allocated += allocations() - before;
  }
  fmt::print("a step inside {:.0f} ns, by Stepper {:.0f} ns: {:.0f} ns beyond it, limit {:.0f}\n", own, outside,
             outside - own, kMostBeyondStep);
  fmt::print("set_parameter {:.0f} ns, limit {:.0f}; {} allocations\n", parameter, kMostForParameter, allocated);
  return outside - own <= kMostBeyondStep && parameter <= kMostForParameter && allocated == 0;
}

// A thousand runs of 100 steps.
bool runs_within_limits() {
  const Model model = load_model("double-pendulum");
  const Options options{
      .method = "rattle", .stages = 2, .step = kStep, .steps = 100, .keep_records = false, .native = "off"};
  const Prepared prepared = prepare(model, options);
  const std::string name = model.parameters.front().first;
  const auto seconds = [](int count, const std::function<void(int)>& run) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < count; ++k) run(k);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / count;
  };
  double own = std::numeric_limits<double>::infinity(), shared = own;
  for (int round = 0; round < 5; ++round) {
    own = std::min(own, seconds(40, [&](int k) {
                     Options o = options;
                     o.parameters = {{name, 1.0 + 1e-3 * k}};
                     (void)simulate(model, o);
                   }));
    shared = std::min(shared, seconds(200, [&](int k) {
                        (void)prepared.run({.parameters = {{name, 1.0 + 1e-3 * k}}});
                      }));
  }
  fmt::print(
      "a run of 100 steps: simulate {:.0f} us, of one Prepared {:.0f} us: {:.1f} times as fast; {:.1f} times as fast "
      "as "
      "before, limit {:.0f}\n",
      1e6 * own, 1e6 * shared, own / shared, kBefore / shared, kLeastSpeedup);
  return kBefore / shared >= kLeastSpeedup;
}

}  // namespace

int main(int argc, char** argv) {
  bool check = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") != 0) {
      fmt::print(stderr, "bench_stepper: unknown argument '{}'. Known: --check\n", argv[i]);
      return 2;
    }
    check = true;
  }
  const bool steps = steps_within_limits(), runs = runs_within_limits();
  return check && !(steps && runs) ? 1 : 0;
}
