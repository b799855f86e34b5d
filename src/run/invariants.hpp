// What a model says is kept, along a run: running numbers, as those of the energy.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "audit/kept_quantities.hpp"
#include "audit/monitor.hpp"
#include "expr/evaluator.hpp"
#include "rattleback/simulate.hpp"
#include "system/system.hpp"

namespace rattleback {

class Invariants {
 public:
  Invariants(const System& system, const KeptQuantities& kept);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // Other values of the parameters from here on.
  void use_parameters(std::span<const double> values) {
    if (values_) values_->set_parameters(values);
  }
  [[nodiscard]] bool is_empty() const { return seen_.empty(); }
  // At a record; q: with all turns of angles.
  void see(double t, std::span<const double> q, std::span<const double> v);
  [[nodiscard]] std::vector<InvariantAudit> audit() const;

  // For checkpoints.
  void save(std::vector<double>& to) const;
  void load(std::span<const double> from);  // as many numbers as save() has added

 private:
  std::vector<std::string> names_;
  std::optional<Evaluator> values_;
  std::vector<std::size_t> ends_;  // where the summands of each end among the values
  std::vector<Monitor> seen_;
};

}  // namespace rattleback
