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

// What became of a call; steps and iterations of Newton are those of this call.
struct StepReport {
  bool ok = true;
  Failure failure = Failure::none;
  std::int64_t steps = 0;
  int iterations = 0;
  explicit operator bool() const { return ok; }
};

// Everything that the next step depends on. Two of them are equal if their bits are.
struct Snapshot {
  std::vector<double> numbers;
  std::string of;  // the model and the method
  friend bool operator==(const Snapshot& a, const Snapshot& b);
};

// Used by one thread at a time. It starts as simulate() would, and its steps have the same bits.
class Stepper {
 public:
  // Derives and binds once. Options::until and ::steps are not looked at. Throws Error.
  Stepper(const Model& model, const Options& options);
  Stepper(Stepper&&) noexcept;
  Stepper& operator=(Stepper&&) noexcept;
  ~Stepper();

  // One step of step_size(). Allocates nothing. When it fails, the last good state stays. With chosen steps
  // (Options::adaptive) it is one accepted step; events and contacts act inside it.
  StepReport step() noexcept;
  // This step has another size. Not ok, with nothing changed: h of 0 or NaN; chosen steps; two-step methods.
  StepReport step(double h) noexcept;
  StepReport advance(std::int64_t steps) noexcept;
  // Whole steps, then a shorter one. Not ok, with nothing changed: a time that is passed already; two-step methods off their grid.
  StepReport advance_to(double t) noexcept;

  [[nodiscard]] double t() const;
  [[nodiscard]] double step_size() const;
  [[nodiscard]] double energy() const;  // 0 for kinds without one
  // Of this moment; the next call that is not const ends them. Kinds without velocities: q() are the states.
  [[nodiscard]] std::span<const double> q() const;
  [[nodiscard]] std::span<const double> v() const;
  [[nodiscard]] std::span<const double> multipliers() const;
  // Where a name stands in q, v or multipliers: "theta", "theta'", "lambda.rod". Throws Error with a suggestion.
  [[nodiscard]] std::size_t index(std::string_view name) const;

  // From the next step on. Throw Error, with nothing changed, for what cannot be; two-step methods after their first step.
  void set_step(double h);
  // No derivation, no compiler, no allocation where the value decides nothing that the one before did not; a value that does
  // (a friction that was 0) is derived anew. A constraint that it breaks is judged at the next step.
  void set_parameter(std::string_view name, double value);
  // The input of a port, held over the next steps until it is changed; by name or by number. On a port with a formula it
  // replaces the formula, for which the step is derived once.
  void set_input(std::string_view port, double u);
  void set_input(std::size_t port, double u);
  // Consistent, or with Options::project moved to the nearest consistent state.
  void set_state(double t, std::span<const double> q, std::span<const double> v = {});

  [[nodiscard]] Snapshot save() const;
  void restore(const Snapshot& from);  // from here on the same bits

  // Of the last call that was not ok, as simulate() says it.
  [[nodiscard]] std::string message() const;
  [[nodiscard]] const Model& model() const;  // with the parameters of now

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rattleback
