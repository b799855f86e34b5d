// Studies that take many runs: methods side by side, Poincare sections, ensembles. The order study is in simulate.hpp.
#pragma once

#include <cstdint>
#include <functional>
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

struct CompareRequest {
  std::vector<std::pair<std::string, int>> methods;  // name and stages (0 = default)
  std::vector<double> steps;
  double until = 0.0;
  std::string reference;  // as in OrderRequest
  int repeats = 3;        // of each run, for its time; fewer when they take long
  Options options;        // compose, newton_tol, formulation, project ... for all methods
  std::function<void(int done, int all)> progress = {};  // runs, called between them
};

// One method with one step. A run that did not happen or stopped has no error.
struct CompareRun {
  enum class Status { done, stopped, refused };  // refused: the method does not take this request
  std::string method;
  std::string label;  // "spark-gauss(2)"
  int stages = 0, order = 0;
  double step = 0.0;
  Status status = Status::done;
  std::string message;                                             // why it did not reach the end
  double t = 0.0;                                                  // reached
  std::optional<double> error, error_positions, error_velocities;  // at the end
  std::optional<double> energy_error, constraint_position, constraint_velocity, power_balance;  // largest
  std::optional<double> constraint_midpoint;                                                    // cortes-martinez
  std::int64_t steps = 0, iterations = 0;
  bool adaptive = false;  // chooses its own steps inside `step`: no iterations are counted
  double seconds = 0.0;   // for the steps alone: the least of the repeats
};

struct CompareSlope {
  std::string label;
  double fitted = 0.0, last = 0.0;  // of the error over the step, as in OrderSlope
  double work = 0.0;                // of the error over the seconds: -2 means half the error costs 1.41 times as much
};

struct CompareReport {
  std::vector<CompareRun> runs;  // by method, then by step
  std::vector<CompareSlope> slopes;
  std::string reference;  // what the errors are measured against; "" when there is nothing
  std::string reference_fault;
  double until = 0.0;
  bool dissipative = false;  // the energy is not expected to be kept
};

// Throws Error when the request is wrong for every method; what is wrong for one of them is in its runs.
CompareReport compare(const Model& model, const CompareRequest& request);

// --- members: the systems of a section or an ensemble

// Names of parameters and start values, and their values for each member, row by row.
struct Members {
  std::vector<std::string> names;
  std::vector<double> values;
  std::size_t count = 1;           // without names: the system as it is, so often
  std::string origin = "members";  // what messages call the table: "--vary", "starts.csv"
};

// `count` values from `from` to `to`, both included.
struct Variation {
  std::string name;
  double from = 0.0, to = 0.0;
  std::int64_t count = 0;
};
// All combinations; the last name changes fastest. Throws Error.
Members members_on_grid(const std::vector<Variation>& variations);

// A normal distribution about the model's value.
struct Spread {
  std::string name;
  double sigma = 0.0;
};
// The numbers depend on the seed, the member and the place of the name in the list, not on the machine or on how many
// members there are. Throws Error.
Members members_at_random(const Model& model, const std::vector<Spread>& spreads, std::int64_t count,
                          std::uint64_t seed);

// A table with a header row of names; `file` is what messages call it. Throws Error.
Members members_from_csv(const std::string& text, const std::string& file);

// Where members come from: each is read again with its own values, so that starts that are written as formulas follow.
struct MemberSource {
  std::string system;  // path of a model file or name of a shipped system
  LoadOptions load = {};
};

// --- section: where motions cross a surface

enum class Crossing { up, down, both };

struct SectionRequest {
  std::string where;      // the surface is where this expression is zero
  std::string condition;  // only crossings at which this one is positive; "" = all
  Crossing direction = Crossing::both;
  std::int64_t crossings = 0;     // of every start
  std::vector<std::string> axes;  // expressions, evaluated at every crossing
  Members starts;
  int threads = 0;  // 0: as many as the machine has
  // until is optional here: without it a run ends with its last crossing, or after a million steps without one.
  Options options;
  std::function<void(std::size_t done, std::size_t all)> progress = {};  // starts; never called twice at once
};

