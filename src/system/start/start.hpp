// Consistent starts: constraints at position and velocity level, their rank, and the multipliers.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "expr/rounding.hpp"
#include "system/first_order/contact_start.hpp"
#include "system/system.hpp"

namespace rattleback {

// A residual is rounding if so many ulps of the coordinates, of the parameters and of all numbers on the way from the start's
// formulas to the residual explain it (expr/rounding.hpp). Numbers that users type with 15 digits are off by 5 ulps at most.
inline constexpr double kStartUlps = 16.0;

struct ConstraintResidual {
  std::string name;
  bool position = false;  // position level (or a dae's constraint); otherwise velocity level
  double value = 0.0;     // absolute
  double allowed = 0.0;   // what rounding explains

  [[nodiscard]] bool is_rounding() const { return value <= allowed; }
  // A larger bound counts where it explains the residual.
  void excuse(double bound) {
    if (value <= bound && bound > allowed) allowed = bound;
  }
  // How far it is from that, to find the worst.
  [[nodiscard]] double excess() const { return value / std::fmax(allowed, 1e-300); }
};

struct StartAnalysis {
  std::vector<ConstraintResidual> residuals;
  bool consistent = true;
  int rank = 0;
  std::vector<std::string> redundant;   // constraints that follow from the others, and those that cannot act:
  std::vector<std::string> vanishing;   // their gradient is zero
  std::vector<std::string> not_finite;  // their gradient has no value
  bool saddle_regular = false;          // [L_vv K^T; K 0], c_y f_z of a dae, g_y v_z r_psi of an odae
  bool mass_positive_definite = false, mass_indefinite = false;  // of L_vv as it is written
  std::vector<std::string> without_inertia;                      // coordinates in the kernel of the saddle matrix
  std::vector<std::string> nearly_dependent;                     // constraints in it, where it has no coordinates
  std::vector<std::string> negative_inertia;  // coordinates of a motion that the constraints allow, with L_vv < 0
  std::vector<char> active;                   // odae: constraints that g = 0 and its velocity allow to act
  std::vector<std::string> below, into;       // odae: unilateral constraints that are violated, by level
  std::vector<std::string> pulling;           // odae: unilateral constraints whose multiplier has the wrong sign
};
// The residual that is furthest from rounding, if it is that of a constraint that depends on the others: then, where no
// state near the start satisfies all, it contradicts them. Otherwise null.
const ConstraintResidual* worst_of_dependent(const StartAnalysis& analysis);
// "'f' depends on the other constraints at the start, but contradicts them: ..."
std::string contradiction_text(const ConstraintResidual& residual);
// "'a', 'b' are so nearly dependent that ..."
std::string nearly_dependent_text(const StartAnalysis& analysis);
// The state that is judged. Bounds of rounding errors that are missing are those of the model's own start.
struct Start {
  std::vector<double> q, v, multipliers, acceleration;
  std::vector<std::string> notes;
  std::vector<double> q_error = {}, v_error = {};
  double t = 0.0;
};
StartAnalysis analyse_start(const System& system, const Start& start, std::span<const double> multipliers = {});
// At the time of the model's own start.
StartAnalysis analyse_start(const System& system, std::span<const double> q, std::span<const double> v,
                            std::span<const double> multipliers = {});

// What an engineer should know about the inertia of a mechanical system, for the notes of `check` and of a run.
std::vector<std::string> inertia_notes(const System& system, const StartAnalysis& analysis);

// Moves a state to the nearest consistent one: first the positions, then the velocities, and nothing that is consistent
// already. Mechanical systems: nearest in the metric of the kinetic energy, L_vv at the given positions and, for the
// velocities, at the new ones, which gives
//
//   v - M^-1 K^T (K M^-1 K^T)^+ k(t, q, v)
//
// Other kinds: in the Euclidean one. Redundant constraints may be among them. What the model's `keep` names is held.
struct Projected {
  bool converged = false;
  std::string why;  // not: which constraint is left with what
  explicit operator bool() const { return converged; }
};
Projected project_start(const System& system, Start& start);
Projected project_start(const System& system, std::vector<double>& q, std::vector<double>& v);

// A number that is not whole is known to an ulp of the largest one at best: what a run printed has small numbers where rounding
// left something of 0. Angles have no size of their own.
RoundedValues::Point as_printed(RoundedValues::Point at, std::span<const std::int32_t> angles);

// For the projection of large systems: bounds of the model's own start where there are none yet; what is left over after a
// projection of positions or velocities, "" when that is rounding.
void add_bounds(const Model& model, Start& start);
std::string left_over(const Model& model, const std::vector<ConstraintResidual>& residuals, Space space);

// The multipliers of an odae at a consistent state; those of unilateral constraints that do not act are zero.
ContactStart odae_multipliers(const System& system, const StartAnalysis& analysis, std::span<const double> y,
                              std::span<const double> z);
// Throws Error with the violated constraint and its size, unless `project`.
Start consistent_start(const System& system, bool project);

// What a start of a mechanical system is judged by, made once for many starts. Of other systems it keeps the last member only.
struct StartFunctions {
  explicit StartFunctions(const System& system);
  // The size of a multiplier in units of velocity/h: mass over constraint row. Mechanical systems of single coordinates.
  double multiplier_scale(const Start& start);
  // System::take_parameters() comes before. False as there.
  bool take_parameters(std::span<const double> values);

  std::optional<RoundedValues> positions, velocities;
  std::optional<Evaluator> K, M;
  std::unique_ptr<Acceleration> acceleration;  // made when it is first needed
};
Start consistent_start(const System& system, bool project, StartFunctions& functions);

}  // namespace rattleback
