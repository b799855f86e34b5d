// prk-murua with three stages (GGL) on the double pendulum, in its rods (rods.hpp). One vector of four numbers is the pair of
// rods of a stage, r = (a, b), or its rate of change w. With a, c of Gauss and A the same coefficients at the Lobatto points:
//
//   w_i = w0 + h sum_j a_ij (g - W psi_j r_j)            r_i = r0 + h sum_j a_ij (w_j + E mu_j r_j)
//   at the Lobatto points (A in place of a), and at the end, which is the last of them:  |r| = l,   r . w = 0
//
// W is that of rods.hpp and E the same for unit masses. The unknowns are psi_j and mu_j, 12 numbers. Newton's corrections
// P = h dpsi and N = dmu satisfy, with capitals R, V for rods and rates at Lobatto point i, and (R.W r) etc. 2 x 2 matrices,
//
//   sum_j (A_ij (R.W r_j) + h (Aa)_ij (V.W r_j)) P_j - h sum_j A_ij (V.E r_j) N_j = R.V
//   sum_j A_ij (R.E r_j) N_j - sum_j (Aa)_ij (R.W r_j) P_j = -(|R|^2 - l^2)/2h
//
// where the stages are moved by d r_i = h sum_j (a_ij E r_j N_j - (aa)_ij W r_j P_j). That changes their reactions, which adds
// to W the term -h^2 a a W psi W, and so on: it is of the first order in h^2 psi in what follows. The matrix is factored once per step.
#include <cmath>
#include <cstring>
#include <utility>

#include "kernels/kernels.hpp"
#include "kernels/rods.hpp"

namespace kernels {
namespace {

using Rod2 = double __attribute__((vector_size(32)));  // ax ay bx by

const double kRoot15 = std::sqrt(15.0), kRoot5 = std::sqrt(5.0);

struct Coefficients {
  double c[3], a[3][3], A[3][3], C[3];
  double aa[3][3], Aa[3][3], Aaa[3][3], Aaaa[3][3];  // products
};

// Collocation: the integral of Lagrange polynomial j of the Gauss nodes up to x.
Coefficients coefficients() {
  Coefficients k{{0.5 - kRoot15 / 10.0, 0.5, 0.5 + kRoot15 / 10.0},
                 {},
                 {},
                 {0.5 - kRoot5 / 10.0, 0.5 + kRoot5 / 10.0, 1.0},
                 {},
                 {},
                 {},
                 {}};
  const auto integral = [&](int j, double x) {
    const double d = k.c[j], e = k.c[(j + 1) % 3], f = k.c[(j + 2) % 3];
    return x * (x * (x / 3.0 - (e + f) / 2.0) + e * f) / ((d - e) * (d - f));
  };
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      k.a[i][j] = integral(j, k.c[i]);
      k.A[i][j] = integral(j, k.C[i]);
    }
  const auto product = [](const double(&x)[3][3], const double(&y)[3][3], double(&z)[3][3]) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int l = 0; l < 3; ++l) z[i][j] += x[i][l] * y[l][j];
  };
  product(k.a, k.a, k.aa);
  product(k.A, k.a, k.Aa);
  product(k.A, k.aa, k.Aaa);
  product(k.Aa, k.aa, k.Aaaa);
  return k;
}

Rod2 other(Rod2 r) { return __builtin_shufflevector(r, r, 2, 3, 0, 1); }
Rod2 both(double a, double b) { return Rod2{a, a, b, b}; }
Rod2 low(Rod2 x) { return __builtin_shufflevector(x, x, 0, 0, 1, 1); }
Rod2 high(Rod2 x) { return __builtin_shufflevector(x, x, 2, 2, 3, 3); }
// a.a' and b.b' of two pairs, each in both of its places
Rod2 dot(Rod2 x, Rod2 y) {
  const Rod2 p = x * y;
  return p + __builtin_shufflevector(p, p, 1, 0, 3, 2);
}

// The matrix, transposed, and then its factors U^T D^-1 and L^T: in that form both substitutions run along rows.
constexpr int kUnknowns = 12, kWords = kUnknowns / 4;
struct Matrix {
  Rod2 row[kUnknowns][kWords];        // first the matrix, then what is right of the diagonal; else 0
  Rod2 left[kUnknowns][kWords] = {};  // what is left of it
  alignas(32) double per_pivot[kUnknowns];
  double& operator()(int i, int j) { return reinterpret_cast<double*>(row[i])[j]; }
};

// The 2 x 2 block (aa, ab, ba, bb) of equations i and unknowns j.
void put(Matrix& m, int i, int j, Rod2 block) {
  const Rod2 low = __builtin_shufflevector(block, block, 0, 2, 1, 3), high = other(low);
  std::memcpy(&m(j, i), &low, 16);
  std::memcpy(&m(j + 1, i), &high, 16);
}

template <int Lane>
Rod2 spread(Rod2 x) {
  return __builtin_shufflevector(x, x, Lane, Lane, Lane, Lane);
}

