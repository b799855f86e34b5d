// MathML as LaTeX. What of a formula needs brackets, and which products need a dot, is decided once, where its MathML is written
// (mathml.hpp); this is the same tree in another language.
#pragma once

#include <string>
#include <string_view>

namespace rattleback::report {

// Of one or several elements; what stands outside of tags is taken as text. For amsmath.
std::string latex_of(std::string_view mathml);

// A text with what LaTeX would take for commands escaped.
std::string latex_text(std::string_view text);

}  // namespace rattleback::report
