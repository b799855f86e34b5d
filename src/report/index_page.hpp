// One page that shows what many experiments found: for `rattleback reproduce`. It stands alone, is readable without
// scripts, and needs no tool at build time.
#pragma once

#include <string>
#include <vector>

namespace rattleback::report {

enum class Verdict { agrees, differs, not_decidable, failed };
const char* to_string(Verdict verdict);  // "agrees", "differs", "not decidable", "failed"

// A measured number beside the one that was expected, both as they should be printed.
struct IndexNumber {
  std::string what, found, expected;
  bool ok = true;
};

struct IndexFile {
  std::string label;  // "" shows the path
  std::string path;   // relative to the page
};

struct IndexEntry {
  std::string id;        // "H-4.1"
  std::string title;     // what is done
  std::string document;  // to filter by: "Hilden". "": the letters in front of the id
  std::string source;    // where it stands there: "figures 4.1 to 4.5"
  Verdict verdict = Verdict::agrees;
  std::string because;  // one or more sentences; line feeds separate paragraphs
  std::vector<IndexNumber> numbers;
  std::string figure;       // the text of an SVG file; "": none
  std::string figure_text;  // what the figure shows, for those who cannot see it; "": the title
  std::vector<IndexFile> files;
};

// `lead` stands below the title.
std::string index_page(const std::vector<IndexEntry>& entries, const std::string& title = "The experiments, redone",
                       const std::string& lead = {});

}  // namespace rattleback::report
