// Any text is a model or a rattleback::Error with a message. Anything else is a finding: another exception, a crash, an
// input that takes seconds or a lot of memory.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "rattleback/error.hpp"
#include "rattleback/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    rattleback::parse_model(std::string(reinterpret_cast<const char*>(data), size), "fuzz.toml");
  } catch (const rattleback::Error& e) {
    if (*e.what() == '\0') std::abort();
  }
  return 0;
}
