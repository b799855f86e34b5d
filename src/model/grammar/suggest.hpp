// Help for a name that is not known: the nearest one that is, and a short list of all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/message.hpp"

namespace rattleback::front {

// Number of insertions, deletions, replacements and swaps of neighbours between two names; a change of case counts less.
double edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name`, or "" when none is near enough to be meant.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

// "Did you mean `theta`? ", which suggests it, or "".
Message did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

// "a, b, c" in alphabetical order; long lists are cut ("... and 30 more").
std::string listed(std::vector<std::string> names);

// The shortest text that reads back as the same number.
std::string number_text(double value);

}  // namespace rattleback::front
