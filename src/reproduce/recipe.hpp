// An experiment as data: what is run, what is drawn, which numbers are expected, and what that means for the document it
// comes from. A recipe is a text file; experiments/ holds those of the five documents. The format is in
// docs/guide/reproduce.md.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/analysis.hpp"
#include "rattleback/simulate.hpp"
#include "reproduce/expectation.hpp"

namespace rattleback::reproduce {

// What a document claims, seen with our numbers.
enum class Verdict { agrees, differs, not_decidable };

// Numbers that a study must find: one expectation for all, or one for each that it measures, in order.
struct Wish {
  std::string measure;  // "energy.max_error", "slope(x)" (measures.hpp)
  std::vector<Expectation> expected;
  bool fit = false;  // instead: the slope of log(measure) over log(x of the cases)
};

// One way to run a study: changes of the system and of the options.
struct Case {
  std::string label;
  double x = 0.0;  // what the case is about, as a number
  LoadOptions load;
  Options options;
};

struct Study {
  enum class Verb { run, order, section, ensemble, check };
  Verb verb = Verb::run;
  std::string name;                                  // panels and distances refer to it
  std::string system;                                // of the study, or of the recipe
  std::vector<std::pair<std::string, int>> methods;  // name and stages
  std::vector<double> steps;
  std::vector<Case> cases;  // at least one
  std::string reference;    // order: METHOD:STAGES:STEP; run: the study that distance(reference) compares with
  SectionRequest section;   // where, condition, direction, crossings, axes
  Members members;          // section, ensemble
  int power = 0;            // ensemble: energies are divided by this power of the step (squares by twice that)
  std::vector<Wish> wishes;
};

// A panel of the figure: columns of the runs of one study or more (columns.hpp).
struct Panel {
  std::string title, x_label, y_label;
  std::vector<std::string> of;  // names of the studies
  std::string x, y;
  std::vector<std::string> more_y;  // further columns of the same runs
  std::vector<std::size_t> only;    // numbers of its runs; empty: all
  std::vector<std::string> labels;  // of the series; empty: those of the runs
  bool log_x = false, log_y = false, same_scale = false, points = false;

  [[nodiscard]] bool shows(const std::string& study) const { return std::ranges::count(of, study) > 0; }
};

struct Recipe {
  std::string id, title;
  std::string document;  // key in references.bib: "Hilden2009"
  std::string place;     // "figures 4.1 to 4.5"
  std::string says;      // what the document says
  Verdict verdict = Verdict::agrees;
  std::string because;  // what is seen, in our words
  std::string caption;  // of the figure
  int columns = 1;      // of panels
  std::vector<Study> studies;
  std::vector<Panel> panels;
};

// Throws Error ("file:line:column: ..."). With `quick`, the values of [..].short replace those of the full length.
Recipe read_recipe(const std::string& text, const std::string& file, bool quick);

struct ShippedRecipe {
  std::string_view key, text;
};
// In alphabetical order, compiled into the library.
std::span<const ShippedRecipe> shipped_recipes();

}  // namespace rattleback::reproduce
