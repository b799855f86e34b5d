#include "formulation/start.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/Dense>

#include "rattleback/error.hpp"

namespace rattleback {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// The summands of an expression, so that a residual can be compared with what cancelled in it.
void collect_terms(const Graph& g, NodeId id, std::vector<NodeId>& out) {
  const Node& n = g[id];
  if (n.op == Op::add || n.op == Op::sub) {
    collect_terms(g, n.a, out);
    collect_terms(g, n.b, out);
  } else if (n.op == Op::neg) {
    collect_terms(g, n.a, out);
  } else {
    // c*(a + b) counts as c*a + c*b: the size of the product, not of its cancelled factor.
    if (n.op == Op::mul && g.is_constant(n.a) && (g[n.b].op == Op::add || g[n.b].op == Op::sub)) {
      collect_terms(g, n.b, out);
      return;
    }
    out.push_back(id);
  }
}

MatrixXd evaluate(const Graph& g, const std::vector<std::vector<NodeId>>& rows, std::int32_t columns, std::int32_t n,
                  std::int32_t m, double t, std::span<const double> q, std::span<const double> v,
                  std::span<const double> multipliers = {}) {
  std::vector<NodeId> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  Evaluator e(g, flat, n, m);
  const std::span<const double> x = e(t, q, v, multipliers);
  MatrixXd out(static_cast<Eigen::Index>(rows.size()), columns);
  for (Eigen::Index i = 0; i < out.rows(); ++i)
    for (Eigen::Index j = 0; j < out.cols(); ++j) out(i, j) = x[static_cast<std::size_t>(i * columns + j)];
  return out;
}

// Rank of the rows of A; the rows that depend on the others go to `dependent`.
int row_rank(MatrixXd A, std::vector<Eigen::Index>& dependent) {
  if (A.rows() == 0) return 0;
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    if (const double size = A.row(i).norm(); size > 0.0) A.row(i) /= size;
  Eigen::ColPivHouseholderQR<MatrixXd> qr(A.transpose());
  qr.setThreshold(1e-10);
  for (Eigen::Index k = qr.rank(); k < A.rows(); ++k) dependent.push_back(qr.colsPermutation().indices()(k));
  return static_cast<int>(qr.rank());
}

std::vector<std::vector<NodeId>> derivatives(Graph& g, const std::vector<NodeId>& f, Space space,
                                             std::int32_t columns) {
  std::vector<std::vector<NodeId>> out;
  for (const NodeId id : f) out.push_back(scalars(g, gradient(g, id, space), columns));
  return out;
}

void residuals(StartAnalysis& out, const Graph& g, const std::vector<NodeId>& constraints, bool position,
               const std::function<std::string(std::int32_t)>& name, std::int32_t n, std::int32_t m,
               std::span<const double> q, std::span<const double> v) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    std::vector<NodeId> nodes = {constraints[i]};
    collect_terms(g, constraints[i], nodes);
    Evaluator e(g, nodes, n, m);
    const std::span<const double> x = e(0.0, q, v);
    double size = 0.0;
    for (std::size_t k = 1; k < x.size(); ++k) size = std::fmax(size, std::fabs(x[k]));
    ConstraintResidual r;
    r.name = name(static_cast<std::int32_t>(i));
    r.position = position;
    r.value = std::fabs(x[0]);
    r.relative = r.value == 0.0 ? 0.0 : r.value / std::fmax(size, 1e-300);
    out.consistent = out.consistent && r.relative <= kStartTolerance;
    out.residuals.push_back(std::move(r));
  }
}

}  // namespace

