// Redundant constraints, on request (--redundant minimum-norm).
//
// Constraints that follow from the others do not change the motion, but leave the multipliers undetermined. They are left
// out of the integration: later ones before earlier ones, nonholonomic before holonomic. The reaction K^T lambda is
// determined; of all multipliers of all constraints that give it, those with the smallest 2-norm are reported:
//
//   lambda = (K^T)^+ K_kept^T lambda_kept
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formulation/start.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback {

class Reduction {
 public:
  // Leaves the model as it is unless this is asked for and some constraint is redundant. Throws Error when the
  // multipliers are needed for forces.
  Reduction(const Model& model, const Options& options);

  [[nodiscard]] const Model& model() const { return reduced_ ? *reduced_ : *whole_; }  // what is integrated
  [[nodiscard]] const Model& whole() const { return *whole_; }                         // as it was given
  [[nodiscard]] bool active() const { return reduced_.has_value(); }
  [[nodiscard]] const std::vector<std::int32_t>& kept() const { return kept_; }
  // All constraints, for the audit. Only when active.
  [[nodiscard]] System& watched() { return *watched_; }
  // Throws Error when a constraint that was left out does not hold at the start: then it was not redundant.
  void check_start(const Start& start) const;
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  const Model* whole_;
  std::optional<Model> reduced_;
  std::optional<System> watched_;
  std::vector<std::int32_t> kept_;    // numbers of multipliers
  std::vector<std::string> dropped_;  // names
};

// The multipliers of all constraints at a state: of the acceleration level, and of minimum norm where they are not unique.
class Multipliers {
 public:
  Multipliers(const System& integrated, Reduction& reduction);

  void set_guess(std::span<const double> kept) { acceleration_->set_guess(kept); }
  bool solve(double t, std::span<const double> q, std::span<const double> v);
  [[nodiscard]] std::span<const double> multipliers() const {
    return K_ ? std::span<const double>(all_) : acceleration_->multipliers();
  }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::unique_ptr<Acceleration> acceleration_;
  std::size_t n_ = 0, count_ = 0;
  std::vector<std::int32_t> kept_;
  std::optional<Evaluator> K_;  // of all constraints, row by row; set when some were left out
  std::vector<double> all_;
};

}  // namespace rattleback
