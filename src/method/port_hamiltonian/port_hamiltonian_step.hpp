// What the steps of all methods on port-Hamiltonian systems share: inputs, scales, guesses, results and energies.
#pragma once

#include <optional>

#include "method/port_hamiltonian/port_hamiltonian_collocation.hpp"
#include "method/runge_kutta/stages.hpp"
#include "system/point.hpp"

namespace rattleback {

struct PortHamiltonianStep {
  PortHamiltonianStep(const PortHamiltonian& system, const std::optional<DerivedStates>& of)
      : f(system),
        derived(of),
        algebraic(f.algebraic_states()),
        eq(make_equations(f)),  // f gives its graph away
        in(eq, of ? of->n : f.n, of ? of->m : 0, of.has_value()) {
    x0 = in.q;
    x0.insert(x0.end(), in.v.begin(), in.v.end());
    x0.insert(x0.end(), in.multipliers.begin(), in.multipliers.end());
    // Rounding errors of an algebraic state are those of states where an algebraic equation contains it, and those of
    // states per step where it acts through derivatives alone (a multiplier).
    const std::vector<char> rows = system.algebraic_equations();
    Graph& g = eq.graph;
    const auto same = [](const auto& x) { return x; };
    const Vec flow = PortHamiltonian::flow(g, f.at(same));
    scale.assign(algebraic.size(), Equations::Scale::state_per_step);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] == 0) continue;
      for (const Entry& e : gradient(g, flow[i], kPosition))
        if (algebraic[static_cast<std::size_t>(e.row.base)] != 0)
          scale[static_cast<std::size_t>(e.row.base)] = Equations::Scale::state;
    }
    eq.eliminate = !system.graded();
  }

  // The equation of unknown `state` of the stage at hand.
  void equation(NodeId residual, std::size_t state) {
    eq.residuals.push_back(residual);
    eq.scales.push_back(scale[state]);
  }

  // Guesses of the unknowns of one stage: derivatives, and values of algebraic states.
  void guess_rates() {
    const std::size_t n = in.q.size();
    for (std::size_t k = 0; k < algebraic.size(); ++k) {
      if (algebraic[k] != 0)
        eq.guesses.push_back(x0[k]);
      else if (derived)
        eq.guesses.push_back(k < n ? in.v[k] : in.acceleration[k - n]);
      else
        eq.guesses.push_back(in.acceleration[k]);
    }
  }

  // x1 without what is not carried, then the newest multipliers.
  void results(const Vec& x1, const Vec& newest) {
    eq.results.assign(x1.begin(), x1.end() - (derived ? derived->m : 0));
    eq.results.insert(eq.results.end(), newest.begin(), newest.end());
  }

  static Equations make_equations(PortHamiltonian& f) {
    Equations eq;
    eq.graph = std::move(f.graph);
    return eq;
  }

  PortHamiltonian f;  // without its graph
  std::optional<DerivedStates> derived;
  std::vector<char> algebraic;
  Equations eq;
  StepInputs in;
  Vec x0;
  std::vector<Equations::Scale> scale;
};

// Equations::power, from the ends of the step and its stages.
class PowerNodes {
 public:
  PowerNodes(PortHamiltonianStep& step, NodeId t0, const Vec& x0, NodeId t1, const Vec& x1)
      : step_(step), g_(step.eq.graph) {
    Point start(g_, t0, x0, {}), end(g_, t1, x1, {});
    const auto open = [&](NodeId H, bool whole) {
      const NodeId after = end(H);
      nodes_.insert(nodes_.end(), {g_.sub(after, start(H)), g_.zero(), g_.zero(), whole ? after : g_.zero()});
    };
    open(step.f.H, true);
    for (const auto& part : step.f.parts) open(part.H, false);
  }

  // A stage with the weight h b_i. `at.z` are the efforts that the method uses.
  void add(NodeId weight, NodeId t, const Vec& X, const PortHamiltonian::At& at) {
    put(1, weight, PortHamiltonian::supplied(g_, at));
    put(2, weight, PortHamiltonian::dissipated(g_, at));
    Point here(g_, t, X, {}, at.z);
    for (std::size_t k = 0; k < step_.f.parts.size(); ++k) {
      const auto& part = step_.f.parts[k];
      put(4 * k + 5, weight, here(part.supplied));
      put(4 * k + 6, weight, here(part.dissipated));
      put(4 * k + 7, weight, here(part.received));
    }
  }

  std::vector<NodeId> take() { return std::move(nodes_); }

 private:
  void put(std::size_t place, NodeId weight, NodeId power) {
    nodes_[place] = g_.add(nodes_[place], g_.mul(weight, power));
  }
  PortHamiltonianStep& step_;
  Graph& g_;
  std::vector<NodeId> nodes_;
};

}  // namespace rattleback
