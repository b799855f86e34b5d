#include "model/kind_facts.hpp"

namespace rattleback {
namespace {

constexpr KindFacts kMechanical = {.coordinate = "coordinate",
                                   .state_key = "q",
                                   .record_key = "q",
                                   .multiplier_key = "multipliers",
                                   .method = "spark-lobatto-ab",
                                   .velocities = true,
                                   .primed = true,
                                   .position_level = true,
                                   .energy = true};
constexpr KindFacts kDae = {.coordinate = "state",
                            .state_key = "x",
                            .record_key = "x",
                            .multiplier_key = "z",
                            .method = "srk-gauss",
                            .velocities = false,
                            .primed = false,
                            .position_level = true,
                            .energy = false};
constexpr KindFacts kOdae = {.coordinate = "position",
                             .state_key = "x",
                             .record_key = "q",
                             .multiplier_key = "multipliers",
                             .method = "euler-true",
                             .velocities = true,
                             .primed = false,
                             .position_level = true,
                             .energy = false};

constexpr KindFacts states_with_energy(const char* method) {
  return {.coordinate = "state",
          .state_key = "x",
          .record_key = "x",
          .multiplier_key = "z",
          .method = method,
          .velocities = false,
          .primed = false,
          .position_level = false,
          .energy = true};
}
constexpr KindFacts kSkewGradient = states_with_energy("dg-gonzalez");
constexpr KindFacts kPortHamiltonian = states_with_energy("collocation-gauss");

}  // namespace

const KindFacts& facts_of(Kind kind) {
  switch (kind) {
    case Kind::mechanical: break;
    case Kind::dae: return kDae;
    case Kind::odae: return kOdae;
    case Kind::skew_gradient: return kSkewGradient;
    case Kind::port_hamiltonian: return kPortHamiltonian;
  }
  return kMechanical;
}

std::int32_t velocity_count(const Model& model) {
  if (!facts_of(model).velocities) return 0;
  return facts_of(model).primed ? model.coordinates.size() : model.odae.velocities.size();
}

std::string velocity_name(const Model& model, std::int32_t i) {
  return facts_of(model).primed ? model.coordinates[i] + "'" : model.odae.velocities[i];
}

std::vector<std::string> velocity_names(const Model& model) {
  std::vector<std::string> names;
  for (std::int32_t i = 0; i < velocity_count(model); ++i) names.push_back(velocity_name(model, i));
  return names;
}

std::string constraint_name(const Model& model, std::int32_t i) {
  return facts_of(model).primed ? model.multiplier_name(i) : model.constraint_names[i];
}

bool has_position_level(const Model& model) {
  return facts_of(model).position_level && (!facts_of(model).primed || !model.holonomic_names.empty());
}

bool has_velocity_level(const Model& model) {
  return facts_of(model).velocities && (!facts_of(model).primed || model.multiplier_count() > 0);
}

}  // namespace rattleback
