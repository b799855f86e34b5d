#include "model/model_text.hpp"

namespace rattleback::front {

Model without_formulas(const ModelText& text) {
  Model model;
  model.name = text.name;
  model.kind = text.world.kind;
  model.coordinates = text.world.coordinates;
  model.angles = text.angles;
  model.auxiliary = text.auxiliary;
  model.project = text.project;
  model.run = text.run;
  model.parameters = text.world.values();
  model.parameter_errors = text.world.errors();
  model.q0 = text.q0;
  model.v0 = text.v0;
  model.z0 = text.z0;
  model.w0 = text.w0;
  model.q0_error = text.q0_error;
  model.v0_error = text.v0_error;
  model.keep_q = text.keep_q;
  model.keep_v = text.keep_v;
  return model;
}

}  // namespace rattleback::front
