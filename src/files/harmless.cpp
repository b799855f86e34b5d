#include "files/harmless.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace rattleback::files {
namespace {

struct Decoded {
  std::size_t size = 0;  // 0: no character
  std::uint32_t code = 0;
};

Decoded decoded(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t size = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (size == 0 || size > text.size()) return {};
  std::uint32_t code = size == 1 ? first : first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if (byte(i) >> 6 != 2) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool shorter = code < kLeast[size], surrogate = code >= 0xd800 && code < 0xe000;
  if (shorter || surrogate || code > 0x10ffff) return {};
  return {size, code};
}

// Marks and overrides of the direction show a text in another order than it has [Unicode TR 36, 2.5].
bool turns_text(std::uint32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

bool is_control(std::uint32_t code) {
  return turns_text(code) || (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0) ||
         code == 0xfffe || code == 0xffff;
}

// Of printable ASCII and line feeds, which is most of all texts.
bool is_plain(char c) { return (c >= ' ' && c < '\x7f') || c == '\n'; }

// Gives `put` the text in pieces: what is harmless as it stands, and a visible form of all else.
template <class Put>
void visit(std::string_view text, const Put& put) {
  std::size_t from = 0, at = 0;
  while (at < text.size()) {
    if (is_plain(text[at])) {
      ++at;
      continue;
    }
    const Decoded c = decoded(text.substr(at));
    if (c.size != 0 && !is_control(c.code)) {
      at += c.size;
      continue;
    }
    put(text.substr(from, at - from));
    put(c.size > 1 ? fmt::format("\\u{:04x}", c.code) : fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at])));
    at += c.size == 0 ? 1 : c.size;
    from = at;
  }
  put(text.substr(from));
}

}  // namespace

Character first_character(std::string_view text) {
  const Decoded c = decoded(text);
  return {c.size == 0 ? 1 : c.size, c.size == 0 || is_control(c.code)};
}

std::string harmless(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  visit(text, [&](std::string_view piece) { out += piece; });
  return out;
}

void write_harmless(std::FILE* to, std::string_view text) {
  visit(text, [&](std::string_view piece) { std::fwrite(piece.data(), 1, piece.size(), to); });
}

std::string harmless_json(std::string json) {
  const auto suspicious = [](char c) { return static_cast<unsigned char>(c) >= 0x7f; };
  std::size_t from = 0, i = 0;
  std::string out;
  while (i < json.size()) {
    const Decoded c = suspicious(json[i]) ? decoded(std::string_view(json).substr(i)) : Decoded{1, ' '};
    const std::size_t next = i + (c.size == 0 ? 1 : c.size);
    if (c.size != 0 && is_control(c.code)) {  // in a string: nothing of it stands elsewhere in JSON
      out.append(json, from, i - from);
      out += fmt::format("\\u{:04x}", c.code);
      from = next;
    }
    i = next;
  }
  if (from == 0) return json;
  return out.append(json, from);
}

}  // namespace rattleback::files
