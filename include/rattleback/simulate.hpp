// Running a system: options in, trajectory and audit out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rattleback/export.hpp"
#include "rattleback/method.hpp"
#include "rattleback/model.hpp"
#include "rattleback/policies.hpp"

namespace RATTLEBACK_API rattleback {

// What a long run tells while it goes on.
struct Progress {
  std::int64_t step = 0, steps = 0;
  double t = 0.0, until = 0.0;
  double energy_error = 0.0;
  double seconds = 0.0;
};

// A moment of a run, as whoever watches it sees it.
struct StepView {
  double t = 0.0;
  std::span<const double> q, v, multipliers;  // kinds without velocities: q has the states
  double energy = 0.0;                        // 0 for kinds without one
};
enum class Go { on, stop };

// Names with numbers.
using Values = std::vector<std::pair<std::string, double>>;

// A number with a usual value, which knows whether it was given: the usual one can be asked for, too, against a model's [run].
class Usual {
 public:
  using value_type = double;
  constexpr Usual(double given) : value_(given), given_(true) {}
  static constexpr Usual of(double usual) {
    Usual x(usual);
    x.given_ = false;
    return x;
  }
  constexpr operator double() const { return value_; }
  [[nodiscard]] constexpr bool given() const { return given_; }

 private:
  double value_;
  bool given_;
};

// Field names are the long flags of `rattleback run`, the keys of [run] and the Python keywords. What is not given here (is as
// in Options{}) is taken from the model's [run], then from the method. A new option is a field here and a row, in the order of
// the fields, in src/option/option_table.cpp.
struct Options {
  std::string method = {};                 // empty: the model's [run] method, else spark-lobatto-ab (dae: srk-gauss)
  int stages = 0;                          // 0: the model's default, else the method's
  double step = 0.0;                       // 0: the model's default
  std::optional<double> until = {};        // end time; with neither until nor steps: the model's default
  std::optional<std::int64_t> steps = {};  // exactly so many steps of size `step`
  Choice<Formulation> formulation = {};    // how holonomic constraints are taken
  Choice<Multiplier> multiplier = {};      // which multipliers are reported
  bool project = false;                    // move an inconsistent start to the nearest consistent one
  int compose = 0;                         // 4, 6, 8: symmetric composition to this order
  std::string tableau = {};                // file with the user's own coefficients; replaces `method`
  Usual alpha = Usual::of(0.5);            // overdetermined Euler methods: weight of the reaction at the start
  Usual rtol = Usual::of(1e-6);            // ode, index1 and baumgarte only
  Usual atol = Usual::of(1e-9);            // the same
  std::optional<double> gain = {};         // baumgarte only, in 1/time; nothing: 10
  Choice<Redundant> redundant = {};        // what to do with dependent constraints
  Usual newton_tol = Usual::of(0.0);       // relative size of the last correction; 0 = to rounding
  Choice<Newton> newton = {};              // how a step is solved
  double adaptive = 0.0;                   // tolerance of the error per step; 0: all steps have the size `step`
  Choice<Controller> controller = {};      // of adaptive steps
  std::vector<std::string> event = {};     // expressions whose zeros along the motion are located
  std::int64_t every = 0;                  // record every so many steps; 0: all, thinned beyond 10^6 or 200 MB
  double output_every = 0.0;               // instead: record at the multiples of this time, between the steps
  bool keep_records = true;                // false: only the audit's running numbers
  bool record_multipliers = true;          // solve for the multipliers at every record, not only at the end
  bool audit_reverse = false;              // integrate back and compare with the start
  bool audit_power = false;                // compare the energy change of each step with the work done in it
  bool audit_order = false;                // repeat with h/2 and h/4 and compare
  std::string checkpoint = {};             // file, written atomically as the run goes
  bool resume = false;                     // continue from the checkpoint
  double checkpoint_seconds = 1.0;         // how often
  Choice<Native> native = {};              // steps as compiled machine code
  double from = 0.0;                       // start time; `until` is absolute, `steps` counts from here
  std::vector<double> q0 = {}, v0 = {};    // start; empty: the model's
  Values parameters = {};  // instead of the model's; starts written as formulas follow, unless q0 is given
  std::function<void(const Progress&)> progress = {};  // called a few times a second
  std::function<void(const std::string&)> warn = {};   // told at once what failed without ending the run: a full disk
  std::stop_token stop = {};                           // ends the run after its step; what there is is kept
  std::function<Go(const StepView&)> observe = {};     // called at the start and after each recorded step

