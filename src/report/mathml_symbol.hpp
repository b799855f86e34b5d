// Names as MathML: Greek letters, what stands below, dots; and the small pieces that formulas are made of.
#pragma once

#include <string>
#include <string_view>

namespace rattleback::report {

std::string tag(std::string_view name, const std::string& content);
inline std::string row(const std::string& content) { return tag("mrow", content); }

// The entity of a Greek letter; null for another name.
const char* greek(std::string_view name);
// A name, or the Greek letter that it spells.
std::string letters(std::string_view name);

// What stands below: digits at the end of a name, what follows its first "_", and an index.
struct Symbol {
  std::string base, sub;
  [[nodiscard]] std::string plain() const { return sub.empty() ? base : "<msub>" + base + sub + "</msub>"; }
  [[nodiscard]] std::string power(const std::string& exponent) const {
    return sub.empty() ? "<msup>" + base + exponent + "</msup>" : "<msubsup>" + base + sub + exponent + "</msubsup>";
  }
};
// `primed`: with the dot of a time derivative.
Symbol symbol(std::string_view name, bool primed, const std::string& index = {});

// Characters that are to be seen, counted as if they stood in one line.
std::size_t width_of(std::string_view mathml);

}  // namespace rattleback::report
