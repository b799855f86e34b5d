// Cost of a step of rattle on a chain of N links, per link: it must not depend on N.
//   bench_large [--check] [--method NAME] [--stages S]   --check: exit 1 when the cost is not flat, or a step allocates
//   bench_large --switch                                 from which size on the sparse path is faster than the dense one
// All sizes are timed in turn, in batches of about the same work, and the fastest batch of each counts.
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "count_allocations.hpp"
#include "methods/bind.hpp"

namespace {

using namespace rattleback;

constexpr double kFlat = 1.3;
constexpr double kStep = 1e-3;
constexpr std::int64_t kLinksPerBatch = 200'000;
constexpr int kRounds = 12;

struct Chain {
  Chain(int links, const std::string& method, int stages, std::int32_t unroll_below)
      : n(links),
        model(load_model("chain", {.set = {{"N", std::to_string(links)}}, .unroll_below = unroll_below})),
        system(model),
        start(consistent_start(system, false)),
        bound(bind(system, {.method = method, .stages = stages, .step = kStep}, start)) {
    bound.stepper->start(0.0, start.q, start.v, start.multipliers, start.acceleration);
    advance(5);  // past the cold start
  }
  void advance(std::int64_t steps) {
    if (!bound.stepper->advance(kStep, steps).ok) throw std::runtime_error("the chain stopped");
  }
  void time_batch(std::int64_t links) {
    const std::int64_t steps = std::max<std::int64_t>(1, links / n);
    const std::int64_t allocated = allocations();
    const auto begin = std::chrono::steady_clock::now();
    advance(steps);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    allocations_seen += allocations() - allocated;
    best = std::min(best, time.count() / static_cast<double>(steps) / n);
  }
  int n;
  Model model;
  System system;
  Start start;
  BoundMethod bound;
  double best = std::numeric_limits<double>::infinity();  // ns per link and step
  std::int64_t allocations_seen = 0;
};

int flat(const std::string& method, int stages, bool check) {
  std::vector<std::unique_ptr<Chain>> chains;
  for (const int n : {100, 1000, 10'000, 100'000})
    chains.push_back(std::make_unique<Chain>(n, method, stages, LoadOptions{}.unroll_below));
  for (int round = 0; round < kRounds; ++round)
    for (auto& c : chains) c->time_batch(kLinksPerBatch);
  double low = std::numeric_limits<double>::infinity(), high = 0.0;
  std::int64_t allocated = 0;
  fmt::print("{} ({} stages)\n{:>8} {:>18} {:>12}\n", method, stages, "links", "ns/(link step)", "allocations");
  for (const auto& c : chains) {
    low = std::min(low, c->best);
    high = std::max(high, c->best);
    allocated += c->allocations_seen;
    fmt::print("{:>8} {:>18.1f} {:>12}\n", c->n, c->best, c->allocations_seen);
  }
  fmt::print("largest over smallest: {:.2f}, limit {:.2f}\n", high / low, kFlat);
  return check && (high > kFlat * low || allocated > 0) ? 1 : 0;
}

int switch_point(const std::string& method, int stages) {
  fmt::print("{:>8} {:>10} {:>12} {:>12}   ns/(link step)\n", "links", "unknowns", "unrolled", "families");
  for (const int n : {5, 10, 20, 30, 40, 50, 60, 80}) {
    Chain unrolled(n, method, stages, 1000), families(n, method, stages, 2);
    for (int round = 0; round < kRounds; ++round)
      for (Chain* c : {&unrolled, &families}) c->time_batch(20'000);
    fmt::print("{:>8} {:>10} {:>12.1f} {:>12.1f}\n", n, 3 * n, unrolled.best, families.best);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string method = "prk-lobatto";
  int stages = 2;
  bool check = false, find_switch = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0) {
      check = true;
    } else if (std::strcmp(argv[i], "--switch") == 0) {
      find_switch = true;
    } else if (std::strcmp(argv[i], "--method") == 0 && i + 1 < argc) {
      method = argv[++i];
    } else if (std::strcmp(argv[i], "--stages") == 0 && i + 1 < argc) {
      stages = std::atoi(argv[++i]);
    } else {
      fmt::print(stderr, "bench_large: unknown argument '{}'. Known: --check, --switch, --method NAME, --stages S\n",
                 argv[i]);
      return 2;
    }
  }
  return find_switch ? switch_point(method, stages) : flat(method, stages, check);
}
