#include "system/families/family_start.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>

#include "linalg/decompositions.hpp"
#include "linalg/projector.hpp"
#include "system/families/family_values.hpp"

namespace rattleback {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Eigen::MatrixXd;
using Eigen::VectorXd;

}  // namespace

std::vector<ConstraintResidual> family_residuals(const Graph& g, const Entries& constraints, bool position,
                                                 const std::function<std::string(std::int32_t)>& name,
                                                 const RoundedValues::Point& at, std::span<const std::int32_t> angles) {
  const RoundedValues::Point printed = as_printed(at, angles);
  std::vector<ConstraintResidual> out;
  for (const Entry& constraint : constraints) {
    RoundedValues function(g, std::span(&constraint.expr, 1));
    function.evaluate(at);
    std::optional<RoundedValues> again;  // made when it is first needed
    ConstraintResidual worst{"", position, -1.0, 0.0};
    std::int32_t which = 0;
    for (std::int32_t i = 0; i < std::max<std::int32_t>(1, constraint.count); ++i) {
      if (constraint.count != 0) function.iterate(at, i);
      const Rounded x = function[0];
      ConstraintResidual one{"", position, std::fabs(x.value), kStartUlps * x.error};
      if (!one.is_rounding()) {
        if (!again) again.emplace(g, std::span(&constraint.expr, 1)).evaluate(printed);
        if (constraint.count != 0) again->iterate(printed, i);
        one.excuse(kStartUlps * (*again)[0].error);
      }
      if (worst.value >= 0.0 && one.excess() <= worst.excess()) continue;
      worst = one;
      which = i;
    }
    worst.name = name(constraint.row.at(which));
    out.push_back(std::move(worst));
  }
  return out;
}

namespace {

// The smallest singular value of K from above, with its vector: the steps y - (K K^T + shift)^-1 K K^T y leave of y what K^T
// maps to (nearly) 0. K^T y has all its digits where the squares in K K^T are rounding errors. `unsettled`: the value
// still fell at the last step.
struct SmallestValue {
  VectorXd y;
  double value = INFINITY;
  bool unsettled = false;
};
SmallestValue smallest_value(const Sparse& K, const Sparse& transposed, const Eigen::SimplicialLDLT<Sparse>& ldlt) {
  // Each step divides the part with the value s by s^2/shift: after two of them what is above kClear has gone if there is a
  // value near 0.
  constexpr double kClear = 1e-5;
  constexpr int kMostSteps = 40;
  SmallestValue out;
  out.y.resize(K.rows());
  std::uint32_t seed = 12345;
  for (double& x : out.y) {  // no pattern: a vector could be perpendicular to that of the rows
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<double>(seed >> 8) / 16777216.0 - 0.5;
  }
  for (int k = 1; k <= kMostSteps; ++k) {
    out.y -= ldlt.solve(K * (transposed * out.y).eval());
    const double size = out.y.norm();
    if (!(size > 0.0) || !std::isfinite(size)) return out;  // nothing is left
    out.y /= size;
    const double before = out.value;
    out.value = (transposed * out.y).norm();
    out.unsettled = out.value < 0.9 * before;
    if (out.value <= kDependentRow || (k >= 2 && out.value > kClear)) {
      out.unsettled = false;
      return out;
    }
  }
  return out;
}

// Rows that depend on others, of a sparse matrix with rows of length one. (A sparse QR of a chain of N links fills up like
// N^2.) The pivots of K K^T show what depends on a few rows, all at once. A dependence of many rows can hide from them: it
// is looked for as a vector, and one of its rows is left out.
std::vector<std::int32_t> sparse_dependent_rows(const Sparse& all) {
  constexpr double kSmallPivot = 1e-12;
  constexpr int kMostRounds = 50;  // with more such dependences the rank is too large, but never full
  std::vector<char> out(static_cast<std::size_t>(all.rows()), 0);
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> place(out.size(), -1);
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i] == 0) {
        place[i] = static_cast<std::int32_t>(rows.size());
        rows.push_back(static_cast<std::int32_t>(i));
      }
    if (rows.empty()) break;
    Sparse K = all;
    if (rows.size() < out.size()) {
      std::vector<Eigen::Triplet<double>> list;
      for (Eigen::Index j = 0; j < all.outerSize(); ++j)
        for (Sparse::InnerIterator it(all, j); it; ++it)
          if (const std::int32_t i = place[static_cast<std::size_t>(it.row())]; i >= 0)
            list.emplace_back(i, static_cast<std::int32_t>(j), it.value());
      K.resize(static_cast<Eigen::Index>(rows.size()), all.cols());
      K.setFromTriplets(list.begin(), list.end());
    }
    const Sparse transposed = K.transpose();
    Eigen::SimplicialLDLT<Sparse> ldlt;
    ldlt.setShift(1e-14);  // the factorisation would end at a pivot of exactly 0
    ldlt.compute(Sparse(K * transposed));
    const VectorXd D = ldlt.vectorD();
    bool small = false;
    for (Eigen::Index k = 0; k < D.size(); ++k)
      if (!(D(k) > kSmallPivot)) {
        out[static_cast<std::size_t>(rows[static_cast<std::size_t>(ldlt.permutationPinv().indices()(k))])] = 1;
        small = true;
      }
    if (small) continue;
    const SmallestValue smallest = smallest_value(K, transposed, ldlt);
    // What is not decided is not called independent.
    if (!(smallest.value <= kDependentRow) && !smallest.unsettled) break;
    const double most = smallest.y.cwiseAbs().maxCoeff();
    Eigen::Index last = smallest.y.size() - 1;
    while (std::fabs(smallest.y(last)) < 0.1 * most) --last;
    out[static_cast<std::size_t>(rows[static_cast<std::size_t>(last)])] = 1;
  }
  std::vector<std::int32_t> list;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i] != 0) list.push_back(static_cast<std::int32_t>(i));
  return list;
}

}  // namespace

