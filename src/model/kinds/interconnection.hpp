// Port-Hamiltonian systems joined by linear equations M y + N u = 0 between their inputs and outputs.
//
// The connection must preserve power: y^T u = 0 for all (y, u) that satisfy it, and there are as many of them as connected
// inputs (a Dirac structure). Then the whole is port-Hamiltonian again: [Symank2025, 4.2.4; MehrmannMorandin2019]
//
//   Let w be a largest set of connected inputs that the connection leaves free. It gives u = U w, and U^T y = K w with a
//   skew K. With w as further states, without energy, whose efforts are themselves:
//
//   [E 0] [x']   [r]     [J         B U       ]   [R        P U    ]    [z]   [B_e      - P_e    ]
//   [0 0] [w'] + [0] = ( [-U^T B^T  K + U^T N U] - [U^T P^T  U^T S U] )  [w] + [U^T N_e - U^T S_e] u_e
//
// where B, P, S, N are those of the connected inputs and _e marks the inputs that stay.
#pragma once

#include "rattleback/model.hpp"
#include "text/document.hpp"

namespace rattleback::front {

// Is it a file with kind = "interconnection"?
bool is_interconnection(const Value& document);

// Loads the parts and joins them. The result is of kind port-hamiltonian; its states are a.p1, ..., its further states are
// called like the inputs, a.u.push.
Model load_interconnection(const Source& source, const Value& document, const LoadOptions& options);

// A model file that another one names as its part: never a pipe.
Model load_part_file(const std::string& path, const LoadOptions& options);

}  // namespace rattleback::front
