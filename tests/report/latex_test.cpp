// Formulas as LaTeX: the same tree as the MathML, and documents that are balanced and use nothing that amsmath does not have.
#include "report/mathml_latex.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "model/grammar/formula.hpp"
#include "rattleback/error.hpp"
#include "rattleback/write.hpp"
#include "report/mathml.hpp"

namespace rattleback::report {
namespace {

std::string latex(const std::string& text) {
  std::string all;
  for (const std::string& term : math_terms(front::Formula("test", "a formula", text))) all += latex_of(term);
  return all;
}

TEST(Latex, WritesSumsProductsPowersAndFractions) {
  EXPECT_EQ(latex("a + b*c - d"), "a+bc-d");
  EXPECT_EQ(latex("x^2"), "x^{2}");
  EXPECT_EQ(latex("-(a + b)^2"), "-{(a+b)}^{2}");
  EXPECT_EQ(latex("m*g/(2*l)"), "\\frac{mg}{2l}");
  EXPECT_EQ(latex("alpha*x"), "\\alpha x");
  EXPECT_EQ(latex("length*x"), "\\mathit{length}\\,x");
}

TEST(Latex, WritesNamesWithDotsAndIndices) {
  EXPECT_EQ(latex("x'"), "\\dot{x}");
  EXPECT_EQ(latex("theta1'^2"), "\\dot{\\theta}_{1}^{2}");
  EXPECT_EQ(latex("x_tip"), "x_{\\mathit{tip}}");
  EXPECT_EQ(latex("lambda(rod)*x"), "\\lambda_{\\mathit{rod}}x");
}

TEST(Latex, WritesFunctionsAndPieces) {
  EXPECT_EQ(latex("sin(theta)^2*x"), "\\sin^{2}(\\theta)x");
  EXPECT_EQ(latex("sqrt(x + 1)"), "\\sqrt{x+1}");
  EXPECT_EQ(latex("exp(-t)"), "\\mathrm{e}^{-t}");
  EXPECT_EQ(latex("atan2(y, x)"), "\\operatorname{atan2}(y,x)");
  EXPECT_EQ(latex("if(x < 0, -x, x)"),
            "\\left\\{\\begin{array}{ll}-x & \\text{if~}x<0 \\\\ x & \\text{otherwise}\\end{array}\\right.");
}

TEST(Latex, EscapesWhatIsACommand) {
  EXPECT_EQ(latex_text("50% of {a_b} & \\x^2~#$"),
            "50\\% of \\{a\\_b\\} \\& \\textbackslash{}x\\textasciicircum{}2\\textasciitilde{}\\#\\$");
}

// What LaTeX would stop at: braces, environments, \left and \right, commands that nobody defines, & outside of tables.
std::string fault_of(const std::string& text) {
  static const std::set<std::string> kKnown = {"documentclass",
                                               "usepackage",
                                               "allowdisplaybreaks",
                                               "begin",
                                               "end",
                                               "section",
                                               "subsection",
                                               "noindent",
                                               "frac",
                                               "mathrm",
                                               "mathit",
                                               "left",
                                               "right",
                                               "text",
                                               "texttt",
                                               "dot",
                                               "sqrt",
                                               "surd",
                                               "operatorname",
                                               "cdot",
                                               "times",
                                               "sum",
                                               "le",
                                               "ge",
                                               "sin",
                                               "cos",
                                               "tan",
                                               "arcsin",
                                               "arccos",
                                               "arctan",
                                               "sinh",
                                               "cosh",
                                               "tanh",
                                               "ln",
                                               "min",
                                               "max",
                                               "infty",
                                               "textbackslash",
                                               "textasciicircum",
                                               "textasciitilde",
                                               "alpha",
                                               "beta",
                                               "gamma",
                                               "delta",
                                               "varepsilon",
                                               "zeta",
                                               "eta",
                                               "theta",
                                               "iota",
                                               "kappa",
                                               "lambda",
                                               "mu",
                                               "nu",
                                               "xi",
                                               "pi",
                                               "rho",
                                               "sigma",
                                               "tau",
                                               "upsilon",
                                               "varphi",
                                               "chi",
                                               "psi",
                                               "omega",
                                               "Gamma",
                                               "Delta",
                                               "Theta",
                                               "Lambda",
                                               "Xi",
                                               "Pi",
                                               "Sigma",
                                               "Upsilon",
                                               "Phi",
                                               "Psi",
                                               "Omega",
                                               "ell"};
  std::vector<std::string> open;
  bool dollar = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      i = text.find('\n', i);
      continue;
    }
    if (c == '{') open.emplace_back("{");
    if (c == '}') {
      if (open.empty() || open.back() != "{") return "a brace too many at " + text.substr(i > 40 ? i - 40 : 0, 60);
      open.pop_back();
    }
    if (c == '$') dollar = !dollar;
    if (c == '&' && (open.empty() || (open.back() != "align*" && open.back() != "array")))
      return "& at " + text.substr(i > 40 ? i - 40 : 0, 60);
    if ((c == '^' || c == '_') && !dollar && std::find(open.begin(), open.end(), "align*") == open.end())
      return "mathematics in text";
    if (c != '\\') continue;
    std::string name;
    while (i + 1 < text.size() && std::isalpha(static_cast<unsigned char>(text[i + 1])) != 0) name += text[++i];
    if (name.empty()) {
      ++i;
      continue;
    }
    if (!kKnown.contains(name)) return "unknown command " + name;
    if (name == "begin" || name == "end") {
      const std::string what = text.substr(i + 2, text.find('}', i) - i - 2);
      if (name == "begin") {
        open.push_back(what);
      } else {
        if (open.empty() || open.back() != what) return "end of " + what;
        open.pop_back();
      }
      i = text.find('}', i);
      if (name == "begin" && what == "array") i = text.find('}', i + 1);
    } else if (name == "left") {
      open.emplace_back("left");
      if (text[i + 1] == '\\') ++i;
      ++i;
    } else if (name == "right") {
      if (open.empty() || open.back() != "left") return "right without left";
      open.pop_back();
      if (text[i + 1] == '\\') ++i;
      ++i;
    }
  }
  return open.empty() && !dollar ? "" : "not closed: " + (open.empty() ? "$" : open.back());
}

