// A model text and places in it. Everything that can be wrong has a place, and every message begins with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/message.hpp"

namespace rattleback::front {

class Source {
 public:
  Source(std::string file, std::string text);
  // Of what has no text: its places are all the same, "origin: ".
  explicit Source(std::string origin) : file_(std::move(origin)) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool is_ascii() const { return ascii_; }
  [[nodiscard]] bool has_places() const { return !line_starts_.empty(); }

  // Columns count characters (UTF-8), from 1. Of what has no text: nowhere.
  [[nodiscard]] FilePlace where(std::size_t offset) const;
  // "file:line:column: "
  [[nodiscard]] std::string place(std::size_t offset) const;
  // Byte offset of a line and column (both from 1, columns in characters).
  [[nodiscard]] std::size_t offset(std::size_t line, std::size_t column) const;
  // Byte offset of byte `inner` of the TOML string that starts (with its quote) at `literal`; bare keys and numbers count
  // from `literal` itself.
  [[nodiscard]] std::size_t inside(std::size_t literal, std::size_t inner) const;

  // Walking through a TOML string: where its content begins, and one step (the next place, and how many bytes of content
  // the step was: an escape is one step).
  [[nodiscard]] std::size_t content(std::size_t literal) const;
  struct Step {
    std::size_t next, bytes;
  };
  [[nodiscard]] Step step(std::size_t offset, char quote) const;

  [[noreturn]] void fail(std::size_t offset, const Message& message) const;

 private:
  std::string file_, text_;
  std::vector<std::size_t> line_starts_;
  bool ascii_ = true;
};

}  // namespace rattleback::front
