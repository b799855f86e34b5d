#include "system/start/start.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "linalg/decompositions.hpp"
#include "model/kind_facts.hpp"
#include "rattleback/error.hpp"
#include "system/families/family_start.hpp"
#include "system/mechanical/redundancy.hpp"
#include "system/port_hamiltonian/port_hamiltonian_start.hpp"
#include "system/start/projection.hpp"

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

std::vector<std::vector<NodeId>> derivatives(Graph& g, const std::vector<NodeId>& f, Space space,
                                             std::int32_t columns) {
  std::vector<std::vector<NodeId>> out;
  for (const NodeId id : f) out.push_back(scalars(g, gradient(g, id, space), columns));
  return out;
}

// Bounds of rounding errors: given, or those of the model's own start; one ulp at least.
std::vector<double> bounds(std::span<const double> x, std::span<const double> given, std::span<const double> own) {
  std::vector<double> out(x.size());
  const std::span<const double> more = given.size() == x.size() ? given : own;
  for (std::size_t i = 0; i < x.size(); ++i)
    out[i] = std::fmax(kUlp * std::fabs(x[i]), more.size() == x.size() ? more[i] : 0.0);
  return out;
}

}  // namespace

RoundedValues::Point as_printed(RoundedValues::Point at, std::span<const std::int32_t> angles) {
  const auto largest = [](std::span<const double> x, std::span<const std::int32_t> without) {
    double size = 0.0;
    std::vector<char> turns(x.size(), 0);
    for (const std::int32_t a : without) turns[static_cast<std::size_t>(a)] = 1;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (turns[i] == 0 && std::isfinite(x[i])) size = std::fmax(size, std::fabs(x[i]));
    return size;
  };
  at.q_floor = kUlp * largest(at.q, angles);
  at.v_floor = kUlp * largest(at.v, {});
  return at;
}

void add_bounds(const Model& model, Start& s) {
  s.q_error = bounds(s.q, s.q_error, model.q0_error);
  s.v_error = bounds(s.v, s.v_error, model.v0_error);
}

namespace {

// A state with its bounds.
struct Judged {
  Judged(const System& system, std::span<const double> positions, std::span<const double> velocities,
         std::span<const double> q_given, std::span<const double> v_given)
      : q(positions),
        v(velocities),
        q_error(bounds(q, q_given, system.model().q0_error)),
        v_error(bounds(v, v_given, system.model().v0_error)),
        angles(system.model().angles) {}
  Judged(const System& system, const Start& s) : Judged(system, s.q, s.v, s.q_error, s.v_error) {}
  [[nodiscard]] RoundedValues::Point point() const { return {q, v, q_error, v_error}; }
  [[nodiscard]] RoundedValues::Point as_printed() const { return rattleback::as_printed(point(), angles); }

