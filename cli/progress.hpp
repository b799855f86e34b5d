// The one-line progress display of long runs: on stderr, only when that is a terminal, gone at the end.
#pragma once

#include <chrono>

#include "rattleback/simulate.hpp"

namespace rattleback::cli {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // What simulate() calls; empty when there is nobody to look at it. Must not outlive this object.
  std::function<void(const Progress&)> callback();
  // "3 of 20 starts", for work in parts; the same rules.
  void parts(std::size_t done, std::size_t all, const char* noun);
  void clear();

 private:
  void show(const Progress& progress);
  void line(const std::string& text);

  bool terminal_ = false, shown_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), last_ = begin_;
};

// "12000 of 50000 steps (1.1 M/s), t = 1.2, 3.4 s left, energy error 1.0e-12"
std::string progress_text(const Progress& progress);

}  // namespace rattleback::cli
