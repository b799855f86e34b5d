#include "model/grammar/kind_rules.hpp"

namespace rattleback::front {
namespace {

constexpr const char* kOfOtherStarts = "numbers, parameters and other starts";

// Of systems without velocities.
Rules expressions_of_states() {
  return {.time = true,
          .positions = true,
          .definitions = true,
          .accepts = "t, states, parameters and definitions of these"};
}
Rules expressions_with_velocities() {
  return {.time = true,
          .positions = true,
          .velocities = true,
          .definitions = true,
          .accepts = "t, coordinates, velocities, parameters and definitions"};
}
// A start of an algebraic variable is a guess; kinds that have none find none by its name.
Rules starts_of_states() { return {.positions = true, .algebraic = true, .accepts = kOfOtherStarts}; }

KindRules mechanical() {
  return {
      .definition = {.time = true,
                     .positions = true,
                     .velocities = true,
                     .multipliers = true,
                     .definitions = true,
                     .accelerations = true,
                     .accepts = "t, coordinates, velocities, parameters and other definitions"},
      .expression = expressions_with_velocities(),
      .output = {.time = true,
                 .positions = true,
                 .velocities = true,
                 .multipliers = true,
                 .definitions = true,
                 .accelerations = true,
                 .accepts = "t, coordinates, velocities x', accelerations x'', multipliers lambda(name), parameters "
                            "and definitions"},
      .start = {.positions = true, .velocities = true, .accepts = kOfOtherStarts},
      .primed = "",
      .primed_exact = "",
      .primed_start = "",
      .rate = "",
      .lambda = ""};
}

KindRules dae() {
  return {.definition = {.time = true,
                         .positions = true,
                         .algebraic = true,
                         .definitions = true,
                         .accepts = "t, states, algebraic variables, parameters and other definitions"},
          .expression = expressions_of_states(),
          .output = {.time = true,
                     .positions = true,
                     .algebraic = true,
                     .definitions = true,
                     .accepts = "t, states, algebraic variables, parameters and definitions"},
          .start = starts_of_states(),
          .primed = ", which a dae gives in [rhs]",
          .primed_exact = "A dae has states and algebraic variables only",
          .primed_start = "a dae starts from its states and algebraic variables",
          .rate = "dt(...) is for mechanical systems; a dae gives its derivatives in [rhs]",
          .lambda = ""};
}

KindRules odae() {
  return {.definition = {.time = true,
                         .positions = true,
                         .velocities = true,
                         .algebraic = true,
                         .definitions = true,
                         .accepts = "t, positions, velocities, multipliers, parameters and other definitions"},
          .expression = expressions_with_velocities(),
          .output = {.time = true,
                     .positions = true,
                     .velocities = true,
                     .algebraic = true,
                     .definitions = true,
                     .accepts = "t, positions, velocities, multipliers, parameters and definitions"},
          .start = {.positions = true, .velocities = true, .algebraic = true, .accepts = kOfOtherStarts},
          .primed = ", which an odae gives in [v], [f] and [r]",
          .primed_exact = "An odae has positions, velocities and multipliers, each with a name of its own",
          .primed_start = "an odae starts from its positions and velocities",
          .rate = "dt(...) is for mechanical systems; an odae gives its derivatives in [v], [f] and [r]",
          .lambda = "lambda(...) is for mechanical systems; the multipliers of an odae have names of their own"};
}

KindRules states_with_energy() {
  return {.definition = {.time = true,
                         .positions = true,
                         .definitions = true,
                         .accepts = "t, states, parameters and other definitions"},
          .expression = expressions_of_states(),
          .output = expressions_of_states(),
          .start = starts_of_states(),
          .primed = ", and this kind of system is written with states alone",
          .primed_exact = "This kind of system is written with states alone",
          .primed_start = "this kind of system starts from its states",
          .rate = "dt(...) is for mechanical systems",
          .lambda = ""};
}

}  // namespace

const KindRules& rules_of(Kind kind) {
  static const KindRules kMechanical = mechanical(), kDae = dae(), kOdae = odae(), kStates = states_with_energy();
  switch (kind) {
    case Kind::mechanical: break;
    case Kind::dae: return kDae;
    case Kind::odae: return kOdae;
    case Kind::skew_gradient:
    case Kind::port_hamiltonian: return kStates;
  }
  return kMechanical;
}

}  // namespace rattleback::front
