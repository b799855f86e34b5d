// How a start is judged: residuals, rank and inertia there, for each kind of system.
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

MatrixXd evaluate(const Graph& g, const std::vector<std::vector<NodeId>>& rows, std::int32_t columns, std::int32_t n,
                  std::int32_t m, double t, std::span<const double> q, std::span<const double> v,
                  std::span<const double> multipliers = {}) {
  Evaluator e(g, flat(rows), n, m);
  return matrix_of(e(t, q, v, multipliers), static_cast<Eigen::Index>(rows.size()), columns);
}

// Rank of the rows of A; those that depend on others go to `dependent`.
int row_rank(const MatrixXd& A, std::vector<Eigen::Index>& dependent) {
  dependent = linalg::dependent_rows(A, kDependentRow);
  return static_cast<int>(A.rows()) - static_cast<int>(dependent.size());
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

// Scales that give each coordinate unit inertia: they change the size of eigenvalues but not their signs.
VectorXd to_unit_inertia(const MatrixXd& M) {
  VectorXd root = M.diagonal().cwiseAbs().cwiseSqrt();
  for (double& x : root) x = x > 0.0 ? 1.0 / x : 1.0;
  return root;
}

// Signs of the kinetic energy: of all velocities, and of those that the constraints allow (Z: basis of the kernel of K).
void find_negative_inertia(StartAnalysis& out, const Names& coordinates, MatrixXd M, MatrixXd K) {
  constexpr double kNegative = -1e-12;
  const Eigen::Index n = M.rows();
  if (n == 0 || !M.allFinite() || !K.allFinite()) return;
  const VectorXd root = to_unit_inertia(M);
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

// Which unilateral constraints act, and which of those that do not hold are violated.
void find_active(StartAnalysis& out, const Model& model, std::span<const double> g, std::span<const double> k) {
  const std::size_t m = g.size();
  out.active.assign(m, 1);
  for (const std::int32_t c : model.odae.unilateral) {
    const auto i = static_cast<std::size_t>(c);
    ConstraintResidual &position = out.residuals[i], &velocity = out.residuals[i + m];
    const bool above = g[i] > 0.0 && !position.is_rounding();
    const bool leaving = !above && k[i] > 0.0 && !velocity.is_rounding();
    if (g[i] < 0.0 && !position.is_rounding())
      out.below.push_back(position.name);
    else if (!above && k[i] < 0.0 && !velocity.is_rounding())
      out.into.push_back(position.name);
    if (above) position.value = 0.0;
    if (above || leaving) {
      velocity.value = 0.0;
      out.active[i] = 0;
    }
  }
  out.consistent = std::all_of(out.residuals.begin(), out.residuals.end(),
                               [](const ConstraintResidual& r) { return r.is_rounding(); });
}

void analyse_odae(StartAnalysis& out, const System& system, Overdetermined o, const Judged& point,
                  std::span<const double> psi, std::vector<Eigen::Index>& dependent) {
  const Model& model = system.model();
  const std::int32_t n = std::max(o.ny, o.nz), m = o.m;
  const std::span<const double> y = point.q, z = point.v;
  const auto name = [&](std::int32_t i) { return model.constraint_names[i]; };
  add_residuals(out, o.graph, o.g, true, name, point);
  add_residuals(out, o.graph, o.k, false, name, point);
  std::vector<NodeId> both = o.g;
  both.insert(both.end(), o.k.begin(), o.k.end());
  Evaluator signed_values(o.graph, both, n, m);
  const auto x = signed_values(point.t, y, z);
  find_active(out, model, x.first(o.g.size()), x.subspan(o.g.size()));

  std::vector<std::int32_t> rows;
  for (std::int32_t c = 0; c < m; ++c)
    if (out.active[static_cast<std::size_t>(c)] != 0) rows.push_back(c);
  const MatrixXd gy =
      evaluate(o.graph, derivatives(o.graph, o.g, kPosition, o.ny), o.ny, n, m, point.t, y, z)(rows, Eigen::all);
  const MatrixXd kz = evaluate(o.graph, derivatives(o.graph, o.k, kVelocity, o.nz), o.nz, n, m, point.t, y, z);
  const auto r_psi = derivatives(o.graph, o.r, kMultiplier, m);
  std::vector<Eigen::Index> among;
  out.rank = row_rank(gy, among);
  for (const Eigen::Index i : among) dependent.push_back(rows[static_cast<std::size_t>(i)]);
  find_dead_rows(out, gy, [&](Eigen::Index i) { return name(rows[static_cast<std::size_t>(i)]); });
  std::vector<double> at(psi.begin(), psi.end());
  at.resize(static_cast<std::size_t>(m), 0.0);
  // z' = p_z^-1 (f + r - ...)
  const auto by_mass = [&](MatrixXd pushes) {
    if (o.p.empty()) return pushes;
    const MatrixXd p_z = evaluate(o.graph, derivatives(o.graph, o.p, kVelocity, o.nz), o.nz, n, m, point.t, y, z);
    for (Eigen::Index c = 0; c < pushes.cols(); ++c) pushes.col(c) = linalg::solve(p_z, pushes.col(c));
    return pushes;
  };
  const auto product_of = [&] {
    return linalg::product(kz, by_mass(evaluate(o.graph, r_psi, m, n, m, point.t, y, z, at)));
  };
  MatrixXd all = product_of();
  if (!all.allFinite()) {  // |psi|^0.85 has no derivative at 0
    std::fill(at.begin(), at.end(), 1.0);
    all = product_of();
  }
  for (const std::int32_t c : model.odae.unilateral)
    if (all(c, c) < 0.0) out.pulling.push_back(name(c));
  const MatrixXd product = all(rows, rows);
  out.saddle_regular = rows.empty() || (product.allFinite() && linalg::is_regular(product));
  out.mass_positive_definite = true;
}

void analyse_port_hamiltonian(StartAnalysis& out, const System& system, PortHamiltonian f, const Judged& at) {
  const AlgebraicPart part = algebraic_part(f);
  const auto row = [&](std::int32_t i) {
    return f.states[static_cast<std::size_t>(part.constraining[static_cast<std::size_t>(i)])];
  };
  add_residuals(out, f.graph, part.constraints, true, row, at);
  out.rank = static_cast<int>(part.determining.size() + 2 * part.constraining.size());
  out.saddle_regular = system.acceleration()->solve(at.t, at.q, {});
  out.mass_positive_definite = true;
}

// Inertia on the motions that the constraints allow: regular saddle matrix = Z^T M Z regular (K of full rank).
void analyse_saddle(StartAnalysis& out, const Model& model, const MatrixXd& M, const MatrixXd& K) {
  const Eigen::Index n = M.rows(), m = K.rows();
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
  if (out.saddle_regular || out.rank != m) return;
  for (Eigen::Index i = 0; i < n; ++i)
    if (kernel.row(i).norm() > 1e-6 * kernel.norm())
      out.without_inertia.push_back(model.coordinates[static_cast<std::int32_t>(i)]);
  for (Eigen::Index i = 0; i < m && out.without_inertia.empty(); ++i)
    if (kernel.row(n + i).norm() > 1e-2 * kernel.norm())
      out.nearly_dependent.push_back(model.multiplier_name(static_cast<std::int32_t>(i)));
}

void analyse_mechanical(StartAnalysis& out, const System& system, StartFunctions& functions, const Judged& at,
                        std::vector<Eigen::Index>& dependent) {
  const Model& model = system.model();
  const Mechanical& f = system.mechanical();
  const std::int32_t n = system.n(), m = system.m();
  const auto name = [&](std::int32_t i) { return model.multiplier_name(i); };
  add_residuals(out, *functions.positions, f.g.size(), true, name, at);
  add_residuals(out, *functions.velocities, f.k.size(), false, name, at);
  const MatrixXd K = matrix_of((*functions.K)(at.t, at.q, at.v), m, n);
  const MatrixXd M = matrix_of((*functions.M)(at.t, at.q, at.v), n, n);
  out.rank = row_rank(K, dependent);
  find_dead_rows(out, K, [&](Eigen::Index i) { return name(static_cast<std::int32_t>(i)); });
  const VectorXd root = to_unit_inertia(M);
  out.mass_positive_definite =
      n > 0 && f.added.c.empty() && linalg::has_cholesky_factor(M) &&
      linalg::symmetric_eigen(root.asDiagonal() * M * root.asDiagonal()).values.minCoeff() > 0.0;
  if (!out.mass_positive_definite) find_negative_inertia(out, model.coordinates, M, K);
  analyse_saddle(out, model, M, K);
}

void analyse_dae(StartAnalysis& out, const System& system, Dae f, const Judged& at, std::span<const double> multipliers,
                 std::vector<Eigen::Index>& dependent) {
  const std::int32_t n = system.n(), m = system.m();
  const auto name = [&](std::int32_t i) { return system.model().constraint_names[i]; };
  add_residuals(out, f.graph, f.c, true, name, at);
  const MatrixXd cy = evaluate(f.graph, derivatives(f.graph, f.c, kPosition, n), n, n, m, at.t, at.q, {});
  const auto fz_nodes = derivatives(f.graph, f.f, kMultiplier, m);
  const MatrixXd fz = evaluate(f.graph, fz_nodes, m, n, m, at.t, at.q, {}, multipliers);
  out.rank = row_rank(cy, dependent);
  find_dead_rows(out, cy, [&](Eigen::Index i) { return name(static_cast<std::int32_t>(i)); });
  const MatrixXd product = linalg::product(cy, fz);
  out.saddle_regular = m == 0 || (product.allFinite() && linalg::is_regular(product));
  out.mass_positive_definite = true;
}

}  // namespace

StartFunctions::StartFunctions(const System& system) {
  const auto* const mechanical = system.as<Mechanical>();
  if (mechanical == nullptr) return;
  const Mechanical& f = *mechanical;
  const auto matrix = [&](const std::vector<std::vector<NodeId>>& rows) {
    return Evaluator(f.graph, flat(rows), f.n, f.m);
  };
  positions.emplace(f.graph, f.g);
  velocities.emplace(f.graph, f.k);
  K.emplace(matrix(f.K));
  M.emplace(matrix(f.Lvv));
}

bool StartFunctions::take_parameters(std::span<const double> values) {
  for (std::optional<Evaluator>* const each : {&K, &M})
    if (*each) (*each)->set_parameters(values);
  return !acceleration || acceleration->set_parameters(values);
}

double StartFunctions::multiplier_scale(const Start& start) {
  double mass = 0.0, row = 0.0;
  for (const double x : (*M)(start.t, start.q, start.v)) mass = std::fmax(mass, std::fabs(x));
  for (const double x : (*K)(start.t, start.q, start.v)) row = std::fmax(row, std::fabs(x));
  return mass > 0.0 && row > 0.0 ? mass / row : 1.0;
}

StartAnalysis analyse(const System& system, StartFunctions& functions, const Judged& at,
                      std::span<const double> multipliers) {
  if (system.is_large()) return analyse_large_start(system, at.point());
  StartAnalysis out;
  std::vector<Eigen::Index> dependent;
  system.visit(Cases{
      [&](const Mechanical&) { analyse_mechanical(out, system, functions, at, dependent); },
      [&](const Dae& f) { analyse_dae(out, system, f, at, multipliers, dependent); },
      [&](const Overdetermined& f) { analyse_odae(out, system, f, at, multipliers, dependent); },
      [&](const SkewGradient&) { analyse_dae(out, system, system.dae(), at, multipliers, dependent); },
      [&](const PortHamiltonian& f) { analyse_port_hamiltonian(out, system, f, at); },
  });
  for (const Eigen::Index i : dependent)
    out.redundant.push_back(constraint_name(system.model(), static_cast<std::int32_t>(i)));
  return out;
}

StartAnalysis analyse_start(const System& system, std::span<const double> q, std::span<const double> v,
                            std::span<const double> multipliers) {
  StartFunctions functions(system);
  return analyse(system, functions, Judged(system, system.model().t0, q, v, {}, {}), multipliers);
}

StartAnalysis analyse_start(const System& system, const Start& start, std::span<const double> multipliers) {
  StartFunctions functions(system);
  return analyse(system, functions, Judged(system, start), multipliers);
}

std::string nearly_dependent_text(const StartAnalysis& analysis) {
  return fmt::format(
      "'{}' are so nearly dependent that in 16 digits the matrix [L_vv K^T; K 0] is singular at the start, though "
      "their "
      "rank is full",
      fmt::join(analysis.nearly_dependent, "', '"));
}

std::vector<std::string> inertia_notes(const System& system, const StartAnalysis& analysis) {
  std::vector<std::string> out;
  const auto* const large = system.as<FamilyMechanical>();
  const auto* const single = system.as<Mechanical>();
  if (large == nullptr && single == nullptr) return out;
  const AddedInertia& added = large != nullptr ? large->added : single->added;
  if (!added.c.empty()) out.push_back(to_note(added));
  if (!analysis.negative_inertia.empty())
    out.push_back(fmt::format("L_vv is negative in a motion that the constraints allow (of {})",
                              fmt::join(analysis.negative_inertia, ", ")));
  else if (analysis.mass_indefinite)
    out.emplace_back("L_vv has a negative direction, but is positive on the motions that the constraints allow");
  return out;
}

const ConstraintResidual* worst_of_dependent(const StartAnalysis& a) {
  const ConstraintResidual* worst = nullptr;
  for (const ConstraintResidual& r : a.residuals)
    if (worst == nullptr || r.excess() > worst->excess()) worst = &r;
  if (worst == nullptr || worst->is_rounding()) return nullptr;
  return std::find(a.redundant.begin(), a.redundant.end(), worst->name) != a.redundant.end() ? worst : nullptr;
}

std::string contradiction_text(const ConstraintResidual& r) {
  return fmt::format(
      "'{}' depends on the other constraints at the start, but contradicts them: residual {:.3e} at {} level. Correct "
      "or remove it",
      r.name, r.value, r.position ? "position" : "velocity");
}

ContactStart odae_multipliers(const System& system, const StartAnalysis& analysis, std::span<const double> y,
                              std::span<const double> z) {
  const Model& model = system.model();
  return contact_start(*system.as<Overdetermined>(), model.odae.unilateral, analysis.active, 0.0, y, z, model.z0);
}

}  // namespace rattleback
