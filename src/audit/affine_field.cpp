#include "audit/affine_field.hpp"

#include <cmath>

#include <fmt/format.h>

namespace rattleback {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kMostBelow = 60;        // denominators of fractions
constexpr double kAsFraction = 1e-9;  // how far a number may be from one
constexpr double kNothing = 1e-9;     // against the largest number of a field

struct Fraction {
  int above = 0, below = 0;  // below = 0: there is none nearby
};

Fraction fraction_of(double x) {
  for (int below = 1; below <= kMostBelow; ++below) {
    const double above = std::round(x * below);
    if (std::fabs(x - above / below) <= kAsFraction * std::fmin(1.0, std::fabs(x)) && std::fabs(above) < 1e6)
      return {static_cast<int>(above), below};
  }
  return {};
}

double simplified(double x) {
  const Fraction f = fraction_of(x);
  return f.below == 0 ? x : static_cast<double>(f.above) / f.below;
}

std::string number_text(double x) {
  if (const Fraction f = fraction_of(x); f.below != 0)
    return f.below == 1 ? fmt::format("{}", f.above) : fmt::format("{}/{}", f.above, f.below);
  for (int digits = 1; digits < 12; ++digits)
    if (std::string text = fmt::format("{:.{}g}", x, digits);
        std::fabs(std::stod(text) - x) <= kNumberError * std::fabs(x))
      return text;
  return fmt::format("{:.12g}", x);
}

void add_term(std::string& sum, double factor, const std::string& name) {
  if (factor == 0.0) return;
  const std::string size = number_text(std::fabs(factor));
  const std::string term = name.empty() ? size : size == "1" ? name : size + "*" + name;
  if (sum.empty())
    sum = (factor < 0.0 ? "-" : "") + term;
  else
    sum += (factor < 0.0 ? " - " : " + ") + term;
}

}  // namespace

AffineField AffineField::of(const VectorXd& row, Index n) {
  AffineField out(n);
  for (Index i = 0; i < n; ++i) out.A.row(i) = row.segment(i * n, n);
  out.b = row.tail(n);
  return out;
}

VectorXd AffineField::row() const {
  const Index n = b.size();
  VectorXd out(n * n + n);
  for (Index i = 0; i < n; ++i) out.segment(i * n, n) = A.row(i);
  out.tail(n) = b;
  return out;
}

std::vector<std::pair<std::string, std::string>> AffineField::text(const Names& coordinates) const {
  std::vector<std::pair<std::string, std::string>> out;
  for (Index i = 0; i < b.size(); ++i) {
    std::string sum;
    add_term(sum, b(i), "");
    for (Index j = 0; j < b.size(); ++j) add_term(sum, A(i, j), coordinates[static_cast<std::int32_t>(j)]);
    if (!sum.empty()) out.emplace_back(coordinates[static_cast<std::int32_t>(i)], std::move(sum));
  }
  return out;
}

std::vector<NodeId> AffineField::nodes(Graph& g) const {
  const auto number = [&](double x) {
    return fraction_of(x).below != 0 ? g.constant(x) : g.constant(x, kNumberError * std::fabs(x));
  };
  std::vector<NodeId> out;
  for (Index i = 0; i < b.size(); ++i) {
    NodeId sum = number(b(i));
    for (Index j = 0; j < b.size(); ++j)
      sum = g.add(sum, g.mul(number(A(i, j)), g.variable(kPosition, static_cast<std::int32_t>(j))));
    out.push_back(sum);
  }
  return out;
}

std::vector<VectorXd> readable_basis(MatrixXd rows, Index n) {
  constexpr double kPivot = 1e-6;  // against the largest number that is left in its row
  Index rank = 0;
  for (Index column = 0; column < rows.cols() && rank < rows.rows(); ++column) {
    for (Index i = rank; i < rows.rows(); ++i)
      if (const double size = rows.row(i).cwiseAbs().maxCoeff(); size > 0.0) rows.row(i) /= size;
    Index best = rank;
    for (Index i = rank; i < rows.rows(); ++i)
      if (std::fabs(rows(i, column)) > std::fabs(rows(best, column))) best = i;
    if (!(std::fabs(rows(best, column)) > kPivot)) {
      rows.block(rank, column, rows.rows() - rank, 1).setZero();
      continue;
    }
    rows.row(rank).swap(rows.row(best));
    rows.row(rank) /= rows(rank, column);
    for (Index i = 0; i < rows.rows(); ++i)
      if (i != rank) {
        rows.row(i) -= (rows(i, column) * rows.row(rank)).eval();
        rows(i, column) = 0.0;
      }
    ++rank;
  }
  std::vector<VectorXd> out;
  for (Index i = 0; i < rank; ++i) {
    VectorXd row = rows.row(i);
    const double size = row.cwiseAbs().maxCoeff();
    for (double& x : row) x = std::fabs(x) <= kNothing * size ? 0.0 : simplified(x);
    Index pivot = 0;
    while (pivot + 1 < row.size() && row(pivot) == 0.0) ++pivot;
    if (pivot < n * n && pivot / n < pivot % n) row = -row;
    out.push_back(row);
  }
  return out;
}

}  // namespace rattleback
