// One step of any partitioned Runge-Kutta scheme for constrained mechanical systems, written as equations in the stage
// velocities and multipliers. [Jay2009, eq. 6.1; Symank2025, 6.2, 6.3] What the letters mean is in scheme.hpp.
#include "method/runge_kutta/runge_kutta.hpp"

#include "method/runge_kutta/momentum.hpp"
#include "method/runge_kutta/stages.hpp"

namespace rattleback {
namespace {

using Where = ConstraintRow::Where;

class MechanicalStep {
 public:
  MechanicalStep(const Mechanical& system, const Scheme& scheme, const StepForm& form)
      : f_(system),
        scheme_(scheme),
        form_(form),
        s_(scheme.stages),
        points_(static_cast<std::int32_t>(scheme.points.size())),
        n_(f_.n),
        m_(f_.m),
        holonomic_(f_.holonomic),
        ggl_(form.formulation == Formulation::ggl && f_.holonomic > 0),
        grouped_(!system.groups.empty() && !scheme.groups[0].empty()),
        rates_(!grouped_ && wants_rates(system, scheme)),
        eq_(make_equations(f_)),  // f_ gives its graph away
        g_(eq_.graph),
        in_(eq_, n_, m_, true),
        per_h_(g_.div(g_.one(), in_.h)) {}

  Equations write() && {
    carry();
    unknowns();
    stages();
    if (rates_)
      rate_balances();
    else
      momentum_balances();
    if (ggl_) position_equations();
    constraints();
    guesses();
    saddle_hint();
    results();
    if (form_.power) work();
    if (!form_.momenta.empty()) momenta();
    return std::move(eq_);
  }

 private:
  static Equations make_equations(Mechanical& f) {
    Equations eq;
    eq.graph = std::move(f.graph);
    return eq;
  }

  // Masses of very different size, or zero: M^-1 would amplify the rounding errors of the forces. The equations are then
  // written in the rates of change of the velocity, M W_j = F_j + R_j, which is the same scheme when forces and reactions
  // have the same coefficients.
  static bool wants_rates(const Mechanical& f, const Scheme& s) {
    return f.graded_mass && f.plain_momentum && s.ah == s.at && s.bh == s.bt;
  }

  void carry() {
    if (scheme_.carries_multiplier) carried_ = m_ + (ggl_ ? holonomic_ : 0);
    if (form_.recursion) carried_ = m_;
    if (carried_ > 0) eq_.inputs.emplace_back(kCarried, carried_);
  }

  // Unknowns: V_1 .. V_s, V at the points, v1 (or W_1 .. W_s); Q_1 .. Q_s (ggl); Psi_1 .. Psi_s; Mu_1 .. Mu_s (ggl).
  void unknowns() {
    std::int32_t next = 0;
    const auto take = [&](std::int32_t vectors, std::vector<Vec>& to) {
      for (std::int32_t i = 0; i < vectors; ++i, next += n_) to.push_back(in_.list(kUnknown, next, n_));
    };
    if (rates_) {
      take(s_, W_);
      for (std::int32_t i = 0; i < s_; ++i) V_.push_back(advance(g_, in_.v, in_.h, row(scheme_.ah, i, s_), W_));
      for (const CollocationPoint& p : scheme_.points) Vp_.push_back(advance(g_, in_.v, in_.h, p.a, W_));
      v1_ = advance(g_, in_.v, in_.h, scheme_.bh, W_);
    } else {
      take(s_, V_);
      take(points_, Vp_);
      std::vector<Vec> last;
      take(1, last);
      v1_ = last[0];
    }
    if (ggl_) take(s_, Q_);
    eq_.turn_free = !ggl_;
    Psi_ = stage_multipliers(in_, scheme_, next, m_);
    next += static_cast<std::int32_t>(scheme_.rows.size()) * m_;
    if (ggl_) Mu_ = stage_multipliers(in_, scheme_, next, holonomic_, m_);
  }

