// Steps that keep the energy of x' = Pi(x) grad H(x), written as equations in the mean rates K of a step.
//
//   discrete gradients   x1 = x0 + h K,   K = Pi((x0+x1)/2) G(x0, x1),   G . (x1 - x0) = H(x1) - H(x0)
//     gonzalez           G = g + (H(x1) - H(x0) - g.dx) dx/|dx|^2,  g = grad H((x0+x1)/2)
//                        [Gonzalez1996; Celledoni2016, eq. 12]
//     coordinate         G_i = slope of H in x_i, coordinates before i at x1, after i at x0
//                        [ItohAbe1988; Celledoni2016, eq. 13]
//   collocation          u of degree s, u' = K_i at the Gauss nodes c_i,
//                        K_i = Pi(u(c_i)) int_0^1 (l_i/b_i) grad H(u) dtau                [CohenHairer2011, eq. 3]
//                        with s = 1 it is the averaged vector field method   [HartenLaxVanLeer1983; Celledoni2016, eq. 11]
//
// Rounding errors of H would add up like a random walk. So the difference H(x0) - E to the energy E of the run's start is
// fed back: G.dx = H(x1) - E, and then H(x1) = E to rounding, whatever the step before left.
#pragma once

#include <functional>

#include "method/step_inputs.hpp"
#include "system/first_order/skew_gradient.hpp"

namespace rattleback {

struct EnergyRule {
  enum class Kind { gonzalez, coordinate, collocation };
  Kind kind = Kind::gonzalez;
  int stages = 1;
  int points = 1;  // collocation: of the quadrature
};

// What a step starts from. H, gradient and Pi are functions of x in kPosition and of `held` in kMultiplier, which stay as they
// are during a step.
struct EnergyStart {
  std::vector<NodeId> x0 = {}, held = {};
  std::int32_t first_unknown = 0;
  bool feed_back = true;  // false: the energy is not constant
};
// Further terms of the rate at time t and state x; `gradient` is the discrete gradient there.
using EnergyForce =
    std::function<std::vector<NodeId>(NodeId t, const std::vector<NodeId>& x, const std::vector<NodeId>& gradient)>;

// Appends the residuals of the unknowns first_unknown, ... (the rates, stage by stage) and their guesses to eq, whose graph
// holds the nodes of `system`. Scales are the caller's. Returns x1.
std::vector<NodeId> write_energy_step(Equations& eq, StepInputs& in, const SkewGradient& system, const EnergyRule& rule,
                                      const EnergyStart& start, const EnergyForce& force = {});

// The step on a system of kind skew-gradient.
Equations energy_step(const SkewGradient& system, const EnergyRule& rule);

}  // namespace rattleback
