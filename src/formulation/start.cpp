#include "formulation/start.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formulation/family_start.hpp"
#include "formulation/least_norm.hpp"
#include "formulation/port_hamiltonian_start.hpp"
#include "formulation/redundancy.hpp"
#include "formulation/terms.hpp"
#include "rattleback/error.hpp"
#include "solve/decompositions.hpp"

namespace rattleback {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd matrix_of(std::span<const double> x, Eigen::Index rows, Eigen::Index columns) {
  MatrixXd out(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j) out(i, j) = x[static_cast<std::size_t>(i * columns + j)];
  return out;
}

MatrixXd evaluate(const Graph& g, const std::vector<std::vector<NodeId>>& rows, std::int32_t columns, std::int32_t n,
                  std::int32_t m, double t, std::span<const double> q, std::span<const double> v,
                  std::span<const double> multipliers = {}) {
  std::vector<NodeId> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  Evaluator e(g, flat, n, m);
  return matrix_of(e(t, q, v, multipliers), static_cast<Eigen::Index>(rows.size()), columns);
}

// Rank of the rows of A, by orthogonalisation in their order; those that depend on earlier ones go to `dependent`.
int row_rank(const MatrixXd& A, std::vector<Eigen::Index>& dependent) {
  MatrixXd basis(A.rows(), A.cols());
  Eigen::Index rank = 0;
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    Eigen::RowVectorXd row = A.row(i);
    if (const double size = row.norm(); size > 0.0) row /= size;
    for (int twice = 0; twice < 2; ++twice)
      for (Eigen::Index k = 0; k < rank; ++k) row -= row.dot(basis.row(k)) * basis.row(k);
    if (const double size = row.norm(); size > 1e-10)
      basis.row(rank++) = row / size;
    else
      dependent.push_back(i);
  }
  return static_cast<int>(rank);
}

// Which rows are zero, and which have no value. Row i belongs to the constraint with the name `name(i)`.
void find_dead_rows(StartAnalysis& out, const MatrixXd& A, const std::function<std::string(Eigen::Index)>& name) {
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    if (!A.row(i).allFinite())
      out.not_finite.push_back(name(i));
    else if (A.row(i).isZero(0.0))
      out.vanishing.push_back(name(i));
  }
}

// Signs of the kinetic energy: of all velocities, and of those that the constraints allow (Z: basis of the kernel of K).
// Scaling the coordinates changes the size of the eigenvalues but not their signs.
void find_negative_inertia(StartAnalysis& out, const Names& coordinates, MatrixXd M, MatrixXd K) {
  constexpr double kNegative = -1e-12;
  const Eigen::Index n = M.rows();
  if (n == 0 || !M.allFinite() || !K.allFinite()) return;
  VectorXd root = M.diagonal().cwiseAbs().cwiseSqrt();
  for (double& x : root) x = x > 0.0 ? 1.0 / x : 1.0;
  M = (root.asDiagonal() * M * root.asDiagonal()).eval();
  const VectorXd all = linalg::symmetric_eigen(M).values;
  out.mass_indefinite = all.minCoeff() < kNegative * all.cwiseAbs().maxCoeff();
  if (!out.mass_indefinite) return;
  MatrixXd Z = MatrixXd::Identity(n, n);
  if (K.rows() > 0) {
    K = (K * root.asDiagonal()).eval();
    for (Eigen::Index i = 0; i < K.rows(); ++i)
      if (const double size = K.row(i).norm(); size > 0.0) K.row(i) /= size;
    Z = linalg::kernel_of_rows(K, 1e-10);
    if (Z.cols() == 0) return;
  }
  const linalg::SymmetricEigen allowed = linalg::symmetric_eigen(linalg::congruent(Z, M));
  if (allowed.values(0) >= kNegative * allowed.values.cwiseAbs().maxCoeff()) return;
  const VectorXd direction = linalg::product(Z, VectorXd(allowed.vectors.col(0)));
  for (Eigen::Index i = 0; i < n; ++i)
    if (std::fabs(direction(i)) > 1e-3) out.negative_inertia.push_back(coordinates[static_cast<std::int32_t>(i)]);
}

