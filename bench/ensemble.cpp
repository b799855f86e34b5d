// Ensembles of 10^4 members: what threads and processes add. What a trajectory in lanes costs is in bench_table.
//   bench_ensemble [--check]    --check: exit 1 when a limit is missed
// All sides in turn, the fastest of five counts.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "rattleback/analysis.hpp"
#include "rattleback/error.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kThreads = 1.7, kProcesses = 1.6;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// 10^4 members, with the audit at 10 times.
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
  if (argc > 1 && !check) {
    fmt::print(stderr, "bench_ensemble: the only argument is --check\n");
    return 2;
  }
  bool missed = false;
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
