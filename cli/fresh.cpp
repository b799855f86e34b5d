// `rattleback new`: a commented model file to begin with.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "arguments.hpp"
#include "model/grammar/suggest.hpp"
#include "model/keys.hpp"
#include "model/starters.hpp"
#include "rattleback/error.hpp"
#include "verbs.hpp"

namespace rattleback::cli {
namespace {

std::string kinds(const char* between) {
  std::string all;
  for (const front::FileKind& kind : front::file_kinds())
    all += fmt::format("{}{}", all.empty() ? "" : between, kind.name);
  return all;
}

// pendulum, or pendulum.toml. A path is refused, so that a slip of the finger makes no file somewhere else.
std::string stem_of(const std::string& name) {
  std::string stem = name.substr(0, name.size() - (name.ends_with(".toml") ? 5 : 0));
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  constexpr std::size_t kLongest = 100;
  if (stem.empty() || stem[0] == '-' || stem.size() > kLongest || !std::all_of(stem.begin(), stem.end(), good))
    throw Error(
        fmt::format("'{}' is no name for a model: letters, digits, - and _, at most {} of them. The file is "
                    "written in the folder where you are, as NAME.toml",
                    name.substr(0, kLongest), kLongest));
  return stem;
}

std::string_view text_of(const std::string& kind) {
  for (const front::Starter& starter : front::starters())
    if (starter.kind == kind) return starter.text;
  std::vector<std::string> known;
  for (const front::FileKind& each : front::file_kinds()) known.emplace_back(each.name);
  throw error_of(fmt::format("--kind: there is no kind of system '{}'. ", kind.substr(0, 60)) +
                 front::did_you_mean(kind, known) + "Kinds: " + kinds(", "));
}

std::string filled(std::string_view text, std::string_view mark, const std::string& value) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find(mark, at), text.size());
    out += text.substr(at, next - at);
    if (next < text.size()) out += value;
    at = next + (next < text.size() ? mark.size() : 0);
  }
  return out;
}

// Never over a file that is there, also when it comes to be there just now.
void write_new(const std::string& file, const std::string& text) {
  std::FILE* const out = std::fopen(file.c_str(), "wx");
  if (out == nullptr && errno == EEXIST)
    throw Error(fmt::format("{} is there already, and is not replaced. Give another name", file), {.file = file});
  if (out == nullptr) throw Error(fmt::format("{} cannot be written: {}", file, std::strerror(errno)), {.file = file});
  const bool whole = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (std::fclose(out) == 0 && whole) return;
  const int fault = errno;
  std::remove(file.c_str());
  throw OutputFailed{fmt::format("{} cannot be written: {}", file, std::strerror(fault))};
}

}  // namespace

Arguments declare_fresh() {
  Arguments a("new", "Writes NAME.toml, a commented model file that runs as it is, to begin with.",
              "rattleback new my-pendulum");
  a.name("NAME", "what the file is called, without .toml");
  a.value("--kind", kinds("|"), "the kind of system. Default: mechanical");
  return a;
}

int fresh(const Words& words) {
  Arguments a = declare_fresh();
  if (!a.parse(words)) return kDone;
  std::string stem, kind = a.text("--kind").value_or(std::string(front::file_kinds().front().name)), text;
  std::replace(kind.begin(), kind.end(), '_', '-');
  if (!a.name_list().empty()) a.collect([&] { stem = stem_of(a.name_list().front()); });
  a.collect([&] { text = text_of(kind); });
  a.refuse_if_faulty();

  const std::string file = stem + ".toml";
  write_new(file, filled(filled(text, "@NAME@", stem), "@FILE@", file));
  print(fmt::format("Written to {}: {}. Next:\n  rattleback check {}\n  rattleback run {}", file,
                    kind == "interconnection" ? "an interconnection" : fmt::format("a system of kind {}", kind), file,
                    file));
  return kDone;
}

}  // namespace rattleback::cli