std::vector<std::vector<NodeId>> derivatives(Graph& g, const std::vector<NodeId>& f, Space space,
                                             std::int32_t columns) {
  std::vector<std::vector<NodeId>> out;
  for (const NodeId id : f) out.push_back(scalars(g, gradient(g, id, space), columns));
  return out;
}

// Each constraint with its terms.
std::vector<Evaluator> with_terms(const Graph& g, const std::vector<NodeId>& constraints, std::int32_t n,
                                  std::int32_t m) {
  std::vector<Evaluator> out;
  for (const NodeId constraint : constraints) {
    std::vector<NodeId> nodes = {constraint};
    collect_terms(g, constraint, nodes);
    out.emplace_back(g, nodes, n, m);
  }
  return out;
}

void residuals(StartAnalysis& out, std::vector<Evaluator>& constraints, bool position,
               const std::function<std::string(std::int32_t)>& name, std::span<const double> q,
               std::span<const double> v) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const std::span<const double> x = constraints[i](0.0, q, v);
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

void residuals(StartAnalysis& out, const Graph& g, const std::vector<NodeId>& constraints, bool position,
               const std::function<std::string(std::int32_t)>& name, std::int32_t n, std::int32_t m,
               std::span<const double> q, std::span<const double> v) {
  std::vector<Evaluator> all = with_terms(g, constraints, n, m);
  residuals(out, all, position, name, q, v);
}

void analyse_odae(StartAnalysis& out, const System& system, std::span<const double> y, std::span<const double> z,
                  std::span<const double> psi, std::vector<Eigen::Index>& dependent) {
  Overdetermined o = system.odae();
  const Model& model = system.model();
  const std::int32_t n = std::max(o.ny, o.nz), m = o.m;
  const auto name = [&](std::int32_t i) { return model.constraint_names[i]; };
  residuals(out, o.graph, o.g, true, name, n, m, y, z);
  residuals(out, o.graph, o.k, false, name, n, m, y, z);
  std::vector<NodeId> both = o.g;
  both.insert(both.end(), o.k.begin(), o.k.end());
  Evaluator signed_values(o.graph, both, n, m);
  const auto x = signed_values(0.0, y, z);
  out.active.assign(static_cast<std::size_t>(m), 1);
  for (const std::int32_t c : model.odae.unilateral) {
    const auto i = static_cast<std::size_t>(c), k = i + static_cast<std::size_t>(m);
    ConstraintResidual &position = out.residuals[i], &velocity = out.residuals[k];
    const bool above = x[i] > 0.0 && position.relative > kStartTolerance;
    const bool leaving = !above && x[k] > 0.0 && velocity.relative > kStartTolerance;
    if (x[i] < 0.0 && position.relative > kStartTolerance)
      out.below.push_back(position.name);
    else if (!above && x[k] < 0.0 && velocity.relative > kStartTolerance)
      out.into.push_back(position.name);
    if (above) position.value = position.relative = 0.0;
    if (above || leaving) {
      velocity.value = velocity.relative = 0.0;
      out.active[i] = 0;
    }
  }
  out.consistent = std::all_of(out.residuals.begin(), out.residuals.end(),
                               [](const ConstraintResidual& r) { return r.relative <= kStartTolerance; });

  std::vector<std::int32_t> rows;
  for (std::int32_t c = 0; c < m; ++c)
    if (out.active[static_cast<std::size_t>(c)] != 0) rows.push_back(c);
  const MatrixXd gy =
      evaluate(o.graph, derivatives(o.graph, o.g, kPosition, o.ny), o.ny, n, m, 0.0, y, z)(rows, Eigen::all);
  const MatrixXd kz = evaluate(o.graph, derivatives(o.graph, o.k, kVelocity, o.nz), o.nz, n, m, 0.0, y, z);
  const auto r_psi = derivatives(o.graph, o.r, kMultiplier, m);
  std::vector<Eigen::Index> among;
  out.rank = row_rank(gy, among);
  for (const Eigen::Index i : among) dependent.push_back(rows[static_cast<std::size_t>(i)]);
  find_dead_rows(out, gy, [&](Eigen::Index i) { return name(rows[static_cast<std::size_t>(i)]); });
  std::vector<double> at(psi.begin(), psi.end());
  at.resize(static_cast<std::size_t>(m), 0.0);
  MatrixXd all = linalg::product(kz, evaluate(o.graph, r_psi, m, n, m, 0.0, y, z, at));
  if (!all.allFinite()) {  // |psi|^0.85 has no derivative at 0
    std::fill(at.begin(), at.end(), 1.0);
    all = linalg::product(kz, evaluate(o.graph, r_psi, m, n, m, 0.0, y, z, at));
  }
  for (const std::int32_t c : model.odae.unilateral)
    if (all(c, c) < 0.0) out.pulling.push_back(name(c));
  const MatrixXd product = all(rows, rows);
  out.saddle_regular = rows.empty() || (product.allFinite() && linalg::is_regular(product));
  out.mass_positive_definite = true;
}

}  // namespace

