// Consistent starts: constraints at position and velocity level, their rank, and the multipliers.
#pragma once

#include <string>
#include <vector>

#include "formulation/contact_start.hpp"
#include "formulation/system.hpp"

namespace rattleback {

struct ConstraintResidual {
  std::string name;
  bool position = false;  // position level (or a dae's constraint); otherwise velocity level
  double value = 0.0;     // absolute
  double relative = 0.0;  // to the largest of its terms
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
  std::vector<std::string> negative_inertia;  // coordinates of a motion that the constraints allow, with L_vv < 0
  std::vector<char> active;                   // odae: constraints that g = 0 and its velocity allow to act
  std::vector<std::string> below, into;       // odae: unilateral constraints that are violated, by level
  std::vector<std::string> pulling;           // odae: unilateral constraints whose multiplier has the wrong sign
};
StartAnalysis analyse_start(const System& system, std::span<const double> q, std::span<const double> v,
                            std::span<const double> multipliers = {});

// What an engineer should know about the inertia of a mechanical system, for the notes of `check` and of a run.
std::vector<std::string> inertia_notes(const System& system, const StartAnalysis& analysis);

// Moves (q, v) to the nearest consistent state, positions first. False when the iteration does not converge.
bool project_start(const System& system, std::vector<double>& q, std::vector<double>& v);

struct Start {
  std::vector<double> q, v, multipliers, acceleration;
  std::vector<std::string> notes;
};
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

  std::vector<Evaluator> positions, velocities;  // of each constraint: its value, then its terms
  std::optional<Evaluator> K, M;
  std::unique_ptr<Acceleration> acceleration;  // made when it is first needed
};
Start consistent_start(const System& system, bool project, StartFunctions& functions);

// A start is accepted as it is below this, relative to the size of the terms.
inline constexpr double kStartTolerance = 1e-10;

}  // namespace rattleback
