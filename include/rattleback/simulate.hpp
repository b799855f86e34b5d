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
  std::int64_t step = 0, steps = 0;  // steps so far, and of the whole run; chosen steps: an estimate
  double t = 0.0, until = 0.0;       // time reached, and the end
  double energy_error = 0.0;         // largest |E - E0| so far; 0 for kinds without energy
  double seconds = 0.0;              // since the run began
};

// A moment of a run, as whoever watches it sees it.
struct StepView {
  double t = 0.0;                             // time of the state
  std::span<const double> q, v, multipliers;  // kinds without velocities: q has the states
  double energy = 0.0;                        // 0 for kinds without one
};
// What Options::observe answers: on with the run, or stop it here.
enum class Go { on, stop };

// Names with numbers.
using Values = std::vector<std::pair<std::string, double>>;

// A number with a usual value, which knows whether it was given: the usual one can be asked for, too, against a model's [run].
class Usual {
 public:
  using value_type = double;  // of the number
  // A number that was given.
  constexpr Usual(double given) : value_(given), given_(true) {}
  // The usual value, not given.
  static constexpr Usual of(double usual) {
    Usual x(usual);
    x.given_ = false;
    return x;
  }
  // The number, given or not.
  constexpr operator double() const { return value_; }
  // Was it given?
  [[nodiscard]] constexpr bool given() const { return given_; }

 private:
  double value_;
  bool given_;
};

// What is asked of a run. Field names are the long flags of `rattleback run`, the keys of [run] and the Python keywords. What
// is not given here (is as in `Options{}`) is taken from the model's [run], then from the method. A new option is a field
// here and a row, in the order of the fields, in src/option/option_table.cpp.
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
  Choice<Reaction> reaction = {};          // overdetermined Euler methods: which velocity stands in the reaction
  Usual rtol = Usual::of(1e-6);            // relative tolerance; ode, index1 and baumgarte only
  Usual atol = Usual::of(1e-9);            // absolute tolerance of the same
  std::optional<double> gain = {};         // of the feedback, in 1/time; baumgarte only; nothing: 10
  Choice<Redundant> redundant = {};        // what to do with dependent constraints
  Usual newton_tol = Usual::of(0.0);       // relative size of the last correction; 0 = to rounding
  Choice<Newton> newton = {};              // how a step is solved
  double adaptive = 0.0;                   // tolerance of the error per step; 0: all steps have the size `step`
  Choice<Controller> controller = {};      // what chooses adaptive steps
  std::vector<std::string> event = {};     // expressions whose zeros along the motion are located
  std::string until_event = {};            // the run ends where this expression is zero
  std::int64_t every = 0;                  // record every so many steps; 0: all, thinned beyond 10^6 or 200 MB
  double output_every = 0.0;               // instead: record at the multiples of this time, between the steps
  std::string output_columns = {};         // further columns: definitions, x'', patterns; "=t,x": these alone
  std::string plot_columns = {};           // of a figure of the run: "theta, phi'; energy; x:y"; nothing: the usual one
  bool keep_records = true;                // false: only the audit's running numbers
  bool record_multipliers = true;          // solve for the multipliers at every record, not only at the end
  bool audit_reverse = false;              // integrate back and compare with the start
  bool audit_power = false;                // compare the energy change of each step with the work done in it
  bool audit_order = false;                // repeat with h/2 and h/4 and compare
  std::string checkpoint = {};             // file, written atomically as the run goes
  bool resume = false;                     // continue from the checkpoint
  double checkpoint_seconds = 1.0;         // how often the checkpoint is written
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

// How a run ended: done; stopped: the method failed; cancelled: Options::stop, or Options::observe.
enum class Status { done, stopped, cancelled };
// Its name, as JSON has it.
const char* to_string(Status status);

// Why no further step was taken: Newton's iteration did not converge (newton), a matrix was singular, a number was none any
// more (not_finite), the request or the state does not fit (inconsistent), somebody wished so (cancelled); none: it was.
enum class Failure { none, newton, singular, not_finite, inconsistent, cancelled };
// Its name, as JSON has it.
const char* to_string(Failure failure);

// What a unilateral constraint did, and when.
struct Contact {
  // lift_off: it does not act any more; impact: it was met and left at once; rest: it was met and holds.
  enum class What { lift_off, impact, rest };
  double t = 0.0;               // when
  std::int32_t constraint = 0;  // which
  What what = What::lift_off;   // what happened
  double speed = 0.0;           // dg/dt before
};

