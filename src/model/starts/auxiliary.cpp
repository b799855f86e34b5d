#include "model/starts/auxiliary.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expr/evaluator.hpp"
#include "expr/rounding.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/projector.hpp"

namespace rattleback::front {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// f(q, s) = 0 for s, in coordinates that are scaled so that the constraints' derivatives have about the size 1.
class Determination {
 public:
  explicit Determination(Model& model)
      : m_(model),
        n_(model.coordinates.size()),
        rows_(model.holonomic_names.size()),
        graph_(*model.graph),
        value_(graph_, model.holonomic, rows_, n_, 0),
        rate_(graph_, rates(), rows_, n_, 0),
        slope_(graph_, slopes(), rows_ * n_, n_, 0) {}

  [[nodiscard]] VectorXd get(const std::vector<double>& from) const {
    VectorXd x(size());
    for (Eigen::Index i = 0; i < size(); ++i) x(i) = from[at(i)];
    return x;
  }
  void set(std::vector<double>& to, const VectorXd& x) const {
    for (Eigen::Index i = 0; i < size(); ++i) to[at(i)] = x(i);
  }
  // By derivatives at the state of now, where there are any.
  void set_scales() {
    const MatrixXd all = all_columns(), own = columns(all);
    column_ = VectorXd::Ones(size());
    row_ = VectorXd::Ones(rows_);
    if (!all.allFinite()) return;
    for (Eigen::Index i = 0; i < rows_; ++i)
      if (const double size = all.row(i).norm(); size > 0.0) row_(i) = 1.0 / size;
    for (Eigen::Index i = 0; i < size(); ++i)
      if (const double size = row_.cwiseProduct(own.col(i)).norm(); size > 0.0) column_(i) = 1.0 / size;
  }
  [[nodiscard]] MatrixXd scaled() { return row_.asDiagonal() * columns(all_columns()) * column_.asDiagonal(); }
  // Velocities that the constraints give to these coordinates.
  [[nodiscard]] VectorXd velocities() {
    set(m_.v0, VectorXd::Zero(size()));
    const std::span<const double> k = rate_(m_.t0, m_.q0, m_.v0);
    return column_.cwiseProduct(
        linalg::least_norm_solution(scaled(), -row_.cwiseProduct(Eigen::Map<const VectorXd>(k.data(), rows_))));
  }
  // How far rounding of the terms of each constraint moves them.
  [[nodiscard]] VectorXd rounding(const std::vector<double>& x) {
    const MatrixXd all = all_columns();
    VectorXd terms = VectorXd::Zero(rows_);
    for (Eigen::Index i = 0; i < rows_; ++i)
      for (Eigen::Index j = 0; j < n_; ++j) terms(i) += std::fabs(all(i, j) * x[static_cast<std::size_t>(j)]);
    const MatrixXd inverse = linalg::pseudo_inverse(scaled()).cwiseAbs();
    return kUlp * column_.cwiseProduct(linalg::product(inverse, VectorXd(row_.cwiseProduct(terms))));
  }

  // As Projector wants it.
  VectorXd residual(const VectorXd& x) {
    set(m_.q0, x);
    const std::span<const double> f = value_(m_.t0, m_.q0);
    return row_.cwiseProduct(Eigen::Map<const VectorXd>(f.data(), rows_));
  }
  bool linearise(const VectorXd& x) {
    set(m_.q0, x);
    J_ = scaled();
    return J_.allFinite();
  }
  [[nodiscard]] VectorXd step(const VectorXd& offset, const VectorXd& r, double mu) const {
    if (offset.size() > 0) return VectorXd::Zero(size());  // what is determined has one place only
    return column_.cwiseProduct(mu == 0.0 ? linalg::least_norm_solution(J_, -r) : linalg::damped_solution(J_, -r, mu));
  }
  [[nodiscard]] double length(const VectorXd& dx) const { return dx.cwiseQuotient(column_).norm(); }
  [[nodiscard]] double inner(const VectorXd& dx, const VectorXd& dy) const {
    return dx.cwiseQuotient(column_).dot(dy.cwiseQuotient(column_));
  }
  [[nodiscard]] Eigen::Index residual_size() const { return rows_; }
  [[nodiscard]] double reach(std::size_t i) const { return column_(static_cast<Eigen::Index>(i)); }

