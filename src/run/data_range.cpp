#include "run/data_range.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/written.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

constexpr double kRounding = 1e-9;  // of the length of a table

}  // namespace

DataRange::DataRange(const System& system) {
  const Model& model = system.model();
  if (!model.written || !model.written->text) return;
  uses_ = model.written->text->data_uses;
  if (uses_.empty()) return;
  std::vector<NodeId> nodes;
  for (const front::DataUse& use : uses_) {
    nodes.push_back(use.at);
    const Node& n = (*model.graph)[use.at];
    of_time_.push_back(n.op == Op::variable && n.space == kTime ? 1 : 0);
  }
  at_.emplace(*model.graph, nodes, system.n(), system.m(), system.n());
}

void DataRange::check(double from, double until) const {
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const front::DataTable& table = *uses_[i].table;
    if (of_time_[i] == 0 || !table.refuses || table.at.size() < 2) continue;
    const double first = table.at.front(), last = table.at.back(), room = kRounding * (last - first);
    if (std::min(from, until) >= first - room && std::max(from, until) <= last + room) continue;
    throw Error(
        fmt::format("{}: its data reach from t = {:.10g} to {:.10g}, and the run from {:.10g} to {:.10g}. Give outside "
                    "= \"hold\" in "
                    "the model, or another --until",
                    table.what, first, last, from, until));
  }
}

std::string DataRange::fault(double t, std::span<const double> q, std::span<const double> v,
                             std::span<const double> multipliers) {
  if (!at_) return "";
  const std::span<const double> at = (*at_)(t, q, v, multipliers);
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const front::DataTable& table = *uses_[i].table;
    if (!table.refuses || table.at.size() < 2) continue;
    const double first = table.at.front(), last = table.at.back(), room = kRounding * (last - first);
    if (at[i] >= first - room && at[i] <= last + room) continue;
    return fmt::format("{} was asked at {:.10g}, and its data reach from {:.10g} to {:.10g}", table.what, at[i], first,
                       last);
  }
  return "";
}

}  // namespace rattleback
