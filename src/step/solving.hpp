// What is asked of a solution, and what is told about it. The standard library is enough for it: generated headers
// repeat this text (engine/text/header_runtime.cpp).
#pragma once

#include "step/stopping.hpp"

namespace rattleback {

using Sizes = newton::Sizes<double>;

struct SolveOptions {
  double tolerance = 0.0;  // relative size of the last correction; 0 = iterate to rounding
  int max_iterations = 50;
  // Do not count on quadratic convergence: for unknowns of very different sensitivity, where one ratio of corrections
  // says little about the next (the multipliers of position constraints, which act through h^2).
  bool cautious = false;
  bool simplified = false;  // never the exact matrix [Hilden2009, Algorithm 2.1]
  // Linear blocks are corrected with the same factors until that does not help any more: then every equation is
  // satisfied to the rounding errors of its own terms, whatever their sizes are beside those of other equations.
  // [Skeel1980]
  bool refine = false;
};

// What kept a system of equations from being solved.
enum class Trouble { newton, singular, not_finite };

struct SolveReport {
  bool ok = true;
  Trouble trouble = Trouble::newton;  // when not ok
  int iterations = 0;                 // over all nonlinear blocks
  double first = 0.0;        // largest first correction of a nonlinear block: how good the starting values were
  double correction = 0.0;   // last relative correction
  double contraction = 0.0;  // last ratio of two corrections
  double residual = 0.0;     // largest residual at the end
  const char* reason = "";   // when not ok
  bool ends = false;         // because the solution goes to infinity, which no other step cures
};

}  // namespace rattleback
