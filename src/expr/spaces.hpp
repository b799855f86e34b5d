// The vectors that variables of formulas belong to, besides those of a model (rattleback/expr.hpp). They stand in one list,
// each one more than the one before, so that no two have one number.
#pragma once

#include "rattleback/expr.hpp"

namespace rattleback {

// Of the equations of a step.
inline constexpr Space kUnknown = kMultiplier + 1;
inline constexpr Space kStepSize = kUnknown + 1;       // h
inline constexpr Space kPreviousStep = kStepSize + 1;  // the step size before this one (two-step methods)
inline constexpr Space kCarried = kPreviousStep + 1;   // further state that a method carries from step to step
inline constexpr Space kAcceleration = kCarried + 1;   // v' (dae: y') at the start of the step, for starting guesses
inline constexpr Space kBranch = kAcceleration + 1;    // limits of Psi_0 and Psi_1 for h -> 0, on the consistent branch
inline constexpr Space kReferenceEnergy = kBranch + 1;  // the energy of the run's start (energy-preserving methods)
inline constexpr Space kFactor = kReferenceEnergy + 1;  // cj of IDA, in dF/dy + cj dF/dy'
inline constexpr Space kResidualValue = kFactor + 1;    // the residual of a block,
inline constexpr Space kSchurSolution = kResidualValue + 1;  // and the solution of the small system made of it

// On the way to a formula, in which they do not stay.
inline constexpr Space kHinge = kSchurSolution + 1;  // parts that residuals share, to differentiate by
inline constexpr Space kScratch = kHinge + 1;        // the argument of a single operation, to differentiate by
inline constexpr Space kFrozen = kScratch + 1;       // what is held while derivatives are taken
inline constexpr Space kTracedInput = kFrozen + 1;   // inputs of a model in C++, to differentiate its forces by

}  // namespace rattleback
