// Tables for LaTeX: the cells, the lines, and that they say what the terminal says.
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "output/layout.hpp"
#include "output/tabular.hpp"
#include "rattleback/rattleback.hpp"

namespace rattleback {
namespace {

using report::latex_cell;
using report::Tabular;

TEST(LatexTable, NumbersAreFormulasAndNamesAreEscaped) {
  EXPECT_EQ(latex_cell("1.340e-06"), "$1.340\\cdot10^{-6}$");
  EXPECT_EQ(latex_cell("2.5e+10"), "$2.5\\cdot10^{10}$");
  EXPECT_EQ(latex_cell("1e-300"), "$1\\cdot10^{-300}$");
  EXPECT_EQ(latex_cell("7e+00"), "$7\\cdot10^{0}$");
  EXPECT_EQ(latex_cell("-0.05"), "$-0.05$");
  EXPECT_EQ(latex_cell("136 us"), "$136$\\,$\\mu$s");
  EXPECT_EQ(latex_cell("2 min 5 s"), "$2$\\,min $5$\\,s");
  EXPECT_EQ(latex_cell("time for 1e-6"), "time for $1\\cdot10^{-6}$");
  EXPECT_EQ(latex_cell("-"), "--");
  EXPECT_EQ(latex_cell(""), "");
  EXPECT_EQ(latex_cell("  of positions"), "\\quad of positions");
  EXPECT_EQ(latex_cell("spark-gauss(2)"), "spark-gauss(2)");
  EXPECT_EQ(latex_cell("my_own 100% \\input{x} $ & # ^ ~"),
            "my\\_own 100\\% \\textbackslash{}input\\{x\\} \\$ \\& \\# \\textasciicircum{} \\textasciitilde{}");
  EXPECT_EQ(latex_cell("a\x1b[2Jb\xff"), "a[2Jb") << "what is no text is left out";
  EXPECT_EQ(latex_cell("M\xc3\xbcller"), "M\xc3\xbcller");
  EXPECT_EQ(latex_cell("inf"), "inf") << "no number that is written with digits";
}

TEST(LatexTable, HasTheLinesOfBooktabs) {
  const Tabular table{{{"method", "error"}, {"a_b", "1.5e-03"}, {"c", "-"}}, {false, true}, {2}};
  EXPECT_EQ(report::latex_text(table, "What\nit is"),
            "% What it is. Needs \\usepackage{booktabs}\n"
            "\\begin{tabular}{lr}\n"
            "\\toprule\n"
            "method & error \\\\\n"
            "\\midrule\n"
            "a\\_b & $1.5\\cdot10^{-3}$ \\\\\n"
            "\\midrule\n"
            "c & -- \\\\\n"
            "\\bottomrule\n"
            "\\end{tabular}\n");
}

TEST(Tables, AreCutIntoPartsThatFitATerminal) {
  Tabular table{{{"step"}, {"0.1"}, {"slope"}}, {false}};
  for (int i = 0; i < 20; ++i) {
    table.rows[0].push_back("a-method-with-a-name(" + std::to_string(i) + ")");
    table.rows[1].push_back(std::to_string(i) + ".5");
    table.rows[2].push_back(i == 19 ? "4.00" : "-");
    table.right.push_back(true);
  }
  const std::vector<Tabular> parts = report::parts_for_terminal(table);
  ASSERT_GT(parts.size(), 3U);
  std::vector<std::string> heads;
  for (const Tabular& part : parts) {
    EXPECT_EQ(part.rows[0][0], "step");
    EXPECT_EQ(part.right.size(), part.rows[0].size());
    heads.insert(heads.end(), part.rows[0].begin() + 1, part.rows[0].end());
    std::istringstream lines(report::terminal_text(part));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(report::display_width(line), report::kTextWidth);
    EXPECT_EQ(part.rows.size(), &part == &parts.back() ? 3U : 2U) << "rows without any number";
  }
  EXPECT_EQ(heads, std::vector<std::string>(table.rows[0].begin() + 1, table.rows[0].end()));
}

// The numbers of a LaTeX text, read by somebody else.
std::vector<double> numbers(const std::string& text) {
  std::vector<double> out;
  const std::regex formula(R"(\$(-?[\d.]+)\\cdot10\^\{(-?\d+)\}\$)");
  for (auto at = std::sregex_iterator(text.begin(), text.end(), formula); at != std::sregex_iterator(); ++at)
    out.push_back(std::stod((*at)[1].str() + "e" + (*at)[2].str()));
  return out;
}

void expect_rows_of_equal_length(const std::string& text) {
  std::istringstream lines(text);
  std::size_t columns = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("\\begin{tabular}")) columns = line.size() - std::string("\\begin{tabular}{}").size();
    if (line.ends_with("\\\\"))
      EXPECT_EQ(static_cast<std::size_t>(std::count(line.begin(), line.end(), '&')) + 1, columns) << line;
  }
  EXPECT_GT(columns, 1U);
}

TEST(LatexTable, OfAnOrderStudyHasItsErrors) {
  OrderRequest request;
  request.methods = {{"spark-lobatto-ab", 3}, {"mclachlan-perlmutter", 0}};
  request.steps = {0.1, 0.05, 0.025};
  request.until = 2.0;
  const OrderReport report = order_study(load_model("skate"), request);
  const std::string text = to_latex(report);
  expect_rows_of_equal_length(text);
  const std::vector<double> found = numbers(text);
  ASSERT_EQ(found.size(), 6U) << text;
  for (std::size_t step = 0; step < 3; ++step)
    for (std::size_t method = 0; method < 2; ++method) {
      const double error = report.runs[3 * method + step].error;
      EXPECT_NEAR(found[2 * step + method], error, 5.1e-4 * error);
    }
  EXPECT_NE(text.find("slope, fitted & $4.00$ & $2.00$ \\\\"), std::string::npos) << text;
}

TEST(LatexTable, OfAComparisonHasItsErrorsAndSlopes) {
  CompareRequest request;
  request.methods = {{"spark-gauss", 2}, {"rattle", 0}};
  request.steps = {0.1, 0.05};
  request.until = 2.0;
  const Model model = load_model("skate");
  const CompareReport report = compare(model, request);
  const std::string text = to_latex(model, report);
  expect_rows_of_equal_length(text);
  const std::vector<double> found = numbers(text);
  ASSERT_GE(found.size(), 2U) << text;
  for (const std::size_t run : {0U, 1U})
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](double x) {
      return std::fabs(x - *report.runs[run].error) < 5.1e-4 * *report.runs[run].error;
    })) << text;
  EXPECT_NE(text.find("prk-lobatto(2) & $0.1$ & does not apply & "), std::string::npos) << text;
  EXPECT_NE(text.find("spark-gauss(2) & $4.00$ & $4.00$"), std::string::npos) << text;
}

}  // namespace
}  // namespace rattleback
