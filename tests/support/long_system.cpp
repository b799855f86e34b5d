#include "support/long_system.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace rattleback::testing {
namespace {

Real largest(const Reals& x) {
  Real s = 0;
  for (const Real xi : x) s = std::fmax(s, std::fabs(xi));
  return s;
}

class MechanicalSystem : public LongSystem {
 public:
  explicit MechanicalSystem(const Model& model) : mechanics_(model) {}

  Rates rates(Real t, const Reals& x) override {
    const auto n = static_cast<std::ptrdiff_t>(mechanics_.coordinates());
    const Reals q(x.begin(), x.begin() + n), v(x.begin() + n, x.end());
    LongMechanics::Motion motion = mechanics_.motion(t, q, v);
    Rates out{v, motion.multipliers, motion.smallest_pivot,
              motion.rank == mechanics_.coordinates() + mechanics_.constraints()};
    out.derivative.insert(out.derivative.end(), motion.acceleration.begin(), motion.acceleration.end());
    return out;
  }
  Values values(Real t, const Reals& q, const Reals& v) override {
    const auto values = mechanics_.values(t, q, v);
    return {values.energy, values.position, values.velocity, values.energy_size};
  }

 private:
  LongMechanics mechanics_;
};

// What the other kinds share: formulas by row.
class FormulaSystem : public LongSystem {
 protected:
  explicit FormulaSystem(const Model& model) : model_(model), graph_(*model.graph) {}

  Reals rows(const Entries& entries, std::size_t size, const LongPoint& at) {
    Reals out(size);
    each(entries, [&](std::size_t row, NodeId expr) { out[row] += graph_.value(expr, at); });
    return out;
  }
  template <class Visit>
  static void each(const Entries& entries, const Visit& visit) {
    for (const Entry& entry : entries) {
      if (entry.count != 0) throw std::logic_error("LongSystem: the model has loops");
      visit(static_cast<std::size_t>(entry.row.base), entry.expr);
    }
  }
  // Newton for F(z) = 0; `equations` gives F and its Jacobian.
  template <class Equations>
  static bool newton(Reals& z, Rates& rates, const Equations& equations) {
    Real last = INFINITY;
    for (int iteration = 0; iteration < 80; ++iteration) {
      std::vector<Reals> J(z.size(), Reals(z.size()));
      Reals F(z.size());
      equations(z, F, J);
      const LongSolution s = solve_pivoted(J, F);
      rates.least_pivot = s.smallest_pivot;
      if (s.rank < static_cast<int>(z.size())) return false;
      for (std::size_t i = 0; i < z.size(); ++i) z[i] -= s.x[i];
      const Real change = largest(s.x) / (1 + largest(z));
      if (change < 1e-18L || (change < 1e-15L && change >= last / 2)) return true;
      last = change;
    }
    return false;
  }

  const Model& model_;
  LongGraph graph_;
};

class DaeSystem : public FormulaSystem {
 public:
  explicit DaeSystem(const Model& model) : FormulaSystem(model), z_(widened(model.z0)) {}

  Reals differential(const Reals& q, const Reals&) const override { return q; }

  Rates rates(Real t, const Reals& y) override {
    const std::size_t n = y.size(), m = z_.size();
    LongPoint at{t, y, Reals(n), Reals(m)};
    Rates out;
    std::vector<LongPoint> c(m, zeros_like(at));  // gradients of the constraints
    each(model_.constraints, [&](std::size_t row, NodeId expr) {
      const auto d = graph_.derivatives(expr, at, zeros_like(at));
      c[row].t += d.gradient.t;
      for (std::size_t j = 0; j < n; ++j) c[row].q[j] += d.gradient.q[j];
    });
    const auto f = [&](const Reals& z, std::vector<Reals>* slope) {
      at.multipliers = z;
      Reals value(n);
      for (const Entries& part : model_.parts)
        each(part, [&](std::size_t row, NodeId expr) {
          const auto d = graph_.derivatives(expr, at, zeros_like(at));
          value[row] += d.value;
          if (slope != nullptr)
            for (std::size_t k = 0; k < m; ++k) (*slope)[row][k] += d.gradient.multipliers[k];
        });
      return value;
    };
    out.determined = newton(z_, out, [&](const Reals& z, Reals& F, std::vector<Reals>& J) {
      std::vector<Reals> slope(n, Reals(m));
      const Reals value = f(z, &slope);
      for (std::size_t r = 0; r < m; ++r) {
        F[r] = std::inner_product(value.begin(), value.end(), c[r].q.begin(), c[r].t);
        for (std::size_t k = 0; k < m; ++k)
          for (std::size_t i = 0; i < n; ++i) J[r][k] += c[r].q[i] * slope[i][k];
      }
    });
    out.derivative = f(z_, nullptr);
    out.algebraic = z_;
    return out;
  }
  Values values(Real t, const Reals& q, const Reals&) override {
    return {{}, largest(rows(model_.constraints, z_.size(), {t, q, {}, Reals(z_.size())})), {}, 0};
  }

