// Binding the methods for port-Hamiltonian systems, also to the form that is derived from a mechanical one.
#pragma once

#include "bind/bind.hpp"

namespace rattleback {

// Nothing: the question is not about port-Hamiltonian systems. "": it applies.
std::optional<std::string> why_not_port_hamiltonian(const MethodEntry& method, const Model& model);

BoundMethod bind_port_hamiltonian(const System& system, const Options& options, const Start& start);

}  // namespace rattleback
