// What expressions may contain in systems of each kind, and what is said where they contain what belongs to another. Words,
// which others need too, stand in model/kind_facts.hpp.
#pragma once

#include "model/grammar/world.hpp"

namespace rattleback::front {

struct KindRules {
  Rules definition;  // an entry of [define]
  Rules expression;  // sections
  Rules output;      // outputs and events
  Rules start;       // an entry of [initial]
  // Where x' is no velocity: what ends "`x'` is a derivative", in formulas, [exact] and [initial].
  const char* primed;
  const char* primed_exact;
  const char* primed_start;
  const char* rate;    // of dt(...), where it cannot be; "" where it can
  const char* lambda;  // of lambda(...), where multipliers have names instead; "" elsewhere
};
const KindRules& rules_of(Kind kind);

}  // namespace rattleback::front
