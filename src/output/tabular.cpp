#include "output/tabular.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/harmless.hpp"
#include "output/layout.hpp"

namespace rattleback::report {
namespace {

constexpr std::size_t kIndent = 2, kGap = 2;
constexpr std::string_view kNothing = "-";

bool is_number(std::string_view word) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return error != std::errc::invalid_argument && end == word.data() + word.size() &&
         std::any_of(word.begin(), word.end(), is_digit);
}

// "1.340e-06" is $1.340\cdot10^{-6}$, "0.1" is $0.1$.
std::string formula(std::string_view number) {
  const std::size_t e = number.find('e');
  if (e == std::string_view::npos) return fmt::format("${}$", number);
  std::string_view power = number.substr(e + 1);
  const bool negative = power.starts_with('-');
  power.remove_prefix(std::min(power.find_first_not_of("+-0"), power.size()));
  return fmt::format("${}\\cdot10^{{{}{}}}$", number.substr(0, e), negative ? "-" : "", power.empty() ? "0" : power);
}

std::string escaped(std::string_view word) {
  constexpr std::array kWords = {std::pair{'\\', "\\textbackslash{}"},
                                 std::pair{'^', "\\textasciicircum{}"},
                                 std::pair{'~', "\\textasciitilde{}"},
                                 std::pair{'<', "\\textless{}"},
                                 std::pair{'>', "\\textgreater{}"},
                                 std::pair{'|', "\\textbar{}"},
                                 std::pair{'"', "''"}};
  std::string out;
  while (!word.empty()) {
    const auto [size, harmful] = files::first_character(word);
    const char c = word.front();
    const auto* const known = std::find_if(kWords.begin(), kWords.end(), [&](const auto& w) { return w.first == c; });
    if (known != kWords.end())
      out += known->second;
    else if (std::string_view("{}$&#%_").find(c) != std::string_view::npos)
      out += fmt::format("\\{}", c);
    else if (!harmful)
      out += word.substr(0, size);
    word.remove_prefix(size);
  }
  return out;
}

// What follows a number without a gap that could be broken.
std::string unit(std::string_view word) {
  for (const std::string_view known : {"ns", "ms", "s", "min", "h"})
    if (word == known) return std::string(word);
  return word == "us" ? "$\\mu$s" : "";
}

bool has_nothing(const std::vector<std::string>& row) {
  return std::all_of(row.begin() + 1, row.end(), [](const std::string& cell) { return cell == kNothing; });
}

}  // namespace

std::string terminal_text(const Tabular& table) { return align(table.rows, kIndent, table.right); }

std::vector<Tabular> parts_for_terminal(const Tabular& table) {
  const std::size_t columns = table.rows.front().size();
  std::vector<std::size_t> widths(columns);
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  std::vector<Tabular> out;
  for (std::size_t begin = 1; begin < columns;) {
    std::size_t end = begin, width = kIndent + widths[0];
    while (end < columns && (end == begin || width + kGap + widths[end] <= kTextWidth)) width += kGap + widths[end++];
    Tabular part{{}, {table.right[0]}};
    part.right.insert(part.right.end(), table.right.begin() + static_cast<std::ptrdiff_t>(begin),
                      table.right.begin() + static_cast<std::ptrdiff_t>(end));
    for (const auto& row : table.rows) {
      std::vector<std::string> cells = {row[0]};
      cells.insert(cells.end(), row.begin() + static_cast<std::ptrdiff_t>(begin),
                   row.begin() + static_cast<std::ptrdiff_t>(end));
      if (!has_nothing(cells)) part.rows.push_back(std::move(cells));
    }
    out.push_back(std::move(part));
    begin = end;
  }
  return out;
}

std::string latex_cell(std::string_view text) {
  if (text == kNothing) return "--";
  std::string out;
  bool after_number = false;
  const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
  for (std::size_t i = 0; i < indent / 2; ++i) out += "\\quad ";
  text.remove_prefix(indent);
  while (!text.empty()) {
    const std::size_t size = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, size);
    text.remove_prefix(std::min(size + 1, text.size()));
    const std::string of_number = after_number ? unit(word) : "";
    if (!of_number.empty())
      out += "\\," + of_number;
    else
      out += fmt::format("{}{}", out.empty() || out.ends_with(' ') ? "" : " ",
                         is_number(word) ? formula(word) : escaped(word));
    after_number = is_number(word);
  }
  return out;
}

std::string latex_text(const Tabular& table, std::string_view what) {
  std::string comment = files::harmless(what);
  std::ranges::replace(comment, '\n', ' ');
  std::string text = fmt::format("% {}. Needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{", comment);
  for (const bool right : table.right) text += right ? 'r' : 'l';
  text += "}\n\\toprule\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (i == 1 || std::ranges::find(table.rules, i) != table.rules.end()) text += "\\midrule\n";
    std::vector<std::string> cells;
    for (const std::string& cell : table.rows[i]) cells.push_back(latex_cell(cell));
    text += fmt::format("{} \\\\\n", fmt::join(cells, " & "));
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace rattleback::report