// Without pivoting: the diagonal blocks are close to A times positive definite matrices.
template <int K>
inline void eliminate(Matrix& m) {
  const double per = 1.0 / m(K, K);
  m.per_pivot[K] = per;
  constexpr int kFrom = (K + 1) / 4;
  for (int i = K + 1; i < kUnknowns; ++i) {
    const double f = per * m(i, K);
    reinterpret_cast<double*>(m.left[i])[K] = f;
    for (int j = kFrom; j < kWords; ++j) m.row[i][j] -= f * m.row[K][j];
  }
  for (int j = kFrom; j < kWords; ++j) m.row[K][j] *= per;
  for (int j = K / 4 * 4; j <= K; ++j) m(K, j) = 0.0;
}

template <int K>
inline void forward(const Matrix& m, Rod2 (&x)[kWords]) {
  const Rod2 here = spread<K % 4>(x[K / 4]);
  for (int j = (K + 1) / 4; j < kWords; ++j) x[j] -= here * m.row[K][j];
}
template <int K>
inline void backward(const Matrix& m, Rod2 (&x)[kWords]) {
  const Rod2 here = spread<K % 4>(x[K / 4]);
  for (int j = 0; j < (K + 3) / 4; ++j) x[j] -= here * m.left[K][j];
}

void factor(Matrix& m) {
  [&]<int... K>(std::integer_sequence<int, K...>) { (eliminate<K>(m), ...); }
  (std::make_integer_sequence<int, kUnknowns>());
}

// (U^T D^-1) y = b, x = D^-1 y; L^T from the right.
void solve(const Matrix& m, Rod2 (&x)[kWords]) {
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (forward<K>(m, x), ...);
    for (int j = 0; j < kWords; ++j) x[j] *= reinterpret_cast<const Rod2*>(m.per_pivot)[j];
    (backward<kUnknowns - 1 - K>(m, x), ...);
  }
  (std::make_integer_sequence<int, kUnknowns>());
}

}  // namespace