RowRank row_rank(const Graph& g, const Entries& matrix, std::int32_t rows, std::int32_t n, double t,
                 std::span<const double> q, std::span<const double> v) {
  RowRank out;
  if (rows == 0) return out;
  Sparse K = sparse_value(g, matrix, rows, n, n, rows, t, q, v);
  VectorXd length = VectorXd::Zero(rows);
  for (Eigen::Index j = 0; j < K.outerSize(); ++j)
    for (Sparse::InnerIterator it(K, j); it; ++it) length(it.row()) += it.value() * it.value();
  for (std::int32_t i = 0; i < rows; ++i)
    if (length(i) == 0.0)
      out.zero.push_back(i);
    else if (!std::isfinite(length(i)))
      out.not_finite.push_back(i);
  if (!out.not_finite.empty()) {  // nothing can be said about the others
    out.dependent = out.zero;
    out.dependent.insert(out.dependent.end(), out.not_finite.begin(), out.not_finite.end());
    out.rank = rows - static_cast<int>(out.dependent.size());
    return out;
  }
  for (double& x : length) x = x > 0.0 ? 1.0 / std::sqrt(x) : 1.0;
  K = length.asDiagonal() * K;
  // Dense, as in small systems, while that takes a few hundredths of a second.
  constexpr double kMostOperations = 2e7;
  if (static_cast<double>(rows) * rows * n <= kMostOperations)
    for (const Eigen::Index i : linalg::dependent_rows(MatrixXd(K), kDependentRow))
      out.dependent.push_back(static_cast<std::int32_t>(i));
  else
    out.dependent = sparse_dependent_rows(K);
  out.rank = rows - static_cast<int>(out.dependent.size());
  return out;
}

double largest_value(const FamilyMechanical& f, const Entries& matrix, double t, std::span<const double> q,
                     std::span<const double> v) {
  double big = 0.0;
  for (const auto& entry : triplets(f.graph, matrix, f.n, f.m, t, q, v)) big = std::fmax(big, std::fabs(entry.value()));
  return big;
}

