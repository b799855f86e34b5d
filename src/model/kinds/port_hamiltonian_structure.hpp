// Is a system port-Hamiltonian at a state? [Symank2025, definition 4.1]
#pragma once

#include <optional>
#include <string>

#include "expr/evaluator.hpp"
#include "model/kinds/port_hamiltonian.hpp"

namespace rattleback {

struct StructureFault {
  enum class What { skew, symmetric, semidefinite, gradient, time };
  What what = What::skew;
  std::string matrix;             // J, R, S, N, or W
  std::int32_t row = 0, col = 0;  // where; gradient: row = state
  std::string text;               // "J is not skew: entry `b,a` is 2, but entry `a,b` asks for -1"
};

class PortHamiltonianStructure {
 public:
  explicit PortHamiltonianStructure(const PortHamiltonian& system);

  // Everything that does not hold by the form of the expressions. Nothing: no fault. A value that is not finite is none.
  std::optional<StructureFault> fault(double t, std::span<const double> x);
  // The two identities alone: they must hold everywhere.
  std::optional<StructureFault> identity_fault(double t, std::span<const double> x);
  // No state can break it: fault() gives the same answer everywhere.
  [[nodiscard]] bool is_fixed() const { return pairs_.empty() && identities_.empty() && fixed_W_; }

 private:
  struct Pair {  // two entries that must add up to 0 (skew) or be equal
    StructureFault::What what;
    std::string matrix;
    std::int32_t row, col;
    std::size_t first;  // of its two values
  };
  struct Identity {
    StructureFault::What what;
    std::int32_t state;
    std::size_t first, terms;  // left side, right side, then so many terms
  };
  std::optional<StructureFault> indefinite(const double* W) const;
  [[nodiscard]] const std::string& name(const std::string& matrix, std::int32_t i) const {
    return (matrix == "S" || matrix == "N" ? inputs_ : states_)[static_cast<std::size_t>(i)];
  }

  std::vector<std::string> states_, inputs_;
  std::vector<Pair> pairs_;
  std::vector<Identity> identities_;
  bool fixed_W_ = true, seen_W_ = false;  // a matrix that cannot change is looked at once
  std::size_t W_ = 0;                     // first of its values, row by row
  std::optional<Evaluator> values_;
};

}  // namespace rattleback
