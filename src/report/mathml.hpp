// Expressions of model files as MathML, which browsers draw without fonts or scripts of ours. Written from the syntax tree,
// so that parameters and definitions keep their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rattleback::front {
class Formula;
}

namespace rattleback::report {

// The terms of the outermost sum, each a <math> element with its sign, so that a long formula breaks between them. `equals`
// begins the first one with "=".
std::vector<std::string> math_terms(const front::Formula& formula, bool equals = false);

// A name of the file: "theta1" is theta with index 1, "x[i]" has index i, "x'" has a dot. Without the <math> element.
std::string math_name(std::string_view name);

// A <math> element around a row.
std::string math(const std::string& row);

// A number as people write it: 1e-3 is 10^-3. Without the <math> element.
std::string math_number(double value);

}  // namespace rattleback::report
