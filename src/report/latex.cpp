// The equations of motion of a mechanical system as a LaTeX document.
#include <algorithm>

#include <fmt/format.h>

#include "audit/formula_text.hpp"
#include "expr/vectors.hpp"
#include "model/grammar/formula.hpp"
#include "rattleback/error.hpp"
#include "rattleback/write.hpp"
#include "report/mathml.hpp"
#include "report/mathml_latex.hpp"
#include "system/system.hpp"

namespace rattleback {
namespace {

using namespace report;

constexpr std::size_t kWide = 110;       // characters of LaTeX beyond which a line is broken
constexpr std::size_t kMostNames = 200;  // of coordinates and constraints

// The terms of a formula in the syntax of model files; what cannot be read is shown as it is.
std::vector<std::string> terms(const std::string& formula) {
  std::vector<std::string> out;
  try {
    for (const std::string& term : math_terms(front::Formula("latex", "a formula", formula)))
      out.push_back(latex_of(term));
  } catch (const Error&) {
    out.push_back("\\text{\\texttt{" + latex_text(formula) + "}}");
  }
  return out;
}

std::string line_of(const std::string& formula) {
  std::string out;
  for (const std::string& term : terms(formula)) out += (out.empty() ? "" : " ") + term;
  return out;
}

// Where a line may end in a term: at the signs of a sum in plain parentheses, outside of braces and of \left and \right.
std::vector<std::string> pieces(const std::string& term) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (std::size_t i = 0; i < term.size(); ++i) {
    const auto follows = [&](std::string_view word) { return term.compare(i, word.size(), word) == 0; };
    depth += term[i] == '{' || follows("\\left") ? 1 : term[i] == '}' || follows("\\right") ? -1 : 0;
    if (depth == 0 && out.back().size() > kWide / 2 && i > 0 && term[i - 1] != '(' &&
        (term[i] == '+' || term[i] == '-'))
      out.emplace_back();
    out.back() += term[i];
  }
  return out;
}

// left & = terms, broken between terms.
std::string equation(const std::string& left, const std::string& formula) {
  std::string out = left + " ={}& ";
  std::size_t width = left.size();
  for (const std::string& term : terms(formula))
    for (const std::string& piece : term.size() > kWide ? pieces(term) : std::vector<std::string>{term}) {
      if (width > 0 && width + piece.size() > kWide) {
        out += " \\\\\n  & ";
        width = 0;
      } else if (width > left.size()) {
        out += ' ';
      }
      out += piece;
      width += piece.size() + 1;
    }
  return out;
}

std::string align(const std::vector<std::string>& equations) {
  if (equations.empty()) return {};
  std::string out = "\\begin{align*}\n";
  for (std::size_t i = 0; i < equations.size(); ++i)
    out += equations[i] + (i + 1 < equations.size() ? " \\\\\n" : "\n");
  return out + "\\end{align*}\n";
}

std::string section(const char* heading, const std::string& content) {
  return content.empty() ? "" : fmt::format("\n\\subsection*{{{}}}\n{}", heading, content);
}

class Document {
 public:
  Document(const Model& model, const Mechanical& f) : model_(model), f_(f), g_(f.graph), n_(f.n) {
    Lq_ = scalars(g_, gradient(g_, model.lagrangian, kPosition), n_);
    p_ = scalars(g_, gradient(g_, model.lagrangian, kVelocity), n_);
  }

  std::string write() {
    std::vector<NodeId> right = motion();
    TidyText text = formula_text(model_, g_);
    std::vector<std::string> constraints, momenta, motions;
    for (const auto* list : {&model_.holonomic, &model_.nonholonomic})
      for (const Entry& e : *list)
        constraints.push_back("0" + equation("", text(e.expr)) + " && \\text{(" + latex_text(name_of(*list, e)) + ")}");
    const auto rate = [](const std::string& of) { return "\\frac{\\mathrm{d}}{\\mathrm{d}t}" + of; };
    std::vector<std::string> lefts;
    for (std::int32_t i = 0; i < n_; ++i) lefts.push_back(rate("\\left(" + line_of(text(p_[at(i)])) + "\\right)"));
    if (std::ranges::any_of(lefts, [](const std::string& left) { return left.size() > kWide; }))
      for (std::int32_t i = 0; i < n_; ++i) {  // no line takes them: they have names
        const std::string name = "p_{" + latex_of(math(math_name(model_.coordinates[i]))) + "}";
        momenta.push_back(equation(name, text(p_[at(i)])));
        lefts[at(i)] = rate(name);
      }
    for (std::int32_t i = 0; i < n_; ++i) motions.push_back(equation(lefts[at(i)], text(right[at(i)])));
    return "% Written by `rattleback check " + model_.key + " --form latex`.\n\\documentclass{article}\n" +
           "\\usepackage[utf8]{inputenc}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\begin{document}\n" +
           fmt::format("\\section*{{{}}}\n", latex_text(model_.name)) + parameters() +
           section("Lagrangian", align({equation("L", text(model_.lagrangian))})) +
           section("Constraints", align(constraints)) + section("Momenta", align(momenta)) +
           section("Equations of motion", align(motions)) + "\n\\end{document}\n";
  }

 private:
  const std::string name_of(const Entries& list, const Entry& e) const {
    return (&list == &model_.holonomic ? model_.holonomic_names : model_.nonholonomic_names)[e.row.base];
  }

  // L_q + F - K^T lambda
  std::vector<NodeId> motion() {
    std::vector<NodeId> out;
    for (std::int32_t i = 0; i < n_; ++i) {
      NodeId sum = g_.add(Lq_[at(i)], f_.applied[at(i)]);
      for (std::int32_t c = 0; c < f_.m; ++c)
        sum = g_.sub(sum, g_.mul(g_.variable(kMultiplier, c), f_.K[at(c)][at(i)]));
      out.push_back(sum);
    }
    return out;
  }

  // Values, as they are in the model.
  [[nodiscard]] std::string parameters() const {
    if (model_.parameters.empty() || model_.parameters.size() > kMostNames) return {};
    std::string out = "\\noindent Parameters: ";
    for (const auto& [name, value] : model_.parameters)
      out += fmt::format("{}${} = {}$", &name == &model_.parameters.front().first ? "" : ", ",
                         latex_of(math(math_name(name))), latex_of(math(math_number(value))));
    return out + ".\n";
  }

  const Model& model_;
  const Mechanical& f_;
  Graph g_;
  std::int32_t n_;
  std::vector<NodeId> Lq_, p_;
};

}  // namespace

std::string to_latex(const Model& model) {
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("'{}' has no LaTeX form: {}", model.key, why));
  };
  if (!facts_of(model).lagrangian) refuse("it needs a mechanical system");
  const System system(model);
  if (system.has_families() || static_cast<std::size_t>(system.n()) + static_cast<std::size_t>(system.m()) > kMostNames)
    refuse(fmt::format("it needs single coordinates, at most {} with the multipliers", kMostNames));
  try {
    return Document(model, system.mechanical()).write();
  } catch (const Error& reason) {  // formulas that nobody would read
    refuse(reason.what());
  }
  return {};
}

}  // namespace rattleback