  // All faults at once, one per line; empty when there are none. simulate() throws Error with them.
  [[nodiscard]] std::string validate() const;
};

enum class Status { done, stopped, cancelled };  // stopped: the method failed; cancelled: Options::stop, or observe
const char* to_string(Status status);

// Why no further step was taken: Newton's iteration did not converge, a matrix was singular, a number was none any more, the
// request or the state does not fit, somebody wished so.
enum class Failure { none, newton, singular, not_finite, inconsistent, cancelled };
const char* to_string(Failure failure);

// What a unilateral constraint did, and when.
struct Contact {
  enum class What { lift_off, impact, rest };  // impact: it was met and left at once; rest: it was met and holds
  double t = 0.0;
  std::int32_t constraint = 0;
  What what = What::lift_off;
  double speed = 0.0;  // dg/dt before
};

struct EnergyAudit {
  double initial = 0.0, final = 0.0, max_error = 0.0, drift_per_time = 0.0;
  double max_kinetic = 0.0;  // largest |v.L_v|/2 seen: what to compare an error with when the energy itself is near 0
};

// Where the energy of a run went, step by step from the method's own stages: stored = supplied - dissipated.
struct PowerBalance {
  double max_residual = 0.0;  // largest |stored - supplied + dissipated| of all steps
  double stored = 0.0, supplied = 0.0, dissipated = 0.0;
  double largest_energy = 0.0;     // |H| at the ends of steps
  double least_dissipated = 0.0;   // in one step; below 0 the dissipation inequality is violated
  std::int64_t gaining_steps = 0;  // steps with dissipated < 0 beyond rounding
  struct Part {                    // of an interconnection
    std::string name;
    double max_residual = 0.0;
    double stored = 0.0, supplied = 0.0, dissipated = 0.0;
    double received = 0.0;  // through the connection
  };
  std::vector<Part> parts;
  double connection_residual = 0.0;  // largest |sum of what the parts received| of all steps
};

// What the step control did.
struct AdaptiveAudit {
  Controller controller = Controller::pi;
  double tolerance = 0.0;
  std::int64_t steps = 0, rejected = 0;  // accepted, tried in vain
  double smallest = 0.0, largest = 0.0;  // size of an accepted step; a shorter last one is left out
};

// How well the accelerations and multipliers at the start, at the end and at some records satisfy the equations of motion.
struct EquationsAudit {
  static constexpr double kLargestResidual = 1e-8;  // above it the multipliers are not to be trusted
  double residual = 0.0;                            // relative to the largest term
  double condition = 0.0;  // of the equilibrated matrix that determines them, in the 2-norm; estimated when it is large
  double residual_t = 0.0;  // where each is worst
  double condition_t = 0.0;
};

// A zero of an event expression: a state at the end of a step of the method that is exactly so long.
struct EventFound {
  std::string event;  // the expression
  double t = 0.0;
  int direction = 0;         // +1: the expression grows through zero, -1: it falls
  std::vector<double> q, v;  // dae: q holds the states
};

// Constraints that depend on the others, with Options::redundant = "minimum-norm".
struct RedundantAudit {
  std::int32_t rank = 0, rows = 0;   // of the constraints that were integrated, of all: at the end
  std::vector<std::string> dropped;  // those that were not integrated at the end
  struct Change {
    double t = 0.0;
    std::vector<std::string> dropped;  // from there on
  };
  std::vector<Change> changes;
  // Moments at which the rank was lost without a row that could be spared: the step from there kept all of them.
  struct Loss {
    double t = 0.0;
    std::int32_t rank = 0;
  };
  std::vector<Loss> losses;
  // Pivots of rows scaled to length 1 that make the decision about the rank unclear.
  struct Unclear {
    double t = 0.0, smallest = 1.0, remainder = 0.0;  // of what was kept, of what was left out
  };
  std::optional<Unclear> unclear;
};

struct Trajectory {
  std::shared_ptr<const Model> model;  // for names

