// What systems of each kind have and what its parts are called. Where kinds differ by a word, a column or a default, this
// table says so, and nobody asks for the kind.
#pragma once

#include <string>
#include <vector>

#include "rattleback/model.hpp"

namespace rattleback {

struct KindFacts {
  const char* coordinate;       // what one of them is called: "coordinate", "position", "state"
  const char* algebraic;        // and one of `Model::algebraic`: "multiplier", "algebraic variable"
  const char* port;             // "port", "input"
  const char* state_key;        // of a state in JSON: "q" beside "v", or "x" for all of it
  const char* record_key;       // of the coordinates among records and events
  const char* multiplier_key;   // "multipliers", or "z" for algebraic variables
  const char* method;           // that is taken when none is asked for
  const char* regular;          // what a system without regular matrix needs, for `check`
  const char* needs_unrolling;  // what is wrong with families that the solvers do not take
  bool velocities;              // beside the coordinates, and constraints at velocity level
  bool primed;                  // velocities are called x', multipliers lambda of their constraint
  bool position_level;          // constraints that positions or states must satisfy
  bool energy;
  bool lagrangian;         // and so inertia L_vv, and constraints of two sorts, holonomic and nonholonomic
  bool redundant;          // --redundant minimum-norm: constraints may depend on one another
  bool families;           // some methods take families as they are
  bool shared;             // runs may share what is derived of the system
  bool unilateral;         // constraints may be
  bool implicit_rates;     // equations of motion determine the rates, also where there are no multipliers
  bool algebraic_states;   // some states may be where the equations put them
  bool reports_ports;      // u and y are recorded, and energy is not expected to be kept
  bool points;             // coordinates called x, y, z are drawn as points
  bool alpha;              // its own methods have the option --alpha
  int compose_references;  // the order of the compositions that give reference solutions; 0: its methods need none

  // Velocities are no derivatives by name: they are listed beside the positions.
  [[nodiscard]] constexpr bool named_velocities() const { return velocities && !primed; }
};
const KindFacts& facts_of(Kind kind);
inline const KindFacts& facts_of(const Model& model) { return facts_of(model.kind); }

// Velocities beside the coordinates: theta' of theta, or with names of their own; none where coordinates are states.
std::int32_t velocity_count(const Model& model);
std::string velocity_name(const Model& model, std::int32_t i);
std::vector<std::string> velocity_names(const Model& model);
std::string constraint_name(const Model& model, std::int32_t i);

// Does this model have constraints at this level?
bool has_position_level(const Model& model);
bool has_velocity_level(const Model& model);

}  // namespace rattleback
