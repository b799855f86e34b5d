// Compiled texts: found in the cache or made with the system's compiler, then loaded.
//
// An object is named by a hash of its text, the compiler and the processor. It is loaded only if it and its folder belong
// to the user and nobody else may write to them: whoever could would run code in the user's name.
#pragma once

#include <memory>
#include <string>

#include "native/job.hpp"

namespace rattleback {

struct NativeCode {
  std::shared_ptr<void> library;  // keeps it loaded
  NativeSteps steps = nullptr;
  bool from_cache = false;
  std::string fault;  // why there is none
};

// only_cached: nothing is compiled; without an object in the cache `steps` is null and `fault` says so.
// symbol: the name of its function.
NativeCode native_code(const std::string& text, bool only_cached = false, const char* symbol = kNativeSymbol);

}  // namespace rattleback
