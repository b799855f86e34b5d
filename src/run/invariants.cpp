#include "run/invariants.hpp"

#include <cmath>

#include "expr/terms.hpp"

namespace rattleback {

Invariants::Invariants(const System& system, const KeptQuantities& kept) : names_(kept.names) {
  if (kept.nodes.empty()) return;
  std::vector<NodeId> nodes = kept.nodes;
  for (const NodeId root : kept.nodes) {
    collect_terms(kept.graph, root, nodes);
    ends_.push_back(nodes.size());
  }
  values_.emplace(kept.graph, nodes, system.n(), system.m());
  seen_.resize(kept.nodes.size());
}

void Invariants::see(double t, std::span<const double> q, std::span<const double> v) {
  if (is_empty()) return;
  const std::span<const double> values = (*values_)(t, q, v);
  for (std::size_t i = 0, k = seen_.size(); i < seen_.size(); ++i) {
    seen_[i].see(t, values[i], 0.0, 0.0);
    for (; k < ends_[i]; ++k) seen_[i].see_kinetic(std::fabs(values[k]));  // the largest of what is added up in it
  }
}

std::vector<InvariantAudit> Invariants::audit() const {
  std::vector<InvariantAudit> out;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const Monitor& m = seen_[i];
    out.push_back(
        {names_[i], m.initial_energy(), m.final_energy(), m.max_energy_error, m.energy_drift(), m.max_kinetic});
  }
  return out;
}

void Invariants::save(std::vector<double>& to) const {
  for (const Monitor& m : seen_) {
    const std::vector<double> numbers = m.save();
    to.insert(to.end(), numbers.begin(), numbers.end());
  }
}

void Invariants::load(std::span<const double> from) {
  const std::size_t each = Monitor().save().size();
  for (std::size_t i = 0; i < seen_.size(); ++i) seen_[i].load(from.subspan(i * each, each));
}

}  // namespace rattleback
