// The tests of messages read them as the command line prints them; words_test.cpp has those of programs.
#include "text/words.hpp"

namespace {

[[maybe_unused]] const bool spoken = [] {
  rattleback::speak_in(rattleback::Words::flags);
  return true;
}();

}  // namespace
