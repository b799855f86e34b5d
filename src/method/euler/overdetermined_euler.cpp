// Jay and Simeon's extensions of the symplectic Euler method to y' = v(y, z), z' = f(y, z) + r(y, z, psi), 0 = g(y):
//
//   Z   = z0 + h f(y0, Z) + h alpha r(y0, z0, Psi_0)                          (3.2a, 3.5a)
//   y1  = y0 + h v(y0, Z),                                       0 = g(y1)     (b, c)
//   z1  = Z + h (1 - alpha) r(y1, z1, Psi_1)                                   natural (3.2d)
//   z1  = Z - h alpha r(y1, z1, Psi_0) + h r(y1, z1, Psi_1)                    true (3.5d)
//   0   = g_y(y1) v(y1, z1)                                                    (e)
//
// The conjugate methods (3.7: natural, 3.8: true) take v and f at (y1, Z), and f belongs to the second half:
//
//   Z   = z0 + h alpha r(y0, z0, Psi_0),   y1 = y0 + h v(y1, Z),   z1 = Z + h f(y1, Z) + ...
//
// The explicit and the implicit Euler method can be mixed with the reactions in the same way: f at (y0, z0), or v and f at
// (y1, Z) while f stays in the first half.                                                          [JaySimeon, section 1]
//
// The adjoint of each of them is its inverse with step -h: the same equations with the two ends exchanged and h replaced by
// -h. The constraints stand at the new end there too, because a step maps consistent states to consistent states. It is not
// the conjugate method: in the adjoint of the true method Psi_1 acts at the old end and Psi_0 with the other sign. Only for r
// affine in psi the two are the same.
//
// With momenta, p(y, z)' = f + r, the sums above are those of momenta: p(y0, z0) for z0, p(y1, z1) for z1, and for Z
// p(y0, Z), of the conjugate methods p(y1, Z). With r = -g_y^T psi, p = L_v and f = L_q the methods are then symplectic for
// every mass.                                                                      [JaySimeon, end of the beginning of 3]
//
// A time t in the functions goes with y: t0 where y0 stands, t1 where y1 stands.   [JaySimeon, eqs 3.2, 3.5, 3.7, 3.8]
#include "method/euler/overdetermined_euler.hpp"

#include "expr/vectors.hpp"
#include "method/step_inputs.hpp"
#include "system/point.hpp"
#include "tableau/tableau.hpp"

