#include "audit/check_families.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "system/families/family_start.hpp"
#include "system/families/family_values.hpp"
#include "system/start/start.hpp"

namespace rattleback {
namespace {

// Of constraints that are listed by family.
void add_family_constraints(const Model& model, Graph& g, const Entries& f, const Names& names, bool holonomic,
                            CheckReport& out) {
  if (names.empty()) return;
  Start start;
  start.t = model.t0;
  start.q = model.q0;
  start.v = model.v0;
  add_bounds(model, start);
  const RoundedValues::Point at{start.t, start.q, start.v, start.q_error, start.v_error};
  Entries rates;
  if (holonomic)
    for (Entry e : f) {
      e.expr = total_time_derivative(g, e.expr);
      rates.push_back(e);
    }
  const auto values = [&](const Entries& function) {
    Evaluator value(g, function, names.size(), model.coordinates.size(), model.multiplier_count());
    const auto x = value(model.t0, model.q0, model.v0);
    return std::vector<double>(x.begin(), x.end());
  };
  const std::vector<double> x = values(f), rate = values(rates);
  for (const Entries* function : {&f, static_cast<const Entries*>(&rates)})
    for (const ConstraintResidual& r : family_residuals(
             g, *function, holonomic && function == &f, [&](std::int32_t i) { return names[i]; }, at, model.angles))
      out.consistent = out.consistent && r.is_rounding();
  for (const Names::Group& group : names.groups()) {
    ConstraintCheck c;
    c.name =
        group.family ? fmt::format("{}[{}:{}]", group.stem, group.first, group.first + group.count - 1) : group.stem;
    c.holonomic = c.integrable = holonomic;
    for (std::int32_t i = 0; i < group.count; ++i) {
      const auto k = static_cast<std::size_t>(group.offset) + static_cast<std::size_t>(i);
      c.start_residual = std::fmax(c.start_residual, std::fabs(x[k]));
      c.start_residual_velocity = std::fmax(c.start_residual_velocity, std::fabs(rate[k]));
    }
    out.constraints.push_back(std::move(c));
  }
}

}  // namespace

// their patterns.
void check_families(const Model& model, const System* system, CheckReport& out) {
  Graph g = *model.graph;
  const std::int32_t n = model.coordinates.size(), m = model.multiplier_count(), mh = model.holonomic_names.size();
  Entries K;
  for (const Entry& e : jacobian(g, model.holonomic, kPosition)) K.push_back(e);
  for (Entry e : jacobian(g, model.nonholonomic, kVelocity)) {
    e.row.base += mh;
    K.push_back(e);
  }
  for (const Entry& e : jacobian(g, model.constraints, kPosition)) K.push_back(e);  // of a dae
  const auto name = [&](std::int32_t i) { return constraint_name(model, i); };
  const Entries mass = jacobian(g, gradient(g, model.lagrangian, kVelocity), kVelocity);
  out.mass_constant = true;
  for (const Entry& e : mass) out.mass_constant = out.mass_constant && g.is_constant(e.expr);

  const RowRank rank = row_rank(g, K, m, n, model.t0, model.q0, model.v0);
  out.rank = rank.rank;
  for (const std::int32_t i : rank.zero) out.vanishing.push_back(name(i));
  for (const std::int32_t i : rank.not_finite) out.not_finite.push_back(name(i));
  if (system != nullptr && system->is_large()) {
    const bool positive = has_positive_mass(system->families(), model.t0, model.q0, model.v0);
    out.mass_positive_definite = positive && system->families().added.c.empty();
    out.saddle_regular = positive && out.rank == m;
    for (std::string& note : inertia_notes(*system, {})) out.notes.push_back(std::move(note));
  } else {
    const bool diagonal = is_diagonal(mass);
    const Eigen::VectorXd own = sparse_value(g, mass, n, n, n, m, model.t0, model.q0, model.v0).diagonal();
    out.mass_positive_definite = diagonal && (own.array() > 0.0).all();
    out.saddle_regular = out.mass_positive_definite && out.rank == m;
    if (!diagonal)
      out.notes.emplace_back(
          "the mass matrix is not diagonal; whether it is positive definite was not decided at this size");
  }

  out.consistent = true;
  add_family_constraints(model, g, model.holonomic, model.holonomic_names, true, out);
  add_family_constraints(model, g, model.nonholonomic, model.nonholonomic_names, false, out);
  out.notes.emplace_back(
      "large families: constraints are listed by family, "
      "integrability of nonholonomic ones was not tested");
}

}  // namespace rattleback
