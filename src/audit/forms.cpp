#include "audit/forms.hpp"

#include <fmt/format.h>

#include "audit/port_hamiltonian_text.hpp"
#include "audit/reduced_text.hpp"
#include "rattleback/error.hpp"
#include "system/mechanical/reduced.hpp"
#include "system/port_hamiltonian/derived_port_hamiltonian.hpp"

namespace rattleback {
namespace {

constexpr std::int32_t kMostStates = 200;  // more would fill hundreds of pages

// Why there is no form that is made of a mechanical system in single coordinates: "needs ..."; "" when there may be.
std::string why_not_mechanical(const System& system, const std::string& needed) {
  if (!system.facts().lagrangian) return "needs " + needed;
  if (system.has_families() || system.n() + system.m() > kMostStates)
    return fmt::format("needs single coordinates, at most {} with the multipliers", kMostStates);
  return "";
}

void add_port_hamiltonian(const System& system, CheckReport& out, std::string& why) {
  if (const auto* const own = system.as<PortHamiltonian>()) {
    if (own->n > kMostStates)
      why = fmt::format("needs at most {} states to be shown", kMostStates);
    else
      out.port_hamiltonian = port_hamiltonian_text(*own);
    return;
  }
  why = why_not_mechanical(system, "a mechanical or a port-hamiltonian system");
  if (why.empty()) why = why_no_port_hamiltonian_form(system.model());
  if (why.empty())
    out.port_hamiltonian = port_hamiltonian_text(port_hamiltonian_form(system.model(), system.mechanical()));
}

void add_reduced(const System& system, CheckReport& out, std::string& why) {
  const Model& model = system.model();
  why = why_not_mechanical(system, "a mechanical system");
  if (why.empty() && system.m() == 0) why = "needs constraints: without them there is nothing to reduce";
  if (why.empty() && system.m() >= system.n()) why = "needs motions that the constraints leave free";
  if (why.empty()) why = why_not_reducible(model);
  if (!why.empty()) return;
  try {
    out.reduced = reduced_text(model, system.mechanical());
  } catch (const Error& reason) {  // formulas that nobody would read, dependent constraints
    why = reason.what();
  }
}

}  // namespace

void add_form(const System& system, Form form, CheckReport& out) {
  std::string why;
  const char* name = "";
  switch (form) {
    case Form::none: return;
    case Form::port_hamiltonian:
      name = "port-Hamiltonian";
      add_port_hamiltonian(system, out, why);
      break;
    case Form::reduced:
      name = "reduced";
      add_reduced(system, out, why);
      break;
  }
  if (!why.empty())
    throw Error(
        fmt::format("'{}' has no {} form: {}{}", system.model().key, name, why.starts_with("needs") ? "it " : "", why));
}

}  // namespace rattleback
