// A system, as its author wrote it: names, formulas, starts. Built once (from a file or from a C++ function template)
// and never changed. Everything that methods need beyond this is derived from it in system/.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/export.hpp"
#include "rattleback/expr.hpp"
#include "rattleback/names.hpp"

namespace RATTLEBACK_API rattleback {

// What a system is given by: a Lagrangian (mechanical), y' and constraints (dae; odae: the overdetermined form, OdaeParts), or
// an energy (skew_gradient: x' = Pi grad H; port_hamiltonian: PortHamiltonianParts).
enum class Kind { mechanical, dae, odae, skew_gradient, port_hamiltonian };
// Its name, as model files have it: "skew-gradient".
const char* to_string(Kind kind);
// All kinds, in their order.
inline constexpr std::array kAllKinds = {Kind::mechanical, Kind::dae, Kind::odae, Kind::skew_gradient,
                                         Kind::port_hamiltonian};

// A set of kinds.
class Kinds {
 public:
  constexpr Kinds() = default;  // none
  // Those that are listed.
  constexpr Kinds(std::initializer_list<Kind> kinds) {
    for (const Kind kind : kinds) bits_ |= bit(kind);
  }
  // Is this kind among them?
  [[nodiscard]] constexpr bool has(Kind kind) const { return (bits_ & bit(kind)) != 0; }

 private:
  static constexpr unsigned bit(Kind kind) { return 1U << static_cast<unsigned>(kind); }
  unsigned bits_ = 0;
};

// One quantity whose closed-form solution is known: element `index` of q (kPosition), v (kVelocity) or z (kMultiplier).
struct ExactValue {
  Space space = kPosition;  // which vector
  std::int32_t index = 0;   // which element
  NodeId expr = 0;          // the solution, of t only
};

// A number that runs write down: an entry of [outputs].
struct Output {
  std::string name;  // of its column
  NodeId expr = 0;   // of t, the state, parameters, multipliers, and accelerations x''
};

// A zero of an expression along the motion, and what happens there: an entry of [events].
struct ModelEvent {
  // What a run does where the event is.
  enum class Then {
    note,  // it is listed
    stop,  // and the run ends there
    set    // and the state gets other values
  };
  std::string name;             // of its table
  NodeId when = 0;              // of t, the state, parameters, multipliers, and accelerations
  int direction = 0;            // +1: where it grows through zero, -1: where it falls, 0: both
  Then then = Then::note;       // beyond its being noted
  std::vector<ExactValue> set;  // what has another value from there on, by expressions of the state before
};

struct Options;  // rattleback/simulate.hpp

// Optional defaults for a run, from the file's [run] table.
struct RunDefaults {
  std::optional<std::string> method = {};       // name of the method
  std::optional<int> stages = {};               // of the method
  std::optional<double> step = {}, until = {};  // size of the steps, end time
  std::shared_ptr<const Options> others = {};   // all other options that it gives; null: there are none
};

// Forces that SPARK Lobatto methods take with coefficients of their own.
struct ForceGroup {
  std::string name;                  // "drag"
  int coefficients = 0;              // 0 .. 4: Lobatto IIIA, IIIB, IIIC, IIIC*, IIID
  std::size_t first = 0, count = 0;  // its entries among Model::forces
};
// What their coefficients are called in files.
inline constexpr const char* kLobattoNames[] = {"iiia", "iiib", "iiic", "iiicstar", "iiid"};

// Input/output pair: force B u on the coordinates, output y = B^T v, power u*y. The force is already part of `forces`.
struct Port {
  std::string name;  // "motor"
  NodeId input = 0;  // u: a formula, or a number from outside
  Entries along;     // column B: row = coordinate
};

// A quantity that should be kept, as its author says: an expression of t, the state, parameters and definitions.
struct Invariant {
  std::string name;  // "spin"
  NodeId value = 0;  // of t, q and v (states: of t and x)
};

// A vector field on positions, q' = xi(q). Where its flow changes neither the Lagrangian nor the constraints, its momentum
// J = L_v xi is kept.
struct Symmetry {
  std::string name;  // "turn"
  Entries field;     // xi: row = coordinate; what is absent is 0
};

// y' = v(t, y, z), z' = f(t, y, z) + r(t, y, z, psi), 0 = g(t, y) and its time derivative. The constraints and the names
// of the multipliers are those of a dae; multiplier i belongs to constraint i.
struct OdaeParts {
  Names velocities;                      // z
  Entries v;                             // row = position
  Entries f, r;                          // row = velocity
  Entries p;                             // momenta, row = velocity: then p(t, y, z)' = f + r; empty: z
  std::vector<std::int32_t> unilateral;  // constraints with g >= 0, psi >= 0, g psi = 0, ascending
  double restitution = 0.0;              // normal velocity after an impact = -restitution times that before
};

// E(x) x' + r = (J - R) z + (B - P) u,   y = (B + P)^T z + (S - N) u,   grad H = E^T z.    [MehrmannMorandin2019]
// All matrices have both triangles.
struct PortHamiltonianParts {
  // One input with its columns.
  struct Input {
    std::string name;  // "motor"
    NodeId u = 0;      // of t and the states
    Entries B, P;      // column: row = state
  };
  Entries E, J, R;            // matrices by state
  Entries r, z;               // vectors by state
  std::vector<Input> inputs;  // u, B and P
  Entries S, N;               // matrices by input

