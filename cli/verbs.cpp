#include "verbs.hpp"

#include <array>

#include "arguments.hpp"

namespace rattleback::cli {

std::span<const Verb> verbs() {
  static constexpr std::array kVerbs = {
      Verb{"run", declare_run, run, "integrates a system and audits what was kept"},
      Verb{"check", declare_check, check, "looks at a system without integrating it"},
      Verb{"order", declare_order, order, "error against step size, for one or more methods"},
      Verb{"compare", declare_compare, compare, "several methods side by side: errors, energy, constraints, cost"},
      Verb{"section", declare_section, section, "Poincare sections: where motions cross a surface"},
      Verb{"ensemble", declare_ensemble, ensemble, "statistics of the energy error over many starts or parameters"},
      Verb{"reproduce", declare_reproduce, reproduce, "redoes the experiments of the source documents"},
      Verb{"generate", declare_generate, generate, "writes the steps of a method on a system as a C++ header"},
      Verb{"methods", declare_methods, methods, "lists the methods with what they promise"},
      Verb{"systems", declare_systems, systems, "lists the systems that come with the program"},
      Verb{"new", declare_fresh, fresh, "writes a model file to begin with"},
      Verb{"schema", declare_schema, schema, "prints the JSON schema of model files, for editors"},
      Verb{"completion", declare_completion, completion, "prints what completes commands in bash, zsh or fish"},
      Verb{"demo", declare_demo, demo, ""},
      Verb{"bench", declare_bench, bench, "times steps against hand-written code"},
  };
  return kVerbs;
}

std::span<const TopOption> top_options() {
  static constexpr std::array kOptions = {
      TopOption{"--help", "", "lists the verbs"},
      TopOption{"--version", "", "prints the version, and the commit it was built from"},
      TopOption{"--cite", "METHOD", "prints what to cite as BibTeX: the program, and the references of a method"},
  };
  return kOptions;
}

}  // namespace rattleback::cli
