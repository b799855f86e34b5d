// Tables of words and numbers, described once: for a terminal, and for a LaTeX document.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rattleback::report {

struct Tabular {
  std::vector<std::vector<std::string>> rows;  // as a terminal shows them; the first one has the heads
  std::vector<bool> right;                     // which columns are aligned on the right
  std::vector<std::size_t> rules = {};         // rows before which LaTeX draws a line, besides the usual ones
};

std::string terminal_text(const Tabular& table);

// Tables with the first column and as many of the others as a terminal is wide; rows that have nothing but "-" in a part are
// left out there.
std::vector<Tabular> parts_for_terminal(const Tabular& table);

// A tabular environment with the lines of the package booktabs. Words that are numbers become formulas,
// $1.34\cdot10^{-6}$, and everything else is escaped. `what` stands above it as a comment.
std::string latex_text(const Tabular& table, std::string_view what);

// One text of a cell.
std::string latex_cell(std::string_view text);

}  // namespace rattleback::report
