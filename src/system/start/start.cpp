#include "system/start/start.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rattleback/error.hpp"
#include "system/mechanical/redundancy.hpp"
#include "system/port_hamiltonian/port_hamiltonian_start.hpp"
#include "system/start/start_residuals.hpp"

namespace rattleback {
namespace {

// 'a', 'b' and so on; of very many the first.
std::string quoted(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  const std::size_t shown = std::min(names.size(), kShown);
  const std::string text = fmt::format("'{}'", fmt::join(names.begin(), names.begin() + shown, "', '"));
  return names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

double residual_of(const StartAnalysis& a, const std::string& name, bool position) {
  for (const ConstraintResidual& r : a.residuals)
    if (r.name == name && r.position == position) return r.value;
  return 0.0;
}

// With constraints that may depend on one another: what belongs to a subset of full rank at (q, v), and the multipliers of
// least norm of all.
Start subset_start(const System& system, Start s) {
  const auto rows = std::make_shared<Redundancy>(system, s.q, s.v);
  const int set = rows->number_of(rows->choose());
  if (!s.q_error.empty()) {  // a start that was projected is as good as the projection left it
    rows->subset(set).model->q0_error = s.q_error;
    rows->subset(set).model->v0_error = s.v_error;
  }
  Start part = consistent_start(*rows->subset(set).system, false);
  (void)rows->look(s.t, s.q, s.v);
  (void)rows->standing(rows->subset(set).kept);
  s.multipliers.assign(static_cast<std::size_t>(system.m()), 0.0);
  rows->spread(rows->subset(set).kept, part.multipliers, s.multipliers);
  s.acceleration = std::move(part.acceleration);
  for (std::string& note : part.notes) s.notes.push_back(std::move(note));
  system.set_redundancy(rows);
  return s;
}

// Is there no state near (q, v) that satisfies all constraints? Then what depends on the others contradicts them.
bool contradicts(const System& system, std::vector<double> q, std::vector<double> v) {
  return !project_start(system, q, v);
}

void check_finite(const StartAnalysis& a) {
  for (const ConstraintResidual& r : a.residuals)
    if (!std::isfinite(r.value))
      throw Error(fmt::format(
          "constraint '{}' has no {} at the start: found a value that is not finite (the root of 0 in a rod "
          "of length 0, for example). Start elsewhere, or write the constraint without roots",
          r.name, r.position ? "value" : "time derivative"));
}

const ConstraintResidual& worst_residual(const StartAnalysis& a) {
  const ConstraintResidual* worst = &a.residuals.front();
  for (const ConstraintResidual& r : a.residuals)
    if (r.excess() > worst->excess()) worst = &r;
  // Of a wrong position the velocity level is off, too, so the position is named.
  for (const ConstraintResidual& r : a.residuals)
    if (r.name == worst->name && r.position && !r.is_rounding()) worst = &r;
  return *worst;
}

[[noreturn]] void refuse_inconsistent(const System& system, const Start& s, const StartAnalysis& a) {
  if (!a.below.empty())
    throw Error(fmt::format(
        "initial state lies beyond unilateral constraint '{}', which requires g >= 0: g = {:.3e}. Correct the start, "
        "or pass --project to move it to the nearest consistent one",
        a.below.front(), -residual_of(a, a.below.front(), true)));
  if (!a.into.empty())
    throw Error(
        fmt::format("initial state touches unilateral constraint '{}' and moves into it: dg/dt = {:.3e}. Start a "
                    "little before the impact or with dg/dt >= 0, or pass --project to remove that velocity",
                    a.into.front(), -residual_of(a, a.into.front(), false)));
  if (system.allows_redundant() && worst_of_dependent(a) != nullptr && contradicts(system, s.q, s.v))
    throw Error("--redundant minimum-norm: " + contradiction_text(*worst_of_dependent(a)));
  const ConstraintResidual& worst = worst_residual(a);
  std::string solved;
  for (const std::int32_t i : system.model().auxiliary)
    solved += (solved.empty() ? "'" : ", '") + system.model().coordinates[i] + "'";
  if (!solved.empty())
    solved = fmt::format(
        "That is with {} solved for, as far as their guesses led: perhaps another guess is what is "
        "missing. Otherwise: ",
        solved);
  throw Error(fmt::format(
      "initial state violates constraint '{}' at {} level: residual {:.3e}, where rounding explains {:.1e}. {}"
      "Correct the start, or pass --project to move it to the nearest consistent one",
      worst.name, worst.position ? "position" : "velocity", worst.value, worst.allowed, solved));
}

// To the nearest consistent state, and what is found there.
void move_to_consistent(const System& system, StartFunctions& functions, Start& s, StartAnalysis& a) {
  const ConstraintResidual worst = worst_residual(a);
  const std::vector<double> q = s.q, v = s.v;
  const Projected projected = project_start(system, s);
  a = analyse(system, functions, Judged(system, s), system.model().z0);
  if (!projected)
    throw Error(fmt::format(
        "initial state violates constraint '{}' (residual {:.3e}), and no consistent state was found "
        "near it: {}",
        worst.name, worst.value,
        !a.vanishing.empty() ? fmt::format("the gradient of '{}' vanishes there. Start elsewhere", a.vanishing.front())
                             : projected.why));
  double moved = 0.0;
  for (std::size_t i = 0; i < q.size(); ++i) moved += (s.q[i] - q[i]) * (s.q[i] - q[i]);
  for (std::size_t i = 0; i < v.size(); ++i) moved += (s.v[i] - v[i]) * (s.v[i] - v[i]);
  s.notes.push_back(
      fmt::format("the start was inconsistent ('{}' at {} level: {:.3e}) and was moved by {:.3e} to the nearest "
                  "consistent one",
                  worst.name, worst.position ? "position" : "velocity", worst.value, std::sqrt(moved)));
}

void check_gradients(const StartAnalysis& a) {
  if (!a.vanishing.empty())
    throw Error(fmt::format(
        "constraint {} cannot act at the start: its gradient vanishes there (a rod of length 0, for example), so no "
        "reaction can hold it. Start elsewhere, or write the constraint in a form whose gradient is not zero",
        quoted(a.vanishing)));
  if (!a.not_finite.empty())
    throw Error(fmt::format(
        "the gradient of constraint {} is not finite at the start (the root of 0 in a rod of length 0, for example). "
        "Start elsewhere, or write the constraint without roots",
        quoted(a.not_finite)));
}

void check_independent(const System& system, const StartAnalysis& a) {
  if (a.redundant.empty()) return;
  const char* const follow = a.redundant.size() == 1 ? "follows" : "follow";
  if (system.m() > system.n())
    throw Error(fmt::format(
        "{} constraints on {} coordinates cannot be independent: rank {} at the start, {} {} from the others. Remove "
        "what is redundant, or pass --redundant minimum-norm",
        system.m(), system.n(), a.rank, quoted(a.redundant), follow));
  throw Error(fmt::format(
      "constraints are dependent at the start: rank {} of {}, {} {} from the others. Remove what is redundant, "
      "start where the constraints are independent{}",
      a.rank, system.m(), quoted(a.redundant), follow,
      system.facts().redundant ? ", or pass --redundant minimum-norm" : ""));
}

// A mass of exactly 0, or nearly: forces that depend on the velocity may determine what inertia does not. The first step
// shows whether they do.
Start without_multipliers(const System& system, Start s, const std::string& where) {
  s.acceleration.assign(s.q.size(), 0.0);
  s.multipliers.assign(static_cast<std::size_t>(system.m()), 0.0);
  s.notes.push_back("a mass is 0 or nearly so" + where +
                    ": the multipliers at the start are not determined by inertia");
  return s;
}

void check_inertia(const System& system, const StartAnalysis& a) {
  if (!a.nearly_dependent.empty())
    throw Error(
        fmt::format("the multipliers at the start cannot be determined: {}. Leave one of them out, or start where "
                    "they differ",
                    nearly_dependent_text(a)));
  if (!a.saddle_regular && system.facts().lagrangian)
    throw Error(
        fmt::format("the Lagrangian gives no inertia to a motion that the constraints allow: the matrix "
                    "[L_vv K^T; K 0] is singular at the start (in {}). Add a kinetic term for it or remove the "
                    "coordinate",
                    fmt::join(a.without_inertia, ", ")));
}

Start odae_start(const System& system, const StartAnalysis& a, Start s) {
  if (!a.pulling.empty())
    throw Error(
        fmt::format("the multiplier of unilateral constraint '{0}' pulls towards it: a positive psi must push g = "
                    "{0} up (g_y v_z r_psi > 0). Change the sign of the constraint or of its multiplier in [r]",
                    a.pulling.front()));
  const ContactStart c = odae_multipliers(system, a, s.q, s.v);
  if (!c.solved)
    throw Error(
        fmt::format("the multipliers have no consistent value near their starting guess: {}. g_y v_z r_psi must be "
                    "regular; give a better guess in [initial]",
                    c.reason));
  s.acceleration = c.acceleration;
  s.multipliers = c.psi;
  return s;
}

Acceleration& acceleration_of(const System& system, StartFunctions& functions) {
  if (!functions.acceleration) {
    try {
      functions.acceleration = system.acceleration();
    } catch (const Error&) {  // structurally singular although [L_vv K^T; K 0] is not
      if (!system.multiplier_forces()) throw;
      throw Error(
          "the multipliers at the start cannot be determined: a force that contains lambda(...) cancels the reaction "
          "of its constraint. Check the sign and the size of that force");
    }
  }
  return *functions.acceleration;
}

Start with_multipliers(const System& system, StartFunctions& functions, Start s) {
  Acceleration& acceleration = acceleration_of(system, functions);
  std::vector<double> guess = system.model().z0;
  guess.resize(static_cast<std::size_t>(system.m()), 0.0);
  if (!solve_from(acceleration, s.t, s.q, s.v, guess)) {
    if (system.graded_mass()) return without_multipliers(system, std::move(s), "");
    if (system.facts().lagrangian)
      throw Error(fmt::format("the multipliers at the start cannot be determined: {}", acceleration.report().reason));
    throw Error(fmt::format(
        "the algebraic variables have no consistent value near their starting guess: {}. The system must have index 2 "
        "(d(constraints)/dy * d(rhs)/dz regular); give a better guess in [initial]",
        acceleration.report().reason));
  }
  s.acceleration.assign(acceleration.acceleration().begin(), acceleration.acceleration().end());
  s.multipliers.assign(acceleration.multipliers().begin(), acceleration.multipliers().end());
  return s;
}

}  // namespace

Start consistent_start(const System& system, bool project) {
  StartFunctions functions(system);
  return consistent_start(system, project, functions);
}

Start consistent_start(const System& system, bool project, StartFunctions& functions) {
  if (system.as<PortHamiltonian>() != nullptr) return port_hamiltonian_start(system, project);
  const Model& model = system.model();
  Start s;
  s.t = model.t0;
  s.q = model.q0;
  s.v = model.v0;
  StartAnalysis a = analyse(system, functions, Judged(system, s), model.z0);
  check_finite(a);
  if (!a.consistent) {
    if (!project && !model.project) refuse_inconsistent(system, s, a);
    move_to_consistent(system, functions, s, a);
  }
  check_gradients(a);
  if (system.allows_redundant() && (!system.has_families() || !a.redundant.empty()))
    return subset_start(system, std::move(s));
  check_independent(system, a);
  if (!a.saddle_regular && system.graded_mass())
    return without_multipliers(system, std::move(s),
                               fmt::format(" (no inertia in {})", fmt::join(a.without_inertia, ", ")));
  check_inertia(system, a);
  if (system.as<Overdetermined>() != nullptr) return odae_start(system, a, std::move(s));
  // A Lagrangian that is given as one formula may have any sign, and so may a Hamiltonian; a kinetic energy may not.
  if (!a.negative_inertia.empty() && model.kinetic && !model.quasi.momenta)
    throw Error(
        fmt::format("the kinetic energy is negative in a motion that the constraints allow (of {}): found a negative "
                    "eigenvalue of L_vv at the start. Check the signs of the masses; if it is meant so, write the "
                    "Lagrangian as one formula, L = \"...\"",
                    fmt::join(a.negative_inertia, ", ")));
  for (std::string& note : inertia_notes(system, a)) s.notes.push_back(std::move(note));
  return with_multipliers(system, functions, std::move(s));
}

}  // namespace rattleback
