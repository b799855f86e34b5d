// What the derived reduction costs: gonzalez-r on a mechanical system, which is reduced by Householder reflections, against
// dg-gonzalez on the same system reduced by hand.
//   bench_energy [--check]   --check: exit 1 when a ratio exceeds the limit, or a step allocates
// The two sides are timed in turn, and the fastest batch of each counts.
#include <chrono>
#include <cstring>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "bind/bind.hpp"
#include "count_allocations.hpp"

namespace {

constexpr double kLimit = 4.0;
constexpr double kStep = 0.1;
constexpr std::int64_t kBatch = 500;
constexpr int kRounds = 200;

class Side {
 public:
  Side(const std::string& system, const std::string& method)
      : name(method + ", " + system),
        model_(rattleback::load_model(system)),
        system_(model_),
        start_(rattleback::consistent_start(system_, false)),
        bound_(rattleback::bind(system_, {.method = method, .stages = 1, .step = kStep}, start_)) {
    bound_.stepper->start(0.0, start_.q, start_.v, start_.multipliers, start_.acceleration);
    advance(kBatch);  // past the cold start
  }
  void time_batch() {
    const auto begin = std::chrono::steady_clock::now();
    advance(kBatch);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / static_cast<double>(kBatch));
  }
  [[nodiscard]] std::int64_t allocations_of_a_batch() {
    const std::int64_t before = allocations();
    advance(kBatch);
    return allocations() - before;
  }

  std::string name;
  double best = std::numeric_limits<double>::infinity();  // ns per step

 private:
  void advance(std::int64_t steps) {
    if (!bound_.stepper->advance(kStep, steps).ok) throw std::runtime_error(name + " stopped");
  }
  rattleback::Model model_;
  rattleback::System system_;
  rattleback::Start start_;
  rattleback::BoundMethod bound_;
};

// The ratio of the times, and whether both sides do without allocations.
bool within_limits(const std::string& mechanical, const std::string& by_hand) {
  Side derived(mechanical, "gonzalez-r"), supplied(by_hand, "dg-gonzalez");
  for (int round = 0; round < kRounds; ++round)
    for (Side* side : {&derived, &supplied}) side->time_batch();
  const double ratio = derived.best / supplied.best;
  const std::int64_t allocated = derived.allocations_of_a_batch() + supplied.allocations_of_a_batch();
  for (const Side* side : {&derived, &supplied}) fmt::print("{:<34} {:>10.0f} ns/step\n", side->name, side->best);
  fmt::print("{:<34} {:>10.2f}, limit {:.0f}; {} allocations\n", "  derived over supplied", ratio, kLimit, allocated);
  return ratio <= kLimit && allocated == 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool check = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0) {
      check = true;
    } else {
      fmt::print(stderr, "bench_energy: unknown argument '{}'. Known: --check\n", argv[i]);
      return 2;
    }
  }
  const bool gearbox = within_limits("gearbox", "gearbox-reduced");
  const bool quartic = within_limits("quartic-particles", "quartic-reduced");
  return check && !(gearbox && quartic) ? 1 : 0;
}
