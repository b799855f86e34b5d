#include "run/dense.hpp"

#include <algorithm>
#include <cmath>

#include "system/angles.hpp"
#include "tableau/tableau.hpp"

namespace rattleback {
namespace {

constexpr std::int32_t kStart = -1, kEnd = -2;
constexpr int kHermiteMechanical = 4, kHermiteDae = 3;  // stages of at least this order are as good as Hermite's ends

// The nodes of the stage polynomial, ascending; empty when two of them are too close to each other.
std::vector<std::pair<double, std::int32_t>> stage_nodes(const std::vector<double>& c) {
  std::vector<std::pair<double, std::int32_t>> nodes = {{0.0, kStart}, {1.0, kEnd}};
  for (std::size_t j = 0; j < c.size(); ++j)
    if (std::fabs(c[j]) > 1e-9 && std::fabs(c[j] - 1.0) > 1e-9) nodes.emplace_back(c[j], static_cast<std::int32_t>(j));
  std::sort(nodes.begin(), nodes.end());
  for (std::size_t i = 1; i < nodes.size(); ++i)
    if (nodes[i].first - nodes[i - 1].first < 1e-4) return {};
  return nodes;
}

}  // namespace

DenseStep::DenseStep(const System& system, const BoundMethod& method, Again again)
    : mechanical_(system.facts().primed),
      use_rates_(!method.two_step),
      acceleration_(system.acceleration()),
      again_(std::move(again)),
      extension_at_(method.extension),
      records_by_extension_(method.records_by_extension) {
  if (extension_at_) extension_ = dormand_prince_extension();
  algebraic_ = system.algebraic_states();
  if (std::find(algebraic_.begin(), algebraic_.end(), 1) == algebraic_.end()) algebraic_.clear();
  pieces_.resize(2);
  if (method.stage.c.empty() || method.stage.order < (mechanical_ ? kHermiteMechanical : kHermiteDae)) return;
  for (const auto& [c, stage] : stage_nodes(method.stage.c)) {
    nodes_.push_back(c);
    stage_of_node_.push_back(stage);
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    double product = 1.0;
    for (std::size_t j = 0; j < nodes_.size(); ++j)
      if (j != i) product *= 2.0 * (nodes_[i] - nodes_[j]);  // the factor 2 keeps it of moderate size
    weights_.push_back(1.0 / product);
  }
  // Exact for the integral of the velocity's polynomial.
  const Tableau rule = gauss(std::max(1, static_cast<int>(nodes_.size() + 1) / 2));
  quadrature_c_ = rule.c;
  quadrature_b_ = rule.b;
}

void DenseStep::take(End& end, const StepTaker& s) {
  end.t = s.t();
  end.q.assign(s.q().begin(), s.q().end());
  end.v.assign(s.v().begin(), s.v().end());
  end.turns.assign(s.turns().begin(), s.turns().end());
  end.multipliers.assign(s.multiplier_guess().begin(), s.multiplier_guess().end());
  end.set = s.constraint_set();
  end.rate.clear();
  end.rate_fails = false;
}

// Systems with unilateral constraints have no snapshots; all that their next step depends on serves as well.
void DenseStep::look_back(const StepTaker& s, std::vector<double>& snapshot) const {
  if (s.snapshot_size() == 0) {
    snapshot = s.save();
    return;
  }
  snapshot.resize(s.snapshot_size());
  s.take_snapshot(snapshot);
}

void DenseStep::begin(const StepTaker& s) {
  take(start_, s);
  look_back(s, next_snapshot_);
  count_ = 0;
}

void DenseStep::piece(const StepTaker& s) {
  Piece& p = pieces_[count_];
  p.from = count_ == 0 ? start_ : pieces_[count_ - 1].to;
  p.snapshot = next_snapshot_;
  look_back(s, next_snapshot_);
  take(p.to, s);
  p.to_q = p.to.q;
  for (std::size_t i = 0; i < p.to.turns.size(); ++i) p.to_q[i] = turned(p.to_q[i], p.to.turns[i] - p.from.turns[i]);
  p.stages.assign(s.stage_values().begin(), s.stage_values().end());
  ++count_;
}

const StepTaker* DenseStep::step_by(double elapsed) {
  std::size_t i = 0;
  while (i + 1 < count_ && std::fabs(elapsed) > std::fabs(pieces_[i].to.t - t0())) ++i;
  const Piece& p = pieces_[i];
  if (!trial_) trial_ = again_();
  if (trial_->snapshot_size() == 0)
    trial_->load(p.snapshot);
  else
    trial_->set_snapshot(p.from.t, p.snapshot, false);
  return elapsed == 0.0 || trial_->advance(elapsed - (p.from.t - t0()), 1).ok ? trial_.get() : nullptr;
}

bool DenseStep::rate(End& end) {
  if (!end.rate.empty()) return true;
  if (end.rate_fails || !use_rates_) return false;
  acceleration_->use_set(end.set);
  acceleration_->set_guess(end.multipliers);
  if (!acceleration_->solve(end.t, end.q, end.v)) {
    end.rate_fails = true;
    return false;
  }
  end.rate.assign(acceleration_->acceleration().begin(), acceleration_->acceleration().end());
  return true;
}

void DenseStep::at(double t, std::vector<double>& q, std::vector<double>& v) {
  std::size_t i = 0;
  const double sign = t1() < t0() ? -1.0 : 1.0;
  while (i + 1 < count_ && sign * (t - pieces_[i].to.t) > 0.0) ++i;
  Piece& p = pieces_[i];
  const End* end = t == p.from.t ? &p.from : t == p.to.t ? &p.to : nullptr;
  turns_ = end != nullptr ? &end->turns : &p.from.turns;
  if (end != nullptr) {
    q = end->q;
    v = end->v;
    return;
  }
  const double theta = (t - p.from.t) / (p.to.t - p.from.t);
  if (extension_at_)
    extension(p, theta, q, v);
  else if (nodes_.empty() || p.stages.empty())
    hermite(p, theta, q, v);
  else
    through_stages(p, theta, q, v);
}

void DenseStep::interpolate(const Piece& p, double theta, double factor, std::vector<double>& out) const {
  const std::size_t n = out.size();
  const auto values = [&](std::size_t i) {
    const std::int32_t stage = stage_of_node_[i];
    if (stage == kStart) return (mechanical_ ? p.from.v : p.from.q).data();
    if (stage == kEnd) return (mechanical_ ? p.to.v : p.to_q).data();
    return p.stages.data() + static_cast<std::size_t>(stage) * n;
  };
  double below = 0.0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (theta == nodes_[i]) {
      const double* const x = values(i);
      for (std::size_t k = 0; k < n; ++k) out[k] += factor * x[k];
      return;
    }
    below += weights_[i] / (theta - nodes_[i]);
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const double* const x = values(i);
    const double share = factor * (weights_[i] / (theta - nodes_[i])) / below;
    for (std::size_t k = 0; k < n; ++k) out[k] += share * x[k];
  }
}

