#include "model/kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expr/evaluator.hpp"
#include "expr/rounding.hpp"
#include "linalg/decompositions.hpp"
#include "model/grammar/suggest.hpp"
#include "model/momenta.hpp"
#include "model/reader.hpp"
#include "model/scatter.hpp"
#include "model/symbolic_matrix.hpp"

namespace rattleback::front {

namespace rules {
const Rules kKinematics{.time = true,
                        .positions = true,
                        .multipliers = true,
                        .definitions = true,
                        .quasi = true,
                        .accepts = "t, coordinates, quasi-velocities, parameters and definitions of these"};
}  // namespace rules

void read_kinematics(ModelText& text, Reader& reader, const Value& document) {
  World& world = text.world;
  const Value* table = reader.table(document, "kinematics", "kinematics");
  if (table == nullptr) return;
  const std::string example =
      "Write velocities = [\"w\"], and one line such as \"" + world.coordinates[0] + "'\" = \"w\"";
  const Value* list = table->find("velocities");
  if (list == nullptr) world.source.fail(table->offset, "[kinematics] has no `velocities`. " + example);
  world.quasi = read_names(world, reader, *list, "velocities", Thing::quasi);
  for (const Names::Group& g : world.quasi.groups())
    if (g.family)
      world.source.fail(list->offset,
                        "`" + g.stem + "` in `velocities` is a family. Quasi-velocities have single names");
  text.kinematics.place = table->offset;
  std::vector<char> given(static_cast<std::size_t>(world.coordinates.size()), 0);
  for (const Value& v : table->items) {
    if (&v == list) continue;
    const Key k = reader.key(v, "an entry of [kinematics]");
    const std::int32_t row = reader.position(k, world.coordinates, Thing::coordinate, "[kinematics]");
    if (!k.primed)
      world.source.fail(k.offset,
                        "`" + v.key + "` in [kinematics] is a position. Write \"" + v.key + "'\" = ..., its velocity");
    if (k.indexed && k.to != k.from)
      world.source.fail(k.offset, "`" + v.key + "` in [kinematics] is a range. Write one line for each coordinate");
    if (given[static_cast<std::size_t>(row)]++ != 0)
      world.source.fail(k.offset, "`" + v.key + "` is given twice in [kinematics]");
    text.kinematics.lines.push_back(
        {{}, 0, 0, row, reader.formula(v, "the velocity of `" + world.coordinates[row] + "`")});
  }
  if (text.kinematics.lines.empty()) world.source.fail(table->offset, "[kinematics] has no lines. " + example);
}

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class Builder {
 public:
  Builder(ModelText& text, Graph& graph)
      : text_(text),
        world_(text.world),
        g_(graph),
        n_(world_.coordinates.size()),
        quasi_(static_cast<std::size_t>(world_.quasi.size())) {}

  QuasiVelocities build() {
    QuasiVelocities out;
    out.names = world_.quasi.all();
    out.values.assign(quasi_, g_.zero());
    read();
    text_.kept.clear();
    for (const auto& [rows, columns] : blocks()) {
      const NodeMatrix inverse = invert(rows, columns);
      for (std::size_t c = 0; c < columns.size(); ++c)
        for (std::size_t r = 0; r < rows.size(); ++r) {
          const NodeId e = inverse[c][r];
          if (g_.is_constant(e, 0.0)) continue;
          const std::int32_t row = row_of(rows[r]);
          out.inverse.push_back({e, 0, {static_cast<std::int32_t>(columns[c]), 0}, {row, 0}});
          NodeId& w = out.values[columns[c]];
          w = g_.add(w, g_.mul(e, g_.variable(kVelocity, row)));
        }
      if (rows.size() > columns.size()) find_kept(rows, columns);
    }
    for (std::size_t r = 0; r < Z_.size(); ++r)
      for (std::size_t c = 0; c < quasi_; ++c)
        if (!g_.is_constant(Z_[r][c], 0.0))
          out.map.push_back({Z_[r][c], 0, {row_of(r), 0}, {static_cast<std::int32_t>(c), 0}});
    return out;
  }

 private:
  [[nodiscard]] const Line& line(std::size_t r) const { return text_.kinematics.lines[r]; }
  [[nodiscard]] std::int32_t row_of(std::size_t r) const { return line(r).row; }
  [[nodiscard]] std::string coordinates(const std::vector<std::size_t>& rows) const {
    std::vector<std::string> names;
    for (const std::size_t r : rows) names.push_back("`" + world_.coordinates[row_of(r)] + "`");
    return fmt::format("{}", fmt::join(names, ", "));
  }
  [[nodiscard]] std::string velocities(const std::vector<std::size_t>& columns) const {
    std::vector<std::string> names;
    for (const std::size_t c : columns) names.push_back("`" + world_.quasi[static_cast<std::int32_t>(c)] + "`");
    return fmt::format("{}", fmt::join(names, ", "));
  }
  [[noreturn]] void fail(const std::string& what) const { world_.source.fail(text_.kinematics.place, what); }

  // Z, by line and quasi-velocity. Where lines are read, quasi-velocity k is element k of kMultiplier.
  void read() {
    Elaborator e(world_, g_, {.below = 0, .all = true});
    std::vector<NodeId> leaves;
    for (std::size_t k = 0; k < quasi_; ++k) leaves.push_back(g_.variable(kMultiplier, static_cast<std::int32_t>(k)));
    e.use(leaves, 0);
    std::vector<NodeId> rests;
    for (std::size_t r = 0; r < text_.kinematics.lines.size(); ++r) {
      const NodeId f = e.expression(line(r).formula, rules::kKinematics);
      Z_.emplace_back(quasi_, g_.zero());
      for (const Entry& entry : gradient(g_, f, kMultiplier)) {
        if (depends_on(g_, std::span(&entry.expr, 1), kMultiplier)) not_linear(r);
        Z_.back()[static_cast<std::size_t>(entry.row.base)] = entry.expr;
      }
      rests.push_back(substitute(g_, f, [&](NodeId leaf) { return g_[leaf].space == kMultiplier ? g_.zero() : leaf; }));
      if (depends_on(g_, std::span(&rests.back(), 1), kVelocity)) not_linear(r);
    }
    const std::vector<char> vanish = vanishing(g_, rests, n_);
    for (std::size_t r = 0; r < rests.size(); ++r)
      if (vanish[r] == 0) not_linear(r);
    own_ = {};
    for (const Line& g : text_.holonomic)
      if (g.index.empty()) e.line(g, rules::kHolonomic, own_);
  }

  [[noreturn]] void not_linear(std::size_t r) const {
    line(r).formula.fail(0, "a line of [kinematics] that is not linear in the quasi-velocities",
                         "Every term is a quasi-velocity times an expression of t and the coordinates");
  }

  [[nodiscard]] bool there(std::size_t r, std::size_t c) const { return !g_.is_constant(Z_[r][c], 0.0); }

  // Lines and quasi-velocities that hang together.
  std::vector<std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> blocks() const {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    const std::size_t lines = Z_.size();
    for (std::size_t r = 0; r < lines; ++r)
      for (std::size_t c = 0; c < quasi_; ++c)
        if (there(r, c)) pairs.emplace_back(r, lines + c);
    std::vector<std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> out;
    for (const std::vector<std::size_t>& group : connected(lines + quasi_, pairs)) {
      auto& [rows, columns] = out.emplace_back();
      for (const std::size_t i : group) i < lines ? rows.push_back(i) : columns.push_back(i - lines);
      if (columns.empty())
        line(rows[0]).formula.fail(0, "no quasi-velocity occurs",
                                   "A coordinate without a line in [kinematics] keeps its own velocity");
      if (rows.empty()) fail("quasi-velocity " + velocities(columns) + " occurs in no line of [kinematics]");
      if (columns.size() > rows.size())
        fail(fmt::format("[kinematics] has {} quasi-velocities for {} ({}, {}): the velocities do not determine them",
                         columns.size(),
                         rows.size() == 1 ? "one coordinate" : fmt::format("{} coordinates", rows.size()),
                         velocities(columns), coordinates(rows)));
    }
    return out;
  }

  NodeMatrix part(const NodeMatrix& a, const std::vector<std::size_t>& rows,
                  const std::vector<std::size_t>& columns) const {
    NodeMatrix out;
    for (const std::size_t r : rows) {
      out.emplace_back();
      for (const std::size_t c : columns) out.back().push_back(a[r][c]);
    }
    return out;
  }

  // Z^+ of a block, by quasi-velocity and line: the inverse, or (Z^T Z)^-1 Z^T.
  NodeMatrix invert(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns) {
    const NodeMatrix Z = part(Z_, rows, columns);
    const auto dependent = [&](const std::vector<std::size_t>& of) {
      fail(
          fmt::format("the velocities of {} do not determine {}: the determinant of the lines in [kinematics] vanishes "
                      "wherever the coordinates are",
                      coordinates(rows), velocities(of)));
    };
    const auto too_many = [&](const std::vector<std::size_t>& of) {
      if (of.size() > kLargestBlock)
        fail(
            fmt::format("{} quasi-velocities hang together ({}). This version takes {} at most: give the others "
                        "velocities of coordinates",
                        of.size(), velocities(of), kLargestBlock));
    };
    const std::size_t k = columns.size();
    if (rows.size() == k) {
      too_many(columns);
      std::optional<NodeMatrix> inverse = inverse_of(g_, Z, n_);
      if (!inverse) dependent(columns);
      return *inverse;
    }
    NodeMatrix N(k, std::vector<NodeId>(k, g_.zero()));
    for (std::size_t a = 0; a < k; ++a)
      for (std::size_t b = 0; b < k; ++b)
        for (const auto& row : Z) N[a][b] = g_.add(N[a][b], g_.mul(row[a], row[b]));
    tidy(g_, N, n_);
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t a = 0; a < k; ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (!g_.is_constant(N[a][b], 0.0)) pairs.emplace_back(a, b);
    NodeMatrix out(k, std::vector<NodeId>(rows.size(), g_.zero()));
    for (const std::vector<std::size_t>& group : connected(k, pairs)) {
      std::vector<std::size_t> of;
      for (const std::size_t a : group) of.push_back(columns[a]);
      too_many(of);
      const std::optional<NodeMatrix> inverse = inverse_of(g_, part(N, group, group), n_);
      if (!inverse) dependent(of);
      for (std::size_t a = 0; a < group.size(); ++a)
        for (std::size_t b = 0; b < group.size(); ++b)
          for (std::size_t r = 0; r < rows.size(); ++r)
            out[group[a]][r] = g_.add(out[group[a]][r], g_.mul((*inverse)[a][b], Z[r][group[b]]));
    }
    return out;
  }

  // --- what the kinematics keep

  // A monomial of degree 1 or 2: its derivative by coordinate i at q.
  static double slope(const KeptFunction::Term& m, std::int32_t i, const std::vector<double>& q) {
    if (m.j < 0) return m.i == i ? 1.0 : 0.0;
    return (m.i == i ? q[static_cast<std::size_t>(m.j)] : 0.0) + (m.j == i ? q[static_cast<std::size_t>(m.i)] : 0.0);
  }

  void find_kept(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns) {
    std::vector<KeptFunction::Term> monomials;
    for (const std::size_t a : rows) monomials.push_back({row_of(a), -1, 1.0});
    for (std::size_t a = 0; a < rows.size(); ++a)
      for (std::size_t b = a; b < rows.size(); ++b) monomials.push_back({row_of(rows[a]), row_of(rows[b]), 1.0});
    std::vector<NodeId> flat;
    for (const std::size_t r : rows)
      for (const std::size_t c : columns) flat.push_back(Z_[r][c]);
    settle_all(g_, flat);  // what is kept depends on them
    Evaluator Z(g_, flat, n_, 0);
    const auto count = static_cast<Eigen::Index>(monomials.size()), k = static_cast<Eigen::Index>(columns.size());
    const Eigen::Index points = count / k + 6;
    MatrixXd change(points * k, count);  // of each monomial along each quasi-velocity
    Scatter scatter;
    std::vector<double> q(static_cast<std::size_t>(n_));
    const auto draw = [&] {
      for (int tries = 0; tries < 50; ++tries) {
        for (double& x : q) x = scatter();
        const auto z = Z(scatter(), q);
        if (std::all_of(z.begin(), z.end(), [](double x) { return std::isfinite(x); })) return z;
      }
      fail("the lines of [kinematics] have no finite values at points between -1 and 1");
    };
    for (Eigen::Index p = 0; p < points; ++p) {
      const auto z = draw();
      for (Eigen::Index c = 0; c < k; ++c)
        for (Eigen::Index m = 0; m < count; ++m) {
          double sum = 0.0;
          for (std::size_t r = 0; r < rows.size(); ++r)
            sum += slope(monomials[static_cast<std::size_t>(m)], row_of(rows[r]), q) *
                   z[r * columns.size() + static_cast<std::size_t>(c)];
          change(p * k + c, m) = sum;
        }
    }
    // Which of the constraints are kept by these lines already, and what else is.
    MatrixXd gradients = own_kept(rows, columns, q);
    const Eigen::Index wanted = static_cast<Eigen::Index>(rows.size()) - k;
    constexpr double kDependent = 1e-8;
    Eigen::Index rank = gradients.rows() > 0 ? linalg::rank_of(gradients, kDependent) : 0;
    for (const KeptFunction& f : candidates(change, monomials)) {
      if (rank == wanted) break;
      MatrixXd more(gradients.rows() + 1, n_);
      more.topRows(gradients.rows()) = gradients;
      more.bottomRows(1).setZero();
      for (const KeptFunction::Term& m : f.terms)
        for (std::int32_t i = 0; i < n_; ++i) more(gradients.rows(), i) += m.c * slope(m, i, q);
      if (const Eigen::Index now = linalg::rank_of(more, kDependent); now > rank && is_kept(f, rows, columns)) {
        rank = now;
        gradients = more;
        text_.kept.push_back(f);
        text_.kept.back().value = value_at_start(f);
      }
    }
    if (rank < wanted)
      fail(fmt::format(
          "{} quasi-velocities ({}) move {} coordinates ({}), and {} function{} that they keep {} neither a "
          "holonomic constraint nor of degree 2. Write what is kept below [constraints.holonomic]; where "
          "nothing is, as for a wheel, add quasi-velocities and a nonholonomic constraint on them",
          columns.size(), velocities(columns), rows.size(), coordinates(rows), wanted - rank,
          wanted - rank == 1 ? "" : "s", wanted - rank == 1 ? "is" : "are"));
  }

  // Gradients, at q, of the holonomic constraints that these lines keep by themselves.
  MatrixXd own_kept(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns,
                    const std::vector<double>& q) {
    std::vector<std::vector<NodeId>> slopes;
    for (const Entry& g : own_) {
      std::vector<NodeId> slope(static_cast<std::size_t>(n_), g_.zero());
      for (const Entry& e : gradient(g_, g.expr, kPosition)) slope[static_cast<std::size_t>(e.row.base)] = e.expr;
      std::vector<NodeId> changes = slope;
      for (const std::size_t r : rows) changes[static_cast<std::size_t>(row_of(r))] = g_.zero();
      for (const std::size_t c : columns) {
        NodeId sum = g_.zero();
        for (const std::size_t r : rows)
          sum = g_.add(sum, g_.mul(slope[static_cast<std::size_t>(row_of(r))], Z_[r][c]));
        changes.push_back(sum);
      }
      if (depends_on(g_, std::span(&g.expr, 1), kTime)) continue;
      const std::vector<char> vanish = vanishing(g_, changes, n_);
      if (std::all_of(vanish.begin(), vanish.end(), [](char x) { return x != 0; })) slopes.push_back(slope);
    }
    MatrixXd out(static_cast<Eigen::Index>(slopes.size()), n_);
    for (Eigen::Index i = 0; i < out.rows(); ++i) {
      Evaluator at(g_, slopes[static_cast<std::size_t>(i)], n_, 0);
      const auto x = at(0.0, q);
      out.row(i) = Eigen::Map<const VectorXd>(x.data(), n_).transpose();
    }
    return out;
  }

  // A basis of what does not change, with coefficients that are simple fractions; others are left out.
  static std::vector<KeptFunction> candidates(const MatrixXd& change,
                                              const std::vector<KeptFunction::Term>& monomials) {
    constexpr double kNone = 1e-10, kWhole = 1e-7, kDenominator = 12.0;
    MatrixXd basis = linalg::rank_and_kernel(change, kNone).kernel.transpose();
    if (basis.isZero(0.0)) return {};
    // In echelon form by columns from the last: each row has a pivot of its own, and squares rather than linear terms.
    Eigen::Index next = 0;
    for (Eigen::Index c = basis.cols() - 1; c >= 0 && next < basis.rows(); --c) {
      Eigen::Index best = next;
      for (Eigen::Index r = next; r < basis.rows(); ++r)
        if (std::fabs(basis(r, c)) > std::fabs(basis(best, c))) best = r;
      if (std::fabs(basis(best, c)) < kWhole) continue;
      basis.row(best).swap(basis.row(next));
      basis.row(next) /= double(basis(next, c));
      for (Eigen::Index r = 0; r < basis.rows(); ++r)
        if (r != next) basis.row(r) -= double(basis(r, c)) * VectorXd(basis.row(next)).transpose();
      ++next;
    }
    std::vector<KeptFunction> out;
    for (Eigen::Index r = 0; r < basis.rows(); ++r) {
      KeptFunction f;
      bool simple = true;
      for (Eigen::Index c = 0; c < basis.cols(); ++c) {
        const double nearest = std::round(basis(r, c) * kDenominator) / kDenominator;
        simple = simple && std::fabs(basis(r, c) - nearest) < kWhole;
        if (nearest == 0.0) continue;
        f.terms.push_back(monomials[static_cast<std::size_t>(c)]);
        f.terms.back().c = nearest;
      }
      if (simple && !f.terms.empty()) out.push_back(std::move(f));
    }
    std::ranges::sort(out, [](const auto& a, const auto& b) { return a.terms.size() < b.terms.size(); });
    return out;
  }

  bool is_kept(const KeptFunction& f, const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns) {
    std::vector<NodeId> changes;
    for (const std::size_t c : columns) {
      NodeId sum = g_.zero();
      for (const std::size_t r : rows)
        for (const KeptFunction::Term& m : f.terms) {
          const auto along = [&](std::int32_t i, NodeId rest) {
            if (i == row_of(r)) sum = g_.add(sum, g_.mul(g_.constant(m.c), g_.mul(rest, Z_[r][c])));
          };
          along(m.i, m.j < 0 ? g_.one() : g_.variable(kPosition, m.j));
          if (m.j >= 0) along(m.j, g_.variable(kPosition, m.i));
        }
      changes.push_back(sum);
    }
    const std::vector<char> vanish = vanishing(g_, changes, n_);
    return std::all_of(vanish.begin(), vanish.end(), [](char x) { return x != 0; });
  }

  [[nodiscard]] double value_at_start(const KeptFunction& f) const;

  ModelText& text_;
  World& world_;
  Graph& g_;
  std::int32_t n_;
  std::size_t quasi_;
  NodeMatrix Z_;
  Entries own_;  // holonomic constraints as they are written
};

// A start that was typed with 16 digits means a whole number where it is one up to that.
double kept_value(const KeptFunction& f, const std::vector<double>& q) {
  double sum = 0.0, size = 0.0;
  for (const KeptFunction::Term& m : f.terms) {
    const double x = m.c * q[static_cast<std::size_t>(m.i)] * (m.j < 0 ? 1.0 : q[static_cast<std::size_t>(m.j)]);
    sum += x;
    size += std::fabs(x);
  }
  constexpr double kUlps = 16.0;
  const double whole = std::round(sum);
  return std::fabs(sum - whole) <= kUlps * kUlp * size ? whole : sum;
}

double Builder::value_at_start(const KeptFunction& f) const { return kept_value(f, text_.q0); }

}  // namespace

