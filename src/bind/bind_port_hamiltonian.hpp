// Binding the methods for port-Hamiltonian systems, also to the form that is derived from a mechanical one.
#pragma once

#include "bind/bind.hpp"

namespace rattleback {

// Of a collocation method, or of an energy-preserving one with a step for such systems. Throws Error.
BoundMethod bind_port_hamiltonian(const MethodEntry& entry, const System& system, const Options& options);

}  // namespace rattleback
