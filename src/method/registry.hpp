// One line per method: its claims and how its step is made. This is the only place where a method is registered.
#pragma once

#include "method/euler/overdetermined_euler.hpp"
#include "method/gradient/energy_step.hpp"
#include "method/runge_kutta/scheme.hpp"
#include "model/kinds/port_hamiltonian.hpp"
#include "rattleback/method.hpp"
#include "step/equations.hpp"
#include "system/mechanical/mechanical.hpp"
#include "tableau/tableau.hpp"

namespace rattleback {

enum class Baseline { none, ode, index1, baumgarte };

// An energy-preserving method: its rule, and in which variables it steps on a mechanical system.
struct EnergyMethod {
  enum class Frame { reduced, differences, canonical };
  EnergyRule::Kind kind = EnergyRule::Kind::gonzalez;
  Frame frame = Frame::reduced;
};

struct MethodEntry {
  MethodInfo info;
  Scheme (*scheme)(int stages) = nullptr;                               // Runge-Kutta families
  Equations (*step)(const Mechanical&) = nullptr;                       // other one-step and two-step methods
  Equations (*first_step)(const Mechanical&) = nullptr;                 // set: a two-step method
  Equations (*explicit_step)(const Mechanical&, bool dense) = nullptr;  // dop853 on the underlying ODE
  // On port-Hamiltonian systems: a Runge-Kutta method with invertible A, or another step.
  Tableau (*collocation)(int stages) = nullptr;
  Equations (*port_hamiltonian_step)(const PortHamiltonian&) = nullptr;
  std::optional<EulerScheme> overdetermined = {};  // symplectic Euler methods on y' = v, z' = f + r(psi)
  std::optional<EnergyMethod> energy = {};
  Baseline baseline = Baseline::none;
  bool underlying_ode = false;   // integrates the acceleration level: takes all constraints, keeps none
  bool first_part_free = false;  // takes a dae only if its first part does not contain the algebraic variables
  // Unless L_v = M v with constant M, its two stage multipliers are off by +-O(1), and only their sum is right.
  bool uneven_multipliers = false;
  bool algebraic_off_at_ends = false;  // as MethodInfo::off_at_ends, on port-Hamiltonian systems of index 2
};

std::span<const MethodEntry> registry();
const MethodEntry& find_entry(std::string_view name);

}  // namespace rattleback
