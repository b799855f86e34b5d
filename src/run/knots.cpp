#include "run/knots.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "expr/evaluator.hpp"
#include "expr/rounding.hpp"
#include "expr/spaces.hpp"
#include "expr/traverse.hpp"
#include "method/registry.hpp"
#include "model/written.hpp"

namespace rattleback {
namespace {

constexpr double kUlps = 8.0;         // from a moment to a side of it
constexpr double kRounding = 1e-12;   // of the time: two moments so near are one
constexpr double kSameSlope = 1e-13;  // relative: no kink
constexpr int kSpline = 4;            // the highest order that `cubic` data leave

struct Use {
  const front::DataTable* table = nullptr;
  bool of_time = false;  // its argument is offset + rate t
  double offset = 0.0, rate = 1.0;
};

bool matters(front::Interpolate how, int order) { return how != front::Interpolate::cubic || order > kSpline; }

// The argument of each table where a model uses it.
std::vector<Use> uses_of(const Model& model) {
  std::vector<Use> out;
  if (!model.written || !model.written->text) return out;
  const Graph& g = *model.graph;
  for (const front::DataUse& use : model.written->text->data_uses) {
    const auto depends = [&](Space space) { return depends_on(g, std::span(&use.at, 1), space); };
    if (use.table->at.size() < 2 || g[use.at].op == Op::constant) continue;
    Use found{.table = use.table.get()};
    if (!depends(kPosition) && !depends(kVelocity) && !depends(kMultiplier) && !depends(kAcceleration)) {
      const std::int32_t n = std::max(model.coordinates.size(), model.odae.velocities.size());
      Evaluator at(g, std::span(&use.at, 1), n, model.multiplier_count(), n);
      const std::vector<double> none(static_cast<std::size_t>(n), 0.0);
      const auto value = [&](double t) { return at(t, none, none)[0]; };
      found.offset = value(0.0);
      found.rate = value(1.0) - found.offset;
      const double far = value(7.0) - found.offset;  // a straight line?
      found.of_time = found.rate != 0.0 && std::fabs(far - 7.0 * found.rate) <= 1e-12 * std::fabs(far);
    }
    out.push_back(found);
  }
  return out;
}

// The points at which something changes, by their number.
std::vector<std::size_t> changes(const front::DataTable& table) {
  const std::vector<double>&x = table.at, &y = table.value;
  std::vector<std::size_t> out;
  const auto slope = [&](std::size_t i) { return (y[i + 1] - y[i]) / (x[i + 1] - x[i]); };
  const std::size_t last = x.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const bool at_end = i == 0 || i == last;
    switch (table.how) {
      case front::Interpolate::hold:
        if (i > 0 && y[i] != y[i - 1]) out.push_back(i);
        break;
      case front::Interpolate::linear: {
        if (at_end && table.refuses) break;
        const double left = i == 0 ? 0.0 : slope(i - 1), right = i == last ? 0.0 : slope(i);
        if (std::fabs(right - left) > kSameSlope * std::fmax(std::fabs(left), std::fabs(right))) out.push_back(i);
        break;
      }
      case front::Interpolate::cubic:
        if (at_end ? !table.refuses : i > 1 && i + 1 < last) out.push_back(i);
        break;
    }
  }
  return out;
}

double room_at(double t, double h) { return kRounding * (std::fabs(t) + std::fabs(h)); }

const char* what_happens(front::Interpolate how) {
  switch (how) {
    case front::Interpolate::hold: return "jumps";
    case front::Interpolate::linear: return "kinks";
    case front::Interpolate::cubic: break;
  }
  return "jumps of the third derivative";
}

}  // namespace

double Knots::Knot::before(double h) const { return at - spread - kUlps * kUlp * (std::fabs(at) + std::fabs(h)); }