StartAnalysis analyse_large_start(const System& system, const RoundedValues::Point& at) {
  StartAnalysis out;
  const FamilyMechanical& f = system.families();
  const double t = at.t;
  const std::span<const double> q = at.q, v = at.v;
  const auto name = [&](std::int32_t i) { return system.model().multiplier_name(i); };
  out.residuals = family_residuals(f.graph, f.g, true, name, at, system.model().angles);
  for (ConstraintResidual& r : family_residuals(f.graph, f.k, false, name, at, system.model().angles))
    out.residuals.push_back(std::move(r));
  for (const ConstraintResidual& r : out.residuals) out.consistent = out.consistent && r.is_rounding();
  const RowRank rank = row_rank(f.graph, f.K, f.m, f.n, t, q, v);
  out.rank = rank.rank;
  for (const std::int32_t i : rank.dependent) out.redundant.push_back(system.model().multiplier_name(i));
  for (const std::int32_t i : rank.zero) out.vanishing.push_back(system.model().multiplier_name(i));
  for (const std::int32_t i : rank.not_finite) out.not_finite.push_back(system.model().multiplier_name(i));
  const Sparse M = sparse_value(f.graph, f.written.mass, f.n, f.n, f.n, f.m, t, q, v);
  const bool positive = has_positive_mass(f, t, q, v);
  out.mass_positive_definite = positive && f.added.c.empty();
  out.saddle_regular = out.redundant.empty() && positive;
  // Without inertia in some direction the matrix may still be regular; solving with it tells.
  if (out.redundant.empty() && !out.saddle_regular) out.saddle_regular = system.acceleration()->solve(t, q, v);
  if (!out.saddle_regular && out.redundant.empty())
    for (Eigen::Index i = 0; i < M.rows(); ++i)
      if (M.coeff(i, i) == 0.0) out.without_inertia.push_back(system.model().coordinates[static_cast<std::int32_t>(i)]);
  return out;
}

namespace {

// Constraints with families, and what moves: the elements `free` of a vector x, which is a part of the state. The steps
// solve [S J^T; J -mu] (dx, lambda) = (-S offset, -r).
class SparseProblem {
 public:
  SparseProblem(FamilyMechanical& f, Space space, Start& state, const std::vector<std::int32_t>& held)
      : f_(f),
        state_(state),
        x_(space == kPosition ? state.q : state.v),
        function_(space == kPosition ? f.g : f.k),
        rows_(space == kPosition ? f.holonomic : f.m),
        derivative_(jacobian(f.graph, function_, space)),
        value_(f.graph, function_, rows_, f.n, f.m),
        place_(x_.size(), -1) {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (std::binary_search(held.begin(), held.end(), static_cast<std::int32_t>(i))) continue;
      place_[i] = static_cast<std::int32_t>(free_.size());
      free_.push_back(i);
    }
  }