namespace rattleback {
namespace {

struct Inputs {
  explicit Inputs(Equations& eq, const Overdetermined& o) {
    Graph& g = eq.graph;
    eq.inputs = {{kTime, 1},         {kStepSize, 1},    {kMultiplier, o.m}, {kAcceleration, o.nz},
                 {kBranch, 2 * o.m}, {kPosition, o.ny}, {kVelocity, o.nz}};
    t = g.variable(kTime, 0);
    h = g.variable(kStepSize, 0);
    y = variables(g, kPosition, 0, o.ny);
    z = variables(g, kVelocity, 0, o.nz);
  }
  NodeId t = 0, h = 0;
  Vec y, z;
};

struct End {
  NodeId t;
  Vec y, z;
};

}  // namespace

Equations overdetermined_euler_step(const Overdetermined& system, const EulerScheme& scheme) {
  Overdetermined o = system;
  Equations eq;
  eq.graph = std::move(o.graph);
  Graph& g = eq.graph;
  const Inputs in(eq, o);
  const std::int32_t ny = o.ny, nz = o.nz, m = o.m;
  const Vec Z = variables(g, kUnknown, 0, nz);
  const End old{in.t, in.y, in.z};
  const End fresh{g.add(in.t, in.h), variables(g, kUnknown, nz, ny), variables(g, kUnknown, nz + ny, nz)};
  // Psi_0 acts on y1 through h^2, so its rounding errors are those of y/h^2: the unknown is h Psi_0, with y/h.
  Vec Psi0;
  for (const NodeId u : variables(g, kUnknown, 2 * nz + ny, m)) Psi0.push_back(g.div(u, in.h));
  const Vec Psi1 = variables(g, kUnknown, 2 * nz + ny + m, m);

  // From a to b with step h; the adjoint goes back from the new end to the old one.
  const End &a = scheme.adjoint ? fresh : old, &b = scheme.adjoint ? old : fresh;
  const NodeId h = scheme.adjoint ? g.neg(in.h) : in.h;
  const NodeId alpha = g.constant(scheme.alpha);
  const auto reacting = [&](const End& end) -> const Vec& {  // z in r there
    switch (scheme.reaction) {
      case Reaction::printed: return end.z;
      case Reaction::z0: return a.z;
      case Reaction::z1: return b.z;
      case Reaction::Z1: return Z;
    }
    return end.z;
  };
  Point start(g, a.t, a.y, reacting(a), Psi0), end0(g, b.t, b.y, reacting(b), Psi0),
      end1(g, b.t, b.y, reacting(b), Psi1);
  Point middle = scheme.late() ? Point(g, b.t, b.y, Z) : Point(g, a.t, a.y, Z);
  // Momenta of a, of Z and of b.
  const auto momenta = [&](Point& at, const Vec& z) { return o.p.empty() ? z : at(o.p); };
  Point at_a(g, a.t, a.y, a.z), at_b(g, b.t, b.y, b.z);
  const Vec v = middle(o.v), f = scheme.mix == EulerScheme::Mix::explicit_euler ? at_a(o.f) : middle(o.f);
  const Vec p_a = momenta(at_a, a.z), P = momenta(middle, Z), p_b = momenta(at_b, b.z);

  Vec first, second;  // P and p_b, as the scheme gives them
  for (std::size_t i = 0; i < Z.size(); ++i) {
    const NodeId force = g.mul(h, f[i]), begin = g.mul(h, g.mul(alpha, start(o.r[i])));
    const NodeId finish = scheme.natural ? g.mul(h, g.mul(g.constant(1.0 - scheme.alpha), end1(o.r[i])))
                                         : g.mul(h, g.sub(end1(o.r[i]), g.mul(alpha, end0(o.r[i]))));
    first.push_back(g.add(scheme.conjugate ? p_a[i] : g.add(p_a[i], force), begin));
    second.push_back(g.add(scheme.conjugate ? g.add(P[i], force) : P[i], finish));
  }
  // Each equation beside the unknown that it gives explicitly: Z and z1, and the other way round when going back.
  const auto equate = [&](const Vec& x, const Vec& value) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      eq.residuals.push_back(g.sub(x[i], value[i]));
      eq.scales.push_back(Equations::Scale::state);
    }
  };
  scheme.adjoint ? equate(p_b, second) : equate(P, first);
  Vec moved;
  for (std::size_t i = 0; i < v.size(); ++i) moved.push_back(g.add(a.y[i], g.mul(h, v[i])));
  equate(b.y, moved);
  scheme.adjoint ? equate(P, first) : equate(p_b, second);
  Point here(g, fresh.t, fresh.y, fresh.z);
  for (const Vec* level : {&o.g, &o.k})
    for (const NodeId c : *level) {
      eq.residuals.push_back(here(c));
      eq.scales.push_back(Equations::Scale::state_per_step);
    }

  Point now(g, old.t, old.y, old.z);
  const auto guess_velocity = [&] {
    for (std::int32_t i = 0; i < nz; ++i)
      eq.guesses.push_back(g.add(old.z[static_cast<std::size_t>(i)], g.mul(in.h, g.variable(kAcceleration, i))));
  };
  guess_velocity();
  for (std::size_t i = 0; i < v.size(); ++i) eq.guesses.push_back(g.add(old.y[i], g.mul(in.h, now(o.v[i]))));
  guess_velocity();
  for (std::int32_t c = 0; c < m; ++c) eq.guesses.push_back(g.mul(in.h, g.variable(kBranch, c)));
  for (std::int32_t c = 0; c < m; ++c)
    eq.guesses.push_back(scheme.natural ? g.variable(kBranch, m + c) : g.variable(kMultiplier, c));

  eq.results = fresh.y;
  eq.results.insert(eq.results.end(), fresh.z.begin(), fresh.z.end());
  Vec sum;
  for (std::size_t c = 0; c < Psi1.size(); ++c)
    sum.push_back(scheme.natural ? g.add(g.mul(alpha, Psi0[c]), g.mul(g.constant(1.0 - scheme.alpha), Psi1[c]))
                                 : Psi1[c]);
  if (scheme.own != EulerScheme::Own::none) {
    const Vec& own = scheme.own == EulerScheme::Own::sum ? sum : Psi1;
    eq.inputs.emplace_back(kCarried, m);
    eq.results.insert(eq.results.end(), own.begin(), own.end());
  }
  eq.results.insert(eq.results.end(), sum.begin(), sum.end());
  return eq;
}

