// Any text is a tableau or a rattleback::Error with a message, as in model_text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "rattleback/error.hpp"
#include "tableau/user_tableau.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    rattleback::parse_user_tableau(std::string(reinterpret_cast<const char*>(data), size), "fuzz.toml");
  } catch (const rattleback::Error& e) {
    if (*e.what() == '\0') std::abort();
  }
  return 0;
}
