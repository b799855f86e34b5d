#include "text/source.hpp"

#include <algorithm>

#include "rattleback/error.hpp"

namespace rattleback::front {
namespace {

constexpr std::size_t kLongLine = 10'000;  // in such a line, columns are taken as bytes: no counting from its start

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// Bytes of the UTF-8 form of the character that an escape \uXXXX or \UXXXXXXXX names.
std::size_t encoded_size(std::string_view digits) {
  unsigned long code = 0;
  for (const char c : digits) {
    const char low = static_cast<char>(c | 0x20);
    code = code * 16 + static_cast<unsigned long>(low >= 'a' ? low - 'a' + 10 : c - '0');
  }
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

}  // namespace

Source::Source(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  ascii_ =
      std::none_of(text_.begin(), text_.end(), [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; });
}

FilePlace Source::where(std::size_t offset) const {
  if (!has_places()) return {};
  offset = std::min(offset, text_.size());
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t start = *(next - 1);
  std::size_t column = 1;
  for (std::size_t i = start; i < offset; ++i)
    if (!continues_character(text_[i])) ++column;
  return {.file = file_, .line = static_cast<std::size_t>(next - line_starts_.begin()), .column = column};
}

std::string Source::place(std::size_t offset) const {
  if (!has_places()) return file_ + ": ";
  const FilePlace at = where(offset);
  return at.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
}

std::size_t Source::offset(std::size_t line, std::size_t column) const {
  if (line == 0 || line > line_starts_.size()) return text_.size();
  std::size_t i = line_starts_[line - 1];
  const std::size_t end = line < line_starts_.size() ? line_starts_[line] : text_.size();
  if (ascii_ || end - i > kLongLine) return std::min(i + column - 1, text_.size());
  for (std::size_t c = 1; c < column && i < text_.size(); ++c) {
    ++i;
    while (i < text_.size() && continues_character(text_[i])) ++i;
  }
  return i;
}

std::size_t Source::content(std::size_t literal) const {
  const auto at = [&](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
  const char quote = at(literal);
  if (quote != '"' && quote != '\'') return literal;
  std::size_t i = literal + 1;
  if (at(i) == quote &&
      at(i + 1) == quote) {  // a multi-line string; a newline right after the quotes is not part of it
    i += 2;
    if (at(i) == '\r') ++i;
    if (at(i) == '\n') ++i;
  }
  return i;
}

Source::Step Source::step(std::size_t i, char quote) const {
  const auto at = [&](std::size_t k) { return k < text_.size() ? text_[k] : '\0'; };
  if (quote != '"' || at(i) != '\\') return {i + 1, 1};
  const char c = at(i + 1);
  if (c == 'u' || c == 'U') {
    const std::size_t digits = c == 'u' ? 4 : 8;
    return {i + 2 + digits, encoded_size(std::string_view(text_).substr(std::min(i + 2, text_.size()), digits))};
  }
  if (c != '\n' && c != '\r' && c != ' ' && c != '\t') return {i + 2, 1};
  ++i;  // a backslash at the end of the line joins it to the next
  while (at(i) == ' ' || at(i) == '\t' || at(i) == '\n' || at(i) == '\r') ++i;
  return {i, 0};
}

std::size_t Source::inside(std::size_t literal, std::size_t inner) const {
  const char quote = literal < text_.size() ? text_[literal] : '\0';
  std::size_t i = content(literal);
  for (std::size_t decoded = 0; decoded < inner && i < text_.size();) {
    const Step s = step(i, quote);
    decoded += s.bytes;
    i = s.next;
  }
  return i;
}

void Source::fail(std::size_t offset, const Message& message) const {
  throw error_of(place(offset) + message, where(offset));
}

}  // namespace rattleback::front
