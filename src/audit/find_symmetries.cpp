#include "audit/find_symmetries.hpp"

#include <algorithm>
#include <cmath>

#include "audit/affine_field.hpp"
#include "audit/moved_points.hpp"
#include "expr/evaluator.hpp"
#include "expr/terms.hpp"
#include "linalg/decompositions.hpp"

namespace rattleback {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd as_vector(std::span<const double> x) {
  return Eigen::Map<const VectorXd>(x.data(), static_cast<Index>(x.size()));
}

// Rows of length one; those that are 0 or have no value are left out.
MatrixXd unit_rows(const std::vector<VectorXd>& rows, Index columns) {
  MatrixXd out(static_cast<Index>(rows.size()), columns);
  Index count = 0;
  for (const VectorXd& row : rows)
    if (const double size = row.norm(); size > 0.0 && std::isfinite(size)) out.row(count++) = row.transpose() / size;
  return out.topRows(count);
}

// What each row maps to 0, as rows. Unknowns are counted in units in which they matter alike.
MatrixXd null_space(MatrixXd rows, double threshold) {
  const Index n = rows.cols();
  if (rows.rows() == 0) return MatrixXd::Identity(n, n);
  VectorXd scale = VectorXd::Ones(n);
  for (Index j = 0; j < n; ++j)
    if (const double size = rows.col(j).norm(); size > 0.0) scale(j) = 1.0 / size;
  rows = rows * scale.asDiagonal();
  return (scale.asDiagonal() * linalg::kernel_of_rows(rows, threshold)).transpose();
}

// Momenta that are known, as numbers at some states.
class Momenta {
 public:
  Momenta(SymmetryJudge& judge, std::vector<Start> states) : judge_(judge), states_(std::move(states)) {}

  // False where the momentum of xi is 0 in all states, or follows from those before it.
  bool add(const std::vector<NodeId>& xi) {
    constexpr double kNew = 1e-7;
    Graph& g = judge_.graph();
    NodeId J = g.zero(), terms = g.zero();
    for (std::size_t i = 0; i < xi.size(); ++i) {
      const NodeId term = g.mul(judge_.momentum()[i], xi[i]);
      J = g.add(J, term);
      terms = g.add(terms, g.mul(g.unary(Op::abs, judge_.momentum()[i]), moved(xi[i])));
    }
    if (g.is_constant(J, 0.0)) return false;
    const NodeId both[] = {J, terms};
    Evaluator value(g, both, judge_.n(), 0);
    VectorXd rest(static_cast<Index>(states_.size())), sizes(rest.size());
    for (std::size_t k = 0; k < states_.size(); ++k) {
      const auto x = value(states_[k].t, states_[k].q, states_[k].v);
      const bool finite = std::isfinite(x[0]) && std::isfinite(x[1]);
      rest(static_cast<Index>(k)) = finite ? x[0] : 0.0;
      sizes(static_cast<Index>(k)) = finite ? x[1] : 0.0;
    }
    const double size = rest.norm();
    if (!(size > kNew * sizes.norm())) return false;
    rest /= size;
    for (int twice = 0; twice < 2; ++twice)
      for (const VectorXd& known : known_) rest -= known.dot(rest) * known;
    if (rest.norm() < kNew) return false;
    known_.push_back(rest.normalized());
    return true;
  }

 private:
  // The size of what cancels in a component of a field.
  NodeId moved(NodeId component) {
    Graph& g = judge_.graph();
    std::vector<NodeId> terms;
    collect_terms(g, component, terms);
    NodeId sum = g.zero();
    for (const NodeId term : terms) sum = g.add(sum, g.unary(Op::abs, term));
    return sum;
  }

  SymmetryJudge& judge_;
  std::vector<Start> states_;
  std::vector<VectorXd> known_;
};

class Finder {
 public:
  Finder(SymmetryJudge& judge, const Model& model) : judge_(judge), model_(model), n_(judge.n()) {}