 private:
  Reals z_;  // the last ones: where Newton starts
};

class OdaeSystem : public FormulaSystem {
 public:
  explicit OdaeSystem(const Model& model) : FormulaSystem(model), psi_(widened(model.z0)) {}

  Rates rates(Real t, const Reals& x) override {
    const auto n = static_cast<std::size_t>(model_.coordinates.size()), m = psi_.size();
    const Reals y(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n)),
        z(x.begin() + static_cast<std::ptrdiff_t>(n), x.end());
    LongPoint at{t, y, z, psi_};
    // y' = v and what of its derivative does not need z'.
    LongPoint flow = zeros_like(at);
    flow.t = 1;
    flow.q = rows(model_.odae.v, n, at);
    Reals rate_of_v(n);
    std::vector<Reals> v_z(n, Reals(z.size()));
    each(model_.odae.v, [&](std::size_t row, NodeId expr) {
      const auto d = graph_.derivatives(expr, at, flow);
      rate_of_v[row] += d.along;
      for (std::size_t j = 0; j < z.size(); ++j) v_z[row][j] += d.gradient.v[j];
    });
    Reals known(m);
    std::vector<Reals> g_y(m, Reals(n));
    each(model_.constraints, [&](std::size_t row, NodeId expr) {
      const auto d = graph_.derivatives(expr, at, flow);
      known[row] += d.gradient_along.t;
      for (std::size_t j = 0; j < n; ++j) {
        known[row] += d.gradient_along.q[j] * flow.q[j] + d.gradient.q[j] * rate_of_v[j];
        g_y[row][j] += d.gradient.q[j];
      }
    });
    const Reals f = rows(model_.odae.f, z.size(), at);
    Rates out;
    Reals accelerations;
    out.determined = newton(psi_, out, [&](const Reals& psi, Reals& F, std::vector<Reals>& J) {
      at.multipliers = psi;
      accelerations = f;
      std::vector<Reals> slope(z.size(), Reals(m));
      each(model_.odae.r, [&](std::size_t row, NodeId expr) {
        const auto d = graph_.derivatives(expr, at, zeros_like(at));
        accelerations[row] += d.value;
        for (std::size_t k = 0; k < m; ++k) slope[row][k] += d.gradient.multipliers[k];
      });
      for (std::size_t r = 0; r < m; ++r) {
        F[r] = known[r];
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < z.size(); ++j) {
            F[r] += g_y[r][i] * v_z[i][j] * accelerations[j];
            for (std::size_t k = 0; k < m; ++k) J[r][k] += g_y[r][i] * v_z[i][j] * slope[j][k];
          }
      }
    });
    out.derivative = flow.q;
    out.derivative.insert(out.derivative.end(), accelerations.begin(), accelerations.end());
    out.algebraic = psi_;
    return out;
  }
  Values values(Real t, const Reals& q, const Reals& v) override {
    LongPoint at{t, q, v, psi_}, flow = zeros_like(at);
    flow.t = 1;
    flow.q = rows(model_.odae.v, q.size(), at);
    Reals g(psi_.size()), k(psi_.size());
    each(model_.constraints, [&](std::size_t row, NodeId expr) {
      const auto d = graph_.derivatives(expr, at, flow);
      g[row] += d.value;
      k[row] += d.along;
    });
    return {{}, largest(g), largest(k), 0};
  }

 private:
  Reals psi_;
};

class SkewGradientSystem : public FormulaSystem {
 public:
  explicit SkewGradientSystem(const Model& model) : FormulaSystem(model) {}

