// The Gauss, Radau and Lobatto families for any number of stages s, from their defining conditions:
//
//   B(p)  sum_i b_i c_i^(k-1) = 1/k                            k = 1..p
//   C(q)  sum_j a_ij c_j^(k-1) = c_i^k / k                     k = 1..q, all i
//   D(r)  sum_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k) / k       k = 1..r, all j       [HairerWanner1996, IV.5]
//
//   family        nodes c                    coefficients                 C(q)   D(r)
//   gauss         0 of P_s                   C(s)                         s      s
//   radau-ia      0 and s-1 interior         D(s)                         s-1    s
//   radau-iia     s-1 interior and 1         C(s)                         s      s-1
//   lobatto-iiia  0, s-2 interior, 1         C(s)                         s      s-2
//   lobatto-iiib                             D(s)                         s-2    s
//   lobatto-iiic                             a_i1 = b_1 and C(s-1)        s-1    s-1
//   lobatto-iiic-star                        a_is = 0 and C(s-1)          s-1    s-1
//   lobatto-iiid                             (IIIC + IIIC*)/2             s-1    s-1     [Jay1998; Jay2009, 7.6]
//   murua         gauss, and s+1 Lobatto     C(s) at both sets of nodes   s      s       [Murua1997; Symank2025, 6.3]
//                 points but 0
//
// No linear system is solved. With l_j the Lagrange polynomials of the nodes, C(s) means a_ij = ∫_0^{c_i} l_j, and
// D(s), tested with the polynomials l_i, means b_i a_ij = b_j ∫_{c_j}^1 l_i. The integrals are exact Gauss
// quadratures of products, so nothing is lost to an ill-conditioned basis for any s here.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/error.hpp"
#include "tableau/real.hpp"
#include "tableau/tableau.hpp"

namespace rattleback {
namespace {

constexpr int kMaxStages = 20;

using Vector = std::vector<Real>;

struct Value {
  Real p, derivative;
};

// Jacobi polynomial P_n^(alpha,beta) and its derivative, by the three-term recurrence [AbramowitzStegun, 22.7.1].
Value jacobi(int n, int alpha, int beta, Real x) {
  Value before{1, 0};
  if (n == 0) return before;
  Value now{(Real(alpha + beta + 2) * x + Real(alpha - beta)) / 2, Real(alpha + beta + 2) / 2};
  for (int k = 1; k < n; ++k) {
    const int t = 2 * k + alpha + beta;
    const Real a1 = Real(2 * (k + 1) * (k + alpha + beta + 1) * t);
    const Real a2 = Real((t + 1) * (alpha * alpha - beta * beta));
    const Real a3 = Real(t * (t + 1) * (t + 2));
    const Real a4 = Real(2 * (k + alpha) * (k + beta) * (t + 2));
    const Value next{((a2 + a3 * x) * now.p - a4 * before.p) / a1,
                     ((a2 + a3 * x) * now.derivative + a3 * now.p - a4 * before.derivative) / a1};
    before = std::exchange(now, next);
  }
  return now;
}

// Roots in (-1,1), ascending. The start values are those of the asymptotic formula, good to 4 per cent of the
// spacing; dividing out the roots already found makes it impossible to find one twice.
Vector jacobi_roots(int n, int alpha, int beta) {
  Vector roots;
  for (int k = n; k >= 1; --k) {
    const double angle = std::numbers::pi * (k - 0.25 + 0.5 * alpha) / (n + 0.5 * (alpha + beta + 1));
    Real x = std::cos(angle);
    for (int iteration = 0; iteration < 12; ++iteration) {  // at most 5 are needed; the others change nothing
      const Value value = jacobi(n, alpha, beta, x);
      Real deflation = 0;
      for (const Real root : roots) deflation += 1 / (x - root);
      x -= value.p / (value.derivative - value.p * deflation);
    }
    roots.push_back(x);
  }
  std::sort(roots.begin(), roots.end());
  return roots;
}

// From [-1,1] to [0,1], with the end points that belong to the family.
Vector nodes(int s, bool has_zero, bool has_one) {
  Vector c;
  if (has_zero) c.push_back(0);
  for (const Real x : jacobi_roots(s - has_zero - has_one, has_one ? 1 : 0, has_zero ? 1 : 0)) c.push_back((1 + x) / 2);
  if (has_one) c.push_back(1);
  return c;
}

// Gauss quadrature on [0,1] with n points: exact for polynomials of degree 2n-1.
struct Quadrature {
  Vector point, weight;
  explicit Quadrature(int n) {
    for (const Real x : jacobi_roots(n, 0, 0)) {
      const Real slope = jacobi(n, 0, 0, x).derivative;
      point.push_back((1 + x) / 2);
      weight.push_back(1 / ((1 - x * x) * slope * slope));
    }
  }
};

// Lagrange polynomial number j of the nodes c[first..last-1].
Real lagrange(const Vector& c, std::size_t first, std::size_t last, std::size_t j, Real x) {
  Real product = 1;
  for (std::size_t k = first; k < last; ++k)
    if (k != j) product *= (x - c[k]) / (c[j] - c[k]);
  return product;
}

struct Matrix {
  std::size_t s;
  Vector entries;
  explicit Matrix(std::size_t size) : s(size), entries(size * size, Real(0)) {}
  Real& operator()(std::size_t i, std::size_t j) { return entries[i * s + j]; }
  Real operator()(std::size_t i, std::size_t j) const { return entries[i * s + j]; }
};

struct Family {
  Vector c, b;
  Quadrature quadrature;

