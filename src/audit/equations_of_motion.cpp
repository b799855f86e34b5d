#include "audit/equations_of_motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "expr/evaluator.hpp"
#include "expr/terms.hpp"
#include "expr/traverse.hpp"
#include "linalg/condition.hpp"
#include "system/families/family_start.hpp"
#include "system/families/family_values.hpp"

namespace rattleback {
namespace {

// What is no number is larger than all numbers.
double larger(double a, double b) { return std::isnan(b) ? std::numeric_limits<double>::infinity() : std::fmax(a, b); }

constexpr double kLeastDigits = 1e-4;

struct AccelerationLevel {
  const System& system;
  Equations operator()(const SkewGradient&) const { return acceleration_level(system.dae()); }
  template <class Functions>
  Equations operator()(const Functions& f) const {
    return acceleration_level(f);
  }
};

// Of equilibrated equations of a large system, without what depends on others.
double condition_of(std::int32_t size, std::vector<Cell> cells, std::span<const char> kept) {
  const auto redundant = std::count(kept.begin(), kept.end(), char{0});
  if (redundant == 0) return sparse_condition(size, cells);
  constexpr std::int32_t kLargestDense = 200;
  if (size <= kLargestDense) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(size, size);
    for (const Cell& c : cells) A(c.row, c.column) = c.value;
    return condition(A, redundant);
  }
  const auto first = size - static_cast<std::int32_t>(kept.size());
  std::vector<std::int32_t> place(static_cast<std::size_t>(size), -1);
  std::int32_t next = 0;
  for (std::int32_t i = 0; i < size; ++i)
    if (i < first || kept[static_cast<std::size_t>(i - first)] != 0) place[static_cast<std::size_t>(i)] = next++;
  std::vector<Cell> left;
  for (const Cell& c : cells) {
    const std::int32_t row = place[static_cast<std::size_t>(c.row)], column = place[static_cast<std::size_t>(c.column)];
    if (row >= 0 && column >= 0) left.push_back({row, column, c.value});
  }
  return sparse_condition(next, left);
}

}  // namespace

// Single equations: residuals with their terms, and the matrix, as one program.
struct EquationsOfMotion::Dense {
  explicit Dense(const System& system)
      : level(system.visit(AccelerationLevel{system})),
        n(std::max(system.n(), system.nv())),
        size(level.residuals.size()) {
    Graph& g = level.graph;
    const auto unknowns = static_cast<std::int32_t>(size);
    // Unknowns in the place of the multipliers, which do not occur any more.
    const auto put_in = [&](NodeId e) {
      return substitute(g, e, [&](NodeId leaf) {
        const Node x = g[leaf];
        return x.space == kUnknown ? g.variable(kMultiplier, x.base()) : leaf;
      });
    };
    std::vector<NodeId> nodes;
    for (const NodeId residual : level.residuals) {
      nodes.push_back(put_in(residual));
      const NodeId root = nodes.back();
      collect_terms(g, root, nodes);
      ends.push_back(nodes.size());
    }
    for (std::size_t i = 0; i < size; ++i)
      for (const Entry& e : gradient(g, level.residuals[i], kUnknown)) {
        places.emplace_back(i, e.row.base);
        nodes.push_back(put_in(e.expr));
      }
    values.emplace(g, nodes, n, unknowns);
    algebraic = system.algebraic_states();
  }

  Equations level;
  std::int32_t n;
  std::size_t size;
  std::vector<std::size_t> ends;  // where the terms of an equation end; its residual stands before them
  std::vector<std::pair<Eigen::Index, Eigen::Index>> places;
  std::optional<Evaluator> values;
  std::vector<char> algebraic;  // of states: their rate is no unknown; empty where multipliers are unknowns
};

// Families: every entry in a place of its own, with its terms behind it.
struct EquationsOfMotion::Large {
  explicit Large(const System& system) : f(system.families()), level(acceleration_level(f)) {
    for (const Entry& e : level) {
      std::vector<NodeId> terms = {e.expr};
      collect_terms(f.graph, e.expr, terms);
      for (std::size_t k = 0; k < terms.size(); ++k) {
        flat.push_back({terms[k], e.count, {}, {}});
        rows.push_back(e.row);
        is_term.push_back(k > 0 ? 1 : 0);
      }
    }
    for (const Entries* matrix : {&f.written.mass, &f.K}) flat.insert(flat.end(), matrix->begin(), matrix->end());
    const std::int32_t count = side_by_side(flat);
    values.emplace(f.graph, flat, count, f.n, f.n + f.m);
  }

  FamilyMechanical f;
  Entries level, flat;
  std::vector<IndexMap> rows;
  std::vector<char> is_term;
  std::optional<Evaluator> values;
};

EquationsOfMotion::EquationsOfMotion(const System& system) : system_(&system) {
  // Where a unilateral constraint does not act, its equation does not hold.
  const bool contacts = !system.model().odae.unilateral.empty();
  if (contacts || (system.m() == 0 && !system.facts().implicit_rates)) return;
  if (system.is_large())
    large_ = std::make_unique<Large>(system);
  else
    dense_ = std::make_unique<Dense>(system);
}

