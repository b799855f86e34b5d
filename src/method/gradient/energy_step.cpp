#include "method/gradient/energy_step.hpp"

#include <limits>

#include "expr/slope.hpp"
#include "expr/vectors.hpp"
#include "rattleback/error.hpp"
#include "system/point.hpp"
#include "tableau/tableau.hpp"

namespace rattleback {
namespace {

class EnergyStep {
 public:
  EnergyStep(Equations& eq, StepInputs& in, const SkewGradient& system, const EnergyStart& start,
             const EnergyForce& force)
      : eq_(eq), g_(eq.graph), in_(in), s_(system), start_(start), force_(force), n_(start.x0.size()) {
    if (start.feed_back) {
      eq.inputs.emplace_back(kReferenceEnergy, 1);
      Point at(g_, in.t, start.x0, {}, start.held);
      excess_ = g_.sub(at(s_.H), g_.variable(kReferenceEnergy, 0));
    }
  }

  using Gradient = Vec (EnergyStep::*)(Point& at, const Vec& x1, const Vec& dx);

  Vec discrete_gradient(Gradient gradient) {
    const Vec K = in_.list(kUnknown, start_.first_unknown, static_cast<std::int32_t>(n_));
    Vec dx, x1, middle;
    for (std::size_t i = 0; i < n_; ++i) {
      dx.push_back(g_.mul(in_.h, K[i]));
      x1.push_back(g_.add(start_.x0[i], dx[i]));
      middle.push_back(g_.add(start_.x0[i], g_.mul(g_.constant(0.5), dx[i])));
    }
    Point at(g_, in_.time(0.5), middle, {}, start_.held);
    balance(K, at, in_.time(0.5), middle, (this->*gradient)(at, x1, dx));
    guess(1);
    return x1;
  }

  Vec collocation(const EnergyRule& rule) {
    const EnergyCollocation c = energy_collocation(rule.stages, rule.points);
    const auto stages = static_cast<std::size_t>(rule.stages);
    std::vector<Vec> K, gradients(n_);  // gradients: by component, then quadrature point
    for (std::size_t i = 0; i < stages; ++i)
      K.push_back(
          in_.list(kUnknown, start_.first_unknown + static_cast<std::int32_t>(i * n_), static_cast<std::int32_t>(n_)));
    for (const std::vector<double>& a : c.a) {
      Point at(g_, in_.t, advanced(K, a), {}, start_.held);
      const Vec gradient = at(s_.gradient);
      for (std::size_t k = 0; k < n_; ++k) gradients[k].push_back(gradient[k]);
    }
    // The excess goes to the stages in proportion to their rates: sum_i b_i h K_i . G_i grows by it.
    NodeId power = g_.zero();
    for (std::size_t i = 0; i < stages; ++i)
      power = g_.add(power, g_.mul(g_.constant(c.gauss.b[i]), dot(g_, K[i], K[i])));
    NodeId feed = 0;
    for (std::size_t i = 0; i < stages; ++i) {
      Vec G;
      for (std::size_t k = 0; k < n_; ++k) G.push_back(combine(g_, c.weight[i], gradients[k]));
      if (start_.feed_back) {
        if (i == 0) feed = g_.mul(in_.h, share(g_.mul(power, g_.mul(in_.h, in_.h)), dot(g_, G, G)));
        for (std::size_t k = 0; k < n_; ++k) G[k] = g_.add(G[k], g_.mul(feed, K[i][k]));
      }
      const double tau = c.gauss.c[i];
      const Vec x = advanced(K, std::span(c.gauss.A).subspan(i * stages, stages));
      Point at(g_, in_.time(tau), x, {}, start_.held);
      balance(K[i], at, in_.time(tau), x, G);
    }
    guess(stages);
    return advanced(K, c.gauss.b);
  }

  Vec gonzalez(Point& at, const Vec& x1, const Vec& dx) {
    Vec g = at(s_.gradient);
    const NodeId change = slope(g_, s_.H, g_.one(), [&](NodeId leaf) {
                            const Node n = g_[leaf];
                            if (n.space == kPosition) {
                              const auto i = static_cast<std::size_t>(n.base());
                              return Span{start_.x0[i], x1[i], dx[i]};
                            }
                            const NodeId held =
                                n.space == kMultiplier ? start_.held[static_cast<std::size_t>(n.base())] : leaf;
                            return Span{held, held, g_.zero()};
                          }).slope;
    const NodeId defect = g_.sub(change, dot(g_, g, dx));
    if (g_.is_constant(defect, 0.0) && !start_.feed_back) return g;
    const NodeId dx2 = dot(g_, dx, dx);
    constexpr double kVanishes = 1e-280;  // |dx|^2 of a step that does not move, or nearly underflows
    // 0 in such a step. A select around the quotient would make a branch of everything in `defect`.
    const NodeId moves = g_.binary(Op::less, g_.constant(kVanishes), dx2);
    const NodeId endless = g_.constant(std::numeric_limits<double>::infinity());
    NodeId factor = g_.div(defect, g_.select(moves, dx2, endless));
    if (start_.feed_back) factor = g_.add(factor, share(dx2, dot(g_, g, g)));
    Vec G;
    for (std::size_t i = 0; i < n_; ++i) G.push_back(g_.add(g[i], g_.mul(factor, dx[i])));
    return G;
  }

