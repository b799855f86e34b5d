// A chain of N links with a method bound to it, and the time of its steps.
#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <stdexcept>

#include "methods/bind.hpp"

namespace bench {

inline constexpr double kChainStep = 1e-3;

struct Chain {
  Chain(int links, const std::string& method, int stages, std::int32_t unroll_below)
      : n(links),
        model(rattleback::load_model("chain", {.set = {{"N", std::to_string(links)}}, .unroll_below = unroll_below})),
        system(model),
        start(rattleback::consistent_start(system, false)),
        bound(rattleback::bind(system, {.method = method, .stages = stages, .step = kChainStep}, start)) {
    bound.stepper->start(0.0, start.q, start.v, start.multipliers, start.acceleration);
    advance(5);  // past the cold start
  }
  void advance(std::int64_t steps) {
    if (!bound.stepper->advance(kChainStep, steps).ok) throw std::runtime_error("the chain stopped");
  }
  void time_batch(std::int64_t links) {
    const std::int64_t steps = std::max<std::int64_t>(1, links / n);
    const auto begin = std::chrono::steady_clock::now();
    advance(steps);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / static_cast<double>(steps) / n);
  }
  int n;
  rattleback::Model model;
  rattleback::System system;
  rattleback::Start start;
  rattleback::BoundMethod bound;
  double best = std::numeric_limits<double>::infinity();  // ns per link and step
};

// Chains of 100 to 100000 links, timed in turn in batches of about the same work; the fastest batch of each counts.
inline std::vector<std::unique_ptr<Chain>> timed_chains(const std::string& method, int stages) {
  constexpr std::int64_t kLinksPerBatch = 200'000;
  constexpr int kRounds = 12;
  std::vector<std::unique_ptr<Chain>> chains;
  for (const int n : {100, 1000, 10'000, 100'000})
    chains.push_back(std::make_unique<Chain>(n, method, stages, rattleback::LoadOptions{}.unroll_below));
  for (int round = 0; round < kRounds; ++round)
    for (auto& c : chains) c->time_batch(kLinksPerBatch);
  return chains;
}

}  // namespace bench