void DenseStep::through_stages(const Piece& p, double theta, std::vector<double>& q, std::vector<double>& v) {
  const std::size_t n = p.from.q.size();
  const double h = p.to.t - p.from.t;
  if (!mechanical_) {
    q.assign(n, 0.0);
    v.clear();
    interpolate(p, theta, 1.0, q);
    return;
  }
  v.assign(n, 0.0);
  interpolate(p, theta, 1.0, v);
  const auto integral = [&](double to, std::vector<double>& out) {
    out.assign(n, 0.0);
    for (std::size_t i = 0; i < quadrature_c_.size(); ++i)
      interpolate(p, to * quadrature_c_[i], h * to * quadrature_b_[i], out);
  };
  integral(theta, q);
  integral(1.0, whole_);
  const double share = theta * theta * (3.0 - 2.0 * theta);
  for (std::size_t k = 0; k < n; ++k) q[k] = p.from.q[k] + (q[k] + share * ((p.to_q[k] - p.from.q[k]) - whole_[k]));
}

void DenseStep::extension(const Piece& p, double theta, std::vector<double>& q, std::vector<double>& v) {
  const std::size_t n = p.from.q.size();
  const double h = p.to.t - p.from.t;
  extension_.weights(theta, extension_b_);
  const auto moved = [&](const std::vector<double>& from, const double* rates, std::vector<double>& to) {
    to.assign(n, 0.0);
    for (std::size_t j = 0; j < extension_b_.size(); ++j)
      for (std::size_t k = 0; k < n; ++k) to[k] += extension_b_[j] * rates[j * n + k];
    for (std::size_t k = 0; k < n; ++k) to[k] = from[k] + h * to[k];
  };
  const double* const velocities = p.stages.data() + *extension_at_;
  moved(p.from.q, velocities, q);
  moved(p.from.v, velocities + extension_b_.size() * n, v);
}

