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

enum class Kind { mechanical, dae, odae, skew_gradient, port_hamiltonian };
const char* to_string(Kind kind);
inline constexpr std::array kAllKinds = {Kind::mechanical, Kind::dae, Kind::odae, Kind::skew_gradient,
                                         Kind::port_hamiltonian};

// A set of kinds.
class Kinds {
 public:
  constexpr Kinds() = default;
  constexpr Kinds(std::initializer_list<Kind> kinds) {
    for (const Kind kind : kinds) bits_ |= bit(kind);
  }
  [[nodiscard]] constexpr bool has(Kind kind) const { return (bits_ & bit(kind)) != 0; }

 private:
  static constexpr unsigned bit(Kind kind) { return 1U << static_cast<unsigned>(kind); }
  unsigned bits_ = 0;
};

struct Options;  // rattleback/simulate.hpp

// Optional defaults for a run, from the file's [run] table.
struct RunDefaults {
  std::optional<std::string> method = {};
  std::optional<int> stages = {};
  std::optional<double> step = {}, until = {};
  std::shared_ptr<const Options> others = {};  // all other options that it gives; null: there are none
};

// One quantity whose closed-form solution is known: element `index` of q (kPosition), v (kVelocity) or z (kMultiplier).
struct ExactValue {
  Space space = kPosition;
  std::int32_t index = 0;
  NodeId expr = 0;  // of t only
};

// Input/output pair: force B u on the coordinates, output y = B^T v, power u*y. The force is already part of `forces`.
struct Port {
  std::string name;
  NodeId input = 0;
  Entries along;  // column B: row = coordinate
};

// y' = v(t, y, z), z' = f(t, y, z) + r(t, y, z, psi), 0 = g(t, y) and its time derivative. The constraints and the names
// of the multipliers are those of a dae; multiplier i belongs to constraint i.
struct OdaeParts {
  Names velocities;                      // z
  Entries v, f, r;                       // rows: positions, velocities, velocities
  std::vector<std::int32_t> unilateral;  // constraints with g >= 0, psi >= 0, g psi = 0, ascending
  double restitution = 0.0;              // normal velocity after an impact = -restitution times that before
};

// E(x) x' + r = (J - R) z + (B - P) u,   y = (B + P)^T z + (S - N) u,   grad H = E^T z.    [MehrmannMorandin2019]
// All matrices have both triangles.
struct PortHamiltonianParts {
  struct Input {
    std::string name;
    NodeId u = 0;  // of t and the states
    Entries B, P;  // column: row = state
  };
  Entries E, J, R;
  Entries r, z;  // by state
  std::vector<Input> inputs;
  Entries S, N;  // by input

  // One of the systems that an interconnection was made of, for its share of the power balance. The powers are
  // expressions of t, the states and the efforts z, which stand in kMultiplier.
  struct Part {
    std::string name;
    NodeId H = 0;
    NodeId dissipated = 0, supplied = 0;  // supplied: from outside
    NodeId received = 0;                  // through the connection
  };
  std::vector<Part> parts;
};

// What a model file says, beyond the graph (src/model/written.hpp).
struct Written;

// Names with numbers or expressions of numbers.
using Settings = std::vector<std::pair<std::string, std::string>>;

struct Model {
  std::string name;  // the author's title
  std::string key;   // what users type: the shipped name, or the file's stem
  std::string text;  // the source text, kept for output files
  Kind kind = Kind::mechanical;
  std::shared_ptr<const Graph> graph;  // whoever adds to it works on a copy; node numbers stay valid there

  std::vector<std::pair<std::string, double>> parameters;  // their values; arrays element by element, "k[2]"
  std::vector<double> parameter_errors;                    // what rounding may have done to them

  // mechanical: coordinates q, velocities v = q'. dae: states y (coordinates) and algebraic variables z.
  // odae: positions y (coordinates), velocities z and multipliers psi (algebraic).
  // skew-gradient, port-Hamiltonian: states x (coordinates).
  Names coordinates;
  std::vector<std::int32_t> angles;  // coordinates that may be wrapped by 2 pi
  bool project = false;              // move an inconsistent start instead of refusing it

  // --- mechanical
  NodeId lagrangian = 0;
  std::optional<NodeId> kinetic, potential;  // when given apart
  Entries forces;                            // applied, dissipative and port forces; may contain kMultiplier
  Entries holonomic;                         // g(t, q), row = constraint
  Entries nonholonomic;                      // k(t, q, v), row = constraint
  Names holonomic_names, nonholonomic_names;
  std::vector<Port> ports;   // the last entries of `forces` are theirs
  bool dissipative = false;  // has [forces], [dissipation] or [ports]: the energy is not expected to be kept

  // --- dae: y' = sum of the parts, 0 = constraints(t, y)
  Names algebraic;
  std::array<Entries, 5> parts;  // A, B, C, C*, D of the Lobatto family; [rhs] alone is part 0
  int part_count = 0;            // highest part named
  Entries constraints;
  Names constraint_names;

  OdaeParts odae;

  // --- skew-gradient: x' = Pi grad H, Pi with both triangles. port-Hamiltonian: H and ph (mechanical: ph.R, ph.inputs)
  NodeId hamiltonian = 0;
  Entries pi;
  PortHamiltonianParts ph;

  // --- starts and known solution
  double t0 = 0.0;             // when the state is that of the start; of a model file 0
  std::vector<double> q0, v0;  // dae: q0 holds y. odae: y and z
  std::vector<double> z0;      // dae, odae: starting guess of the algebraic variables
  // What rounding may have done to q0 and v0 while their formulas were evaluated; empty: one ulp.
  std::vector<double> q0_error, v0_error;
  std::vector<std::int32_t> keep_q, keep_v;  // elements of q0 and v0 that a projection holds
  std::vector<ExactValue> exact;
  RunDefaults run;
  std::shared_ptr<const Written> written;  // what it was read or traced from; null when it was put together by hand

  // The same system with other values of parameters and starts: what load_model() gives with these after the options it
  // was loaded with, also of a model from C++. Its text is not read again. Throws Error where load_model() does.
  [[nodiscard]] Model with(const Settings& parameters, const Settings& starts = {}) const;

  // Its variables are states with an energy: there are no velocities and no multipliers.
  [[nodiscard]] bool has_states() const { return kind == Kind::skew_gradient || kind == Kind::port_hamiltonian; }
  // Multipliers are numbered holonomic first, then nonholonomic.
  [[nodiscard]] std::int32_t multiplier_count() const {
    return kind == Kind::mechanical ? holonomic_names.size() + nonholonomic_names.size() : algebraic.size();
  }
  [[nodiscard]] std::string multiplier_name(std::int32_t i) const;
};

// Changes that a user makes to a model from the command line; values are numbers or expressions of numbers.
struct LoadOptions {
  Settings set = {};                   // parameters
  Settings start = {};                 // initial values: "x", "theta'", "w[2]'"
  std::vector<std::string> keep = {};  // initial values that a projection holds; instead of the model's own list
  // Families and sums with at most this many members become scalars, which share more subexpressions.
  std::int32_t unroll_below = 64;
};

// `system` is the path of a model file or the name of a shipped system. Throws Error ("file:line:column: ...").
Model load_model(const std::string& system, const LoadOptions& options = {});
// The same from text; `file` is what messages call it.
Model parse_model(const std::string& text, const std::string& file, const LoadOptions& options = {});

struct ShippedModel {
  std::string_view key, text;
};
// The shipped systems, in alphabetical order, compiled into the library.
std::span<const ShippedModel> shipped_models();

}  // namespace rattleback