void prk_murua(DoublePendulum& p, double h, std::int64_t steps) {
  static const Coefficients k = coefficients();
  const double i1 = 1.0 / p.m1, i2 = 1.0 / p.m2, per_h = 1.0 / h;
  const Rod2 W0 = both(i1, i1 + i2), E0 = both(1.0, 2.0);  // diagonals; off them: -i1 and -1
  const Rod2 fall = {0.0, -p.g, 0.0, 0.0}, lengths = both(p.l1 * p.l1, p.l2 * p.l2);
  const Rod2 W = {i1, -i1, -i1, i1 + i2}, E = {1.0, -1.0, -1.0, 2.0};
  Rod2 ha[3][3], hA[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      ha[i][j] = h * k.a[i][j] - Rod2{};
      hA[i][j] = h * k.A[i][j] - Rod2{};
    }
  Rod2 r0 = {p.q[0], p.q[1], p.q[2] - p.q[0], p.q[3] - p.q[1]};
  Rod2 w0 = {p.v[0], p.v[1], p.v[2] - p.v[0], p.v[3] - p.v[1]};
  auto& memory = p.memory;
  memory.begin(h);
  alignas(32) double x[24];
  auto* const r = reinterpret_cast<Rod2*>(x);  // of the stages; behind them psi and mu
  double* const psi = x + 12;
  Matrix m;
  for (std::int64_t step = 0; step < steps; ++step) {
    const bool cold = memory.known == 0;
    memory.predict(x);
    if (cold)
      for (int i = 0; i < 3; ++i) r[i] = r0 + h * k.c[i] * w0 + 0.5 * h * h * k.c[i] * k.c[i] * fall;
    Rod2 R[3], w_end, r_end;
    double previous = 0.0;
    for (int iteration = 0; iteration < 50; ++iteration) {
      Rod2 X[3], Y[3], w[3], Z[3];
      for (int j = 0; j < 3; ++j) {
        const Rod2 f = both(psi[2 * j], psi[2 * j + 1]) * r[j], d = both(psi[6 + 2 * j], psi[7 + 2 * j]) * r[j];
        X[j] = fall - W0 * f + i1 * other(f);
        Y[j] = E0 * d - other(d);
      }
      for (int i = 0; i < 3; ++i) w[i] = w0 + ha[i][0] * X[0] + ha[i][1] * X[1] + ha[i][2] * X[2];
      for (int i = 0; i < 3; ++i) Y[i] += w[i];
      for (int i = 0; i < 3; ++i) r[i] = r0 + ha[i][0] * Y[0] + ha[i][1] * Y[1] + ha[i][2] * Y[2];
      for (int i = 0; i < 3; ++i) {
        R[i] = r0 + hA[i][0] * Y[0] + hA[i][1] * Y[1] + hA[i][2] * Y[2];
        Z[i] = w0 + hA[i][0] * X[0] + hA[i][1] * X[1] + hA[i][2] * X[2];
      }
      if (iteration == 0) {
        // h^2 W psi W and h^2 W psi E, with psi in the middle of the step
        const double p1 = h * h * psi[2], p2 = h * h * psi[3], a1 = W[0] * p1, a2 = W[1] * p2, b1 = W[2] * p1,
                     b2 = W[3] * p2;
        const Rod2 first = {a1, a1, b1, b1}, second = {a2, a2, b2, b2};
        const Rod2 WW =
            first * __builtin_shufflevector(W, W, 0, 1, 0, 1) + second * __builtin_shufflevector(W, W, 2, 3, 2, 3);
        const Rod2 WE =
            first * __builtin_shufflevector(E, E, 0, 1, 0, 1) + second * __builtin_shufflevector(E, E, 2, 3, 2, 3);
        for (int j = 0; j < 3; ++j) {
          const Rod2 x1 = __builtin_shufflevector(r[j], r[j], 0, 2, 0, 2),
                     y1 = __builtin_shufflevector(r[j], r[j], 1, 3, 1, 3);
          for (int i = 0; i < 3; ++i) {
            const Rod2 A = k.A[i][j] * E, Aa = k.Aa[i][j] * W;
            const Rod2 G = __builtin_shufflevector(R[i], R[i], 0, 0, 2, 2) * x1 +
                           __builtin_shufflevector(R[i], R[i], 1, 1, 3, 3) * y1;
            const Rod2 H = __builtin_shufflevector(Z[i], Z[i], 0, 0, 2, 2) * x1 +
                           __builtin_shufflevector(Z[i], Z[i], 1, 1, 3, 3) * y1;
            put(m, 2 * i, 2 * j, G * (k.A[i][j] * W - k.Aaa[i][j] * WW) + H * (h * Aa));
            put(m, 2 * i, 6 + 2 * j, G * (k.Aa[i][j] * WE) - H * (h * A));
            put(m, 6 + 2 * i, 2 * j, G * (k.Aaaa[i][j] * WW - Aa));
            put(m, 6 + 2 * i, 6 + 2 * j, G * (A - k.Aaa[i][j] * WE));
          }
        }
        factor(m);
      }
      Rod2 d[kWords];
      {
        const Rod2 e0 = dot(R[0], Z[0]), e1 = dot(R[1], Z[1]), e2 = dot(R[2], Z[2]);
        const Rod2 f0 = dot(R[0], R[0]), f1 = dot(R[1], R[1]), f2 = dot(R[2], R[2]);
        const Rod2 length2 = __builtin_shufflevector(lengths, lengths, 0, 2, 0, 2);
        d[0] = __builtin_shufflevector(e0, e1, 0, 2, 4, 6);
        d[1] = __builtin_shufflevector(e2, (0.5 * per_h) * (lengths - f0), 0, 2, 4, 6);
        d[2] = (0.5 * per_h) * (length2 - __builtin_shufflevector(f1, f2, 0, 2, 4, 6));
      }
      solve(m, d);
      const Rod2 P[3] = {low(d[0]), high(d[0]), low(d[1])}, N[3] = {high(d[1]), low(d[2]), high(d[2])};
      auto* const multipliers = reinterpret_cast<Rod2*>(psi);
      multipliers[0] += per_h * d[0];
      multipliers[1] += Rod2{per_h, per_h, 1.0, 1.0} * d[1];
      multipliers[2] += d[2];
      const Rod2 squares = d[0] * d[0] + d[1] * d[1] * Rod2{1.0, 1.0, h * h, h * h} + (h * h) * (d[2] * d[2]);
      const double size2 = squares[0] + squares[1] + squares[2] + squares[3];
      for (int j = 0; j < 3; ++j) {
        const Rod2 f = P[j] * r[j], e = N[j] * r[j];
        X[j] = W0 * f - i1 * other(f);
        Y[j] = E0 * e - other(e);
      }
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) r[i] += (h * k.a[i][j]) * Y[j] - (h * k.aa[i][j]) * X[j];
      w_end = Z[2];
      r_end = R[2];
      for (int j = 0; j < 3; ++j) {
        w_end -= k.A[2][j] * X[j];
        r_end += (h * k.A[2][j]) * Y[j] - (h * k.Aa[2][j]) * X[j];
      }
      // The next correction is about size2/previous, to be compared with rounding errors of velocities.
      if (size2 * size2 < 1e-31 * previous || size2 < 1e-27) break;
      previous = size2;
    }
    memory.remember(x);
    r0 = r_end;
    w0 = w_end;
  }
  p.q[0] = r0[0];
  p.q[1] = r0[1];
  p.q[2] = r0[0] + r0[2];
  p.q[3] = r0[1] + r0[3];
  p.v[0] = w0[0];
  p.v[1] = w0[1];
  p.v[2] = w0[0] + w0[2];
  p.v[3] = w0[1] + w0[3];
}

}  // namespace kernels
