// Studies that take many runs: methods side by side, Poincare sections, ensembles. The order study is in simulate.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/cancelled.hpp"
#include "rattleback/export.hpp"
#include "rattleback/model.hpp"
#include "rattleback/simulate.hpp"

namespace RATTLEBACK_API rattleback {

// --- compare: several methods side by side

// What compare() is to run: every method with every step. Options::tableau is one more of them.
struct CompareRequest {
  std::vector<std::pair<std::string, int>> methods;  // name and stages (0 = default)
  std::vector<double> steps;  // sizes of the steps; of methods that choose their own: intervals of the output
  double until = 0.0;         // end time
  std::string reference;      // what errors are measured against, as in OrderRequest
  int repeats = 3;            // of each run, for its time; fewer when they take long
  // What is kept of each run over time: "energy" (E - E0), "position" and "velocity" (the largest residual of the constraints),
  // and columns by name, as in Options::output_columns: coordinates, outputs, definitions, expressions, patterns.
  std::vector<std::string> over_time = {};
  Options options;  // compose, newton_tol, formulation, project ... for all methods
  std::function<void(int done, int all)> progress = {};  // runs, called between them
};

// What CompareRequest::over_time asks for, of one run.
struct OverTime {
  std::vector<double> t;  // recorded times
  // At these times, in the order of CompareReport::over_time; empty where the method has no such column.
  std::vector<std::vector<double>> values;
};

// One method with one step. A run that did not happen or stopped has no error.
struct CompareRun {
  // done: it reached the end; stopped: a step failed; refused: the method does not take this request.
  enum class Status { done, stopped, refused };
  std::string method;                         // its name
  std::string label;                          // "spark-gauss(2)"
  int stages = 0;                             // of the method
  int order = 0;                              // as in Trajectory::order
  double step = 0.0;                          // size of the steps
  Status status = Status::done;               // how it ended
  std::string message;                        // why it did not reach the end
  double t = 0.0;                             // time reached
  std::optional<double> error;                // of the state at the end
  std::optional<double> error_positions;      // of positions alone; not against [exact]
  std::optional<double> error_velocities;     // of velocities alone; not against [exact]
  std::optional<double> energy_error;         // largest |E - E0|
  std::optional<double> constraint_position;  // largest residual at position level
  std::optional<double> constraint_velocity;  // largest residual at velocity level
  std::optional<double> power_balance;        // largest residual of the power balance of a step
  std::optional<double> constraint_midpoint;  // largest residual at midpoints; cortes-martinez
  std::int64_t steps = 0;                     // taken
  std::int64_t iterations = 0;                // of Newton's method, in all steps
  bool adaptive = false;                      // chooses its own steps inside `step`: no iterations are counted
  double seconds = 0.0;                       // for the steps alone: the least of the repeats
  OverTime over_time;                         // empty when it was not asked for or did not happen
};

// The slopes of one method, with two steps or more. NaN where fewer than two errors are above rounding.
struct CompareSlope {
  std::string label;                // as in its runs
  double fitted = 0.0, last = 0.0;  // of the error over the step, as in OrderSlope
  double work = 0.0;                // of the error over the seconds: -2 means half the error costs 1.41 times as much
};

// What compare() measured.
struct CompareReport {
  std::vector<CompareRun> runs;        // by method, then by step
  std::vector<CompareSlope> slopes;    // by method; empty with one step
  std::string reference;               // what the errors are measured against; "" when there is nothing
  std::string reference_fault;         // why there is nothing
  double until = 0.0;                  // end time
  bool dissipative = false;            // the energy is not expected to be kept
  std::vector<std::string> over_time;  // what the runs have over time: as asked for, patterns in full
};

// Runs methods side by side. Throws Error when the request is wrong for every method; what is wrong for one of them is in its
// runs.
CompareReport compare(const Model& model, const CompareRequest& request);

// --- members: the systems of a section or an ensemble

// Names of parameters and start values, and their values for each member, row by row.
struct Members {
  std::vector<std::string> names;      // "m", "theta'"
  std::vector<double> values;          // as many for each member as there are names
  std::size_t count = 1;               // without names: the system as it is, so often
  std::string origin = "members";      // what messages call the table: "--vary", "starts.csv"
  std::vector<std::size_t> grid = {};  // how many values each name has, when the members are all combinations of them
};

// `count` values from `from` to `to`, both included, or a list of values.
struct Variation {
  std::string name;                 // of a parameter or a start value
  double from = 0.0, to = 0.0;      // first and last value
  std::int64_t count = 0;           // how many values
  std::vector<double> values = {};  // if there are any: these, in this order, and not those from `from` to `to`
};
// Members with all combinations of these values; the last name changes fastest. Throws Error.
Members members_on_grid(const std::vector<Variation>& variations);

// A normal distribution about the model's value.
struct Spread {
  std::string name;    // of a parameter or a start value
  double sigma = 0.0;  // standard deviation
};
// Members with values drawn at random. The numbers depend on the seed, the member and the place of the name in the list, not
// on the machine or on how many members there are. Throws Error.
Members members_at_random(const Model& model, const std::vector<Spread>& spreads, std::int64_t count,
                          std::uint64_t seed);

// Members with the same energy at the start. Positions are drawn as in members_at_random() and moved onto the position
// constraints; velocities are drawn uniformly from those that the constraints allow and that have the rest of the energy, in the
// metric of the kinetic energy. All coordinates and velocities vary. Positions whose potential energy is above `energy` are drawn
// again. Throws Error for systems without inertia, for a spread that is none of a position, and where no position has so little
// energy.
Members members_on_energy(const Model& model, double energy, const std::vector<Spread>& spreads, std::int64_t count,
                          std::uint64_t seed);

// Members from a table with a header row of names; `file` is what messages call it. Throws Error.
Members members_from_csv(const std::string& text, const std::string& file);

// Where members come from: each is read again with its own values, so that starts that are written as formulas follow.
struct MemberSource {
  std::string system;     // path of a model file or name of a shipped system
  LoadOptions load = {};  // what is changed in all of them
};

// --- section: where motions cross a surface

// Which crossings count: those at which the expression grows through zero (up), falls (down), or both.
enum class Crossing { up, down, both };

// What section() is to look for.
struct SectionRequest {
  std::string where;                    // the surface is where this expression is zero
  std::string condition;                // only crossings at which this one is positive; "" = all
  Crossing direction = Crossing::both;  // which crossings count
  std::int64_t crossings = 0;           // how many of every start
  std::vector<std::string> axes;        // expressions, evaluated at every crossing
  Members starts;                       // whose motions are followed
  int threads = 0;                      // 0: as many as the machine has
  // Of the runs. Options::until may be left out here: without it a run ends with its last crossing, or after a million steps
  // without one.
  Options options;
  std::function<void(std::size_t done, std::size_t all)> progress = {};  // starts; never called twice at once
};

// One crossing.
struct SectionPoint {
  std::size_t start = 0;     // number of the start, from 0
  double t = 0.0;            // when
  int direction = 0;         // +1: the expression grows through zero, -1: it falls
  std::vector<double> q, v;  // state there; dae: q holds the states
  std::vector<double> axes;  // values of SectionRequest::axes
};

// What became of one start.
struct SectionStart {
  std::vector<double> values;          // of Members::names
  std::int64_t crossings = 0;          // that were found and count
  std::int64_t steps = 0;              // taken
  double t = 0.0;                      // time reached
  std::optional<double> energy_error;  // largest |E - E0|
  Status status = Status::done;        // how its run ended
  std::string message;                 // why there are fewer crossings than were asked for
};

// What section() found.
struct SectionReport {
  std::string method;                // its name
  int stages = 0;                    // of the method
  double step = 0.0;                 // size of the steps
  std::vector<std::string> names;    // of what varies
  std::vector<SectionStart> starts;  // in the order of the members
  std::vector<SectionPoint> points;  // by start, then by time
  std::vector<std::string> notes;    // what else to know
  std::size_t moved = 0;             // starts that were moved to the nearest consistent one
  double moved_by = 0.0;             // how far at most
  double wall_seconds = 0.0;         // of the whole study
  Status status = Status::done;  // else the first starts only: stopped when memory ended, cancelled by Options::stop
  std::string message;           // why it is not done
};

// A Poincare section of members of a model file, or of a model that is there already. Throws Error, and Cancelled:
SectionReport section(const MemberSource& source, const SectionRequest& request);
SectionReport section(const Model& model, const SectionRequest& request);

// --- ensemble: statistics of many members

// What ensemble() is to run.
struct EnsembleRequest {
  Members members;  // each is one run
  int threads = 0;  // 0: as many as the machine has. The results have the same bits for any number
  // Over processes instead of one: shares the members out over the processes that mpirun has started, all of which must call
  // ensemble() with the same request: the report of the first one has all members, those of the others none. MPI is begun,
  // and ended with the program, unless the program has begun it itself. Throws Error where there is no MPI to be had.
  bool mpi = false;
  Options options;  // of the runs
  // Is given the run of each member with its records, one after the other in the order of the members; their statistics have it as it
  // is then. Records of members that are not given away yet are in memory, the others are not. Not with `mpi` under mpirun.
  std::function<void(std::size_t member, const Trajectory& run)> keep = {};
  std::function<void(std::size_t done, std::size_t all)> progress = {};  // members; never called twice at once
};

// What became of one member.
struct EnsembleMember {
  std::vector<double> values;           // of Members::names
  std::vector<double> q, v;             // state at the end
  std::vector<double> multipliers;      // at the end
  std::vector<double> outputs;          // at the end, of EnsembleReport::output_names
  std::vector<double> invariants;       // largest error of each, of EnsembleReport::invariant_names
  double t = 0.0;                       // time reached
  std::optional<double> energy;         // at the end
  std::optional<double> energy_error;   // largest |E - E0|; where work is done it is no error
  std::optional<double> power_balance;  // largest residual of the power balance of a step, where the method knows it
  std::optional<double> constraint_position;  // largest residual at position level
  std::optional<double> constraint_velocity;  // largest residual at velocity level
  Status status = Status::done;               // how its run ended
  std::string message;                        // why it stopped early
};

// E - E0 of all members that reached the end, at each recorded time.
struct EnergyStatistics {
  std::vector<double> t;            // recorded times
  std::vector<double> mean;         // of E - E0
  std::vector<double> variance;     // of E - E0 about the mean, divided by the number of members
  std::vector<double> mean_square;  // of E - E0
  std::vector<double> max;          // largest |E - E0|
};

// What ensemble() found.
struct EnsembleReport {
  std::string method;                // its name
  int stages = 0, order = 0;         // of the method
  double step = 0.0, until = 0.0;    // size of the steps, end time
  std::int64_t steps = 0;            // of one member that reached the end
  std::vector<std::string> names;    // of what varies
  std::vector<std::string> columns;  // the same as files have them: a start is start.NAME, a parameter has its name
  std::vector<std::size_t> grid;     // as in Members
  std::string origin;                // as in Members
  std::vector<std::string> output_names;     // of the model's outputs, and of what Options::output_columns adds
  std::vector<std::string> invariant_names;  // of what the model says is kept
  std::vector<std::string> selected;         // patterns of the columns that are wanted; empty: all
  std::vector<EnsembleMember> members;       // in the order of the request
  std::vector<std::size_t> failed;           // members that stopped early: not in the statistics
  std::optional<EnergyStatistics> energy;    // systems with an energy
  std::string energy_changes;      // why the energy of a member is not kept, where that is not as for the model
  std::vector<std::string> notes;  // what else to know
  std::size_t moved = 0;           // starts that were moved to the nearest consistent one
  double moved_by = 0.0;           // how far at most
  int threads = 0;                 // that were used
  double wall_seconds = 0.0;       // of the whole study
  Status status = Status::done;    // else the first members only: stopped when memory ended, cancelled by Options::stop
  std::string message;             // why it is not done
};

// Runs the members of a model file, or of a model that is there already. Throws Error, and Cancelled:
EnsembleReport ensemble(const MemberSource& source, const EnsembleRequest& request);
EnsembleReport ensemble(const Model& model, const EnsembleRequest& request);

// --- what they print and write

// One JSON object, as docs/guide/command-line.md has it:
std::string to_json(const Model& model, const CompareReport& report);
std::string to_json(const Model& model, const SectionRequest& request, const SectionReport& report);
std::string to_json(const Model& model, const EnsembleReport& report);
std::string to_json(const Model& model, const EnsembleReport& report, std::size_t rows);  // with the first members
// Tables and sentences, as the terminal prints them:
std::string to_text(const Model& model, const CompareReport& report);
std::string to_text(const Model& model, const SectionRequest& request, const SectionReport& report);
std::string to_text(const Model& model, const EnsembleReport& report);
// The tables of its text for a LaTeX document with the package booktabs.
std::string to_latex(const Model& model, const CompareReport& report);

// Writes a CSV file with one row per crossing, whole or not at all. Throws Error.
void write_section(const Model& model, const SectionRequest& request, const SectionReport& report,
                   const std::string& path);
// Writes a CSV file with the statistics, one row per recorded time, or an HDF5 file with these and the members, as the
// extension says; whole or not at all. Throws Error.
void write_ensemble(const Model& model, const EnsembleReport& report, const std::string& path);
// Writes a CSV or HDF5 file with one row for each member: what varies, the end, outputs, what was kept, and how the run
// ended; whole or not at all. Throws Error.
void write_members(const Model& model, const EnsembleReport& report, const std::string& path);

// An HDF5 file with the members, as write_members() has them, and with the records of all of them. It is written as they come, so
// that they need not be in memory together, and takes its place at the end.
class MemberFile {
 public:
  MemberFile(const Model& model, const std::string& path);  // throws Error where there can be no such file
  ~MemberFile();                                            // without finish() there is no file

  // For EnsembleRequest::keep: the next member. What fails is said by finish().
  void add(const Trajectory& run);
  // The members, and the end of the file. Throws Error.
  void finish(const EnsembleReport& report);

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

}  // namespace rattleback
