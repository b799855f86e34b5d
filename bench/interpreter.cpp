// How much slower a text model through the interpreter is than a hand-written kernel of the same method and system.
//   bench_interpreter [--check] [--json]   --check: exit 1 when a ratio exceeds the limit
//   bench_interpreter --once CASE          kernel and library for 10000 steps each, for callgrind (see instructions.sh)
// Absolute times depend on the machine and its load. Both sides are therefore timed in turn, in batches of 1000 steps with
// one look of the audit, and the fastest batch of each counts.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cases.hpp"
#include "count_allocations.hpp"

namespace {

constexpr double kLimit = 10.0;
constexpr std::int64_t kBatch = 1000;  // steps between two looks of the audit
constexpr int kRepeats = 60, kBatches = 10;

struct Row {
  double kernel = std::numeric_limits<double>::infinity(), library = kernel;  // ns per step
  double allocations = 0.0;                                                   // of the library, per step
  [[nodiscard]] double ratio() const { return library / kernel; }
};

volatile double sink;

void run(bench::Side& side, double h, int batches) {
  for (int i = 0; i < batches; ++i) {
    side.advance(h, kBatch);
    sink = side.audit();
  }
}

// The fastest of some batches. Those before it have filled the caches and taught the branch predictor, which is worth a
// factor of two to an interpreter.
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

std::vector<Row> measure(std::vector<bench::Case>& cases) {
  std::vector<Row> rows(cases.size());
  for (bench::Case& c : cases) run(*c.library, c.h, 1);  // whatever is allocated once
  constexpr double steps = static_cast<double>(kRepeats * kBatches * kBatch);
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      bench::Case& c = cases[i];
      rows[i].kernel = std::min(rows[i].kernel, ns_per_step(*c.kernel, c.h));
      const std::int64_t before = allocations();
      rows[i].library = std::min(rows[i].library, ns_per_step(*c.library, c.h));
      rows[i].allocations += static_cast<double>(allocations() - before) / steps;
    }
  }
  return rows;
}

void print(const std::vector<bench::Case>& cases, const std::vector<Row>& rows) {
  fmt::print("{:<42} {:>9} {:>9} {:>7} {:>7} {:>12}\n", "case", "kernel", "library", "ratio", "limit", "allocations");
  fmt::print("{:<42} {:>9} {:>9} {:>7} {:>7} {:>12}\n", "", "ns/step", "ns/step", "", "", "per step");
  for (std::size_t i = 0; i < rows.size(); ++i)
    fmt::print("{:<42} {:>9.1f} {:>9.1f} {:>7.2f} {:>7.0f} {:>12g}{}\n", cases[i].method + ", " + cases[i].system,
               rows[i].kernel, rows[i].library, rows[i].ratio(), kLimit, rows[i].allocations,
               rows[i].ratio() > kLimit ? "  above the limit" : "");
}

void print_json(const std::vector<bench::Case>& cases, const std::vector<Row>& rows) {
  nlohmann::ordered_json out;
  for (std::size_t i = 0; i < rows.size(); ++i)
    out["cases"].push_back({{"method", cases[i].method},
                            {"system", cases[i].system},
                            {"kernel_ns_per_step", rows[i].kernel},
                            {"library_ns_per_step", rows[i].library},
                            {"ratio", rows[i].ratio()},
                            {"allocations_per_step", rows[i].allocations}});
  out["limit"] = kLimit;
  fmt::print("{}\n", out.dump(2));
}

}  // namespace

int main(int argc, char** argv) {
  bool check = false, json = false;
  int once = -1;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0) {
      check = true;
    } else if (std::strcmp(argv[i], "--json") == 0) {
      json = true;
    } else if (std::strcmp(argv[i], "--once") == 0 && i + 1 < argc) {
      once = std::atoi(argv[++i]);
    } else {
      fmt::print(stderr, "bench_interpreter: unknown argument '{}'. Known: --check, --json, --once CASE\n", argv[i]);
      return 2;
    }
  }
  std::vector<bench::Case> cases = bench::all_cases();
  if (once >= 0) {
    bench::Case& c = cases.at(static_cast<std::size_t>(once));
    run(*c.kernel, c.h, 10);
    run(*c.library, c.h, 10);
    return 0;
  }
  const std::vector<Row> rows = measure(cases);
  json ? print_json(cases, rows) : print(cases, rows);
  const bool slow = std::any_of(rows.begin(), rows.end(), [](const Row& r) { return r.ratio() > kLimit; });
  return check && slow ? 1 : 0;
}