StartFunctions::StartFunctions(const System& system) {
  if (system.is_large() || !system.is_mechanical()) return;
  const Mechanical& f = system.mechanical();
  const auto matrix = [&](const std::vector<std::vector<NodeId>>& rows) {
    std::vector<NodeId> flat;
    for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
    return Evaluator(f.graph, flat, f.n, f.m);
  };
  positions = with_terms(f.graph, f.g, f.n, f.m);
  velocities = with_terms(f.graph, f.k, f.n, f.m);
  K.emplace(matrix(f.K));
  M.emplace(matrix(f.Lvv));
}

double StartFunctions::multiplier_scale(const Start& start) {
  double mass = 0.0, row = 0.0;
  for (const double x : (*M)(0.0, start.q, start.v)) mass = std::fmax(mass, std::fabs(x));
  for (const double x : (*K)(0.0, start.q, start.v)) row = std::fmax(row, std::fabs(x));
  return mass > 0.0 && row > 0.0 ? mass / row : 1.0;
}

namespace {

StartAnalysis analyse(const System& system, StartFunctions& functions, std::span<const double> q,
                      std::span<const double> v, std::span<const double> multipliers) {
  if (system.is_large()) return analyse_large_start(system, q, v);
  StartAnalysis out;
  const Model& model = system.model();
  const std::int32_t n = system.n(), m = system.m();
  if (system.is_port_hamiltonian()) {
    PortHamiltonian f = system.port_hamiltonian();
    const AlgebraicPart part = algebraic_part(f);
    const auto row = [&](std::int32_t i) {
      return f.states[static_cast<std::size_t>(part.constraining[static_cast<std::size_t>(i)])];
    };
    residuals(out, f.graph, part.constraints, true, row, n, m, q, {});
    out.rank = static_cast<int>(part.determining.size() + 2 * part.constraining.size());
    out.saddle_regular = system.acceleration()->solve(0.0, q, {});
    out.mass_positive_definite = true;
    return out;
  }
  const auto name = [&](std::int32_t i) { return model.multiplier_name(i); };
  std::vector<Eigen::Index> dependent;
  if (system.is_mechanical()) {
    const Mechanical& f = system.mechanical();
    residuals(out, functions.positions, true, name, q, v);
    residuals(out, functions.velocities, false, name, q, v);
    const MatrixXd K = matrix_of((*functions.K)(0.0, q, v), m, n);
    const MatrixXd M = matrix_of((*functions.M)(0.0, q, v), n, n);
    out.rank = row_rank(K, dependent);
    find_dead_rows(out, K, [&](Eigen::Index i) { return name(static_cast<std::int32_t>(i)); });
    out.mass_positive_definite = n > 0 && f.added.c.empty() && linalg::has_cholesky_factor(M) &&
                                 linalg::symmetric_eigen(M).values.minCoeff() > 0.0;
    if (!out.mass_positive_definite) find_negative_inertia(out, model.coordinates, M, K);
    // Inertia on the motions that the constraints allow: regular saddle matrix = Z^T M Z regular (K of full rank).
    MatrixXd saddle = MatrixXd::Zero(n + m, n + m);
    saddle.topLeftCorner(n, n) = M;
    saddle.topRightCorner(n, m) = K.transpose();
    saddle.bottomLeftCorner(m, n) = K;
    for (Eigen::Index i = 0; i < n + m; ++i)
      if (const double size = saddle.row(i).cwiseAbs().maxCoeff(); size > 0.0) saddle.row(i) /= size;
    for (Eigen::Index i = 0; i < n + m; ++i)
      if (const double size = saddle.col(i).cwiseAbs().maxCoeff(); size > 0.0) saddle.col(i) /= size;
    const auto [rank, kernel] = linalg::rank_and_kernel(saddle, 1e-13);
    out.saddle_regular = saddle.allFinite() && rank == n + m;
    if (!out.saddle_regular && out.rank == m) {
      for (Eigen::Index i = 0; i < n; ++i)
        if (kernel.row(i).norm() > 1e-6 * kernel.norm())
          out.without_inertia.push_back(model.coordinates[static_cast<std::int32_t>(i)]);
    }
  } else if (system.is_odae()) {
    analyse_odae(out, system, q, v, multipliers, dependent);
  } else {
    Dae f = system.dae();
    const auto constraint_name = [&](std::int32_t i) { return model.constraint_names[i]; };
    residuals(out, f.graph, f.c, true, constraint_name, n, m, q, v);
    const MatrixXd cy = evaluate(f.graph, derivatives(f.graph, f.c, kPosition, n), n, n, m, 0.0, q, {});
    const auto fz_nodes = derivatives(f.graph, f.f, kMultiplier, m);
    const MatrixXd fz = evaluate(f.graph, fz_nodes, m, n, m, 0.0, q, {}, multipliers);
    out.rank = row_rank(cy, dependent);
    find_dead_rows(out, cy, [&](Eigen::Index i) { return constraint_name(static_cast<std::int32_t>(i)); });
    const MatrixXd product = linalg::product(cy, fz);
    out.saddle_regular = m == 0 || (product.allFinite() && linalg::is_regular(product));
    out.mass_positive_definite = true;
  }
  for (const Eigen::Index i : dependent)
    out.redundant.push_back(system.is_mechanical() ? name(static_cast<std::int32_t>(i))
                                                   : model.constraint_names[static_cast<std::int32_t>(i)]);
  return out;
}

}  // namespace

