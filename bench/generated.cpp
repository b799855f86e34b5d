// How far generated steps are from a hand-written kernel of the same method and system. Both are compiled for the machine.
//   bench_generated [--check]          --check: exit 1 when the geometric mean or a ratio exceeds its limit
//   bench_generated --once CASE SIDE   10000 steps of one side (0 kernel, 1 generated), for callgrind
// Timed as in native.cpp: all sides in turn, the fastest batch of each counts.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "cases.hpp"
#include "generated/steps.hpp"

namespace {

constexpr double kMeanLimit = 1.5, kLimit = 5.0;
constexpr std::int64_t kBatch = 1000;  // steps between two looks of the audit
constexpr int kRepeats = 60, kBatches = 10;

volatile double sink;

class GeneratedSide final : public bench::Side {
 public:
  explicit GeneratedSide(std::unique_ptr<generated::Steps> steps) : steps_(std::move(steps)) {}
  void advance(double h, std::int64_t steps) override {
    if (!steps_->advance(h, steps)) throw rattleback::Error("a generated step failed");
  }
  double audit() override { return steps_->audit(); }
  [[nodiscard]] std::vector<double> state() const override { return steps_->state(); }

 private:
  std::unique_ptr<generated::Steps> steps_;
};

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

struct Row {
  std::string name;
  double h;
  std::unique_ptr<bench::Side> kernel, generated;
  double kernel_ns = std::numeric_limits<double>::infinity(), generated_ns = kernel_ns;
};

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 2 && std::strcmp(argv[1], "--check") == 0;
  const bool once = argc == 4 && std::strcmp(argv[1], "--once") == 0;
  if (argc > 1 && !check && !once) {
    fmt::print(stderr, "bench_generated: known arguments are --check and --once CASE SIDE\n");
    return 2;
  }
  std::vector<Row> rows;
  for (bench::Case& c : bench::all_cases())
    if (auto steps = generated::steps_of(c.method, c.system))
      rows.push_back(
          {c.method + ", " + c.system, c.h, std::move(c.kernel), std::make_unique<GeneratedSide>(std::move(steps))});
  if (once) {
    Row& r = rows.at(static_cast<std::size_t>(std::atoi(argv[2])));
    run(std::atoi(argv[3]) == 0 ? *r.kernel : *r.generated, r.h, 10);
    return 0;
  }
  // Both must compute the same motion, or the comparison is void. Ten steps: some of the systems are chaotic.
  for (Row& r : rows) {
    r.kernel->advance(r.h, 10);
    r.generated->advance(r.h, 10);
    const std::vector<double> a = r.kernel->state(), b = r.generated->state();
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      if (!(std::fabs(a[i] - b[i]) <= 1e-11)) {
        fmt::print(stderr, "bench_generated: {}: component {} is {} and {}\n", r.name, i, a[i], b[i]);
        return 1;
      }
  }
  for (int repeat = 0; repeat < kRepeats; ++repeat)
    for (Row& r : rows) {
      r.kernel_ns = std::min(r.kernel_ns, ns_per_step(*r.kernel, r.h));
      r.generated_ns = std::min(r.generated_ns, ns_per_step(*r.generated, r.h));
    }
  fmt::print("{:<42} {:>9} {:>10} {:>7} {:>7}\n", "case", "kernel", "generated", "ratio", "limit");
  fmt::print("{:<42} {:>9} {:>10}\n", "", "ns/step", "ns/step");
  bool slow = false;
  double product = 1.0;
  for (const Row& r : rows) {
    const double ratio = r.generated_ns / r.kernel_ns;
    product *= ratio;
    slow = slow || ratio > kLimit;
    fmt::print("{:<42} {:>9.1f} {:>10.1f} {:>7.2f} {:>7.0f}{}\n", r.name, r.kernel_ns, r.generated_ns, ratio, kLimit,
               ratio > kLimit ? "  above the limit" : "");
  }
  const double mean = std::pow(product, 1.0 / static_cast<double>(rows.size()));
  fmt::print("geometric mean of the ratios: {:.2f} (limit {})\n", mean, kMeanLimit);
  return check && (slow || mean > kMeanLimit) ? 1 : 0;
}
