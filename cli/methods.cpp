// `rattleback methods`: the methods with their claims.
#include "arguments.hpp"
#include "output/lists.hpp"
#include "rattleback/write.hpp"
#include "verbs.hpp"

namespace rattleback::cli {

Arguments declare_methods() {
  Arguments a("methods", "Lists the methods: systems, stages, order, symmetry, energy, constraints kept, source.",
              "rattleback methods --json");
  a.flag("--json", "prints one JSON object instead of a table");
  return a;
}

int methods(const Words& words) {
  Arguments a = declare_methods();
  if (!a.parse(words)) return kDone;
  a.refuse_if_faulty();
  print(a.has("--json") ? methods_json() : report::methods_text());
  return kDone;
}

}  // namespace rattleback::cli