  std::vector<FoundField> find(const std::vector<std::vector<NodeId>>& named) {
    const std::vector<Candidate> all = judge_.n() <= kMostForAffine ? affine() : usual();
    std::vector<Candidate> kept = all;
    if (judge_.n() <= kMostForAffine && !all.empty() && !(judge_.held().empty() && judge_.pushed().empty()))
      kept = judged(readable_basis(allowed(all), n_));
    std::vector<std::pair<std::vector<NodeId>, bool>> known;
    for (const auto& xi : named)
      if (const SymmetryVerdict verdict = judge_(xi); verdict.of_lagrangian)
        known.emplace_back(xi, verdict.conserved());

    // A field that vanishes where the constraints hold has a momentum that is 0 there: nobody wants to hear that it is kept.
    const std::size_t states = all.size() + named.size() + 8;
    std::vector<Start> anywhere;
    for (std::size_t k = 0; k < states; ++k) anywhere.push_back(judge_.anywhere());
    const std::vector<Start>& there = judge_.held().empty() ? anywhere : judge_.on_constraints(states);
    Momenta on_constraints(judge_, there.empty() ? anywhere : there), momenta(judge_, anywhere);
    std::vector<FoundField> out;
    for (const bool conserved : {true, false}) {
      for (const auto& [xi, is_conserved] : known)
        if (is_conserved == conserved) {
          momenta.add(xi);
          if (conserved) on_constraints.add(xi);
        }
      for (const Candidate& c : conserved ? kept : all) {
        if (c.verdict.conserved() != conserved || (conserved && !on_constraints.add(c.xi))) continue;
        if (momenta.add(c.xi) || conserved) out.push_back({c.field.text(model_.coordinates), conserved});
      }
    }
    return out;
  }

 private:
  struct Candidate {
    AffineField field;
    std::vector<NodeId> xi;
    SymmetryVerdict verdict;
  };

  Candidate judged(AffineField field) {
    std::vector<NodeId> xi = field.nodes(judge_.graph());
    const SymmetryVerdict verdict = judge_.keeps_lagrangian(xi) ? judge_(xi) : SymmetryVerdict{};
    return {std::move(field), std::move(xi), verdict};
  }
  // Those that are symmetries of L.
  std::vector<Candidate> judged(const std::vector<VectorXd>& rows) {
    std::vector<Candidate> out;
    for (const VectorXd& row : rows)
      if (Candidate c = judged(AffineField::of(row, n_)); c.verdict.of_lagrangian) out.push_back(std::move(c));
    return out;
  }

  // All affine fields under which L is invariant.
  std::vector<Candidate> affine() {
    const MatrixXd conditions = conditions_of_lagrangian();
    std::vector<Candidate> best;
    // What is invariant but for very little spoils the basis; then less passes.
    for (const double threshold : {1e-10, 1e-13}) {
      const std::vector<VectorXd> rows = readable_basis(null_space(conditions, threshold), n_);
      std::vector<Candidate> found = judged(rows);
      const bool all = found.size() == rows.size();
      if (found.size() > best.size()) best = std::move(found);
      if (all) break;
    }
    return best;
  }

  MatrixXd conditions_of_lagrangian() {
    const Index unknowns = n_ * n_ + n_;
    std::vector<NodeId> functions = judge_.slope();
    functions.insert(functions.end(), judge_.momentum().begin(), judge_.momentum().end());
    Evaluator value(judge_.graph(), functions, judge_.n(), 0);
    std::vector<VectorXd> rows;
    for (Index k = 0; k < unknowns + 16; ++k) {
      const Start s = judge_.anywhere();
      const VectorXd x = as_vector(value(s.t, s.q, s.v)), q = as_vector(s.q), v = as_vector(s.v);
      VectorXd row(unknowns);
      for (Index i = 0; i < n_; ++i) row.segment(i * n_, n_) = x(i) * q + x(n_ + i) * v;
      row.tail(n_) = x.head(n_);
      rows.push_back(std::move(row));
    }
    // A whole turn leads back to the same place, so a field does not grow with an angle.
    for (const std::int32_t angle : model_.angles)
      for (Index i = 0; i < n_; ++i) rows.push_back(VectorXd::Unit(unknowns, i * n_ + angle));
    return unit_rows(rows, unknowns);
  }

