// The midpoint rule with the effort z replaced by zb, so that a discrete chain rule holds: with xb = (x0 + x1)/2 and all
// matrices, r and u at (t0 + h/2, xb),
//
//   E (x1 - x0)/h + r = (J - R) zb + (B - P) u,       zb^T (E (x1 - x0) + h r) = H(t1,x1) - H(t0,x0)
//
// Multiplying the first by h zb^T gives H1 - H0 = h y^T u - h (zb,u)^T W (zb,u) with y = (B + P)^T zb + (S - N) u, whatever
// H is. Two choices, both with w = E (x1 - x0) + h r and the remainder rho = H1 - H0 - zm^T w:
//
//   Gonzalez:  zb = zm + w rho/|w|^2,  zm = z(t0 + h/2, xb)                       [Gonzalez1996; here E^T z takes the place
//   AVF:       zb = zm + w rho/|w|^2,  zm = int_0^1 z(t0 + tau h, x0 + tau (x1 - x0)) dtau         of grad H]
//
// For constant E, r = 0 and exact quadrature, the mean satisfies the chain rule by itself and rho is rounding.
//
// An algebraic state has its value at the midpoint for an unknown, as in the midpoint rule: x1 = 2 xb - x0.
#include "method/port_hamiltonian/port_hamiltonian_gradient.hpp"

#include <algorithm>
#include <limits>

#include "expr/degree.hpp"
#include "expr/slope.hpp"
#include "expr/vectors.hpp"
#include "method/port_hamiltonian/port_hamiltonian_step.hpp"

namespace rattleback {

namespace {

// zm(step, t, x1, xb) gives the effort before its correction.
template <class Effort>
Equations gradient_step(const PortHamiltonian& system, Effort&& effort) {
  PortHamiltonianStep step(system, {});
  Graph& g = step.eq.graph;
  StepInputs& in = step.in;
  const auto n = static_cast<std::size_t>(system.n);
  const NodeId half = g.constant(0.5), half_h = g.mul(half, in.h), middle = in.time(0.5);

  const Vec unknown = in.list(kUnknown, 0, system.n);  // (x1 - x0)/h, or xb of an algebraic state
  Vec x1, xb;
  for (std::size_t k = 0; k < n; ++k) {
    if (step.algebraic[k] != 0) {
      xb.push_back(unknown[k]);
      x1.push_back(g.sub(g.mul(g.constant(2.0), unknown[k]), step.x0[k]));
    } else {
      xb.push_back(g.add(step.x0[k], g.mul(half_h, unknown[k])));
      x1.push_back(g.add(step.x0[k], g.mul(in.h, unknown[k])));
    }
  }
  Point here(g, middle, xb, {});
  PortHamiltonian::At at = step.f.at(here);
  Vec left, w;
  for (std::size_t k = 0; k < n; ++k) {
    NodeId sum = g.zero();
    for (std::size_t j = 0; j < n; ++j)
      if (step.algebraic[j] == 0) sum = g.add(sum, g.mul(at.E[k][j], unknown[j]));
    left.push_back(sum);
    w.push_back(g.mul(in.h, g.add(sum, at.r[k])));
  }

  const Vec zm = effort(step, xb, x1);
  // H1 - H0 without the cancellation of two values (expr/slope.hpp): near an equilibrium it is far below rounding of H.
  const NodeId change = slope(g, step.f.H, g.one(), [&](NodeId leaf) {
                          const Node node = g[leaf];
                          if (node.space == kTime) return Span{in.t, in.time(1.0), in.h};
                          const auto k = static_cast<std::size_t>(node.base());
                          const NodeId by = step.algebraic[k] != 0 ? g.sub(x1[k], step.x0[k]) : g.mul(in.h, unknown[k]);
                          return Span{step.x0[k], x1[k], by};
                        }).slope;
  const NodeId rho = g.sub(change, dot(g, zm, w));
  constexpr double kVanishes = 1e-280;  // |w|^2 of a step that does not move, or nearly underflows
  const NodeId counts = g.binary(Op::less, g.constant(kVanishes), dot(g, w, w));
  // The divisor is 1 where the quotient is not used: no division by 0 then.
  const NodeId factor = g.select(counts, g.div(rho, g.select(counts, dot(g, w, w), g.one())), g.zero());
  for (std::size_t k = 0; k < n; ++k) at.z[k] = g.add(zm[k], g.mul(w[k], factor));

  const Vec flow = PortHamiltonian::flow(g, at);
  for (std::size_t k = 0; k < n; ++k) step.equation(g.sub(left[k], flow[k]), k);
  step.guess_rates();
  PowerNodes power(step, in.t, step.x0, in.time(1.0), x1);
  power.add(in.h, middle, xb, at);
  step.eq.power = power.take();
  step.eq.power[0] = change;  // stored, with all its digits
  step.results(x1, {});
  return std::move(step.eq);
}

}  // namespace

Equations gonzalez_step(const PortHamiltonian& system) {
  return gradient_step(system, [](PortHamiltonianStep& step, const Vec& xb, const Vec& /*x1*/) {
    Point here(step.eq.graph, step.in.time(0.5), xb, {});
    return here(step.f.z);
  });
}

Equations avf_step(const PortHamiltonian& system, int points) {
  if (points == 0) {
    constexpr int kPoints = 8, kMostPoints = 20;
    points = 1;  // exact for degree 2 points - 1
    for (const NodeId z : system.z) {
      const bool moves = depends_on(system.graph, std::span(&z, 1), kTime);
      const auto degree = moves ? std::nullopt : polynomial_degree(system.graph, z, kPosition);
      points = std::max(points, degree ? *degree / 2 + 1 : kPoints);
    }
    points = std::min(points, kMostPoints);
  }
  const Tableau rule = gauss(points);
  return gradient_step(system, [&](PortHamiltonianStep& step, const Vec& xb, const Vec& x1) {
    Graph& g = step.eq.graph;
    std::vector<Vec> values;
    for (const double c : rule.c) {
      Vec x;
      for (std::size_t k = 0; k < x1.size(); ++k) {
        const NodeId from = step.x0[k];
        x.push_back(step.algebraic[k] != 0
                        ? xb[k]
                        : g.add(from, g.mul(g.constant(c),
                                            g.mul(step.in.h, g.variable(kUnknown, static_cast<std::int32_t>(k))))));
      }
      Point here(g, step.in.time(c), x, {});
      values.push_back(here(step.f.z));
    }
    Vec mean;
    for (std::size_t k = 0; k < x1.size(); ++k) {
      Vec column;
      for (const Vec& z : values) column.push_back(z[k]);
      mean.push_back(std::all_of(column.begin(), column.end(), [&](NodeId z) { return z == column[0]; })
                         ? column[0]
                         : combine(g, rule.b, column));
    }
    return mean;
  });
}

}  // namespace rattleback