 private:
  [[nodiscard]] Eigen::Index size() const { return static_cast<Eigen::Index>(m_.auxiliary.size()); }
  [[nodiscard]] std::size_t at(Eigen::Index i) const {
    return static_cast<std::size_t>(m_.auxiliary[static_cast<std::size_t>(i)]);
  }
  Entries rates() {
    Entries out = m_.holonomic;
    for (Entry& e : out) e.expr = total_time_derivative(graph_, e.expr);
    return out;
  }
  Entries slopes() {
    Entries out = jacobian(graph_, m_.holonomic, kPosition);
    for (Entry& e : out) e.row = {e.row.base * n_ + e.col.base, e.row.stride * n_ + e.col.stride};
    return out;
  }
  MatrixXd all_columns() {
    const std::span<const double> x = slope_(m_.t0, m_.q0);
    return Eigen::Map<const linalg::RowMajorXd>(x.data(), rows_, n_);
  }
  [[nodiscard]] MatrixXd columns(const MatrixXd& all) const { return all(Eigen::all, m_.auxiliary); }

  Model& m_;
  std::int32_t n_, rows_;
  Graph graph_;
  Evaluator value_, rate_, slope_;
  VectorXd column_, row_;
  MatrixXd J_;
};

std::string names_of(const Model& model) {
  std::vector<std::string> names;
  for (const std::int32_t i : model.auxiliary) names.push_back("`" + model.coordinates[i] + "`");
  return fmt::format("{}", fmt::join(names, ", "));
}

void refuse_inertia(const ModelText& text, const Model& model) {
  Graph g = *model.graph;
  for (const Entry& e : gradient(g, model.lagrangian, kVelocity)) {
    if (g.is_constant(e.expr, 0.0)) continue;
    for (std::int32_t k = 0; k < std::max(e.count, 1); ++k)
      if (std::ranges::binary_search(model.auxiliary, e.row.at(k)))
        text.world.source.fail(
            text.auxiliary_place,
            fmt::format("`{0}` in `auxiliary` has inertia: {0}' occurs in the Lagrangian. Auxiliary "
                        "are positions without kinetic energy, which holonomic constraints determine",
                        model.coordinates[e.row.at(k)]));
  }
}

}  // namespace

void solve_auxiliary(const ModelText& text, Model& model) {
  if (model.auxiliary.empty()) return;
  refuse_inertia(text, model);
  const auto count = static_cast<Eigen::Index>(model.auxiliary.size());
  const auto undetermined = [&](Eigen::Index rank) {
    text.world.source.fail(
        text.auxiliary_place,
        fmt::format("the holonomic constraints do not determine {} at the start: {} auxiliary, and the derivatives of "
                    "the constraints with respect to them have rank {}. Give another guess in [initial], or the "
                    "constraints that are missing",
                    names_of(model), count, rank));
  };
  if (model.holonomic_names.size() == 0) undetermined(0);
  const std::vector<double> q = model.q0, v = model.v0;  // guesses
  Determination problem(model);
  problem.set_scales();
  VectorXd x = problem.get(model.q0);
  if (!problem.residual(x).allFinite()) {  // is reported with its place
    model.q0 = q;
    return;
  }
  Projector<Determination>(problem, true).run(x);
  // What may as well be 0 is 0.
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(model.auxiliary[static_cast<std::size_t>(i)]);
    if (std::fabs(x(i)) <= kUlp * std::fabs(q[k])) x(i) = 0.0;
  }
  problem.set(model.q0, x);
  problem.set_scales();
  constexpr double kDependent = 1e-10;
  const MatrixXd J = problem.scaled();
  if (const Eigen::Index rank = J.allFinite() ? linalg::rank_of(J, kDependent) : 0; rank < count) undetermined(rank);
  // Near a cusp Newton ends where rounding moves the solution by far more than rounding.
  constexpr double kPoor = 1e-9;
  const VectorXd q_error = problem.rounding(model.q0);
  Eigen::Index poor = 0;
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(model.auxiliary[static_cast<std::size_t>(i)]);
    poor += q_error(i) > kPoor * std::fmax(std::fabs(x(i)), std::fabs(q[k])) ? 1 : 0;
  }
  if (poor > 0) undetermined(count - poor);
  problem.set(model.v0, problem.velocities());
  const VectorXd v_error = problem.rounding(model.v0);
  model.q0_error.resize(q.size(), 0.0);
  model.v0_error.resize(v.size(), 0.0);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(model.auxiliary[static_cast<std::size_t>(i)]);
    const double moved = std::fabs(model.q0[k] - q[k]);
    model.q0_error[k] = std::fmax(q_error(i), kUlp * (std::fabs(model.q0[k]) + moved));
    model.v0_error[k] = std::fmax(v_error(i), kUlp * std::fabs(model.v0[k]));
  }
}

}  // namespace rattleback::front
