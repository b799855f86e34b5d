#include "system/system.hpp"

#include <cmath>

#include "model/inputs.hpp"
#include "model/usable.hpp"
#include "rattleback/error.hpp"

namespace rattleback {

System::System(const Model& model, const AddedInertia* added) try
    : model_(&usable(model)),
      looped_(largest_family(model) > 0),
      kind_(kind_system(model, added)),
      observer_(std::visit([](auto& kind) { return kind.observer(); }, kind_)) {
  if (model.exact.empty()) return;
  std::vector<NodeId> exact;
  for (const ExactValue& e : model.exact) exact.push_back(e.expr);
  exact_.emplace(*model.graph, exact, n(), m());
} catch (const NeedsUnrolling&) {
  throw Error("model '" + model.key + "' " + facts_of(model).needs_unrolling +
              " `rattleback check` handles it; reduce the size of its families to run it");
}

const Dae& System::dae() const {
  const auto* const skew_gradient = std::get_if<SkewGradientKind>(&kind_);
  return skew_gradient != nullptr ? skew_gradient->right_hand_side() : std::get<DaeKind>(kind_).functions();
}

bool System::graded_mass() const {
  return std::visit([](const auto& kind) { return kind.graded_mass(); }, kind_);
}

std::vector<char> System::algebraic_states() const {
  return std::visit([](const auto& kind) { return kind.algebraic_states(); }, kind_);
}

bool System::multiplier_forces() const { return depends_on(*model_->graph, model_->forces, kMultiplier); }

bool System::take_parameters() { return take_parameters(given_values(*model_)); }

bool System::take_parameters(std::span<const double> values) {
  Graph* const graph = std::visit([](auto& kind) { return kind.graph_with_parameters(); }, kind_);
  if (graph == nullptr || !graph->set_parameters(values, model_->parameter_errors)) return false;
  use_parameters(values);
  parameters_.assign(values.begin(), values.end());
  return true;
}

void System::use_parameters(std::span<const double> values) {
  observer_.values.set_parameters(values);
  for (std::optional<Evaluator>* const each : {&exact_, &observer_.ports})
    if (*each) (*each)->set_parameters(values);
}

std::unique_ptr<Acceleration> System::acceleration() const {
  if (redundancy_) return std::make_unique<Acceleration>(redundancy_, static_cast<std::size_t>(n()));
  const auto plan = [this] { return std::visit([](const auto& kind) { return kind.acceleration_plan(); }, kind_); };
  if (is_large()) return std::make_unique<Acceleration>(plan());  // a plan of a large system has workspace of its own
  if (!level_) level_ = plan();
  auto out = std::make_unique<Acceleration>(level_);
  if (!parameters_.empty()) (void)out->set_parameters(parameters_);
  return out;
}

System::Observation System::observe(double t, std::span<const double> q, std::span<const double> v,
                                    std::span<const char> active) {
  const std::span<const double> x = observer_.values(t, q, v);
  Observation o;
  o.energy = x[0];
  o.kinetic = std::fabs(x[1]);
  const auto acts = [&](std::size_t i) { return active.empty() || active[i] != 0; };
  for (std::size_t i = 0; i < observer_.positions; ++i)
    o.position = std::fmax(o.position, acts(i) ? std::fabs(x[2 + i]) : -x[2 + i]);
  for (std::size_t i = 0; i < observer_.velocities; ++i)
    if (acts(i)) o.velocity = std::fmax(o.velocity, std::fabs(x[2 + observer_.positions + i]));
  return o;
}

std::span<const double> System::ports(double t, std::span<const double> x) {
  return observer_.ports ? (*observer_.ports)(t, x) : std::span<const double>{};
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
