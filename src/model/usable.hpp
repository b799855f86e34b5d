// A Model has public members, and `Model{}` is one: what was put together by hand is looked at before anything relies on it.
#pragma once

#include "rattleback/model.hpp"

namespace rattleback {

// The same model. Throws Error when it has no formulas, or when its start has not as many finite numbers as there are
// coordinates and velocities.
const Model& usable(const Model& model);

}  // namespace rattleback
