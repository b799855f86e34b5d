// LU factorisation of tridiagonal matrices with partial pivoting, from both ends at once: each elimination is a chain of
// divisions that wait for one another, and two chains take the time of one. They meet in two equations for two neighbours.
// [VanDerVorst1987]
//
// Layout and scaling are those of band.hpp: row i holds the columns i-1, i, i+1 and one place more. After factoring, the
// row of a pivot holds 1/pivot and its other two elements divided by the pivot, towards the middle, and the row after it
// (towards the middle) the factor with which the pivot's row was subtracted.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

namespace rattleback {

class Tridiagonal {
 public:
  // Arrays of n rows, n >= 2; a: 4 elements each.
  Tridiagonal(std::int32_t n, double* a, std::int32_t* exchanged, double* scale)
      : n_(n), middle_(n / 2), a_(a), exchanged_(exchanged), scale_(scale) {}

  // x = A^-1 r. False: A is singular. x and r may be the same.
  bool factor_and_solve(const double* r, double* x) {
    Side top{0, 1}, bottom{n_ - 1, -1};
    if (!begin(top, r) || !begin(bottom, r)) return false;
    for (std::int32_t k = middle_ - 1; k > 0; --k)
      if (!eliminate(top, r, x) || !eliminate(bottom, r, x)) return false;
    if (n_ - middle_ > middle_ && !eliminate(bottom, r, x)) return false;
    double* const t = row(top.at);
    double* const b = row(bottom.at);
    t[kInverse] = top.d, t[kTowards] = top.u, b[kInverse] = bottom.d, b[kTowards] = bottom.u;
    return meet(top, bottom, x);
  }

  // The same with the factors that are there.
  void solve(const double* r, double* x) {
    Side top{0, 1}, bottom{n_ - 1, -1};
    top.y = r[0] * scale_[0];
    bottom.y = r[n_ - 1] * scale_[n_ - 1];
    for (std::int32_t k = middle_ - 1; k > 0; --k) {
      forward(top, r, x);
      forward(bottom, r, x);
    }
    if (n_ - middle_ > middle_) forward(bottom, r, x);
    const double *const t = row(top.at), *const b = row(bottom.at);
    top.d = t[kInverse], top.u = t[kTowards], bottom.d = b[kInverse], bottom.u = b[kTowards];
    (void)meet(top, bottom, x);
  }

 private:
  enum Place : std::int8_t { kFactor, kInverse, kTowards, kBeyond };
  struct Side {  // one end's elimination, and the row that it carries along: d x[at] + u x[at + step] = y
    std::int32_t at, step;
    double d = 0.0, u = 0.0, y = 0.0;
  };
  [[nodiscard]] double* row(std::int32_t i) const { return a_ + static_cast<std::ptrdiff_t>(i) * 4; }

  // Row i, scaled by a power of two.
  bool scaled_row(std::int32_t i, double& left, double& diagonal, double& right) const {
    const double* const from = row(i);
    double big = std::fabs(from[1]);
    big = std::fabs(from[0]) > big ? std::fabs(from[0]) : big;
    big = std::fabs(from[2]) > big ? std::fabs(from[2]) : big;
    if (!(big > 1e-280 && big < 1e280)) return false;
    const double s = std::bit_cast<double>((2046 - (std::bit_cast<std::uint64_t>(big) >> 52)) << 52);
    scale_[i] = s;
    left = from[0] * s, diagonal = from[1] * s, right = from[2] * s;
    return true;
  }

  bool begin(Side& side, const double* r) const {
    double left = 0.0, right = 0.0;
    row(side.at)[side.step > 0 ? 0 : 2] = 0.0;  // outside of the matrix; factors of another one may be there
    if (!scaled_row(side.at, left, side.d, right)) return false;
    side.u = side.step > 0 ? right : left;
    side.y = r[side.at] * scale_[side.at];
    return true;
  }

  // Takes the next row and eliminates x[side.at] from one of the two.
  bool eliminate(Side& side, const double* r, double* x) const {
    const std::int32_t k = side.at, next = k + side.step;
    double left = 0.0, d = 0.0, right = 0.0;
    if (!scaled_row(next, left, d, right)) return false;
    double l = side.step > 0 ? left : right, u = side.step > 0 ? right : left, y = r[next] * scale_[next];
    double beyond = 0.0;
    const bool exchange = std::fabs(l) > std::fabs(side.d);
    if (exchange) {
      std::swap(l, side.d);
      std::swap(d, side.u);
      std::swap(u, beyond);
      std::swap(y, side.y);
    }
    exchanged_[k] = exchange ? 1 : 0;
    if (!(std::fabs(side.d) > 1e-300)) return false;
    const double inverse = 1.0 / side.d, factor = l * inverse;
    double* const to = row(k);
    to[kInverse] = inverse;
    to[kTowards] = side.u * inverse;
    to[kBeyond] = beyond * inverse;
    row(next)[kFactor] = factor;
    x[k] = side.y * inverse;
    side.d = d - factor * side.u;
    side.u = u - factor * beyond;
    side.y = y - factor * side.y;
    side.at = next;
    return true;
  }

  void forward(Side& side, const double* r, double* x) const {
    const std::int32_t k = side.at, next = k + side.step;
    double y = r[next] * scale_[next];
    if (exchanged_[k] != 0) std::swap(y, side.y);
    x[k] = side.y * row(k)[kInverse];
    side.y = y - row(next)[kFactor] * side.y;
    side.at = next;
  }

  // The two rows in the middle, and from there back to the ends.
  bool meet(const Side& top, const Side& bottom, double* x) const {
    // top.d x + top.u y = top.y,  bottom.u x + bottom.d y = bottom.y
    double a = top.d, b = top.u, e = top.y, c = bottom.u, d = bottom.d, f = bottom.y;
    if (std::fabs(c) > std::fabs(a)) {
      std::swap(a, c);
      std::swap(b, d);
      std::swap(e, f);
    }
    if (!(std::fabs(a) > 1e-300)) return false;
    const double factor = c / a, pivot = d - factor * b;
    if (!(std::fabs(pivot) > 1e-300)) return false;
    const double y = (f - factor * e) / pivot;
    std::int32_t i = top.at, j = bottom.at;  // neighbours
    double x1 = (e - b * y) / a, x2 = y;     // solutions at i and i + 1
    double z1 = y, z2 = x1;                  // at j and j - 1
    x[i] = x1;
    x[j] = z1;
    while (i > 0) {
      --i, ++j;
      back(i, x, x1, x2);
      back(j, x, z1, z2);
    }
    if (j < n_ - 1) back(++j, x, z1, z2);
    return true;
  }
  void back(std::int32_t k, double* x, double& x1, double& x2) const {
    const double* const at = row(k);
    const double here = x[k] - at[kBeyond] * x2 - at[kTowards] * x1;
    x[k] = here;
    x2 = x1;
    x1 = here;
  }

  std::int32_t n_, middle_;
  double* a_;
  std::int32_t* exchanged_;
  double* scale_;
};

}  // namespace rattleback
