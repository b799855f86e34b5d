// The words in which messages speak of what was asked. They are written with the flags of the command line; a program that
// uses the library reads the fields of its Options instead: "--newton-tol" is "Options::newton_tol".
#pragma once

#include <string>

namespace rattleback {

enum class Words { fields, flags };
// Of the whole process; fields, unless something else is said.
void speak_in(Words words);

// A message that was written with flags, in the words of this process.
std::string in_words(std::string text);

}  // namespace rattleback