  // One of the systems that an interconnection was made of, for its share of the power balance. The powers are
  // expressions of t, the states and the efforts z, which stand in kMultiplier.
  struct Part {
    std::string name;       // of the system in the interconnection
    NodeId H = 0;           // its energy
    NodeId dissipated = 0;  // power that it loses
    NodeId supplied = 0;    // power from outside
    NodeId received = 0;    // power through the connection
  };
  std::vector<Part> parts;  // empty: it was not interconnected
};

// Velocities of some coordinates as functions of quasi-velocities, q' = Z(t, q) w, or of momenta, q' = H_pp(t, q) p + b(t, q).
struct QuasiVelocities {
  std::vector<std::string> names;  // "w1"
  std::vector<NodeId> values;      // w(t, q, v), by name
  Entries map;                     // Z: row = coordinate, col = quasi-velocity
  Entries offset;                  // b: row = coordinate
  Entries inverse;                 // Z^+: row = quasi-velocity, col = coordinate
  bool momenta = false;            // they are these
};

// What a model file says, beyond the graph (src/model/written.hpp).
struct Written;

// Names with numbers or expressions of numbers.
using Settings = std::vector<std::pair<std::string, std::string>>;

// A system with all that was said of it. Made by load_model(), parse_model() or trace(); any number of threads may use one.
struct Model {
  std::string name;              // the author's title
  std::string key;               // what users type: the shipped name, or the file's stem
  std::string text;              // the source text, kept for output files
  Kind kind = Kind::mechanical;  // which of the members below it has
  std::shared_ptr<const Graph>
      graph;  // all formulas; whoever adds to it works on a copy; node numbers stay valid there

  std::vector<std::pair<std::string, double>> parameters;  // with their values; arrays element by element, "k[2]"
  std::vector<double> parameter_errors;                    // what rounding may have done to them

  // Names of the variables. mechanical: coordinates q, velocities v = q'. dae: states y (coordinates) and algebraic variables
  // z. odae: positions y (coordinates), velocities z and multipliers psi (algebraic). skew-gradient, port-Hamiltonian: states
  // x (coordinates).
  Names coordinates;
  std::vector<std::int32_t> angles;  // coordinates that may be wrapped by 2 pi
  bool project = false;              // move an inconsistent start instead of refusing it

  // --- mechanical
  NodeId lagrangian = 0;                      // L(t, q, v)
  std::optional<NodeId> kinetic, potential;   // when given apart: L = kinetic - potential
  Entries forces;                             // applied, dissipative and port forces; may contain kMultiplier
  std::vector<ForceGroup> force_groups;       // [forces.NAME]
  Entries holonomic;                          // g(t, q), row = constraint
  Entries nonholonomic;                       // k(t, q, v), row = constraint
  Names holonomic_names, nonholonomic_names;  // of the constraints, and of their multipliers
  std::vector<Port> ports;                    // the last entries of `forces` are theirs
  bool dissipative = false;  // has [forces], [dissipation] or [ports]: the energy is not expected to be kept