  Family(int s, bool has_zero, bool has_one) : c(nodes(s, has_zero, has_one)), quadrature((s + 1) / 2) {
    for (std::size_t j = 0; j < c.size(); ++j) b.push_back(integral(0, c.size(), j, 1));
  }

  // ∫_0^end of Lagrange polynomial j of the nodes first..last-1.
  [[nodiscard]] Real integral(std::size_t first, std::size_t last, std::size_t j, Real end) const {
    Real sum = 0;
    for (std::size_t k = 0; k < quadrature.point.size(); ++k)
      sum += quadrature.weight[k] * lagrange(c, first, last, j, end * quadrature.point[k]);
    return end * sum;
  }

  [[nodiscard]] Matrix by_c() const {
    Matrix a(c.size());
    for (std::size_t i = 0; i < a.s; ++i)
      for (std::size_t j = 0; j < a.s; ++j) a(i, j) = integral(0, a.s, j, c[i]);
    return a;
  }

  // b_i a_ij = b_j (b_i - ∫_0^{c_j} l_i)
  [[nodiscard]] Matrix by_d() const {
    const Matrix collocation = by_c();
    Matrix a(c.size());
    for (std::size_t i = 0; i < a.s; ++i)
      for (std::size_t j = 0; j < a.s; ++j) a(i, j) = b[j] * (b[i] - collocation(j, i)) / b[i];
    return a;
  }

  // a_i1 = b_1; the others are determined by C(s-1) and live on the nodes 2..s: a_ij = ∫_0^{c_i} l_j - b_1 l_j(0).
  [[nodiscard]] Matrix lobatto_c() const {
    Matrix a(c.size());
    for (std::size_t i = 0; i < a.s; ++i) {
      a(i, 0) = b[0];
      for (std::size_t j = 1; j < a.s; ++j) a(i, j) = integral(1, a.s, j, c[i]) - b[0] * lagrange(c, 1, a.s, j, 0);
    }
    return a;
  }

