// What is checked of a model once it is built: constraints constrain what they claim to, and everything is a finite
// number at the initial state.
#pragma once

#include "model/model_text.hpp"

namespace rattleback::front {

void check_structure(const ModelText& text, const Model& model);
void check_finite(ModelText& text, const Model& model);

}  // namespace rattleback::front
