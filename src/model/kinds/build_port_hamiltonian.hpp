// The formulas of a port-Hamiltonian system become expressions.
#pragma once

#include "model/model_text.hpp"

namespace rattleback::front {

// The starts of the model must be known.
void build_port_hamiltonian(ModelText& text, Elaborator& e, Model& model);

// States whose column of E is zero.
std::vector<char> algebraic_columns(const Graph& g, const Entries& E, std::int32_t states);

// On loading: is it one? J skew, W >= 0, grad H = E^T z and dH/dt = z^T r at the start, and the two identities also near
// it. Throws with the entry that breaks it.
void check_port_hamiltonian(const ModelText& text, const Model& model);

}  // namespace rattleback::front
