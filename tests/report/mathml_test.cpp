// Formulas as MathML. What matters is the tree: which powers, fractions and parentheses there are.
#include "report/mathml.hpp"

#include <regex>

#include <gtest/gtest.h>

#include "model/grammar/formula.hpp"
#include "report/mathml_symbol.hpp"

namespace rattleback::report {
namespace {

// The tree with short names: sums in their order, <f>(a;b) for a fraction, ^ for a power, _ for an index.
std::string shape(const std::string& text) {
  std::string all;
  for (const std::string& term : math_terms(front::Formula("test", "a formula", text))) all += term;
  const std::pair<const char*, const char*> kRules[] = {
      {"<mspace[^>]*/>|<mo>&#x206[12];</mo>|</?mrow>|</?math[^>]*>|</m[ino]>", ""},
      {"&#x2212;", "-"},
      {"&#x22C5;", "*"},
      {"&#x2D9;", "'"},
      {"&#x3B8;", "theta"},
      {"&#x3BB;", "lambda"},
      {"&#x2211;", "sum"},
      {"<m[ino]( [^>]*)?>", ""}};
  for (const auto& [pattern, by] : kRules) all = std::regex_replace(all, std::regex(pattern), by);
  return all;
}

TEST(MathMl, WritesSumsProductsAndPowers) {
  EXPECT_EQ(shape("a + b*c - d"), "a+bc-d");
  EXPECT_EQ(shape("a - (b - c)"), "a-(b-c)");
  EXPECT_EQ(shape("x^2"), "<msup>x2</msup>");
  EXPECT_EQ(shape("x1'^2"), "<msubsup><mover>x'</mover>12</msubsup>");
  EXPECT_EQ(shape("(a + b)^2"), "<msup>(a+b)2</msup>");
  EXPECT_EQ(shape("-x^2"), "-<msup>x2</msup>");
  EXPECT_EQ(shape("2^3^2"), "<msup>2<msup>32</msup></msup>");
  EXPECT_EQ(shape("a*2"), "a*2");
  EXPECT_EQ(shape("-3*a"), "-3a");
  EXPECT_EQ(shape("b + -3*a"), "b+(-3)a");
}

TEST(MathMl, MakesFractions) {
  EXPECT_EQ(shape("m*(x + y)/2"), "<mfrac>m(x+y)2</mfrac>");
  EXPECT_EQ(shape("(x + y)/2"), "<mfrac>x+y2</mfrac>");
  EXPECT_EQ(shape("a/b*c"), "<mfrac>ab</mfrac>c");
  EXPECT_EQ(shape("a/b/c"), "<mfrac><mfrac>ab</mfrac>c</mfrac>");
  EXPECT_EQ(shape("(a + b + c + d + e)/2"), "<mfrac>12</mfrac>(a+b+c+d+e)");  // so that it can be broken
}

TEST(MathMl, WritesFunctions) {
  EXPECT_EQ(shape("cos(theta)*x'"), "cos(theta)<mover>x'</mover>");
  EXPECT_EQ(shape("x*sin(theta)^2"), "x<msup>sin2</msup>theta");
  EXPECT_EQ(shape("sqrt(x + 1)"), "<msqrt>x+1</msqrt>");
  EXPECT_EQ(shape("exp(-t)"), "<msup>e-t</msup>");
  EXPECT_EQ(shape("asin(x)"), "arcsinx");
  EXPECT_EQ(shape("atan2(y, x)"), "atan2(y,x)");
}

TEST(MathMl, WritesIndicesAndSums) {
  EXPECT_EQ(shape("x[i-1]"), "<msub>xi-1</msub>");
  EXPECT_EQ(shape("sum(i = 1:N, x[i])"), "<munderover>sumi=1N</munderover><msub>xi</msub>");
  EXPECT_EQ(shape("lambda(rod)"), "<msub>lambdarod</msub>");
}

TEST(MathMl, BreaksBetweenTermsOnly) {
  EXPECT_EQ(math_terms(front::Formula("test", "a formula", "a + b*(c + d) - e")).size(), 3u);
  EXPECT_EQ(math_terms(front::Formula("test", "a formula", "a*(c + d)")).size(), 1u);
}

TEST(MathMl, BreaksWhatIsWideWhereverItCan) {
  const auto pieces = [](const std::string& text) {
    return math_terms(front::Formula("test", "a formula", text), true);
  };
  std::string sum = "a1", product = "a1";
  for (int i = 2; i <= 20; ++i) {
    sum += " + a" + std::to_string(i) + "*b" + std::to_string(i);
    product += "*(c" + std::to_string(i) + " + d)";
  }
  // In brackets, under powers and functions, as a numerator and as a denominator.
  for (const std::string& text :
       {"k*(" + sum + ")", "-(" + sum + ")*k", "(" + sum + ")^2", "k*sin(" + sum + ")", "sqrt(" + sum + ")",
        "m*(" + sum + ")/8", "k/(" + sum + ")", "a*(b + c*(" + sum + "))", "cos(" + sum + ")^2", "exp(" + sum + ")",
        "abs(" + sum + ")", product}) {
    const std::vector<std::string> parts = pieces(text);
    EXPECT_GT(parts.size(), 4u) << text;
    int open = 0;
    for (const std::string& part : parts) {
      EXPECT_LT(width_of(part), 40u) << text << "\n" << part;
      for (std::size_t at = part.find("<mo"); at != std::string::npos; at = part.find("<mo", at + 1)) {
        const char sign = part[part.find('>', at) + 1];
        open += sign == '(' ? 1 : sign == ')' ? -1 : 0;
        EXPECT_GE(open, 0) << text;
      }
    }
    EXPECT_EQ(open, 0) << text;
  }
  EXPECT_EQ(pieces("m*(x'^2 + y'^2)/2").size(), 1u);  // what is narrow stays a fraction
}

TEST(MathMl, DotsOverNamesOfSeveralLettersAreLarge) {
  const std::string large = "mathsize=\"170%\">&#x2D9;";
  for (const char* name : {"side'", "psi_l'", "crank1'", "xA[3]'"})
    EXPECT_EQ(math_name(name).find(large) != std::string::npos, name[0] != 'p') << name;
  for (const char* name : {"x'", "x1'", "theta'", "x[3]'"}) {
    EXPECT_NE(math_name(name).find("&#x2D9;"), std::string::npos) << name;
    EXPECT_EQ(math_name(name).find(large), std::string::npos) << name;
  }
  EXPECT_NE(math_terms(front::Formula("test", "a formula", "2*side'^2"))[0].find(large), std::string::npos);
}

TEST(MathMl, WritesNumbers) {
  EXPECT_EQ(math_number(9.81), "<mn>9.81</mn>");
  EXPECT_NE(math_number(2.5e-7).find("<msup><mn>10</mn>"), std::string::npos);
  EXPECT_EQ(math_number(1e-7).find("&#xD7;"), std::string::npos);  // 10^-7, not 1 x 10^-7
}

}  // namespace
}  // namespace rattleback::report
