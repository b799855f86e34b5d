// What systems of each kind have and what its parts are called. Where kinds differ by a word, a column or a default, this
// table says so, and nobody asks for the kind.
#pragma once

#include <string>
#include <vector>

#include "rattleback/model.hpp"

namespace rattleback {

struct KindFacts {
  const char* coordinate;      // what one of them is called: "coordinate", "position", "state"
  const char* state_key;       // of a state in JSON: "q" beside "v", or "x" for all of it
  const char* record_key;      // of the coordinates among records and events
  const char* multiplier_key;  // "multipliers", or "z" for algebraic variables
  const char* method;          // that is taken when none is asked for
  bool velocities;             // beside the coordinates, and constraints at velocity level
  bool primed;                 // velocities are called x', multipliers lambda of their constraint
  bool position_level;         // constraints that positions or states must satisfy
  bool energy;
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
