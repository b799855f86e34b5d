// Moving a start to the nearest consistent one.
#include "linalg/projector.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "system/families/family_start.hpp"
#include "system/port_hamiltonian/port_hamiltonian_start.hpp"
#include "system/start/start_residuals.hpp"

namespace rattleback {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// ", with y' held"; "" when nothing is.
std::string held_text(const Model& model, Space space) {
  constexpr std::size_t kShown = 8;
  const auto& held = space == kPosition ? model.keep_q : model.keep_v;
  if (held.empty()) return "";
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(held.size(), kShown); ++i)
    names.push_back(space == kPosition ? model.coordinates[held[i]] : velocity_name(model, held[i]));
  const std::string more = held.size() > kShown ? fmt::format(" and {} more", held.size() - kShown) : "";
  return fmt::format(", with {}{} held", fmt::join(names, ", "), more);
}

}  // namespace

std::string left_over(const Model& model, const std::vector<ConstraintResidual>& all, Space space) {
  const ConstraintResidual* worst = nullptr;
  for (const ConstraintResidual& r : all)
    if (!r.is_rounding() && (worst == nullptr || !(r.excess() <= worst->excess()))) worst = &r;
  if (worst == nullptr) return "";
  const std::string held = held_text(model, space);
  return fmt::format("at the nearest point that was found '{}' is left with a residual of {:.3e} at {} level{}. {}",
                     worst->name, worst->value, worst->position ? "position" : "velocity", held,
                     held.empty()
                         ? "The constraints cannot all be met near there, or the start is too far from where they can"
                         : "Hold less, or give what is held another value");
}

namespace {

// How far apart two states are. M empty: the Euclidean metric.
struct Metric {
  MatrixXd M;
  VectorXd typical;  // inertia: the largest among the coordinates with which one shares a place of M
};

// L_vv as the model has it, without what is added for the steps.
class KineticMetric {
 public:
  explicit KineticMetric(const Model& model) : n_(model.coordinates.size()) {
    Graph g = *model.graph;
    for (const Entry& e : jacobian(g, gradient(g, model.lagrangian, kVelocity), kVelocity)) {
      if (g.is_constant(e.expr, 0.0)) continue;
      for (std::int32_t i = 0; i < std::max(1, e.count); ++i) places_.emplace_back(e.row.at(i), e.col.at(i));
      flat_.push_back({e.expr, e.count, {e.row.base * n_ + e.col.base, e.row.stride * n_ + e.col.stride}, {}});
    }
    values_.emplace(g, flat_, n_ * n_, n_, model.multiplier_count());
  }
  Metric operator()(const Start& s) {
    Metric out{matrix_of((*values_)(s.t, s.q, s.v), n_, n_), {}};
    const VectorXd own = out.M.diagonal().cwiseAbs();
    out.typical = own;
    for (const auto& [i, j] : places_) out.typical(i) = std::fmax(out.typical(i), own(j));
    return out;
  }

 private:
  std::int32_t n_;
  Entries flat_;
  std::vector<std::pair<std::int32_t, std::int32_t>> places_;
  std::optional<Evaluator> values_;
};

// Constraints of single coordinates, and what moves: the elements `free` of a vector x, which is a part of the state.
class DenseProblem {
 public:
  DenseProblem(Graph& g, const std::vector<NodeId>& f, Space space, std::int32_t n, std::int32_t m, Start& state,
               std::vector<Eigen::Index> free)
      : state_(state),
        x_(space == kPosition ? state.q : state.v),
        free_(std::move(free)),
        rows_(static_cast<Eigen::Index>(f.size())),
        value_(g, f, n, m),
        slope_(g, flat(derivatives(g, f, space, static_cast<std::int32_t>(x_.size()))), n, m) {}