// The energy along the recorded steps: E = v^T L_v - L, or H.
struct EnergyAudit {
  double initial = 0.0, final = 0.0;  // at the first and the last record
  double max_error = 0.0;             // largest |E - E0|
  double drift_per_time = 0.0;        // slope of a straight line fitted to E - E0
  double max_kinetic = 0.0;  // largest |v.L_v|/2 seen: what to compare an error with when the energy itself is near 0
};

// Where the energy of a run went, step by step from the method's own stages: stored = supplied - dissipated.
struct PowerBalance {
  double max_residual = 0.0;                              // largest |stored - supplied + dissipated| of all steps
  double stored = 0.0, supplied = 0.0, dissipated = 0.0;  // sums over the run
  double largest_energy = 0.0;                            // largest |H| at the ends of steps
  double least_dissipated = 0.0;   // least dissipated in one step; below 0 the dissipation inequality is violated
  std::int64_t gaining_steps = 0;  // steps with dissipated < 0 beyond rounding
  // The same for one system of an interconnection: stored = supplied + received - dissipated.
  struct Part {
    std::string name;                                       // of the system in the interconnection
    double max_residual = 0.0;                              // largest of all steps
    double stored = 0.0, supplied = 0.0, dissipated = 0.0;  // sums over the run
    double received = 0.0;                                  // through the connection, over the run
  };
  std::vector<Part> parts;           // empty: it was not interconnected
  double connection_residual = 0.0;  // largest |sum of what the parts received| of all steps
};

// What the step control did.
struct AdaptiveAudit {
  Controller controller = Controller::pi;  // what chose the steps
  double tolerance = 0.0;                  // Options::adaptive
  std::int64_t steps = 0, rejected = 0;    // accepted; tried in vain
  double smallest = 0.0, largest = 0.0;    // size of an accepted step; a shorter last one is left out
};

// How well the accelerations and multipliers at the start, at the end and at some records satisfy the equations of motion.
struct EquationsAudit {
  static constexpr double kLargestResidual = 1e-8;  // above it the multipliers are not to be trusted
  double residual = 0.0;                            // largest, relative to the largest term
  // Largest, of the equilibrated matrix that determines them, in the 2-norm; estimated when it is large.
  double condition = 0.0;
  double residual_t = 0.0;   // time at which the residual is largest
  double condition_t = 0.0;  // time at which the condition is largest
};

// What became of a quantity that its author says is kept.
struct InvariantAudit {
  std::string name;                   // of [invariants], or of a symmetry whose momentum it is
  double initial = 0.0, final = 0.0;  // at the start and at the end
  double max_error = 0.0;             // largest difference from the start, over the recorded steps
  double drift_per_time = 0.0;        // slope of the straight line fitted to the difference
  double size = 0.0;  // the largest of the terms that are added up in it: what an error is compared with
};

// The momentum of a symmetry of the model that is not kept: what forces, constraints and a Lagrangian that changes along it did,
// as the method itself adds it up.
struct MomentumAudit {
  std::string name;                   // of the symmetry
  double initial = 0.0, final = 0.0;  // at the start and at the end
  std::optional<double> impulse;      // of all that acts along it, over the run; none: the method does not tell it
  std::optional<double> residual;     // largest |change - impulse| of all steps
};

// A zero of an event expression: a state at the end of a step of the method that is exactly so long.
struct EventFound {
  std::string event;                     // the expression, or the name of an event of the model
  double t = 0.0;                        // when
  int direction = 0;                     // +1: the expression grows through zero, -1: it falls, 0: it touches zero
  std::vector<double> q, v;              // state there; dae: q holds the states
  std::vector<double> after_q, after_v;  // state that the event has set; empty: it has set none
};

// Constraints that depend on the others, with Options::redundant = "minimum-norm".
struct RedundantAudit {
  std::int32_t rank = 0;             // how many constraints were integrated, at the end
  std::int32_t rows = 0;             // how many there are
  std::vector<std::string> dropped;  // those that were not integrated at the end
  // A moment at which others were integrated.
  struct Change {
    double t = 0.0;                    // when
    std::vector<std::string> dropped;  // those that are not integrated from there on
  };
  std::vector<Change> changes;  // in the order of time
  // A moment at which the rank was lost without a row that could be spared: the step from there kept all of them.
  struct Loss {
    double t = 0.0;         // when
    std::int32_t rank = 0;  // that was left
  };
  std::vector<Loss> losses;  // in the order of time
  // Pivots of rows scaled to length 1 that make the decision about the rank unclear.
  struct Unclear {
    double t = 0.0;          // when
    double smallest = 1.0;   // of what was kept
    double remainder = 0.0;  // of what was left out
  };
  std::optional<Unclear> unclear;  // the least clear decision, where there was such a one
};

