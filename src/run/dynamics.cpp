#include "rattleback/dynamics.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "expr/evaluator.hpp"
#include "model/inputs.hpp"
#include "model/kind_facts.hpp"
#include "model/usable.hpp"
#include "rattleback/error.hpp"
#include "run/names.hpp"
#include "system/system.hpp"

namespace rattleback {
namespace {

std::vector<NodeId> flat(const std::vector<std::vector<NodeId>>& rows) {
  std::vector<NodeId> out;
  for (const auto& row : rows) out.insert(out.end(), row.begin(), row.end());
  return out;
}

// L_q + F - (L_v)_q v - (L_v)_t: what is left of the equations without accelerations and reactions.
std::vector<NodeId> right_hand_side(Mechanical& f) {
  Graph& g = f.graph;
  std::vector<NodeId> out;
  for (std::size_t i = 0; i < f.p.size(); ++i) {
    NodeId sum = f.force[i];
    for (const Entry& e : gradient(g, f.p[i], kPosition))
      sum = g.sub(sum, g.mul(e.expr, g.variable(kVelocity, e.row.base)));
    for (const Entry& e : gradient(g, f.p[i], kTime)) sum = g.sub(sum, e.expr);
    out.push_back(sum);
  }
  return out;
}

NodeId twice_kinetic(Mechanical& f) {
  Graph& g = f.graph;
  NodeId sum = g.zero();
  for (std::int32_t i = 0; i < f.n; ++i)
    for (std::int32_t j = 0; j < f.n; ++j)
      sum = g.add(
          sum, g.mul(g.variable(kVelocity, i),
                     g.mul(f.Lvv[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)], g.variable(kVelocity, j))));
  return sum;
}

const Model& mechanical_only(const Model& model) {
  if (!facts_of(model).lagrangian)
    throw Error(
        fmt::format("Dynamics is for mechanical models, and '{}' is of kind {}", model.name, to_string(model.kind)));
  return model;
}

void copy_to(std::span<const double> from, std::span<double> to, const char* what) {
  if (from.size() != to.size())
    throw Error(fmt::format("Dynamics::{}: the span has {} elements, and {} are needed", what, to.size(), from.size()));
  std::copy(from.begin(), from.end(), to.begin());
}

}  // namespace

struct Dynamics::Impl {
  // As the model is written: without inertia that steps may add.
  explicit Impl(const Model& given) : model(mechanical_only(usable(given))), f(model, false), system(model) { make(); }

  void make() {
    const std::vector<NodeId> right = right_hand_side(f);
    const NodeId energies[] = {f.energy, twice_kinetic(f)};
    const auto evaluator = [&](std::span<const NodeId> nodes) { return Evaluator(f.graph, nodes, f.n, f.m); };
    mass.emplace(evaluator(flat(f.Lvv)));
    momentum.emplace(evaluator(f.p));
    force.emplace(evaluator(right));
    jacobian.emplace(evaluator(flat(f.K)));
    position.emplace(evaluator(f.g));
    velocity.emplace(evaluator(f.k));
    energy.emplace(evaluator(energies));
    try {
      level = system.acceleration();
    } catch (const Error& error) {  // no state determines them
      undetermined = error.what();
    }
    q = model.q0;
    v = model.v0;
    t = model.t0;
    guess.assign(static_cast<std::size_t>(f.m), 0.0);
    values = given_values(model);
  }
  // Other parameters or inputs; false where something would be derived otherwise. Inputs decide nothing.
  bool use_values(bool only_inputs) {
    solved = false;
    const bool has_level = level != nullptr && level->plan() != nullptr;
    if (has_level ? !level->set_parameters(values) : !only_inputs) return false;
    for (std::optional<Evaluator>* const each : {&mass, &momentum, &force, &jacobian, &position, &velocity, &energy})
      (*each)->set_parameters(values);
    return true;
  }

  // Acceleration and multipliers of this state.
  void solve() {
    if (solved) return;
    if (level == nullptr) throw Error("acceleration and multipliers are not determined: " + undetermined);
    level->set_guess(guess);
    if (!level->solve(t, q, v))
      throw Error(fmt::format(
          "acceleration and multipliers are not determined at t = {:.10g}: {}", t,
          *level->report().reason != '\0' ? level->report().reason : "the matrix [L_vv K^T; K 0] is singular there"));
    solved = true;
  }
  std::span<const double> value(Evaluator& e) { return e(t, q, v); }

  Model model;  // with the parameters that were decided by
  Mechanical f;
  System system;
  std::optional<Evaluator> mass, momentum, force, jacobian, position, velocity, energy;
  std::unique_ptr<Acceleration> level;  // null: see
  std::string undetermined;
  double t = 0.0;
  std::vector<double> q, v, guess, values;
  bool solved = false;
};