  // Of all elements. False when there is none.
  bool set_metric(const Metric& metric) {
    const auto n = static_cast<Eigen::Index>(free_.size());
    const MatrixXd J = jacobian();
    scale_ = VectorXd::Ones(rows_);
    to_ = MatrixXd::Identity(n, n);
    from_ = to_;
    if (!J.allFinite()) return false;
    const MatrixXd own = metric.M.size() > 0 ? MatrixXd(metric.M(free_, free_)) : MatrixXd();
    if (own.size() > 0 && own.allFinite() && own.diagonal().cwiseAbs().maxCoeff() > 0.0) {
      // In coordinates of unit inertia. Directions without inertia that a constraint stops get some from that constraint,
      // which does not change what is nearest; others move as if they had next to none.
      constexpr double kNone = 1e-12, kLittle = 1e-8;
      const VectorXd mass = own.diagonal().cwiseAbs();
      VectorXd root(n);
      for (Eigen::Index i = 0; i < n; ++i) {
        // At the start a coordinate may have next to none itself, like e0 of a body that is not turned yet.
        const double usual = metric.typical(free_[static_cast<std::size_t>(i)]);
        root(i) = std::sqrt(mass(i) > 1e-6 * usual ? mass(i) : usual > 0.0 ? usual : mass.maxCoeff());
      }
      const VectorXd inverse = root.cwiseInverse();
      MatrixXd S = inverse.asDiagonal() * own * inverse.asDiagonal();
      linalg::SymmetricEigen eigen = linalg::symmetric_eigen(S);
      if (eigen.values.cwiseAbs().minCoeff() <= kNone * eigen.values.cwiseAbs().maxCoeff()) {
        MatrixXd rows = J * inverse.asDiagonal();
        for (Eigen::Index i = 0; i < rows_; ++i)
          if (const double size = rows.row(i).norm(); size > 0.0) rows.row(i) /= size;
        S += linalg::transposed_product(rows, rows);
        eigen = linalg::symmetric_eigen(S);
      }
      VectorXd values = eigen.values.cwiseAbs();
      const double most = values.maxCoeff();
      for (double& x : values)
        if (x <= kNone * most) x = kLittle * most;
      to_ = inverse.asDiagonal() * eigen.vectors * values.cwiseSqrt().cwiseInverse().asDiagonal();
      from_ = values.cwiseSqrt().asDiagonal() * eigen.vectors.transpose() * root.asDiagonal();
    }
    const MatrixXd scaled = linalg::product(J, to_), all = whole_rows(metric);
    for (Eigen::Index i = 0; i < rows_; ++i) {
      // A row that moves by rounding alone, because all else in it is held, is left as it is.
      const double size = scaled.row(i).norm();
      scale_(i) = size > kRounding * all.row(i).norm() ? 1.0 / size : 0.0;
    }
    return true;
  }

  VectorXd get() const {
    VectorXd x(static_cast<Eigen::Index>(free_.size()));
    for (std::size_t i = 0; i < free_.size(); ++i)
      x(static_cast<Eigen::Index>(i)) = x_[static_cast<std::size_t>(free_[i])];
    return x;
  }
  void set(const VectorXd& x) {
    for (std::size_t i = 0; i < free_.size(); ++i)
      x_[static_cast<std::size_t>(free_[i])] = x(static_cast<Eigen::Index>(i));
  }
  VectorXd residual(const VectorXd& x) {
    set(x);
    const auto r = value_(state_.t, state_.q, state_.v);
    return scale_.cwiseProduct(Eigen::Map<const VectorXd>(r.data(), rows_));
  }
  bool linearise(const VectorXd& x) {
    set(x);
    J_ = scale_.asDiagonal() * linalg::product(jacobian(), to_);
    return J_.allFinite();
  }
  [[nodiscard]] VectorXd step(const VectorXd& offset, const VectorXd& r, double mu) const {
    constexpr double kDependent = 1e-10;
    if (free_.empty()) return VectorXd();
    if (offset.size() > 0) {
      const VectorXd c = linalg::product(from_, offset);
      return linalg::product(to_,
                             VectorXd(linalg::least_norm_solution(J_, linalg::product(J_, c) - r, kDependent) - c));
    }
    if (mu == 0.0) return linalg::product(to_, linalg::least_norm_solution(J_, -r, kDependent));
    return linalg::product(to_, linalg::damped_solution(J_, -r, mu));
  }
  [[nodiscard]] double length(const VectorXd& dx) const { return linalg::product(from_, dx).norm(); }
  [[nodiscard]] double inner(const VectorXd& dx, const VectorXd& dy) const {
    return linalg::product(from_, dx).dot(linalg::product(from_, dy));
  }
  [[nodiscard]] Eigen::Index residual_size() const { return rows_; }
  // How far a move of length 1 can move an element.
  [[nodiscard]] double reach(std::size_t i) const { return to_.row(static_cast<Eigen::Index>(i)).norm(); }
  [[nodiscard]] const std::vector<Eigen::Index>& free() const { return free_; }

 private:
  static constexpr double kRounding = 1e-13;

  MatrixXd all_columns() {
    return matrix_of(slope_(state_.t, state_.q, state_.v), rows_, static_cast<Eigen::Index>(x_.size()));
  }
  MatrixXd jacobian() { return all_columns()(Eigen::all, free_); }
  // Also what is held, in coordinates of about unit inertia.
  MatrixXd whole_rows(const Metric& metric) {
    MatrixXd rows = all_columns();
    if (metric.typical.size() != rows.cols()) return rows;
    const double most = metric.typical.maxCoeff();
    for (Eigen::Index j = 0; j < rows.cols(); ++j)
      if (const double mass = metric.typical(j) > 0.0 ? metric.typical(j) : most; mass > 0.0)
        rows.col(j) /= std::sqrt(mass);
    return rows;
  }

