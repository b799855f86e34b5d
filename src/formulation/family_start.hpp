// Consistent starts of large systems: what start.hpp promises, with sparse matrices.
#pragma once

#include "formulation/start.hpp"

namespace rattleback {

StartAnalysis analyse_large_start(const System& system, std::span<const double> q, std::span<const double> v);
bool project_large_start(const System& system, std::vector<double>& q, std::vector<double>& v);

// Is L_vv positive definite?
bool has_positive_mass(const FamilyMechanical& f, std::span<const double> q, std::span<const double> v);

// Largest value of a matrix function.
double largest_value(const FamilyMechanical& f, const Entries& matrix, std::span<const double> q,
                     std::span<const double> v);

}  // namespace rattleback
