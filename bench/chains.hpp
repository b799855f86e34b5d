// A chain of N links with a method bound to it, and the time of its steps.
#pragma once

#include <ctime>
#include <limits>
#include <memory>
#include <stdexcept>

#include "bind/bind.hpp"

namespace bench {

inline constexpr double kChainStep = 1e-3;

// Of this thread, in nanoseconds: what others do on the machine does not count.
inline double processor_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

struct Chain {
  Chain(int links, const std::string& method, int stages, std::int32_t unroll_below, bool native = false)
      : n(links),
        model(rattleback::load_model("chain", {.set = {{"N", std::to_string(links)}}, .unroll_below = unroll_below})),
        system(model),
        start(rattleback::consistent_start(system, false)),
        bound(rattleback::bind(system, {.method = method, .stages = stages, .step = kChainStep}, start)) {
    if (native)
      if (const std::string reason = bound.stepper->go_native(false); !reason.empty()) throw std::runtime_error(reason);
    bound.stepper->start(0.0, start.q, start.v, start.multipliers, start.acceleration);
    advance(5);  // past the cold start
  }
  void advance(std::int64_t steps) {
    if (!bound.stepper->advance(kChainStep, steps).ok) throw std::runtime_error("the chain stopped");
  }
  void time_batch(std::int64_t links) {
    const std::int64_t steps = std::max<std::int64_t>(1, links / n);
    const double begin = processor_time();
    advance(steps);
    best = std::min(best, (processor_time() - begin) / static_cast<double>(steps) / n);
  }
  int n;
  rattleback::Model model;
  rattleback::System system;
  rattleback::Start start;
  rattleback::BoundMethod bound;
  double best = std::numeric_limits<double>::infinity();  // ns per link and step
};

}  // namespace bench