  Vec reaction_at(Point& where, const Vec& multipliers, std::int32_t count) {
    Vec out(at(n_), g_.zero());
    for (std::int32_t c = 0; c < count; ++c)
      for (std::size_t j = 0; j < out.size(); ++j)
        out[j] = g_.sub(out[j], g_.mul(where(f_.K[at(c)][j]), multipliers[at(c)]));
    return out;
  }

  Vec sum(Vec a, const Vec& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = g_.add(a[i], b[i]);
    return a;
  }

  void stages() {
    group_.resize(f_.groups.size());
    for (std::int32_t i = 0; i < s_; ++i) {
      const Vec Q = ggl_ ? Q_[at(i)] : advance(g_, in_.q, in_.h, row(scheme_.a, i, s_), V_);
      Point& here = stage_.emplace_back(g_, in_.time(scheme_.c[at(i)]), Q, V_[at(i)], Psi_[at(i)]);
      F_.push_back(grouped_ ? sum(here(f_.Lq), here(f_.ungrouped)) : here(f_.force));
      for (std::size_t k = 0; k < f_.groups.size() && grouped_; ++k) group_[k].push_back(here(f_.groups[k].force));
      R_.push_back(reaction_at(here, Psi_[at(i)], m_));
      if (!ggl_) continue;
      Vec D;  // G^T Mu
      for (const NodeId e : reaction_at(here, Mu_[at(i)], holonomic_)) D.push_back(g_.neg(e));
      D_.push_back(D);
    }
    q1_ = position(scheme_.b, scheme_.b);
    for (std::size_t i = 0; i < Vp_.size(); ++i) {
      const CollocationPoint& p = scheme_.points[i];
      point_.emplace_back(g_, in_.time(p.tau), position(p.a, p.a), Vp_[i]);
    }
    start_.emplace(g_, in_.t, in_.q, in_.v);
    end_.emplace(g_, in_.time(1.0), q1_, v1_);
  }

  // q0 + h sum_j a_j V_j + h sum_j d_j G_j^T Mu_j
  Vec position(std::span<const double> a, std::span<const double> d) {
    Vec q = advance(g_, in_.q, in_.h, a, V_);
    return ggl_ ? advance(g_, q, in_.h, d, D_) : q;
  }

  // Stage by stage, force before reaction: what two rows of coefficients begin with in common is then computed once (in
  // Lobatto IIIA-IIIB with two stages, p1 continues from P_2).
  // Groups of forces have the coefficients of their own in a stage, and the weights of all in the end.
  std::vector<Vec> impulses(std::span<const double> force, std::span<const double> reaction,
                            std::optional<std::int32_t> stage = {}) {
    std::vector<Vec> out;
    const auto add = [&](double weight, const Vec& x) {
      if (weight == 0.0) return;
      const NodeId factor = g_.mul(g_.constant(weight), in_.h);
      Vec& impulse = out.emplace_back();
      for (const NodeId e : x) impulse.push_back(g_.mul(factor, e));
    };
    for (std::size_t j = 0; j < F_.size(); ++j) {
      add(force[j], F_[j]);
      for (std::size_t k = 0; k < group_.size() && grouped_; ++k) {
        const std::vector<double>& own = scheme_.groups[at(f_.groups[k].coefficients)];
        add(stage ? row(own, *stage, s_)[j] : force[j], group_[k][j]);
      }
      add(reaction[j], R_[j]);
    }
    return out;
  }

  void momentum_balances() {
    const auto balance = [&](const Vec& v, Point& here, std::span<const double> force, std::span<const double> reaction,
                             std::optional<std::int32_t> stage = {}) {
      momentum_balance(eq_, f_, v, here, in_.v, *start_, impulses(force, reaction, stage));
    };
    for (std::int32_t i = 0; i < s_; ++i)
      balance(V_[at(i)], stage_[at(i)], row(scheme_.ah, i, s_), row(scheme_.at, i, s_), i);
    for (std::size_t i = 0; i < Vp_.size(); ++i) balance(Vp_[i], point_[i], scheme_.points[i].a, scheme_.points[i].a);
    balance(v1_, *end_, scheme_.bh, scheme_.bt);
  }