QuasiVelocities build_kinematics(ModelText& text, Graph& graph) {
  return text.kinematics.lines.empty() ? QuasiVelocities{} : Builder(text, graph).build();
}

QuasiVelocities build_quasi(ModelText& text, Graph& graph) {
  return text.world.hamiltonian ? build_momenta(text, graph) : build_kinematics(text, graph);
}

void use_kinematics(const ModelText& text, const QuasiVelocities& quasi, Elaborator& e) {
  e.use(quasi.values, static_cast<std::int32_t>(text.kept.size()));
}

void add_kept(const ModelText& text, Graph& graph, Model& model) {
  for (const KeptFunction& f : text.kept) {
    NodeId sum = graph.constant(-f.value);
    std::vector<std::int32_t> used;
    for (const KeptFunction::Term& m : f.terms) {
      const NodeId x = graph.variable(kPosition, m.i);
      sum = graph.add(sum, graph.mul(graph.constant(m.c), m.j < 0      ? x
                                                          : m.j == m.i ? graph.binary(Op::pow, x, graph.constant(2.0))
                                                                       : graph.mul(x, graph.variable(kPosition, m.j))));
      used.push_back(m.i);
      if (m.j >= 0) used.push_back(m.j);
    }
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    std::vector<std::string> names;
    for (const std::int32_t i : used) names.push_back(model.coordinates[i]);
    model.holonomic.push_back({sum, 0, {model.holonomic_names.size(), 0}, {}});
    model.holonomic_names.add(fmt::format("kept({})", fmt::join(names, ",")));
  }
}

