// Which methods take which models, and what is said where one does not.
#pragma once

#include <string>
#include <string_view>

#include "method/registry.hpp"
#include "option/option_table.hpp"
#include "rattleback/simulate.hpp"
#include "system/system.hpp"

namespace rattleback {

// Why a method cannot take this model, with what to do instead; "" when it can. formulation: as asked for.
std::string why_not(const MethodEntry& method, const Model& model, Formulation formulation);

// Forces that are nonlinear in the multipliers act.
bool nonlinear_reactions(const Model& model);

// What decides the orders of a method on this system, with its constraints taken as `formulation` says (none: velocity level).
OrderCase order_case(const System& system, Formulation formulation);

// The mass matrix is constant and singular: some direction has no inertia at all.
bool massless(const System& system);

// Can the method of these options take the model with its families as they are? If not, they must be unrolled. options: with those
// of [run] (option/run_table.hpp).
bool takes_families(const Model& model, const Options& options);

// The model with its families as they are where the method can take them, and unrolled otherwise. Throws Error.
Model load_to_run(const std::string& system, LoadOptions load, const Options& options, Place place = Place::run);

// The command that lists what applies: with the name of a shipped system; a file's path is not known here.
std::string check_command(const Model& model);

// What RungeKutta::uneven_multipliers comes to.
inline constexpr const char* kUnevenMultipliers =
    "does not converge here: the forces are nonlinear in the multipliers and L_v is not a constant matrix times v, so "
    "that its two stage multipliers are off by an amount that does not vanish with the step (only their sum is right). "
    "spark-lobatto-ab with 2 stages has order 2";

}  // namespace rattleback
