// Numbers of functions with families at one point: matrices by their places, with and without a zero in every other place.
#pragma once

#include <span>
#include <vector>

#include <Eigen/SparseCore>

#include "system/families/family_mechanical.hpp"

namespace rattleback {

// Every member of every entry in a place of its own, one after the other; how many that are.
std::int32_t side_by_side(Entries& entries);

std::vector<Eigen::Triplet<double>> triplets(const Graph& g, const Entries& matrix, std::int32_t n, std::int32_t m,
                                             double t, std::span<const double> q, std::span<const double> v);
Eigen::SparseMatrix<double> sparse_value(const Graph& g, const Entries& matrix, std::int32_t rows, std::int32_t columns,
                                         std::int32_t n, std::int32_t m, double t, std::span<const double> q,
                                         std::span<const double> v);

// Has a matrix function entries on its diagonal only? Does a function change in the course of a motion?
bool is_diagonal(const Entries& matrix);
bool depends_on_motion(const Graph& g, std::span<const Entry> f);

// Is a symmetric matrix positive definite beyond rounding, whatever the units of its rows are?
bool is_positive(const Eigen::SparseMatrix<double>& matrix);

// Is L_vv, with the inertia that was added?
bool has_positive_mass(const FamilyMechanical& f, double t, std::span<const double> q, std::span<const double> v);

}  // namespace rattleback
