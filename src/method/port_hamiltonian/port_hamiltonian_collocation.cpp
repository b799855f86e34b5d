// One step of a Runge-Kutta method on E(t,x) x' = f(t,x), where f = (J - R) z + (B - P) u - r and E may be singular:
//
//   E(T_i, X_i) K_i = f(T_i, X_i),     X_i = x0 + h sum a_ij K_j,     x1 = x0 + h sum b_j K_j        [Symank2025, 5.3]
//
// The derivative of an algebraic state (its column of E vanishes) does not occur, so its stage values X_i are the unknowns.
// With invertible A, eliminating K gives the same method:  x1 = (1 - b A^-1 1) x0 + sum (b A^-1)_j X_j.
//
// The step knows its energies:  supplied = h sum b_i y_i^T u_i,  dissipated = h sum b_i (z_i,u_i)^T W_i (z_i,u_i).  For a
// quadratic H and constant E, Gauss collocation makes H1 - H0 = supplied - dissipated exact, because the integrand of
// H' = z^T E x' along the collocation polynomial has degree 2s - 1.                          [Symank2025, theorem 5.6]
#include "method/port_hamiltonian/port_hamiltonian_collocation.hpp"

#include <cmath>

#include "linalg/decompositions.hpp"
#include "method/port_hamiltonian/port_hamiltonian_step.hpp"
#include "method/runge_kutta/stages.hpp"
#include "rattleback/error.hpp"
#include "system/point.hpp"

namespace rattleback {
namespace {

struct AtInfinity {
  std::vector<double> weight;  // b A^-1
  double start = 0.0;          // 1 - b A^-1 1
};

AtInfinity at_infinity(const Tableau& t) {
  const auto s = static_cast<Eigen::Index>(t.stages);
  const Eigen::Map<const linalg::RowMajorXd> A(t.A.data(), s, s);
  AtInfinity out;
  out.weight.assign(static_cast<std::size_t>(s), 0.0);
  if (A.row(s - 1) == Eigen::Map<const Eigen::RowVectorXd>(t.b.data(), s)) {  // stiffly accurate: the last stage is x1
    out.weight.back() = 1.0;
    return out;
  }
  const Eigen::VectorXd w = linalg::solve(A.transpose(), Eigen::Map<const Eigen::VectorXd>(t.b.data(), s));
  std::copy(w.begin(), w.end(), out.weight.begin());
  out.start = 1.0 - w.sum();
  if (const double whole = std::round(out.start); std::fabs(out.start - whole) < 1e-10) out.start = whole;
  return out;
}

}  // namespace

Equations collocation_step(const PortHamiltonian& system, const Tableau& tableau,
                           const std::optional<DerivedStates>& derived) {
  PortHamiltonianStep step(system, derived);
  Graph& g = step.eq.graph;
  StepInputs& in = step.in;
  const auto n = static_cast<std::size_t>(system.n);
  const int s = tableau.stages;
  const AtInfinity end = at_infinity(tableau);

  std::vector<Vec> unknown, X;  // K_i, or X_i of an algebraic state
  for (int i = 0; i < s; ++i) unknown.push_back(in.list(kUnknown, i * system.n, system.n));
  for (int i = 0; i < s; ++i) {
    X.push_back(advance(g, step.x0, in.h, row(tableau.A, i, s), unknown));
    for (std::size_t k = 0; k < n; ++k)
      if (step.algebraic[k] != 0) X.back()[k] = unknown[static_cast<std::size_t>(i)][k];
  }
  Vec x1 = advance(g, step.x0, in.h, tableau.b, unknown);
  for (std::size_t k = 0; k < n; ++k) {
    if (step.algebraic[k] == 0) continue;
    Vec column;
    for (const Vec& x : X) column.push_back(x[k]);
    x1[k] = combine(g, end.weight, column);
    if (end.start != 0.0) x1[k] = g.add(x1[k], g.mul(g.constant(end.start), step.x0[k]));
  }

  PowerNodes power(step, in.t, step.x0, in.time(1.0), x1);
  for (std::size_t i = 0; i < X.size(); ++i) {
    const NodeId t = in.time(tableau.c[i]);
    Point here(g, t, X[i], {});
    const PortHamiltonian::At at = step.f.at(here);
    const Vec flow = PortHamiltonian::flow(g, at);
    for (std::size_t k = 0; k < n; ++k) {
      NodeId left = g.zero();
      for (std::size_t j = 0; j < n; ++j)
        if (step.algebraic[j] == 0) left = g.add(left, g.mul(at.E[k][j], unknown[i][j]));
      step.equation(g.sub(left, flow[k]), k);
    }
    step.guess_rates();
    power.add(g.mul(in.h, g.constant(tableau.b[i])), t, X[i], at);
  }
  step.eq.power = power.take();
  Vec newest;
  if (derived) newest.assign(X.back().end() - derived->m, X.back().end());
  step.results(x1, newest);
  for (const Vec& x : X) {  // what dense output interpolates: the states, or the velocities of a derived form
    const auto first = derived ? x.begin() + derived->n : x.begin();
    step.eq.extra.insert(step.eq.extra.end(), first, derived ? first + derived->n : x.end());
  }
  return std::move(step.eq);
}

}  // namespace rattleback
