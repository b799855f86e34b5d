// One line per method: its claims and how its step is made. This is the only place where a method is registered.
#pragma once

#include <variant>

#include "method/euler/overdetermined_euler.hpp"
#include "method/gradient/energy_step.hpp"
#include "method/runge_kutta/scheme.hpp"
#include "model/kinds/port_hamiltonian.hpp"
#include "rattleback/method.hpp"
#include "step/equations.hpp"
#include "system/mechanical/mechanical.hpp"
#include "tableau/tableau.hpp"

namespace rattleback {

// The ways in which a method makes its step. bind() visits them: a way that it forgets does not compile.

struct RungeKutta {
  Scheme (*scheme)(int stages) = nullptr;
  bool first_part_free = false;  // takes a dae only if its first part does not contain the algebraic variables
  // Unless L_v = M v with constant M, its two stage multipliers are off by +-O(1), and only their sum is right.
  bool uneven_multipliers = false;
};

// Equations that a one-step or two-step method writes itself.
struct OwnEquations {
  Equations (*step)(const Mechanical&) = nullptr;
  Equations (*first_step)(const Mechanical&) = nullptr;  // set: a two-step method
};

// Explicit on the acceleration level: takes all constraints, keeps none by itself. dense: with stages for values between.
struct UnderlyingOde {
  Equations (*step)(const Mechanical&, bool dense) = nullptr;
};

// A Runge-Kutta method with invertible A, on the port-Hamiltonian form.
struct Collocation {
  Tableau (*tableau)(int stages) = nullptr;
};

// An energy-preserving method: its rule, in which variables it steps on a mechanical system, and its step on port-Hamiltonian
// ones, where it takes them. That one imposes the algebraic equations of systems of index 2 off the ends of its steps.
struct EnergyMethod {
  enum class Frame { reduced, differences, canonical };
  EnergyRule::Kind kind = EnergyRule::Kind::gonzalez;
  Frame frame = Frame::reduced;
  Equations (*port_hamiltonian_step)(const PortHamiltonian&) = nullptr;
};

// A code from elsewhere.
enum class Baseline { ode, index1, baumgarte };

// EulerScheme: a symplectic Euler method on y' = v, z' = f + r(psi).
using WayIn = std::variant<RungeKutta, OwnEquations, UnderlyingOde, Collocation, EnergyMethod, EulerScheme, Baseline>;

struct MethodEntry {
  MethodInfo info = {};
  WayIn way = {};

  // Null when its way is another one.
  template <class Way>
  [[nodiscard]] const Way* as() const {
    return std::get_if<Way>(&way);
  }
};

std::span<const MethodEntry> registry();
// Names of those that this build was made without (files/built_with.hpp).
std::span<const std::string_view> left_out_methods();
const MethodEntry& find_entry(std::string_view name);

}  // namespace rattleback
