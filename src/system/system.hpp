// A model made ready for integration: its formulation, and the functions that the audit looks at.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/kind_facts.hpp"
#include "system/kind_system.hpp"

namespace rattleback {

class Redundancy;

class System {
 public:
  // Throws Error when the model has families that the solvers cannot take.
  // added: the inertia that is added to a singular L_vv, when that was decided elsewhere.
  explicit System(const Model& model, const AddedInertia* added = nullptr);

  // Large mechanical systems, with families or with many single coordinates, are taken as families.
  [[nodiscard]] bool is_large() const { return as<FamilyMechanical>() != nullptr; }
  [[nodiscard]] bool has_families() const { return looped_; }
  [[nodiscard]] const FamilyMechanical& families() const { return *as<FamilyMechanical>(); }

  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] const KindFacts& facts() const { return facts_of(*model_); }
  // The functions of this system, if they are of this class: Mechanical (single coordinates), FamilyMechanical (large),
  // Dae, Overdetermined, SkewGradient, PortHamiltonian. Null: they are of another.
  template <class Functions>
  [[nodiscard]] const Functions* as() const {
    return std::visit(
        [](const auto& kind) -> const Functions* {
          using Own = std::remove_cvref_t<decltype(kind.functions())>;
          if constexpr (std::is_same_v<Own, Mechanical>) {
            if constexpr (std::is_same_v<Functions, FamilyMechanical>) return kind.families();
            if (kind.families() != nullptr) return nullptr;
          }
          if constexpr (std::is_same_v<Own, Functions>)
            return &kind.functions();
          else
            return nullptr;
        },
        kind_);
  }
  // For those who know the kind. mechanical(): in single coordinates; for a large system it is made when it is first asked
  // for, and not for systems with families. dae(): of a skew-gradient system, too.
  [[nodiscard]] const Mechanical& mechanical() const { return std::get<MechanicalKind>(kind_).functions(); }
  [[nodiscard]] const Dae& dae() const;
  // Calls `f` with the class of this kind: Mechanical, Dae, Overdetermined, SkewGradient or PortHamiltonian.
  template <class F>
  decltype(auto) visit(const F& f) const {
    return std::visit([&](const auto& kind) -> decltype(auto) { return f(kind.functions()); }, kind_);
  }
  [[nodiscard]] bool has_energy() const { return facts().energy; }
  // Of each state: is it algebraic? Empty where no state can be.
  [[nodiscard]] std::vector<char> algebraic_states() const;
  [[nodiscard]] std::int32_t n() const { return model_->coordinates.size(); }
  [[nodiscard]] std::int32_t nv() const { return velocity_count(*model_); }
  [[nodiscard]] std::int32_t m() const { return model_->multiplier_count(); }
  [[nodiscard]] std::int32_t holonomic() const { return model_->holonomic_names.size(); }
  [[nodiscard]] bool graded_mass() const;                            // see Mechanical; of a large system: a mass is 0
  [[nodiscard]] bool multiplier_forces() const;                      // a force contains lambda
  [[nodiscard]] std::unique_ptr<Acceleration> acceleration() const;  // derived once, when it is first asked for
  // The parameters of the model have other values now, and its graph is the one for them: takes them over without deriving
  // anything. False where something would have been derived otherwise; then this system is of no use until a call that
  // succeeds. Mechanical systems of single coordinates without added inertia, daes and odaes.
  bool take_parameters();
  bool take_parameters(std::span<const double> values);  // that the model does not have
  // What observes a motion has other values of the parameters from here on. Allocates nothing.
  void use_parameters(std::span<const double> values);
  // Constraints may depend on one another (--redundant minimum-norm, kinds whose facts say so). From the start on, which
  // consistent_start() finds, the system knows subsets of full rank.
  void allow_redundant() { allows_redundant_ = facts().redundant && m() > 0; }
  [[nodiscard]] bool allows_redundant() const { return allows_redundant_; }
  [[nodiscard]] const std::shared_ptr<Redundancy>& redundancy() const { return redundancy_; }
  void set_redundancy(std::shared_ptr<Redundancy> known) const { redundancy_ = std::move(known); }

  // Symmetries whose momentum equation the steps of a run add up, where their method can.
  void watch_momenta(std::vector<Symmetry> list) { watched_momenta_ = std::move(list); }
  [[nodiscard]] const std::vector<Symmetry>& watched_momenta() const { return watched_momenta_; }

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
  const Model* model_;
  bool looped_, allows_redundant_ = false;
  mutable std::shared_ptr<Redundancy> redundancy_;
  KindSystem kind_;
  Observer observer_;
  mutable std::shared_ptr<const AccelerationPlan> level_;
  std::optional<Evaluator> exact_;
  std::vector<double> parameters_;  // taken over
  std::vector<Symmetry> watched_momenta_;
};

// Functions for System::visit(), one for each class.
template <class... F>
struct Cases : F... {
  using F::operator()...;
};
template <class... F>
Cases(F...) -> Cases<F...>;

}  // namespace rattleback
