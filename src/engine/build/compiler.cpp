#include "engine/build/compiler.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "files/descriptor.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every unistd.h

namespace rattleback {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// No contraction and no rewriting of functions: the bits of the interpreter. Errno and traps are not looked at.
// -O2 with vectors took about twice as long to compile long steps. The bench cases were not faster with it, and the loops
// that want vectors, those of larger matrices, are written with them (common_text.cpp).
constexpr std::array kFlags = {"-x",
                               "c",
                               "-std=gnu11",
                               "-O1",
                               "-ffp-contract=off",
                               "-w",
                               "-fPIC",
                               "-shared",
                               "-fno-math-errno",
                               "-fno-trapping-math",
                               "-fno-builtin-pow",
                               "-fno-tree-vectorize"};

// All that this processor has, unless $RATTLEBACK_MARCH names another target: for tools that do not know every instruction,
// and for caches that different machines share.
std::string target_flag() {
  const char* const asked = std::getenv("RATTLEBACK_MARCH");  // NOLINT(concurrency-mt-unsafe)
  const std::string_view name = asked != nullptr ? asked : "";
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
  return fmt::format("-march={}", name.empty() || !plain ? "native" : name);
}

// -march=native depends on it.
std::string processor_identity() {
  std::ifstream in("/proc/cpuinfo");
  std::string line, out;
  while (std::getline(in, line) && !line.empty())
    for (const char* key : {"vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU"})
      if (line.starts_with(key)) out += line + '\n';
  return out;
}

// --- what a signal handler ends

constexpr pid_t kNone = 0, kStarting = -1;
constinit std::array<std::atomic<pid_t>, 256> running = {};  // NOLINT: leaders of groups, one list for the process
constinit std::atomic<bool> no_more = false;                 // NOLINT

// A place in that list. While a compiler is being started its place is taken, and signals wait in this thread, so that a
// handler can wait for its number.
class Running {
 public:
  Running() {
    sigset_t all;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before_);
    for (std::atomic<pid_t>& place : running) {
      pid_t none = kNone;
      if (!place.compare_exchange_strong(none, kStarting)) continue;
      place_ = &place;
      break;
    }
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    over();
    if (waiting_) (void)pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  [[nodiscard]] bool may_start() const { return place_ != nullptr && !no_more; }
  void started(pid_t leader) {
    *place_ = leader;
    waiting_ = false;
    (void)pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  void over() {  // before the number can become that of another process
    if (place_ != nullptr) *std::exchange(place_, nullptr) = kNone;
  }

 private:
  std::atomic<pid_t>* place_ = nullptr;
  bool waiting_ = true;
  sigset_t before_{};
};

// --- one run

// Its temporary files, too, belong into the folder in which it works.
std::vector<std::string> compilers_environment() {
  std::vector<std::string> out = {"TMPDIR=."};
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with("TMPDIR=")) out.emplace_back(*variable);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& t : texts) out.push_back(t.data());
  out.push_back(nullptr);
  return out;
}

// No shell is involved. The folder is entered by its descriptor and all names are relative to it: nobody can put another
// one in its place. 0: it could not be started.
pid_t start(const fs::path& compiler, int folder) {
  std::vector<std::string> arguments = {compiler.string(), target_flag()}, variables = compilers_environment();
  arguments.insert(arguments.end(), kFlags.begin(), kFlags.end());
  arguments.insert(arguments.end(), {kSourceName, "-o", kObjectName, "-lm"});
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t how;
  if (posix_spawn_file_actions_init(&actions) != 0) return 0;
  if (posix_spawnattr_init(&how) != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return 0;
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  pid_t child = 0;
  const bool ready =
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) == 0 &&
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) == 0 &&
      posix_spawn_file_actions_addfchdir_np(&actions, folder) == 0 && posix_spawnattr_setpgroup(&how, 0) == 0 &&
      posix_spawnattr_setsigmask(&how, &none) == 0 && posix_spawnattr_setsigdefault(&how, &all) == 0 &&
      posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) == 0;
  if (!ready || posix_spawn(&child, compiler.c_str(), &actions, &how, pointers(arguments).data(),
                            pointers(variables).data()) != 0)
    child = 0;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&how);
  return child;
}

enum class Child { runs, ended, gone };  // ended: it can still be asked how; gone: somebody else has asked

Child look(pid_t child) {
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
    if (errno != EINTR) return Child::gone;
  return info.si_pid == child ? Child::ended : Child::runs;
}