  QuasiVelocities quasi;             // [kinematics]; the constraints contain what it keeps
  std::vector<Symmetry> symmetries;  // [symmetries]

  // --- dae: y' = sum of the parts, 0 = constraints(t, y)
  Names algebraic;               // z; odae: multipliers psi
  std::array<Entries, 5> parts;  // A, B, C, C*, D of the Lobatto family; [rhs] alone is part 0
  int part_count = 0;            // highest part named
  Entries constraints;           // g, row = constraint
  Names constraint_names;        // in the order of the rows

  OdaeParts odae;  // odae: its functions beside the constraints

  // --- skew-gradient: x' = Pi grad H, Pi with both triangles. port-Hamiltonian: H and ph (mechanical: ph.R, ph.inputs)
  NodeId hamiltonian = 0;   // H, the energy
  Entries pi;               // Pi, by state
  PortHamiltonianParts ph;  // matrices, inputs, parts

  // --- starts and known solution
  double t0 = 0.0;                           // when the state is that of the start; of a model file 0
  std::vector<double> q0, v0;                // start. dae: q0 holds y. odae: y and z
  std::vector<double> z0;                    // dae, odae: starting guess of the algebraic variables
  std::vector<double> w0;                    // quasi-velocities or momenta at the start, where they were given
  std::vector<double> q0_error, v0_error;    // what rounding may have done to them in their formulas; empty: one ulp
  std::vector<std::int32_t> auxiliary;       // positions without inertia, whose starts were guesses
  std::vector<std::int32_t> keep_q, keep_v;  // elements of q0 and v0 that a projection holds
  std::vector<Invariant> invariants;         // [invariants]
  std::vector<ExactValue> exact;             // what is known of the solution from this start
  std::vector<Output> outputs;               // what its runs write down besides the state
  std::vector<ModelEvent> events;            // what its runs look for
  RunDefaults run;                           // of its [run]
  std::shared_ptr<const Written> written;    // what it was read or traced from; null when it was put together by hand

  // The same system with other values of parameters and starts: what load_model() gives with these after the options it
  // was loaded with, also of a model from C++. Its text is not read again. Throws Error where load_model() does.
  [[nodiscard]] Model with(const Settings& parameters, const Settings& starts = {}) const;

  // Its variables are states with an energy: there are no velocities and no multipliers.
  [[nodiscard]] bool has_states() const { return kind == Kind::skew_gradient || kind == Kind::port_hamiltonian; }
  // Multipliers are numbered holonomic first, then nonholonomic.
  [[nodiscard]] std::int32_t multiplier_count() const {
    return kind == Kind::mechanical ? holonomic_names.size() + nonholonomic_names.size() : algebraic.size();
  }
  // Name of multiplier i: that of its constraint; of a dae or odae that of the algebraic variable.
  [[nodiscard]] std::string multiplier_name(std::int32_t i) const;
};

// Changes that a user makes to a model from the command line; values are numbers or expressions of numbers.
struct LoadOptions {
  Settings set = {};                   // other values of parameters
  Settings start = {};                 // other initial values: "x", "theta'", "w[2]'"
  std::vector<std::string> keep = {};  // initial values that a projection holds; instead of the model's own list
  // Families and sums with at most this many members become scalars, which share more subexpressions.
  std::int32_t unroll_below = 64;
};

// `system` is the path of a model file or the name of a shipped system. Throws Error ("file:line:column: ...").
Model load_model(const std::string& system, const LoadOptions& options = {});
// The same from text; `file` is what messages call it. Throws Error.
Model parse_model(const std::string& text, const std::string& file, const LoadOptions& options = {});

// A model file that is compiled into the library.
struct ShippedModel {
  std::string_view key;   // the name that load_model() takes
  std::string_view text;  // of the file
};
// The shipped systems, in alphabetical order, compiled into the library.
std::span<const ShippedModel> shipped_models();

}  // namespace rattleback
