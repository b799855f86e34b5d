#include "files/digest.hpp"

#include <fmt/format.h>

namespace rattleback {

constexpr std::uint64_t kPrime = 0x100000001b3ULL;

std::uint64_t digest(std::string_view bytes, std::uint64_t more) {
  for (const char c : bytes) more = (more ^ static_cast<unsigned char>(c)) * kPrime;
  return more;
}

std::string long_digest(std::string_view bytes) {
  std::uint64_t b = 0x84222325cbf29ce4ULL;  // another start, and turned after each byte
  for (const char c : bytes) {
    b = (b ^ static_cast<unsigned char>(c)) * kPrime;
    b = (b << 7U) | (b >> 57U);
  }
  return fmt::format("{:016x}{:016x}", digest(bytes), b);
}

}  // namespace rattleback
