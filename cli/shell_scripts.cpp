// Completion scripts for three shells, from one description of what can be completed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completable.hpp"

namespace rattleback::cli {
namespace {

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

// In single quotes, as bash and zsh read them.
std::string in_quotes(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

// --- bash

std::string in_bash(const Completable& c) {
  std::string out;
  if (!c.words.empty()) out += fmt::format(" words={}", in_quotes(fmt::format("{}", fmt::join(c.words, " "))));
  if (!c.extensions.empty())
    out += fmt::format(" files={}", in_quotes(fmt::format("{}", fmt::join(c.extensions, " "))));
  if (c.any_file) out += " files=any";
  if (c.folder) out += " folders=yes";
  if (c.list) out += " list=yes";
  return out;
}

constexpr std::string_view kBashHead =
    R"(# Completes commands of rattleback in bash. Written by `rattleback completion bash`; in ~/.bashrc:
#   source <(rattleback completion bash)
_rattleback_add() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done
}
_rattleback() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}
  local words= files= folders= list= options= extension
  COMPREPLY=()
  # --method=NAME comes as three words.
  if [[ $word == '=' ]]; then word=; elif [[ $before == '=' ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
  [[ $verb == help && $COMP_CWORD -gt 1 ]] && verb=
)";

constexpr std::string_view kBashTail = R"(  [[ $word == -* ]] && words=$options files= folders=
  if [[ -n $list && $word == *,* ]]; then
    _rattleback_add < <(compgen -W "$words" -P "${word%,*}," -- "${word##*,}")
  elif [[ -n $words ]]; then
    _rattleback_add < <(compgen -W "$words" -- "$word")
  fi
  if [[ -n $files$folders ]]; then
    compopt -o filenames 2>/dev/null
    _rattleback_add < <(compgen -d -- "$word")
    [[ $files == any ]] && _rattleback_add < <(compgen -f -- "$word") && files=
    for extension in $files; do _rattleback_add < <(compgen -f -X "!*.$extension" -- "$word"); done
  fi
}
complete -F _rattleback rattleback
)";

}  // namespace

std::string bash_script(const CompletableProgram& program) {
  std::string out(kBashHead), names, top;
  for (const CompletableVerb& verb : program.verbs)
    if (!verb.about.empty()) names += verb.name + " ";
  for (const CompletableOption& option : program.options) {
    names += option.name + " ";
    if (!option.value.words.empty()) top += fmt::format("    {}){} ;;\n", option.name, in_bash(option.value));
  }
  out += "  case $verb in\n";
  for (const CompletableVerb& verb : program.verbs) {
    std::string flags, cases;
    for (const CompletableOption& option : verb.options) {
      flags += option.name + " ";
      if (!option.unit.empty()) cases += fmt::format("        {}){} ;;\n", option.name, in_bash(option.value));
    }
    out += fmt::format("    {})\n      case $before in\n{}        *) options={}{} ;;\n      esac ;;\n", verb.name,
                       cases, in_quotes(flags), in_bash(verb.word));
  }
  out += top;
  out += fmt::format("  esac\n  [[ $COMP_CWORD -eq 1 || -z $verb ]] && words={0} options={0} files= folders= list=\n",
                     in_quotes(names));
  out += kBashTail;
  return out;
}

// --- zsh

namespace {

// Inside 'option[about]:unit:action'.
std::string in_spec(const std::string& text) {
  std::string out = replaced(text, "\\", "\\\\");
  for (const char* const mark : {"[", "]", ":"}) out = replaced(out, mark, std::string("\\") + mark);
  return replaced(out, "'", "'\\''");
}

std::string zsh_action(const Completable& c) {
  const std::string words = fmt::format("{}", fmt::join(c.words, " "));
  if (c.list) return "_sequence -s , compadd - " + words;
  std::string files;
  if (c.folder) files = "_files -/";
  if (c.any_file) files = "_files";
  if (!c.extensions.empty()) files = fmt::format("_files -g \"*.({})\"", fmt::join(c.extensions, "|"));
  if (c.words.empty()) return files.empty() ? " " : files;
  if (files.empty()) return fmt::format("({})", words);
  return fmt::format("{{compadd - {}; {}}}", words, files);
}

}  // namespace

