// What the short and the long test of random models share.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "support/random_checks.hpp"

namespace rattleback::testing {

inline const std::vector<RandomCheck> kAll = {RandomCheck::multipliers, RandomCheck::order,     RandomCheck::composed,
                                              RandomCheck::adaptive,    RandomCheck::audit,     RandomCheck::dense,
                                              RandomCheck::events,      RandomCheck::resume,    RandomCheck::native,
                                              RandomCheck::renaming,    RandomCheck::reordering};
inline std::vector<RandomCheck> of_mechanisms() {
  std::vector<RandomCheck> out = kAll;
  out.push_back(RandomCheck::units);
  return out;
}

// What is not checked, and why.
inline bool left_out(const Subject& subject, const MethodInfo& method, RandomCheck) {
  const RandomModel& model = subject.random();
  // Set-up times of reduced coordinates and of the underlying equation.
  if (model.family == RandomFamily::mechanism && subject.model().coordinates.size() > 9 && method.energy == Claim::yes)
    return true;
  return false;
}

// With RATTLEBACK_RANDOM_MORE=1 also what was drawn, what was slow, what was refused.
inline void expect_right(RandomRun run, bool all_pairs = false) {
  run.left_out = left_out;
  const bool more = std::getenv("RATTLEBACK_RANDOM_MORE") != nullptr;
  if (more)
    run.progress = [](std::uint64_t models, const RandomReport& report) {
      std::fprintf(stderr, "%llu models, %.0f s of CPU; slowest: %s\n", static_cast<unsigned long long>(models),
                   static_cast<double>(std::clock()) / CLOCKS_PER_SEC,
                   report.slow.empty() ? "" : report.slow.front().second.c_str());
    };
  const RandomReport report = run_random(run);
  for (const std::string& text : report.wrong) ADD_FAILURE() << text;
  if (all_pairs)
    for (const std::string& pair : report.never_drawn) ADD_FAILURE() << "never drawn: " << pair;
  if (!more) return;
  std::printf("%s", report.summary.c_str());
  for (const auto& [seconds, what] : report.slow) std::printf("  %.2f s: %s\n", seconds, what.c_str());
  for (const auto& [kind, example] : report.refusals) std::printf("  refused: %s\n", example.c_str());
  for (const std::string& text : report.without_answer) std::printf("  without an answer: %s\n", text.c_str());
}

}  // namespace rattleback::testing
