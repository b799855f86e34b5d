// The program: finds the verb, and turns everything that can happen into an exit status and a message on stderr.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "files/harmless.hpp"
#include "heap.hpp"
#include "model/grammar/suggest.hpp"
#include "output/layout.hpp"
#include "output/version.hpp"
#include "rattleback/cancelled.hpp"
#include "rattleback/error.hpp"
#include "rattleback/model.hpp"
#include "reserve.hpp"
#include "signals.hpp"
#include "text/words.hpp"
#include "verbs.hpp"

namespace rattleback::cli {
namespace {

struct Verb {
  std::string_view name;
  int (*function)(const Words&);
  std::string_view about;  // "" hides it
};

constexpr std::array kVerbs = {
    Verb{"run", run, "integrates a system and audits what was kept"},
    Verb{"check", check, "looks at a system without integrating it"},
    Verb{"order", order, "error against step size, for one or more methods"},
    Verb{"compare", compare, "several methods side by side: errors, energy, constraints, cost"},
    Verb{"section", section, "Poincare sections: where motions cross a surface"},
    Verb{"ensemble", ensemble, "statistics of the energy error over many starts or parameters"},
    Verb{"reproduce", reproduce, "redoes the experiments of the source documents"},
    Verb{"generate", generate, "writes the steps of a method on a system as a C++ header"},
    Verb{"methods", methods, "lists the methods with what they promise"},
    Verb{"systems", systems, "lists the systems that come with the program"},
    Verb{"demo", demo, ""},
    Verb{"bench", bench, "times steps against hand-written code"},
};

std::string overview() {
  std::string text =
      "Mechanical systems with constraints, without losing the physics.\n\nUsage\n  rattleback VERB ...\n\nVerbs\n";
  for (const Verb& verb : kVerbs)
    if (!verb.about.empty()) text += fmt::format("  {:<9} {}\n", verb.name, verb.about);
  return text +
         "\n`rattleback VERB --help` explains a verb, with an example. `rattleback demo` shows one run.\n"
         "\nExample\n  rattleback run chaplygin-sleigh\n"
         "\nExit status: 0 done; 1 reproduce --check found another number than expected; 2 the request or the model\n"
         "is wrong; 3 the integration stopped early;\n"
         "74 the result could not be written; 70 a fault of the program;\n"
         "130, 143, 129 ended by SIGINT (Ctrl-C), SIGTERM, SIGHUP: what there was by then is written.\n";
}

std::string unknown_verb(const std::string& word) {
  const std::string shown = word.substr(0, 60);
  if (word.ends_with(".toml")) return fmt::format("'{0}' is not a verb. Did you mean `rattleback run {0}`?", shown);
  for (const ShippedModel& model : shipped_models())
    if (model.key == word)
      return fmt::format("'{0}' is a system, not a verb. Did you mean `rattleback run {0}`?", shown);
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs)
    if (!verb.about.empty()) names.emplace_back(verb.name);
  const std::string close = front::nearest(word, names);
  return fmt::format("unknown verb '{}'. {}Verbs: {}", shown,
                     close.empty() ? "" : fmt::format("Did you mean '{}'? ", close), fmt::join(names, ", "));
}

int dispatch(const Words& words) {
  if (words.empty()) throw Error(overview());
  const std::string& word = words.front();
  const Words rest(words.begin() + 1, words.end());
  if (word == "--version") {
    print(fmt::format("rattleback {}", report::kVersion));
    return kDone;
  }
  if (word == "--help" || word == "-h" || word == "help") {
    if (word == "help" && !rest.empty()) return dispatch({rest.front(), "--help"});
    print(overview());
    return kDone;
  }
  for (const Verb& verb : kVerbs)
    if (verb.name == word) return verb.function(rest);
  throw Error(unknown_verb(word));
}

// stdout is checked at the end of the program, too: until then what was printed may only lie in a buffer.
void finish_stdout() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw OutputFailed{fmt::format("cannot write to standard output: {}", std::strerror(errno))};
}

}  // namespace

void print(const std::string& text) {
  files::write_harmless(stdout, text);
  if (!text.ends_with('\n')) std::fputc('\n', stdout);
  finish_stdout();
}

void say(std::string_view message) {
  files::write_harmless(stderr, message);
  if (!message.ends_with('\n')) std::fputc('\n', stderr);
}

}  // namespace rattleback::cli

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit of file sizes is a fault of one write, as a full disk is
  rattleback::speak_in(rattleback::Words::flags);
  namespace cli = rattleback::cli;
  using cli::say;
  cli::prepare_heap();
  cli::keep_reserve();
  const auto internal = [&](std::string_view what) {
    say("rattleback: an unexpected fault, which should not happen. Please report it with the command and the model:");
    say(what);
    return cli::kInternalError;
  };
  try {
    cli::install_signal_handlers();
    const int status = cli::dispatch(argc > 1 ? cli::Words(argv + 1, argv + argc) : cli::Words{});
    cli::finish_stdout();
    return status;
  } catch (const rattleback::Cancelled& cancelled) {
    say(cli::with_signal(cancelled.what()));
    return cli::kSignalled + cli::received_signal();
  } catch (const rattleback::Error& error) {
    say(error.what());
    // Under mpirun a signal ends other processes, too, and this one hears of it as a fault of theirs.
    return cli::received_signal() != 0 ? cli::kSignalled + cli::received_signal() : cli::kWrongRequest;
  } catch (const cli::OutputFailed& failed) {
    say(failed.message);
    return cli::kOutputFailed;
  } catch (const std::bad_alloc&) {
    say("not enough memory for this request. Record fewer steps (--every K), or take a smaller system");
    return cli::kWrongRequest;
  } catch (const std::exception& error) {
    return internal(error.what());
  }
}