  Vec coordinate(Point& /*at*/, const Vec& x1, const Vec& dx) {
    Vec G;
    for (std::size_t i = 0; i < n_; ++i) G.push_back(slope_in(i, x1, dx, x1, start_.x0));
    return fed_back(std::move(G), dx);
  }

 private:
  Vec advanced(const std::vector<Vec>& K, std::span<const double> weight) {
    Vec out;
    for (std::size_t k = 0; k < n_; ++k) {
      Vec column;
      for (const Vec& stage : K) column.push_back(stage[k]);
      out.push_back(g_.add(start_.x0[k], g_.mul(in_.h, combine(g_, weight, column))));
    }
    return out;
  }

  // Slope of H in x_i between x0 and x1, with the coordinates before i and those after it at these places.
  NodeId slope_in(std::size_t i, const Vec& x1, const Vec& dx, const Vec& before, const Vec& after) {
    return slope(g_, s_.H, dx[i],
                 [&](NodeId leaf) {
                   const Node n = g_[leaf];
                   const auto k = static_cast<std::size_t>(n.base());
                   if (n.space == kPosition && k == i) return Span{start_.x0[k], x1[k], g_.one()};
                   const NodeId still = n.space == kPosition     ? (k < i ? before[k] : after[k])
                                        : n.space == kMultiplier ? start_.held[k]
                                                                 : leaf;
                   return Span{still, still, g_.zero()};
                 })
        .slope;
  }

  // G with G . dx = H(x1) - E instead of H(x1) - H(x0).
  Vec fed_back(Vec G, const Vec& dx) {
    if (!start_.feed_back) return G;
    const NodeId factor = share(dot(g_, dx, dx), dot(g_, G, G));
    for (std::size_t i = 0; i < n_; ++i) G[i] = g_.add(G[i], g_.mul(factor, dx[i]));
    return G;
  }

  // a/b, or 0 where the condition does not hold; the branch that is not taken has finite derivatives.
  NodeId guarded(NodeId condition, NodeId a, NodeId b) {
    return g_.select(condition, g_.div(a, g_.select(condition, b, g_.one())), g_.zero());
  }

  // (H(x0) - E)/|dx|^2. It is rounding, and is left out where it would not be small beside the gradient: next to an
  // equilibrium, where dx vanishes.
  NodeId share(NodeId dx2, NodeId gradient2) {
    constexpr double kSmall = 1e-9;
    const NodeId small =
        g_.binary(Op::less, g_.mul(excess_, excess_), g_.mul(g_.constant(kSmall * kSmall), g_.mul(dx2, gradient2)));
    return guarded(small, excess_, dx2);
  }

  // K = Pi G + force
  void balance(const Vec& K, Point& at, NodeId t, const Vec& x, const Vec& G) {
    const Vec more = force_ ? force_(t, x, G) : Vec(n_, g_.zero());
    for (std::size_t i = 0; i < n_; ++i) {
      NodeId rate = more[i];
      for (std::size_t j = 0; j < n_; ++j) {
        if (g_.is_constant(s_.Pi[i][j], 0.0)) continue;
        rate = g_.add(rate, g_.mul(at(s_.Pi[i][j]), G[j]));
      }
      eq_.residuals.push_back(g_.sub(K[i], rate));
    }
  }

  // The rate at the start of the step.
  void guess(std::size_t stages) {
    Point at(g_, in_.t, start_.x0, {}, start_.held);
    const Vec gradient = at(s_.gradient);
    const Vec more = force_ ? force_(in_.t, start_.x0, gradient) : Vec(n_, g_.zero());
    Vec rate;
    for (std::size_t i = 0; i < n_; ++i) {
      NodeId sum = more[i];
      for (std::size_t j = 0; j < n_; ++j) sum = g_.add(sum, g_.mul(at(s_.Pi[i][j]), gradient[j]));
      rate.push_back(sum);
    }
    for (std::size_t i = 0; i < stages; ++i) eq_.guesses.insert(eq_.guesses.end(), rate.begin(), rate.end());
  }

  Equations& eq_;
  Graph& g_;
  StepInputs& in_;
  const SkewGradient& s_;
  const EnergyStart& start_;
  const EnergyForce& force_;
  std::size_t n_;
  NodeId excess_ = 0;
};

}  // namespace

Vec write_energy_step(Equations& eq, StepInputs& in, const SkewGradient& system, const EnergyRule& rule,
                      const EnergyStart& start, const EnergyForce& force) {
  EnergyStep step(eq, in, system, start, force);
  switch (rule.kind) {  // without a default: the compiler finds a kind that was forgotten
    case EnergyRule::Kind::gonzalez: return step.discrete_gradient(&EnergyStep::gonzalez);
    case EnergyRule::Kind::coordinate: return step.discrete_gradient(&EnergyStep::coordinate);
    case EnergyRule::Kind::collocation: return step.collocation(rule);
  }
  throw Error("energy-preserving step: a discrete gradient of this kind is not known");
}

Equations energy_step(const SkewGradient& system, const EnergyRule& rule) {
  Equations eq;
  eq.graph = system.graph;
  StepInputs in(eq, system.n, 0, false);
  const EnergyStart start{.x0 = in.q};
  eq.results = write_energy_step(eq, in, system, rule, start);
  eq.scales.assign(eq.residuals.size(), Equations::Scale::state_per_step);
  return eq;
}

}  // namespace rattleback