  // Combinations of these fields along which nothing is held or pushed.
  MatrixXd allowed(const std::vector<Candidate>& fields) {
    const auto count = static_cast<Index>(fields.size());
    std::vector<NodeId> functions;
    for (const auto* list : {&judge_.held(), &judge_.pushed()})
      for (const std::vector<NodeId>& row : *list) functions.insert(functions.end(), row.begin(), row.end());
    const Model& model = model_;
    Evaluator value(judge_.graph(), functions, judge_.n(), model.multiplier_count());
    const auto per_state = static_cast<Index>(judge_.held().size() + judge_.pushed().size());
    std::vector<VectorXd> rows;
    for (const Start& s : judge_.on_constraints(static_cast<std::size_t>(8 + 2 * count / per_state))) {
      const VectorXd x = as_vector(value(s.t, s.q, s.v, s.multipliers)), q = as_vector(s.q);
      for (Index r = 0; r < per_state; ++r) {
        const VectorXd row = x.segment(r * n_, n_);
        VectorXd along(count);
        double size = 0.0;
        for (Index k = 0; k < count; ++k) {
          const AffineField& field = fields[static_cast<std::size_t>(k)].field;
          const VectorXd xi = field.A * q + field.b;
          along(k) = row.dot(xi);
          size = std::fmax(size, row.cwiseAbs().dot(xi.cwiseAbs()));
        }
        if (size > 0.0) rows.push_back(along / size);
      }
    }
    MatrixXd matrix(static_cast<Index>(rows.size()), count);
    for (std::size_t r = 0; r < rows.size(); ++r) matrix.row(static_cast<Index>(r)) = rows[r];
    if (!matrix.allFinite()) return MatrixXd(0, n_ * n_ + n_);
    // Rows that are rounding must not be taken for conditions, so they keep their size.
    const MatrixXd combinations = rows.empty() || matrix.cwiseAbs().maxCoeff() < 1e-10
                                      ? MatrixXd(MatrixXd::Identity(count, count))
                                      : MatrixXd(linalg::kernel_of_rows(matrix, 1e-10).transpose());
    MatrixXd basis(count, n_ * n_ + n_);
    for (Index k = 0; k < count; ++k) basis.row(k) = fields[static_cast<std::size_t>(k)].field.row();
    return linalg::product(combinations, basis);
  }

  // Of many coordinates.
  std::vector<Candidate> usual() {
    std::vector<Candidate> out;
    const auto add = [&](AffineField field) {
      if (Candidate c = judged(std::move(field)); c.verdict.of_lagrangian) out.push_back(std::move(c));
    };
    for (const MovedPoints& moved : moved_points(model_)) {
      AffineField field(n_);
      for (const MovedPoints::Term& term : moved.terms)
        (term.by < 0 ? field.b(term.row) : field.A(term.row, term.by)) = term.factor;
      add(std::move(field));
    }
    for (Index i = 0; i < n_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (!judge_.graph().is_constant(judge_.slope()[at], 0.0)) continue;
      AffineField cyclic(n_);
      cyclic.b(i) = 1.0;
      add(cyclic);
    }
    return out;
  }

  SymmetryJudge& judge_;
  const Model& model_;
  Index n_;
};

}  // namespace

std::vector<FoundField> find_symmetries(SymmetryJudge& judge, const Model& model,
                                        const std::vector<std::vector<NodeId>>& named) {
  return Finder(judge, model).find(named);
}

}  // namespace rattleback
