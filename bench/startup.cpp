// Time from the start of a program to the end of its first step, as the shell sees it: start, step, report, exit.
//   bench_startup [--check]   --check: exit 1 when a time exceeds its limit, or a rarely used library is loaded at the start
// The fastest of many starts counts. An empty C++ program stands beside them: that is what the system takes. Judged is the
// processor time, which does not count waiting behind others on a busy machine; on an idle one it is the wall time.
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every unistd.h

namespace {

constexpr int kStarts = 200;

struct Time {
  double wall = std::numeric_limits<double>::infinity(), processor = wall;  // milliseconds
};

// One start. False: it could not be, or its status was not 0.
bool start(std::vector<std::string> words, Time& best) {
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0)
    if (errno != EINTR) return false;
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  const auto milliseconds = [](const timeval& t) {
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec);
  };
  best.wall = std::min(best.wall, time.count());
  best.processor = std::min(best.processor, milliseconds(used.ru_utime) + milliseconds(used.ru_stime));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Libraries that few runs need must not be loaded by all of them.
std::string rarely_used_libraries(const std::string& program) {
  FILE* const out = popen(("ldd '" + program + "'").c_str(), "r");
  if (out == nullptr) return "";
  std::string text, found;
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) text += static_cast<char>(c);
  pclose(out);
  for (const char* name : {"libhdf5", "libmpi", "libsundials", "libklu"})
    if (text.find(name) != std::string::npos) found += std::string(found.empty() ? "" : ", ") + name;
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 2 && std::strcmp(argv[1], "--check") == 0;
  if (argc > 1 && !check) {
    fmt::print(stderr, "bench_startup: the known argument is --check\n");
    return 2;
  }
  struct Row {
    std::string name;
    std::vector<std::string> words;
    double limit = 0.0;  // milliseconds; 0: none
    Time time = {};
  };
  std::vector<Row> rows = {{"an empty C++ program", {RATTLEBACK_EMPTY}},
                           {"generated step, rattle on double-pendulum", {RATTLEBACK_FIRST_STEP}, 1.0},
                           {"rattleback --version", {RATTLEBACK_BINARY, "--version"}}};
  for (const char* system : {"pendulum", "contact-oscillator", "quartic-particles", "nonholonomic-particle",
                             "double-pendulum", "chaplygin-sleigh"})
    rows.push_back(
        {fmt::format("rattleback run {} --steps 1", system), {RATTLEBACK_BINARY, "run", system, "--steps", "1"}, 10.0});
  // The longest derivation of the speed table: 9.2 ms. The goal is 10; a little more is left to the noise of a busy machine.
  rows.push_back({"rattleback run quartic-reduced --steps 1",
                  {RATTLEBACK_BINARY, "run", "quartic-reduced", "--steps", "1"},
                  12.0});
  // Closed loops in quaternions, from tests/support/mechanisms.cpp.
  for (const auto& [name, limit] : {std::pair("bicycle-quaternions", 50.0), std::pair("bricard-quaternions", 200.0)})
    rows.push_back({fmt::format("rattleback run {}.toml --steps 1", name),
                    {RATTLEBACK_BINARY, "run", fmt::format(RATTLEBACK_SOURCE_DIR "/bench/models/{}.toml", name),
                     "--steps", "1", "--native", "off"},
                    limit});
  for (int i = 0; i < kStarts; ++i)
    for (Row& r : rows)
      if (!start(r.words, r.time)) {
        fmt::print(stderr, "bench_startup: '{}' failed\n", r.words.front());
        return 1;
      }
  bool slow = false;
  fmt::print("{:<50} {:>8} {:>13} {:>8}\n", "start to first step and end", "wall ms", "processor ms", "limit");
  for (const Row& r : rows) {
    const bool late = r.limit > 0.0 && r.time.processor > r.limit;
    slow = slow || late;
    fmt::print("{:<50} {:>8.2f} {:>13.2f} {:>8}{}\n", r.name, r.time.wall, r.time.processor,
               r.limit > 0.0 ? fmt::format("{:g}", r.limit) : "", late ? "  above the limit" : "");
  }
  const std::string loaded = rarely_used_libraries(RATTLEBACK_BINARY);
  if (!loaded.empty()) fmt::print("loaded at the start though rarely used: {}\n", loaded);
  return check && (slow || !loaded.empty()) ? 1 : 0;
}
