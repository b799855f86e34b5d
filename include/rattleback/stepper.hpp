// One step at a time: a method bound to a model, for programs that have a loop of their own around it.
//
//   Stepper s(model, {.method = "spark-gauss", .stages = 2, .step = 1e-3});
//   while (s.t() < 10.0) {
//     s.set_input("motor", controller(s.q(), s.v()));
//     if (!s.step()) throw std::runtime_error(s.message());
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "rattleback/export.hpp"
#include "rattleback/simulate.hpp"

namespace RATTLEBACK_API rattleback {

// What became of a call.
struct StepReport {
  bool ok = true;                   // all that was asked for was done
  Failure failure = Failure::none;  // why not; Stepper::message() says more
  std::int64_t steps = 0;           // taken in this call
  int iterations = 0;               // of Newton's method, in this call
  // The same as `ok`.
  explicit operator bool() const { return ok; }
};

// Everything that the next step depends on. Two of them are equal if their bits are.
struct Snapshot {
  std::vector<double> numbers;  // state, inputs, parameters, step, and what the method carries
  std::string of;               // the model and the method
  // Have they the same bits, of the same model and method?
  friend bool operator==(const Snapshot& a, const Snapshot& b);
};

// A method bound to a model, with its state and workspace. Used by one thread at a time. It starts as simulate() would, and
// its steps have the same bits.
class Stepper {
 public:
  // Derives and binds once. Options::until, steps, stop and observe are not looked at. Throws Error.
  Stepper(const Model& model, const Options& options);
  // What was moved from can only be assigned to or destroyed:
  Stepper(Stepper&&) noexcept;
  Stepper& operator=(Stepper&&) noexcept;
  ~Stepper();

  // One step of step_size(). Allocates nothing. When it fails, the last good state stays. With chosen steps
  // (Options::adaptive) it is one accepted step; events and contacts act inside it.
  StepReport step() noexcept;
  // This step has another size. Not ok, with nothing changed: h of 0 or NaN; chosen steps; two-step methods.
  StepReport step(double h) noexcept;
  // So many steps, or up to the first that fails.
  StepReport advance(std::int64_t steps) noexcept;
  // Whole steps, then a shorter one. Not ok, with nothing changed: a time that is passed already; two-step methods off their
  // grid.
  StepReport advance_to(double t) noexcept;

  [[nodiscard]] double t() const;          // time of the state
  [[nodiscard]] double step_size() const;  // of step(); with chosen steps: what was asked for
  [[nodiscard]] double energy() const;     // of the state; 0 for kinds without one
  // A view of this moment, which the next call that is not const ends:
  [[nodiscard]] std::span<const double> q() const;            // positions; kinds without velocities: states
  [[nodiscard]] std::span<const double> v() const;            // velocities
  [[nodiscard]] std::span<const double> multipliers() const;  // those that a run would report
  // Where a name stands in q, v or multipliers: "theta", "theta'", "lambda.rod". Throws Error with a suggestion.
  [[nodiscard]] std::size_t index(std::string_view name) const;

  // Size of the steps from the next one on. This and what follows throws Error, with nothing changed, for what cannot be; of
  // two-step methods after their first step.
  void set_step(double h);
  // Another value of a parameter. No derivation, no compiler, no allocation where the value decides nothing that the one
  // before did not; a value that does (a friction that was 0) is derived anew. A constraint that it breaks is judged at the
  // next step.
  void set_parameter(std::string_view name, double value);
  // The input of a port, held over the next steps until it is changed; by name or by number. On a port with a formula it
  // replaces the formula, for which the step is derived once:
  void set_input(std::string_view port, double u);
  void set_input(std::size_t port, double u);
  // Another state and time: consistent, or with Options::project moved to the nearest consistent state.
  void set_state(double t, std::span<const double> q, std::span<const double> v = {});

  // Everything that the next step depends on.
  [[nodiscard]] Snapshot save() const;
  // From here on the same bits as after save(). Throws Error for one of another model or method.
  void restore(const Snapshot& from);

  // Why the last call that was not ok was not, as simulate() says it.
  [[nodiscard]] std::string message() const;
  // Zeros of Options::event so far.
  [[nodiscard]] std::span<const EventFound> events() const;
  // The model that it steps, with the parameters of now.
  [[nodiscard]] const Model& model() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rattleback
