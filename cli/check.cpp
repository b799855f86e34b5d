// `rattleback check`: what can be said about a system without integrating it.
#include "common.hpp"
#include "rattleback/write.hpp"
#include "verbs.hpp"

namespace rattleback::cli {

Arguments declare_check() {
  Arguments a("check",
              "Looks at a system without integrating it: sizes, index, rank of the constraints, whether the start is "
              "consistent and each velocity constraint integrable, derivatives, and which methods apply.",
              "rattleback check rolling-disk --start \"phi'=3\"");
  a.system();
  add_model_options(a);
  a.flag("--json", "prints one JSON object instead of sentences");
  return a;
}

int check(const Words& words) {
  Arguments a = declare_check();
  if (!a.parse(words)) return kDone;
  const LoadOptions load = model_options(a);
  a.refuse_if_faulty();

  const Model model = load_model(a.system_name(), load);
  const CheckReport report = rattleback::check(model);
  print(a.has("--json") ? to_json(model, report) : to_text(model, report));
  return kDone;
}

}  // namespace rattleback::cli
