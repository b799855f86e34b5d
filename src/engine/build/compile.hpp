// Compiled texts: found in the cache (engine/build/cache.hpp) or made with the system's compiler (engine/build/compiler.hpp), then loaded
// from memory (engine/build/load.hpp). May be called by several threads at a time.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "engine/job.hpp"
#include "rattleback/policies.hpp"

namespace rattleback {

struct NativeCode {
  std::shared_ptr<void> library;  // keeps it loaded
  NativeSteps steps = nullptr;
  bool from_cache = false;
  std::string fault;  // why there is none
  // The compiler did not end in time, or was told to end with the run: no fault of the request, whose steps are then
  // interpreted. A compiler that did not end is not asked again by this process.
  bool given_up = false;
};

// What set_native() said last, and what is said of a run that would have it otherwise.
Native process_native();
inline constexpr const char* kProcessOff = "rattleback::set_native(\"off\") holds for this process";

// only_cached: nothing is compiled; without an object in the cache `steps` is null and `fault` says so.
// symbol: the name of its function. stop: ends the compiler.
NativeCode native_code(const std::string& text, bool only_cached = false, const char* symbol = kNativeSymbol,
                       const std::stop_token& stop = {});

}  // namespace rattleback