  Start& state_;
  std::vector<double>& x_;
  std::vector<Eigen::Index> free_;
  Eigen::Index rows_;
  Evaluator value_, slope_;
  VectorXd scale_;
  MatrixXd to_, from_, J_;  // dx = to y, y = from dx, |y| = |dx|_S; J_: of y, with rows scaled
};

std::vector<Eigen::Index> free_elements(std::size_t size, const std::vector<std::int32_t>& held) {
  std::vector<Eigen::Index> out;
  for (std::size_t i = 0; i < size; ++i)
    if (!std::binary_search(held.begin(), held.end(), static_cast<std::int32_t>(i)))
      out.push_back(static_cast<Eigen::Index>(i));
  return out;
}

// One level, in the metric at the given state. Returns what is left over, "" when nothing is.
std::string project_level(const System& system, Graph& g, const std::vector<NodeId>& f, Space space, Start& s,
                          const NameOf& name, const std::function<Metric()>& metric) {
  const std::int32_t n = std::max(system.n(), system.nv()), m = system.m();
  const Model& model = system.model();
  const auto judge = [&] {
    StartAnalysis a;
    add_residuals(a, g, f, space == kPosition, name, Judged(system, s));
    return a;
  };
  if (f.empty() || judge().consistent) return "";
  std::vector<double>& x = space == kPosition ? s.q : s.v;
  std::vector<double>& error = space == kPosition ? s.q_error : s.v_error;
  add_bounds(model, s);
  DenseProblem problem(g, f, space, n, m, s, free_elements(x.size(), space == kPosition ? model.keep_q : model.keep_v));
  const VectorXd start = problem.get();
  if (problem.set_metric(metric()) && !problem.free().empty()) {
    VectorXd y = start;
    Projector<DenseProblem>(problem, space == kPosition).run(y);
    problem.set(y);
    // Rounding of the largest rows is spread over all, where rows depend on one another also by the last correction.
    const double moved = problem.length(y - start) + problem.length(y);
    const std::vector<double> typed = error, found = x;
    for (std::size_t i = 0; i < problem.free().size(); ++i)
      error[static_cast<std::size_t>(problem.free()[i])] += kUlp * problem.reach(i) * moved;
    // What may as well be 0 is 0, if that is consistent: then the start can be typed and is accepted.
    const std::vector<double> bounds = error;
    for (const Eigen::Index i : problem.free()) {
      const auto k = static_cast<std::size_t>(i);
      if (std::fabs(x[k]) <= error[k]) x[k] = 0.0;
      error[k] = std::fmin(typed[k], kUlp * std::fabs(x[k]));
    }
    if (!judge().consistent) {
      x = found;
      error = bounds;
    }
  }
  return left_over(model, judge().residuals, space);
}

// Says what is left over, "" when nothing is.
class Projection {
 public:
  Projection(const System& system, Start& start) : system_(system), model_(system.model()), s_(start) {}

  std::string operator()(Mechanical f) const {
    const auto name = [&](std::int32_t i) { return model_.multiplier_name(i); };
    std::optional<KineticMetric> made;
    const auto kinetic = [&] {
      if (!made) made.emplace(model_);
      return (*made)(s_);
    };
    const std::string why = project_level(system_, f.graph, f.g, kPosition, s_, name, kinetic);
    return why.empty() ? project_level(system_, f.graph, f.k, kVelocity, s_, name, kinetic) : why;
  }

  std::string operator()(Dae f) const {
    const auto name = [&](std::int32_t i) { return model_.constraint_names[i]; };
    return project_level(system_, f.graph, f.c, kPosition, s_, name, euclidean);
  }

  std::string operator()(Overdetermined o) const {
    // Unilateral constraints that do not act are left alone.
    const auto level = [&](const std::vector<NodeId>& all, Space space) {
      const StartAnalysis a = analyse_start(system_, s_, model_.z0);
      std::vector<NodeId> acting;
      std::vector<std::int32_t> which;
      for (std::size_t i = 0; i < all.size(); ++i)
        if (a.active[i] != 0) {
          acting.push_back(all[i]);
          which.push_back(static_cast<std::int32_t>(i));
        }
      const auto name = [&](std::int32_t i) { return model_.constraint_names[which[static_cast<std::size_t>(i)]]; };
      return project_level(system_, o.graph, acting, space, s_, name, euclidean);
    };
    const std::string why = level(o.g, kPosition);
    return why.empty() ? level(o.k, kVelocity) : why;
  }

  std::string operator()(const SkewGradient&) const { return (*this)(system_.dae()); }

  std::string operator()(PortHamiltonian f) const {
    const AlgebraicPart part = algebraic_part(f);
    const auto row = [&](std::int32_t i) {
      return f.states[static_cast<std::size_t>(part.constraining[static_cast<std::size_t>(i)])];
    };
    return project_level(system_, f.graph, part.constraints, kPosition, s_, row, euclidean);
  }

 private:
  static Metric euclidean() { return {}; }
  const System& system_;
  const Model& model_;
  Start& s_;
};

}  // namespace

Projected project_start(const System& system, Start& s) {
  if (system.is_large()) return project_large_start(system, s);
  const std::string why = system.visit(Projection(system, s));
  return {why.empty(), why};
}

Projected project_start(const System& system, std::vector<double>& q, std::vector<double>& v) {
  Start s;
  s.t = system.model().t0;
  s.q = q;
  s.v = v;
  Projected out = project_start(system, s);
  q = s.q;
  v = s.v;
  return out;
}

}  // namespace rattleback
