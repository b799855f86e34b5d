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
    std::pair<std::string_view, std::string_view>{"--set", "Options::parameters"},
    std::pair<std::string_view, std::string_view>{"--start", "Options::q0 and v0"},
    std::pair<std::string_view, std::string_view>{"--keep", "Model::keep_q and keep_v"},
    std::pair<std::string_view, std::string_view>{"--audit power", "Options::audit_power"},
    std::pair<std::string_view, std::string_view>{"--audit reverse", "Options::audit_reverse"},
    std::pair<std::string_view, std::string_view>{"--audit order", "Options::audit_order"},
    std::pair<std::string_view, std::string_view>{"`rattleback methods`", "methods()"},
};
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
    const bool apart = out.empty() || !(is_letter(out.back()) || out.back() == '`');
    if (other != kOthers.end()) {
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
