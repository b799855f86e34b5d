// The program with bounds on its time, memory and stack: what it must survive is refused within them.
#pragma once

#include <chrono>

#include "cli/program.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define RATTLEBACK_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RATTLEBACK_SANITIZED 1
#endif
#endif

namespace rattleback {

class LimitedProgram : public Program {
 protected:
  struct Limits {
    int stack_kilobytes = 8192;
    int megabytes = 2000;  // of addresses, most of them never touched; the program alone has 300
    int seconds = 20;      // measured: below 2 for all
  };

  // `command` is for a shell; $program stands for the program.
  [[nodiscard]] Outcome shell(const std::string& command, const Limits& limits) const {
#ifdef RATTLEBACK_SANITIZED
    const std::string bounds;  // a sanitizer needs terabytes of addresses, and much stack
#else
    const std::string bounds = "ulimit -s " + std::to_string(limits.stack_kilobytes) + "; ulimit -v " +
                               std::to_string(limits.megabytes) + "000; ";
#endif
    return execute({"/usr/bin/timeout", std::to_string(limits.seconds), "/bin/bash", "-c",
                    bounds + "program=" + RATTLEBACK_BINARY + "; " + command});
  }
  [[nodiscard]] Outcome shell(const std::string& command) const { return shell(command, Limits{}); }
};

}  // namespace rattleback
