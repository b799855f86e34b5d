#include "report/html_text.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "files/harmless.hpp"

namespace rattleback::report {

std::string html(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [size, harmful] = files::first_character(text);
    const char c = text.front();
    if (harmful) {
      if (c != '\r') out += "\xef\xbf\xbd";  // U+FFFD
    } else {
      switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        default: out += text.substr(0, size);
      }
    }
    text.remove_prefix(size);
  }
  return out;
}

std::string script_json(std::string_view json) {
  // "<" stands in strings only, where an escape means the same.
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

std::string href(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == '/' || c == '~';
    if (plain)
      out += c;
    else
      out += fmt::format("%{:02X}", byte);  // also ':', so that nothing is taken for a scheme
  }
  return out;
}

}  // namespace rattleback::report