  std::span<const double> q, v;
  std::vector<double> q_error, v_error;
  std::span<const std::int32_t> angles;
};

using NameOf = std::function<std::string(std::int32_t)>;

void residuals(StartAnalysis& out, RoundedValues& constraints, std::size_t count, bool position, const NameOf& name,
               const Judged& at) {
  constraints.evaluate(at.point());
  for (std::size_t i = 0; i < count; ++i) {
    const Rounded x = constraints[i];
    out.residuals.push_back({name(static_cast<std::int32_t>(i)), position, std::fabs(x.value), kStartUlps * x.error});
  }
  const std::span<ConstraintResidual> mine = std::span(out.residuals).last(count);
  const auto fine = [](const ConstraintResidual& r) { return r.is_rounding(); };
  if (!std::all_of(mine.begin(), mine.end(), fine)) {
    constraints.evaluate(at.as_printed());
    for (std::size_t i = 0; i < count; ++i) mine[i].excuse(kStartUlps * constraints[i].error);
  }
  out.consistent = out.consistent && std::all_of(mine.begin(), mine.end(), fine);
}

void residuals(StartAnalysis& out, const Graph& g, const std::vector<NodeId>& constraints, bool position,
               const NameOf& name, const Judged& at) {
  RoundedValues all(g, constraints);
  residuals(out, all, constraints.size(), position, name, at);
}

void analyse_odae(StartAnalysis& out, const System& system, const Judged& point, std::span<const double> psi,
                  std::vector<Eigen::Index>& dependent) {
  Overdetermined o = system.odae();
  const Model& model = system.model();
  const std::int32_t n = std::max(o.ny, o.nz), m = o.m;
  const std::span<const double> y = point.q, z = point.v;
  const auto name = [&](std::int32_t i) { return model.constraint_names[i]; };
  residuals(out, o.graph, o.g, true, name, point);
  residuals(out, o.graph, o.k, false, name, point);
  std::vector<NodeId> both = o.g;
  both.insert(both.end(), o.k.begin(), o.k.end());
  Evaluator signed_values(o.graph, both, n, m);
  const auto x = signed_values(0.0, y, z);
  out.active.assign(static_cast<std::size_t>(m), 1);
  for (const std::int32_t c : model.odae.unilateral) {
    const auto i = static_cast<std::size_t>(c), k = i + static_cast<std::size_t>(m);
    ConstraintResidual &position = out.residuals[i], &velocity = out.residuals[k];
    const bool above = x[i] > 0.0 && !position.is_rounding();
    const bool leaving = !above && x[k] > 0.0 && !velocity.is_rounding();
    if (x[i] < 0.0 && !position.is_rounding())
      out.below.push_back(position.name);
    else if (!above && x[k] < 0.0 && !velocity.is_rounding())
      out.into.push_back(position.name);
    if (above) position.value = 0.0;
    if (above || leaving) {
      velocity.value = 0.0;
      out.active[i] = 0;
    }
  }
  out.consistent = std::all_of(out.residuals.begin(), out.residuals.end(),
                               [](const ConstraintResidual& r) { return r.is_rounding(); });

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
  positions.emplace(f.graph, f.g);
  velocities.emplace(f.graph, f.k);
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

StartAnalysis analyse(const System& system, StartFunctions& functions, const Judged& at,
                      std::span<const double> multipliers) {
  const std::span<const double> q = at.q, v = at.v;
  if (system.is_large()) return analyse_large_start(system, at.point());
  StartAnalysis out;
  const Model& model = system.model();
  const std::int32_t n = system.n(), m = system.m();
  if (system.is_port_hamiltonian()) {
    PortHamiltonian f = system.port_hamiltonian();
    const AlgebraicPart part = algebraic_part(f);
    const auto row = [&](std::int32_t i) {
      return f.states[static_cast<std::size_t>(part.constraining[static_cast<std::size_t>(i)])];
    };
    residuals(out, f.graph, part.constraints, true, row, at);
    out.rank = static_cast<int>(part.determining.size() + 2 * part.constraining.size());
    out.saddle_regular = system.acceleration()->solve(0.0, q, {});
    out.mass_positive_definite = true;
    return out;
  }
  const auto name = [&](std::int32_t i) { return model.multiplier_name(i); };
  std::vector<Eigen::Index> dependent;
  if (system.is_mechanical()) {
    const Mechanical& f = system.mechanical();
    residuals(out, *functions.positions, f.g.size(), true, name, at);
    residuals(out, *functions.velocities, f.k.size(), false, name, at);
    const MatrixXd K = matrix_of((*functions.K)(0.0, q, v), m, n);
    const MatrixXd M = matrix_of((*functions.M)(0.0, q, v), n, n);
    out.rank = row_rank(K, dependent);
    find_dead_rows(out, K, [&](Eigen::Index i) { return name(static_cast<std::int32_t>(i)); });
    const VectorXd root = to_unit_inertia(M);
    out.mass_positive_definite =
        n > 0 && f.added.c.empty() && linalg::has_cholesky_factor(M) &&
        linalg::symmetric_eigen(root.asDiagonal() * M * root.asDiagonal()).values.minCoeff() > 0.0;
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
      for (Eigen::Index i = 0; i < m && out.without_inertia.empty(); ++i)
        if (kernel.row(n + i).norm() > 1e-2 * kernel.norm())
          out.nearly_dependent.push_back(name(static_cast<std::int32_t>(i)));
    }
  } else if (system.is_odae()) {
    analyse_odae(out, system, at, multipliers, dependent);
  } else {
    Dae f = system.dae();
    const auto named = [&](std::int32_t i) { return constraint_name(model, i); };
    residuals(out, f.graph, f.c, true, named, at);
    const MatrixXd cy = evaluate(f.graph, derivatives(f.graph, f.c, kPosition, n), n, n, m, 0.0, q, {});
    const auto fz_nodes = derivatives(f.graph, f.f, kMultiplier, m);
    const MatrixXd fz = evaluate(f.graph, fz_nodes, m, n, m, 0.0, q, {}, multipliers);
    out.rank = row_rank(cy, dependent);
    find_dead_rows(out, cy, [&](Eigen::Index i) { return named(static_cast<std::int32_t>(i)); });
    const MatrixXd product = linalg::product(cy, fz);
    out.saddle_regular = m == 0 || (product.allFinite() && linalg::is_regular(product));
    out.mass_positive_definite = true;
  }
  for (const Eigen::Index i : dependent) out.redundant.push_back(constraint_name(model, static_cast<std::int32_t>(i)));
  return out;
}

}  // namespace

