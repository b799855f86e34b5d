// Whether a run is worth compiling. The interpreter is timed for some milliseconds; if what is left of the run would take much
// longer than a compiler, the rest is compiled. Both have the same bits, so the moment does not matter.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

#include <fmt/format.h>

#include "engine/build/compile.hpp"
#include "engine/step_taker.hpp"
#include "rattleback/error.hpp"
#include "rattleback/policies.hpp"

namespace rattleback {

// reason: why the compiler was given up.
inline std::string interpreted_note(const std::string& reason) {
  return reason + ": the steps were interpreted, with the same results";
}

// How a run is to take its steps. asked: Options::native.
inline Native native_policy(const Choice<Native>& asked) {
  const Native process = process_native();
  return asked.given() && process != Native::off ? asked.value() : process;
}

class NativeChoice {
 public:
  // wanted: see native_policy(). Throws Error when it is `on` and cannot be. A compiler that is given up is no reason to refuse
  // a run: it is interpreted, with a note. stop: ends the compiler.
  NativeChoice(Native wanted, StepTaker& stepper, std::stop_token stop = {})
      : stepper_(stepper), stop_(std::move(stop)) {
    undecided_ = wanted == Native::automatic;
    if (wanted != Native::on) return;
    if (const std::string reason = compile(false); !reason.empty() && !stepper.compiler_given_up)
      throw Error(
          fmt::format("--native on: {}. Leave it out, and the steps are interpreted, with the same results", reason));
  }

  // At most `steps` steps of a run that has `left`; fewer while time is taken.
  AdvanceReport advance(double h, std::int64_t steps, std::int64_t left) {
    if (!undecided_ || left < kFewest) return stepper_.advance(h, steps);
    const Clock::time_point begin = Clock::now();
    // A few steps first: those of large systems take long.
    const std::int64_t batch = steps_ == 0 ? kFewest : kBatch;
    const AdvanceReport report = stepper_.advance(h, steps < batch ? steps : batch);
    seconds_ += std::chrono::duration<double>(Clock::now() - begin).count();
    steps_ += report.done;
    if (report.ok && seconds_ >= kLook) decide(left - report.done);
    return report;
  }

  // What it took to write the text of the step and to compile it or to find it in the cache.
  [[nodiscard]] double compile_seconds() const { return compile_seconds_; }
  // For the user, when the compiler was given up.
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::int64_t kBatch = 64, kFewest = 8;
  static constexpr double kLook = 5e-3;     // seconds of interpreting before a decision
  static constexpr double kLoading = 2e-2;  // what is left must take longer than this to look into the cache
  // Compiling takes some time, and more for a longer step, which takes longer to interpret too. Measured from 0.1 s (steps
  // of 90 ns) to 1.2 s (18 us). Families are loops, whose text does not
  // grow with the step: hence the limit, which is not tuned.
  static constexpr double kCompiling = 0.1, kPerStepSecond = 7e4, kLongest = 4.0;

  void decide(std::int64_t left) {
    undecided_ = false;
    const double step = seconds_ / static_cast<double>(steps_), rest = step * static_cast<double>(left);
    const double compiling = kCompiling + kPerStepSecond * step;
    const bool pays = rest > 3.0 * (compiling < kLongest ? compiling : kLongest);
    if (rest > kLoading) (void)compile(!pays);
  }

  std::string compile(bool only_cached) {
    const Clock::time_point begin = Clock::now();
    std::string reason = stepper_.go_native(only_cached, stop_);
    compile_seconds_ = std::chrono::duration<double>(Clock::now() - begin).count();
    if (stepper_.compiler_given_up && !stop_.stop_requested()) note_ = interpreted_note(reason);
    return reason;
  }

  StepTaker& stepper_;
  std::stop_token stop_;
  std::string note_;
  bool undecided_ = false;
  double seconds_ = 0.0, compile_seconds_ = 0.0;
  std::int64_t steps_ = 0;
};

}  // namespace rattleback
