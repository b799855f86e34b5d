// How far compiled steps of a text model are from a hand-written kernel of the same method and system.
//   bench_native [--check]          --check: exit 1 when a ratio exceeds the limit
//   bench_native --once CASE SIDE   10000 steps of one side (0 kernel, 1 interpreter, 2 native), for callgrind
// Timed as in interpreter.cpp: all sides in turn, the fastest batch of each counts.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "cases.hpp"

namespace {

constexpr double kLimit = 5.0;
constexpr std::int64_t kBatch = 1000;  // steps between two looks of the audit
constexpr int kRepeats = 60, kBatches = 10;

volatile double sink;

void run(bench::Side& side, double h, int batches) {
  for (int i = 0; i < batches; ++i) {
    side.advance(h, kBatch);
    sink = side.audit();
  }
}

double ns_per_step(bench::Side& side, double h) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kBatches; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    run(side, h, 1);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / static_cast<double>(kBatch));
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 2 && std::strcmp(argv[1], "--check") == 0;
  const bool once = argc == 4 && std::strcmp(argv[1], "--once") == 0;
  if (argc > 1 && !check && !once) {
    fmt::print(stderr, "bench_native: known arguments are --check and --once CASE SIDE\n");
    return 2;
  }
  std::vector<bench::Case> interpreted = bench::all_cases(), compiled = bench::all_cases();
  for (bench::Case& c : compiled)
    if (const std::string reason = c.library->go_native(); !reason.empty()) {
      fmt::print(stderr, "bench_native: {} on {}: {}\n", c.method, c.system, reason);
      return 1;
    }
  if (once) {
    const auto which = static_cast<std::size_t>(std::atoi(argv[2]));
    const int side = std::atoi(argv[3]);
    bench::Case& c = side == 2 ? compiled.at(which) : interpreted.at(which);
    run(side == 0 ? *c.kernel : *c.library, c.h, 10);
    return 0;
  }
  struct Row {
    double kernel = std::numeric_limits<double>::infinity(), interpreter = kernel, native = kernel;
  };
  std::vector<Row> rows(compiled.size());
  for (int repeat = 0; repeat < kRepeats; ++repeat)
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double h = compiled[i].h;
      rows[i].kernel = std::min(rows[i].kernel, ns_per_step(*compiled[i].kernel, h));
      rows[i].interpreter = std::min(rows[i].interpreter, ns_per_step(*interpreted[i].library, h));
      rows[i].native = std::min(rows[i].native, ns_per_step(*compiled[i].library, h));
    }
  fmt::print("{:<42} {:>9} {:>12} {:>9} {:>7} {:>7}\n", "case", "kernel", "interpreter", "native", "ratio", "limit");
  fmt::print("{:<42} {:>9} {:>12} {:>9}\n", "", "ns/step", "ns/step", "ns/step");
  bool slow = false;
  double product = 1.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double ratio = rows[i].native / rows[i].kernel;
    product *= ratio;
    slow = slow || ratio > kLimit;
    fmt::print("{:<42} {:>9.1f} {:>12.1f} {:>9.1f} {:>7.2f} {:>7.0f}{}\n",
               compiled[i].method + ", " + compiled[i].system, rows[i].kernel, rows[i].interpreter, rows[i].native,
               ratio, kLimit, ratio > kLimit ? "  above the limit" : "");
  }
  fmt::print("geometric mean of the ratios: {:.2f}\n", std::pow(product, 1.0 / static_cast<double>(rows.size())));
  return check && slow ? 1 : 0;
}