  // What was run, with all defaults filled in.
  std::string method;
  Formulation formulation = Formulation::none;  // how holonomic constraints were taken
  int stages = 0, order = 0;  // order: of the state, the smallest of its components; 0: adaptive or not known
  ComponentOrders orders;     // by component
  double step = 0.0;
  std::int64_t steps = 0;  // taken
  std::int64_t every = 1;  // records are this many steps apart
  double t = 0.0;          // reached

  Status status = Status::done;
  Failure failure = Failure::none;
  std::string message;           // why it stopped, at which t, what to try
  std::string checkpoint_fault;  // why the latest checkpoint could not be written; empty: it was, or none was asked for
  std::vector<std::string>
      notes;  // what the reader should know: shorter last step, projected start, claims that do not hold here

  // Records, row by row: t, q, v, multipliers, energy, residuals.
  struct Records {
    std::size_t rows = 0;
    std::vector<double> t, q, v, multipliers, energy, residual_position, residual_velocity;
    std::vector<double> inputs, outputs;  // port-Hamiltonian: u and y
    std::vector<double> balance;          // residual of the power balance of the step before the record

    // One record.
    [[nodiscard]] std::span<const double> q_at(std::size_t row) const { return row_of(q, row); }
    [[nodiscard]] std::span<const double> v_at(std::size_t row) const { return row_of(v, row); }
    [[nodiscard]] std::span<const double> multipliers_at(std::size_t row) const { return row_of(multipliers, row); }

   private:
    [[nodiscard]] std::span<const double> row_of(const std::vector<double>& all, std::size_t row) const;
  } records;

  // The start as it was used: after a projection, with algebraic states solved for.
  std::vector<double> start_q, start_v;

  // Final state.
  std::vector<double> q, v, multipliers;
  std::vector<Contact> contacts;  // of unilateral constraints, in order; the first 100 000

  std::optional<RedundantAudit> redundant;  // with Options::redundant = "minimum-norm"
  std::optional<AdaptiveAudit> adaptive;    // with Options::adaptive
  std::vector<std::string> watched;         // the expressions of Options::event
  std::vector<EventFound> events;           // their zeros, in the order of time
  double output_every = 0.0;                // not 0: the records are at its multiples

  // Audit: over the recorded steps.
  std::optional<EnergyAudit> energy;          // mechanical
  std::optional<PowerBalance> power_balance;  // methods that know it; over all steps
  std::optional<EquationsAudit> equations;
  std::optional<double> constraint_position;  // holonomic constraints, or those of a dae or odae
  std::optional<double> constraint_velocity;  // all constraints of a mechanical system or odae
  std::optional<double> constraint_midpoint;  // cortes-martinez
  std::optional<double> error;                // against [exact]
  std::optional<double> reverse_defect;       // audit_reverse: relative to the largest component of the start
  std::optional<double> observed_order;       // audit_order
  // Of the steps that were taken. An adaptive step counts all that was spent on it: also rejected tries and estimates.
  std::int64_t newton_iterations = 0;
  int newton_max_per_step = 0;
  double wall_seconds = 0.0;
  double compile_seconds = 0.0;     // the part of them that it took to compile the step, or to find it in the cache
  bool native = false;              // some steps were taken by compiled code (Options::native)
  std::int64_t compiled_steps = 0;  // how many

