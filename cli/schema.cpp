// `rattleback schema`: what editors check model files with.
#include "output/schema.hpp"

#include "arguments.hpp"
#include "verbs.hpp"

namespace rattleback::cli {

Arguments declare_schema() {
  return {"schema", "Prints the JSON schema (draft 2020-12) of model files: editors complete and underline with it.",
          "rattleback schema > rattleback.schema.json"};
}

int schema(const Words& words) {
  Arguments a = declare_schema();
  if (!a.parse(words)) return kDone;
  a.refuse_if_faulty();
  print(report::model_schema().dump(2));
  return kDone;
}

}  // namespace rattleback::cli
