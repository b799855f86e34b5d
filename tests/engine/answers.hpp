// Small texts to compile, with a function that says a number: enough to tell whose object was loaded.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "engine/build/compile.hpp"
#include "engine/build/compiler.hpp"
#include "engine/private_cache.hpp"

namespace rattleback::testing {

inline std::string text_that_says(int number) {
  return "int answer(void) { return " + std::to_string(number) + "; }\n";
}

inline NativeCode code_that_says(int number, bool only_cached = false, const std::stop_token& stop = {}) {
  return native_code(text_that_says(number), only_cached, "answer", stop);
}

inline int answer(const NativeCode& code) {
  return code.steps != nullptr ? reinterpret_cast<int (*)()>(reinterpret_cast<void (*)()>(code.steps))() : -1;
}

// What the cache files an object under.
inline std::string origin_of(const std::string& text) {
  return text + '\0' + compiler_identity(find_compiler().value());
}

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

inline std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  if (std::filesystem::exists(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder)) out.push_back(entry.path());
  return out;
}

// The exit status of a process of its own, or -1 when it was ended by a signal.
inline int in_a_child(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

}  // namespace rattleback::testing