Equations overdetermined_flight_step(const Overdetermined& system) {
  Overdetermined o = system;
  Vec rates;  // of momenta, while z' is kFrozen
  for (const NodeId p : o.p) rates.push_back(o.along(p, o.v, variables(o.graph, kFrozen, 0, o.nz)));
  Equations eq;
  eq.graph = std::move(o.graph);
  Graph& g = eq.graph;
  const Inputs in(eq, o);
  const Tableau tableau = gauss(3);
  const auto s = static_cast<std::size_t>(tableau.stages);
  const std::size_t ny = in.y.size(), nz = in.z.size();
  // Unknowns: the slopes y' and z' of all stages. With constant f they come out explicit.
  std::vector<Vec> dy, dz;
  std::int32_t next = 0;
  for (std::size_t i = 0; i < s; ++i) {
    dy.push_back(variables(g, kUnknown, next, o.ny));
    dz.push_back(variables(g, kUnknown, next + o.ny, o.nz));
    next += o.ny + o.nz;
  }
  const auto reached = [&](const Vec& x, const std::vector<Vec>& slope, const double* weight) {
    Vec out;
    for (std::size_t k = 0; k < x.size(); ++k) {
      NodeId sum = g.zero();
      for (std::size_t j = 0; j < s; ++j) sum = g.add(sum, g.mul(g.constant(weight[j]), slope[j][k]));
      out.push_back(g.add(x[k], g.mul(in.h, sum)));
    }
    return out;
  };
  Point now(g, in.t, in.y, in.z);
  for (std::size_t i = 0; i < s; ++i) {
    const double* row = tableau.A.data() + i * s;
    Point stage(g, g.add(in.t, g.mul(g.constant(tableau.c[i]), in.h)), reached(in.y, dy, row), reached(in.z, dz, row));
    for (std::size_t k = 0; k < ny; ++k) {
      eq.residuals.push_back(g.sub(dy[i][k], stage(o.v[k])));
      eq.guesses.push_back(now(o.v[k]));
    }
    const auto with_slope = [&](NodeId leaf) {
      return g[leaf].space == kFrozen ? dz[i][static_cast<std::size_t>(g[leaf].base())] : leaf;
    };
    for (std::size_t k = 0; k < nz; ++k) {
      const NodeId rate = rates.empty() ? dz[i][k] : substitute(g, stage(rates[k]), with_slope);
      eq.residuals.push_back(g.sub(rate, g.add(stage(o.f[k]), stage(o.r[k]))));
      eq.guesses.push_back(g.variable(kAcceleration, static_cast<std::int32_t>(k)));
    }
  }
  eq.scales.assign(eq.residuals.size(), Equations::Scale::state);
  eq.results = reached(in.y, dy, tableau.b.data());
  const Vec z1 = reached(in.z, dz, tableau.b.data());
  eq.results.insert(eq.results.end(), z1.begin(), z1.end());
  return eq;
}

}  // namespace rattleback
