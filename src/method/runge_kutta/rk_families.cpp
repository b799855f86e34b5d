// Which tableau multiplies which part of the equations, and where the constraint is imposed, for each method of
// Runge-Kutta type. The equations themselves are in runge_kutta.cpp; what the letters mean is in scheme.hpp.
#include "method/runge_kutta/rk_families.hpp"

namespace rattleback {
namespace {

using Where = ConstraintRow::Where;

// Three matrices with the weights and nodes of the first; the constraint is still to be imposed.
Scheme coefficients(const Tableau& a, const Tableau& ah, const Tableau& at) {
  Scheme s;
  s.stages = a.stages;
  s.a = a.A;
  s.ah = ah.A;
  s.at = at.A;
  s.b = s.bh = s.bt = a.b;
  s.c = a.c;
  return s;
}

// One matrix for everything, on mechanical systems and on DAEs.
Scheme one_tableau(const Tableau& t) {
  Scheme s = coefficients(t, t, t);
  s.parts.fill(t.A);
  return s;
}

// 0 = sum_j b_j c_j^(i-1) k_j for i = 1..s-1, and 0 = k at the end. [Jay2009, eq. 6.1e-f; Hilden2009, eq. 2.27]
Scheme weighted(Scheme s) {
  std::vector<double> w = s.b;
  for (int i = 1; i < s.stages; ++i) {
    s.rows.push_back({.where = Where::stages, .weight = w});
    for (std::size_t j = 0; j < w.size(); ++j) w[j] *= s.c[j];
  }
  s.rows.push_back({});
  return s;
}

// 0 = k at each stage from `first` on: the standard treatment. [Hilden2009, eq. 2.15]
Scheme at_stages(Scheme s, int first = 0) {
  for (int i = first; i < s.stages; ++i) {
    std::vector<double> w(static_cast<std::size_t>(s.stages), 0.0);
    w[static_cast<std::size_t>(i)] = 1.0;
    s.rows.push_back({.where = Where::stages, .weight = w});
  }
  return s;
}

// The members of the family for additive parts. All have the weights and nodes of Lobatto quadrature. [Jay1998]
std::array<std::vector<double>, 5> lobatto_matrices(int s) {
  return {lobatto_iiia(s).A, lobatto_iiib(s).A, lobatto_iiic(s).A, lobatto_iiic_star(s).A, lobatto_iiid(s).A};
}

// Groups of forces take theirs. [Hilden2009, 2.5; Jay2009, 6]
Scheme with_groups(Scheme s) {
  s.groups = lobatto_matrices(s.stages);
  return s;
}

// Holonomic constraints: 0 = g at the stages 2..s (the first is the start of the step), and 0 = k at the end.
// [Symank2025, 6.2; Jay1996]
Scheme with_positions(Scheme s) {
  for (int i = 1; i < s.stages; ++i) s.holonomic_rows.push_back({.where = Where::position, .index = i});
  s.holonomic_rows.push_back({});
  return s;
}

}  // namespace

Scheme prk_lobatto(int s) {
  return with_positions(weighted(coefficients(lobatto_iiia(s), lobatto_iiib(s), lobatto_iiib(s))));
}

Scheme spark_lobatto_ab(int s) { return with_groups(prk_lobatto(s)); }

Scheme spark_lobatto_abd(int s) {
  return with_groups(with_positions(weighted(coefficients(lobatto_iiia(s), lobatto_iiib(s), lobatto_iiid(s)))));
}

// Gauss stages; the constraint at the Lobatto points of the collocation polynomials. [Symank2025, 6.3]
Scheme prk_murua(int s) {
  const MuruaPair pair = murua(s);
  Scheme scheme = coefficients(pair.gauss, pair.gauss, pair.gauss);
  for (int i = 0; i + 1 < s; ++i) {
    const auto k = static_cast<std::size_t>(i);
    scheme.points.push_back({pair.c[k], pair.a[k]});
    scheme.rows.push_back({.where = Where::point, .index = i});
  }
  scheme.rows.push_back({});
  scheme.recursion = pair.gamma;
  return scheme;
}

// The averaged constraint is replaced by one evaluation at the middle, k(t0 + h/2, q0 + h V_1/2, V_1). [Jay2009, 8.4]
Scheme spark_lobatto_ab_modified(int s) {
  Scheme scheme = prk_lobatto(s);
  scheme.rows.front() = {.where = Where::mean, .weight = {1.0, 0.0}, .tau = 0.5, .alpha = {0.5, 0.0}};
  scheme.holonomic_rows.clear();
  return scheme;
}

Scheme spark_gauss(int s) {
  const Tableau t = gauss(s);
  return weighted(coefficients(t, t, t));
}

// The "symplectic" Euler methods: stage at the start of the step (I) or at its end (II). [Jay2009, 7.1, 7.2]
Scheme spark_euler_1(int) {
  return weighted(coefficients({"euler", 1, {0.0}, {1.0}, {0.0}, 1}, {"euler", 1, {1.0}, {1.0}, {0.0}, 1},
                               {"euler", 1, {1.0}, {1.0}, {0.0}, 1}));
}
Scheme spark_euler_2(int) {
  return weighted(coefficients({"euler", 1, {1.0}, {1.0}, {1.0}, 1}, {"euler", 1, {0.0}, {1.0}, {1.0}, 1},
                               {"euler", 1, {0.0}, {1.0}, {1.0}, 1}));
}

// One matrix for each additive part of a DAE. The rows of (2.19) span the same space as b_j c_j^(i-1), because Lobatto
// IIIA satisfies D(s-2) and its last row is b. [Hilden2009, eq. 2.19, 2.20]
Scheme spark_lobatto(int s) {
  Scheme scheme = one_tableau(lobatto_iiia(s));
  scheme.parts = lobatto_matrices(s);
  return weighted(scheme);
}

Scheme srk_gauss(int s) { return weighted(one_tableau(gauss(s))); }
Scheme srk_radau_ia(int s) { return weighted(one_tableau(radau_ia(s))); }

Scheme rk_gauss(int s) { return at_stages(one_tableau(gauss(s))); }
Scheme rk_radau_ia(int s) { return at_stages(one_tableau(radau_ia(s))); }
Scheme rk_radau_iia(int s) { return at_stages(one_tableau(radau_iia(s))); }
Scheme rk_lobatto_iiic(int s) { return at_stages(one_tableau(lobatto_iiic(s))); }
Scheme rk_lobatto_iiia(int s) {
  Scheme scheme = at_stages(one_tableau(lobatto_iiia(s)), 1);
  scheme.carries_multiplier = true;
  return scheme;
}

Scheme user_scheme(const UserTableau& u) {
  Scheme s = coefficients(u.a, u.ahat, u.atilde);
  for (std::size_t k = 0; k < s.parts.size(); ++k) s.parts[k] = u.part(k);
  if (u.weighted && u.omega.empty()) return weighted(s);
  if (u.weighted) {
    const auto width = static_cast<std::ptrdiff_t>(s.stages);
    for (auto row = u.omega.begin(); row != u.omega.end(); row += width)
      s.rows.push_back({.where = Where::stages, .weight = {row, row + width}});
    s.rows.push_back({});
    return s;
  }
  bool explicit_first = true;
  for (int j = 0; j < u.a.stages; ++j) explicit_first = explicit_first && u.atilde.a(0, j) == 0.0;
  s = at_stages(s, explicit_first ? 1 : 0);
  s.carries_multiplier = explicit_first;
  return s;
}

}  // namespace rattleback