Dynamics::Dynamics(const Model& model) : impl_(std::make_unique<Impl>(model)) {}
Dynamics::Dynamics(Dynamics&&) noexcept = default;
Dynamics& Dynamics::operator=(Dynamics&&) noexcept = default;
Dynamics::~Dynamics() = default;

std::int32_t Dynamics::n() const { return impl_->f.n; }
std::int32_t Dynamics::m() const { return impl_->f.m; }

void Dynamics::set(double t, std::span<const double> q, std::span<const double> v) {
  Impl& i = *impl_;
  const auto check = [&](std::span<const double> x, const char* what) {
    if (x.size() != i.q.size())
      throw Error(fmt::format("Dynamics::set: {} has {} elements, and the model has {} coordinates", what, x.size(),
                              i.q.size()));
    for (std::size_t k = 0; k < x.size(); ++k)
      if (!std::isfinite(x[k]))
        throw Error(fmt::format("Dynamics::set: {}[{}] is {}, which is no number", what, k, x[k]));
  };
  check(q, "q");
  check(v, "v");
  if (!std::isfinite(t)) throw Error(fmt::format("Dynamics::set: the time is {}, which is no number", t));
  i.t = t;
  std::copy(q.begin(), q.end(), i.q.begin());
  std::copy(v.begin(), v.end(), i.v.begin());
  i.solved = false;
}

void Dynamics::set_parameter(std::string_view name, double value) {
  Impl& i = *impl_;
  const std::size_t which = find_parameter(i.model, name);
  if (!std::isfinite(value)) throw Error(fmt::format("set_parameter: {} = {} is no finite number", name, value));
  if (i.values[which] == value) return;
  const double before = i.values[which];
  i.values[which] = value;
  if (i.use_values(false)) return;
  i.values[which] = before;
  Settings all;
  for (std::size_t k = 0; k < i.model.parameters.size(); ++k)
    all.emplace_back(i.model.parameters[k].first, fmt::format("{}", k == which ? value : i.values[k]));
  derive(i.model.with(all));
}

void Dynamics::set_input(std::string_view port, double u) {
  if (!std::isfinite(u)) throw Error(fmt::format("set_input: {} = {} is no finite number", port, u));
  std::optional<std::uint32_t> place = place_of_input(impl_->model, port);
  if (!place) {  // a formula until now
    const std::string names[] = {std::string(port)};
    derive(with_given_inputs(impl_->model, names));
    place = place_of_input(impl_->model, port);
  }
  impl_->values[*place] = u;
  (void)impl_->use_values(true);
}

// Anew, at the same state and with the same inputs.
void Dynamics::derive(const Model& model) {
  auto next = std::make_unique<Impl>(model);
  next->t = impl_->t;
  next->q = impl_->q;
  next->v = impl_->v;
  for (std::size_t k = model.parameters.size(); k < std::min(impl_->values.size(), next->values.size()); ++k)
    next->values[k] = impl_->values[k];
  (void)next->use_values(true);
  impl_ = std::move(next);
}

void Dynamics::mass(std::span<double> M) { copy_to(impl_->value(*impl_->mass), M, "mass"); }
void Dynamics::momentum(std::span<double> p) { copy_to(impl_->value(*impl_->momentum), p, "momentum"); }

void Dynamics::force(std::span<double> f) {
  Impl& i = *impl_;
  std::span<const double> lambda;
  if (i.f.multiplier_forces) {
    i.solve();
    lambda = i.level->multipliers();
  }
  copy_to((*i.force)(i.t, i.q, i.v, lambda), f, "force");
}

void Dynamics::constraint_jacobian(std::span<double> K) {
  copy_to(impl_->value(*impl_->jacobian), K, "constraint_jacobian");
}

void Dynamics::residuals(std::span<double> position, std::span<double> velocity) {
  copy_to(impl_->value(*impl_->position), position, "residuals (positions)");
  copy_to(impl_->value(*impl_->velocity), velocity, "residuals (velocities)");
}

void Dynamics::acceleration(std::span<double> a, std::span<double> lambda) {
  Impl& i = *impl_;
  i.solve();
  copy_to(i.level->acceleration(), a, "acceleration");
  copy_to(i.level->multipliers(), lambda, "acceleration (lambda)");
}

double Dynamics::energy() { return impl_->value(*impl_->energy)[0]; }
double Dynamics::kinetic() { return 0.5 * impl_->value(*impl_->energy)[1]; }

}  // namespace rattleback
