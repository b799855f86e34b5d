// Steps of systems whose constraints depend on one another (--redundant minimum-norm): a stepper of steppers, one for each
// subset of full rank that was needed.
//
// At the start of each step the subset is looked at (system/mechanical/redundancy.hpp). It stays while its smallest pivot is not
// much worse than that of the best choice, so that it does not flicker; then another one takes over position and velocity.
// At the end of the step all rows are checked. A row outside the subset that does not hold as well as the others let it
// hold was needed: it is taken back and the step is repeated, with it in the place of another row; then with it besides
// the others, for at a singular configuration rows are dependent at one moment only. If that fails too, the run stops and
// names the row.
//
// A rank that is lost at one moment (a four-bar in its flat position, met exactly by the end of a step) is noted with its
// time; the step from there is taken without the row that depends on the others there if that keeps it, and with it
// otherwise.
#pragma once

#include "bind/bind.hpp"
#include "system/mechanical/redundancy.hpp"

namespace rattleback {

class RedundantStepper final : public StepTaker {
 public:
  // The system has redundancy(). `start`: of the whole system. Throws Error when the method does not take a subset.
  RedundantStepper(const System& system, const Options& options, const Start& start);

  // The method as it is bound to the subset at the start, without its stepper. Once.
  [[nodiscard]] BoundMethod bound();

  void start(double t, std::span<const double> q, std::span<const double> v, std::span<const double> multipliers,
             std::span<const double> acceleration) override;
  AdvanceReport advance(double h, std::int64_t steps) override;
  [[nodiscard]] double t() const override { return t_base_ + static_cast<double>(count_) * h_; }
  [[nodiscard]] std::span<const double> q() const override { return inner().q(); }
  [[nodiscard]] std::span<const double> v() const override { return inner().v(); }
  [[nodiscard]] std::span<const double> turns() const override { return inner().turns(); }
  [[nodiscard]] std::span<const double> multiplier_guess() const override { return guess_; }
  [[nodiscard]] std::span<const double> own_multipliers() const override { return own_; }
  int turn_round() override;
  [[nodiscard]] int constraint_set() const override { return set_; }
  [[nodiscard]] std::optional<RedundantAudit> redundant() const override;
  [[nodiscard]] std::vector<double> save() const override;
  void load(std::span<const double> saved) override;
  [[nodiscard]] std::size_t snapshot_size() const override { return snapshot_size_; }
  void take_snapshot(std::span<double> to) const override;
  void set_snapshot(double t, std::span<const double> from, bool keep_guesses) override;
  void set_smooth_steps(double ratio) override;
  [[nodiscard]] std::span<const double> stage_values() const override { return inner().stage_values(); }
  [[nodiscard]] bool can_be_visited() const override { return inner().can_be_visited(); }
  std::span<const double> visit(double t, double h) override;
  [[nodiscard]] const PowerSums* power() const override { return inner().power(); }
  std::string go_native(bool only_cached, const std::stop_token& stop = {}) override;
  bool change_parameters(std::span<const double> values, std::optional<std::size_t> changed,
                         bool keep_guesses) override;

 private:
  struct Moment {  // from t on: a subset; or a rank
    double t;
    int what;
  };

  [[nodiscard]] StepTaker& inner() const { return *steppers_[static_cast<std::size_t>(set_)].stepper; }
  StepTaker& stepper(int set);  // made when it is first needed. Throws Error
  bool step(double h, SolveReport& failure);
  int wanted();         // the subset for a step from here
  bool enter(int set);  // from the state of inner(); false: this subset cannot be stepped
  bool attempt(int set, double h, SolveReport& failure);
  void go_back();  // to the beginning of the step
  bool put_parameters(std::span<const double> values, std::optional<std::size_t> changed, bool keep_guesses);
  void note_change(double t, int from);
  void after_state();                   // what belongs to the state besides that of inner()
  void name_row(SolveReport& failure);  // the row of violated_ is why the step failed

  std::shared_ptr<Redundancy> rows_;
  Options options_;
  std::vector<double> parameters_;  // of all subsets, when they were given
  Start start_;
  std::vector<BoundMethod> steppers_;                  // by subset
  std::vector<std::unique_ptr<Acceleration>> levels_;  // for the multipliers with which a subset starts
  int set_ = 0, first_set_ = 0;
  std::size_t snapshot_size_ = 0;
  std::vector<double> before_, q_before_, v_before_;
  int set_before_ = 0;
  double t_before_ = 0.0;
  std::vector<double> guess_, own_;
  std::vector<Moment> changes_, losses_;
  std::optional<RedundantAudit::Unclear> unclear_;
  Redundancy::Violation violated_;  // in the last attempt
  std::string reason_;
  double smooth_steps_ = 0.0;
  bool native_ = false, only_cached_ = false;
  std::stop_token stop_;  // of the compiler, for subsets that come later
  double t_base_ = 0.0, h_ = 0.0;
  std::int64_t count_ = 0;
};

// Are holonomic constraints violated more and more, at position level?
bool lets_positions_drift(const MethodInfo& method, Formulation formulation);

// bind() for a system with dependent constraints. Throws Error.
BoundMethod bind_redundant(const System& system, const Options& options, const Start& start);

}  // namespace rattleback