std::string zsh_script(const CompletableProgram& program) {
  std::string out = R"(#compdef rattleback
# Completes commands of rattleback in zsh. Written by `rattleback completion zsh`; in ~/.zshrc, below compinit:
#   source <(rattleback completion zsh)
_rattleback() {
  if (( CURRENT == 2 )); then
    local -a verbs
    verbs=(
)";
  for (const CompletableVerb& verb : program.verbs)
    if (!verb.about.empty())
      out += fmt::format("      {}\n", in_quotes(verb.name + ":" + replaced(verb.about, ":", "\\:")));
  for (const CompletableOption& option : program.options)
    out += fmt::format("      {}\n", in_quotes(option.name + ":" + replaced(option.about, ":", "\\:")));
  out += R"(    )
    _describe 'verb' verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
)";
  for (const CompletableVerb& verb : program.verbs) {
    out += fmt::format("    {}) _arguments", verb.name);
    for (const CompletableOption& option : verb.options) {
      const std::string value = option.unit.empty() ? ""
                                                    : fmt::format(":{}:{}", in_spec(option.unit),
                                                                  replaced(zsh_action(option.value), "'", "'\\''"));
      out += fmt::format(" \\\n      '{}{}{}[{}]{}'", option.repeated ? "*" : "", option.name,
                         option.unit.empty() ? "" : "=", in_spec(option.about), value);
    }
    if (const std::string action = zsh_action(verb.word); action != " ")
      out += fmt::format(" \\\n      '*:word:{}'", replaced(action, "'", "'\\''"));
    out += " ;;\n";
  }
  for (const CompletableOption& option : program.options)
    if (!option.value.words.empty())
      out += fmt::format("    {}) compadd - {} ;;\n", option.name, fmt::join(option.value.words, " "));
  return out + R"(  esac
}
if [ "$funcstack[1]" = "_rattleback" ]; then _rattleback "$@"; else compdef _rattleback rattleback; fi
)";
}

// --- fish

namespace {

std::string in_fish(const std::string& text) { return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'"; }

std::string fish_values(const Completable& c) {
  std::string out = fmt::format("{}", fmt::join(c.words, " "));
  if (c.list) out = fmt::format("(__fish_append , {})", fmt::join(c.words, " "));
  if (c.folder) out += " (__fish_complete_directories)";
  for (const std::string& extension : c.extensions) out += fmt::format(" (__fish_complete_suffix .{})", extension);
  return out;
}

}  // namespace

std::string fish_script(const CompletableProgram& program) {
  std::string out =
      "# Completes commands of rattleback in fish. Written by `rattleback completion fish`:\n"
      "#   rattleback completion fish > ~/.config/fish/completions/rattleback.fish\n"
      "complete -c rattleback -f\n";
  for (const CompletableVerb& verb : program.verbs)
    if (!verb.about.empty())
      out +=
          fmt::format("complete -c rattleback -n __fish_use_subcommand -a {} -d {}\n", verb.name, in_fish(verb.about));
  for (const CompletableOption& option : program.options) {
    out += fmt::format("complete -c rattleback -n __fish_use_subcommand -l {} -d {}", option.name.substr(2),
                       in_fish(option.about));
    if (!option.value.words.empty()) out += fmt::format(" -x -a {}", in_fish(fish_values(option.value)));
    out += '\n';
  }
  for (const CompletableVerb& verb : program.verbs) {
    const std::string there = fmt::format("complete -c rattleback -n '__fish_seen_subcommand_from {}'", verb.name);
    for (const CompletableOption& option : verb.options) {
      out += fmt::format("{} -l {} -d {}", there, option.name.substr(2), in_fish(option.about));
      const std::string values = fish_values(option.value);
      if (option.value.any_file)
        out += " -r -F";
      else if (!option.unit.empty())
        out += values.empty() ? " -x" : fmt::format(" -x -a {}", in_fish(values));
      out += '\n';
    }
    if (const std::string values = fish_values(verb.word); !values.empty())
      out += fmt::format("{} -a {}\n", there, in_fish(values));
  }
  return out;
}

}  // namespace rattleback::cli
