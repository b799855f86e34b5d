// Forces of a mechanical model that are more than expressions: dissipation and ports, with their places in the port-Hamiltonian
// form. Models from texts and from C++ are built with it.
#pragma once

#include "rattleback/model.hpp"

namespace rattleback::front {

// Minus the gradient of a Rayleigh function by the velocities.
void add_dissipation(Graph& graph, NodeId rayleigh, Model& model);
void add_port(Graph& graph, Port port, Model& model);
// The first so many forces are neither ports nor quadratic dissipation: they are inputs along their coordinates.
void name_other_forces(Graph& graph, std::size_t count, Model& model);

}  // namespace rattleback::front