TEST(Latex, CheckerSeesFaults) {
  EXPECT_EQ(fault_of("$x_{1}$"), "");
  EXPECT_NE(fault_of("$x_{1$"), "");
  EXPECT_NE(fault_of("\\begin{align*} \\left( x \\end{align*}"), "");
  EXPECT_NE(fault_of("\\wrong"), "");
  EXPECT_NE(fault_of("a & b"), "");
}

TEST(Latex, OfShippedSystemsIsBalanced) {
  int written = 0;
  for (const ShippedModel& shipped : shipped_models()) {
    const Model model = load_model(std::string(shipped.key));
    std::string text;
    try {
      text = to_latex(model);
    } catch (const Error& why) {
      EXPECT_NE(std::string(why.what()).find("has no LaTeX form: it"), std::string::npos)
          << shipped.key << ": " << why.what();
      continue;
    }
    ++written;
    EXPECT_EQ(fault_of(text), "") << shipped.key << "\n" << text;
  }
  EXPECT_GT(written, 12);
}

TEST(Latex, HasLagrangianConstraintsAndEquationsOfMotion) {
  const std::string text = to_latex(load_model("pendulum"));
  for (const char* part : {"\\documentclass{article}", "\\usepackage{amsmath}", "\\subsection*{Lagrangian}", "L ={}& ",
                           "\\subsection*{Constraints}", "\\text{(rod)}", "\\subsection*{Equations of motion}",
                           "\\frac{\\mathrm{d}}{\\mathrm{d}t}\\left(", "\\lambda_{\\mathit{rod}}", "\\end{document}"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace rattleback::report