StartAnalysis analyse_start(const System& system, std::span<const double> q, std::span<const double> v,
                            std::span<const double> multipliers) {
  StartFunctions functions(system);
  return analyse(system, functions, q, v, multipliers);
}

std::vector<std::string> inertia_notes(const System& system, const StartAnalysis& analysis) {
  std::vector<std::string> out;
  if (!system.is_mechanical()) return out;
  if (!system.is_large())
    if (const AddedInertia& added = system.mechanical().added; !added.c.empty()) out.push_back(to_note(added));
  if (!analysis.negative_inertia.empty())
    out.push_back(fmt::format("L_vv is negative in a motion that the constraints allow (of {})",
                              fmt::join(analysis.negative_inertia, ", ")));
  else if (analysis.mass_indefinite)
    out.emplace_back("L_vv has a negative direction, but is positive on the motions that the constraints allow");
  return out;
}

bool project_start(const System& system, std::vector<double>& q, std::vector<double>& v) {
  if (system.is_large()) return project_large_start(system, q, v);
  const std::int32_t n = std::max(system.n(), system.nv()), m = system.m();
  const auto project = [&](Graph& g, const std::vector<NodeId>& f, Space space, std::vector<double>& x) {
    if (f.empty()) return true;
    Evaluator value(g, f, n, m);
    const auto columns = static_cast<std::int32_t>(x.size());
    const auto rows = derivatives(g, f, space, columns);
    return least_norm_newton(x, [&](VectorXd& dx) {
      const auto r = value(0.0, q, v);
      const VectorXd residual = Eigen::Map<const VectorXd>(r.data(), static_cast<Eigen::Index>(r.size()));
      if (!residual.allFinite()) return false;
      dx = linalg::least_norm_solution(evaluate(g, rows, columns, n, m, 0.0, q, v), residual);
      return true;
    });
  };
  if (system.is_mechanical()) {
    Mechanical f = system.mechanical();
    return project(f.graph, f.g, kPosition, q) && project(f.graph, f.k, kVelocity, v);
  }
  if (system.is_odae()) {
    Overdetermined o = system.odae();
    // Unilateral constraints that do not act are left alone.
    const auto acting = [&](const std::vector<NodeId>& all) {
      const StartAnalysis a = analyse_start(system, q, v, system.model().z0);
      std::vector<NodeId> out;
      for (std::size_t i = 0; i < all.size(); ++i)
        if (a.active[i] != 0) out.push_back(all[i]);
      return out;
    };
    return project(o.graph, acting(o.g), kPosition, q) && project(o.graph, acting(o.k), kVelocity, v);
  }
  if (system.is_port_hamiltonian()) {
    PortHamiltonian f = system.port_hamiltonian();
    const AlgebraicPart part = algebraic_part(f);
    return project(f.graph, part.constraints, kPosition, q);
  }
  Dae f = system.dae();
  return project(f.graph, f.c, kPosition, q);
}