  // The metric, at the state as it is.
  bool set_metric() {
    const auto n = static_cast<Eigen::Index>(free_.size());
    std::vector<Eigen::Triplet<double>> list;
    VectorXd diagonal = VectorXd::Zero(n);
    for (const auto& t : triplets(f_.graph, f_.mass, f_.n, f_.m, state_.t, state_.q, state_.v)) {
      const std::int32_t i = place_[static_cast<std::size_t>(t.row())], j = place_[static_cast<std::size_t>(t.col())];
      if (i < 0 || j < 0) continue;
      list.emplace_back(i, j, t.value());
      if (i == j) diagonal(i) += t.value();
    }
    const double most = n > 0 ? diagonal.maxCoeff() : 0.0;
    constexpr double kLittle = 1e-8;  // where there is no inertia
    reach_ = diagonal;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (!(diagonal(i) > 0.0)) {
        reach_(i) = most > 0.0 ? kLittle * most : 1.0;
        list.emplace_back(i, i, reach_(i) - diagonal(i));
      }
      reach_(i) = 1.0 / std::sqrt(reach_(i));
    }
    S_.resize(n, n);
    S_.setFromTriplets(list.begin(), list.end());
    scale_ = VectorXd::Ones(rows_);
    if (!linearise(get())) return false;
    VectorXd size = VectorXd::Zero(rows_);
    for (Eigen::Index j = 0; j < J_.outerSize(); ++j)
      for (Sparse::InnerIterator it(J_, j); it; ++it) size(it.row()) += std::pow(it.value() * reach_(j), 2);
    for (Eigen::Index i = 0; i < rows_; ++i)
      if (size(i) > 0.0) scale_(i) = 1.0 / std::sqrt(size(i));
    return true;
  }

  VectorXd get() const {
    VectorXd x(static_cast<Eigen::Index>(free_.size()));
    for (std::size_t i = 0; i < free_.size(); ++i) x(static_cast<Eigen::Index>(i)) = x_[free_[i]];
    return x;
  }
  void set(const VectorXd& x) {
    for (std::size_t i = 0; i < free_.size(); ++i) x_[free_[i]] = x(static_cast<Eigen::Index>(i));
  }
  VectorXd residual(const VectorXd& x) {
    set(x);
    return scale_.cwiseProduct(Eigen::Map<const VectorXd>(value_(state_.t, state_.q, state_.v).data(), rows_));
  }
  bool linearise(const VectorXd& x) {
    set(x);
    std::vector<Eigen::Triplet<double>> list;
    bool finite = true;
    for (const auto& t : triplets(f_.graph, derivative_, f_.n, f_.m, state_.t, state_.q, state_.v)) {
      const std::int32_t j = place_[static_cast<std::size_t>(t.col())];
      if (j >= 0) list.emplace_back(t.row(), j, scale_(t.row()) * t.value());
      finite = finite && std::isfinite(t.value());
    }
    J_.resize(rows_, static_cast<Eigen::Index>(free_.size()));
    J_.setFromTriplets(list.begin(), list.end());
    return finite;
  }
  [[nodiscard]] VectorXd step(const VectorXd& offset, const VectorXd& r, double mu) const {
    const Eigen::Index n = S_.rows();
    std::vector<Eigen::Triplet<double>> list;
    for (Eigen::Index j = 0; j < n; ++j) {
      for (Sparse::InnerIterator it(S_, j); it; ++it) list.emplace_back(it.row(), j, it.value());
      for (Sparse::InnerIterator it(J_, j); it; ++it) {
        list.emplace_back(n + it.row(), j, it.value());
        list.emplace_back(j, n + it.row(), it.value());
      }
    }
    for (Eigen::Index i = 0; i < rows_; ++i) list.emplace_back(n + i, n + i, -std::fmax(mu, kRegular));
    Sparse A(n + rows_, n + rows_);
    A.setFromTriplets(list.begin(), list.end());
    VectorXd b(n + rows_);
    b.head(n) = offset.size() > 0 ? VectorXd(-(S_ * offset)) : VectorXd::Zero(n);
    b.tail(rows_) = -r;
    Eigen::SparseLU<Sparse> lu(A);
    if (lu.info() != Eigen::Success) return VectorXd::Constant(n, std::nan(""));
    return lu.solve(b).head(n);
  }
  [[nodiscard]] double inner(const VectorXd& dx, const VectorXd& dy) const { return dx.dot(S_ * dy); }
  [[nodiscard]] double length(const VectorXd& dx) const { return std::sqrt(std::fmax(0.0, inner(dx, dx))); }
  [[nodiscard]] Eigen::Index residual_size() const { return rows_; }
  [[nodiscard]] double reach(std::size_t i) const { return reach_(static_cast<Eigen::Index>(i)); }
  [[nodiscard]] const std::vector<std::size_t>& free() const { return free_; }

 private:
  static constexpr double kRegular = 1e-14;  // redundant rows are as good as satisfied by the others
  FamilyMechanical& f_;
  Start& state_;
  std::vector<double>& x_;
  const Entries& function_;
  std::int32_t rows_;
  Entries derivative_;
  Evaluator value_;
  std::vector<std::int32_t> place_;  // among what moves; -1: held
  std::vector<std::size_t> free_;
  VectorXd scale_, reach_;
  Sparse S_, J_;
};

}  // namespace

Projected project_large_start(const System& system, Start& s) {
  FamilyMechanical f = system.families();
  const Model& model = system.model();
  const auto name = [&](std::int32_t i) { return model.multiplier_name(i); };
  const auto level = [&](Space space) -> std::string {
    const Entries& function = space == kPosition ? f.g : f.k;
    add_bounds(model, s);
    const auto judge = [&] {
      return left_over(model,
                       family_residuals(f.graph, function, space == kPosition, name,
                                        {s.t, s.q, s.v, s.q_error, s.v_error}, model.angles),
                       space);
    };
    if (judge().empty()) return "";
    SparseProblem problem(f, space, s, space == kPosition ? model.keep_q : model.keep_v);
    const VectorXd start = problem.get();
    if (!problem.free().empty() && problem.set_metric()) {
      VectorXd y = start;
      Projector<SparseProblem>(problem, space == kPosition).run(y);
      problem.set(y);
      const double moved = problem.length(y - start) + problem.length(y);
      std::vector<double>& error = space == kPosition ? s.q_error : s.v_error;
      for (std::size_t i = 0; i < problem.free().size(); ++i)
        error[problem.free()[i]] += kUlp * problem.reach(i) * moved;
    }
    return judge();
  };
  std::string why = level(kPosition);
  if (why.empty()) why = level(kVelocity);
  return {why.empty(), why};
}

}  // namespace rattleback