  void rate_balances() {
    for (std::int32_t i = 0; i < s_; ++i)
      for (std::int32_t k = 0; k < n_; ++k) {
        const NodeId inertia = combine(g_, std::span(*f_.mass).subspan(at(k) * at(n_), at(n_)), W_[at(i)]);
        add_equation(g_.sub(inertia, g_.add(F_[at(i)][at(k)], R_[at(i)][at(k)])), Equations::Scale::state_per_step);
      }
  }

  void position_equations() {
    for (std::int32_t i = 0; i < s_; ++i) {
      const Vec value = position(row(scheme_.a, i, s_), row(scheme_.at, i, s_));
      for (std::int32_t k = 0; k < n_; ++k)
        add_equation(g_.sub(Q_[at(i)][at(k)], value[at(k)]), Equations::Scale::state);
    }
  }

  // Constraint c in one row of the scheme. Position residuals are divided by h, which gives all rows the size of velocities.
  NodeId row_value(const ConstraintRow& r, std::int32_t c, bool position_level) {
    const NodeId function = (position_level ? f_.g : f_.k)[at(c)];
    const auto scaled = [&](NodeId value) { return position_level ? g_.mul(value, per_h_) : value; };
    switch (r.where) {
      case Where::stages: {
        Vec column;
        for (std::size_t j = 0; j < stage_.size(); ++j)
          column.push_back(r.weight[j] == 0.0 ? g_.zero() : stage_[j](function));
        return scaled(combine(g_, r.weight, column));
      }
      case Where::end: return scaled((*end_)(function));
      case Where::mean: {
        const Vec zero(at(n_), g_.zero());
        Point here(g_, in_.time(r.tau), advance(g_, in_.q, in_.h, r.alpha, V_),
                   advance(g_, zero, g_.one(), r.weight, V_));
        return scaled(here(function));
      }
      case Where::point: return scaled(point_[at(r.index)](function));
      case Where::position: return g_.mul(stage_[at(r.index)](f_.g[at(c)]), per_h_);
    }
    return g_.zero();
  }

  const ConstraintRow& row_of(std::size_t r, std::int32_t c) const {
    const bool by_position = form_.formulation == Formulation::index3 && c < holonomic_;
    return by_position ? scheme_.holonomic_rows[r] : scheme_.rows[r];
  }

  void constraints() {
    for (std::size_t r = 0; r < scheme_.rows.size(); ++r)
      for (std::int32_t c = 0; c < m_; ++c)
        add_equation(row_value(row_of(r, c), c, false), Equations::Scale::state_per_step);
    if (!ggl_) return;
    for (std::size_t r = 0; r < scheme_.rows.size(); ++r)
      for (std::int32_t c = 0; c < holonomic_; ++c)
        add_equation(row_value(scheme_.rows[r], c, true), Equations::Scale::state);
  }

  void add_equation(NodeId residual, Equations::Scale scale) {
    eq_.residuals.push_back(residual);
    eq_.scales.push_back(scale);
  }

  void guesses() {
    const auto velocity_after = [&](double fraction) {
      const NodeId after = g_.mul(g_.constant(fraction), in_.h);
      for (std::size_t j = 0; j < in_.v.size(); ++j)
        eq_.guesses.push_back(g_.add(in_.v[j], g_.mul(after, in_.acceleration[j])));
    };
    if (rates_) {
      for (std::int32_t i = 0; i < s_; ++i)
        eq_.guesses.insert(eq_.guesses.end(), in_.acceleration.begin(), in_.acceleration.end());
    } else {
      for (const double c : scheme_.c) velocity_after(c);
      for (const CollocationPoint& p : scheme_.points) velocity_after(p.tau);
      velocity_after(1.0);
    }
    if (ggl_)
      for (const double c : scheme_.c)
        for (std::size_t j = 0; j < in_.q.size(); ++j)
          eq_.guesses.push_back(g_.add(in_.q[j], g_.mul(g_.mul(g_.constant(c), in_.h), in_.v[j])));
    for (std::size_t r = 0; r < scheme_.rows.size(); ++r)
      eq_.guesses.insert(eq_.guesses.end(), in_.multipliers.begin(), in_.multipliers.end());
    eq_.guesses.resize(eq_.residuals.size(), g_.zero());  // Mu
  }

