// Formulas of a model, and what is derived of them, with its own names.
#pragma once

#include <functional>

#include "expr/tidy.hpp"
#include "rattleback/model.hpp"

namespace rattleback {

// beyond: names states behind the coordinates, by number. The graph is that of the model, or a copy with more in it.
TidyText formula_text(const Model& model, const Graph& graph, std::function<std::string(std::int32_t)> beyond = {});

}  // namespace rattleback