  Reals differential(const Reals& q, const Reals&) const override { return q; }
  Rates rates(Real t, const Reals& x) override {
    const LongPoint at{t, x, {}, {}};
    const auto H = graph_.derivatives(model_.hamiltonian, at, zeros_like(at));
    Rates out;
    out.derivative.assign(x.size(), 0);
    for (const Entry& entry : model_.pi)
      out.derivative[static_cast<std::size_t>(entry.row.base)] +=
          graph_.value(entry.expr, at) * H.gradient.q[static_cast<std::size_t>(entry.col.base)];
    return out;
  }
  Values values(Real t, const Reals& q, const Reals&) override {
    const Real H = graph_.value(model_.hamiltonian, {t, q, {}, {}});
    return {H, {}, {}, std::fabs(H)};
  }
};

// E x' + r = (J - R) z + (B - P) u. States whose column of E is zero are algebraic; equations whose row is zero do not
// contain them (index 2), and are differentiated.
class PortHamiltonianSystem : public FormulaSystem {
 public:
  explicit PortHamiltonianSystem(const Model& model) : FormulaSystem(model), full_(widened(model.q0)) {
    const auto n = full_.size();
    std::vector<char> column(n, 0);
    row_.assign(n, 0);
    for (const Entry& entry : model.ph.E) {
      row_[static_cast<std::size_t>(entry.row.base)] = 1;
      column[static_cast<std::size_t>(entry.col.base)] = 1;
    }
    for (std::size_t i = 0; i < n; ++i) (column[i] != 0 ? differential_ : algebraic_).push_back(i);
  }
  Reals differential(const Reals& q, const Reals&) const override {
    Reals out;
    for (const std::size_t i : differential_) out.push_back(q[i]);
    return out;
  }

  Reals recorded_algebraic(const Reals& q, const Reals&) const override {
    Reals out;
    for (const std::size_t i : algebraic_) out.push_back(q[i]);
    return out;
  }

  Rates rates(Real t, const Reals& x) override {
    const std::size_t n = full_.size(), nd = differential_.size();
    for (std::size_t i = 0; i < nd; ++i) full_[differential_[i]] = x[i];
    Reals unknown(n);  // x_d', x_a
    for (std::size_t k = 0; k < algebraic_.size(); ++k) unknown[nd + k] = full_[algebraic_[k]];
    Rates out;
    out.determined = newton(unknown, out, [&](const Reals& u, Reals& F, std::vector<Reals>& J) {
      for (std::size_t k = 0; k < algebraic_.size(); ++k) full_[algebraic_[k]] = u[nd + k];
      const LongPoint at{t, full_, {}, {}};
      std::vector<LongPoint> slope(n, zeros_like(at));
      const Reals f = right_hand_side(at, slope);
      for (std::size_t i = 0; i < n; ++i)
        if (row_[i] != 0) {
          F[i] = -f[i];
          for (std::size_t k = 0; k < algebraic_.size(); ++k) J[i][nd + k] = -slope[i].q[algebraic_[k]];
        } else {
          F[i] = slope[i].t;
          for (std::size_t j = 0; j < nd; ++j) {
            J[i][j] = slope[i].q[differential_[j]];
            F[i] += J[i][j] * u[j];
          }
        }
      for (const Entry& entry : model_.ph.E) {
        const auto j = static_cast<std::size_t>(
            std::find(differential_.begin(), differential_.end(), static_cast<std::size_t>(entry.col.base)) -
            differential_.begin());
        const auto i = static_cast<std::size_t>(entry.row.base);
        const Real e = graph_.value(entry.expr, at);
        J[i][j] += e;
        F[i] += e * u[j];
      }
    });
    out.derivative.assign(unknown.begin(), unknown.begin() + static_cast<std::ptrdiff_t>(nd));
    out.algebraic.assign(unknown.begin() + static_cast<std::ptrdiff_t>(nd), unknown.end());
    return out;
  }
  Values values(Real t, const Reals& q, const Reals&) override {
    const Real H = graph_.value(model_.hamiltonian, {t, q, {}, {}});
    return {H, {}, {}, std::fabs(H)};
  }

