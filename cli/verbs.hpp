// The verbs: which arguments each takes, and one function that takes what follows the verb, prints to stdout, and returns the
// exit status; a wrong request is an Error.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rattleback::cli {

using Words = std::vector<std::string>;

// What scripts can rely on. 74 and 70 are those of sysexits.h.
inline constexpr int kDone = 0;
inline constexpr int kNotAsExpected = 1;  // reproduce --check: a number is not what it should be
inline constexpr int kWrongRequest = 2;   // nothing was written, stdout is empty
inline constexpr int kStoppedEarly = 3;   // everything up to there was kept
inline constexpr int kSignalled = 128;    // plus the signal's number: 130, 143, 129; what there was is kept
inline constexpr int kInternalError = 70;
inline constexpr int kOutputFailed = 74;  // the result was computed, but could not be written (disk full)

class Arguments;
// One file for each; `new` is called fresh here.
Arguments declare_run();
int run(const Words& words);
Arguments declare_check();
int check(const Words& words);
Arguments declare_order();
int order(const Words& words);
Arguments declare_compare();
int compare(const Words& words);
Arguments declare_section();
int section(const Words& words);
Arguments declare_ensemble();
int ensemble(const Words& words);
Arguments declare_reproduce();
int reproduce(const Words& words);
Arguments declare_generate();
int generate(const Words& words);
Arguments declare_methods();
int methods(const Words& words);
Arguments declare_systems();
int systems(const Words& words);
Arguments declare_fresh();
int fresh(const Words& words);
Arguments declare_schema();
int schema(const Words& words);
Arguments declare_completion();
int completion(const Words& words);
Arguments declare_demo();
int demo(const Words& words);
Arguments declare_bench();
int bench(const Words& words);

struct Verb {
  std::string_view name;
  Arguments (*declare)();
  int (*function)(const Words&);
  std::string_view about;  // "" hides it
};
std::span<const Verb> verbs();

// What may stand in the place of a verb.
struct TopOption {
  std::string_view name, unit, about;
};
std::span<const TopOption> top_options();

// Writes to stdout, with a line feed behind unless there is one; with --quiet only JSON. Throws OutputFailed.
void print(const std::string& text);

// A line on stderr. What cannot be said is not said.
void say(std::string_view message);

struct OutputFailed {
  std::string message;
};

}  // namespace rattleback::cli
