// Ensembles: how far a trajectory in lanes is from hand-written SIMD code, and what threads and processes add.
//   bench_ensemble [--check]    --check: exit 1 when a limit is missed
//   bench_ensemble --lanes      the lanes alone
// All sides in turn, the fastest of many batches counts. The lanes step a text model from its compiled text; the audit looks at
// all members at every 1000th step.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "analysis/random.hpp"
#include "formulation/lane_observer.hpp"
#include "lane_kernels.hpp"
#include "methods/bind.hpp"
#include "methods/lane_group.hpp"
#include "rattleback/analysis.hpp"
#include "rattleback/error.hpp"
#include "simulate/complete.hpp"

namespace {

using rattleback::LaneGroup;
using Clock = std::chrono::steady_clock;

constexpr double kMostRatio = 3.0, kThreads = 1.7, kProcesses = 1.6;
constexpr int kRepeats = 40;
constexpr std::int64_t kBatch = 1000;

volatile double sink;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// A group of lanes with starts that differ a little.
class Lanes {
 public:
  Lanes(const std::string& system, const rattleback::LoadOptions& load, const std::string& method, double h,
        bool compile)
      : model_(rattleback::load_model(system, load)),
        options_(rattleback::complete(model_, {.method = method, .step = h, .steps = 1})),
        system_(model_),
        method_(rattleback::bind(system_, options_, rattleback::consistent_start(system_, true))),
        stepper_(dynamic_cast<rattleback::PlanStepper&>(*method_.stepper)),
        lanes_(stepper_),
        observer_(system_),
        h_(h) {
    if (compile) {
      code_ = rattleback::native_code(LaneGroup::step_text(stepper_));
      if (code_.steps == nullptr) throw rattleback::Error(code_.fault);
      lanes_.set_code(reinterpret_cast<rattleback::LaneSteps>(code_.steps));
    }
    const std::vector<double> v0 = model_.v0;
    rattleback::StartFunctions functions(system_);
    for (int lane = 0; lane < LaneGroup::kWidth; ++lane) {
      rattleback::Random random(1, static_cast<std::uint64_t>(lane));
      model_.v0.back() = v0.back() + 0.1 * random.normal();
      const rattleback::Start start = rattleback::consistent_start(system_, true, functions);
      stepper_.renew(functions.multiplier_scale(start));
      stepper_.start(0.0, start.q, start.v, start.multipliers, start.acceleration);
      lanes_.put(lane);
    }
    lanes_.advance(h, 10);
  }
  double ns_per_step() {
    const Clock::time_point begin = Clock::now();
    lanes_.advance(h_, kBatch);
    rattleback::System::Observation seen[LaneGroup::kWidth];
    observer_.observe(lanes_.t(), lanes_.q(), lanes_.v(), seen);
    sink = seen[0].energy;
    const double ns = 1e9 * seconds_since(begin) / static_cast<double>(kBatch * LaneGroup::kWidth);
    for (int lane = 0; lane < LaneGroup::kWidth; ++lane)
      if (!lanes_.has(lane)) throw rattleback::Error("a lane stopped");
    return ns;
  }
  // Value i of lane l, as the kernels have it.
  template <class To>
  void copy(To& to, int lanes) const {
    const std::size_t n = std::size(to.q);
    for (std::size_t i = 0; i < n; ++i)
      for (int l = 0; l < lanes; ++l) {
        to.q[i][l] = lanes_.q()[i * LaneGroup::kWidth + static_cast<std::size_t>(l % LaneGroup::kWidth)];
        to.v[i][l] = lanes_.v()[i * LaneGroup::kWidth + static_cast<std::size_t>(l % LaneGroup::kWidth)];
      }
  }

