#include "bind/bind_energy.hpp"

#include <fmt/format.h>

#include "method/gradient/average_points.hpp"
#include "method/gradient/reduced_step.hpp"
#include "rattleback/error.hpp"
#include "tableau/compositions.hpp"

namespace rattleback {

std::string why_not_energy(const Model& model) { return why_not_reducible(model); }

void bind_energy(const System& system, const EnergyMethod& method, const Options& options, const Start& start,
                 PlanStepperData& data, BoundMethod& out) {
  data.turn_free = true;  // the unknowns are rates
  const bool collocation = method.kind == EnergyRule::Kind::collocation;
  EnergyRule rule{.kind = method.kind, .stages = collocation ? options.stages : 1};
  const auto choose_points = [&](const SkewGradient& s, std::span<const double> x, std::span<const double> held) {
    if (!collocation) return;
    const AveragePoints chosen = average_points(s, x, held, options.adaptive > 0.0 ? 0.0 : options.step, rule.stages);
    rule.points = chosen.points;
    const std::string points = fmt::format("{} quadrature point{}", rule.points, rule.points == 1 ? "" : "s");
    if (chosen.exact)
      out.notes.push_back("the average of the gradient is exact with " + points);
    else
      out.notes.push_back("the average of the gradient is taken with " + points +
                          (options.adaptive > 0.0 ? ": the sizes of the steps are not known before the run"
                                                  : ", chosen so that it is exact to rounding on trial steps"));
  };
  // H at a state, for the feedback.
  const auto value = [](const SkewGradient& s, std::span<const double> x, std::span<const double> held) {
    return Evaluator(s.graph, std::span(&s.H, 1), s.n, static_cast<std::int32_t>(held.size()))(0.0, x, {}, held)[0];
  };
  if (const auto* const s = system.as<SkewGradient>()) {
    choose_points(*s, start.q, {});
    data.step = Plan(energy_step(*s, rule));
    data.reference_energy = value(*s, start.q, {});
    return;
  }
  const Mechanical& f = system.mechanical();
  if (method.frame == EnergyMethod::Frame::canonical) {
    if (f.mass && !f.inverse_mass)
      throw Error(fmt::format("method '{}' needs a regular mass matrix, and that of '{}' is singular", out.name,
                              system.model().key));
    out.constraint_oscillates = true;  // the mean velocity of a step satisfies it: v1 = -v0 in that direction
    const Canonical c(f);
    Evaluator momentum(c.system.graph, c.momentum, c.n, c.m);
    std::vector<double> x = start.q;
    const auto p = momentum(start.t, start.q, start.v);
    x.insert(x.end(), p.begin(), p.end());
    data.reference_energy = value(c.system, x, {});
    data.step = Plan(canonical_gonzalez_step(c, system.model().ph.R));
    return;
  }
  const Reduced r(f, start.q, method.frame == EnergyMethod::Frame::differences);
  const auto choices = static_cast<std::int32_t>(r.choice.size());
  Evaluator choice(r.system.graph, r.choice, r.n, choices), rho(r.system.graph, r.rho, r.n, choices);
  const auto chosen = choice(start.t, start.q);
  const std::vector<double> held(chosen.begin(), chosen.end());
  const auto momenta = rho(start.t, start.q, start.v, held);
  std::vector<double> x = start.q;
  x.insert(x.end(), momenta.begin(), momenta.end());
  choose_points(r.system, x, held);
  data.reference_energy = value(r.system, x, held);
  const auto parts = options.compose != 0 ? composition(options.compose).gamma.size() : std::size_t{1};
  // The state that is passed on would have another length for each rank.
  if (parts > 1 && choices > f.m && options.redundant == Redundant::minimum_norm)
    throw Error(fmt::format(
        "--compose with --redundant minimum-norm does not take '{}' on '{}', whose steps pass on their choice "
        "of coordinates. Leave one of them out",
        out.name, system.model().key));
  if (parts > 1 && choices > 0) {
    data.carried = 1 + choices;
    data.carries_multipliers = false;
  }
  data.step = Plan(reduced_energy_step(r, f.m, rule, system.model().ph.R, static_cast<int>(parts)));
}

}  // namespace rattleback
