// The hidden acceleration level, which determines the multipliers:
//
//   d/dt L_v(t, q, v) = L_q + F(lambda) - K^T lambda,     d/dt k(t, q, v) = 0      unknowns: v' and lambda
//   (dae)  y' = f(t, y, z),                               d/dt c(t, y) = 0         unknowns: z
//   (odae) p(t, y, z)' = f(t, y, z) + r(t, y, z, psi),    d/dt k(t, y, z) = 0      unknowns: z' and psi
//   (port-Hamiltonian) E x' = f(t, x), with algebraic equations that contain no algebraic state differentiated once:
//                                                                     unknowns: x' and the algebraic states
//
// Used for consistent starts, for the multipliers that are reported, and as right-hand side of the baselines.
// With a gain G > 0 the constraint errors are fed back [Baumgarte1972]: k' = 0 becomes
//   k' + 2 G k + G^2 g = 0  (holonomic, k = g'),     k' + G k = 0  (nonholonomic)
#pragma once

#include <concepts>
#include <memory>

#include "model/kinds/port_hamiltonian.hpp"
#include "step/equations.hpp"
#include "system/families/family_mechanical.hpp"
#include "system/first_order/dae.hpp"
#include "system/first_order/odae.hpp"
#include "system/mechanical/mechanical.hpp"

namespace rattleback {

class Redundancy;

// The equations above, as they stand there.
Equations acceleration_level(Mechanical system, double gain = 0.0);
Equations acceleration_level(Dae system);
Equations acceleration_level(Overdetermined system);
Equations acceleration_level(PortHamiltonian system);
// Of a large system: the sums of entries with the same row are the residuals, of the n balances and then of the m
// constraints. v' and lambda are the variables 0 .. n+m-1 of kMultiplier. Adds to the graph of the system.
Entries acceleration_level(FamilyMechanical& system);

// The same compiled, for all places that solve them.
struct AccelerationPlan {
  explicit AccelerationPlan(const Mechanical& system, double gain = 0.0);
  explicit AccelerationPlan(const Dae& system);
  explicit AccelerationPlan(const Overdetermined& system);    // acceleration() is z'
  explicit AccelerationPlan(const FamilyMechanical& system);  // large systems
  explicit AccelerationPlan(const PortHamiltonian& system);   // acceleration() is x', 0 for algebraic states

  std::size_t n, m;
  bool mechanical;
  bool usable = true;  // false: they determine nothing
  Plan plan;
};

class Acceleration {
 public:
  explicit Acceleration(std::shared_ptr<const AccelerationPlan> level);
  // With a plan of its own.
  template <class... Of>
  requires std::constructible_from<AccelerationPlan, const Of&...>
  explicit Acceleration(const Of&... of) : Acceleration(std::make_shared<const AccelerationPlan>(of...)) {}
  // Dependent constraints: solved with a subset of full rank; multipliers() are those of least norm of all
  // (redundancy.cpp). n: coordinates.
  Acceleration(std::shared_ptr<Redundancy> redundancy, std::size_t n);

  // Solves at (t, q, v); dae: q = y, v is not used. The multipliers of the last call are the starting guess.
  bool solve(double t, std::span<const double> q, std::span<const double> v);
  [[nodiscard]] std::span<const double> acceleration() const { return {results(), n_}; }
  [[nodiscard]] std::span<const double> multipliers() const { return {results() + n_, m_}; }
  // port-Hamiltonian: the state with its algebraic part solved for.
  [[nodiscard]] std::span<const double> consistent_state() const {
    return {w_.data() + level_->plan.result_slot() + n_ + m_, n_};
  }
  void set_guess(std::span<const double> multipliers);
  // From here on for other values of the parameters; false where the equations would have been solved in another way. With
  // dependent constraints Redundancy::set_parameters() comes before.
  bool set_parameters(std::span<const double> values);
  // For the same equations, as newly made, and for the parameters of now.
  [[nodiscard]] std::unique_ptr<Acceleration> fresh() const;
  // Dependent constraints: with this subset (StepTaker::constraint_set) as long as it is regular; -1: the best one there.
  void use_set(int number) { set_ = number; }
  // Linear equations are solved to the last digits that their condition allows. Off: for starting guesses.
  void set_refine(bool on) { refine_ = on; }
  // By constraint: 0 for those that were left out at the last solution; empty: none was.
  [[nodiscard]] std::span<const char> kept() const { return kept_; }
  [[nodiscard]] const SolveReport& report() const { return report_; }
  // Null: it determines nothing.
  [[nodiscard]] const Plan* plan() const { return level_ && level_->usable ? &level_->plan : nullptr; }

 private:
  [[nodiscard]] const double* results() const {
    return redundancy_ ? all_.data() : w_.data() + level_->plan.result_slot();
  }
  bool solve_least_norm(double t, std::span<const double> q, std::span<const double> v);

  std::shared_ptr<const AccelerationPlan> level_;  // null with dependent constraints
  std::size_t n_, m_;
  bool refine_ = true;
  std::vector<double> w_;
  ParameterSlots::Room room_;
  SolveReport report_;
  std::shared_ptr<Redundancy> redundancy_;
  std::vector<double> all_;                           // with it: v', then the multipliers of all constraints
  std::vector<std::unique_ptr<Acceleration>> parts_;  // with it: by subset
  int set_ = -1;
  std::span<const char> kept_;  // of a subset
};

}  // namespace rattleback
