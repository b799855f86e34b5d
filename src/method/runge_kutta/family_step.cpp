// One step of any partitioned Runge-Kutta scheme for constrained mechanical systems, in vectors: V_i, Psi_i, ... are
// groups of unknowns, and a model function at a stage is its entries with stage expressions put in for the affine leaves
// of q, v and lambda. [Jay2009, eq. 6.1; Symank2025, 6.2, 6.3] What the letters mean is in scheme.hpp.
#include "method/runge_kutta/family_step.hpp"

#include "method/runge_kutta/stages.hpp"
#include "system/families/family_point.hpp"

namespace rattleback {
namespace {

using Where = ConstraintRow::Where;
using Scale = Equations::Scale;

class FamilyStep {
 public:
  FamilyStep(const FamilyMechanical& system, const Scheme& scheme, const StepForm& form)
      : f_(system),
        g_(f_.graph),
        scheme_(scheme),
        form_(form),
        s_(scheme.stages),
        ggl_(form.formulation == Formulation::ggl && f_.holonomic > 0),
        t_(g_.variable(kTime, 0)),
        h_(g_.variable(kStepSize, 0)),
        per_h_(g_.div(g_.one(), h_)) {}

  FamilyEquations write() && {
    inputs();
    unknowns();
    points();
    momentum_balances();
    if (ggl_) positions();
    constraints();
    results();
    eq_.graph = std::move(f_.graph);
    return std::move(eq_);
  }

 private:
  using Leaf = FamilyPoint::Leaf;
  using Groups = std::vector<std::size_t>;  // numbers in eq_.groups

  void inputs() {
    if (scheme_.carries_multiplier) carried_ = f_.m + (ggl_ ? f_.holonomic : 0);
    if (form_.recursion) carried_ = f_.m;
    eq_.inputs = {{kTime, 1},        {kStepSize, 1},   {kMultiplier, f_.m}, {kAcceleration, f_.n},
                  {kPosition, f_.n}, {kVelocity, f_.n}};
    if (carried_ > 0) eq_.inputs.emplace_back(kCarried, carried_);
  }

  std::size_t group(std::int32_t size, Scale scale) {
    FamilyEquations::Group group;
    group.base = next_;
    group.size = size;
    group.scale = scale;
    next_ += size;
    eq_.groups.push_back(std::move(group));
    return eq_.groups.size() - 1;
  }

  // All of a vector of variables, as an entry with rows from `row` on.
  Entry whole(Space space, std::int32_t base, std::int32_t size, std::int32_t row_base = 0) {
    return {g_.variable(space, base, 1, size), size, {row_base, 1}, {}};
  }
  Entry whole(std::size_t group, std::int32_t row_base = 0) {
    return whole(kUnknown, eq_.groups[group].base, eq_.groups[group].size, row_base);
  }
  NodeId shifted(Space space, std::int32_t base, const Node& leaf) {
    return g_.variable(space, base + leaf.base(), leaf.stride(), leaf.count);
  }
  Leaf members(std::size_t group) {
    return [this, base = eq_.groups[group].base](const Node& leaf) { return shifted(kUnknown, base, leaf); };
  }
  NodeId time(double fraction) { return g_.add(t_, g_.mul(g_.constant(fraction), h_)); }

  // x0 + factor * sum_j weight_j X_j for one leaf; as `advance` in stages.hpp. x0 = 0: nothing before the sum.
  NodeId advanced(NodeId x0, NodeId factor, std::span<const double> weight, const Groups& X, const Node& leaf) {
    Vec column;
    std::vector<std::size_t> used;
    for (std::size_t j = 0; j < X.size(); ++j) {
      column.push_back(members(X[j])(leaf));
      if (weight[j] != 0.0) used.push_back(j);
    }
    if (used.size() == 1) return g_.add(x0, g_.mul(g_.mul(g_.constant(weight[used[0]]), factor), column[used[0]]));
    return g_.add(x0, g_.mul(factor, combine(g_, weight, column)));
  }

  // Unknowns: V_1 .. V_s, V at the points, v1; Q_1 .. Q_s, Q at the points, q1 (ggl); Psi_1 .. Psi_s; Mu_1 .. Mu_s (ggl).
  void unknowns() {
    const auto velocity_after = [&](Groups& to, double fraction) {
      to.push_back(group(f_.n, Scale::state));
      Entry e = whole(kVelocity, 0, f_.n);
      const NodeId after = g_.mul(g_.constant(fraction), h_);
      e.expr = g_.add(e.expr, g_.mul(after, g_.variable(kAcceleration, 0, 1, f_.n)));
      eq_.groups.back().guess = {e};
    };
    const auto position_after = [&](Groups& to, double fraction) {
      to.push_back(group(f_.n, Scale::state));
      Entry e = whole(kPosition, 0, f_.n);
      e.expr = g_.add(e.expr, g_.mul(g_.mul(g_.constant(fraction), h_), g_.variable(kVelocity, 0, 1, f_.n)));
      eq_.groups.back().guess = {e};
    };
    for (const double c : scheme_.c) velocity_after(V_, c);
    for (const CollocationPoint& p : scheme_.points) velocity_after(Vp_, p.tau);
    Groups last;
    velocity_after(last, 1.0);
    v1_ = last[0];
    if (ggl_) {
      for (const double c : scheme_.c) position_after(Q_, c);
      for (const CollocationPoint& p : scheme_.points) position_after(Qp_, p.tau);
      last.clear();
      position_after(last, 1.0);
      q1_ = last[0];
    }
    for (std::size_t r = 0; r < scheme_.rows.size() && f_.m > 0; ++r) {
      Psi_.push_back(group(f_.m, Scale::state_per_step));
      eq_.groups.back().guess = {whole(kMultiplier, 0, f_.m)};
    }
    for (std::size_t r = 0; r < scheme_.rows.size() && ggl_; ++r) Mu_.push_back(group(f_.holonomic, Scale::state));
  }