StartAnalysis analyse_start(const System& system, std::span<const double> q, std::span<const double> v,
                            std::span<const double> multipliers) {
  StartAnalysis out;
  const Model& model = system.model();
  const std::int32_t n = system.n(), m = system.m();
  const auto name = [&](std::int32_t i) { return model.multiplier_name(i); };
  std::vector<Eigen::Index> dependent;
  if (system.is_mechanical()) {
    const Mechanical& f = system.mechanical();
    residuals(out, f.graph, f.g, true, name, n, m, q, v);
    residuals(out, f.graph, f.k, false, name, n, m, q, v);
    const MatrixXd K = evaluate(f.graph, f.K, n, n, m, 0.0, q, v);
    const MatrixXd M = evaluate(f.graph, f.Lvv, n, n, m, 0.0, q, v);
    out.rank = row_rank(K, dependent);
    out.mass_positive_definite = n > 0 && Eigen::LLT<MatrixXd>(M).info() == Eigen::Success &&
                                 Eigen::SelfAdjointEigenSolver<MatrixXd>(M).eigenvalues().minCoeff() > 0.0;
    // Inertia on the motions that the constraints allow: regular saddle matrix = Z^T M Z regular (K of full rank).
    MatrixXd saddle = MatrixXd::Zero(n + m, n + m);
    saddle.topLeftCorner(n, n) = M;
    saddle.topRightCorner(n, m) = K.transpose();
    saddle.bottomLeftCorner(m, n) = K;
    for (Eigen::Index i = 0; i < n + m; ++i)
      if (const double size = saddle.row(i).cwiseAbs().maxCoeff(); size > 0.0) saddle.row(i) /= size;
    for (Eigen::Index i = 0; i < n + m; ++i)
      if (const double size = saddle.col(i).cwiseAbs().maxCoeff(); size > 0.0) saddle.col(i) /= size;
    Eigen::FullPivLU<MatrixXd> lu(saddle);
    lu.setThreshold(1e-13);
    out.saddle_regular = lu.isInvertible();
    if (!out.saddle_regular && out.rank == m) {
      const MatrixXd kernel = lu.kernel();
      for (Eigen::Index i = 0; i < n; ++i)
        if (kernel.row(i).norm() > 1e-6 * kernel.norm())
          out.without_inertia.push_back(model.coordinates[static_cast<std::int32_t>(i)]);
    }
  } else {
    Dae f = system.dae();
    const auto constraint_name = [&](std::int32_t i) { return model.constraint_names[i]; };
    residuals(out, f.graph, f.c, true, constraint_name, n, m, q, v);
    const MatrixXd cy = evaluate(f.graph, derivatives(f.graph, f.c, kPosition, n), n, n, m, 0.0, q, {});
    const auto fz_nodes = derivatives(f.graph, f.f, kMultiplier, m);
    const MatrixXd fz = evaluate(f.graph, fz_nodes, m, n, m, 0.0, q, {}, multipliers);
    out.rank = row_rank(cy, dependent);
    MatrixXd product = cy * fz;
    out.saddle_regular = m == 0 || (product.allFinite() && Eigen::FullPivLU<MatrixXd>(product).isInvertible());
    out.mass_positive_definite = true;
  }
  for (const Eigen::Index i : dependent)
    out.redundant.push_back(system.is_mechanical() ? name(static_cast<std::int32_t>(i))
                                                   : model.constraint_names[static_cast<std::int32_t>(i)]);
  return out;
}

namespace {

// Gauss-Newton with least-norm corrections: x moves to the nearest point of f(x) = 0, to first order.
template <class Residual, class Matrix>
bool least_norm_newton(std::vector<double>& x, Residual&& residual, Matrix&& matrix) {
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 50; ++k) {
    const VectorXd r = residual();
    if (!r.allFinite()) return false;
    const VectorXd dx = matrix().completeOrthogonalDecomposition().solve(r);
    if (!dx.allFinite()) return false;
    double size = 1e-300;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] -= dx(static_cast<Eigen::Index>(i));
      size = std::fmax(size, std::fabs(x[i]));
    }
    const double change = dx.cwiseAbs().maxCoeff() / size;
    if (change <= 1e-16 || (change <= 1e-12 && change >= 0.5 * last)) return true;
    last = change;
  }
  return false;
}

}  // namespace

bool project_start(const System& system, std::vector<double>& q, std::vector<double>& v) {
  const std::int32_t n = system.n(), m = system.m();
  const auto project = [&](Graph& g, const std::vector<NodeId>& f, Space space, std::vector<double>& x) {
    if (f.empty()) return true;
    Evaluator value(g, f, n, m);
    const auto rows = derivatives(g, f, space, n);
    return least_norm_newton(
        x,
        [&] {
          const auto r = value(0.0, q, v);
          return VectorXd(Eigen::Map<const VectorXd>(r.data(), static_cast<Eigen::Index>(r.size())));
        },
        [&] { return evaluate(g, rows, n, n, m, 0.0, q, v); });
  };
  if (system.is_mechanical()) {
    Mechanical f = system.mechanical();
    return project(f.graph, f.g, kPosition, q) && project(f.graph, f.k, kVelocity, v);
  }
  Dae f = system.dae();
  return project(f.graph, f.c, kPosition, q);
}

