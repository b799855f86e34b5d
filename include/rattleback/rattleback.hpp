// Rattleback: mechanical systems with constraints, without losing the physics.
#pragma once

#include "rattleback/analysis.hpp"   // IWYU pragma: export
#include "rattleback/audit.hpp"      // IWYU pragma: export
#include "rattleback/cancelled.hpp"  // IWYU pragma: export
#include "rattleback/dynamics.hpp"   // IWYU pragma: export
#include "rattleback/error.hpp"      // IWYU pragma: export
#include "rattleback/expr.hpp"       // IWYU pragma: export
#include "rattleback/generate.hpp"   // IWYU pragma: export
#include "rattleback/method.hpp"     // IWYU pragma: export
#include "rattleback/model.hpp"      // IWYU pragma: export
#include "rattleback/policies.hpp"   // IWYU pragma: export
#include "rattleback/simulate.hpp"   // IWYU pragma: export
#include "rattleback/stepper.hpp"    // IWYU pragma: export
#include "rattleback/trace.hpp"      // IWYU pragma: export
#include "rattleback/values.hpp"     // IWYU pragma: export
#include "rattleback/version.hpp"    // IWYU pragma: export
#include "rattleback/write.hpp"      // IWYU pragma: export
