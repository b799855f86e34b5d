#include "system/kind_system.hpp"

#include <algorithm>

#include "rattleback/error.hpp"
#include "system/families/family_values.hpp"

namespace rattleback {
namespace {

// Above so many coordinates and multipliers the sparse path is taken. With rattle on chains it is as fast as the dense one
// at 60 and faster from 90 on (bench_large --switch).
constexpr std::int32_t kLargestDense = 80;

Observer observer_of(const Graph& g, const Watched& all, std::int32_t n, std::int32_t m) {
  return {.values = Evaluator(g, all.nodes, n, m), .positions = all.positions, .velocities = all.velocities};
}

}  // namespace

Watched watched(Graph& g, const Mechanical& f) {
  NodeId vp = g.zero();
  for (std::int32_t i = 0; i < f.n; ++i)
    vp = g.add(vp, g.mul(g.variable(kVelocity, i), f.p[static_cast<std::size_t>(i)]));
  Watched out{{f.energy, g.mul(g.constant(0.5), vp)}, f.g.size(), f.k.size()};
  out.nodes.insert(out.nodes.end(), f.g.begin(), f.g.end());
  out.nodes.insert(out.nodes.end(), f.k.begin(), f.k.end());
  return out;
}

Watched watched(Graph& g, const Dae& f) {
  Watched out{{g.zero(), g.zero()}, f.c.size(), 0};
  out.nodes.insert(out.nodes.end(), f.c.begin(), f.c.end());
  return out;
}

MechanicalKind::MechanicalKind(const Model& model, const AddedInertia* added) : model_(&model) {
  const bool looped = largest_family(model) > 0;
  if (added == nullptr && (looped || model.coordinates.size() + model.multiplier_count() > kLargestDense)) {
    families_.emplace(model);
    // Where neither the Lagrangian nor the constraints give inertia, single coordinates tell more.
    if (!looped && !has_positive_mass(*families_, model.t0, model.q0, model.v0)) families_.reset();
  }
  if (!families_) single_.emplace(model, true, added);
}

const Mechanical& MechanicalKind::functions() const {
  if (!single_) {
    if (largest_family(*model_) > 0)
      throw Error("model '" + model_->key +
                  "' has families, and this needs its single coordinates: load it with LoadOptions::unroll_below = "
                  "kLargestFamily");
    single_.emplace(*model_);
  }
  return *single_;
}

std::shared_ptr<const AccelerationPlan> MechanicalKind::acceleration_plan() const {
  return families_ ? std::make_shared<const AccelerationPlan>(*families_)
                   : std::make_shared<const AccelerationPlan>(*single_);
}

// With added inertia, which was decided at the values it had, there is none.
Graph* MechanicalKind::graph_with_parameters() {
  return !families_ && single_->added.c.empty() ? &single_->graph : nullptr;
}

Observer MechanicalKind::observer() {
  if (families_) return large_observer();
  Graph& g = single_->graph;
  return observer_of(g, watched(g, *single_), single_->n, single_->m);
}

Observer MechanicalKind::large_observer() {
  Graph& g = families_->graph;
  Entries all = {{families_->energy, 0, {0, 0}, {}}, {g.mul(g.constant(0.5), families_->twice_kinetic), 0, {1, 0}, {}}};
  const auto watch = [&](const Entries& f, std::int32_t offset) {
    for (Entry e : f) {
      e.row.base += offset;
      all.push_back(e);
    }
  };
  const std::int32_t n = families_->n, m = families_->m, holonomic = families_->holonomic;
  watch(families_->g, 2);
  watch(families_->k, 2 + holonomic);
  return {.values = Evaluator(g, all, 2 + holonomic + m, n, m),
          .positions = static_cast<std::size_t>(holonomic),
          .velocities = static_cast<std::size_t>(m)};
}

std::shared_ptr<const AccelerationPlan> DaeKind::acceleration_plan() const {
  return std::make_shared<const AccelerationPlan>(functions_);
}

Observer DaeKind::observer() {
  Graph& g = functions_.graph;
  return observer_of(g, watched(g, functions_), functions_.n, functions_.m);
}

std::shared_ptr<const AccelerationPlan> OdaeKind::acceleration_plan() const {
  return std::make_shared<const AccelerationPlan>(functions_);
}

Observer OdaeKind::observer() {
  Overdetermined& f = functions_;
  Watched all{{f.graph.zero(), f.graph.zero()}, f.g.size(), f.g.size()};
  all.nodes.insert(all.nodes.end(), f.g.begin(), f.g.end());
  all.nodes.insert(all.nodes.end(), f.k.begin(), f.k.end());
  return observer_of(f.graph, all, std::max(f.ny, f.nz), f.m);
}

std::shared_ptr<const AccelerationPlan> SkewGradientKind::acceleration_plan() const {
  return std::make_shared<const AccelerationPlan>(right_hand_side_);
}

Observer SkewGradientKind::observer() {
  return observer_of(right_hand_side_.graph, {{functions_.H, functions_.H}}, functions_.n, 0);
}

std::shared_ptr<const AccelerationPlan> PortHamiltonianKind::acceleration_plan() const {
  return std::make_shared<const AccelerationPlan>(functions_);
}

Observer PortHamiltonianKind::observer() {
  PortHamiltonian f = functions_;  // its outputs are new nodes
  Observer out = observer_of(f.graph, {{f.H, f.H}}, f.n, 0);
  std::vector<NodeId> ports = f.u;
  for (const NodeId y : f.outputs()) ports.push_back(y);
  if (!ports.empty()) out.ports.emplace(f.graph, ports, f.n, 0);
  return out;
}

KindSystem kind_system(const Model& model, const AddedInertia* added) {
  switch (model.kind) {
    case Kind::mechanical: break;
    case Kind::dae: return DaeKind(model);
    case Kind::odae: return OdaeKind(model);
    case Kind::skew_gradient: return SkewGradientKind(model);
    case Kind::port_hamiltonian: return PortHamiltonianKind(model);
  }
  return MechanicalKind(model, added);
}

}  // namespace rattleback
