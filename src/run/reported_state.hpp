// A state as it is reported.
//
// The algebraic states of a port-Hamiltonian system at the end of a step are by-products of the method, of a lower order
// than the others: x1 = R(inf) x0 + sum (b A^-1)_j X_j, and for Gauss with an even number of stages s their order is s - 2
// [HairerLubichRoche1989, 5]. Nor do they satisfy the algebraic equations at that state. Reported are the values that these
// equations demand there, differentiated once where they do not contain an algebraic state (system/acceleration.hpp):
// functions of the other states, so their order is that of the others. The method goes on with its own, and H does not
// depend on them, because grad H = E^T z and their columns of E vanish.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rattleback/simulate.hpp"
#include "system/system.hpp"

namespace rattleback {

class ReportedState {
 public:
  // Throws Error for --multiplier stage on a system without algebraic states.
  ReportedState(const System& system, const Options& options);

  // x with its algebraic states solved for, or x itself where nothing is to be done or they are not determined. Valid until
  // the next call.
  std::span<const double> operator()(double t, std::span<const double> x);
  // Other values of the parameters from here on.
  void use_parameters(std::span<const double> values) {
    if (level_) (void)level_->set_parameters(values);
  }
  // What a reader must know about the states that were asked for so far; "" = nothing.
  [[nodiscard]] std::string note() const;

 private:
  std::unique_ptr<Acceleration> level_;  // null: states are reported as they are
  std::vector<std::string> names_;       // of the algebraic states
  bool own_ = false;                     // --multiplier stage
  bool missed_ = false;
  double missed_at_ = 0.0;  // the time where they were not determined
};

}  // namespace rattleback
