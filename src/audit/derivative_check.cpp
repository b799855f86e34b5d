#include "audit/derivative_check.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "formulation/evaluator.hpp"

namespace rattleback {
namespace {

// A function with its derivative with respect to one space, both as vectors of `rows` values: the derivative is applied
// to a direction, so nothing larger than a vector is ever formed.
struct Pair {
  Entries value, derivative;  // derivative: entries multiplied by the direction, which stands in kMultiplier
  std::int32_t rows = 0;
  Space space = kPosition;
};

Pair make_pair(Graph& g, Entries value, std::int32_t rows, Space space) {
  Pair p;
  p.rows = rows;
  p.space = space;
  for (Entry e : jacobian(g, value, space)) {
    e.expr = g.mul(e.expr, g.variable(kMultiplier, e.col.base, e.col.stride, e.count));
    e.col = {};
    p.derivative.push_back(e);
  }
  p.value = std::move(value);
  return p;
}

// The direction stands where multipliers do, so those take their starting values (families: none, which stays out).
Entries at_start_multipliers(Graph& g, const Entries& r, const std::vector<double>& psi) {
  Entries out;
  for (Entry e : r) {
    if (e.count != 0 && depends_on(g, std::span(&e.expr, 1), kMultiplier)) continue;
    e.expr = substitute(g, e.expr, [&](NodeId leaf) {
      return g[leaf].space == kMultiplier ? g.constant(psi[static_cast<std::size_t>(g[leaf].base())]) : leaf;
    });
    out.push_back(e);
  }
  return out;
}

}  // namespace

double derivative_error(const Model& model) {
  Graph g = *model.graph;
  const std::int32_t n = model.coordinates.size();
  const std::int32_t wide = std::max(n, model.odae.velocities.size());  // velocities may be more than positions
  std::vector<Pair> pairs;
  if (model.kind == Kind::mechanical) {
    const Entries L = {{model.lagrangian, 0, {}, {}}};
    const Entries p = gradient(g, model.lagrangian, kVelocity), Lq = gradient(g, model.lagrangian, kPosition);
    for (const Space space : {kPosition, kVelocity}) {
      pairs.push_back(make_pair(g, L, 1, space));
      pairs.push_back(make_pair(g, p, n, space));
      pairs.push_back(make_pair(g, Lq, n, space));
      pairs.push_back(make_pair(g, model.nonholonomic, model.nonholonomic_names.size(), space));
      pairs.push_back(make_pair(g, model.holonomic, model.holonomic_names.size(), space));
    }
  } else if (model.kind == Kind::odae) {
    const OdaeParts& o = model.odae;
    const std::int32_t nz = o.velocities.size();
    pairs.push_back(make_pair(g, model.constraints, model.algebraic.size(), kPosition));
    for (const Space space : {kPosition, kVelocity}) {
      pairs.push_back(make_pair(g, o.v, n, space));
      pairs.push_back(make_pair(g, o.f, nz, space));
      pairs.push_back(make_pair(g, at_start_multipliers(g, o.r, model.z0), nz, space));
    }
  } else if (model.has_states()) {
    const Entries H = {{model.hamiltonian, 0, {}, {}}};
    pairs.push_back(make_pair(g, H, 1, kPosition));
    pairs.push_back(make_pair(g, gradient(g, model.hamiltonian, kPosition), n, kPosition));
    pairs.push_back(make_pair(g, model.ph.z, n, kPosition));
  } else {
    pairs.push_back(make_pair(g, model.constraints, model.algebraic.size(), kPosition));
    for (const Entries& part : model.parts)
      if (!depends_on(g, part, kMultiplier)) pairs.push_back(make_pair(g, part, n, kPosition));
  }
  std::mt19937_64 random(7);
  // Uniform in (-1.7, 1.7), variance 1, straight from the bits: the library's distributions take most of the time for
  // 10^5 coordinates, and give other numbers with another library.
  const auto spread = [&random] { return (static_cast<double>(random() >> 11U) * 0x1p-52 - 1.0) * 1.7320508; };
  std::vector<double> direction(static_cast<std::size_t>(wide));
  double worst = 0.0;
  for (const Pair& pair : pairs) {
    if (pair.rows == 0 || pair.value.empty()) continue;
    Evaluator f(g, pair.value, pair.rows, wide, wide), df(g, pair.derivative, pair.rows, wide, wide);
    for (int trial = 0; trial < 3; ++trial) {
      std::vector<double> q = model.q0, v = model.v0;
      v.resize(static_cast<std::size_t>(wide), 0.0);
      for (double& x : direction) x = spread();
      if (trial > 0) {
        for (double& x : q) x += 0.1 * spread();
        for (double& x : v) x += 0.1 * spread();
      }
      const auto exact_view = df(0.1, q, v, direction);
      const std::vector<double> exact(exact_view.begin(), exact_view.end());
      // Richardson's extrapolation of two central differences.
      const auto difference = [&](double eps) {
        std::vector<double> out(static_cast<std::size_t>(pair.rows), 0.0);
        for (const double sign : {1.0, -1.0}) {
          std::vector<double> qq = q, vv = v;
          std::vector<double>& moved = pair.space == kPosition ? qq : vv;
          for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += sign * eps * direction[i];
          const auto value = f(0.1, qq, vv);
          for (std::size_t i = 0; i < out.size(); ++i) out[i] += sign * value[i] / (2.0 * eps);
        }
        return out;
      };
      const std::vector<double> coarse = difference(2e-4), fine = difference(1e-4);
      double size = 1e-8, error = 0.0;
      bool finite = true;
      for (std::size_t i = 0; i < exact.size(); ++i) {
        const double estimate = (4.0 * fine[i] - coarse[i]) / 3.0;
        size = std::fmax(size, std::fabs(estimate));
        error = std::fmax(error, std::fabs(estimate - exact[i]));
        finite = finite && std::isfinite(estimate) && std::isfinite(exact[i]);
      }
      if (finite) worst = std::fmax(worst, error / size);
    }
  }
  return worst;
}

}  // namespace rattleback
