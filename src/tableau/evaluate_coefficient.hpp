// Coefficients as people write them: "1/6", "1/2 - sqrt(3)/6", "(88 - 7*sqrt(6))/360".
#pragma once

#include <string>

#include "tableau/real.hpp"

namespace rattleback {

// The value in extended precision, so that sums of such texts are rounded once, too. Throws Error with the text and the
// character where it goes wrong, without a file in front.
Real evaluate_coefficient(const std::string& text);

}  // namespace rattleback
