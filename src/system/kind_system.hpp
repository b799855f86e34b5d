// A system of each kind is one class: its functions, and its answers to what every system is asked. `System` holds one of
// them. A class without one of the answers does not compile.
#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "expr/evaluator.hpp"
#include "model/kinds/port_hamiltonian.hpp"
#include "system/acceleration.hpp"
#include "system/families/family_mechanical.hpp"
#include "system/first_order/dae.hpp"
#include "system/first_order/skew_gradient.hpp"
#include "system/mechanical/mechanical.hpp"

namespace rattleback {

// What is looked at in a state: the energy, half of v . L_v, then the residuals of constraints by level.
struct Watched {
  std::vector<NodeId> nodes;
  std::size_t positions = 0, velocities = 0;
};
// g: the graph of f, or a copy of it.
Watched watched(Graph& g, const Mechanical& f);
Watched watched(Graph& g, const Dae& f);

// The same, ready to be evaluated; and the inputs u with the outputs y behind them, where there are any.
struct Observer {
  Evaluator values;
  std::size_t positions = 0, velocities = 0;
  std::optional<Evaluator> ports = {};
};

// Large systems, with families or with many single coordinates, are taken as families.
class MechanicalKind {
 public:
  // added: the inertia that is added to a singular L_vv, when that was decided elsewhere.
  MechanicalKind(const Model& model, const AddedInertia* added);

  // In single coordinates; of a large system they are made when they are first asked for. Not of systems with families.
  [[nodiscard]] const Mechanical& functions() const;
  [[nodiscard]] const FamilyMechanical* families() const {
    return families_ ? &*families_ : nullptr;
  }  // null: not large

  [[nodiscard]] bool graded_mass() const { return families_ ? families_->massless : functions().graded_mass; }
  [[nodiscard]] std::vector<char> algebraic_states() const { return {}; }
  [[nodiscard]] std::shared_ptr<const AccelerationPlan> acceleration_plan() const;
  [[nodiscard]] Graph* graph_with_parameters();
  Observer observer();

 private:
  Observer large_observer();
  const Model* model_;
  std::optional<FamilyMechanical> families_;
  mutable std::optional<Mechanical> single_;
};

class DaeKind {
 public:
  explicit DaeKind(const Model& model) : functions_(model) {}
  [[nodiscard]] const Dae& functions() const { return functions_; }

  [[nodiscard]] bool graded_mass() const { return false; }
  [[nodiscard]] std::vector<char> algebraic_states() const { return {}; }
  [[nodiscard]] std::shared_ptr<const AccelerationPlan> acceleration_plan() const;
  [[nodiscard]] Graph* graph_with_parameters() { return &functions_.graph; }
  Observer observer();

 private:
  Dae functions_;
};

class OdaeKind {
 public:
  explicit OdaeKind(const Model& model) : functions_(model) {}
  [[nodiscard]] const Overdetermined& functions() const { return functions_; }

  [[nodiscard]] bool graded_mass() const { return false; }
  [[nodiscard]] std::vector<char> algebraic_states() const { return {}; }
  [[nodiscard]] std::shared_ptr<const AccelerationPlan> acceleration_plan() const;
  [[nodiscard]] Graph* graph_with_parameters() { return &functions_.graph; }
  Observer observer();

 private:
  Overdetermined functions_;
};

class SkewGradientKind {
 public:
  explicit SkewGradientKind(const Model& model) : functions_(model), right_hand_side_(functions_) {}
  [[nodiscard]] const SkewGradient& functions() const { return functions_; }
  [[nodiscard]] const Dae& right_hand_side() const { return right_hand_side_; }

  [[nodiscard]] bool graded_mass() const { return false; }
  [[nodiscard]] std::vector<char> algebraic_states() const { return {}; }
  [[nodiscard]] std::shared_ptr<const AccelerationPlan> acceleration_plan() const;
  [[nodiscard]] Graph* graph_with_parameters() { return nullptr; }
  Observer observer();

 private:
  SkewGradient functions_;
  Dae right_hand_side_;
};

class PortHamiltonianKind {
 public:
  explicit PortHamiltonianKind(const Model& model) : functions_(model) {}
  [[nodiscard]] const PortHamiltonian& functions() const { return functions_; }

  [[nodiscard]] bool graded_mass() const { return functions_.graded(); }
  [[nodiscard]] std::vector<char> algebraic_states() const { return functions_.algebraic_states(); }
  [[nodiscard]] std::shared_ptr<const AccelerationPlan> acceleration_plan() const;
  [[nodiscard]] Graph* graph_with_parameters() { return nullptr; }
  Observer observer();

 private:
  PortHamiltonian functions_;
};

using KindSystem = std::variant<MechanicalKind, DaeKind, OdaeKind, SkewGradientKind, PortHamiltonianKind>;
KindSystem kind_system(const Model& model, const AddedInertia* added);

}  // namespace rattleback