// Waits at most so many milliseconds for its end.
Child wait_for(pid_t child, int process, int milliseconds) {
  if (const Child now = look(child); now != Child::runs) return now;
  pollfd wake = {process, POLLIN, 0};
  (void)poll(&wake, process >= 0 ? 1 : 0, milliseconds);
  return look(child);
}

}  // namespace

std::optional<fs::path> find_compiler() {
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  if (path == nullptr) return {};
  for (const char* name : {"gcc", "cc", "clang", "g++", "c++", "clang++"}) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      const fs::path file = fs::path(rest.substr(0, end)) / name;
      rest.remove_prefix(std::min(end + 1, rest.size()));
      struct stat s {};
      // Relative folders of the path are passed over: what they mean depends on where one stands.
      if (file.is_absolute() && stat(file.c_str(), &s) == 0 && S_ISREG(s.st_mode) && access(file.c_str(), X_OK) == 0)
        return file;
    }
  }
  return {};
}

// Where it really lies, its size and its age change with its version.
std::string compiler_identity(const fs::path& compiler) {
  std::string out = target_flag() + ' ';
  for (const char* f : kFlags) out += std::string(f) + ' ';
  std::error_code error;
  const fs::path real = fs::canonical(compiler, error);
  struct stat s {};
  if (error || stat(real.c_str(), &s) != 0)
    out += compiler.string();
  else
    out += fmt::format("{} {} {}", real.string(), static_cast<std::int64_t>(s.st_size),
                       static_cast<std::int64_t>(s.st_mtime));
  return out + '\n' + processor_identity();
}

double compiler_patience() {
  const char* const asked = std::getenv("RATTLEBACK_COMPILER_SECONDS");  // NOLINT(concurrency-mt-unsafe)
  const std::string_view text = asked != nullptr ? asked : "";
  double seconds = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool good = error == std::errc() && end == text.data() + text.size() && seconds > 0.0 && seconds < 1e6;
  return good ? seconds : 20.0;
}

CompilerEnd run_compiler(const fs::path& compiler, const files::TemporaryFolder& folder, const std::stop_token& stop) {
  constexpr int kGlance = 20;  // milliseconds between looks at `stop`
  constexpr int kDying = 100;  // such looks at most for a killed one: 2 s
  const double patience = compiler_patience();
  Running place;
  const pid_t child = place.may_start() ? start(compiler, folder.fd()) : 0;
  if (child <= 0) return CompilerEnd::failed;
  place.started(child);
  // Should we be killed outright, the kernel ends it when it has computed that long.
  const rlim_t most = static_cast<rlim_t>(patience) + 1;
  const rlimit computing = {most, most};
  (void)prlimit(child, RLIMIT_CPU, &computing, nullptr);
  const files::Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  CompilerEnd end = CompilerEnd::done;
  const Clock::time_point begin = Clock::now();
  Child now = Child::runs;
  while ((now = wait_for(child, process.get(), process ? kGlance : 2)) == Child::runs) {
    if (stop.stop_requested()) end = CompilerEnd::told_to_end;
    if (std::chrono::duration<double>(Clock::now() - begin).count() > patience) end = CompilerEnd::too_long;
    if (end != CompilerEnd::done) break;
  }
  // All of its group, also what it may have left running. As long as nobody asked how it ended, the number is its own.
  if (now != Child::gone) (void)kill(-child, SIGKILL);
  for (int k = 0; k < kDying && wait_for(child, process.get(), kGlance) == Child::runs; ++k) continue;
  place.over();
  int status = 0;
  const bool known = waitpid(child, &status, WNOHANG) == child;
  if (end != CompilerEnd::done) return end;
  // Where the program ignores SIGCHLD, or waits for any child of its own, nobody can say how it ended: its object tells.
  if (now == Child::gone) return CompilerEnd::done;
  return known && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? CompilerEnd::done : CompilerEnd::failed;
}

void kill_compilers() noexcept {
  no_more = true;
  for (const std::atomic<pid_t>& place : running) {
    constexpr timespec kMillisecond = {0, 1'000'000};
    pid_t leader = place;
    for (int k = 0; k < 100 && leader == kStarting; ++k) {
      (void)nanosleep(&kMillisecond, nullptr);
      leader = place;
    }
    if (leader > 0) (void)kill(-leader, SIGKILL);
  }
}

}  // namespace rattleback
