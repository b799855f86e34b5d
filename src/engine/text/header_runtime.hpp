// The part of a generated header that is the same for all steps: the library's loop over steps and its Newton iteration on a
// block, their very text. header_text.cpp puts the texts together.
#pragma once

#include <string>

namespace rattleback {

// Namespace `scope`: written_steps.hpp and what it includes.
std::string header_newton(const std::string& scope);

}  // namespace rattleback
