// Numbers that tell texts and files apart (FNV-1a). Every step is a bijection of the number so far, so a change of one byte
// always changes the result, and any other change does but for one case in 2^64. They do not protect against people who
// want two texts to agree: that is left to the owners and modes of files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rattleback {

inline constexpr std::uint64_t kDigestOfNothing = 0xcbf29ce484222325ULL;

// 64 bits. `more` continues one.
[[nodiscard]] std::uint64_t digest(std::string_view bytes, std::uint64_t more = kDigestOfNothing);

// 128 bits, as 32 hexadecimal digits: for names.
[[nodiscard]] std::string long_digest(std::string_view bytes);

}  // namespace rattleback