void DenseStep::hermite(Piece& p, double x, std::vector<double>& q, std::vector<double>& v) {
  const std::size_t n = p.from.q.size();
  const double h = p.to.t - p.from.t, y = 1.0 - x;
  const bool rates = rate(p.from) && rate(p.to);
  q.resize(n);
  v.resize(mechanical_ ? n : 0);
  // Values and slopes (in units of x) of the Hermite functions of the start; those of the end are mirrored.
  if (mechanical_ && rates) {
    const double x2 = x * x, y2 = y * y, x3 = x2 * x, y3 = y2 * y;
    const double one = x3 * (10.0 - 15.0 * x + 6.0 * x2), slope0 = y3 * x * (1.0 + 3.0 * x),
                 slope1 = -x3 * y * (1.0 + 3.0 * y);
    const double bend0 = 0.5 * x2 * y3, bend1 = 0.5 * x3 * y2;
    const double d_one = 30.0 * x2 * y2, d_slope0 = y2 * (1.0 + 5.0 * x) * (1.0 - 3.0 * x);
    const double d_slope1 = x2 * (1.0 + 5.0 * y) * (1.0 - 3.0 * y);
    const double d_bend0 = 0.5 * x * y2 * (2.0 - 5.0 * x), d_bend1 = -0.5 * x2 * y * (2.0 - 5.0 * y);
    for (std::size_t k = 0; k < n; ++k) {
      const double change = p.to_q[k] - p.from.q[k];
      q[k] = p.from.q[k] + one * change + h * (slope0 * p.from.v[k] + slope1 * p.to.v[k]) +
             h * h * (bend0 * p.from.rate[k] + bend1 * p.to.rate[k]);
      v[k] = d_one * change / h + d_slope0 * p.from.v[k] + d_slope1 * p.to.v[k] +
             h * (d_bend0 * p.from.rate[k] + d_bend1 * p.to.rate[k]);
    }
    return;
  }
  const double one = x * x * (3.0 - 2.0 * x), slope0 = x * y * y, slope1 = -x * x * y;
  for (std::size_t k = 0; k < n; ++k) {
    const double change = p.to_q[k] - p.from.q[k];
    double d0 = 0.0, d1 = 0.0;  // slopes at the ends
    if (mechanical_) {
      d0 = p.from.v[k];
      d1 = p.to.v[k];
      v[k] = 6.0 * x * y * change / h + y * (1.0 - 3.0 * x) * d0 + x * (1.0 - 3.0 * y) * d1;
    } else if (rates && (algebraic_.empty() || algebraic_[k] == 0)) {
      d0 = p.from.rate[k];
      d1 = p.to.rate[k];
    } else {
      d0 = d1 = change / h;
    }
    q[k] = p.from.q[k] + one * change + h * (slope0 * d0 + slope1 * d1);
  }
}

}  // namespace rattleback
