// A shared object that contains the library: a plugin, or a module of another language.
#include <rattleback/rattleback.hpp>

extern "C" double skate_at(double t) {
  const rattleback::Trajectory run =
      rattleback::simulate(rattleback::load_model("skate"), {.step = 0.1, .until = t, .native = "off"});
  return run.q[2];
}
