// `rattleback systems`: the systems that come with the program.
#include "arguments.hpp"
#include "output/json.hpp"
#include "output/lists.hpp"
#include "verbs.hpp"

namespace rattleback::cli {

Arguments declare_systems() {
  Arguments a("systems", "Lists the systems that come with the program.", "rattleback systems --json");
  a.flag("--json", "prints one JSON object instead of a table");
  return a;
}

int systems(const Words& words) {
  Arguments a = declare_systems();
  if (!a.parse(words)) return kDone;
  a.refuse_if_faulty();
  print(a.has("--json") ? report::systems_json() : report::systems_text());
  return kDone;
}

}  // namespace rattleback::cli
