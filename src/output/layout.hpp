// Text for a terminal of 100 columns: wrapped paragraphs, aligned columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rattleback::report {

inline constexpr std::size_t kTextWidth = 100;

// Columns that a UTF-8 text takes (accents and Greek letters count one).
std::size_t display_width(std::string_view text);
std::string pad(std::string_view text, std::size_t width);       // blanks behind
std::string pad_left(std::string_view text, std::size_t width);  // blanks in front

// Breaks at blanks into lines of at most kTextWidth. The first starts with `first`, the others with `next`; each ends
// with a line feed.
std::string wrap(std::string_view text, std::string_view first, std::string_view next);

// Rows of cells in columns two blanks apart, each line indented by `indent`; column i is right-aligned if
// right.find(i). The last column is not padded.
std::string align(const std::vector<std::vector<std::string>>& rows, std::size_t indent,
                  const std::vector<bool>& right = {});

}  // namespace rattleback::report
