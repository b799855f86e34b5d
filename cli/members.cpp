#include "members.hpp"

#include <limits>

#include <fmt/format.h>

#include "common.hpp"
#include "files/read.hpp"
#include "study/members.hpp"
#include "text/parts.hpp"

namespace rattleback::cli {
namespace {

std::string read_text(const std::string& path) {
  files::FileText file = files::read_text(path, files::kLargestTable);
  if (!file.fault.empty()) throw Error(fmt::format("--starts: '{}' {}", path, file.fault), {.file = path});
  return std::move(file.text);
}

// NAME=A:B:N, or NAME=A,B,C. Commas within brackets belong to an expression.
void read_range(Arguments& a, const std::string& text, std::vector<MemberOptions::Range>& ranges) {
  const auto shape = [&](const std::string& why) {
    a.fault(
        fmt::format("--vary takes NAME=A:B:N, N values from A to B, for example z0=-1:1:11, or a list of values "
                    "NAME=A,B,..., for example r=0.1,0.2, found '{}'{}",
                    text, why));
  };
  const auto equals = text.find('=');
  const std::string name = text.substr(0, equals), rest = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (name.empty() || rest.empty()) return shape("");
  const std::string option = "--vary " + text;
  std::vector<std::string> parts = split(rest, ':');
  if (parts.size() == 1) {
    std::vector<std::string> values = parts_outside_brackets(rest, ',');
    for (const std::string& value : values)
      if (value.empty()) return shape(": a value is missing");
    ranges.push_back({option, name, "", "", 0, std::move(values)});
    return;
  }
  if (parts.size() != 3 || parts[0].empty() || parts[1].empty()) return shape("");
  const Number n = parse_number(parts[2]);
  if (!n.fault.empty() || n.value != static_cast<double>(static_cast<std::int64_t>(std::min(n.value, 1e15))))
    return shape(fmt::format(": '{}' is not a whole number", parts[2]));
  if (n.value < 1.0) return shape(fmt::format(": N must be at least 1, found {}", parts[2]));
  ranges.push_back({option, name, parts[0], parts[1], static_cast<std::int64_t>(n.value)});
}

}  // namespace

void add_member_options(Arguments& a, bool with_random) {
  a.value("--starts", "FILE.csv", "one start per row; the header row names parameters and start values");
  a.values(
      "--vary", "NAME=A:B:N",
      "N values from A to B of a parameter or a start value, or a list: --vary z0=-1:1:11 --vary r=0.1,0.2; several "
      "make all combinations");
  if (!with_random) return;
  a.value("--random", "N", "N members with normally distributed values");
  a.values("--spread", "NAME=SIGMA", "of --random: the standard deviation of a parameter or a start value");
  a.value("--energy", "E",
          "of --random: starts with this energy, which the constraints allow: positions as --spread says, velocities "
          "uniform on the surface");
  a.value("--seed", "K", "of --random: another seed gives other members. Default: 1");
}

MemberOptions read_member_options(Arguments& a, bool needed) {
  MemberOptions options;
  options.file = a.text("--starts");
  if (options.file && options.file->empty()) a.fault("--starts needs the name of a file");
  for (const std::string& text : a.texts("--vary")) read_range(a, text, options.ranges);
  options.random = a.whole("--random", 1);
  if (const auto seed = a.whole("--seed", 0)) options.seed = static_cast<std::uint64_t>(*seed);
  for (const auto& [name, value] : a.assignments("--spread"))
    options.spreads.push_back({fmt::format("--spread {}={}", name, value), name, value});

  std::vector<std::string> given;
  for (const char* name : {"--starts", "--vary", "--random"})
    if (a.has(name)) given.emplace_back(name);
  if (given.size() > 1) a.fault(fmt::format("{} and {} both name the members; give one of them", given[0], given[1]));
  if (needed && given.empty())
    a.fault("ensemble needs its members: --vary NAME=A:B:N, --random N --spread NAME=SIGMA, or --starts FILE.csv");
  options.energy = a.text("--energy");
  if (a.has("--random") && !a.has("--spread") && !a.has("--energy"))
    a.fault("--random needs --spread NAME=SIGMA: which parameter or start value varies, and how much");
  for (const char* name : {"--spread", "--seed", "--energy"})
    if (a.has(name) && !a.has("--random")) a.fault(fmt::format("{} needs --random N", name));
  return options;
}

Members make_members(const Model& model, const MemberOptions& options) {
  if (options.file) return members_from_csv(read_text(*options.file), *options.file);
  if (options.random) {
    std::vector<Spread> spreads;
    for (const auto& s : options.spreads) spreads.push_back({s.name, evaluate_number(model, s.option, s.value)});
    if (options.energy)
      return members_on_energy(model, evaluate_number(model, "--energy " + *options.energy, *options.energy), spreads,
                               *options.random, options.seed);
    return members_at_random(model, spreads, *options.random, options.seed);
  }
  if (options.ranges.empty()) return {};
  std::vector<Variation> variations;
  for (const auto& r : options.ranges) {
    Variation& v = variations.emplace_back(Variation{.name = r.name, .count = r.count});
    for (const std::string& value : r.values) v.values.push_back(evaluate_number(model, r.option, value));
    if (!r.values.empty()) continue;
    v.from = evaluate_number(model, r.option, r.from);
    v.to = evaluate_number(model, r.option, r.to);
  }
  return members_on_grid(variations);
}

void add_run_options(Arguments& a, Place verb, OptionWords words) {
  words.insert(words.end(), {{"method", "default: the model's, else the one that run takes"},
                             {"step", "the fixed step. Default: the model's"}});
  add_options(a, verb, words);
  a.value("--threads", "K", "how many members run at once. Default: as many as the machine has cores");
  add_model_options(a);
}

void read_run_options(Arguments& a, Place verb, Options& options, int& threads) {
  if (const auto k = a.whole("--threads", 1)) {
    if (*k > 1024)
      a.fault(fmt::format("--threads must be at most 1024, found {}", *k));
    else
      threads = static_cast<int>(*k);
  }
  read_options(a, verb, options);
}

}  // namespace rattleback::cli
