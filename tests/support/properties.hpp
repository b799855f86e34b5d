// What is measured of a method: order, reversal, energy, constraint.
#pragma once

#include "support/motion.hpp"

namespace rattleback::testing {

// --- order

// The end state of another code path at time `until`: 8 stages of spark-gauss (dae: srk-gauss) with small steps, or what
// is asked for.
Motion::State reference_end(const Model& model, double until, const Maker& maker = {});

struct Orders {
  double q = 0.0, v = 0.0, multipliers = 0.0;  // NaN: fewer than three points above rounding
};
// Fitted slopes of log(error) over log(h), h = until/count for each count.
Orders measured_order(const Maker& maker, const Model& model, double until, const std::vector<int>& counts,
                      const Motion::State& reference);

// 2-norm of the difference to [exact] at time `until`, after `count` steps.
double exact_error(const Maker& maker, const Model& model, double until, int count);
// Slope between two step sizes.
double slope(double error_coarse, double error_fine, double ratio = 2.0);

// --- structure

// Forward so many steps and back: largest difference to the start (two-step methods: in the positions), relative to the
// largest component of the start; infinity when the way back fails.
double round_trip_defect(const Maker& maker, const Model& model, double h, int steps);

// Largest velocity-level residual (dae: of the constraint) over the end points.
double max_constraint(const Maker& maker, const Model& model, double h, int steps);

struct EnergyError {
  double max = 0.0;    // largest |E - E0| over all steps
  double early = 0.0;  // over the first tenth
  double late = 0.0;   // over the last tenth
};
EnergyError energy_error(const Maker& maker, const Model& model, double h, int steps);

// --- systems that are not shipped

// L and the constraint depend on t: a mass that breathes, a well that beats, a floor that moves.
Model moving_contact();
// Appell and Hamel's constraint, nonlinear in the velocities: z'^2 = x'^2 + y'^2, in a well.
Model nonlinear_contact();
// The nonholonomic particle with drag and a push that depends on t.
Model forced_particle();
// A nonideal reaction: a force that is linear in the multiplier and depends on q and v.
Model nonideal_particle();
// Constant mass, and L linear in v besides: a charge in a magnetic field that depends on the position.
Model magnetic_particle();
// Constant mass, and a momentum that depends on t: the particle in a box that is shaken.
Model swung_particle();
// Two rolling constraints, and a mass matrix that depends on the heading: the robot with its centre of mass off the axle.
Model offset_robot();
// On a surface, and a mass matrix that depends on the position.
Model on_a_surface();
// The additive DAE of Hilden (2.23) with its parts 3 and 4 moved to 2 and 5, whose Lobatto coefficients are symmetric.
Model additive_symmetric();

}  // namespace rattleback::testing