  // Where a name stands in q, v or multipliers: "theta", "theta'", "lambda.rod". Throws Error with a suggestion.
  [[nodiscard]] std::size_t index(std::string_view name) const;
  // The records of a name as one vector, also "t", "energy", "residual.position" and all other columns of a CSV file.
  [[nodiscard]] std::vector<double> column(std::string_view name) const;
};

// Runge-Kutta methods take the families of a mechanical system as they are. The other methods, and daes, work on single
// coordinates: load a model with LoadOptions::unroll_below = kLargestFamily for them.
inline constexpr std::int32_t kLargestFamily = 256;

// Throws Error when the request or the model is wrong. A numerical failure is a status, with everything before it kept.
// The same as prepare(model, options).run(options).
Trajectory simulate(const Model& model, const Options& options);

// A request made ready: everything that runs of one model with one method share is derived and planned once, and compiled
// once where that is asked for. Runs have the bits of simulate(), whatever was run before. Any number of threads may run at
// the same time; each of them derives its own workspace when it comes first.
class Prepared {
 public:
  Prepared(const Model& model, const Options& options);
  Prepared(Prepared&&) noexcept;
  Prepared& operator=(Prepared&&) noexcept;
  ~Prepared();

  // What is left out is as it was prepared. Throws Error for options that ask for another plan: method, stages,
  // formulation, tableau, tolerances ... Others may differ: start, parameters, step, end, records, events.
  [[nodiscard]] Trajectory run(const Options& options = {}) const;

 private:
  friend struct PreparedRuns;
  struct Shared;
  explicit Prepared(std::shared_ptr<Shared> shared);
  std::shared_ptr<Shared> shared_;
};
Prepared prepare(const Model& model, const Options& options);

// --- check: what can be said without integrating

struct ConstraintCheck {
  std::string name;
  bool holonomic = false, linear = true, integrable = false;
  double start_residual = 0.0;           // of the constraint as it is written
  double start_residual_velocity = 0.0;  // of the time derivative of a holonomic one
  bool unilateral = false, acts = true;
};

struct MethodCheck {
  std::string name;
  bool applies = false;
  std::string reason;
};

struct CheckReport {
  int coordinates = 0, degrees_of_freedom = 0, index = 0;
  std::vector<ConstraintCheck> constraints;
  bool integrable_together = false;
  int rank = 0;
  std::vector<std::string> redundant;   // names of constraints that depend on the others at the start
  std::vector<std::string> vanishing;   // whose gradient is zero at the start
  std::vector<std::string> not_finite;  // whose gradient has no value at the start
  bool mass_constant = false, mass_positive_definite = false, saddle_regular = false;
  bool consistent = false, derivatives_ok = false;
  bool derivatives_undetermined = false;     // finite differences settle nowhere, so that nothing was compared
  double derivative_error = 0.0;             // largest relative difference to finite differences
  std::vector<double> nearest_q, nearest_v;  // the nearest consistent start, when the given one is not
  std::vector<double> multipliers;           // at the start
  std::vector<MethodCheck> methods;
  std::string obstacle;  // why no method applies, when that does not depend on the method
  std::vector<std::string> notes;
  // The (derived) port-Hamiltonian form: entries that are not 0, such as {"v1,v1", "m1"}, for each of E, J, R, ...
  struct MatrixText {
    std::string name;
    std::vector<std::pair<std::string, std::string>> entries;
  };
  std::vector<MatrixText> port_hamiltonian;
};

CheckReport check(const Model& model);

// --- order: error against step size

struct OrderRun {
  std::string method;
  int stages = 0;
  double step = 0.0, error = 0.0, seconds = 0.0;
  double error_q = 0.0, error_v = 0.0, error_multipliers = 0.0;  // apart
};

struct OrderSlope {
  std::string label;    // "spark-gauss(2)"
  double fitted = 0.0;  // over all points above rounding
  double last = 0.0;    // between the two smallest such steps
  double fitted_q = 0.0, fitted_v = 0.0, fitted_multipliers = 0.0;
  int points = 0;  // used
};

struct OrderRequest {
  std::vector<std::pair<std::string, int>> methods;  // name and stages (0 = default)
  std::vector<double> steps;
  double until = 0.0;
  std::string reference;  // "exact", "NAME:S:H", or "" = [exact] when there is one, else a higher-order run
  Options options;        // compose, newton_tol, formulation, project ...
};

struct OrderReport {
  std::vector<OrderRun> runs;
  std::vector<OrderSlope> slopes;
  std::string reference;  // what was used
};

OrderReport order_study(const Model& model, const OrderRequest& request);

}  // namespace rattleback
