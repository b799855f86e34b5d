// Runs of one model from many starts and with many values of its parameters. What depends on neither is derived once: the system,
// the method's plan, the functions that judge a start and those of the audit. The runs take their steps together in lanes, and each has the bits of
// simulate() from its start.
//
// What is not plain is left to simulate(): runs that stop, starts that are refused, and all of what lanes do not have (large
// systems, steps of changing size, events, energies that are added up ...).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "audit/monitor.hpp"
#include "engine/lane_group.hpp"
#include "run/core.hpp"
#include "run/grid.hpp"
#include "run/invariants.hpp"
#include "run/pace.hpp"
#include "run/quantities.hpp"
#include "system/lane_observer.hpp"

namespace rattleback {

// The compiled step of all threads, once it pays.
class LaneCode {
 public:
  // wanted: Options::native; work: steps of all runs together, shared out over threads.
  // stop: ends the compiler.
  LaneCode(Native wanted, double work, int threads, std::stop_token stop = {});
  // The code, or null as long as steps are interpreted.
  [[nodiscard]] LaneSteps steps() const { return steps_.load(std::memory_order_acquire); }
  // Of each thread before its first step: the same number from all.
  void set_work(double steps) { work_.store(steps, std::memory_order_relaxed); }
  [[nodiscard]] bool undecided() const { return undecided_.load(std::memory_order_relaxed); }
  // So many steps were interpreted in so many seconds; compiles when the rest would take much longer than that.
  void took(double seconds, double steps, const PlanStepper& stepper);
  // Compiles before the first step where that is asked for. Says why that cannot be, or "".
  std::string begin(const PlanStepper& stepper);
  // For the user, when the compiler was given up; else "".
  [[nodiscard]] std::string note();

 private:
  std::string compile(const PlanStepper& stepper, bool only_cached);
  Native wanted_;
  std::atomic<double> work_ = 0.0;
  int threads_ = 1;
  std::mutex mutex_, code_mutex_;  // of the decision, of the code
  double seconds_ = 0.0, taken_ = 0.0;
  std::atomic<bool> undecided_ = false;
  std::atomic<LaneSteps> steps_ = nullptr;
  NativeCode native_;
  std::stop_token stop_;
  std::string note_;
};

// A member at a moment, as a run reports it.
struct SharedState {
  std::vector<double> q, v, multipliers, quantities;
  bool determined = true;  // the multipliers, else those of the last stage
};

// What a run gives; t and energy at every record.
struct SharedResult {
  std::vector<double> q0, v0;  // the start, after a projection
  std::vector<double> t, energy;
  SharedState end;
  Trajectory::Records records;     // with Options::keep_records
  std::vector<double> invariants;  // largest errors
  double time = 0.0;
  std::optional<double> last_energy, energy_error, constraint_position, constraint_velocity;
  std::vector<std::string> notes;
};

class SharedRun {
 public:
  static constexpr std::size_t kAtOnce = LaneGroup::kWidth;

  // Throws Error where the model or the options are refused, and where lanes do not have what they ask for.
  SharedRun(const Model& model, const Options& options, LaneCode& code);
  SharedRun(const SharedRun&) = delete;
  SharedRun& operator=(const SharedRun&) = delete;

  // The model whose q0, v0 and z0 are the next start, and whose parameters the next member has (StartReader).
  [[nodiscard]] Model& model() { return core_.model; }
  // Takes the start in model() as the next of a group. False: this run must be made alone.
  bool add();
  // Was the last one false because of what a parameter decides?
  [[nodiscard]] bool decided_otherwise() const { return core_.decided_otherwise(); }
  // Runs the group, which has at most kAtOnce members. A result is missing where a run must be made alone. Throws Cancelled.
  std::vector<std::optional<SharedResult>> run();

  [[nodiscard]] const std::string& method() const { return core_.method.name; }
  [[nodiscard]] int stages() const { return core_.method.stages; }
  [[nodiscard]] int order() const { return core_.method.order(); }
  [[nodiscard]] double step() const { return grid_.h; }
  // Of SharedState::quantities, as in a Trajectory.
  [[nodiscard]] const std::vector<std::string>& quantity_names() const { return quantities_.names(); }
  [[nodiscard]] const std::vector<std::string>& invariant_names() const { return kept_.names; }
  [[nodiscard]] std::vector<std::string> selected_columns() const;
  // The run of a member with its records, which are taken out of its result.
  Trajectory trajectory(SharedResult& result) const;
  [[nodiscard]] std::int64_t steps() const { return grid_.whole + (grid_.last != 0.0 ? 1 : 0); }

 private:
  [[nodiscard]] bool has_values() const;
  void record();
  void keep(std::size_t member, const System::Observation& seen);
  SharedState look(std::size_t member);
  void advance(double h, std::int64_t steps);

  RunCore core_;
  const Options& options_;
  const System& system_;
  KeptQuantities kept_;
  Quantities quantities_;
  TimeGrid grid_;
  PlanStepper& stepper_;
  LaneCode& code_;
  LaneGroup lanes_;
  LaneObserver observer_;
  std::vector<double> parameters_;             // they
  mutable std::optional<Evaluator> formulas_;  // that must have values at a start
  struct Member {
    Start start;
    Monitor monitor;
    std::vector<double> energy;
    std::vector<double> parameters = {};
    Trajectory::Records records = {};
    std::optional<Invariants> invariants = {};  // where the model has some
  };
  std::vector<Member> members_;
  std::vector<double> t_;
  Pace pace_;
};

}  // namespace rattleback
