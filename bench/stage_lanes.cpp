// What stages in lanes give (src/engine/text/stage_lanes.hpp): native steps with and without them.
//
//   bench_stage_lanes                     ns per step, fastest of interleaved batches, and seconds to compile
//   bench_stage_lanes --only TEXT         cases whose name contains it
//   bench_stage_lanes --once CASE WAY     2000 steps `with` or `without` lanes, for callgrind
//   bench_stage_lanes --case METHOD SYSTEM STAGES H   another one; 0 stages: the method has no choice
//   bench_stage_lanes --list              the cases, for bench/stage_lanes.py
#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "bind/bind.hpp"
#include "engine/plan_stepper.hpp"
#include "rattleback/error.hpp"
#include "run/complete.hpp"

namespace {

using rattleback::Error;

struct Case {
  const char *method, *system;
  int stages;
  double h;
  double most =
      1.0;  // instructions with lanes over those without: bench/stage_lanes.py --check accepts no more; 1: it does not look
  [[nodiscard]] std::string name() const { return fmt::format("{} s={}, {}", method, stages, system); }
};

constexpr Case kCases[] = {
    {"spark-gauss", "quartic-particles", 2, 0.05},
    {"spark-gauss", "quartic-particles", 3, 0.05, 0.8},
    {"spark-gauss", "quartic-particles", 4, 0.05, 0.65},
    {"spark-gauss", "nonholonomic-particle", 2, 0.2},
    {"spark-gauss", "nonholonomic-particle", 3, 0.2},
    {"spark-gauss", "nonholonomic-particle", 4, 0.2},
    {"spark-gauss", "nonholonomic-particle", 6, 0.2},
    {"spark-gauss", "nonholonomic-particle", 8, 0.2, 0.92},
    {"spark-gauss", "contact-oscillator", 4, 0.1},
    {"spark-gauss", "contact-oscillator", 8, 0.1},
    {"spark-gauss", "skate", 8, 0.02},
    {"spark-gauss", "chaplygin-sleigh", 8, 0.02, 0.7},
    {"prk-lobatto", "double-pendulum", 3, 0.01},
    {"prk-lobatto", "double-pendulum", 4, 0.01},
    {"prk-lobatto", "double-pendulum", 5, 0.01},
    {"prk-murua", "double-pendulum", 3, 0.01},
    {"prk-murua", "double-pendulum", 4, 0.01, 0.75},
    {"prk-murua", "double-pendulum", 5, 0.01},
    {"prk-murua", "pendulum", 8, 0.02},
};
constexpr std::int64_t kBatch = 500, kOnce = 2000;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

class Run {
 public:
  Run(const Case& c, bool lanes)
      : model_(rattleback::load_model(c.system)),
        system_(model_),
        start_(rattleback::consistent_start(system_, false)),
        method_(rattleback::bind(
            system_, rattleback::complete(model_, {.method = c.method, .stages = c.stages, .step = c.h, .steps = 1}),
            start_)) {
    method_.stepper->start(0.0, start_.q, start_.v, start_.multipliers, start_.acceleration);
    auto& stepper = dynamic_cast<rattleback::PlanStepper&>(*method_.stepper);
    stepper.set_stage_lanes(lanes);
    text_ = stepper.step_text();
    const double begin = now();
    if (const std::string fault = stepper.go_native(false); !fault.empty()) throw Error(fault);
    compile_ = now() - begin;
    const rattleback::StepShape shape = stepper.step_shape();
    instructions_ = shape.plan->instruction_count();
  }
  void advance(double h, std::int64_t steps) {
    const rattleback::AdvanceReport report = method_.stepper->advance(h, steps);
    if (!report.ok) throw Error(fmt::format("{} stopped: {}", method_.name, report.failure.reason));
  }
  [[nodiscard]] bool same_bits(const Run& other) const {
    const auto equal = [](std::span<const double> a, std::span<const double> b) {
      return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
    };
    const rattleback::StepTaker &a = *method_.stepper, &b = *other.method_.stepper;
    return equal(a.q(), b.q()) && equal(a.v(), b.v());
  }
  double best = std::numeric_limits<double>::infinity();
  [[nodiscard]] double compile_seconds() const { return compile_; }
  [[nodiscard]] std::size_t instructions() const { return instructions_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  rattleback::Model model_;
  rattleback::System system_;
  rattleback::Start start_;
  rattleback::BoundMethod method_;
  std::string text_;
  double compile_ = 0.0;
  std::size_t instructions_ = 0;
};

void compare(const Case& c) {
  Run runs[2] = {{c, false}, {c, true}};
  if (runs[0].text() == runs[1].text()) {
    fmt::print("| {} | {} | as without | | | | |\n", c.name(), runs[0].instructions());
    return;
  }
  for (Run& r : runs) r.advance(c.h, kBatch);
  const double begin = now();
  for (int round = 0; round < 200 && (round < 20 || now() - begin < 2.0); ++round)
    for (Run& r : runs) {
      const double t = now();
      r.advance(c.h, kBatch);
      r.best = std::min(r.best, (now() - t) * 1e9 / static_cast<double>(kBatch));
    }
  fmt::print("| {} | {} | {:.0f} | {:.0f} | {:.2f} | {:.2f} | {:.2f} |{}\n", c.name(), runs[0].instructions(),
             runs[0].best, runs[1].best, runs[0].best / runs[1].best, runs[0].compile_seconds(),
             runs[1].compile_seconds(), runs[0].same_bits(runs[1]) ? "" : "  other bits");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--list") {
    for (const Case& c : kCases) fmt::print("{}\t{}\n", c.name(), c.most);
    return 0;
  }
  if (first == "--once" && argc == 4) {
    for (const Case& c : kCases)
      if (c.name() == argv[2]) {
        Run run(c, std::string_view(argv[3]) == "with");
        run.advance(c.h, kOnce);
        return 0;
      }
    throw Error(fmt::format("there is no case '{}'", argv[2]));
  }
  if (first == "--case" && argc == 6) {
    compare({argv[2], argv[3], std::stoi(argv[4]), std::stod(argv[5])});
    return 0;
  }
  const std::string_view only = first == "--only" && argc == 3 ? argv[2] : "";
  fmt::print(
      "| case | instructions | ns without | ns with | gain | s to compile without | with "
      "|\n|---|---|---|---|---|---|---|\n");
  for (const Case& c : kCases)
    if (c.name().find(only) != std::string::npos) compare(c);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
