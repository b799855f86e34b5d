// --starts, --vary, --random, --seed, --spread: the members of a section or an ensemble.
#pragma once

#include <optional>

#include "common.hpp"
#include "rattleback/analysis.hpp"

namespace rattleback::cli {

// What was asked for; values may be expressions of the model's parameters, so they are read when the model is there.
struct MemberOptions {
  struct Range {
    std::string option, name, from, to;
    std::int64_t count = 0;
    std::vector<std::string> values = {};  // instead: these
  };
  struct Sigma {
    std::string option, name, value;
  };
  std::optional<std::string> file;
  std::vector<Range> ranges;
  std::optional<std::int64_t> random;
  std::uint64_t seed = 1;
  std::vector<Sigma> spreads;
  std::optional<std::string> energy;
};

void add_member_options(Arguments& a, bool with_random);
// Collects faults. `needed`: one of them must be there.
MemberOptions read_member_options(Arguments& a, bool needed);
// Throws Error.
Members make_members(const Model& model, const MemberOptions& options);

// Options of the runs of a section or an ensemble: those of the table, and --threads and those of common.hpp. `words`: the help of
// options that mean something else there.
void add_run_options(Arguments& a, Place verb, OptionWords words);
void read_run_options(Arguments& a, Place verb, Options& options, int& threads);

}  // namespace rattleback::cli
