// Where a result comes from: the machine, the compiler and the commit; and its two files.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#ifndef RATTLEBACK_BENCH_FLAGS
#define RATTLEBACK_BENCH_FLAGS ""
#endif

namespace bench {

inline std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

// The commit of the sources, with a "+" when they have changed since; "unknown" without git.
inline std::string commit() {
  const auto answer = [](const std::string& command) {
    std::string out;
    std::FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return out;
    std::array<char, 256> line{};
    while (std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr) out += line.data();
    pclose(pipe);
    while (out.ends_with('\n')) out.pop_back();
    return out;
  };
  const std::string git = "git -C '" RATTLEBACK_SOURCE_DIR "' ";
  const std::string hash = answer(git + "rev-parse --short=10 HEAD 2>/dev/null");
  if (hash.empty()) return "unknown";
  return hash + (answer(git + "status --porcelain -uno 2>/dev/null").empty() ? "" : "+");
}

#ifdef __clang__
inline const std::string kCompiler = __VERSION__;  // says that it is clang
#else
inline const std::string kCompiler = std::string("GCC ") + __VERSION__;
#endif

inline nlohmann::ordered_json machine() {
  return {{"processor", processor()},
          {"cores", std::thread::hardware_concurrency()},
          {"compiler", kCompiler},
          {"flags", RATTLEBACK_BENCH_FLAGS},
          {"kernel_flags", "-O3 -march=native -ffp-contract=fast"}};
}

// FOLDER/<commit>.json and .md
inline std::string write_results(const std::string& folder, const nlohmann::ordered_json& json,
                                 const std::string& text) {
  std::filesystem::create_directories(folder);
  std::string name = json.at("commit").get<std::string>();
  if (name.ends_with('+')) name.back() = 'x';
  const std::string base = (std::filesystem::path(folder) / name).string();
  for (const auto& [end, content] : {std::pair{".json", json.dump(2) + "\n"}, std::pair{".md", text}}) {
    std::ofstream out(base + end);
    out << content;
    out.close();
    if (!out) throw std::runtime_error("cannot write " + base + end);
  }
  return base;
}

}  // namespace bench
