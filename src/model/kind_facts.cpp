#include "model/kind_facts.hpp"

namespace rattleback {
namespace {

constexpr const char* kCoupled =
    "couples all members of a family with each other (a nonlinear function of a sum), which the solvers take in single "
    "coordinates only.";
constexpr const char* kSaddle = "needs a regular saddle-point matrix [L_vv K^T; K 0] at the start";

constexpr KindFacts kMechanical = {.coordinate = "coordinate",
                                   .algebraic = "algebraic variable",
                                   .port = "port",
                                   .state_key = "q",
                                   .record_key = "q",
                                   .multiplier_key = "multipliers",
                                   .method = "spark-lobatto-ab",
                                   .regular = kSaddle,
                                   .needs_unrolling = kCoupled,
                                   .velocities = true,
                                   .primed = true,
                                   .position_level = true,
                                   .energy = true,
                                   .lagrangian = true,
                                   .redundant = true,
                                   .families = true,
                                   .shared = true,
                                   .unilateral = false,
                                   .implicit_rates = true,
                                   .algebraic_states = false,
                                   .reports_ports = false,
                                   .points = true,
                                   .alpha = false,
                                   .compose_references = 0};
constexpr KindFacts kDae = {.coordinate = "state",
                            .algebraic = "algebraic variable",
                            .port = "port",
                            .state_key = "x",
                            .record_key = "x",
                            .multiplier_key = "z",
                            .method = "srk-gauss",
                            .regular = kSaddle,
                            .needs_unrolling = "is a dae with families, which the solvers take as single states only.",
                            .velocities = false,
                            .primed = false,
                            .position_level = true,
                            .energy = false,
                            .lagrangian = false,
                            .redundant = false,
                            .families = false,
                            .shared = true,
                            .unilateral = false,
                            .implicit_rates = false,
                            .algebraic_states = false,
                            .reports_ports = false,
                            .points = false,
                            .alpha = false,
                            .compose_references = 0};
constexpr KindFacts kOdae = {.coordinate = "position",
                             .algebraic = "multiplier",
                             .port = "port",
                             .state_key = "x",
                             .record_key = "q",
                             .multiplier_key = "multipliers",
                             .method = "euler-true",
                             .regular = "needs g_y v_z r_psi regular at the start",
                             .needs_unrolling = kCoupled,
                             .velocities = true,
                             .primed = false,
                             .position_level = true,
                             .energy = false,
                             .lagrangian = false,
                             .redundant = false,
                             .families = false,
                             .shared = false,
                             .unilateral = true,
                             .implicit_rates = false,
                             .algebraic_states = false,
                             .reports_ports = false,
                             .points = true,
                             .alpha = true,
                             .compose_references = 8};
constexpr KindFacts kSkewGradient = {.coordinate = "state",
                                     .algebraic = "algebraic variable",
                                     .port = "port",
                                     .state_key = "x",
                                     .record_key = "x",
                                     .multiplier_key = "z",
                                     .method = "dg-gonzalez",
                                     .regular = kSaddle,
                                     .needs_unrolling = kCoupled,
                                     .velocities = false,
                                     .primed = false,
                                     .position_level = false,
                                     .energy = true,
                                     .lagrangian = false,
                                     .redundant = false,
                                     .families = false,
                                     .shared = false,
                                     .unilateral = false,
                                     .implicit_rates = false,
                                     .algebraic_states = false,
                                     .reports_ports = false,
                                     .points = true,
                                     .alpha = false,
                                     .compose_references = 0};
constexpr KindFacts kPortHamiltonian = {.coordinate = "state",
                                        .algebraic = "algebraic variable",
                                        .port = "input",
                                        .state_key = "x",
                                        .record_key = "x",
                                        .multiplier_key = "z",
                                        .method = "collocation-gauss",
                                        .regular = kSaddle,
                                        .needs_unrolling = kCoupled,
                                        .velocities = false,
                                        .primed = false,
                                        .position_level = false,
                                        .energy = true,
                                        .lagrangian = false,
                                        .redundant = false,
                                        .families = false,
                                        .shared = false,
                                        .unilateral = false,
                                        .implicit_rates = true,
                                        .algebraic_states = true,
                                        .reports_ports = true,
                                        .points = true,
                                        .alpha = false,
                                        .compose_references = 0};

// An entry with a word that was forgotten does not compile.
constexpr bool complete(const KindFacts& f) {
  for (const char* const word : {f.coordinate, f.algebraic, f.port, f.state_key, f.record_key, f.multiplier_key,
                                 f.method, f.regular, f.needs_unrolling})
    if (word == nullptr) return false;
  return true;
}
static_assert(complete(kMechanical) && complete(kDae) && complete(kOdae) && complete(kSkewGradient) &&
              complete(kPortHamiltonian));

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
