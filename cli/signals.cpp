#include "signals.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <string_view>

#include <unistd.h>

#include <fmt/format.h>

#include "engine/build/compiler.hpp"
#include "files/temporary.hpp"
#include "verbs.hpp"

namespace rattleback::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> received = 0;
std::atomic<bool> computing = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// It lives as long as the program: a handler may run until the very end.
std::stop_source& source() {
  static std::stop_source& one = *new std::stop_source;  // NOLINT(cppcoreguidelines-owning-memory)
  return one;
}
std::stop_source* stop = nullptr;  // made before the handlers are installed

std::string_view name_of(int number) { return number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP"; }

void write_now(std::string_view text) { (void)!write(STDERR_FILENO, text.data(), text.size()); }

}  // namespace

extern "C" void rattleback_on_signal(int number) {
  const int before = errno;
  int none = 0;
  const bool first = received.compare_exchange_strong(none, number);
  // request_stop() changes atomic numbers and then calls callbacks. Nobody has registered one, and nobody may: loops ask
  // the token. So it neither waits nor allocates, and may be called here.
  if (first && computing.load()) {
    stop->request_stop();
    errno = before;
    return;
  }
  kill_compilers();
  files::remove_temporaries();
  write_now("rattleback: ended at once by ");
  write_now(name_of(number));
  write_now(computing.load() ? "\n" : ": nothing was written\n");
  _exit(128 + number);
}

void install_signal_handlers() {
  stop = &source();
  struct sigaction action {};
  action.sa_handler = rattleback_on_signal;
  action.sa_flags = SA_RESTART;  // what is being read or written goes on
  sigemptyset(&action.sa_mask);
  for (const int number : kSignals) sigaddset(&action.sa_mask, number);  // one after the other
  for (const int number : kSignals) {
    struct sigaction old {};
    if (sigaction(number, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) continue;
    (void)sigaction(number, &action, nullptr);
  }
}

std::stop_token stop_token() { return source().get_token(); }

void begin_computing() {
  files::remove_stale_folders();  // of processes that were killed
  computing = true;
}

int received_signal() { return received.load(); }

int exit_status(Status status) {
  switch (status) {
    case Status::done: return kDone;
    case Status::stopped: return kStoppedEarly;
    case Status::cancelled: return kSignalled + received_signal();
  }
  return kInternalError;
}

std::string with_signal(const std::string& message) {
  constexpr std::string_view kWord = "cancelled";
  if (received_signal() == 0 || !message.starts_with(kWord)) return message;
  return fmt::format("{} by {}{}", kWord, name_of(received_signal()), message.substr(kWord.size()));
}

}  // namespace rattleback::cli
