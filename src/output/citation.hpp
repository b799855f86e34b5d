// What to cite, as BibTeX: the program, from CITATION.cff, and the references of a method, from docs/references.bib. Both files are
// part of the library.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rattleback/method.hpp"

namespace rattleback::report {

// The program; the commit it was built from, "" where that is not known.
std::string bibtex_of_program(std::string_view commit);
// An entry of docs/references.bib as it stands there. Throws Error for a key that is not there.
std::string bibtex_of(std::string_view key);
// All that these methods refer to, each once.
std::string bibtex_of(std::span<const MethodInfo* const> methods);

}  // namespace rattleback::report