  // The stage system for h -> 0: the saddle-point matrix at the start of the step, coupled by the scheme's coefficients.
  // It needs the same rows for all constraints.
  void saddle_hint() {
    const bool mixed = form_.formulation == Formulation::index3 && holonomic_ > 0 && holonomic_ < m_;
    if (ggl_ || rates_ || mixed) return;
    const int first = scheme_.carries_multiplier ? 1 : 0;
    const auto n = at(n_);
    SaddleHint hint;
    hint.n = n_;
    hint.m = m_;
    hint.stages = s_ + points_ + 1;
    hint.multipliers = s_ - first;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        hint.M.push_back(f_.inverse_mass ? g_.constant(i == j ? 1.0 : 0.0) : f_.Lvv[i][j]);
    for (const Vec& Kc : f_.K) {
      hint.K.insert(hint.K.end(), Kc.begin(), Kc.end());
      for (std::size_t i = 0; i < n; ++i)  // momentum_balance is multiplied by M^-1 when that is constant
        hint.Bt.push_back(f_.inverse_mass ? combine(g_, std::span(*f_.inverse_mass).subspan(i * n, n), Kc) : Kc[i]);
    }
    const auto reactions = [&](std::span<const double> weights) {
      hint.reaction.insert(hint.reaction.end(), weights.begin() + first, weights.end());
    };
    for (std::int32_t i = 0; i < s_; ++i) reactions(row(scheme_.at, i, s_));
    for (const CollocationPoint& p : scheme_.points) reactions(p.a);
    reactions(scheme_.bt);
    for (std::size_t r = 0; r < scheme_.rows.size(); ++r) {
      const ConstraintRow& here = row_of(r, 0);
      std::vector<double> weights(at(hint.stages), 0.0);
      switch (here.where) {
        case Where::stages:
        case Where::mean: std::copy(here.weight.begin(), here.weight.end(), weights.begin()); break;
        case Where::end: weights.back() = 1.0; break;
        case Where::point: weights[at(s_ + here.index)] = 1.0; break;
        case Where::position: {
          const auto a = row(scheme_.a, here.index, s_);
          std::copy(a.begin(), a.end(), weights.begin());
          break;
        }
      }
      hint.rows.insert(hint.rows.end(), weights.begin(), weights.end());
    }
    eq_.saddle = std::move(hint);
  }

  // q1, v1, what is carried, and the multipliers of the last stage.
  void results() {
    const auto add = [&](const Vec& x) { eq_.results.insert(eq_.results.end(), x.begin(), x.end()); };
    add(q1_);
    add(v1_);
    if (form_.recursion) {
      const std::span<const double> gamma = scheme_.recursion;
      for (std::int32_t c = 0; c < m_; ++c) {
        Vec column;
        for (const Vec& Psi : Psi_) column.push_back(Psi[at(c)]);
        eq_.results.push_back(
            g_.add(g_.mul(g_.constant(gamma[0]), g_.variable(kCarried, c)), combine(g_, gamma.subspan(1), column)));
      }
    } else if (scheme_.carries_multiplier) {
      add(Psi_.back());
      if (ggl_) add(Mu_.back());
    }
    add(Psi_.back());
    stage_results(eq_, V_);
  }

