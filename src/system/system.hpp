// A model made ready for integration: its formulation, and the functions that the audit looks at.
#pragma once

#include <memory>
#include <optional>

#include "expr/evaluator.hpp"
#include "model/kind_facts.hpp"
#include "model/kinds/port_hamiltonian.hpp"
#include "system/acceleration.hpp"
#include "system/families/family_mechanical.hpp"
#include "system/first_order/dae.hpp"
#include "system/first_order/skew_gradient.hpp"
#include "system/mechanical/mechanical.hpp"

namespace rattleback {

class Redundancy;

class System {
 public:
  // Throws Error when the model has families that the solvers cannot take.
  // added: the inertia that is added to a singular L_vv, when that was decided elsewhere.
  explicit System(const Model& model, const AddedInertia* added = nullptr);

  // Large mechanical systems, with families or with many single coordinates, are taken as families.
  [[nodiscard]] bool is_large() const { return families_.has_value(); }
  [[nodiscard]] bool has_families() const { return looped_; }
  [[nodiscard]] const FamilyMechanical& families() const { return *families_; }

  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] bool is_mechanical() const { return model_->kind == Kind::mechanical; }
  // In single coordinates; for a large system it is made when it is first asked for. Not for systems with families.
  [[nodiscard]] const Mechanical& mechanical() const;
  [[nodiscard]] const Dae& dae() const { return *dae_; }
  [[nodiscard]] bool is_odae() const { return odae_.has_value(); }
  [[nodiscard]] const Overdetermined& odae() const { return *odae_; }
  [[nodiscard]] const SkewGradient& skew_gradient() const { return *skew_gradient_; }
  [[nodiscard]] bool is_port_hamiltonian() const { return port_hamiltonian_.has_value(); }
  [[nodiscard]] const PortHamiltonian& port_hamiltonian() const { return *port_hamiltonian_; }
  [[nodiscard]] bool has_energy() const { return facts_of(*model_).energy; }
  // Of each state: is it algebraic? Empty where no state can be.
  [[nodiscard]] std::vector<char> algebraic_states() const;
  // Calls `f` with the class of this kind: Mechanical, Dae, Overdetermined, SkewGradient or PortHamiltonian.
  template <class F>
  decltype(auto) visit(const F& f) const {
    switch (model_->kind) {
      case Kind::mechanical: break;
      case Kind::dae: return f(dae());
      case Kind::odae: return f(odae());
      case Kind::skew_gradient: return f(skew_gradient());
      case Kind::port_hamiltonian: return f(port_hamiltonian());
    }
    return f(mechanical());
  }
  [[nodiscard]] std::int32_t n() const {
    return is_mechanical() || port_hamiltonian_ ? model_->coordinates.size() : odae_ ? odae_->ny : dae_->n;
  }
  [[nodiscard]] std::int32_t nv() const { return is_mechanical() ? n() : odae_ ? odae_->nz : 0; }
  [[nodiscard]] std::int32_t m() const {
    return is_mechanical() ? model_->multiplier_count() : odae_ ? odae_->m : port_hamiltonian_ ? 0 : dae_->m;
  }
  [[nodiscard]] std::int32_t holonomic() const { return is_mechanical() ? model_->holonomic_names.size() : 0; }
  [[nodiscard]] bool graded_mass() const;                            // see Mechanical; of a large system: a mass is 0
  [[nodiscard]] bool multiplier_forces() const;                      // a force contains lambda
  [[nodiscard]] std::unique_ptr<Acceleration> acceleration() const;  // derived once, when it is first asked for
  // The parameters of the model have other values now, and its graph is the one for them: takes them over without deriving
  // anything. False where something would have been derived otherwise; then this system is of no use until a call that
  // succeeds. Mechanical systems of single coordinates without added inertia, and daes.
  bool take_parameters();
  // What observes a motion has other values of the parameters from here on. Allocates nothing.
  void use_parameters(std::span<const double> values);
  // Constraints may depend on one another (--redundant minimum-norm, mechanical systems). From the start on, which
  // consistent_start() finds, the system knows subsets of full rank.
  void allow_redundant() { allows_redundant_ = is_mechanical() && m() > 0; }
  [[nodiscard]] bool allows_redundant() const { return allows_redundant_; }
  [[nodiscard]] const std::shared_ptr<Redundancy>& redundancy() const { return redundancy_; }
  void set_redundancy(std::shared_ptr<Redundancy> known) const { redundancy_ = std::move(known); }

  struct Observation {
    double energy = 0.0;
    double kinetic = 0.0;   // |v . L_v|/2
    double position = 0.0;  // largest |g| (dae: |c|)
    double velocity = 0.0;  // largest |k|
  };
  // `active` (odae, by constraint; empty = all): of a constraint that does not act, only g < 0 is a residual.
  Observation observe(double t, std::span<const double> q, std::span<const double> v,
                      std::span<const char> active = {});
  // port-Hamiltonian: the inputs u and then the outputs y; empty for other systems.
  std::span<const double> ports(double t, std::span<const double> x);
  // Norm of the difference to [exact] at time t; nothing when the model has none.
  // `of`: only of the positions, the velocities or the multipliers; nothing when [exact] names none of them.
  std::optional<double> exact_error(double t, std::span<const double> q, std::span<const double> v,
                                    std::span<const double> multipliers, std::optional<Space> of = {});

 private:
  void watch_families();
  const Model* model_;
  bool looped_ = false, allows_redundant_ = false;
  mutable std::shared_ptr<Redundancy> redundancy_;
  std::optional<FamilyMechanical> families_;
  mutable std::optional<Mechanical> mechanical_;
  mutable std::shared_ptr<const AccelerationPlan> level_;
  std::optional<Dae> dae_;
  std::optional<Overdetermined> odae_;
  std::optional<SkewGradient> skew_gradient_;
  std::optional<PortHamiltonian> port_hamiltonian_;
  std::optional<Evaluator> observed_, exact_, ports_;
  std::vector<double> parameters_;  // taken over
  std::size_t positions_ = 0, velocities_ = 0;
};

}  // namespace rattleback
