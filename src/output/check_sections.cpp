#include "output/check_sections.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "output/layout.hpp"

namespace rattleback::report {
namespace {

constexpr std::size_t kShownSymmetries = 12;

std::string verdict_text(const SymmetryCheck& s) {
  if (s.conserved) return "its momentum L_v xi is kept";
  if (!s.of_lagrangian) return "the Lagrangian is not invariant";
  if (!s.of_constraints)
    return "the Lagrangian is invariant, but the constraints push along it: its momentum is not kept";
  return "the Lagrangian is invariant, but a force acts along it: its momentum is not kept";
}

// As in a table [symmetries.NAME].
std::string field_text(const FoundSymmetry& s) {
  constexpr std::size_t kShown = 24;  // of a large system only the first few
  const std::size_t shown = s.field.size() > kShown ? kShown / 4 : s.field.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("{}{} = \"{}\"", i == 0 ? "" : ", ", s.field[i].first, s.field[i].second);
  if (shown < s.field.size())
    text += fmt::format(" ... and {} more coordinates (--json gives all)", s.field.size() - shown);
  return text;
}

std::string found_list(const CheckReport& r, bool conserved, const char* heading) {
  std::string text;
  std::size_t count = 0;
  for (const FoundSymmetry& s : r.found_symmetries)
    if (s.conserved == conserved && ++count <= kShownSymmetries) text += wrap(field_text(s), "    ", "      ");
  if (count > kShownSymmetries)
    text += fmt::format("    ... and {} more (--json gives all)\n", count - kShownSymmetries);
  return text.empty() ? text : wrap(heading, "  ", "    ") + text;
}

// Matrices and vectors, their names beside the first entries.
std::string entries_table(const std::vector<CheckReport::MatrixText>& list) {
  constexpr std::size_t kLongest = 100;
  std::vector<std::vector<std::string>> rows;
  for (const CheckReport::MatrixText& m : list)
    for (const auto& [place, value] : m.entries)
      rows.push_back({&place == &m.entries.front().first ? m.name : "", place, "=",
                      value.size() > kLongest ? value.substr(0, kLongest) + " ... (--json gives all)" : value});
  return align(rows, 2);
}

}  // namespace

std::string symmetry_section(const CheckReport& r) {
  if (r.symmetries.empty() && r.found_symmetries.empty()) return {};
  std::string text = "\nSymmetries\n";
  for (const SymmetryCheck& s : r.symmetries)
    text += wrap(fmt::format("{}: {}", s.name, verdict_text(s)), "  ", "    ");
  text += found_list(r, true, "Found, with momenta that are kept:");
  text += found_list(r, false, "Found, of the Lagrangian only (constraints or forces push along them):");
  return text;
}

std::string port_hamiltonian_table(const CheckReport& r) {
  return "\nPort-Hamiltonian form: E x' + r = (J - R) z + (B - P) u\n" + entries_table(r.port_hamiltonian);
}

std::string reduced_table(const CheckReport& r) {
  std::vector<CheckReport::MatrixText> list = r.reduced;
  std::string where;
  if (!list.empty() && list.back().name == "degenerate") {
    for (const auto& [place, formula] : list.back().entries) where += (where.empty() ? "" : ", ") + formula;
    list.pop_back();
  }
  std::string text =
      "\nReduced form: q' = X y, rho' = -X^T H_q + C y" +
      std::string(std::ranges::find(list, "F", &CheckReport::MatrixText::name) != list.end() ? " + F" : "") +
      ", with y = H_rho, rho = X^T L_vv v, C skew\n" + entries_table(list);
  if (!where.empty())
    text += '\n' +
            wrap(fmt::format("Where one of these is 0 the frame X may not span all velocities: {}.", where), "", "  ");
  return text;
}

}  // namespace rattleback::report
