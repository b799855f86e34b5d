// A model from C++: its names, parameters and starts as a model file has them, so that everything that reads, changes or
// checks these is the same for both; its formulas from the members of a class.
#pragma once

#include <memory>

#include "model/model_text.hpp"
#include "model/written.hpp"

namespace rattleback::front {

// The parameters of a model in a graph, at their values of now.
Parameters<Expr> parameters_of(World& world, Graph& graph);

// The document that a file with these names would be.
std::shared_ptr<const Document> document_of(const TraceOptions& options);

ModelText read_traced(const Document& document, const std::shared_ptr<const Traceable>& from,
                      const LoadOptions& options);

// Calls the members of the class. Throws Error.
Model build_traced(ModelText& text, const Traceable& from);

// Are its formulas finite numbers at the start, and do its constraints constrain?
void check_traced(const ModelText& text, const Model& model);

}  // namespace rattleback::front
