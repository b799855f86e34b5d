// The program: finds the verb, and turns everything that can happen into an exit status and a message on stderr.
#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "answer.hpp"
#include "commit.hpp"
#include "heap.hpp"
#include "model/grammar/suggest.hpp"
#include "output/citation.hpp"
#include "output/version.hpp"
#include "rattleback/cancelled.hpp"
#include "rattleback/error.hpp"
#include "rattleback/method.hpp"
#include "rattleback/model.hpp"
#include "reserve.hpp"
#include "signals.hpp"
#include "text/message.hpp"
#include "text/words.hpp"
#include "verbs.hpp"

namespace rattleback::cli {
namespace {

std::string overview() {
  std::string text =
      "Mechanical systems with constraints, without losing the physics.\n\nUsage\n  rattleback VERB ...\n\nVerbs\n";
  for (const Verb& verb : verbs())
    if (!verb.about.empty()) text += fmt::format("  {:<10} {}\n", verb.name, verb.about);
  text += "\nInstead of a verb\n";
  for (const TopOption& option : top_options())
    text += fmt::format("  {:<15} {}\n", fmt::format("{} {}", option.name, option.unit), option.about);
  return text +
         "\n`rattleback VERB --help` explains a verb, with an example. `rattleback demo` shows one run.\n"
         "\nExample\n  rattleback run chaplygin-sleigh\n"
         "\nExit status: 0 done; 1 reproduce --check found another number than expected; 2 the request or the model\n"
         "is wrong; 3 the integration stopped early;\n"
         "74 the result could not be written; 70 a fault of the program;\n"
         "130, 143, 129 ended by SIGINT (Ctrl-C), SIGTERM, SIGHUP: what there was by then is written.\n";
}

Message unknown_verb(const std::string& word) {
  const std::string shown = word.substr(0, 60);
  const auto run = [&](std::string_view what) {
    return Message(fmt::format("'{0}' is {1}. Did you mean `rattleback run {0}`?", shown, what), "run " + shown);
  };
  if (word.ends_with(".toml")) return run("not a verb");
  for (const ShippedModel& model : shipped_models())
    if (model.key == word) return run("a system, not a verb");
  std::vector<std::string> names;
  for (const Verb& verb : verbs())
    if (!verb.about.empty()) names.emplace_back(verb.name);
  const std::string close = front::nearest(word, names);
  return fmt::format("unknown verb '{}'. ", shown) +
         (close.empty() ? Message() : Message(fmt::format("Did you mean '{}'? ", close), close)) +
         fmt::format("Verbs: {}", fmt::join(names, ", "));
}

// --cite [METHOD]...
int cite(const Words& names) {
  std::vector<const MethodInfo*> methods;
  for (const std::string& name : names) methods.push_back(&find_method(name));
  print(report::bibtex_of_program(commit()) + report::bibtex_of(methods));
  return kDone;
}

int dispatch(const Words& words) {
  if (words.empty()) throw Error(overview());
  const std::string& word = words.front();
  const Words rest(words.begin() + 1, words.end());
  if (word == "--version") {
    const std::string_view from = commit();
    print(fmt::format("rattleback {}{}", report::kVersion, from.empty() ? "" : fmt::format(" (commit {})", from)));
    return kDone;
  }
  if (word == "--cite") return cite(rest);
  if (word == "--help" || word == "-h" || word == "help") {
    if (word == "help" && !rest.empty()) return dispatch({rest.front(), "--help"});
    print(overview());
    return kDone;
  }
  for (const Verb& verb : verbs())
    if (verb.name == word) return verb.function(rest);
  throw error_of(unknown_verb(word));
}

}  // namespace
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
    const cli::Words words(argv + std::min(argc, 1), argv + argc);
    cli::set_manner(words);
    const int status = cli::dispatch(words);
    cli::finish_stdout();
    return status;
  } catch (const rattleback::Cancelled& cancelled) {
    const std::string message = cli::with_signal(cancelled.what());
    cli::print_fault("cancelled", rattleback::Error(message));
    say(message);
    return cli::kSignalled + cli::received_signal();
  } catch (const rattleback::Error& error) {
    // Under mpirun a signal ends other processes, too, and this one hears of it as a fault of theirs.
    const bool signalled = cli::received_signal() != 0;
    cli::print_fault(signalled ? "cancelled" : "refused", error);
    say(error.what());
    return signalled ? cli::kSignalled + cli::received_signal() : cli::kWrongRequest;
  } catch (const cli::OutputFailed& failed) {
    say(failed.message);
    return cli::kOutputFailed;
  } catch (const std::bad_alloc&) {
    const char* const message =
        "not enough memory for this request. Record fewer steps (--every K), or take a smaller system";
    say(message);
    cli::print_fault("refused", message);
    return cli::kWrongRequest;
  } catch (const std::exception& error) {
    return internal(error.what());
  }
}