  // Multiplier leaves of a stage: unknowns, except a carried first one.
  Leaf multiplier(const Groups& list, std::int32_t stage, std::int32_t carried_from) {
    const std::int32_t first = scheme_.carries_multiplier ? 1 : 0;
    if (stage < first) return [this, carried_from](const Node& leaf) { return shifted(kCarried, carried_from, leaf); };
    return list.empty() ? Leaf{} : members(list[at(stage - first)]);
  }

  // q0 + h sum_j weight_j V_j
  Leaf position(std::vector<double> weight) {
    return [this, weight = std::move(weight)](const Node& leaf) {
      return advanced(shifted(kPosition, 0, leaf), h_, weight, V_, leaf);
    };
  }
  std::vector<double> a_row(std::int32_t i) const {
    const auto r = row(scheme_.a, i, s_);
    return {r.begin(), r.end()};
  }

  void points() {
    for (std::int32_t i = 0; i < s_; ++i) {
      const NodeId t = time(scheme_.c[at(i)]);
      const Leaf Q = ggl_ ? members(Q_[at(i)]) : position(a_row(i));
      stage_.emplace_back(g_, t, Q, members(V_[at(i)]), multiplier(Psi_, i, 0));
      F_.push_back(stage_.back()(f_.force));
      R_.push_back(stage_.back()(f_.reaction));
      if (!ggl_) continue;
      FamilyPoint with_mu(g_, t, Q, members(V_[at(i)]), multiplier(Mu_, i, f_.m));
      D_.push_back(with_mu(f_.position_reaction));
    }
    for (std::size_t i = 0; i < Vp_.size(); ++i) {
      const CollocationPoint& p = scheme_.points[i];
      point_.emplace_back(g_, time(p.tau), ggl_ ? members(Qp_[i]) : position(p.a), members(Vp_[i]));
    }
    end_leaf_ = ggl_ ? members(q1_) : position(scheme_.b);
    end_.emplace_back(g_, time(1.0), end_leaf_, members(v1_));
  }

  void append(Entries& to, const Entries& from, NodeId factor) {
    for (Entry e : from) {
      e.expr = g_.mul(factor, e.expr);
      if (!g_.is_constant(e.expr, 0.0)) to.push_back(e);
    }
  }
  NodeId times_h(double weight) { return g_.mul(g_.constant(weight), h_); }

  // L_v(here) = L_v(start) + impulses; solved for the velocity when the mass matrix is constant and diagonal.
  void balance(std::size_t v, FamilyPoint& here, std::span<const double> force, std::span<const double> reaction) {
    Entries impulse;
    for (std::size_t j = 0; j < at(s_); ++j) {
      if (force[j] != 0.0) append(impulse, F_[j], times_h(force[j]));
      if (reaction[j] != 0.0) append(impulse, R_[j], times_h(-reaction[j]));
    }
    FamilyEquations::Group& group = eq_.groups[v];
    if (f_.inverse_mass.empty()) {
      group.equation = here(f_.p);
      append(group.equation, f_.p, g_.constant(-1.0));
      append(group.equation, impulse, g_.constant(-1.0));
      return;
    }
    const Entries rest = here(f_.p_rest);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      Entry e = rest[i];
      e.expr = g_.sub(f_.p_rest[i].expr, e.expr);
      if (!g_.is_constant(e.expr, 0.0)) impulse.push_back(e);
    }
    group.solved = true;
    group.equation = {whole(kVelocity, 0, f_.n)};
    for (Entry e : impulse) {
      e.expr = g_.mul(f_.inverse_mass_at(e), e.expr);
      group.equation.push_back(e);
    }
  }

  void momentum_balances() {
    for (std::int32_t i = 0; i < s_; ++i)
      balance(V_[at(i)], stage_[at(i)], row(scheme_.ah, i, s_), row(scheme_.at, i, s_));
    for (std::size_t i = 0; i < Vp_.size(); ++i) balance(Vp_[i], point_[i], scheme_.points[i].a, scheme_.points[i].a);
    balance(v1_, end_[0], scheme_.bh, scheme_.bt);
  }

