// Overdetermined systems with unilateral constraints: g >= 0, psi >= 0, g psi = 0.
//
// At every moment some of the constraints act (the regime), and the others have psi = 0. A regime is integrated like a
// system that has the acting constraints only; without any, by Gauss with three stages. A step that would make a multiplier
// negative or a g negative is shortened to the moment where that happens, which is found to rounding by taking the step
// with other sizes; there the regime changes, and the rest of the step goes on in the new one.
//
//   lift-off   psi = 0 falling: the constraint lets go.
//   contact    g = 0 falling, with the velocity u = dg/dt < 0: impulses P on all constraints that act and on this one,
//              z+ = z + sum_j D_j P_j,  so that afterwards dg/dt = -restitution u there and 0 on the others. An impulse on a
//              unilateral constraint that comes out negative is dropped.
//   rest       after an impact whose next flight would be shorter than a thousandth of the step, dg/dt is set to 0 and the
//              constraint acts: the infinitely many bounces of a ball end, and a step has a bounded number of them.
//
// The direction of an impulse is that of an infinite force in an infinitely short time, D_j = lim r(y, z, s e_j)/s for
// s -> infinity. So a friction force that grows more slowly than the normal force has no part in an impact, and one that is
// proportional to it has.
#pragma once

#include "bind/bind_overdetermined.hpp"

namespace rattleback {

class ContactStepper final : public StepTaker {
 public:
  // Throws Error when an impulse has no direction.
  ContactStepper(const Overdetermined& system, const OdaeParts& parts, const EulerPlan& plan);

  void start(double t, std::span<const double> q, std::span<const double> v, std::span<const double> multipliers,
             std::span<const double> acceleration) override;
  AdvanceReport advance(double h, std::int64_t steps) override;
  [[nodiscard]] double t() const override { return t_base_ + static_cast<double>(count_) * h_; }
  [[nodiscard]] std::span<const double> q() const override { return regime_->stepper->q(); }
  [[nodiscard]] std::span<const double> v() const override { return regime_->stepper->v(); }
  [[nodiscard]] std::span<const double> multiplier_guess() const override { return psi_; }
  [[nodiscard]] std::span<const char> active() const override { return regime_->active; }
  [[nodiscard]] std::span<const double> own_multipliers() const override { return psi_; }
  [[nodiscard]] std::span<const Contact> contacts() const override { return contacts_; }
  bool change_parameters(std::span<const double> values, std::optional<std::size_t> changed,
                         bool keep_guesses) override;
  [[nodiscard]] bool can_be_renewed() const override { return true; }
  bool set_parameters(std::span<const double> values) override { return change_parameters(values, {}, false); }
  void renew(double multiplier_scale) override;
  [[nodiscard]] std::vector<double> save() const override;
  void load(std::span<const double> saved) override;

 private:
  struct Regime {
    std::vector<char> active;        // by constraint
    std::vector<std::int32_t> rows;  // the active ones
    std::unique_ptr<PlanStepper> stepper;
    std::unique_ptr<Acceleration> acceleration;
    std::optional<Plan> impact;
    std::vector<double> w;  // of the impact
    ParameterSlots::Room room;
    std::vector<double> psi;  // by row
  };
  // What decides about the regime at one state.
  struct Signs {
    std::vector<double> g, k, room;  // room: rounding errors of g
    std::vector<double> psi;         // by constraint
  };
  struct Trigger {
    double value = 0.0;  // negative: the regime is over
    std::int32_t constraint = -1;
  };
  // Where in a part the regime ends.
  struct Ending {
    bool over = false;     // it does
    bool at_once = false;  // at the beginning, by `what`
    double begin = 0.0, end = 0.0;
    Trigger what = {};
  };

  Regime& regime(const std::vector<char>& active);            // made when it is first asked for
  void prepare(const std::vector<std::int32_t>& unilateral);  // all of them
  bool put_parameters(std::span<const double> values, std::optional<std::size_t> changed, bool keep_guesses);
  void look(double t, std::span<const double> y, std::span<const double> z, Signs& out);
  bool multipliers(double t, Signs& out);  // of the regime at its stepper's state
  bool try_part(double part, Signs& out);  // from the beginning of the part
  [[nodiscard]] Trigger least(const Signs& s) const;
  bool step(double h);
  bool part(double left, double& done);
  bool try_whole(double left);
  bool watch(double left, Ending& ending);
  bool met_again(std::size_t constraint, double left, Ending& ending);
  bool dips(double left, double& where, bool& moved);
  bool find(double left, double begin, double end, double& done, Trigger& what);
  bool change(const Trigger& what, double h);
  bool settle(double t, std::vector<char> candidates);
  bool meet(double t, std::int32_t constraint, double h);
  bool impulses(Regime& r, double t, std::int32_t constraint, double speed);
  void enter(double t, Regime& r);
  void note(double t, std::int32_t constraint, Contact::What what, double speed);
  void fail(const char* reason);

  Overdetermined whole_;
  std::vector<double> parameters_;  // of all regimes, when they were given
  EulerPlan plan_;
  std::vector<char> one_sided_;
  double restitution_;
  std::vector<std::unique_ptr<Regime>> regimes_;
  Regime* regime_ = nullptr;
  Evaluator levels_, reaction_, normal_;
  std::size_t ny_, nz_, m_;
  // Inactive constraints that have been clear of g = 0; those that find() looks at.
  std::vector<char> armed_, watched_, armed_step_;
  std::vector<double> psi_, y_, z_, push_;
  std::vector<double> y_part_, z_part_, y_step_, z_step_, psi_step_;
  double t_part_ = 0.0;
  Signs before_, after_, trial_;
  std::vector<Contact> contacts_;
  SolveReport failure_;
  double t_base_ = 0.0, h_ = 0.0, step_size_ = 0.0;
  std::int64_t count_ = 0;
};

}  // namespace rattleback