// What holds of coefficients that came from a file.
struct TableauAudit {
  std::optional<bool> variational;  // b_i a_ij + b_j ahat_ji = b_i b_j; of mechanical systems
  bool weights_ok =
      false;  // matrices, weights and conditions on the constraints are the same when they are read backwards
};

// A run: what was run, how it ended, its records, its end, and what was kept.
struct Trajectory {
  std::shared_ptr<const Model> model;  // that was run; for names

  // --- what was run, with all defaults filled in
  std::string method;                           // its name
  Formulation formulation = Formulation::none;  // how holonomic constraints were taken
  int stages = 0;                               // of the method
  int order = 0;                        // of the state, the smallest of its components; 0: adaptive or not known
  ComponentOrders orders;               // by component
  std::optional<TableauAudit> tableau;  // with Options::tableau
  double step = 0.0;                    // size of the steps; adaptive: of the first
  std::int64_t steps = 0;               // how many were taken
  std::int64_t every = 1;               // records are this many steps apart
  double t = 0.0;                       // time reached

  // --- how it ended
  Status status = Status::done;     // done, stopped or cancelled
  Failure failure = Failure::none;  // what failed
  std::string message;              // why it stopped, at which t, what to try
  std::string checkpoint_fault;  // why the latest checkpoint could not be written; empty: it was, or none was asked for
  std::vector<std::string> notes;  // what to know: shorter last step, projected start, claims that do not hold here

  // --- records
  // What was written down on the way, row by row. A vector is empty where the kind of system or the method has no such thing.
  struct Records {
    std::size_t rows = 0;                   // how many records there are
    std::vector<double> t;                  // times
    std::vector<double> q, v, multipliers;  // row after row
    std::vector<double> energy;             // E, or H
    std::vector<double> residual_position;  // largest of the constraints at position level
    std::vector<double> residual_velocity;  // largest of all constraints at velocity level
    std::vector<double> inputs, outputs;    // port-Hamiltonian: u and y, row after row
    std::vector<double> quantities;  // outputs of the model, and what Options::output_columns and plot_columns add
    std::vector<double> balance;     // residual of the power balance of the step before the record

    // A view of one record. Throws Error where there is no such row:
    [[nodiscard]] std::span<const double> q_at(std::size_t row) const { return row_of(q, row); }
    [[nodiscard]] std::span<const double> v_at(std::size_t row) const { return row_of(v, row); }
    [[nodiscard]] std::span<const double> multipliers_at(std::size_t row) const { return row_of(multipliers, row); }

   private:
    [[nodiscard]] std::span<const double> row_of(const std::vector<double>& all, std::size_t row) const;
  } records;  // of all recorded steps; empty without Options::keep_records

  std::vector<double> start_q, start_v;       // the start as it was used: projected, with algebraic states solved for
  std::vector<double> q, v, multipliers;      // final state
  std::vector<std::string> quantity_names;    // of the model's outputs, and of what Options::output_columns adds
  std::vector<double> quantities;             // their final values
  std::size_t drawn_quantities = 0;           // the last so many are there for Options::plot_columns: no file has them
  std::vector<std::string> selected_columns;  // patterns of those to be written; empty: all
  std::vector<Contact> contacts;              // of unilateral constraints, in order; the first 100 000

  std::optional<RedundantAudit> redundant;  // which were integrated; with Options::redundant = "minimum-norm"
  std::optional<AdaptiveAudit> adaptive;    // what the step control did; with Options::adaptive
  std::vector<std::string> watched;         // the expressions of Options::event
  std::string stopped_by;                   // the event that ended the run; empty: none did
  std::optional<double> taken_by_events;  // energy that events which set the state have taken; negative: they gave some
  std::vector<EventFound> events;         // their zeros, in the order of time
  double output_every = 0.0;              // not 0: the records are at its multiples