bool keeps_the_same(const ModelText& text) {
  return std::ranges::all_of(text.kept, [&](const KeptFunction& f) { return kept_value(f, text.q0) == f.value; });
}

Entries along_coordinates(Graph& graph, const Model& model, const Entries& entries) {
  const std::int32_t n = model.coordinates.size();
  Entries out;
  for (const Entry& e : entries) {
    if (e.row.base < n) {
      out.push_back(e);
      continue;
    }
    for (const Entry& w : model.quasi.inverse)
      if (w.row.base == e.row.base - n) out.push_back({graph.mul(e.expr, w.expr), 0, w.col, {}});
  }
  return out;
}

namespace {

// Do the velocities at the start determine the quasi-velocities?
void refuse_singular(const ModelText& text, const Model& model) {
  if (model.quasi.momenta) return;  // masses are looked at with the Lagrangian
  constexpr double kSingular = 1e-9;
  const auto n = static_cast<Eigen::Index>(model.coordinates.size()),
             m = static_cast<Eigen::Index>(model.quasi.names.size());
  const auto matrix = [&](const Entries& entries, Eigen::Index rows, Eigen::Index columns) {
    std::vector<NodeId> flat;
    for (const Entry& e : entries) flat.push_back(e.expr);
    Evaluator values(*model.graph, flat, static_cast<std::int32_t>(n), 0);
    const auto x = values(model.t0, model.q0);
    MatrixXd out = MatrixXd::Zero(rows, columns);
    for (std::size_t i = 0; i < entries.size(); ++i) out(entries[i].row.base, entries[i].col.base) = x[i];
    return out;
  };
  const MatrixXd Z = matrix(model.quasi.map, n, m), W = matrix(model.quasi.inverse, m, n);
  // Z^+ Z = 1, and entries that are far larger cancel in it.
  const bool good = Z.allFinite() && W.allFinite() &&
                    (W.cwiseAbs() * Z.cwiseAbs()).diagonal().maxCoeff() < 1.0 / kSingular &&
                    linalg::rank_of(Z, kSingular) == m;
  if (good) return;
  text.world.source.fail(
      text.kinematics.place,
      "the lines of [kinematics] are singular at the start: the velocities there do not determine the "
      "quasi-velocities, or have no value. Start elsewhere (Euler angles lose a direction somewhere, "
      "quaternions do not), or correct the lines");
}

}  // namespace

