#include "model/grammar/suggest.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace rattleback::front {

double edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  const std::size_t n = b.size();
  std::vector<double> before(n + 1), row(n + 1), next(n + 1);
  for (std::size_t j = 0; j <= n; ++j) row[j] = static_cast<double>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = static_cast<double>(i);
    for (std::size_t j = 1; j <= n; ++j) {
      const double change = a[i - 1] == b[j - 1] ? 0.0 : lower(a[i - 1]) == lower(b[j - 1]) ? 0.25 : 1.0;
      next[j] = std::min({row[j] + 1.0, next[j - 1] + 1.0, row[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1.0);
    }
    before.swap(row);
    row.swap(next);
  }
  return row[n];
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > 64) return {};
  std::string best;
  double least = std::max(1.0, static_cast<double>(name.size()) / 3.0) + 1e-9;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > 64) continue;
    double d = edit_distance(name, candidate);
    if (name.size() > 1 && candidate.starts_with(name)) d = std::min(d, 0.9);
    const double longest = static_cast<double>(std::max(name.size(), candidate.size()));
    if (d < least && d < longest / 2.0) {  // most of the name must be the same
      least = d;
      best = candidate;
    }
  }
  return best;
}

Message did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string best = nearest(name, candidates);
  return best.empty() ? Message() : Message("Did you mean `" + best + "`? ", best);
}

std::string listed(std::vector<std::string> names) {
  constexpr std::size_t kShown = 18;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kShown) text += " ... and " + std::to_string(names.size() - kShown) + " more";
  return text.empty() ? "nothing" : text;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";  // its sign says nothing
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

}  // namespace rattleback::front
