#include "linalg/condition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <klu.h>
#include <Eigen/LU>

#include "linalg/decompositions.hpp"

namespace rattleback {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr int kSweeps = 4;  // of the equilibration
constexpr Eigen::Index kSmall = 40;

// A power of two near 1/sqrt(x).
double scale_for(double x) { return x > 0.0 && std::isfinite(x) ? std::exp2(-std::round(0.5 * std::log2(x))) : 1.0; }

// Largest growth of a vector under a symmetric positive map, by its power iteration.
template <class Map>
double largest_growth(Eigen::Index n, Map&& map, int iterations = 60) {
  Eigen::VectorXd x(n);
  for (Eigen::Index i = 0; i < n; ++i) x(i) = 1.0 + 0.5 * std::sin(1.0 + 7.0 * static_cast<double>(i));
  double growth = 0.0;
  for (int k = 0; k < iterations; ++k) {
    x /= x.norm();
    x = map(x);
    const double now = x.norm();
    if (!std::isfinite(now)) return kInfinite;
    if (std::fabs(now - growth) <= 1e-3 * now) return now;
    growth = now;
  }
  return growth;
}

}  // namespace

Equilibration equilibrate(Eigen::MatrixXd& A) {
  Equilibration out{Eigen::VectorXd::Ones(A.rows()), Eigen::VectorXd::Ones(A.cols())};
  for (int k = 0; k < kSweeps; ++k) {
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      const double s = scale_for(A.row(i).cwiseAbs().maxCoeff());
      A.row(i) *= s;
      out.rows(i) *= s;
    }
    for (Eigen::Index j = 0; j < A.cols(); ++j) {
      const double s = scale_for(A.col(j).cwiseAbs().maxCoeff());
      A.col(j) *= s;
      out.columns(j) *= s;
    }
  }
  return out;
}

double condition(const Eigen::MatrixXd& A, Eigen::Index null) {
  const Eigen::Index n = A.rows();
  if (n <= null) return 1.0;
  if (!A.allFinite()) return kInfinite;
  if (n <= kSmall || null > 0) {
    const Eigen::VectorXd s = linalg::singular_values(A);
    return s(n - 1 - null) > 0.0 ? s(0) / s(n - 1 - null) : kInfinite;
  }
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(A);
  if (!(lu.matrixLU().diagonal().cwiseAbs().minCoeff() > 0.0)) return kInfinite;
  const double large =
      largest_growth(n, [&](const Eigen::VectorXd& x) -> Eigen::VectorXd { return A.transpose() * (A * x); });
  const double small =
      largest_growth(n, [&](const Eigen::VectorXd& x) -> Eigen::VectorXd { return lu.solve(lu.transpose().solve(x)); });
  return std::sqrt(large) * std::sqrt(small);
}

std::vector<double> equilibrate(std::int32_t n, std::vector<Cell>& cells) {
  std::sort(cells.begin(), cells.end(),
            [](const Cell& x, const Cell& y) { return x.column != y.column ? x.column < y.column : x.row < y.row; });
  std::size_t count = 0;
  for (const Cell& c : cells)
    if (count > 0 && cells[count - 1].row == c.row && cells[count - 1].column == c.column)
      cells[count - 1].value += c.value;
    else
      cells[count++] = c;
  cells.resize(count);
  std::vector<double> largest(static_cast<std::size_t>(n)), rows(static_cast<std::size_t>(n), 1.0);
  for (int k = 0; k < 2 * kSweeps; ++k) {
    const auto place = [&](const Cell& c) { return static_cast<std::size_t>(k % 2 == 0 ? c.row : c.column); };
    std::fill(largest.begin(), largest.end(), 0.0);
    for (const Cell& c : cells) largest[place(c)] = std::fmax(largest[place(c)], std::fabs(c.value));
    for (double& x : largest) x = scale_for(x);
    for (Cell& c : cells) c.value *= largest[place(c)];
    for (std::size_t i = 0; k % 2 == 0 && i < rows.size(); ++i) rows[i] *= largest[i];
  }
  return rows;
}

double sparse_condition(std::int32_t n, std::span<const Cell> sum) {
  std::vector<std::int32_t> columns(static_cast<std::size_t>(n) + 1, 0), rows;
  std::vector<double> values;
  for (const Cell& c : sum) {
    ++columns[static_cast<std::size_t>(c.column) + 1];
    rows.push_back(c.row);
    values.push_back(c.value);
  }
  for (std::size_t j = 0; j + 1 < columns.size(); ++j) columns[j + 1] += columns[j];
  klu_common common;
  klu_defaults(&common);
  common.scale = 0;
  klu_symbolic* symbolic = klu_analyze(n, columns.data(), rows.data(), &common);
  if (symbolic == nullptr) return kInfinite;
  klu_numeric* numeric = klu_factor(columns.data(), rows.data(), values.data(), symbolic, &common);
  double out = kInfinite;
  if (numeric != nullptr && common.status == KLU_OK) {
    // Few iterations where each of them takes long: they find the size, not the digits.
    const int iterations = n > 10'000 ? 10 : 60;
    using Vector = Eigen::VectorXd;
    const auto product = [&](const Vector& x, bool transposed) {
      Vector y = Vector::Zero(n);
      for (const Cell& c : sum) {
        const std::int32_t i = transposed ? c.column : c.row, j = transposed ? c.row : c.column;
        y(i) += c.value * x(j);
      }
      return y;
    };
    const double large = largest_growth(
        n, [&](const Vector& x) { return product(product(x, false), true); }, iterations);
    const double small = largest_growth(
        n,
        [&](const Vector& x) {
          Vector y = x;
          klu_tsolve(symbolic, numeric, n, 1, y.data(), &common);
          klu_solve(symbolic, numeric, n, 1, y.data(), &common);
          return y;
        },
        iterations);
    out = std::sqrt(large) * std::sqrt(small);
  }
  klu_free_numeric(&numeric, &common);
  klu_free_symbolic(&symbolic, &common);
  return out;
}

}  // namespace rattleback
