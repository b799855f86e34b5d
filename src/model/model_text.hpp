// A model file, read: names resolved, parameters evaluated, formulas as syntax trees. What remains is to turn the
// formulas into a graph, once or (when a family turns out to need unrolling) twice.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/data.hpp"
#include "model/drawing.hpp"
#include "model/grammar/elaborate.hpp"
#include "model/grammar/world.hpp"

namespace rattleback::front {

struct PortText {
  std::string name;
  std::optional<Formula> input;  // neither this nor data: given from outside
  std::vector<Line> along;
  std::shared_ptr<const DataTable> data = {};
};

struct ExactText {
  Space space = kPosition;
  Line line;
};

struct InvariantText {
  std::string name;
  Formula formula;
};
struct SymmetryText {
  std::string name;
  std::vector<Line> field;  // by coordinate
};

// One entry of a matrix, or the members of a family of entries: member k stands at places[k].
struct MatrixLine {
  std::string index;  // "" for a single entry
  std::int64_t from = 0;
  std::vector<std::pair<std::int32_t, std::int32_t>> places;
  Formula formula;
};
// What an entry says about the one across the diagonal.
enum class MatrixSymmetry : std::uint8_t { none, symmetric, skew };
struct MatrixText {
  std::string name;  // "Pi", as messages call it
  MatrixSymmetry symmetry = MatrixSymmetry::none;
  std::vector<MatrixLine> lines;
};

struct InputText {
  std::string name;
  std::optional<Formula> u;  // neither: given from outside
  std::shared_ptr<const DataTable> data;
  std::vector<Line> B, P;
};
struct PortHamiltonianText {
  MatrixText E, J, R, S, N;
  std::vector<Line> r, z;
  std::vector<InputText> inputs;
  Names input_names;
};

struct EventText {
  std::string name;
  Formula when;
  int direction = 0;
  ModelEvent::Then then = ModelEvent::Then::note;
  std::vector<ExactText> set;
};

struct ViewText {
  struct Point {
    std::string name;
    std::vector<Formula> at;  // two or three
  };
  struct Disc {
    std::size_t centre = 0, rim = 0;
    std::vector<Formula> axle;
  };
  std::vector<Point> points;
  std::vector<std::array<std::size_t, 2>> rods;
  std::vector<Disc> discs;
  std::vector<std::size_t> paths;
};

struct KnownStart {
  Space space = kPosition;
  std::int32_t position = 0;
  Rounded value;
};

// The words that hold a start: what a message begins with, and where they stand.
struct Holder {
  std::string words;
  FilePlace place;
};

// [forces.NAME]
struct ForceGroupText {
  std::string name;
  int coefficients = 0;
  std::vector<Line> lines;
};
// [kinematics]: velocities as linear functions of quasi-velocities.
struct KinematicsText {
  std::vector<Line> lines;  // one for each coordinate that has one
  std::size_t place = 0;
};
// What the kinematics keep: sum c q_i q_j (j < 0: c q_i), with its value at the start.
struct KeptFunction {
  struct Term {
    std::int32_t i = 0, j = -1;
    double c = 0.0;
  };
  std::vector<Term> terms;
  double value = 0.0;
};

struct ModelText {
  explicit ModelText(const Source& source, Kind kind) : world(source, kind) {}

  World world;
  std::string name;
  std::vector<std::int32_t> angles;
  std::vector<std::size_t> angle_places;  // where each was declared
  std::vector<std::int32_t> auxiliary;
  std::size_t auxiliary_place = 0;
  bool project = false;
  RunDefaults run;

  // mechanical
  KinematicsText kinematics;
  std::vector<KeptFunction> kept;  // found when the model is built
  std::optional<Formula> lagrangian, kinetic, potential, rayleigh;
  std::vector<Line> holonomic, nonholonomic, forces;
  std::vector<ForceGroupText> force_groups;
  std::vector<PortText> ports;
  std::vector<SymmetryText> symmetries;
  // Where the entries of Model::forces come from: so many from [forces], of which the last so many are those of its groups, then
  // so many from [dissipation], then ports.
  std::size_t force_entries = 0, group_entries = 0, rayleigh_entries = 0;
  // dae
  std::array<std::vector<Line>, 5> parts;
  int part_count = 0;
  std::vector<Line> constraints;  // odae: too
  // odae
  std::vector<Line> v, f, r, p;
  std::vector<std::int32_t> unilateral;
  double restitution = 0.0;
  std::optional<Formula> restitution_formula;
  // skew-gradient, port-Hamiltonian
  std::optional<Formula> hamiltonian;
  MatrixText pi;
  PortHamiltonianText ph;

  std::vector<InvariantText> invariants;
  std::vector<ExactText> exact;
  std::vector<EventText> events;
  std::optional<ViewText> view;
  std::vector<std::pair<std::string, std::string>> units;  // by column
  std::optional<Drawing> drawing;                          // the view, built
  std::vector<DataUse> data_uses;                          // of the graph that was built
  // Of a model from C++: starts that are numbers, or follow from the parameters as they are now.
  std::function<std::vector<KnownStart>(World&)> known_starts;
  std::vector<double> q0, v0, z0, q0_error, v0_error;
  std::vector<double> w0, w0_error;  // quasi-velocities, momenta
  bool velocities_given = false;     // momenta follow from the velocities at the start, not these from them
  std::vector<std::int32_t> keep_q, keep_v;
  std::vector<std::pair<std::int32_t, Holder>> held_by;  // elements of keep_q, with the words that hold them
};

// A held value that is solved for.
[[noreturn]] void refuse_to_hold(const Holder& who);

ModelText read_model_text(const Source& source, const Value& document, const LoadOptions& options);

// What each kind of expression may contain.
namespace rules {
extern const Rules kKinetic, kPotential, kLagrangian, kRayleigh, kHolonomic, kNonholonomic, kForce, kInput, kAlong,
    kSymmetry, kExact, kView, kKinematics, kEnergy;
extern const Rules kRhs, kDaeConstraint;
extern const Rules kOdaeRate, kOdaeReaction, kOdaeConstraint;
extern const Rules kHamiltonian, kMatrix;
extern const Rules kPortHamiltonian;
}  // namespace rules

Model build_model(ModelText& text, const LoadOptions& options);

// What a model has of its text besides formulas: names, parameters, starts.
Model without_formulas(const ModelText& text);

}  // namespace rattleback::front