StartAnalysis analyse_start(const System& system, std::span<const double> q, std::span<const double> v,
                            std::span<const double> multipliers) {
  StartFunctions functions(system);
  return analyse(system, functions, Judged(system, q, v, {}, {}), multipliers);
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
  if (!system.is_mechanical()) return out;
  const AddedInertia& added = system.is_large() ? system.families().added : system.mechanical().added;
  if (!added.c.empty()) out.push_back(to_note(added));
  if (!analysis.negative_inertia.empty())
    out.push_back(fmt::format("L_vv is negative in a motion that the constraints allow (of {})",
                              fmt::join(analysis.negative_inertia, ", ")));
  else if (analysis.mass_indefinite)
    out.emplace_back("L_vv has a negative direction, but is positive on the motions that the constraints allow");
  return out;
}

namespace {
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
    Metric out{matrix_of((*values_)(0.0, s.q, s.v), n_, n_), {}};
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
    const MatrixXd scaled = linalg::product(J, to_);
    for (Eigen::Index i = 0; i < rows_; ++i)
      if (const double size = scaled.row(i).norm(); size > 0.0) scale_(i) = 1.0 / size;
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
    const auto r = value_(0.0, state_.q, state_.v);
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
    MatrixXd A(rows_ + J_.cols(), J_.cols());
    A << J_, std::sqrt(mu) * MatrixXd::Identity(J_.cols(), J_.cols());
    VectorXd b = VectorXd::Zero(A.rows());
    b.head(rows_) = -r;
    return linalg::product(to_, linalg::least_norm_solution(A, b));
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
  static std::vector<NodeId> flat(const std::vector<std::vector<NodeId>>& rows) {
    std::vector<NodeId> out;
    for (const auto& row : rows) out.insert(out.end(), row.begin(), row.end());
    return out;
  }
  MatrixXd jacobian() {
    return matrix_of(slope_(0.0, state_.q, state_.v), rows_, static_cast<Eigen::Index>(x_.size()))(Eigen::all, free_);
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
    residuals(a, g, f, space == kPosition, name, Judged(system, s));
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

}  // namespace

Projected project_start(const System& system, Start& s) {
  if (system.is_large()) return project_large_start(system, s);
  const Model& model = system.model();
  const auto euclidean = [] { return Metric{}; };
  const auto outcome = [](const std::string& why) { return Projected{why.empty(), why}; };
  if (system.is_mechanical()) {
    Mechanical f = system.mechanical();
    const auto name = [&](std::int32_t i) { return model.multiplier_name(i); };
    std::optional<KineticMetric> made;
    const auto kinetic = [&] {
      if (!made) made.emplace(model);
      return (*made)(s);
    };
    const std::string why = project_level(system, f.graph, f.g, kPosition, s, name, kinetic);
    return outcome(why.empty() ? project_level(system, f.graph, f.k, kVelocity, s, name, kinetic) : why);
  }
  if (system.is_odae()) {
    Overdetermined o = system.odae();
    // Unilateral constraints that do not act are left alone.
    const auto level = [&](const std::vector<NodeId>& all, Space space) {
      const StartAnalysis a = analyse_start(system, s, model.z0);
      std::vector<NodeId> acting;
      std::vector<std::int32_t> which;
      for (std::size_t i = 0; i < all.size(); ++i)
        if (a.active[i] != 0) {
          acting.push_back(all[i]);
          which.push_back(static_cast<std::int32_t>(i));
        }
      const auto name = [&](std::int32_t i) { return model.constraint_names[which[static_cast<std::size_t>(i)]]; };
      return project_level(system, o.graph, acting, space, s, name, euclidean);
    };
    const std::string why = level(o.g, kPosition);
    return outcome(why.empty() ? level(o.k, kVelocity) : why);
  }
  if (system.is_port_hamiltonian()) {
    PortHamiltonian f = system.port_hamiltonian();
    const AlgebraicPart part = algebraic_part(f);
    const auto row = [&](std::int32_t i) {
      return f.states[static_cast<std::size_t>(part.constraining[static_cast<std::size_t>(i)])];
    };
    return outcome(project_level(system, f.graph, part.constraints, kPosition, s, row, euclidean));
  }
  Dae f = system.dae();
  const auto name = [&](std::int32_t i) { return model.constraint_names[i]; };
  return outcome(project_level(system, f.graph, f.c, kPosition, s, name, euclidean));
}

Projected project_start(const System& system, std::vector<double>& q, std::vector<double>& v) {
  Start s;
  s.q = q;
  s.v = v;
  Projected out = project_start(system, s);
  q = s.q;
  v = s.v;
  return out;
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
  if (!s.q_error.empty()) {  // a start that was projected is as good as the projection left it
    rows->subset(set).model->q0_error = s.q_error;
    rows->subset(set).model->v0_error = s.v_error;
  }
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
  return !project_start(system, q, v);
}

}  // namespace

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
  StartAnalysis a = analyse(system, functions, Judged(system, s), model.z0);
  for (const ConstraintResidual& r : a.residuals)
    if (!std::isfinite(r.value))
      throw Error(fmt::format(
          "constraint '{}' has no {} at the start: found a value that is not finite (the root of 0 in a rod "
          "of length 0, for example). Start elsewhere, or write the constraint without roots",
          r.name, r.position ? "value" : "time derivative"));
  if (!a.consistent) {
    const ConstraintResidual* worst = &a.residuals.front();
    for (const ConstraintResidual& r : a.residuals)
      if (r.excess() > worst->excess()) worst = &r;
    // Of a wrong position the velocity level is off, too, so the position is named.
    for (const ConstraintResidual& r : a.residuals)
      if (r.name == worst->name && r.position && !r.is_rounding()) worst = &r;
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
    if (!project && !model.project && system.allows_redundant() && worst_of_dependent(a) != nullptr &&
        contradicts(system, s.q, s.v))
      throw Error("--redundant minimum-norm: " + contradiction_text(*worst_of_dependent(a)));
    if (!project && !model.project)
      throw Error(fmt::format(
          "initial state violates constraint '{}' at {} level: residual {:.3e}, where rounding explains {:.1e}. "
          "Correct the start, or pass --project to move it to the nearest consistent one",
          worst->name, worst->position ? "position" : "velocity", worst->value, worst->allowed));
    const std::vector<double> q = s.q, v = s.v;
    const std::string worst_name = worst->name;
    const char* const level = worst->position ? "position" : "velocity";
    const double worst_value = worst->value;
    const Projected projected = project_start(system, s);
    a = analyse(system, functions, Judged(system, s), model.z0);
    if (!projected)
      throw Error(
          fmt::format("initial state violates constraint '{}' (residual {:.3e}), and no consistent state was found "
                      "near it: {}",
                      worst_name, worst_value,
                      !a.vanishing.empty()
                          ? fmt::format("the gradient of '{}' vanishes there. Start elsewhere", a.vanishing.front())
                          : projected.why));
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
  if (!a.nearly_dependent.empty())
    throw Error(
        fmt::format("the multipliers at the start cannot be determined: {}. Leave one of them out, or start where "
                    "they differ",
                    nearly_dependent_text(a)));
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
