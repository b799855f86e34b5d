// What can be completed after each verb: from the tables of verbs, options, methods and systems that the program itself goes by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rattleback::cli {

// What may stand in one place of a command.
struct Completable {
  std::vector<std::string> words;
  bool list = false;                    // several of them, with commas between
  std::vector<std::string> extensions;  // files with such a name: "csv"
  bool any_file = false, folder = false;
};

struct CompletableOption {
  std::string name, about;  // "--method"; its help, cut to one clause
  std::string unit;         // what --help calls the value; "" for a flag
  bool repeated = false;
  Completable value;
};

struct CompletableVerb {
  std::string name, about;  // about: "" hides it
  std::vector<CompletableOption> options;
  Completable word;  // what stands behind the verb: a system, an experiment
};

struct CompletableProgram {
  std::vector<CompletableVerb> verbs;
  std::vector<CompletableOption> options;  // instead of a verb
};
CompletableProgram completable();

// The script for a shell: bash, zsh or fish.
std::string bash_script(const CompletableProgram& program);
std::string zsh_script(const CompletableProgram& program);
std::string fish_script(const CompletableProgram& program);

}  // namespace rattleback::cli