 private:
  rattleback::Model model_;
  rattleback::Options options_;
  rattleback::System system_;
  rattleback::BoundMethod method_;
  rattleback::PlanStepper& stepper_;
  rattleback::NativeCode code_;
  LaneGroup lanes_;
  rattleback::LaneObserver observer_;
  double h_;
};

template <class State>
struct Kernel {
  State state{};
  void (*step)(State&, double, std::int64_t) = nullptr;
  int lanes = 0;
  double ns_per_step(double h) {
    const Clock::time_point begin = Clock::now();
    step(state, h, kBatch);
    sink = state.q[0][0];
    return 1e9 * seconds_since(begin) / static_cast<double>(kBatch * lanes);
  }
};

struct Row {
  std::string name;
  double kernel = std::numeric_limits<double>::infinity(), compiled = kernel, interpreted = kernel;
};

template <template <int> class State, class Step8, class Step16, class Step32>
Row measure(const std::string& name, const std::string& system, const rattleback::LoadOptions& load,
            const std::string& method, double h, Step8 step8, Step16 step16, Step32 step32, double eps) {
  Row row{name};
  Lanes compiled(system, load, method, h, true), interpreted(system, load, method, h, false);
  Kernel<State<8>> k8{.step = step8, .lanes = 8};
  Kernel<State<16>> k16{.step = step16, .lanes = 16};
  Kernel<State<32>> k32{.step = step32, .lanes = 32};
  const auto prepare = [&](auto& k) {
    compiled.copy(k.state, k.lanes);
    if constexpr (requires { k.state.eps; }) k.state.eps = eps;
  };
  prepare(k8);
  prepare(k16);
  prepare(k32);
  for (int i = 0; i < kRepeats; ++i) {
    row.kernel = std::min({row.kernel, k8.ns_per_step(h), k16.ns_per_step(h), k32.ns_per_step(h)});
    row.compiled = std::min(row.compiled, compiled.ns_per_step());
    if (i % 4 == 0) row.interpreted = std::min(row.interpreted, interpreted.ns_per_step());
  }
  return row;
}

std::vector<Row> all_rows() {
  using kernels::ContactOscillators;
  using kernels::DoublePendulums;
  const double step = 2.0 * std::sin(std::acos(-1.0) / 40.0);
  std::vector<Row> rows;
  rows.push_back(measure<ContactOscillators>("mclachlan-perlmutter, contact-oscillator", "contact-oscillator",
                                             {.set = {{"eps", "0.3"}, {"z0", "-0.4"}}}, "mclachlan-perlmutter", step,
                                             &kernels::mclachlan_perlmutter<8>, &kernels::mclachlan_perlmutter<16>,
                                             &kernels::mclachlan_perlmutter<32>, 0.3));
  rows.push_back(measure<DoublePendulums>("rattle, double-pendulum", "double-pendulum", {}, "rattle", 0.01,
                                          &kernels::rattle<8>, &kernels::rattle<16>, &kernels::rattle<32>, 0.0));
  return rows;
}

// 10^4 members of the contact oscillator's perturbation, with the audit at 10 times.
rattleback::EnsembleRequest many(int threads) {
  rattleback::EnsembleRequest r;
  r.members = rattleback::members_on_grid({{"y2'", -1.0, 1.0, 10000}});
  r.options.method = "rattle";
  r.options.step = 0.01;
  r.options.steps = 2000;
  r.options.every = 200;
  r.options.project = true;
  r.threads = threads;
  return r;
}

double ensemble_seconds(int threads) {
  return rattleback::ensemble(rattleback::MemberSource{"double-pendulum"}, many(threads)).wall_seconds;
}

// The same with the program: its own seconds for the members, and the time for all of it.
struct Program {
  double members = std::numeric_limits<double>::infinity(), all = members;
};
void run_program(const std::string& command, Program& best) {
  const Clock::time_point begin = Clock::now();
  std::FILE* const out = popen(command.c_str(), "r");
  if (out == nullptr) return;
  std::string text;
  char piece[4096];
  for (std::size_t n; (n = std::fread(piece, 1, sizeof piece, out)) > 0;) text.append(piece, n);
  if (pclose(out) != 0) return;
  best.all = std::min(best.all, seconds_since(begin));
  const auto at = text.rfind("\"wall_seconds\":");
  if (at != std::string::npos) best.members = std::min(best.members, std::atof(text.c_str() + at + 15));
}

}  // namespace

int main(int argc, char** argv) try {
  const bool check = argc == 2 && std::strcmp(argv[1], "--check") == 0;
  const bool lanes_only = argc == 2 && std::strcmp(argv[1], "--lanes") == 0;
  if (argc > 1 && !check && !lanes_only) {
    fmt::print(stderr, "bench_ensemble: known arguments are --check and --lanes\n");
    return 2;
  }
  bool missed = false;
  double product = 1.0;
  const std::vector<Row> rows = all_rows();
  fmt::print("{:<42} {:>9} {:>9} {:>12} {:>7}\n", "ns per trajectory and step", "kernel", "compiled", "interpreted",
             "ratio");
  for (const Row& row : rows) {
    product *= row.compiled / row.kernel;
    fmt::print("{:<42} {:>9.2f} {:>9.2f} {:>12.2f} {:>7.2f}\n", row.name, row.kernel, row.compiled, row.interpreted,
               row.compiled / row.kernel);
  }
  const double mean = std::pow(product, 1.0 / static_cast<double>(rows.size()));
  fmt::print("geometric mean of the ratios: {:.2f} (limit {})\n", mean, kMostRatio);
  missed = missed || mean > kMostRatio;
  if (lanes_only) return 0;

  double one = std::numeric_limits<double>::infinity(), two = one;
  for (int i = 0; i < 5; ++i) {
    one = std::min(one, ensemble_seconds(1));
    two = std::min(two, ensemble_seconds(2));
  }
  fmt::print("10000 members, 2000 steps of rattle: 1 thread {:.3f} s, 2 threads {:.3f} s, {:.2f} times (limit {})\n",
             one, two, one / two, kThreads);
  missed = missed || one / two < kThreads;

  const std::filesystem::path program = std::filesystem::path(argv[0]).parent_path() / "rattleback";
  const std::string command =
      program.string() +
      " ensemble double-pendulum --vary \"y2'=-1:1:10000\" --method rattle --step 0.01 --until 20 "
      "--every 200 --project --threads 1 --json 2>/dev/null";
  if (std::system("command -v mpirun >/dev/null") != 0) {  // NOLINT: of the machine's owner
    fmt::print("mpirun is not there: processes were not measured\n");
  } else {
    Program alone, shared;
    for (int i = 0; i < 5; ++i) {
      run_program(command, alone);
      run_program("mpirun --allow-run-as-root --oversubscribe -n 2 " + command, shared);
    }
    fmt::print(
        "the same with mpirun -n 2: {:.3f} s, {:.2f} times (limit {}); with the start of the program {:.3f} s, "
        "{:.2f} times\n",
        shared.members, alone.members / shared.members, kProcesses, shared.all, alone.all / shared.all);
    missed = missed || !(alone.members / shared.members >= kProcesses);
  }
  return check && missed ? 1 : 0;
} catch (const rattleback::Error& error) {
  fmt::print(stderr, "bench_ensemble: {}\n", error.what());
  return 1;
}
