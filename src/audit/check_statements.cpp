// What `check` found in statements: each is a line of its table of facts, a quantity and what is said of it.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "model/kind_facts.hpp"
#include "rattleback/audit.hpp"
#include "text/quantities.hpp"

namespace rattleback {
namespace {

Verdict ok_if(bool holds) { return holds ? Verdict::ok : Verdict::warning; }

// Why the rank is less than the number of constraints.
std::string rank_text(const CheckReport& r) {
  std::string text;
  if (!r.vanishing.empty()) text += "; gradient zero: " + names_text(r.vanishing);
  if (!r.not_finite.empty()) text += "; gradient not finite: " + names_text(r.not_finite);
  if (!r.redundant.empty()) text += "; depends on the others: " + names_text(r.redundant);
  return text;
}

Statement constraints_statement(const Model& model, const CheckReport& r) {
  const std::int32_t count = model.multiplier_count();
  return {count == 0 ? Verdict::note : ok_if(r.rank == count), "constraints", r.rank,
          fmt::format("{}, of rank {} at the start{}", count, r.rank, rank_text(r))};
}

Statement mass_statement(const CheckReport& r) {
  return {ok_if(r.saddle_regular),
          "mass matrix",
          {},
          fmt::format("{}, {}; with the constraints {}", r.mass_constant ? "constant" : "depends on the state",
                      r.mass_positive_definite ? "positive definite" : "not positive definite",
                      r.saddle_regular ? "regular" : "singular")};
}

Statement start_statement(const CheckReport& r) {
  std::optional<double> largest;
  for (const ConstraintCheck& c : r.constraints)
    largest =
        std::fmax(largest.value_or(0.0), std::fmax(std::fabs(c.start_residual), std::fabs(c.start_residual_velocity)));
  return {ok_if(r.consistent), "start", largest,
          r.consistent            ? "consistent"
          : !r.not_finite.empty() ? "not decided: a constraint has no finite gradient there"
                                  : "not consistent with the constraints"};
}

Statement derivatives_statement(const CheckReport& r) {
  if (r.derivatives_undetermined)
    return {Verdict::note, "derivatives", {}, "not compared: finite differences do not settle at the start"};
  return {ok_if(r.derivatives_ok), "derivatives", r.derivative_error,
          fmt::format("{} finite differences (relative {})", r.derivatives_ok ? "agree with" : "DIFFER from",
                      size_text(r.derivative_error))};
}

// What only one kind of system has.
void add_facts_of_kind(std::vector<Statement>& out, const Model& model, const CheckReport& r) {
  switch (model.kind) {
    case Kind::mechanical:
      out.push_back(constraints_statement(model, r));
      out.push_back(mass_statement(r));
      return;
    case Kind::dae: out.push_back(constraints_statement(model, r)); return;
    case Kind::odae:
      out.push_back(constraints_statement(model, r));
      out.push_back({Verdict::note, "velocities", model.odae.velocities.size(),
                     fmt::format("{} ({})", model.odae.velocities.size(), names_text(model.odae.velocities.all()))});
      out.push_back({ok_if(r.saddle_regular),
                     "g_y v_z r_psi",
                     {},
                     r.saddle_regular ? "regular at the start" : "singular at the start"});
      return;
    case Kind::skew_gradient:
    case Kind::port_hamiltonian:  // no constraints of its own, but some of its equations may have no derivatives
      if (!r.constraints.empty())
        out.push_back(
            {Verdict::note, "algebraic equations", r.rank,
             fmt::format("{}; with hidden ones they determine {} of the states", r.constraints.size(), r.rank)});
      return;
  }
}

}  // namespace

std::vector<Statement> audit_statements(const Model& model, const CheckReport& r) {
  const auto count = [](std::string quantity, int n, std::string text) {
    return Statement{Verdict::note, std::move(quantity), n, std::move(text)};
  };
  std::vector<Statement> out = {
      count(std::string(facts_of(model).coordinate) + "s", r.coordinates,
            fmt::format("{} ({})", r.coordinates, names_text(model.coordinates.all()))),
      count("degrees of freedom", r.degrees_of_freedom, fmt::format("{}", r.degrees_of_freedom)),
      count("index", r.index, fmt::format("{}", r.index))};
  add_facts_of_kind(out, model, r);
  out.push_back(start_statement(r));
  out.push_back(derivatives_statement(r));
  const bool velocity_level = std::ranges::any_of(r.constraints, [](const ConstraintCheck& c) { return !c.holonomic; });
  if (facts_of(model).primed && velocity_level)
    out.push_back({Verdict::note,
                   kIntegrability,
                   {},
                   r.integrable_together
                       ? "Together the velocity constraints are integrable: they could be written at position level."
                       : "Together the velocity constraints are not integrable: the system is nonholonomic."});
  return out;
}

}  // namespace rattleback
