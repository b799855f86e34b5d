// `rattleback completion`: what completes commands in a shell.
#include <fmt/format.h>

#include "arguments.hpp"
#include "completable.hpp"
#include "rattleback/error.hpp"
#include "verbs.hpp"

namespace rattleback::cli {
namespace {

struct Shell {
  std::string_view name;
  std::string (*script)(const CompletableProgram&);
};
constexpr Shell kShells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

std::string names(const char* between) {
  std::string all;
  for (const Shell& shell : kShells) all += fmt::format("{}{}", all.empty() ? "" : between, shell.name);
  return all;
}

}  // namespace

Arguments declare_completion() {
  Arguments a("completion", "Prints a script with which a shell completes verbs, options, methods, systems and files.",
              "source <(rattleback completion bash)");
  a.name(names("|"), "the shell");
  return a;
}

int completion(const Words& words) {
  Arguments a = declare_completion();
  if (!a.parse(words)) return kDone;
  a.refuse_if_faulty();
  const std::string& wanted = a.name_list().front();
  for (const Shell& shell : kShells)
    if (shell.name == wanted) {
      print(shell.script(completable()));
      return kDone;
    }
  throw Error(fmt::format("completion takes {}, found '{}'", names(", "), wanted.substr(0, 60)));
}

}  // namespace rattleback::cli
