// How many steps are taken before the loop looks up: at the clock, for progress and checkpoints, and at a request to stop.
// Steps take from nanoseconds to seconds, so their number is found by measuring. Where a batch of steps ends has no
// influence on the steps.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace rattleback {

class Pace {
 public:
  // Steps to take before the next look.
  [[nodiscard]] std::int64_t steps() const { return left_; }

  // After `done` steps: is it time to look up? Only then the clock is read: reading it costs as much as a short step.
  bool over(std::int64_t done) {
    left_ -= std::max<std::int64_t>(1, done);
    if (left_ > 0) return false;
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    // A slow step may follow quick ones: the number grows slowly and falls at once.
    const double wanted = static_cast<double>(size_) * std::min(4.0, kSeconds / std::max(seconds, 1e-9));
    size_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted));
    left_ = size_;
    begin_ = now;
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kSeconds = 0.02;
  std::int64_t size_ = 1, left_ = 1;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace rattleback
