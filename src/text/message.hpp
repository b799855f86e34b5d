// The text of a message as it is put together, with what it suggests: a name that is not known, and the nearest one that is. The
// suggestion goes along with + so that programs find it in the Error without looking for it in the text.
#pragma once

#include <string>
#include <utility>

#include "rattleback/error.hpp"

namespace rattleback {

struct Message {
  Message() = default;
  Message(std::string words)
      : text(std::move(words)) {}              // NOLINT(google-explicit-constructor): most have no suggestion
  Message(const char* words) : text(words) {}  // NOLINT(google-explicit-constructor)
  Message(std::string words, std::string nearest) : text(std::move(words)), suggestion(std::move(nearest)) {}

  [[nodiscard]] bool empty() const { return text.empty(); }

  std::string text;
  std::string suggestion;  // "": nothing was near
};

inline Message operator+(Message a, const Message& b) {
  a.text += b.text;
  if (a.suggestion.empty()) a.suggestion = b.suggestion;
  return a;
}

inline Error error_of(const Message& message, FilePlace place = {}) {
  return Error(message.text, std::move(place), message.suggestion);
}

// The same fault, told in other words or with more of them.
inline Error in_other_words(const Error& error, const std::string& text) {
  return Error(text, error.place(), error.suggestion());
}

}  // namespace rattleback
