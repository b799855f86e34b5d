#include "text/words.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>
#include <utility>

#include "rattleback/error.hpp"

namespace rattleback {
namespace {

std::atomic<Words> spoken = Words::fields;

// What is no field of Options of the same name.
constexpr std::array kOthers = {
    std::pair<std::string_view, std::string_view>{"--set", "Options::parameters or Model::with()"},
    std::pair<std::string_view, std::string_view>{"--start", "Options::q0 and v0 or Model::with()"},
    std::pair<std::string_view, std::string_view>{"--keep", "Model::keep_q and keep_v"},
    std::pair<std::string_view, std::string_view>{"--audit power", "Options::audit_power"},
    std::pair<std::string_view, std::string_view>{"--audit reverse", "Options::audit_reverse"},
    std::pair<std::string_view, std::string_view>{"--audit order", "Options::audit_order"},
    std::pair<std::string_view, std::string_view>{"`rattleback methods`", "methods()"},
};
// What is given with NAME=VALUE behind it, whichever function of the library took it.
constexpr std::array kAssigned = {std::pair<std::string_view, std::string_view>{"--set ", "parameters"},
                                  std::pair<std::string_view, std::string_view>{"--start ", "start"}};
constexpr std::string_view kCheck = "`rattleback check";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '-'; }

// The length of " T" at the beginning: what a flag takes, which a field has by itself.
std::size_t placeholder(std::string_view rest) {
  const auto is_large = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (rest.size() < 2 || rest[0] != ' ') return 0;
  std::size_t end = 1;
  while (end < rest.size() && is_large(rest[end])) ++end;
  return end > 1 && (end == rest.size() || std::string_view(" ,.;:)`'\n").find(rest[end]) != std::string_view::npos)
             ? end
             : 0;
}

// Values of options that are words as others are.
constexpr std::array<std::string_view, 12> kValues = {"ggl",   "ode", "baumgarte",  "rattle", "simplified", "recursion",
                                                      "stage", "pi",  "reversible", "on",     "off",        "auto"};

// The length of " VALUE" at the beginning: a number, or a name that is no word of a sentence.
std::size_t value_of_option(std::string_view rest) {
  if (rest.size() < 2 || rest[0] != ' ') return 0;
  std::string_view word = rest.substr(1, rest.find_first_of(" ,;:)`'\n", 1) - 1);
  while (word.ends_with('.')) word.remove_suffix(1);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool number = !word.empty() && (is_digit(word[0]) || (word.size() > 1 && word[0] == '-' && is_digit(word[1])));
  const bool plain = std::all_of(word.begin(), word.end(), [&](char c) { return is_letter(c) || is_digit(c); });
  const bool name = plain && !word.empty() && is_letter(word[0]) && word[0] != '-' &&
                    std::any_of(word.begin(), word.end(), [&](char c) { return is_digit(c) || c == '-'; });
  const bool known = std::find(kValues.begin(), kValues.end(), word) != kValues.end();
  return number || name || known ? 1 + word.size() : 0;
}

// The length of NAME=VALUE at the beginning, which punctuation or another word ends; 0: there is none.
std::size_t assignment(std::string_view rest) {
  std::size_t end = rest.size();
  for (const std::string_view mark : {":", ", ", "; ", ". ", " and ", " or ", "`", "\n"})
    end = std::min(end, rest.find(mark));
  if (end == rest.size() && rest.ends_with('.')) --end;
  const std::size_t equals = rest.substr(0, end).find('=');
  return equals == 0 || equals == std::string_view::npos || rest.substr(0, equals).find(' ') != std::string_view::npos
             ? 0
             : end;
}

// "g=1" as "{g = 1}".
std::string assigned(std::string_view text) {
  const std::size_t equals = text.find('=');
  return std::string("{").append(text.substr(0, equals)).append(" = ").append(text.substr(equals + 1)).append("}");
}

}  // namespace

void speak_in(Words words) { spoken = words; }

std::string in_words(std::string text) {
  if (spoken == Words::flags) return text;
  std::string out;
  std::string_view rest = text;
  const auto begins = [&](std::string_view word) {
    return rest.starts_with(word) && (rest.size() == word.size() || !is_letter(rest[word.size()]));
  };
  while (!rest.empty()) {
    const auto other = std::find_if(kOthers.begin(), kOthers.end(), [&](const auto& x) { return begins(x.first); });
    const auto given = std::find_if(kAssigned.begin(), kAssigned.end(), [&](const auto& x) {
      return rest.starts_with(x.first) && assignment(rest.substr(x.first.size())) > 0;
    });
    const bool apart = out.empty() || !(is_letter(out.back()) || out.back() == '`');
    if (given != kAssigned.end()) {
      rest.remove_prefix(given->first.size());
      const std::size_t length = assignment(rest);
      out.append(given->second).append(" ").append(assigned(rest.substr(0, length)));
      rest.remove_prefix(length);
    } else if (other != kOthers.end()) {
      out += other->second;
      rest.remove_prefix(other->first.size());
    } else if (rest.starts_with(kCheck) && rest.find('`', 1) != std::string_view::npos) {
      out += "check()";
      rest.remove_prefix(rest.find('`', 1) + 1);
    } else if (apart && rest.size() > 2 && rest.starts_with("--") && rest[2] >= 'a' && rest[2] <= 'z') {
      out += "Options::";
      for (rest.remove_prefix(2); !rest.empty() && is_letter(rest.front()); rest.remove_prefix(1))
        out += rest.front() == '-' ? '_' : rest.front();
      rest.remove_prefix(placeholder(rest));
      if (const std::size_t value = value_of_option(rest); value > 0) {
        out.append(" =").append(rest.substr(0, value));
        rest.remove_prefix(value);
      }
    } else {
      out += rest.front();
      rest.remove_prefix(1);
    }
  }
  return out;
}

Error::Error(const std::string& message, FilePlace place, std::string suggestion)
    : std::runtime_error(in_words(message)),
      facts_(std::make_shared<const Facts>(Facts{std::move(place), in_words(std::move(suggestion))})) {}

const FilePlace& Error::place() const noexcept { return facts_->place; }

const std::string& Error::suggestion() const noexcept { return facts_->suggestion; }

}  // namespace rattleback
