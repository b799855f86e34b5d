#include "run/reported_state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rattleback/error.hpp"

namespace rattleback {

ReportedState::ReportedState(const System& system, const Options& options)
    : own_(options.multiplier == Multiplier::stage) {
  const std::vector<char> algebraic = system.algebraic_states();
  for (std::size_t i = 0; i < algebraic.size(); ++i)
    if (algebraic[i] != 0) names_.push_back(system.model().coordinates[static_cast<std::int32_t>(i)]);
  if (own_ && names_.empty())
    throw Error(
        fmt::format("--multiplier stage reports a method's own values of the algebraic states of port-Hamiltonian "
                    "systems, and '{}' "
                    "has none. Leave it out",
                    system.model().key));
  if (!own_ && !names_.empty()) level_ = system.acceleration();
}

std::span<const double> ReportedState::operator()(double t, std::span<const double> x) {
  if (!level_) return x;
  if (level_->solve(t, x, {})) return level_->consistent_state();
  if (!missed_) missed_at_ = t;
  missed_ = true;
  return x;
}

std::string ReportedState::note() const {
  if (own_)
    return fmt::format(
        "the algebraic states ({}) are the method's own: their order is lower than that of the others, and they need "
        "not "
        "satisfy the algebraic equations",
        fmt::join(names_, ", "));
  if (!missed_) return "";
  return fmt::format(
      "the algebraic equations and their first derivatives do not determine the algebraic states ({}) at t = {:.10g} "
      "(index above 2, or E is singular without zero rows and columns): the method's own values are reported, whose "
      "order "
      "may be lower",
      fmt::join(names_, ", "), missed_at_);
}

}  // namespace rattleback