 private:
  // (J - R) z + (B - P) u - r with its gradient.
  Reals right_hand_side(const LongPoint& at, std::vector<LongPoint>& slope) {
    Reals f(full_.size());
    const auto add = [&](std::size_t row, Real factor, NodeId a, const NodeId* b) {
      const auto da = graph_.derivatives(a, at, zeros_like(at));
      const auto db = b != nullptr ? graph_.derivatives(*b, at, zeros_like(at))
                                   : LongGraph::Derivatives{1, 0, zeros_like(at), zeros_like(at)};
      f[row] += factor * da.value * db.value;
      slope[row].t += factor * (da.gradient.t * db.value + da.value * db.gradient.t);
      for (std::size_t j = 0; j < full_.size(); ++j)
        slope[row].q[j] += factor * (da.gradient.q[j] * db.value + da.value * db.gradient.q[j]);
    };
    for (const Entries* matrix : {&model_.ph.J, &model_.ph.R})
      for (const Entry& entry : *matrix)
        for (const Entry& z : model_.ph.z)
          if (z.row.base == entry.col.base)
            add(static_cast<std::size_t>(entry.row.base), matrix == &model_.ph.J ? 1 : -1, entry.expr, &z.expr);
    for (const auto& input : model_.ph.inputs) {
      for (const Entry& entry : input.B) add(static_cast<std::size_t>(entry.row.base), 1, entry.expr, &input.u);
      for (const Entry& entry : input.P) add(static_cast<std::size_t>(entry.row.base), -1, entry.expr, &input.u);
    }
    for (const Entry& entry : model_.ph.r) add(static_cast<std::size_t>(entry.row.base), -1, entry.expr, nullptr);
    return f;
  }

  Reals full_;  // the last state with its algebraic part
  std::vector<char> row_;
  std::vector<std::size_t> differential_, algebraic_;
};

}  // namespace

Reals LongSystem::differential(const Reals& q, const Reals& v) const {
  Reals out = q;
  out.insert(out.end(), v.begin(), v.end());
  return out;
}

Reals LongSystem::recorded_algebraic(const Reals&, const Reals& multipliers) const { return multipliers; }

std::unique_ptr<LongSystem> long_system(const Model& model) {
  switch (model.kind) {
    case Kind::mechanical: return std::make_unique<MechanicalSystem>(model);
    case Kind::dae: return std::make_unique<DaeSystem>(model);
    case Kind::odae: return std::make_unique<OdaeSystem>(model);
    case Kind::skew_gradient: return std::make_unique<SkewGradientSystem>(model);
    case Kind::port_hamiltonian: return std::make_unique<PortHamiltonianSystem>(model);
  }
  throw std::logic_error("long_system: an unknown kind");
}

namespace {

Reals combined(const Reals& a, Real s, const Reals& b) {
  Reals out = a;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += s * b[i];
  return out;
}

// From t0 to t0 + step by extrapolation of the explicit midpoint rule. Where the result of one order less differs, in two
// halves: a motion may turn quickly, as where a velocity that a constraint squares passes 0.
Reals extrapolated(LongSystem& system, Real t0, const Reals& x, Real step, int halvings) {
  constexpr int kColumns = 6;  // 2, 4, .. 12 substeps: the error expands in even powers
  constexpr Real kAllowed = 1e-15L;
  const Reals first = system.rates(t0, x).derivative;
  std::vector<Reals> T;
  for (int column = 1; column <= kColumns; ++column) {
    const int n = 2 * column;
    const Real h = step / n;
    Reals before = x, here = combined(x, h, first);
    for (int i = 1; i < n; ++i) {
      const Reals next = combined(before, 2 * h, system.rates(t0 + i * h, here).derivative);
      before = here;
      here = next;
    }
    T.push_back(here);
    for (int j = column - 2; j >= 0; --j) {
      const Real ratio = Real(n) / (2 * (j + 1)), factor = 1 / (ratio * ratio - 1);
      Reals& lower = T[static_cast<std::size_t>(j)];
      const Reals& upper = T[static_cast<std::size_t>(j) + 1];
      for (std::size_t i = 0; i < lower.size(); ++i) lower[i] = upper[i] + factor * (upper[i] - lower[i]);
    }
  }
  Real size = 1, off = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    size = std::fmax(size, std::fabs(T[0][i]));
    off = std::fmax(off, std::fabs(T[0][i] - T[1][i]));
  }
  if (off <= kAllowed * size || halvings == 0) return T[0];
  const Reals middle = extrapolated(system, t0, x, step / 2, halvings - 1);
  return extrapolated(system, t0 + step / 2, middle, step / 2, halvings - 1);
}

}  // namespace

std::vector<Reals> long_motion(LongSystem& system, const Reals& start, Real step, int steps) {
  constexpr int kHalvings = 7;
  std::vector<Reals> out;
  for (int k = 0; k < steps; ++k)
    out.push_back(extrapolated(system, k * step, k == 0 ? start : out.back(), step, kHalvings));
  return out;
}

}  // namespace rattleback::testing
