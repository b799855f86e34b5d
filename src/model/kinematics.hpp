// Quasi-velocities: velocities q' = Z(t, q) w of some coordinates, with w for the velocities of formulas.
//
// All else of this program has q and q'. So a quasi-velocity stands for what it is of these, w = Z^+ q', and what the
// kinematics keep (the length of a quaternion) becomes a constraint.
#pragma once

#include "model/grammar/elaborate.hpp"
#include "model/model_text.hpp"

namespace rattleback::front {

// Reads the lines of [kinematics] into the graph; what they keep is written into `text`. Nothing where there are none.
// Refuses lines that are not linear, quasi-velocities that the velocities do not determine, and coordinates that are free
// to move where no quasi-velocity leads.
QuasiVelocities build_kinematics(ModelText& text, Graph& graph);
// Of [kinematics], or momenta.
QuasiVelocities build_quasi(ModelText& text, Graph& graph);
void use_kinematics(const ModelText& text, const QuasiVelocities& quasi, Elaborator& e);

// The constraints of what is kept.
void add_kept(const ModelText& text, Graph& graph, Model& model);
// Is that what it was when the model was built?
bool keeps_the_same(const ModelText& text);

// Entries by coordinate of entries by coordinate or, behind these, by quasi-velocity: forces that do the same work.
Entries along_coordinates(Graph& graph, const Model& model, const Entries& entries);

// The velocities at the start, where they follow from quasi-velocities.
void put_velocities(const ModelText& text, Model& model);

}  // namespace rattleback::front
