#include "model/keys.hpp"

#include <algorithm>

#include "rattleback/error.hpp"

namespace rattleback::front {
namespace {

using What = ValueRule::What;

// --- values

constexpr ValueRule kText = {.what = What::text}, kExpression = {.what = What::expression},
                    kFormula = {.what = What::formula}, kBoolean = {.what = What::boolean},
                    kFormat = {.what = What::format}, kKind = {.what = What::kind}, kRun = {.what = What::run};
constexpr ValueRule kNames = {.what = What::list, .each = &kText};
constexpr ValueRule kSomeNames = {.what = What::list, .each = &kText, .least = 1};
constexpr ValueRule kFormulas = {.what = What::entries, .each = &kFormula};
constexpr ValueRule kForces = {.what = What::either, .each = &kFormula, .other = &kFormulas};
constexpr ValueRule kForceGroups = {.what = What::entries, .each = &kForces};
constexpr ValueRule kMatrix = {.what = What::entries, .each = &kFormula, .pattern = "^[^,]+,[^,]+$"};
constexpr ValueRule kArray = {.what = What::list, .each = &kFormula},
                    kSomeArray = {.what = What::list, .each = &kFormula, .least = 1};
constexpr ValueRule kParameter = {.what = What::either, .each = &kFormula, .other = &kSomeArray};
constexpr ValueRule kParameters = {.what = What::entries, .each = &kParameter};
constexpr ValueRule kStart = {.what = What::either, .each = &kFormula, .other = &kArray};
constexpr ValueRule kStarts = {.what = What::entries, .each = &kStart};
constexpr ValueRule kColumns = {.what = What::entries, .each = &kFormulas};  // [B.push]

constexpr ValueRule kFormulaOrNames = {.what = What::either, .each = &kFormula, .other = &kSomeNames};
constexpr ValueRule kKinematics = {.what = What::entries, .each = &kFormulaOrNames};

// --- [view]

constexpr ValueRule kPlace = {.what = What::list, .each = &kFormula, .least = 2, .most = 3};
constexpr ValueRule kPlaces = {.what = What::entries, .each = &kPlace, .least = 1};
constexpr ValueRule kPair = {.what = What::list, .each = &kText, .least = 2, .most = 2};
constexpr ValueRule kRods = {.what = What::list, .each = &kPair};
constexpr ValueRule kDirection = {.what = What::list, .each = &kFormula, .least = 3, .most = 3};
constexpr std::array kDiscKeys = {
    KeyRow{"centre", &kText, "The point in its middle", true},
    KeyRow{"rim", &kText, "A point on the rim, which turns with it", true},
    KeyRow{"axle", &kDirection, "The direction of its axle, of any length", true},
};
constexpr ValueRule kDisc = {.what = What::table, .keys = kDiscKeys};
constexpr ValueRule kDiscs = {.what = What::entries, .each = &kDisc};
constexpr std::array kViewKeys = {
    KeyRow{"points", &kPlaces, "Points by name: two expressions each in a plane, three in space", true},
    KeyRow{"rods", &kRods, "Pairs of points with a line between them"},
    KeyRow{"discs", &kDiscs, "Discs in space, one table each"},
    KeyRow{"paths", &kNames, "The points whose paths are drawn. Default: the last one"},
};
constexpr ValueRule kView = {.what = What::table, .keys = kViewKeys};

// --- data, events

constexpr KeyRow kFileRow = {"file", &kText, "A CSV file, found next to this one", true};
constexpr KeyRow kInterpolateRow = {"interpolate", &kText,
                                    "linear (the default), cubic (a spline), or hold (the last value at or before)"};
constexpr KeyRow kOutsideRow = {"outside", &kText,
                                "Beyond the last row: error (the default), or hold (the end values)"};
constexpr std::array kTableKeys = {
    kFileRow,
    KeyRow{"x", &kText, "The column with the argument. Default: x"},
    KeyRow{"y", &kText, "The column with the values. Default: y"},
    kInterpolateRow,
    kOutsideRow,
};
constexpr std::array kDataKeys = {
    kFileRow,
    KeyRow{"time", &kText, "The column with the times. Default: t"},
    KeyRow{"column", &kText, "The column with the values. Default: the name of the port"},
    kInterpolateRow,
    kOutsideRow,
};
constexpr ValueRule kSet = {.what = What::entries, .each = &kFormula, .least = 1};
constexpr std::array kThenKeys = {
    KeyRow{"set", &kSet, "Other values of the state, by expressions of the one before", true}};

// --- what several kinds have

constexpr KeyRow kFormatRow = {"format", &kFormat,
                               "The format of this file. What it promises: docs/guide/model-files.md"};
constexpr KeyRow kNameRow = {"name", &kText, "The title. Without it, the name of the file"};
constexpr KeyRow kKindRow = {"kind", &kKind, "What kind of system this is. Default: mechanical"};
constexpr KeyRow kKindNamed = {"kind", &kKind, kKindRow.about, true};
constexpr KeyRow kProjectRow = {"project", &kBoolean,
                                "true: a start that violates a constraint is moved to the nearest consistent one"};
constexpr KeyRow kKeepRow = {"keep", &kNames, "Starts that `project` holds while it solves for the others"};
constexpr KeyRow kParametersRow = {
    "parameters", &kParameters, "Numbers, arrays of numbers, and formulas of other parameters; `--set` changes them"};
constexpr KeyRow kDefineRow = {"define", &kFormulas,
                               "Named parts of formulas, in any order; with arguments, \"far(a, b)\", functions"};
constexpr KeyRow kOutputsRow = {
    "outputs", &kFormulas,
    "What runs write down besides the state: also multipliers lambda(name) and accelerations x''"};
constexpr ValueRule kThenTable = {.what = What::table, .keys = kThenKeys};
constexpr ValueRule kThen = {.what = What::either, .each = &kText, .other = &kThenTable};
constexpr std::array kEventKeys = {
    KeyRow{"when", &kFormula, "The event is where this is zero", true},
    KeyRow{"direction", &kText, "rising, falling, or any (the default)"},
    KeyRow{"then", &kThen, "\"note\" (the default), \"stop\", or { set = { ... } }"},
};
constexpr ValueRule kEvent = {.what = What::table, .keys = kEventKeys};
constexpr ValueRule kEvents = {.what = What::entries, .each = &kEvent};
constexpr KeyRow kEventsRow = {"events", &kEvents, "What runs look for on the way, and what happens there"};
constexpr ValueRule kTable = {.what = What::table, .keys = kTableKeys};
constexpr ValueRule kTables = {.what = What::entries, .each = &kTable};
constexpr KeyRow kTablesRow = {"tables", &kTables, "Columns of CSV files as functions: [tables.road] makes road(x)"};
constexpr KeyRow kInvariantsRow = {"invariants", &kFormulas,
                                   "Quantities that should be kept: expressions of t, the state and parameters"};
constexpr KeyRow kAnglesRow = {"angles", &kNames, "Those that are angles: a whole turn leads back to the same place"};
constexpr KeyRow kInitialRow = {"initial", &kStarts,
                                "The start: numbers, arrays for families, and formulas of parameters and other starts. "
                                "What is not named is 0"};
constexpr KeyRow kExactRow = {"exact", &kFormulas,
                              "A known solution, to report errors against: formulas of t and parameters"};
constexpr KeyRow kViewRow = {"view", &kView, "What a report draws of the motion"};
constexpr ValueRule kTexts = {.what = What::entries, .each = &kText};
constexpr KeyRow kUnitsRow = {"units", &kTexts, "What columns are measured in, for axes and files: theta = \"rad\""};
constexpr KeyRow kRunRow = {"run", &kRun, "Defaults for the options of a run"};

// --- mechanical

constexpr std::array kLagrangianKeys = {
    KeyRow{"kinetic", &kFormula, "The kinetic energy"},
    KeyRow{"potential", &kFormula, "The potential energy"},
    KeyRow{"L", &kFormula, "The Lagrangian as one formula, instead of the two"},
};
constexpr ValueRule kLagrangian = {.what = What::table, .keys = kLagrangianKeys};
constexpr std::array kConstraintKeys = {
    KeyRow{"holonomic", &kFormulas, "Expressions of t and positions that are 0"},
    KeyRow{"nonholonomic", &kFormulas, "Expressions of t, positions and velocities that are 0"},
};
constexpr ValueRule kConstraints = {.what = What::table, .keys = kConstraintKeys};
constexpr std::array kDissipationKeys = {
    KeyRow{"rayleigh", &kFormula, "A function whose negative gradient by the velocities is a force"},
};
constexpr ValueRule kDissipation = {.what = What::table, .keys = kDissipationKeys};
constexpr ValueRule kDataTable = {.what = What::table, .keys = kDataKeys};
constexpr ValueRule kPortInput = {.what = What::either, .each = &kFormula, .other = &kDataTable};
constexpr std::array kPortKeys = {
    KeyRow{"input", &kPortInput,
           "The input u, an expression of t, positions and velocities, or a column of a CSV file. Left out: given from "
           "outside"},
    KeyRow{"along", &kFormulas, "The column B of the port, entry by coordinate: the force is B*u", true},
};
constexpr ValueRule kPort = {.what = What::table, .keys = kPortKeys};
constexpr ValueRule kPorts = {.what = What::entries, .each = &kPort};
constexpr std::array kMechanical = {
    kFormatRow,
    kNameRow,
    kKindRow,
    KeyRow{"coordinates", &kSomeNames, "The positions q: names, and families such as x[1:N]. The velocity of x is x'",
           true},
    kAnglesRow,
    KeyRow{"auxiliary", &kNames,
           "Positions without inertia, determined by as many holonomic constraints: their starts are guesses"},
    kProjectRow,
    kKeepRow,
    kParametersRow,
    kDefineRow,
    kOutputsRow,
    kEventsRow,
    kTablesRow,
    kInvariantsRow,
    KeyRow{"kinematics", &kKinematics,
           "Quasi-velocities, listed in `velocities`, and one line for each coordinate that they move: linear in them"},
    KeyRow{"lagrangian", &kLagrangian, "The Lagrangian L = kinetic - potential", true},
    KeyRow{"constraints", &kConstraints, "Constraints, each an expression that is 0"},
    KeyRow{"forces", &kForceGroups,
           "Generalised forces beyond the Lagrangian, by coordinate; or tables of them, with `coefficients` for SPARK "
           "methods"},
    KeyRow{"dissipation", &kDissipation, "Friction by a Rayleigh function"},
    KeyRow{"ports", &kPorts, "Pairs of input and output, one table each"},
    KeyRow{"symmetries", &kColumns, "Vector fields on positions, one table each: expressions by coordinate"},
    kInitialRow,
    kExactRow,
    kViewRow,
    kUnitsRow,
    kRunRow,
};

// --- mechanical, written with momenta

constexpr std::array kEnergyKeys = {
    KeyRow{"H", &kFormula, "The energy, of t, positions and momenta: quadratic in the momenta", true},
};
constexpr ValueRule kEnergy = {.what = What::table, .keys = kEnergyKeys};
constexpr std::array kHamiltonian = {
    kFormatRow,
    kNameRow,
    kKindNamed,
    KeyRow{"coordinates", &kSomeNames, "The positions q", true},
    KeyRow{"momenta", &kSomeNames, "The momenta p, in the order of the coordinates", true},
    kAnglesRow,
    kProjectRow,
    kKeepRow,
    kParametersRow,
    kDefineRow,
    kOutputsRow,
    kEventsRow,
    kTablesRow,
    kInvariantsRow,
    KeyRow{"hamiltonian", &kEnergy, "The energy H", true},
    KeyRow{"constraints", &kConstraints, "Constraints, each an expression that is 0"},
    KeyRow{"forces", &kForceGroups, "Forces F, by coordinate: p' = -H_q + F; or tables of them"},
    KeyRow{"dissipation", &kDissipation, "Friction by a Rayleigh function"},
    KeyRow{"ports", &kPorts, "Pairs of input and output, one table each"},
    KeyRow{"symmetries", &kColumns, "Vector fields on positions, one table each: expressions by coordinate"},
    kInitialRow,
    kExactRow,
    kViewRow,
    kUnitsRow,
    kRunRow,
};

// --- differential-algebraic, overdetermined

constexpr std::array kPartKeys = {
    KeyRow{"1", &kFormulas, "The part that is taken with the coefficients of Lobatto IIIA"},
    KeyRow{"2", &kFormulas, "The part that is taken with those of Lobatto IIIB"},
    KeyRow{"3", &kFormulas, "The part that is taken with those of Lobatto IIIC"},
    KeyRow{"4", &kFormulas, "The part that is taken with those of Lobatto IIIC*"},
    KeyRow{"5", &kFormulas, "The part that is taken with those of Lobatto IIID"},
};
constexpr ValueRule kParts = {.what = What::table, .keys = kPartKeys};
constexpr ValueRule kRhs = {.what = What::either, .each = &kFormulas, .other = &kParts};
constexpr std::array kDae = {
    kFormatRow,
    kNameRow,
    kKindNamed,
    KeyRow{"states", &kSomeNames, "The differential variables: names, and families such as y[1:N]", true},
    KeyRow{"algebraic", &kSomeNames, "The algebraic variables, as many as constraints", true},
    kProjectRow,
    kKeepRow,
    kParametersRow,
    kDefineRow,
    kOutputsRow,
    kEventsRow,
    kTablesRow,
    kInvariantsRow,
    KeyRow{"rhs", &kRhs, "The derivatives of the states; or additive parts of them, [rhs.1] to [rhs.5]", true},
    KeyRow{"constraints", &kFormulas, "Expressions of t and states that are 0"},
    kInitialRow,
    kExactRow,
    kViewRow,
    kUnitsRow,
    kRunRow,
};
constexpr std::array kOdae = {
    kFormatRow,
    kNameRow,
    kKindNamed,
    KeyRow{"positions", &kSomeNames, "The positions y", true},
    KeyRow{"velocities", &kSomeNames, "The velocities z, with names of their own", true},
    KeyRow{"multipliers", &kSomeNames, "The multipliers, as many as constraints and in their order", true},
    KeyRow{"unilateral", &kNames, "Constraints that push and do not pull: g >= 0"},
    KeyRow{"restitution", &kFormula,
           "Of unilateral constraints: the speed after an impact over that before, from 0 to 1"},
    kProjectRow,
    kKeepRow,
    kParametersRow,
    kDefineRow,
    kOutputsRow,
    kEventsRow,
    kTablesRow,
    kInvariantsRow,
    KeyRow{"v", &kFormulas, "The derivatives of the positions", true},
    KeyRow{"f", &kFormulas, "Those of the velocities, without reaction; what is not named is 0"},
    KeyRow{"r", &kFormulas, "The reaction: all that contains multipliers", true},
    KeyRow{"momentum", &kFormulas,
           "Momenta of t, positions and velocities, one for each velocity: their rates are f + r"},
    KeyRow{"constraints", &kFormulas, "Expressions of t and positions that are 0"},
    kInitialRow,
    kExactRow,
    kViewRow,
    kUnitsRow,
    kRunRow,
};

// --- skew-gradient, port-Hamiltonian, interconnections

constexpr std::array kSkewGradient = {
    kFormatRow,
    kNameRow,
    kKindNamed,
    KeyRow{"states", &kSomeNames, "The states x: names, and families such as x[1:N]", true},
    kAnglesRow,
    kParametersRow,
    kDefineRow,
    kOutputsRow,
    kEventsRow,
    kTablesRow,
    kInvariantsRow,
    KeyRow{"hamiltonian", &kFormula, "The energy H, of states and parameters", true},
    KeyRow{"pi", &kMatrix, "Entries of the skew matrix Pi: \"x,y\" = \"1\"; the one across the diagonal follows", true},
    kInitialRow,
    kExactRow,
    kViewRow,
    kUnitsRow,
    kRunRow,
};
constexpr std::array kSeriesKeys = {
    KeyRow{"csv", &kText, "A CSV file, found next to this one", true},
    KeyRow{"column", &kText, "The column with the values. Default: the name of the input"},
    KeyRow{"time", &kText, "The column with the times. Default: t"},
};
constexpr ValueRule kSeries = {.what = What::table, .keys = kSeriesKeys};
constexpr ValueRule kInput = {.what = What::either, .each = &kFormula, .other = &kSeries};
constexpr ValueRule kInputs = {.what = What::entries, .each = &kInput};
constexpr std::array kPortHamiltonian = {
    kFormatRow,
    kNameRow,
    kKindNamed,
    KeyRow{"states", &kSomeNames, "The states x", true},
    kAnglesRow,
    kProjectRow,
    kKeepRow,
    kParametersRow,
    kDefineRow,
    kOutputsRow,
    kEventsRow,
    kTablesRow,
    kInvariantsRow,
    KeyRow{"hamiltonian", &kFormula, "The energy H", true},
    KeyRow{"E", &kMatrix, "Entries of the matrix in front of x': \"x,x\" = 1; what is not named is 0", true},
    KeyRow{"J", &kMatrix, "Entries of the skew matrix J; the one across the diagonal follows"},
    KeyRow{"R", &kMatrix, "Entries of the symmetric matrix R, which dissipates"},
    KeyRow{"r", &kFormulas, "The vector r, beside E x'"},
    KeyRow{"z", &kFormulas, "The efforts z, with grad H = E^T z", true},
    KeyRow{"B", &kColumns, "Columns of the input matrix B, one table for each input"},
    KeyRow{"P", &kColumns, "Columns of the matrix P, one table for each input"},
    KeyRow{"S", &kMatrix, "Entries of the symmetric matrix S of the feedthrough, by inputs"},
    KeyRow{"N", &kMatrix, "Entries of the skew matrix N of the feedthrough, by inputs"},
    KeyRow{"inputs", &kInputs, "Inputs as formulas of t and states, or from a column of a CSV file"},
    kInitialRow,
    kExactRow,
    kViewRow,
    kUnitsRow,
    kRunRow,
};
constexpr ValueRule kFiles = {.what = What::entries, .each = &kText, .least = 1};
constexpr ValueRule kEquations = {.what = What::entries, .each = &kExpression, .least = 1};
constexpr std::array kInterconnection = {
    kFormatRow,
    kNameRow,
    kKindNamed,
    KeyRow{"systems", &kFiles, "The parts: model files relative to this one, or shipped systems", true},
    KeyRow{"connect", &kEquations, "Equations between inputs a.u.NAME and outputs b.y.NAME of the parts that are 0",
           true},
    kParametersRow,
    kProjectRow,
    kKeepRow,
    KeyRow{"initial", &kFormulas, "Starts of states of the parts, \"a.x\" = 1"},
    kRunRow,
};

constexpr std::size_t kInterconnections = kAllKinds.size(), kHamiltonians = kInterconnections + 1;  // their places

std::span<const KeyRow> keys_of(Kind kind) {
  switch (kind) {
    case Kind::mechanical: break;
    case Kind::dae: return kDae;
    case Kind::odae: return kOdae;
    case Kind::skew_gradient: return kSkewGradient;
    case Kind::port_hamiltonian: return kPortHamiltonian;
  }
  return kMechanical;
}

std::string_view about(Kind kind) {
  switch (kind) {
    case Kind::mechanical: break;
    case Kind::dae: return "A differential-algebraic system of index 2";
    case Kind::odae: return "An overdetermined system y' = v, z' = f + r, 0 = g, 0 = g_y v";
    case Kind::skew_gradient: return "A system x' = Pi(x) grad H(x) with a skew matrix Pi";
    case Kind::port_hamiltonian: return "A port-Hamiltonian descriptor system";
  }
  return "A mechanical system with a Lagrangian and constraints";
}

}  // namespace

std::span<const FileKind> file_kinds() {
  static const auto kinds = [] {
    std::array<FileKind, kHamiltonians + 1> all;
    for (const Kind kind : kAllKinds)
      all[static_cast<std::size_t>(kind)] = {to_string(kind), about(kind), keys_of(kind)};
    all[kInterconnections] = {"interconnection", "Port-Hamiltonian systems that are joined", kInterconnection};
    all[kHamiltonians] = {"hamiltonian", "A mechanical system that is written with momenta", kHamiltonian};
    return all;
  }();
  return kinds;
}

const FileKind& file_kind(Kind kind) { return file_kinds()[static_cast<std::size_t>(kind)]; }

const FileKind& hamiltonian_kind() { return file_kinds()[kHamiltonians]; }

const FileKind& interconnection_kind() { return file_kinds()[kInterconnections]; }

std::span<const KeyRow> keys_at(const FileKind& kind, std::initializer_list<std::string_view> way) {
  ValueRule here = {.what = What::table, .keys = kind.keys};
  for (const std::string_view step : way) {
    const ValueRule* next = here.each;
    if (step != "*") {
      const auto row = std::find_if(here.keys.begin(), here.keys.end(), [&](const KeyRow& r) { return r.key == step; });
      next = row == here.keys.end() ? nullptr : row->value;
    }
    if (next != nullptr && next->what == What::either) next = next->other;
    if (next == nullptr) throw std::logic_error("no such table of a model file");
    here = *next;
  }
  return here.keys;
}

}  // namespace rattleback::front
