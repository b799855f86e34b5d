// What the equations of every step start from: t, h, the state, and values for cold starting guesses.
#pragma once

#include "expr/combine.hpp"
#include "step/equations.hpp"

namespace rattleback {

struct StepInputs {
  // n positions (and velocities, if mechanical), m multipliers.
  StepInputs(Equations& eq, std::int32_t n, std::int32_t m, bool mechanical) : graph(eq.graph) {
    // The state (q, v, carried) is contiguous and in the order of the results: PlanStepper copies it in one piece.
    eq.inputs = {{kTime, 1}, {kStepSize, 1}, {kMultiplier, m}, {kAcceleration, n}, {kPosition, n}};
    if (mechanical) eq.inputs.emplace_back(kVelocity, n);
    t = graph.variable(kTime, 0);
    h = graph.variable(kStepSize, 0);
    q = list(kPosition, 0, n);
    if (mechanical) v = list(kVelocity, 0, n);
    multipliers = list(kMultiplier, 0, m);
    acceleration = list(kAcceleration, 0, n);
  }

  std::vector<NodeId> list(Space space, std::int32_t first, std::int32_t count) {
    std::vector<NodeId> out;
    out.reserve(static_cast<std::size_t>(count));
    for (std::int32_t i = 0; i < count; ++i) out.push_back(graph.variable(space, first + i));
    return out;
  }
  // t + fraction*h
  NodeId time(double fraction) { return graph.add(t, graph.mul(graph.constant(fraction), h)); }

  Graph& graph;
  NodeId t = 0, h = 0;
  std::vector<NodeId> q, v, multipliers, acceleration;
};

}  // namespace rattleback
