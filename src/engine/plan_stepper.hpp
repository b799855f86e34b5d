// The stepper of all methods whose step is a Plan: Runge-Kutta families, discrete Lagrange methods, explicit methods on the
// underlying ODE, energy-preserving, overdetermined and port-Hamiltonian ones; compositions.
#pragma once

#include <optional>

#include "engine/branched_multipliers.hpp"
#include "engine/build/compile.hpp"
#include "engine/step_taker.hpp"
#include "engine/text/emit.hpp"
#include "linalg/large_pages.hpp"
#include "system/acceleration.hpp"

namespace rattleback {

struct PlanStepperData {
  Plan step;
  std::optional<Plan> first;          // a two-step method's first step
  std::vector<double> gamma = {1.0};  // composition: sub-steps gamma_i h
  std::optional<Plan> adjoint = {};   // composition with the adjoint method
  std::vector<char> backwards = {};   // with it: which sub-steps it takes; empty = none
  std::int32_t n = 0, m = 0;
  std::int32_t velocities = -1;                // how many; -1: as many as positions
  bool two_step = false;                       // needs the size of the step before
  std::int32_t carried = 0;                    // further numbers that are part of the state: multipliers,
  bool carries_multipliers = true;             // or others, which are 0 at the start
  bool reports_carried = false;                // they are the ones to report
  bool graded_mass = false;                    // masses of very different size
  double multiplier_scale = 1.0;               // size of (mass / constraint row): multipliers ~ this * velocity / h
  double reference_energy = 0.0;               // energy-preserving methods: that of the start
  double nominal_step = 0.0;                   // the run's step, for choices that are made before it begins
  std::vector<std::int32_t> angles = {};       // positions that are kept within one turn of zero
  bool turn_free = false;                      // solutions stay starting guesses when an angle was turned back
  std::unique_ptr<Acceleration> acceleration;  // for starting guesses
  std::unique_ptr<BranchedMultipliers> branch = {};  // overdetermined methods: for the inconsistent multipliers
  SolveOptions solve;
};

// Where a plan has what in its workspace.
stepping::Places places_of(const Plan& plan, bool continues);

class PlanStepper final : public StepTaker {
 public:
  explicit PlanStepper(PlanStepperData data);

  void start(double t, std::span<const double> q, std::span<const double> v, std::span<const double> multipliers,
             std::span<const double> acceleration) override;
  void jump(double t, std::span<const double> q, std::span<const double> v, std::span<const double> multipliers,
            std::span<const double> acceleration) override;
  void take_over(const StepTaker& from, std::span<const double> multipliers,
                 std::span<const double> acceleration) override;
  AdvanceReport advance(double h, std::int64_t steps) override;
  [[nodiscard]] double t() const override { return series_.t(); }
  [[nodiscard]] std::span<const double> q() const override { return {state_, shape_.n}; }
  [[nodiscard]] std::span<const double> v() const override { return {state_ + shape_.n, shape_.nv}; }
  [[nodiscard]] std::span<const double> turns() const override { return turns_; }
  [[nodiscard]] std::span<const double> multiplier_guess() const override { return multipliers_; }
  [[nodiscard]] std::span<const double> own_multipliers() const override {
    return {state_ + shape_.n + shape_.nv, data_.reports_carried ? shape_.m : std::size_t{0}};
  }
  int turn_round() override;
  [[nodiscard]] std::vector<double> save() const override;
  void load(std::span<const double> saved) override;
  [[nodiscard]] std::size_t snapshot_size() const override {
    return shape_.state + shape_.m + 1 + data_.angles.size() + (power_ ? power_->size() : 0);
  }
  void take_snapshot(std::span<double> to) const override;
  void set_snapshot(double t, std::span<const double> from, bool keep_guesses) override;
  void set_smooth_steps(double ratio) override { smooth_steps_ = ratio; }
  [[nodiscard]] std::span<const double> stage_values() const override {
    return {main_.w.data() + data_.step.extra_slot(), static_cast<std::size_t>(data_.step.extra_count())};
  }
  std::string go_native(bool only_cached, const std::stop_token& stop = {}) override;
  [[nodiscard]] std::string step_text() const;  // what go_native() compiles
  [[nodiscard]] StepShape step_shape() const;
  void set_stage_lanes(bool on) {
    stage_lanes_ = on;
  }  // before go_native(): the bits do not depend on it, the time does
  [[nodiscard]] const PlanStepperData& data() const { return data_; }
  [[nodiscard]] const PowerSums* power() const override { return power_ ? &*power_ : nullptr; }
  void renew(double multiplier_scale) override;
  // Of steps whose equations depend on the start in nothing else.
  [[nodiscard]] bool can_be_renewed() const override { return data_.nominal_step == 0.0 && !data_.step.is_sparse(); }
  // Steps of single coordinates.
  bool set_parameters(std::span<const double> values) override;
  bool change_parameters(std::span<const double> values, std::optional<std::size_t> changed,
                         bool keep_guesses) override;
  // Energy-preserving methods with feedback: the energy that is kept from here on.
  [[nodiscard]] bool has_reference_energy() const { return data_.step.has(kReferenceEnergy); }
  void set_reference_energy(double energy) {
    data_.reference_energy = energy;
    put_reference_energy();
  }

 private:
  friend class LaneGroup;  // takes the steps of many runs, with this one for those that are not plain
  struct SlotRange {       // unknowns number first .. end-1 are in the slots from `slot` on
    std::size_t slot, first, end;
  };
  // A plan with its workspace. The state (q, v, carried multipliers) of the run lives in the main one.
  struct Workplace : stepping::Places {
    Workplace(const Plan* p, bool goes_on);
    void reset();  // the workspace as it was at first, for the parameters of now
    const Plan* plan;
    LongVector w;
    std::vector<SlotRange> ranges;   // large systems: of their unknowns
    ParameterSlots::Room room = {};  // what the parameters give, when they are others than those of the plan
  };
  struct Host;  // of the loop over steps
  template <class Visit>
  void for_each_workplace(const Visit& visit);
  bool compute_parameters(std::span<const double> values, std::optional<std::size_t> changed);
  void compute_present_parameters();
  void put_parameters(std::span<const double> values);
  [[nodiscard]] bool plain_steps_ahead();
  void put_reference_energy();
  void find_carried();
  std::string go_native_in_parts(bool only_cached, const std::stop_token& stop);

  PlanStepperData data_;
  stepping::Shape shape_;
  Workplace main_;
  double* const state_;  // in the main workspace
  std::optional<Workplace> first_, adjoint_;
  std::size_t history_width_;
  std::vector<double> turns_;        // by position; empty when there are no angles
  std::vector<double> saved_state_;  // before a composed step
  std::vector<double> multipliers_;  // of the newest stage: they tell on which branch of the multipliers the run is
  // Solutions of the last steps for each sub-step; together they give the next starting guess (starting_values.hpp). Large
  // systems have the last three in a ring: to read more of them would take longer than it saves.
  std::size_t rows_;
  LongVector history_;
  std::vector<std::int32_t> depth_, newest_, far_;  // far: the prediction to use
  stepping::Series series_;
  double smooth_steps_ = 0.0;
  std::optional<PowerSums> power_;
  std::vector<double> parameters_;  // when they are others than those of the plan
  bool level_is_stale_ = false;     // they were changed since the acceleration level was looked at
  NativeCode native_;
  bool stage_lanes_ = true;
};

}  // namespace rattleback