EquationsOfMotion::~EquationsOfMotion() = default;

void EquationsOfMotion::look(double t, std::span<const double> q, std::span<const double> v,
                             std::span<const double> multipliers, std::span<const double> rates,
                             std::span<const char> kept) {
  if (!dense_ && !large_) return;
  std::vector<double> unknowns;
  if (dense_ && !dense_->algebraic.empty()) {
    for (std::size_t i = 0; i < q.size(); ++i) unknowns.push_back(dense_->algebraic[i] != 0 ? q[i] : rates[i]);
  } else {
    const bool rates_too = system_->facts().implicit_rates || (dense_ && dense_->size > multipliers.size());
    if (rates_too) unknowns.assign(rates.begin(), rates.end());
    unknowns.insert(unknowns.end(), multipliers.begin(), multipliers.end());
  }
  const auto redundant = std::count(kept.begin(), kept.end(), char{0});
  double residual = 0.0, largest = 0.0;
  if (dense_) {
    const Dense& d = *dense_;
    const std::span<const double> x = (*dense_->values)(t, q, v, unknowns);
    const auto size = static_cast<Eigen::Index>(d.size);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(size, size);
    for (std::size_t k = 0; k < d.places.size(); ++k) A(d.places[k].first, d.places[k].second) += x[d.ends.back() + k];
    if (!A.allFinite()) return;
    // Equations of different units are compared after equilibration.
    const Equilibration scale = equilibrate(A);
    for (std::size_t i = 0, at = 0; i < d.size; at = d.ends[i++]) {
      const double s = scale.rows(static_cast<Eigen::Index>(i));
      residual = larger(residual, s * std::fabs(x[at]));
      for (std::size_t k = at + 1; k < d.ends[i]; ++k) largest = std::fmax(largest, s * std::fabs(x[k]));
    }
    looks_.push_back({t, residual, largest, condition(A, redundant)});
    return;
  }
  Large& d = *large_;
  const std::span<const double> x = (*d.values)(t, q, v, unknowns);
  const auto size = static_cast<std::size_t>(d.f.n) + static_cast<std::size_t>(d.f.m);
  std::vector<double> sum(size, 0.0), terms(size, 0.0);
  std::size_t at = 0;
  for (std::size_t k = 0; k < d.rows.size(); ++k)
    for (std::int32_t i = 0; i < std::max(1, d.flat[k].count); ++i, ++at) {
      const auto row = static_cast<std::size_t>(d.rows[k].at(i));
      if (d.is_term[k] != 0)
        terms[row] = std::fmax(terms[row], std::fabs(x[at]));
      else
        sum[row] += x[at];
    }
  std::vector<Cell> cells;
  const auto add = [&](const Entries& matrix, std::int32_t first, bool twice) {
    for (const Entry& e : matrix)
      for (std::int32_t i = 0; i < std::max(1, e.count); ++i, ++at) {
        cells.push_back({first + e.row.at(i), e.col.at(i), x[at]});
        if (twice) cells.push_back({e.col.at(i), first + e.row.at(i), x[at]});
      }
  };
  add(d.f.written.mass, 0, false);
  add(d.f.K, d.f.n, true);
  const auto unknowns_count = static_cast<std::int32_t>(size);
  const std::vector<double> scale = equilibrate(unknowns_count, cells);
  for (std::size_t i = 0; i < size; ++i) {
    residual = larger(residual, scale[i] * std::fabs(sum[i]));
    largest = std::fmax(largest, scale[i] * terms[i]);
  }
  looks_.push_back({t, residual, largest, condition_of(unknowns_count, std::move(cells), kept)});
}

std::optional<EquationsAudit> EquationsOfMotion::audit() const {
  constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();
  if (looks_.empty()) return std::nullopt;
  double scale = 0.0;
  for (const Look& look : looks_) scale = std::fmax(scale, look.largest);
  std::optional<EquationsAudit> out;
  for (const Look& look : looks_) {
    const double beside = look.residual <= kRounding * scale ? scale : look.largest;
    const double residual = look.residual == 0.0 ? 0.0 : look.residual / beside;
    if (!out) out.emplace(EquationsAudit{residual, look.condition, look.t, look.t});
    if (residual > out->residual) {
      out->residual = residual;
      out->residual_t = look.t;
    }
    if (look.condition > out->condition) {
      out->condition = look.condition;
      out->condition_t = look.t;
    }
  }
  return out;
}

std::string equations_warning(const EquationsAudit& a) {
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  if (!(a.residual <= EquationsAudit::kLargestResidual))
    return fmt::format(
        "accelerations and multipliers satisfy the equations of motion only to {:.1e} (relative, at t = {:.6g}): do "
        "not "
        "trust the multipliers",
        a.residual, a.residual_t);
  if (!(a.condition * kEps <= kLeastDigits))
    return fmt::format(
        "the multipliers are badly determined: the equations of motion have the condition {:.1e} at t = {:.6g}, so "
        "rounding "
        "errors may change them by {:.0e} relative",
        a.condition, a.condition_t, std::fmin(1.0, a.condition * kEps));
  return "";
}

}  // namespace rattleback
