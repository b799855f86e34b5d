#include "simulate/redundant.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rattleback/error.hpp"
#include "solve/decompositions.hpp"

namespace rattleback {
namespace {

// The rows `kept` of a vector function whose rows are numbered from `first` on; renumbered from 0.
Entries rows_of(const Entries& all, const std::vector<std::int32_t>& kept, std::int32_t first) {
  Entries out;
  for (const Entry& e : all) {
    if (e.count != 0) throw NeedsUnrolling();
    const auto at = std::find(kept.begin(), kept.end(), first + e.row.base);
    if (at == kept.end()) continue;
    Entry copy = e;
    copy.row.base = static_cast<std::int32_t>(at - kept.begin());
    out.push_back(copy);
  }
  return out;
}

}  // namespace

Reduction::Reduction(const Model& model, const Options& options) : whole_(&model) {
  if (options.redundant != "minimum-norm" || model.kind != Kind::mechanical) return;
  System system(model);
  const StartAnalysis a = [&] {
    std::vector<double> q = model.q0, v = model.v0;
    if (options.project || model.project) project_start(system, q, v);
    return analyse_start(system, q, v, model.z0);
  }();
  if (a.redundant.empty() || !a.vanishing.empty() || !a.not_finite.empty()) return;
  if (system.has_families())
    throw Error(fmt::format(
        "--redundant minimum-norm works on single constraints, and '{}' has families of more than {} members. "
        "Remove what is redundant",
        model.key, kLargestFamily));
  if (system.multiplier_forces())
    throw Error(
        fmt::format("--redundant minimum-norm: '{}' {} from the other constraints, and a force contains lambda(...), "
                    "which is then not determined. Remove what is redundant",
                    fmt::join(a.redundant, "', '"), a.redundant.size() == 1 ? "follows" : "follow"));
  dropped_ = a.redundant;
  Model& reduced = reduced_.emplace(model);
  reduced.holonomic_names = reduced.nonholonomic_names = {};
  const std::int32_t holonomic = model.holonomic_names.size();
  for (std::int32_t i = 0; i < model.multiplier_count(); ++i) {
    const std::string name = model.multiplier_name(i);
    if (std::find(dropped_.begin(), dropped_.end(), name) != dropped_.end()) continue;
    kept_.push_back(i);
    (i < holonomic ? reduced.holonomic_names : reduced.nonholonomic_names).add(name);
  }
  std::vector<std::int32_t> of_g, of_k;
  for (const std::int32_t i : kept_) (i < holonomic ? of_g : of_k).push_back(i);
  reduced.holonomic = rows_of(model.holonomic, of_g, 0);
  reduced.nonholonomic = rows_of(model.nonholonomic, of_k, holonomic);
  watched_.emplace(model);
}

void Reduction::check_start(const Start& start) const {
  if (!watched_) return;
  for (const ConstraintResidual& r : analyse_start(*watched_, start.q, start.v).residuals)
    if (!(r.relative <= kStartTolerance))
      throw Error(
          fmt::format("--redundant minimum-norm: '{}' depends on the other constraints at the start, but contradicts "
                      "them: residual {:.3e} at {} level. Correct or remove it",
                      r.name, r.value, r.position ? "position" : "velocity"));
}

std::vector<std::string> Reduction::notes() const {
  if (!active()) return {};
  return {fmt::format(
      "'{}' {} from the other constraints: integrated without {}; of the multipliers, which are not "
      "unique, those of minimum norm are reported",
      fmt::join(dropped_, "', '"), dropped_.size() == 1 ? "follows" : "follow", dropped_.size() == 1 ? "it" : "them")};
}

Multipliers::Multipliers(const System& integrated, Reduction& reduction)
    : acceleration_(integrated.acceleration()),
      n_(static_cast<std::size_t>(integrated.n())),
      count_(static_cast<std::size_t>(integrated.m())) {
  if (!reduction.active()) return;
  const Mechanical& f = reduction.watched().mechanical();
  kept_ = reduction.kept();
  count_ = static_cast<std::size_t>(f.m);
  all_.resize(count_);
  std::vector<NodeId> nodes;
  for (const auto& row : f.K) nodes.insert(nodes.end(), row.begin(), row.end());
  K_.emplace(f.graph, nodes, f.n, f.m);
}

bool Multipliers::solve(double t, std::span<const double> q, std::span<const double> v) {
  if (!acceleration_->solve(t, q, v)) return false;
  if (!K_) return true;
  const auto rows = static_cast<Eigen::Index>(count_), columns = static_cast<Eigen::Index>(n_);
  const Eigen::Map<const linalg::RowMajorXd> K((*K_)(t, q, v).data(), rows, columns);
  Eigen::VectorXd reaction = Eigen::VectorXd::Zero(columns);
  for (std::size_t i = 0; i < kept_.size(); ++i)
    reaction += acceleration_->multipliers()[i] * K.row(kept_[i]).transpose();
  Eigen::Map<Eigen::VectorXd>(all_.data(), rows) = linalg::least_norm_solution(K.transpose(), reaction, 1e-10);
  return true;
}

}  // namespace rattleback