  // --- what was kept, over the recorded steps
  std::optional<EnergyAudit> energy;          // systems with an energy
  std::optional<PowerBalance> power_balance;  // methods that know it; over all steps
  std::vector<InvariantAudit> invariants;     // of the model
  std::vector<MomentumAudit> momenta;         // of its symmetries that keep none
  std::optional<EquationsAudit> equations;    // mechanical: how well accelerations and multipliers satisfy them
  std::optional<double> constraint_position;  // largest residual of holonomic constraints, or those of a dae or odae
  std::optional<double> constraint_velocity;  // largest residual of all constraints of a mechanical system or odae
  std::optional<double> constraint_midpoint;  // largest residual at midpoints; cortes-martinez
  std::optional<double> error;                // of the final state against [exact]
  std::optional<double> reverse_defect;       // Options::audit_reverse: relative to the largest component of the start
  std::optional<double> observed_order;       // Options::audit_order
  // --- what it cost Iterations in the steps that were taken. An adaptive step counts all that was spent on it: also rejected
  // tries and estimates.
  std::int64_t newton_iterations = 0;
  int newton_max_per_step = 0;      // most iterations in one step
  double wall_seconds = 0.0;        // of the run
  double compile_seconds = 0.0;     // the part of them that it took to compile the step, or to find it in the cache
  bool native = false;              // some steps were taken by compiled code (Options::native)
  std::int64_t compiled_steps = 0;  // how many of them

  // --- names
  // Where a name stands in q, v or multipliers: "theta", "theta'", "lambda.rod". Throws Error with a suggestion.
  [[nodiscard]] std::size_t index(std::string_view name) const;
  // The records of a name as one vector, also "t", "energy", "residual.position" and all other columns of a CSV file.
  [[nodiscard]] std::vector<double> column(std::string_view name) const;
  // The names of all of these columns, in the order of a CSV file.
  [[nodiscard]] std::vector<std::string> columns() const;
};

// Runge-Kutta methods take the families of a mechanical system as they are. The other methods, and daes, work on single
// coordinates: load a model with LoadOptions::unroll_below = kLargestFamily for them.
inline constexpr std::int32_t kLargestFamily = 256;

// Runs a model. Throws Error when the request or the model is wrong. A numerical failure is a status, with everything before
// it kept. The same as prepare(model, options).run(options).
Trajectory simulate(const Model& model, const Options& options);

// A request made ready: everything that runs of one model with one method share is derived and planned once, and compiled
// once where that is asked for. Runs have the bits of simulate(), whatever was run before. Any number of threads may run at
// the same time; each of them derives its own workspace when it comes first.
class Prepared {
 public:
  // Derives and plans, and compiles where that is asked for. Throws Error.
  Prepared(const Model& model, const Options& options);
  // What was moved from can only be assigned to or destroyed:
  Prepared(Prepared&&) noexcept;
  Prepared& operator=(Prepared&&) noexcept;
  ~Prepared();

  // One run. What is left out is as it was prepared. Throws Error for options that ask for another plan: method, stages,
  // formulation, tableau, tolerances ... Others may differ: start, parameters, step, end, records, events.
  [[nodiscard]] Trajectory run(const Options& options = {}) const;

 private:
  friend struct PreparedRuns;
  struct Shared;
  explicit Prepared(std::shared_ptr<Shared> shared);
  std::shared_ptr<Shared> shared_;
};
// The same as its constructor.
Prepared prepare(const Model& model, const Options& options);

// --- check: what can be said without integrating

// What is known of one constraint.
struct ConstraintCheck {
  std::string name;                      // as in messages
  bool holonomic = false;                // at position level
  bool linear = true;                    // mechanical: in the velocities
  bool integrable = false;               // holonomic, or a velocity constraint that follows from a holonomic one
  double start_residual = 0.0;           // of the constraint as it is written
  double start_residual_velocity = 0.0;  // of the time derivative of a holonomic one
  bool unilateral = false;               // g >= 0
  bool acts = true;                      // at the start; false: a unilateral one that is open
};

// Whether a method takes the system.
struct MethodCheck {
  std::string name;      // of the method
  bool applies = false;  // it does
  std::string reason;    // why not
};

// What is known of a symmetry that the model names.
struct SymmetryCheck {
  std::string name;             // of the symmetry, and of its momentum J = L_v xi
  bool of_lagrangian = false;   // L_q xi + L_v (D xi v) = 0
  bool of_constraints = false;  // K xi = 0 where the constraints hold
  bool conserved = false;       // both, and F xi = 0: the momentum is kept
};

// A symmetry of the Lagrangian that the model does not name.
struct FoundSymmetry {
  std::vector<std::pair<std::string, std::string>> field;  // coordinates that move, with expressions of the positions
  bool conserved = false;                                  // constraints and forces allow it, too: its momentum is kept
};

