// `rattleback demo`, which `./run` starts when it is called without arguments: one real run, explained.
#include <fmt/format.h>

#include "arguments.hpp"
#include "output/layout.hpp"
#include "rattleback/write.hpp"
#include "verbs.hpp"

namespace rattleback::cli {

Arguments declare_demo() {
  Arguments a("demo", "Runs one system and explains what was computed.", "rattleback demo");
  return a;
}

int demo(const Words& words) {
  Arguments a = declare_demo();
  if (!a.parse(words)) return kDone;
  a.refuse_if_faulty();

  const Model model = load_model("chaplygin-sleigh");
  const Trajectory t = simulate(model, {});
  std::string text = report::wrap(
      "Rattleback integrates mechanical systems with constraints so that what physics keeps stays kept. Here is one "
      "run: a "
      "Chaplygin sleigh, a body on a blade that can slide along its edge but not sideways. No function of the position "
      "alone says that: the constraint is on the velocity (it is nonholonomic).",
      "", "");
  text += "\n$ rattleback run chaplygin-sleigh\n\n" + to_text(model, t);
  text += '\n' + report::wrap(
                     "Ordinary methods would let the blade slip a little more at every step. Here it does not, "
                     "however long the run, and the energy does not wander off.",
                     "", "");
  text +=
      "\nWhat to try next\n"
      "  rattleback check chaplygin-sleigh                     what system this is, and what fits it\n"
      "  rattleback run rolling-disk --method index1           with a standard method: watch the wheel slip\n"
      "  rattleback run chaplygin-sleigh --output sleigh.csv   the trajectory, for your own plots\n"
      "  rattleback run skate --audit reverse,order            also back in time, and the order measured\n"
      "  rattleback systems                                    all systems that come with the program\n"
      "  rattleback methods                                    all methods, with what each of them promises\n"
      "\nIn the source tree, ./run stands for rattleback: ./run check chaplygin-sleigh\n";
  print(text);
  return t.status == Status::done ? kDone : kStoppedEarly;
}

}  // namespace rattleback::cli