  // The change of the energy in the step, and what forces and reactions do at the stages: h sum_j (bh_j F_j + bt_j R_j) . V_j,
  // and -h sum_j bh_j L_t where the Lagrangian contains the time.
  // The two are equal for quadratic energies and schemes that keep quadratic invariants. [Symank2025, eq. 6.15] In GGL form
  // the positions also move along G^T Mu, against the forces of the potential.
  void work() {
    NodeId done = g_.zero(), dissipated = g_.zero();
    for (std::int32_t j = 0; j < s_; ++j) {
      const Vec F = stage_[at(j)](f_.applied), L = ggl_ ? stage_[at(j)](f_.Lq) : Vec();
      NodeId applied = g_.zero(), reaction = g_.zero(), pushed = g_.zero();
      for (std::size_t k = 0; k < at(n_); ++k) {
        applied = g_.add(applied, g_.mul(F[k], V_[at(j)][k]));
        reaction = g_.add(reaction, g_.mul(R_[at(j)][k], V_[at(j)][k]));
        if (ggl_) pushed = g_.sub(pushed, g_.mul(L[k], D_[at(j)][k]));
      }
      NodeId lost = g_.zero();
      for (const Entry& e : form_.damping)
        lost =
            g_.add(lost, g_.mul(stage_[at(j)](e.expr), g_.mul(V_[at(j)][at(e.row.base)], V_[at(j)][at(e.col.base)])));
      const NodeId weight = g_.constant(scheme_.bh[at(j)]);
      dissipated = g_.add(dissipated, g_.mul(weight, lost));
      done = g_.add(done, g_.mul(weight, g_.add(applied, g_.sub(lost, stage_[at(j)](f_.Lt)))));
      done = g_.add(done, g_.mul(g_.constant(scheme_.bt[at(j)]), reaction));
      done = g_.add(done, g_.mul(g_.constant(scheme_.b[at(j)]), pushed));
    }
    const NodeId before = (*start_)(f_.energy), after = (*end_)(f_.energy);
    eq_.power = {g_.sub(after, before), g_.mul(in_.h, done), g_.mul(in_.h, dissipated), after};
  }

  // For J = L_v xi: J' = (L_q + F) xi + L_v (Dxi v) - lambda^T K xi, by the scheme's own quadrature. In GGL form the positions also
  // move along G^T Mu. J is bilinear in positions and momenta where xi is affine, so the two are equal for schemes that keep
  // such invariants, and for translations with all.
  void momenta() {
    if (eq_.power.empty()) eq_.power.assign(4, g_.zero());
    for (const Entries& field : form_.momenta) {
      const Vec xi = scalars(g_, field, n_);
      Vec along;  // Dxi v
      for (const NodeId e : xi) along.push_back(total_time_derivative(g_, e));
      const NodeId J = dot(g_, f_.p, xi), pushed = g_.add(dot(g_, f_.force, xi), dot(g_, f_.p, along));
      NodeId sum = g_.zero();
      for (std::int32_t j = 0; j < s_; ++j) {
        Point& here = stage_[at(j)];
        sum = g_.add(sum, g_.mul(g_.constant(scheme_.bh[at(j)]), here(pushed)));
        sum = g_.add(sum, g_.mul(g_.constant(scheme_.bt[at(j)]), dot(g_, R_[at(j)], here(xi))));
        if (!ggl_) continue;
        Point moved(g_, in_.time(scheme_.c[at(j)]), Q_[at(j)], D_[at(j)]);
        sum = g_.add(sum, g_.mul(g_.constant(scheme_.b[at(j)]), dot(g_, here(f_.p), moved(along))));
      }
      const NodeId after = (*end_)(J);
      eq_.power.insert(eq_.power.end(), {g_.sub(after, (*start_)(J)), g_.mul(in_.h, sum), g_.zero(), g_.zero()});
    }
  }

  Mechanical f_;
  const Scheme& scheme_;
  const StepForm form_;
  const std::int32_t s_, points_, n_, m_, holonomic_;
  const bool ggl_, grouped_, rates_;
  Equations eq_;
  Graph& g_;
  StepInputs in_;
  NodeId per_h_;
  std::int32_t carried_ = 0;
  std::vector<Vec> V_, Vp_, W_, Q_, Psi_, Mu_, F_, R_, D_;
  std::vector<std::vector<Vec>> group_;  // forces of each group, by stage
  Vec v1_, q1_;
  std::vector<Point> stage_, point_;
  std::optional<Point> start_, end_;
};

}  // namespace

Equations runge_kutta_step(const Mechanical& system, const Scheme& scheme, const StepForm& form) {
  return MechanicalStep(system, scheme, form).write();
}

}  // namespace rattleback
