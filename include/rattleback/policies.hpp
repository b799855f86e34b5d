// The ways in which a run can be made, as values. Options take them by value or by name: .native = Native::off or "off".
//
// The first value of each is what is done when nothing is asked for; "" is a value without a name. The names of a policy
// stand here alone: command line, JSON and messages take them from to_string(), which gives null for what is no value.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/export.hpp"

namespace RATTLEBACK_API rattleback {

// How holonomic constraints are taken: position level at the stages (index3), velocity level (index2), or both (ggl). none: as
// the method does; of a run: there are none.
enum class Formulation { none, index3, index2, ggl };
// Its name, as it is typed; null for what is no value.
constexpr const char* to_string(Formulation x) {
  switch (x) {
    case Formulation::none: return "";
    case Formulation::index3: return "index3";
    case Formulation::index2: return "index2";
    case Formulation::ggl: return "ggl";
  }
  return nullptr;
}

// The multipliers that are reported: those of the acceleration level (acceleration), of prk-murua's own recursion
// (recursion), a method's own algebraic states (stage; port-Hamiltonian), or those of a symplectic Euler method: the consistent
// ones (sum) or the last one of its step (last).
enum class Multiplier { acceleration, recursion, stage, sum, last };
// Its name, as it is typed; null for what is no value.
constexpr const char* to_string(Multiplier x) {
  switch (x) {
    case Multiplier::acceleration: return "acceleration";
    case Multiplier::recursion: return "recursion";
    case Multiplier::stage: return "stage";
    case Multiplier::sum: return "sum";
    case Multiplier::last: return "last";
  }
  return nullptr;
}

// Which velocity stands in the reactions of a step of a symplectic Euler method: those of the scheme as it is printed (the old
// one in the first half, the new one in the second), or everywhere the one at the start (z0), at the end (z1), or between (Z1).
enum class Reaction { printed, z0, z1, Z1 };
// Its name, as it is typed; null for what is no value.
constexpr const char* to_string(Reaction x) {
  switch (x) {
    case Reaction::printed: return "";
    case Reaction::z0: return "z0";
    case Reaction::z1: return "z1";
    case Reaction::Z1: return "Z1";
  }
  return nullptr;
}

// What to do with constraints that follow from the others: refuse them, or integrate a subset of full rank and report the
// multipliers of least norm (minimum_norm).
enum class Redundant { refuse, minimum_norm };
// Its name, as it is typed; null for what is no value.
constexpr const char* to_string(Redundant x) {
  switch (x) {
    case Redundant::refuse: return "refuse";
    case Redundant::minimum_norm: return "minimum-norm";
  }
  return nullptr;
}

// How a step is solved: in the best known way, or as a plain code does (simplified; docs/theory/steps.md).
enum class Newton { best, simplified };
// Its name, as it is typed; null for what is no value.
constexpr const char* to_string(Newton x) {
  switch (x) {
    case Newton::best: return "";
    case Newton::simplified: return "simplified";
  }
  return nullptr;
}

// What chooses adaptive steps: the estimated error of each (pi), or a function of the state that keeps a symmetric method
// symmetric (reversible; docs/theory/step-control.md).
enum class Controller { pi, reversible };
// Its name, as it is typed; null for what is no value.
constexpr const char* to_string(Controller x) {
  switch (x) {
    case Controller::pi: return "pi";
    case Controller::reversible: return "reversible";
  }
  return nullptr;
}

// Steps as compiled machine code: when the run is long (automatic), always (on), never (off).
enum class Native { automatic, on, off };
// Its name, as it is typed; null for what is no value.
constexpr const char* to_string(Native x) {
  switch (x) {
    case Native::automatic: return "auto";
    case Native::on: return "on";
    case Native::off: return "off";
  }
  return nullptr;
}

// All values of a policy, in their order.
template <class E>
std::vector<E> values_of() {
  std::vector<E> list;
  while (to_string(static_cast<E>(list.size())) != nullptr) list.push_back(static_cast<E>(list.size()));
  return list;
}

// A policy as it was asked for, by value or by name. A name that is not known is kept: Options::validate() says which are.
template <class E>
class Choice {
 public:
  Choice() = default;  // nothing is asked for
  // By value.
  Choice(E value) : value_(value), text_(to_string(value)) {}
  // By name.
  template <std::convertible_to<std::string_view> Text>
  Choice(const Text& name) : text_(std::string_view(name)) {
    for (const E value : values_of<E>())
      if (text_ == to_string(value)) value_ = value;
  }

  [[nodiscard]] E value() const { return value_; }  // of an unknown name: as if nothing had been asked for
  // Was anything asked for? A value without a name, such as Newton::best, is as good as nothing.
  [[nodiscard]] bool given() const { return !text_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }  // as given; "": not given

  // Were they asked for by the same name?
  friend bool operator==(const Choice& a, const Choice& b) { return a.text_ == b.text_; }
  // Is this what will be done?
  friend bool operator==(const Choice& a, E value) { return a.value_ == value; }
  // Was it asked for by this name?
  template <std::convertible_to<std::string_view> Text>
  friend bool operator==(const Choice& a, const Text& name) {
    return a.text_ == std::string_view(name);
  }

 private:
  E value_ = E{};
  std::string text_;
};

// For all runs of this process, from any thread. `off`: no compiler is started and no cache of compiled steps is read or
// written, whatever the options of a run say; one that asks for `on` is interpreted, with the same results and a note. Others:
// what runs do whose Options::native was left out. Throws Error when the name is not known.
void set_native(const Choice<Native>& native);

}  // namespace rattleback
