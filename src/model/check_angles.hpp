// A declared angle must be one: nothing in the model may change when it turns once.
#pragma once

#include "model/model_text.hpp"

namespace rattleback::front {

// Looks at some points near the start. Names the function that changes, and by how much.
void check_angles(const ModelText& text, const Model& model);

}  // namespace rattleback::front