Start consistent_start(const System& system, bool project) {
  const Model& model = system.model();
  Start s;
  s.q = model.q0;
  s.v = model.v0;
  StartAnalysis a = analyse_start(system, s.q, s.v, model.z0);
  if (!a.consistent) {
    const ConstraintResidual* worst = &a.residuals.front();
    for (const ConstraintResidual& r : a.residuals)
      if (r.relative > worst->relative) worst = &r;
    if (!project && !model.project)
      throw Error(fmt::format(
          "initial state violates constraint '{}' at {} level: residual {:.3e} ({:.1e} of its largest term, allowed "
          "{:.0e}). "
          "Correct the start, or pass --project to move it to the nearest consistent one",
          worst->name, worst->position ? "position" : "velocity", worst->value, worst->relative, kStartTolerance));
    const std::vector<double> q = s.q, v = s.v;
    if (!project_start(system, s.q, s.v))
      throw Error(
          fmt::format("initial state violates constraint '{}' (residual {:.3e}), and no consistent state was found "
                      "near it: the projection did not converge. Start closer to the constraint",
                      worst->name, worst->value));
    double moved = 0.0;
    for (std::size_t i = 0; i < q.size(); ++i) moved += (s.q[i] - q[i]) * (s.q[i] - q[i]);
    for (std::size_t i = 0; i < v.size(); ++i) moved += (s.v[i] - v[i]) * (s.v[i] - v[i]);
    s.notes.push_back(
        fmt::format("the start was inconsistent ('{}': {:.3e}) and was moved by {:.3e} to the nearest "
                    "consistent one",
                    worst->name, worst->value, std::sqrt(moved)));
    a = analyse_start(system, s.q, s.v, model.z0);
  }
  if (!a.redundant.empty())
    throw Error(fmt::format(
        "constraints are dependent at the start: rank {} of {}, '{}' {} from the others (or vanishes "
        "there). Remove what is redundant, or start where the constraints are independent",
        a.rank, system.m(), fmt::join(a.redundant, "', '"), a.redundant.size() == 1 ? "follows" : "follow"));
  // A mass of exactly 0, or nearly: forces that depend on the velocity may determine what inertia does not. The first step
  // shows whether they do.
  const auto without_multipliers = [&](const std::string& where) {
    s.acceleration.assign(s.q.size(), 0.0);
    s.multipliers.assign(static_cast<std::size_t>(system.m()), 0.0);
    s.notes.push_back("a mass is 0 or nearly so" + where +
                      ": the multipliers at the start are not determined by inertia");
    return s;
  };
  const bool graded = system.is_mechanical() && system.mechanical().graded_mass;
  if (!a.saddle_regular && graded)
    return without_multipliers(fmt::format(" (no inertia in {})", fmt::join(a.without_inertia, ", ")));
  if (!a.saddle_regular && system.is_mechanical())
    throw Error(
        fmt::format("the Lagrangian gives no inertia to a motion that the constraints allow: the matrix "
                    "[L_vv K^T; K 0] is singular at the start (in {}). Add a kinetic term for it or remove the "
                    "coordinate",
                    fmt::join(a.without_inertia, ", ")));
  const auto acceleration = system.acceleration();
  acceleration->set_guess(model.z0);
  if (!acceleration->solve(0.0, s.q, s.v)) {
    if (graded) return without_multipliers("");
    if (system.is_mechanical())
      throw Error(fmt::format("the multipliers at the start cannot be determined: {}", acceleration->report().reason));
    throw Error(fmt::format(
        "the algebraic variables have no consistent value near their starting guess: {}. The system must have index 2 "
        "(d(constraints)/dy * d(rhs)/dz regular); give a better guess in [initial]",
        acceleration->report().reason));
  }
  s.acceleration.assign(acceleration->acceleration().begin(), acceleration->acceleration().end());
  s.multipliers.assign(acceleration->multipliers().begin(), acceleration->multipliers().end());
  return s;
}

}  // namespace rattleback
