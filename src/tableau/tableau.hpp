// Runge-Kutta coefficients, computed from their defining conditions in extended precision and rounded once.
#pragma once

#include <string>
#include <vector>

namespace rattleback {

// Row-major s x s matrix and s-vectors of doubles.
struct Tableau {
  std::string name;
  int stages = 0;
  std::vector<double> A, b, c;
  int order = 0;
  [[nodiscard]] double a(int i, int j) const { return A[static_cast<std::size_t>(i) * stages + j]; }
};

// Families by name, any number of stages.
Tableau gauss(int s);         // s >= 1, order 2s
Tableau radau_ia(int s);      // s >= 1 (s = 1: A = [1], c = 0), order 2s-1
Tableau radau_iia(int s);     // s >= 1, order 2s-1
Tableau lobatto_iiia(int s);  // s >= 2, order 2s-2
Tableau lobatto_iiib(int s);
Tableau lobatto_iiic(int s);
Tableau lobatto_iiic_star(int s);
Tableau lobatto_iiid(int s);  // (IIIC + IIIC*)/2

// Murua's pair: Gauss collocation, and its polynomials at the s+1 Lobatto points but the first. [Symank2025, 6.3.1]
struct MuruaPair {
  Tableau gauss;
  std::vector<double> c;               // c_i, i = 1..s: the Lobatto points after 0
  std::vector<std::vector<double>> a;  // a_ij = integral of l_j from 0 to c_i
  std::vector<double> gamma;           // value at 1 of the polynomial through the nodes 0, c_1 .. c_s of Gauss
};
MuruaPair murua(int s);  // s >= 1

// Gauss quadrature on [0,1] with so many points: exact for polynomials of degree 2 points - 1.
struct GaussRule {
  std::vector<double> c, b;
};
GaussRule gauss_rule(int points);

// What energy-preserving collocation is made of: Gauss collocation with s stages, and the quadrature of its gradients.
//   u(t0 + tau_k h) = x0 + h sum_j a_kj K_j,    int_0^1 (l_i/b_i) f dtau = sum_k weight_ik f(tau_k)
// with exact integrals for f of degree 2 points - s.                                              [CohenHairer2011, eq. 3]
struct EnergyCollocation {
  Tableau gauss;
  std::vector<double> tau;                  // quadrature points
  std::vector<std::vector<double>> a;       // by point, then stage
  std::vector<std::vector<double>> weight;  // by stage, then point
};
EnergyCollocation energy_collocation(int s, int points);

// Largest residual over all the order conditions (rooted trees) of exactly this order; orders 1..8.
double order_condition_residual(const Tableau& tableau, int order);
// Highest p <= max_order such that all conditions up to p hold to `tolerance`.
int classical_order(const Tableau& tableau, int max_order = 8, double tolerance = 1e-13);
// Conditions of partitioned methods (coefficients a for one group of variables, ahat for the other; same b and c),
// via bicoloured trees up to order 4 and the simplifying assumptions beyond.
int partitioned_order(const Tableau& a, const Tableau& ahat, int max_order = 8, double tolerance = 1e-13);

bool is_symmetric(const Tableau& tableau, double tolerance = 1e-14);  // a_{s+1-i,s+1-j} + a_ij = b_j, b, c mirrored
bool is_symplectic(const Tableau& a, const Tableau& ahat,
                   double tolerance = 1e-14);  // b_i ahat_ij + b_j a_ji = b_i b_j

}  // namespace rattleback
