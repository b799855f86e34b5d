#include "answer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "files/harmless.hpp"
#include "output/json.hpp"

namespace rattleback::cli {
namespace {

bool json = false, quiet = false, printed = false;

}  // namespace

void set_manner(const Words& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  json = std::find(words.begin(), end, "--json") != end;
  quiet = std::find(words.begin(), end, "--quiet") != end;
}

bool is_quiet() { return quiet; }

void finish_stdout() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw OutputFailed{fmt::format("cannot write to standard output: {}", std::strerror(errno))};
}

void print(const std::string& text) {
  if (quiet && !json) return;
  printed = true;
  files::write_harmless(stdout, text);
  if (!text.ends_with('\n')) std::fputc('\n', stdout);
  finish_stdout();
}

void say(std::string_view message) {
  files::write_harmless(stderr, message);
  if (!message.ends_with('\n')) std::fputc('\n', stderr);
}

void note(std::string_view message) {
  if (!quiet) say(message);
}

void print_fault(std::string_view status, const Error& error) noexcept try {
  if (!json || printed) return;
  report::Json out = {{"status", status}, {"message", error.what()}};
  const FilePlace& place = error.place();
  if (!place.file.empty()) out["file"] = place.file;
  if (place.line > 0) out["line"] = place.line;
  if (place.column > 0) out["column"] = place.column;
  if (!error.suggestion().empty()) out["suggestion"] = error.suggestion();
  print(report::dump(out));
} catch (...) {  // NOLINT(bugprone-empty-catch): no memory, or nobody listens
}

void print_fault(std::string_view status, const char* message) noexcept try {
  print_fault(status, Error(message));
} catch (...) {  // NOLINT(bugprone-empty-catch): the same
}

}  // namespace rattleback::cli