  // Q_i = q0 + h sum_j a_j V_j + h sum_j d_j G_j^T Mu_j (ggl)
  void positions() {
    const auto write = [&](std::size_t q, std::span<const double> a, std::span<const double> d) {
      FamilyEquations::Group& group = eq_.groups[q];
      group.solved = true;
      Entry e = whole(kPosition, 0, f_.n);
      const Node leaf = g_[g_.variable(kPosition, 0, 1, f_.n)];
      e.expr = advanced(e.expr, h_, a, V_, leaf);
      group.equation = {e};
      for (std::size_t j = 0; j < D_.size(); ++j)
        if (d[j] != 0.0) append(group.equation, D_[j], times_h(d[j]));
    };
    for (std::int32_t i = 0; i < s_; ++i) write(Q_[at(i)], row(scheme_.a, i, s_), row(scheme_.at, i, s_));
    for (std::size_t i = 0; i < Qp_.size(); ++i) write(Qp_[i], scheme_.points[i].a, scheme_.points[i].a);
    write(q1_, scheme_.b, scheme_.b);
  }

  NodeId row_value(const ConstraintRow& r, NodeId function) {
    switch (r.where) {
      case Where::stages: {
        Vec column;
        for (std::size_t j = 0; j < stage_.size(); ++j)
          column.push_back(r.weight[j] == 0.0 ? g_.zero() : stage_[j](function));
        return combine(g_, r.weight, column);
      }
      case Where::end: return end_[0](function);
      case Where::mean: {
        FamilyPoint here(g_, time(r.tau), position(r.alpha),
                         [&](const Node& leaf) { return advanced(g_.zero(), g_.one(), r.weight, V_, leaf); });
        return here(function);
      }
      case Where::point: return point_[at(r.index)](function);
      case Where::position: return stage_[at(r.index)](function);
    }
    return g_.zero();
  }

  // Position residuals are divided by h, which gives all rows the size of velocities.
  void constraints() {
    for (std::size_t r = 0; r < Psi_.size(); ++r) {
      FamilyEquations::Group& group = eq_.groups[Psi_[r]];
      for (std::size_t i = 0; i < f_.k.size(); ++i) {
        Entry e = f_.k[i];
        const bool by_position = form_.formulation == Formulation::index3 && i < f_.g.size();
        const ConstraintRow& rule = by_position ? scheme_.holonomic_rows[r] : scheme_.rows[r];
        const bool position_level = rule.where == Where::position;
        e.expr = row_value(rule, position_level ? f_.g[i].expr : e.expr);
        if (position_level) e.expr = g_.mul(e.expr, per_h_);
        (position_level ? group.position_equation : group.equation).push_back(e);
      }
    }
    for (std::size_t r = 0; r < Mu_.size(); ++r)
      for (Entry e : f_.g) {
        e.expr = g_.mul(row_value(scheme_.rows[r], e.expr), per_h_);
        eq_.groups[Mu_[r]].position_equation.push_back(e);
      }
  }

  // q1, v1, what is carried, and the multipliers of the last stage.
  void results() {
    const std::int32_t n = f_.n, m = f_.m;
    const Node leaf = g_[g_.variable(kPosition, 0, 1, n)];
    eq_.results = {{end_leaf_(leaf), n, {0, 1}, {}}, whole(v1_, n)};
    if (form_.recursion) {
      Vec column;
      const Node all = g_[g_.variable(kMultiplier, 0, 1, m)];
      for (const std::size_t group : Psi_) column.push_back(members(group)(all));
      const std::span<const double> gamma = scheme_.recursion;
      const NodeId value =
          g_.add(g_.mul(g_.constant(gamma[0]), g_.variable(kCarried, 0, 1, m)), combine(g_, gamma.subspan(1), column));
      eq_.results.push_back({value, m, {2 * n, 1}, {}});
    } else if (scheme_.carries_multiplier && m > 0) {
      eq_.results.push_back(whole(Psi_.back(), 2 * n));
      if (ggl_) eq_.results.push_back(whole(Mu_.back(), 2 * n + m));
    }
    if (m > 0) eq_.results.push_back(whole(Psi_.back(), 2 * n + carried_));
    eq_.result_count = 2 * n + carried_ + m;
  }

  FamilyMechanical f_;
  Graph& g_;
  const Scheme& scheme_;
  const StepForm form_;
  const std::int32_t s_;
  const bool ggl_;
  const NodeId t_, h_, per_h_;
  FamilyEquations eq_;
  std::int32_t next_ = 0, carried_ = 0;
  Groups V_, Vp_, Q_, Qp_, Psi_, Mu_;
  std::size_t v1_ = 0, q1_ = 0;
  std::vector<FamilyPoint> stage_, point_, end_;
  Leaf end_leaf_;
  std::vector<Entries> F_, R_, D_;
};

}  // namespace

FamilyEquations runge_kutta_step(const FamilyMechanical& system, const Scheme& scheme, const StepForm& form) {
  return FamilyStep(system, scheme, form).write();
}

}  // namespace rattleback