void put_velocities(const ModelText& text, Model& model) {
  const QuasiVelocities& quasi = model.quasi;
  if (quasi.names.empty() || text.velocities_given) return;
  const std::int32_t n = model.coordinates.size();
  refuse_singular(text, model);
  std::vector<NodeId> flat;
  for (const Entries* each : {&quasi.map, &quasi.offset})
    for (const Entry& e : *each) flat.push_back(e.expr);
  Evaluator values(*model.graph, flat, n, 0);
  const auto x = values(model.t0, model.q0);
  model.v0_error.resize(model.v0.size(), 0.0);
  std::vector<std::int32_t> rows;
  for (const Line& line : text.kinematics.lines) rows.push_back(line.row);
  if (quasi.momenta) {
    rows.resize(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), 0);
  }
  for (const std::int32_t row : rows) {
    double sum = 0.0, error = 0.0;
    std::size_t k = 0;
    const auto add = [&](double value, double bound) {
      sum += value;
      error += bound + 4.0 * kUlp * std::fabs(value);
    };
    for (const Entry& e : quasi.map) {
      const auto w = static_cast<std::size_t>(e.col.base);
      if (e.row.base == row) add(x[k] * text.w0[w], std::fabs(x[k]) * text.w0_error[w]);
      ++k;
    }
    for (const Entry& e : quasi.offset) {
      if (e.row.base == row) add(x[k], 0.0);
      ++k;
    }
    if (!std::isfinite(sum))
      text.world.source.fail(
          text.kinematics.place,
          fmt::format(
              "the velocity of `{}` at the start is {}. Start where it has a value (not where Euler angles lose a "
              "direction)",
              model.coordinates[row], number_text(sum)));
    model.v0[static_cast<std::size_t>(row)] = sum + 0.0;
    model.v0_error[static_cast<std::size_t>(row)] = error;
  }
}

}  // namespace rattleback::front