// What check() finds.
struct CheckReport {
  int coordinates = 0;                          // how many
  int degrees_of_freedom = 0;                   // coordinates without the rank of the constraints
  int index = 0;                                // differentiation index
  std::vector<ConstraintCheck> constraints;     // in the order of the multipliers
  bool integrable_together = false;             // the velocity constraints, all of them: the system is holonomic
  int rank = 0;                                 // of the constraints at the start
  std::vector<std::string> redundant;           // names of constraints that depend on the others at the start
  std::vector<std::string> vanishing;           // whose gradient is zero at the start
  std::vector<std::string> not_finite;          // whose gradient has no value at the start
  bool mass_constant = false;                   // the same at all states
  bool mass_positive_definite = false;          // at the start
  bool saddle_regular = false;                  // accelerations and multipliers are determined at the start
  bool consistent = false;                      // the start satisfies the constraints
  bool derivatives_ok = false;                  // they agree with finite differences
  bool derivatives_undetermined = false;        // finite differences settle nowhere, so that nothing was compared
  double derivative_error = 0.0;                // largest relative difference to finite differences
  std::vector<double> nearest_q, nearest_v;     // the nearest consistent start, when the given one is not
  std::vector<double> multipliers;              // at the start
  std::vector<MethodCheck> methods;             // all of them
  std::string obstacle;                         // why no method applies, when that does not depend on the method
  std::vector<SymmetryCheck> symmetries;        // that the model names
  std::vector<FoundSymmetry> found_symmetries;  // others, with independent momenta; those that are kept come first
  std::vector<std::string> notes;               // what else to know
  // One matrix of the (derived) port-Hamiltonian form as text.
  struct MatrixText {
    std::string name;                                          // E, J, R, ...
    std::vector<std::pair<std::string, std::string>> entries;  // those that are not 0, such as {"v1,v1", "m1"}
  };
  std::vector<MatrixText> port_hamiltonian;  // its form, if that was asked for
  // The reduced form, if that was asked for: the frame X, its momenta rho, the energy H, the rates y = H_rho, the structure
  // coefficients C, the forces F, and where the frame may fail.
  std::vector<MatrixText> reduced;
  std::string latex;  // to_latex(), by who asked for it
};

// Forms of the equations of a system that check() can write. reduced: a mechanical system without its velocity constraints, in an
// adapted frame X(q) of what they allow,  q' = X y,  rho' = -X^T H_q + C y + F,  with rho = X^T L_vv v and y = H_rho.
enum class Form {
  none,              // nothing is written
  port_hamiltonian,  // E x' + r = (J - R) z + (B - P) u
  reduced            // as above
};

// Looks at a model without integrating it. Throws Error when there is nothing to look at, or when it has no such form.
CheckReport check(const Model& model, Form form = Form::none);

// --- order: error against step size

// One method with one step.
struct OrderRun {
  std::string method;              // its name
  int stages = 0;                  // of the method
  double step = 0.0;               // size of the steps
  double error = 0.0;              // of the state at the end
  double seconds = 0.0;            // wall time of the run
  double error_q = 0.0;            // of the positions alone
  double error_v = 0.0;            // of the velocities alone
  double error_multipliers = 0.0;  // of the multipliers
  std::string label = {};          // as in its slope: "spark-gauss(2)"
};

// The order that the errors of one method show: slopes of log(error) over log|step|. NaN with fewer than two points.
struct OrderSlope {
  std::string label;                                                // "spark-gauss(2)"
  double fitted = 0.0;                                              // over all points above rounding
  double last = 0.0;                                                // between the two smallest such steps
  double fitted_q = 0.0, fitted_v = 0.0, fitted_multipliers = 0.0;  // as `fitted`, of one component
  int points = 0;                                                   // how many were used for `fitted`
};

// What order_study() is to run: every method with every step. Options::tableau is one more of them.
struct OrderRequest {
  std::vector<std::pair<std::string, int>> methods;  // name and stages (0 = default)
  std::vector<double> steps;                         // sizes of the steps
  double until = 0.0;                                // end time
  // What errors are measured against: "exact", "NAME:S:H", or "" = [exact] when there is one, else a higher-order run.
  std::string reference;
  Options options;  // compose, newton_tol, formulation, project ...
};

// What order_study() measured.
struct OrderReport {
  std::vector<OrderRun> runs;      // by method, then by step
  std::vector<OrderSlope> slopes;  // by method
  std::string reference;           // what was used
};

// Measures the order of methods on a model: the error at the end against the size of the steps. Throws Error, and Cancelled.
OrderReport order_study(const Model& model, const OrderRequest& request);

}  // namespace rattleback
