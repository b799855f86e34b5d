// Cost of a step of rattle on a chain of N links, per link: it must not depend on N.
//   bench_large [--check] [--method NAME] [--stages S]   --check: exit 1 when the cost is not flat, or a step allocates
//   bench_large --switch                                 from which size on the sparse path is faster than the dense one
// All sizes are timed in turn, in batches of about the same work, and the fastest batch of each counts.
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "chains.hpp"
#include "count_allocations.hpp"

namespace {

constexpr double kFlat = 1.3;
constexpr int kRounds = 12;

int flat(const std::string& method, int stages, bool check) {
  const auto chains = bench::timed_chains(method, stages);
  double low = std::numeric_limits<double>::infinity(), high = 0.0;
  std::int64_t allocated = 0;
  fmt::print("{} ({} stages)\n{:>8} {:>18} {:>12}\n", method, stages, "links", "ns/(link step)", "allocations");
  for (const auto& c : chains) {
    low = std::min(low, c->best);
    high = std::max(high, c->best);
    const std::int64_t before = allocations();
    c->advance(5);
    const std::int64_t here = allocations() - before;
    allocated += here;
    fmt::print("{:>8} {:>18.1f} {:>12}\n", c->n, c->best, here);
  }
  fmt::print("largest over smallest: {:.2f}, limit {:.2f}\n", high / low, kFlat);
  return check && (high > kFlat * low || allocated > 0) ? 1 : 0;
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