ContactStart odae_multipliers(const System& system, const StartAnalysis& analysis, std::span<const double> y,
                              std::span<const double> z) {
  const Model& model = system.model();
  return contact_start(system.odae(), model.odae.unilateral, analysis.active, 0.0, y, z, model.z0);
}

namespace {
// 'a', 'b' and so on; of very many the first.
std::string quoted(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  const std::size_t shown = std::min(names.size(), kShown);
  const std::string text = fmt::format("'{}'", fmt::join(names.begin(), names.begin() + shown, "', '"));
  return names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

double residual_of(const StartAnalysis& a, const std::string& name, bool position) {
  for (const ConstraintResidual& r : a.residuals)
    if (r.name == name && r.position == position) return r.value;
  return 0.0;
}
}  // namespace

namespace {

// With constraints that may depend on one another: what belongs to a subset of full rank at (q, v), and the multipliers of
// least norm of all.
Start subset_start(const System& system, Start s) {
  const auto rows = std::make_shared<Redundancy>(system, s.q, s.v);
  const int set = rows->number_of(rows->choose());
  Start part = consistent_start(*rows->subset(set).system, false);
  (void)rows->look(0.0, s.q, s.v);
  (void)rows->standing(rows->subset(set).kept);
  s.multipliers.assign(static_cast<std::size_t>(system.m()), 0.0);
  rows->spread(rows->subset(set).kept, part.multipliers, s.multipliers);
  s.acceleration = std::move(part.acceleration);
  for (std::string& note : part.notes) s.notes.push_back(std::move(note));
  system.set_redundancy(rows);
  return s;
}

// Is there no state near (q, v) that satisfies all constraints? Then what depends on the others contradicts them.
bool contradicts(const System& system, std::vector<double> q, std::vector<double> v) {
  return !project_start(system, q, v) || !analyse_start(system, q, v).consistent;
}

}  // namespace

Start consistent_start(const System& system, bool project) {
  StartFunctions functions(system);
  return consistent_start(system, project, functions);
}

Start consistent_start(const System& system, bool project, StartFunctions& functions) {
  if (system.is_port_hamiltonian()) return port_hamiltonian_start(system, project);
  const Model& model = system.model();
  Start s;
  s.q = model.q0;
  s.v = model.v0;
  StartAnalysis a = analyse(system, functions, s.q, s.v, model.z0);
  for (const ConstraintResidual& r : a.residuals)
    if (!std::isfinite(r.value))
      throw Error(fmt::format(
          "constraint '{}' has no {} at the start: found a value that is not finite (the root of 0 in a rod "
          "of length 0, for example). Start elsewhere, or write the constraint without roots",
          r.name, r.position ? "value" : "time derivative"));
  if (!a.consistent) {
    const ConstraintResidual* worst = &a.residuals.front();
    for (const ConstraintResidual& r : a.residuals)
      if (r.relative > worst->relative) worst = &r;
    if (!project && !model.project && !a.below.empty())
      throw Error(fmt::format(
          "initial state lies beyond unilateral constraint '{}', which requires g >= 0: g = {:.3e}. Correct the start, "
          "or pass --project to move it to the nearest consistent one",
          a.below.front(), -residual_of(a, a.below.front(), true)));
    if (!project && !model.project && !a.into.empty())
      throw Error(
          fmt::format("initial state touches unilateral constraint '{}' and moves into it: dg/dt = {:.3e}. Start a "
                      "little before the "
                      "impact or with dg/dt >= 0, or pass --project to remove that velocity",
                      a.into.front(), -residual_of(a, a.into.front(), false)));
    if (!project && !model.project && system.allows_redundant() &&
        std::find(a.redundant.begin(), a.redundant.end(), worst->name) != a.redundant.end() &&
        contradicts(system, s.q, s.v))
      throw Error(
          fmt::format("--redundant minimum-norm: '{}' depends on the other constraints at the start, but contradicts "
                      "them: residual {:.3e} at {} level. Correct or remove it",
                      worst->name, worst->value, worst->position ? "position" : "velocity"));
    if (!project && !model.project)
      throw Error(fmt::format(
          "initial state violates constraint '{}' at {} level: residual {:.3e} ({:.1e} of its largest term, allowed "
          "{:.0e}). "
          "Correct the start, or pass --project to move it to the nearest consistent one",
          worst->name, worst->position ? "position" : "velocity", worst->value, worst->relative, kStartTolerance));
    const std::vector<double> q = s.q, v = s.v;
    const std::string worst_name = worst->name;
    const char* const level = worst->position ? "position" : "velocity";
    const double worst_value = worst->value;
    const bool converged = project_start(system, s.q, s.v);
    a = analyse(system, functions, s.q, s.v, model.z0);
    if (!converged || !a.consistent) {
      const std::string reason =
          !a.vanishing.empty()
              ? fmt::format("the gradient of '{}' vanishes there. Start elsewhere", a.vanishing.front())
          : !a.redundant.empty()
              ? fmt::format("'{}' depends on the other constraints there and contradicts them. Correct or remove it",
                            a.redundant.front())
              : "the projection did not converge. Start closer to the constraint";
      throw Error(
          fmt::format("initial state violates constraint '{}' (residual {:.3e}), and no consistent state was found "
                      "near it: {}",
                      worst_name, worst_value, reason));
    }
    double moved = 0.0;
    for (std::size_t i = 0; i < q.size(); ++i) moved += (s.q[i] - q[i]) * (s.q[i] - q[i]);
    for (std::size_t i = 0; i < v.size(); ++i) moved += (s.v[i] - v[i]) * (s.v[i] - v[i]);
    s.notes.push_back(
        fmt::format("the start was inconsistent ('{}' at {} level: {:.3e}) and was moved by {:.3e} to the nearest "
                    "consistent one",
                    worst_name, level, worst_value, std::sqrt(moved)));
  }
  if (!a.vanishing.empty())
    throw Error(fmt::format(
        "constraint {} cannot act at the start: its gradient vanishes there (a rod of length 0, for example), so no "
        "reaction can hold it. Start elsewhere, or write the constraint in a form whose gradient is not zero",
        quoted(a.vanishing)));
  if (!a.not_finite.empty())
    throw Error(fmt::format(
        "the gradient of constraint {} is not finite at the start (the root of 0 in a rod of length 0, for example). "
        "Start elsewhere, or write the constraint without roots",
        quoted(a.not_finite)));
  if (system.allows_redundant() && (!system.has_families() || !a.redundant.empty()))
    return subset_start(system, std::move(s));
  if (!a.redundant.empty() && system.m() > system.n())
    throw Error(fmt::format(
        "{} constraints on {} coordinates cannot be independent: rank {} at the start, {} {} from the others. Remove "
        "what is redundant, or pass --redundant minimum-norm",
        system.m(), system.n(), a.rank, quoted(a.redundant), a.redundant.size() == 1 ? "follows" : "follow"));
  if (!a.redundant.empty())
    throw Error(fmt::format(
        "constraints are dependent at the start: rank {} of {}, {} {} from the others. Remove what is redundant, "
        "start where the constraints are independent{}",
        a.rank, system.m(), quoted(a.redundant), a.redundant.size() == 1 ? "follows" : "follow",
        system.is_mechanical() ? ", or pass --redundant minimum-norm" : ""));
  // A mass of exactly 0, or nearly: forces that depend on the velocity may determine what inertia does not. The first step
  // shows whether they do.
  const auto without_multipliers = [&](const std::string& where) {
    s.acceleration.assign(s.q.size(), 0.0);
    s.multipliers.assign(static_cast<std::size_t>(system.m()), 0.0);
    s.notes.push_back("a mass is 0 or nearly so" + where +
                      ": the multipliers at the start are not determined by inertia");
    return s;
  };
  const bool graded = system.graded_mass();
  if (!a.saddle_regular && graded)
    return without_multipliers(fmt::format(" (no inertia in {})", fmt::join(a.without_inertia, ", ")));
  if (!a.saddle_regular && system.is_mechanical())
    throw Error(
        fmt::format("the Lagrangian gives no inertia to a motion that the constraints allow: the matrix "
                    "[L_vv K^T; K 0] is singular at the start (in {}). Add a kinetic term for it or remove the "
                    "coordinate",
                    fmt::join(a.without_inertia, ", ")));
  if (system.is_odae()) {
    if (!a.pulling.empty())
      throw Error(
          fmt::format("the multiplier of unilateral constraint '{0}' pulls towards it: a positive psi must push g = "
                      "{0} up (g_y v_z "
                      "r_psi > 0). Change the sign of the constraint or of its multiplier in [r]",
                      a.pulling.front()));
    const ContactStart c = odae_multipliers(system, a, s.q, s.v);
    if (!c.solved)
      throw Error(
          fmt::format("the multipliers have no consistent value near their starting guess: {}. g_y v_z r_psi must be "
                      "regular; give a "
                      "better guess in [initial]",
                      c.reason));
    s.acceleration = c.acceleration;
    s.multipliers = c.psi;
    return s;
  }
  // A Lagrangian that is given as one formula may have any sign; a kinetic energy may not.
  if (!a.negative_inertia.empty() && model.kinetic)
    throw Error(
        fmt::format("the kinetic energy is negative in a motion that the constraints allow (of {}): found a negative "
                    "eigenvalue of L_vv at the start. Check the signs of the masses; if it is meant so, write the "
                    "Lagrangian as one formula, L = \"...\"",
                    fmt::join(a.negative_inertia, ", ")));
  for (std::string& note : inertia_notes(system, a)) s.notes.push_back(std::move(note));
  std::unique_ptr<Acceleration>& acceleration = functions.acceleration;
  if (!acceleration) {
    try {
      acceleration = system.acceleration();
    } catch (const Error&) {  // structurally singular although [L_vv K^T; K 0] is not
      if (!system.multiplier_forces()) throw;
      throw Error(
          "the multipliers at the start cannot be determined: a force that contains lambda(...) cancels the reaction "
          "of its constraint. Check the sign and the size of that force");
    }
  }
  std::vector<double> guess = model.z0;
  guess.resize(static_cast<std::size_t>(system.m()), 0.0);
  if (!solve_from(*acceleration, 0.0, s.q, s.v, guess)) {
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
