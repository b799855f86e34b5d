#include "system/system.hpp"

#include <algorithm>
#include <cmath>

#include "model/usable.hpp"
#include "model/inputs.hpp"
#include "rattleback/error.hpp"
#include "system/families/family_values.hpp"

namespace rattleback {

namespace {

// Above so many coordinates and multipliers the sparse path is taken. With rattle on chains it is as fast as the dense one
// at 60 and faster from 90 on (bench_large --switch).
constexpr std::int32_t kLargestDense = 80;

}  // namespace

System::System(const Model& model, const AddedInertia* added)
    : model_(&usable(model)), looped_(largest_family(model) > 0) {
  try {
    std::vector<NodeId> watched;
    if (model.kind == Kind::mechanical && added == nullptr && (looped_ || n() + m() > kLargestDense)) {
      families_.emplace(model);
      // Where neither the Lagrangian nor the constraints give inertia, single coordinates tell more.
      if (!looped_ && !has_positive_mass(*families_, model.t0, model.q0, model.v0)) families_.reset();
    }
    if (families_) {
      watch_families();
    } else if (model.kind == Kind::mechanical) {
      mechanical_.emplace(model, true, added);
      Graph& g = mechanical_->graph;
      NodeId vp = g.zero();
      for (std::int32_t i = 0; i < n(); ++i)
        vp = g.add(vp, g.mul(g.variable(kVelocity, i), mechanical_->p[static_cast<std::size_t>(i)]));
      watched = {mechanical_->energy, g.mul(g.constant(0.5), vp)};
      watched.insert(watched.end(), mechanical_->g.begin(), mechanical_->g.end());
      watched.insert(watched.end(), mechanical_->k.begin(), mechanical_->k.end());
      positions_ = mechanical_->g.size();
      velocities_ = mechanical_->k.size();
      observed_.emplace(mechanical_->graph, watched, n(), m());
    } else if (model.kind == Kind::odae) {
      odae_.emplace(model);
      watched = {odae_->graph.zero(), odae_->graph.zero()};
      watched.insert(watched.end(), odae_->g.begin(), odae_->g.end());
      watched.insert(watched.end(), odae_->k.begin(), odae_->k.end());
      positions_ = velocities_ = odae_->g.size();
      observed_.emplace(odae_->graph, watched, std::max(n(), nv()), m());
    } else if (model.kind == Kind::port_hamiltonian) {
      port_hamiltonian_.emplace(model);
      PortHamiltonian f = *port_hamiltonian_;
      observed_.emplace(f.graph, std::vector<NodeId>{f.H, f.H}, n(), 0);
      std::vector<NodeId> ports = f.u;
      for (const NodeId y : f.outputs()) ports.push_back(y);
      if (!ports.empty()) ports_.emplace(f.graph, ports, n(), 0);
    } else {
      dae_.emplace(model);
      if (model.kind == Kind::skew_gradient) skew_gradient_.emplace(model);
      const NodeId energy = skew_gradient_ ? skew_gradient_->H : dae_->graph.zero();
      watched = {energy, energy};
      watched.insert(watched.end(), dae_->c.begin(), dae_->c.end());
      positions_ = dae_->c.size();
      observed_.emplace(dae_->graph, watched, n(), m());
    }
    if (!model.exact.empty()) {
      std::vector<NodeId> exact;
      for (const ExactValue& e : model.exact) exact.push_back(e.expr);
      exact_.emplace(*model.graph, exact, n(), m());
    }
  } catch (const NeedsUnrolling&) {
    throw Error(model.kind == Kind::dae
                    ? "model '" + model.key +
                          "' is a dae with families, which the solvers take as single states only. `rattleback check` "
                          "handles it; reduce the size of its families to run it"
                    : "model '" + model.key +
                          "' couples all members of a family with each other (a nonlinear function of a sum), which "
                          "the solvers take in single coordinates only. `rattleback check` handles it; reduce the size "
                          "of its families to run it");
  }
}

void System::watch_families() {
  Graph& g = families_->graph;
  Entries watched = {{families_->energy, 0, {0, 0}, {}},
                     {g.mul(g.constant(0.5), families_->twice_kinetic), 0, {1, 0}, {}}};
  const auto watch = [&](const Entries& f, std::int32_t offset) {
    for (Entry e : f) {
      e.row.base += offset;
      watched.push_back(e);
    }
  };
  positions_ = static_cast<std::size_t>(holonomic());
  velocities_ = static_cast<std::size_t>(m());
  watch(families_->g, 2);
  watch(families_->k, 2 + holonomic());
  observed_.emplace(g, watched, 2 + holonomic() + m(), n(), m());
}

const Mechanical& System::mechanical() const {
  if (!mechanical_) {
    if (looped_)
      throw Error("model '" + model_->key +
                  "' has families, and this needs its single coordinates: load it with LoadOptions::unroll_below = "
                  "kLargestFamily");
    mechanical_.emplace(*model_);
  }
  return *mechanical_;
}

bool System::graded_mass() const {
  if (port_hamiltonian_) return port_hamiltonian_->graded();
  return families_ ? families_->massless : is_mechanical() && mechanical().graded_mass;
}

std::vector<char> System::algebraic_states() const {
  return port_hamiltonian_ ? port_hamiltonian_->algebraic_states() : std::vector<char>{};
}

bool System::multiplier_forces() const {
  return is_mechanical() && depends_on(*model_->graph, model_->forces, kMultiplier);
}

bool System::take_parameters() {
  const bool plain = is_mechanical() && !is_large() && mechanical_ && mechanical_->added.c.empty();
  if (!plain && model_->kind != Kind::dae) return false;
  std::vector<double> values = given_values(*model_);
  Graph& graph = plain ? mechanical_->graph : dae_->graph;
  if (!graph.set_parameters(values, model_->parameter_errors)) return false;
  use_parameters(values);
  parameters_ = std::move(values);
  return true;
}

void System::use_parameters(std::span<const double> values) {
  for (std::optional<Evaluator>* const each : {&observed_, &exact_, &ports_})
    if (*each) (*each)->set_parameters(values);
}

std::unique_ptr<Acceleration> System::acceleration() const {
  if (redundancy_) return std::make_unique<Acceleration>(redundancy_, static_cast<std::size_t>(n()));
  if (families_)
    return std::make_unique<Acceleration>(*families_);  // a plan of a large system has workspace of its own
  if (!level_)
    level_ = odae_               ? std::make_shared<const AccelerationPlan>(*odae_)
             : port_hamiltonian_ ? std::make_shared<const AccelerationPlan>(*port_hamiltonian_)
             : mechanical_       ? std::make_shared<const AccelerationPlan>(*mechanical_)
                                 : std::make_shared<const AccelerationPlan>(*dae_);
  auto out = std::make_unique<Acceleration>(level_);
  if (!parameters_.empty()) (void)out->set_parameters(parameters_);
  return out;
}

System::Observation System::observe(double t, std::span<const double> q, std::span<const double> v,
                                    std::span<const char> active) {
  const std::span<const double> x = (*observed_)(t, q, v);
  Observation o;
  o.energy = x[0];
  o.kinetic = std::fabs(x[1]);
  const auto acts = [&](std::size_t i) { return active.empty() || active[i] != 0; };
  for (std::size_t i = 0; i < positions_; ++i)
    o.position = std::fmax(o.position, acts(i) ? std::fabs(x[2 + i]) : -x[2 + i]);
  for (std::size_t i = 0; i < velocities_; ++i)
    if (acts(i)) o.velocity = std::fmax(o.velocity, std::fabs(x[2 + positions_ + i]));
  return o;
}

std::span<const double> System::ports(double t, std::span<const double> x) {
  return ports_ ? (*ports_)(t, x) : std::span<const double>{};
}

std::optional<double> System::exact_error(double t, std::span<const double> q, std::span<const double> v,
                                          std::span<const double> multipliers, std::optional<Space> of) {
  if (!exact_) return std::nullopt;
  const std::span<const double> x = (*exact_)(t, q, v);
  double sum = 0.0;
  bool any = !of;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const ExactValue& e = model_->exact[i];
    if (of && *of != e.space) continue;
    any = true;
    const auto k = static_cast<std::size_t>(e.index);
    const double ours = e.space == kPosition ? q[k] : e.space == kVelocity ? v[k] : multipliers[k];
    sum += (ours - x[i]) * (ours - x[i]);
  }
  return any ? std::optional(std::sqrt(sum)) : std::nullopt;
}

}  // namespace rattleback
