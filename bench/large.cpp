// Cost of a step of rattle on a chain of N links, per link: it must not depend on N, and must not be far from that of
// a step written by hand (kernels/chain.cpp).
//   bench_large [--check] [--method NAME] [--stages S]   --check: exit 1 when the cost is too high or not flat, or when a
//                                                        step allocates. Other methods have no kernel to compare with.
//   bench_large --switch                                 from which size on the sparse path is faster than the dense one
// Everything is timed in turn, in batches of about the same work, and the fastest batch of each counts.
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "chains.hpp"
#include "count_allocations.hpp"
#include "kernels/kernels.hpp"

namespace {

// A text model, compiled: so many ns per link and step, or so many times the kernel. The ratio is for slow machines; where
// the kernel takes 13 ns instead of 28.8, compiled steps take 70.
constexpr double kGoalTime = 120.0, kGoal = kGoalTime / 28.8;
constexpr double kFlatGoal = 1.15;
// What fails the check. The goal is missed by compiled steps and by the kernel (1.5 to 1.8, with the load of the machine): memory.
// So compiled steps must be as flat as the kernel (docs/theory/large-systems.md).
constexpr double kFlat = 1.4, kFlatInterpreted = 1.3;
constexpr int kRounds = 12;
constexpr std::int64_t kLinksPerBatch = 200'000;
constexpr int kSmallest = 1000;  // the goal is for chains from here on

struct TimedKernel {
  explicit TimedKernel(const bench::Chain& like) : chain(static_cast<std::size_t>(like.n)) {
    std::copy(like.start.q.begin(), like.start.q.end(), chain.q.begin());
    kernels::rattle(chain, bench::kChainStep, 5);
  }
  void time_batch(std::int64_t links) {
    const auto n = static_cast<std::int64_t>(chain.n);
    const std::int64_t steps = std::max<std::int64_t>(1, links / n);
    const double begin = bench::processor_time();
    kernels::rattle(chain, bench::kChainStep, steps);
    best = std::min(best, (bench::processor_time() - begin) / static_cast<double>(steps * n));
  }
  kernels::Chain chain;
  double best = std::numeric_limits<double>::infinity();
};

struct Size {
  Size(int n, const std::string& method, int stages)
      : interpreted(n, method, stages, rattleback::LoadOptions{}.unroll_below),
        native(n, method, stages, rattleback::LoadOptions{}.unroll_below, true),
        kernel(interpreted) {}
  bench::Chain interpreted, native;
  TimedKernel kernel;
};

// The largest over the smallest, for chains of kSmallest links and more.
struct Spread {
  double low = std::numeric_limits<double>::infinity(), high = 0.0;
  void see(int n, double x) {
    if (n < kSmallest) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  [[nodiscard]] double ratio() const { return high / low; }
};

int flat(const std::string& method, int stages, bool check) {
  std::vector<std::unique_ptr<Size>> sizes;
  for (const int n : {100, 1000, 10'000, 100'000}) sizes.push_back(std::make_unique<Size>(n, method, stages));
  for (int round = 0; round < kRounds; ++round)
    for (auto& s : sizes) {
      s->kernel.time_batch(kLinksPerBatch);
      s->interpreted.time_batch(kLinksPerBatch);
      s->native.time_batch(kLinksPerBatch);
    }
  Spread ratio, interpreted, native;  // ratio: compiled over kernel
  std::int64_t allocated = 0;
  fmt::print("{} ({} stages), ns per link and step\n{:>8} {:>14} {:>12} {:>10} {:>12}\n", method, stages, "links",
             "kernel(rattle)", "interpreted", "compiled", "allocations");
  for (const auto& s : sizes) {
    const int n = s->native.n;
    const std::int64_t before = allocations();
    s->interpreted.advance(5);
    s->native.advance(5);
    const std::int64_t here = allocations() - before;
    allocated += here;
    fmt::print("{:>8} {:>14.1f} {:>12.1f} {:>10.1f} {:>12}\n", n, s->kernel.best, s->interpreted.best, s->native.best,
               here);
    ratio.see(n, s->native.best / s->kernel.best);
    interpreted.see(n, s->interpreted.best);
    native.see(n, s->native.best);
  }
  const bool has_kernel = method == "prk-lobatto" && stages == 2;  // rattle
  fmt::print(
      "from {} links on: largest over smallest {:.2f} compiled; {:.2f} interpreted, limit {:.2f}; goal of both "
      "{:.2f}\n",
      kSmallest, native.ratio(), interpreted.ratio(), kFlatInterpreted, kFlatGoal);
  if (has_kernel)
    fmt::print("compiled over kernel: {:.2f} to {:.2f}, limit {:.2f} (or {:.0f} ns), and {:.2f} times the smallest\n",
               ratio.low, ratio.high, kGoal, kGoalTime, kFlat);
  const bool missed = interpreted.ratio() > kFlatInterpreted || allocated > 0 ||
                      (has_kernel && ((ratio.high > kGoal && native.high > kGoalTime) || ratio.ratio() > kFlat));
  return check && missed ? 1 : 0;
}

int switch_point(const std::string& method, int stages) {
  fmt::print("{:>8} {:>10} {:>12} {:>12}   ns/(link step)\n", "links", "unknowns", "unrolled", "families");
  for (const int n : {5, 10, 20, 30, 40, 50, 60, 80}) {
    bench::Chain unrolled(n, method, stages, 1000), families(n, method, stages, 2);
    for (int round = 0; round < kRounds; ++round)
      for (bench::Chain* c : {&unrolled, &families}) c->time_batch(20'000);
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
