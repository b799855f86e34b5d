// What a library must not do in a program of somebody else: print, install signal handlers, change the locale, begin MPI
// because of a variable, start processes or write into the user's cache when told not to. The first argument is a folder
// for the cache, which must stay empty.
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <rattleback/rattleback.hpp>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>

namespace {

std::vector<struct sigaction> handlers() {
  std::vector<struct sigaction> out;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) == 0) out.push_back(now);
  }
  return out;
}

bool same(const std::vector<struct sigaction>& a, const std::vector<struct sigaction>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].sa_handler != b[i].sa_handler || a[i].sa_flags != b[i].sa_flags) return false;
  return true;
}

int failures = 0;
void expect(bool fact, const char* what) {
  if (fact) return;
  std::fprintf(stderr, "not so: %s\n", what);
  ++failures;
}

}  // namespace

int main(int, char** arguments) {
  namespace fs = std::filesystem;
  setenv("XDG_CACHE_HOME", arguments[1], 1);
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);  // as if mpirun had started it: that is the program's affair
  setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  const std::string locale = std::setlocale(LC_ALL, nullptr);
  const auto before = handlers();
  sigset_t blocked_before{}, blocked_after{};  // the system fills the first words only
  sigprocmask(SIG_SETMASK, nullptr, &blocked_before);

  expect(std::string(rattleback::version()) == RATTLEBACK_VERSION, "version() is that of the headers");
  rattleback::set_native("off");
  bool refused = false;
  try {
    rattleback::set_native("never");
  } catch (const rattleback::Error&) {
    refused = true;
  }
  expect(refused, "set_native takes known names only");

  const rattleback::Model model = rattleback::load_model("double-pendulum");
  rattleback::Options options{.method = "rattle", .step = 0.01, .steps = 20'000};
  options.native = "on";
  const rattleback::Trajectory run = rattleback::simulate(model, options);
  expect(run.status == rattleback::Status::done && !run.native, "native = on is interpreted under set_native(off)");
  expect(run.notes.size() == 1 && run.notes[0].find("set_native") != std::string::npos, "a note says so");
  options.native = {};
  expect(rattleback::simulate(model, options).notes.empty(), "who did not ask is told nothing");

  rattleback::EnsembleRequest request;
  request.members = rattleback::members_on_grid({{"theta'", -1.0, 1.0, 20}});
  request.options.step = 0.1;
  request.options.until = 20.0;
  const auto report = rattleback::ensemble(rattleback::MemberSource{"skate"}, request);
  expect(report.members.size() == 20 && report.failed.empty(), "an ensemble runs over threads");
  rattleback::SectionRequest section;
  section.where = "theta - 1";
  section.crossings = 1;
  section.options.step = 0.1;
  section.options.until = 5.0;
  expect(rattleback::section(rattleback::MemberSource{"skate"}, section).points.size() == 1, "a section is found");

  expect(fs::is_empty(arguments[1]), "nothing is written into the cache");
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  expect(children.ru_maxrss == 0, "no process was started");
  expect(same(before, handlers()), "signal handlers are those of the program");
  sigprocmask(SIG_SETMASK, nullptr, &blocked_after);
  expect(std::memcmp(&blocked_before, &blocked_after, sizeof blocked_before) == 0, "so are blocked signals");
  expect(locale == std::setlocale(LC_ALL, nullptr), "the locale is that of the program");

  // Told otherwise, it compiles, also in a program that lets its children go unasked.
  std::signal(SIGCHLD, SIG_IGN);
  rattleback::set_native(rattleback::Native::automatic);
  options.native = rattleback::Native::on;
  const rattleback::Trajectory compiled = rattleback::simulate(model, options);
  expect(compiled.native && compiled.q == run.q && compiled.v == run.v, "compiled steps, the same bits");
  expect(!fs::is_empty(arguments[1]), "which are kept");
  return failures == 0 ? 0 : 1;
}
