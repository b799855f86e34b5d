// One function per verb. Each takes what follows the verb, prints to stdout, and returns the exit status; a wrong
// request is an Error.
#pragma once

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

int run(const Words& words);
int check(const Words& words);
int methods(const Words& words);
int systems(const Words& words);
int order(const Words& words);
int compare(const Words& words);
int section(const Words& words);
int ensemble(const Words& words);
int reproduce(const Words& words);
int generate(const Words& words);
int bench(const Words& words);
int demo(const Words& words);

// Writes to stdout, with a line feed behind unless there is one. Throws OutputFailed.
void print(const std::string& text);

// A line on stderr. What cannot be said is not said.
void say(std::string_view message);

struct OutputFailed {
  std::string message;
};

}  // namespace rattleback::cli