  // a_is = 0; the others are those of collocation at the nodes 1..s-1.
  [[nodiscard]] Matrix lobatto_c_star() const {
    Matrix a(c.size());
    for (std::size_t i = 0; i < a.s; ++i)
      for (std::size_t j = 0; j + 1 < a.s; ++j) a(i, j) = integral(0, a.s - 1, j, c[i]);
    return a;
  }
};

// The only rounding to double. What is zero by structure comes out of the formulas as a few 1e-34; no coefficient
// that is not zero comes near 1e-25 (the smallest for s <= 20 is 2.5e-7).
double rounded(Real x) {
  const double value = static_cast<double>(x);
  return std::abs(value) < 1e-25 ? 0.0 : value;
}

Tableau finish(std::string name, int order, const Family& family, const Matrix& a, bool mirrored) {
  const std::size_t s = a.s;
  Tableau tableau{.name = std::move(name), .stages = static_cast<int>(s), .A = {}, .b = {}, .c = {}, .order = order};
  for (const Real x : a.entries) tableau.A.push_back(rounded(x));
  for (const Real x : family.b) tableau.b.push_back(rounded(x));
  for (const Real x : family.c) tableau.c.push_back(rounded(x));
  if (mirrored)  // so that b is mirrored and c_i + c_{s+1-i} == 1 in double arithmetic, not only nearly
    for (std::size_t i = 0; i < s - i; ++i) {
      tableau.b[s - 1 - i] = tableau.b[i];
      tableau.c[s - 1 - i] = 2 * i + 1 == s ? 0.5 : 1.0 - tableau.c[i];
    }
  return tableau;
}

void check_stages(const std::string& name, int s, int minimum, int order_at_minimum) {
  if (s >= minimum && s <= kMaxStages) return;
  throw Error("tableau '" + name + "': " + std::to_string(s) + (s == 1 ? " stage was" : " stages were") +
              " asked for, but it is available for " + std::to_string(minimum) + " to " + std::to_string(kMaxStages) +
              " stages. The nearest is --stages " + std::to_string(s < minimum ? minimum : kMaxStages) +
              (s < minimum ? " (order " + std::to_string(order_at_minimum) + ")"
                           : ", and no step gains from more in double precision"));
}

Family lobatto(const std::string& name, int s) {
  check_stages(name, s, 2, 2);
  return Family(s, true, true);
}

}  // namespace

Tableau gauss(int s) {
  check_stages("gauss", s, 1, 2);
  const Family family(s, false, false);
  return finish("gauss", 2 * s, family, family.by_c(), true);
}

Tableau radau_ia(int s) {
  check_stages("radau-ia", s, 1, 1);
  const Family family(s, true, false);
  return finish("radau-ia", 2 * s - 1, family, family.by_d(), false);
}

Tableau radau_iia(int s) {
  check_stages("radau-iia", s, 1, 1);
  const Family family(s, false, true);
  return finish("radau-iia", 2 * s - 1, family, family.by_c(), false);
}

Tableau lobatto_iiia(int s) {
  const Family family = lobatto("lobatto-iiia", s);
  return finish("lobatto-iiia", 2 * s - 2, family, family.by_c(), true);
}

Tableau lobatto_iiib(int s) {
  const Family family = lobatto("lobatto-iiib", s);
  return finish("lobatto-iiib", 2 * s - 2, family, family.by_d(), true);
}

Tableau lobatto_iiic(int s) {
  const Family family = lobatto("lobatto-iiic", s);
  return finish("lobatto-iiic", 2 * s - 2, family, family.lobatto_c(), true);
}

Tableau lobatto_iiic_star(int s) {
  const Family family = lobatto("lobatto-iiic-star", s);
  return finish("lobatto-iiic-star", 2 * s - 2, family, family.lobatto_c_star(), true);
}

Tableau lobatto_iiid(int s) {
  const Family family = lobatto("lobatto-iiid", s);
  const Matrix c = family.lobatto_c();
  Matrix mean = family.lobatto_c_star();
  for (std::size_t k = 0; k < mean.entries.size(); ++k) mean.entries[k] = (mean.entries[k] + c.entries[k]) / 2;
  return finish("lobatto-iiid", 2 * s - 2, family, mean, true);
}

// The Gauss method, with the values of its collocation polynomials at the points where Murua's method imposes the
// constraint: a_ij = ∫_0^{c_i} l_j with c_i the Lobatto points after 0 and l_j the Lagrange polynomials of the Gauss nodes.
// The last point is 1, so the last row is b. gamma extrapolates the multipliers to the end of the step: the Lagrange
// polynomials of 0 and the Gauss nodes, at 1.                                       [Murua1997; Symank2025, 6.3.1]
MuruaPair murua(int s) {
  MuruaPair pair{gauss(s), {}, {}, {}};
  const Family family(s, false, false);
  const Vector points = nodes(s + 1, true, true);
  for (std::size_t i = 1; i < points.size(); ++i) {
    pair.c.push_back(rounded(points[i]));
    std::vector<double>& row = pair.a.emplace_back();
    for (std::size_t j = 0; j < family.c.size(); ++j)
      row.push_back(rounded(family.integral(0, family.c.size(), j, points[i])));
  }
  pair.a.back() = pair.gauss.b;
  Vector with_zero = {0};
  with_zero.insert(with_zero.end(), family.c.begin(), family.c.end());
  for (std::size_t j = 0; j < with_zero.size(); ++j)
    pair.gamma.push_back(rounded(lagrange(with_zero, 0, with_zero.size(), j, 1)));
  return pair;
}

GaussRule gauss_rule(int points) {
  const Quadrature quadrature(points);
  GaussRule out;
  for (const Real x : quadrature.point) out.c.push_back(rounded(x));
  for (const Real w : quadrature.weight) out.b.push_back(rounded(w));
  return out;
}

EnergyCollocation energy_collocation(int s, int points) {
  EnergyCollocation out{gauss(s), {}, {}, {}};
  const Family family(s, false, false);
  const Quadrature quadrature(points);
  const std::size_t stages = family.c.size();
  out.weight.resize(stages);
  for (std::size_t k = 0; k < quadrature.point.size(); ++k) {
    const Real tau = quadrature.point[k];
    out.tau.push_back(rounded(tau));
    std::vector<double>& row = out.a.emplace_back();
    for (std::size_t j = 0; j < stages; ++j) {
      row.push_back(rounded(family.integral(0, stages, j, tau)));
      out.weight[j].push_back(rounded(quadrature.weight[k] * lagrange(family.c, 0, stages, j, tau) / family.b[j]));
    }
  }
  return out;
}

}  // namespace rattleback
