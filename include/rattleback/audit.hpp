// What a run kept and what is known of a model, in single statements: the terminal, the JSON and the report print these.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rattleback/export.hpp"
#include "rattleback/simulate.hpp"

namespace RATTLEBACK_API rattleback {

// How good a fact is. `ok`: kept, as it should be. `note`: nothing to be kept or lost. `warning`: not kept, or not as it
// should be.
enum class Verdict { ok, note, warning };
// Its name, as JSON has it.
const char* to_string(Verdict verdict);

// One fact about a run or a model.
struct Statement {
  Verdict verdict = Verdict::note;  // whether that is good
  std::string quantity;             // what it is about: "energy", "velocity constraints", "mass matrix"
  std::optional<double> number;     // what the verdict rests on; nothing: not one number
  std::string text;                 // as the terminal prints it
};

// In the order of the terminal. A run that took no step has one statement, which says so.
std::vector<Statement> audit_statements(const Model& model, const Trajectory& trajectory);

// The quantity of the statement on velocity constraints that are or are not integrable.
inline constexpr const char* kIntegrability = "integrability";
// The facts that `check` lists, each text beside its quantity, and last, under the quantity kIntegrability, whether the
// velocity constraints are integrable.
std::vector<Statement> audit_statements(const Model& model, const CheckReport& report);

}  // namespace rattleback
