// Constraints that depend on one another, and what is integrated instead: a subset of full rank (--redundant
// minimum-norm).
//
// Constraints that follow from the others do not change the motion, but leave the multipliers undetermined. Which of them
// can be left out depends on the state: of the three rolling conditions of a ball in a bowl every one is the bad choice
// somewhere. So the choice belongs to a state. There the rows of K = dk/dv, scaled to length 1 in the metric of the
// inverse mass matrix (length^2 = K_i M^-1 K_i^T, which no change of units touches), are orthogonalised one after the
// other, the largest remainder first: holonomic ones before nonholonomic ones, because only
// they know the positions; among rows of similar remainder the one that is written first. A row whose remainder is below
// kRankTolerance depends on those before it.
//
// The reaction K^T lambda is determined. With the rows S that were kept, K_D = C K_S for the others, and the multipliers of
// all rows with this reaction and the smallest Euclidean norm are
//
//   lambda = A^T (A A^T)^-1 lambda_S,     A = [I  C^T]  (columns: S, then D)
//
// No small number is divided by here but the pivots of S, so that rounding errors stay rounding errors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "system/system.hpp"

namespace rattleback {

class Redundancy {
 public:
  // Rows are independent if what is left of them, of length 1, is longer than this.
  static constexpr double kRankTolerance = 1e-9;
  // Between these the decision is not clear: the reader is told.
  static constexpr double kClearlyDependent = 1e-11, kClearlyIndependent = 1e-7;

  struct Subset {
    std::vector<char> kept;          // by row
    std::vector<std::int32_t> rows;  // those that are kept
    std::unique_ptr<Model> model;
    std::unique_ptr<System> system;
  };

  // (q, v): a consistent start, which decides which metric is used. `whole` must live longer.
  Redundancy(const System& whole, std::span<const double> q, std::span<const double> v);

  [[nodiscard]] std::int32_t m() const { return m_; }
  [[nodiscard]] const Model& model() const { return whole_->model(); }
  // Subsets are numbered in the order in which they were needed. Throws Error when the multipliers of rows that would be
  // left out are in a force.
  int number_of(const std::vector<char>& kept);
  [[nodiscard]] const Subset& subset(int number) const { return *subsets_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] std::vector<std::string> dropped(int number) const;

  // From here on for other values of the parameters, at a state at which they are looked at anew. False, and this is of no use
  // until a call that succeeds, where something would have been derived otherwise or inertia is added.
  bool set_parameters(std::span<const double> values, double t, std::span<const double> q, std::span<const double> v);

  // --- at a state. Neither call allocates.
  // false: some value is not finite.
  bool look(double t, std::span<const double> q, std::span<const double> v);
  // How a set of rows stands at the state looked at.
  struct Standing {
    double smallest = 1.0;   // its smallest pivot, 0 when its rows are dependent
    double remainder = 0.0;  // the largest that is left of a row outside it
    std::int32_t rank = 0;   // of all rows
    bool regular = true;     // its rows are independent,
    bool complete = true;    // and no other row is independent of them
  };
  Standing standing(const std::vector<char>& kept);
  // A set of full rank; `first`: with this row, whatever else (-1: none). Valid until the next call.
  const std::vector<char>& choose(std::int32_t first = -1);

  struct Violation {
    std::int32_t row = -1;  // -1: none
    bool position = false;
    double value = 0.0;
  };
  // The worst of the rows outside `kept` that does not hold as well as the kept ones let it hold, after a step of size h.
  // After standing(kept) at the same state.
  Violation violation(const std::vector<char>& kept, double h);

  // --- outside of steps
  // The multipliers of least norm of all rows with the reaction of those of the kept ones. After standing(kept).
  void spread(const std::vector<char>& kept, std::span<const double> multipliers, std::span<double> all);
  // Rows outside the subset that follow from it only where the holonomic constraints hold (Bricard's linkage): off them, as
  // with drifting positions, they contradict it. At the start.
  std::vector<std::string> only_on_constraints(int subset);
  // Largest |dk/dt| of all rows relative to its terms, for an acceleration at a state.
  double acceleration_defect(double t, std::span<const double> q, std::span<const double> v, std::span<const double> a);

 private:
  void weigh(double t, std::span<const double> q, std::span<const double> v);  // the metric, and what is usual in it
  void factor(double tolerance);                                               // by priority_, into picked_ and basis_
  void metric(std::span<const double> mass);
  [[nodiscard]] double largest_term(const std::vector<std::int32_t>& begin, std::size_t row) const;
  void coefficients(std::size_t row);  // into c_, for the first count_ of picked_

  const System* whole_;
  std::int32_t n_, m_, holonomic_;
  std::vector<double> q0_, v0_;  // the start
  std::vector<std::unique_ptr<Subset>> subsets_;
  std::vector<std::string> without_inertia_;
  std::vector<double> weights_;  // of added inertia: M + K^T diag(weights) K is the metric; empty: M is
  bool constant_mass_ = false, adds_inertia_ = false;
  std::vector<double> parameters_;  // that were set
  std::optional<Evaluator> values_, rates_;
  std::vector<std::int32_t> g_terms_, k_terms_;  // where the terms of each row begin among the values
  std::size_t g_at_ = 0, k_at_ = 0, mass_at_ = 0;
  // The state looked at.
  std::vector<double> q_, v_, x_;
  std::vector<double> mass_, factor_, rows_, left_, length_, usual_length_;  // rows_: of K, scaled
  // Of the last factorisation.
  std::vector<std::int32_t> priority_;
  double prefer_ = 1.0;
  std::vector<std::int32_t> picked_;
  std::vector<double> basis_, size_, triangle_, c_;
  std::vector<double> smallest_;  // pivot, by priority
  std::size_t count_ = 0;         // rows of the first priority among picked_
  std::vector<char> done_, chosen_;
};

}  // namespace rattleback