struct SectionPoint {
  std::size_t start = 0;
  double t = 0.0;
  int direction = 0;
  std::vector<double> q, v;  // dae: q holds the states
  std::vector<double> axes;
};

struct SectionStart {
  std::vector<double> values;  // of Members::names
  std::int64_t crossings = 0, steps = 0;
  double t = 0.0;
  std::optional<double> energy_error;  // largest
  Status status = Status::done;
  std::string message;  // why there are fewer crossings than were asked for
};

struct SectionReport {
  std::string method;
  int stages = 0;
  double step = 0.0;
  std::vector<std::string> names;    // of what varies
  std::vector<SectionStart> starts;  // in the order of the members
  std::vector<SectionPoint> points;  // by start, then by time
  std::vector<std::string> notes;
  std::size_t moved = 0;  // starts that were moved to the nearest consistent one
  double moved_by = 0.0;  // at most
  double wall_seconds = 0.0;
  Status status = Status::done;  // else the first starts only: stopped when memory ended, cancelled by Options::stop
  std::string message;
};

SectionReport section(const MemberSource& source, const SectionRequest& request);
// Of a model that is there already.
SectionReport section(const Model& model, const SectionRequest& request);

// --- ensemble: statistics of many members

struct EnsembleRequest {
  Members members;
  int threads = 0;  // 0: as many as the machine has. The results have the same bits for any number
  // Shares the members out over the processes that mpirun has started, all of which must call ensemble() with the same
  // request: the report of the first one has all members, those of the others none. MPI is begun, and ended with the program,
  // unless the program has begun it itself. Throws Error where there is no MPI to be had.
  bool mpi = false;
  Options options;
  std::function<void(std::size_t done, std::size_t all)> progress = {};  // members; never called twice at once
};

struct EnsembleMember {
  std::vector<double> values;  // of Members::names
  std::vector<double> q, v;    // at the end
  double t = 0.0;
  std::optional<double> energy_error;  // largest
  std::optional<double> constraint_position, constraint_velocity;
  Status status = Status::done;
  std::string message;
};

// E - E0 of all members that reached the end, at each recorded time.
struct EnergyStatistics {
  std::vector<double> t;
  std::vector<double> mean, variance;  // variance: about the mean, divided by the number of members
  std::vector<double> mean_square;     // of E - E0
  std::vector<double> max;             // largest |E - E0|
};

struct EnsembleReport {
  std::string method;
  int stages = 0, order = 0;
  double step = 0.0, until = 0.0;
  std::int64_t steps = 0;
  std::vector<std::string> names;
  std::vector<EnsembleMember> members;
  std::vector<std::size_t> failed;         // members that stopped early: not in the statistics
  std::optional<EnergyStatistics> energy;  // systems with an energy
  std::string energy_changes;              // why the energy of a member is not kept, where that is not as for the model
  std::vector<std::string> notes;
  std::size_t moved = 0;  // starts that were moved to the nearest consistent one
  double moved_by = 0.0;  // at most
  int threads = 0;
  double wall_seconds = 0.0;
  Status status = Status::done;  // else the first members only: stopped when memory ended, cancelled by Options::stop
  std::string message;
};

EnsembleReport ensemble(const MemberSource& source, const EnsembleRequest& request);
EnsembleReport ensemble(const Model& model, const EnsembleRequest& request);

// --- what they print and write

std::string to_json(const Model& model, const CompareReport& report);
std::string to_json(const Model& model, const SectionRequest& request, const SectionReport& report);
std::string to_json(const Model& model, const EnsembleReport& report);
std::string to_text(const Model& model, const CompareReport& report);
std::string to_text(const Model& model, const SectionRequest& request, const SectionReport& report);
std::string to_text(const Model& model, const EnsembleReport& report);

// Whole or not at all. A section is a CSV file with one row per crossing. An ensemble is a CSV file with the statistics,
// one row per recorded time, or an HDF5 file with these and the members. Throws Error.
void write_section(const Model& model, const SectionRequest& request, const SectionReport& report,
                   const std::string& path);
void write_ensemble(const Model& model, const EnsembleReport& report, const std::string& path);

}  // namespace rattleback
