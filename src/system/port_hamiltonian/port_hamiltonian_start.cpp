#include "system/port_hamiltonian/port_hamiltonian_start.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/kinds/port_hamiltonian_structure.hpp"
#include "rattleback/error.hpp"

namespace rattleback {

AlgebraicPart algebraic_part(PortHamiltonian& f) {
  Graph& g = f.graph;
  AlgebraicPart out;
  const std::vector<char> states = f.algebraic_states(), rows = f.algebraic_equations();
  const auto same = [](const auto& x) { return x; };
  const std::vector<NodeId> flow = PortHamiltonian::flow(g, f.at(same));
  for (std::int32_t i = 0; i < f.n; ++i) {
    if (rows[static_cast<std::size_t>(i)] == 0) continue;
    bool determines = false;
    for (const Entry& e : gradient(g, flow[static_cast<std::size_t>(i)], kPosition))
      determines = determines || states[static_cast<std::size_t>(e.row.base)] != 0;
    (determines ? out.determining : out.constraining).push_back(i);
    if (!determines) out.constraints.push_back(flow[static_cast<std::size_t>(i)]);
  }
  return out;
}

namespace {
// x = 1, y = 0 and so on; of very many the first.
std::string state_text(const Model& model, const std::vector<double>& x) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(x.size(), kShown); ++i)
    parts.push_back(fmt::format("{} = {:.6g}", model.coordinates[static_cast<std::int32_t>(i)], x[i]));
  if (x.size() > kShown) parts.emplace_back("...");
  return fmt::format("{}", fmt::join(parts, ", "));
}
}  // namespace

Start port_hamiltonian_start(const System& system, bool project) {
  constexpr double kToldFrom = 1e-10;  // a difference to what was written that is worth a note
  const Model& model = system.model();
  Start s;
  s.t = model.t0;
  s.q = model.q0;
  const StartAnalysis a = analyse_start(system, s);
  if (!a.consistent) {
    const ConstraintResidual* worst = &a.residuals.front();
    for (const ConstraintResidual& r : a.residuals)
      if (r.excess() > worst->excess() || !std::isfinite(r.value)) worst = &r;
    const std::string name = worst->name;
    const double value = worst->value;
    if (!project && !model.project)
      throw Error(fmt::format(
          "initial state violates the algebraic equation of '{}': residual {:.3e}, where rounding explains {:.1e}. "
          "Correct the start, or pass --project to move it to the nearest consistent one",
          name, value, worst->allowed));
    const std::vector<double> before = s.q;
    const bool determined = a.saddle_regular;
    if (const Projected projected = project_start(system, s); !projected)
      throw Error(fmt::format(
          "initial state violates the algebraic equation of '{}' (residual {:.3e}), and no consistent state was found "
          "near it: {}",
          name, value, projected.why));
    if (determined && !system.acceleration()->solve(s.t, s.q, {}))
      throw Error(
          fmt::format("initial state violates the algebraic equation of '{}' (residual {:.3e}), and the nearest "
                      "consistent state is singular: the constraints are dependent there and do not determine the "
                      "algebraic states ({}). Start elsewhere, or hold other states",
                      name, value, state_text(model, s.q)));
    double moved = 0.0;
    for (std::size_t i = 0; i < before.size(); ++i) moved += (s.q[i] - before[i]) * (s.q[i] - before[i]);
    s.notes.push_back(
        fmt::format("the start was inconsistent ('{}': {:.3e}) and was moved by {:.3e} to the nearest consistent one",
                    name, value, std::sqrt(moved)));
  }
  const std::unique_ptr<Acceleration> level = system.acceleration();
  if (level->solve(s.t, s.q, {})) {
    s.acceleration.assign(level->acceleration().begin(), level->acceleration().end());
    std::vector<std::string> found;
    for (std::size_t i = 0; i < s.q.size(); ++i) {
      const double x = level->consistent_state()[i];
      if (std::fabs(x - s.q[i]) > kToldFrom * std::fmax(1.0, std::fabs(x)))
        found.push_back(fmt::format("{} = {:.10g}", model.coordinates[static_cast<std::int32_t>(i)], x));
      s.q[i] = x;
    }
    if (!found.empty())
      s.notes.push_back(fmt::format("algebraic states start where the equations put them: {}", fmt::join(found, ", ")));
  } else {
    s.acceleration.assign(s.q.size(), 0.0);
    s.notes.emplace_back(
        "the equations do not determine the derivatives and the algebraic states at the start (index above 2, or E is "
        "singular without zero rows and columns): the start is taken as it is");
  }
  PortHamiltonianStructure structure(*system.as<PortHamiltonian>());
  if (const auto fault = structure.fault(s.t, s.q))
    throw Error(fmt::format("model '{}' is not port-Hamiltonian at the start: {}", model.key, fault->text));
  return s;
}

}  // namespace rattleback
