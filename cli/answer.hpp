// How the program answers: results on stdout, messages on stderr, and with --json exactly one object on stdout, also when a
// request is refused.
#pragma once

#include <string>
#include <string_view>

#include "rattleback/error.hpp"
#include "verbs.hpp"

namespace rattleback::cli {

// Looks for --json and --quiet among the words of the command; every verb that has them means the same.
void set_manner(const Words& words);
bool is_quiet();

// A line on stderr that is no fault. With --quiet it is not said.
void note(std::string_view message);

// With --json, where stdout is still empty: the object that says what went wrong. A second one is never written. Throws
// nothing: what cannot be said so stands on stderr.
void print_fault(std::string_view status, const Error& error) noexcept;
void print_fault(std::string_view status, const char* message) noexcept;

// stdout is checked at the end of the program, too: until then what was printed may only lie in a buffer.
void finish_stdout();

}  // namespace rattleback::cli