Knots::Knots(const Model& model, int order) {
  for (const Use& use : uses_of(model)) {
    if (!use.of_time || !matters(use.table->how, order)) continue;
    for (const std::size_t i : changes(*use.table)) {
      const double t = (use.table->at[i] - use.offset) / use.rate;
      const bool is_time = use.offset == 0.0 && use.rate == 1.0;
      const double spread = is_time ? 0.0 : kUlps * kUlp * (std::fabs(t) + std::fabs(use.offset / use.rate));
      list_.push_back({t, spread, use.table->how == front::Interpolate::hold});
    }
  }
  std::sort(list_.begin(), list_.end(), [](const Knot& a, const Knot& b) { return a.at < b.at; });
  std::vector<Knot> apart;
  for (const Knot& knot : list_) {
    if (!apart.empty() && knot.at - apart.back().at <= room_at(knot.at, 0.0)) {
      Knot& one = apart.back();
      one.spread = std::fmax(one.spread, knot.spread + (knot.at - one.at));
      one.jumps = one.jumps || knot.jumps;
    } else {
      apart.push_back(knot);
    }
  }
  list_ = std::move(apart);
}

const Knots::Knot* Knots::next(double t, double end) const {
  const double way = end < t ? -1.0 : 1.0, room = room_at(t, std::isfinite(end) ? end - t : 0.0);
  const auto first =
      way > 0.0
          ? std::upper_bound(list_.begin(), list_.end(), t + room, [](double x, const Knot& k) { return x < k.at; })
          : std::lower_bound(list_.begin(), list_.end(), t - room, [](const Knot& k, double x) { return k.at < x; });
  if (first == (way > 0.0 ? list_.end() : list_.begin())) return nullptr;
  const Knot* const knot = way > 0.0 ? &*first : &*(first - 1);
  const double left = way * (end - knot->at);
  return left > room || (knot->jumps && left >= -room) ? knot : nullptr;
}

const Knots::Knot* Knots::here(double t, double h) const {
  const double room = room_at(t, h);
  const auto at =
      std::lower_bound(list_.begin(), list_.end(), t - room, [](const Knot& k, double x) { return k.at < x; });
  return at != list_.end() && at->at <= t + room && at->jumps ? &*at : nullptr;
}

bool may_have_knots(const Model& model, const Options& options) {
  const std::vector<Use> uses = uses_of(model);
  if (uses.empty()) return false;
  int order = kSpline + 1;
  if (options.tableau.empty() && options.compose == 0) {
    const MethodInfo& info = find_entry(options.method).info;
    if (info.order != nullptr) order = info.order(options.stages);
  }
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.of_time && matters(use.table->how, order) && !changes(*use.table).empty();
  });
}

std::string why_no_knots(const BoundMethod& method, const Options& options) {
  const std::string times = "Take a step of which the times of the data are multiples, or ";
  if (method.two_step)
    return fmt::format("steps of '{}', a two-step method, cannot end there. {}a one-step method", method.name, times);
  if (method.adaptive || method.contacts || method.stepper->snapshot_size() == 0)
    return fmt::format("steps of '{}' do not end there. {}another --method", method.name, times);
  if (options.compose != 0)
    return "parts of composed steps go beyond their ends, so it does not help to end steps there. Take a method that "
           "has "
           "its order without --compose";
  if (options.adaptive > 0.0 && options.controller == Controller::reversible)
    return "--controller reversible chooses its steps from those before, which do not end there. Use --controller pi";
  return "";
}

std::string knots_note(const Model& model, const BoundMethod& method, const Options& options, double until, double h) {
  const std::string reason = why_no_knots(method, options);
  for (const Use& use : uses_of(model)) {
    const front::DataTable& table = *use.table;
    if (!matters(table.how, method.order())) continue;
    const std::vector<std::size_t> list = changes(table);
    if (list.empty()) continue;
    if (!use.of_time)
      return fmt::format(
          "{} has {} where its argument passes its points. Steps do not end there, so that the method does not have "
          "its "
          "order",
          table.what, what_happens(table.how));
    if (reason.empty()) continue;
    for (const std::size_t i : list) {
      const double knot = (table.at[i] - use.offset) / use.rate;
      if (knot <= std::fmin(options.from, until) || knot >= std::fmax(options.from, until)) continue;
      const double steps = h != 0.0 ? (knot - options.from) / h : 0.5;
      if (options.compose == 0 && std::fabs(steps - std::round(steps)) <= 1e-9 * std::fabs(steps) + 1e-12) continue;
      return fmt::format(
          "{} has {} within the steps, first at t = {:.10g}: there the method does not have its order, and {}",
          table.what, what_happens(table.how), knot, reason);
    }
  }
  return "";
}

}  // namespace rattleback
