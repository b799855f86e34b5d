// The parts of a compiled text that do not depend on the model: declarations, the words of one number and of four at
// once (instruction_text.hpp), starting values.
#pragma once

#include <cstddef>
#include <string>

#include "engine/text/instruction_text.hpp"

namespace rattleback {

extern const char* const kHeadText;       // declarations
extern const char* const kOneWordsText;   // functions: kOne, and look_up() of expr.hpp; as C or in a C++ class
extern const char* const kLaneWordsText;  // behind kOneWordsText; vectors, masks, functions: kFour

// near_value(), far_value(), make_room() and far_is_better() of step/starting_values.hpp for rows of this length. For
// one run predict() and next_row(), too, in words that are C and C++.
std::string starting_text(std::size_t width, std::size_t unknowns, Words words);

}  // namespace rattleback
