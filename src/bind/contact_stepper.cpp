#include "bind/contact_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "bind/part_parameters.hpp"
#include "engine/saved_state.hpp"
#include "expr/vectors.hpp"
#include "rattleback/error.hpp"
#include "system/point.hpp"

namespace rattleback {
namespace {

constexpr std::size_t kKeptContacts = 100'000;
constexpr int kMostChanges = 10'000;      // of the regime in one step
constexpr std::size_t kMostPrepared = 3;  // unilateral constraints all of whose regimes are made before the run
constexpr double kShortestFlight = 1e-3;  // after an impact, in steps
constexpr double kInfinite = 0x1p400;     // s in lim r(y, z, s e)/s: its square is still finite
constexpr double kEps = 0x1p-52;

std::vector<NodeId> levels(Overdetermined& o) {
  std::vector<NodeId> out = o.g;
  out.insert(out.end(), o.k.begin(), o.k.end());
  // Sum_i |dg/dy_i y_i| and sum_i |dg/dy_i v_i|: rounding errors of g after a step are some units in the last place of the
  // first, plus h times the second.
  std::vector<NodeId> paths;
  Graph& g = o.graph;
  for (const NodeId c : o.g) {
    NodeId size = g.zero(), path = g.zero();
    for (const Entry& e : gradient(g, c, kPosition)) {
      size = g.add(size, g.unary(Op::abs, g.mul(e.expr, g.variable(kPosition, e.row.base))));
      path = g.add(path, g.unary(Op::abs, g.mul(e.expr, o.v[static_cast<std::size_t>(e.row.base)])));
    }
    out.push_back(size);
    paths.push_back(path);
  }
  out.insert(out.end(), paths.begin(), paths.end());
  return out;
}

// dk/dt with z' in the place of the multipliers.
std::vector<NodeId> normal_accelerations(Overdetermined& o) {
  std::vector<NodeId> rate, out;
  for (std::int32_t i = 0; i < o.nz; ++i) rate.push_back(o.graph.variable(kMultiplier, i));
  for (const NodeId k : o.k) out.push_back(o.along(k, o.v, rate));
  return out;
}

// k(y, z1) = wanted with z1 = z + sum_j D_j P_j, of momenta p(y, z1) = p(y, z) + sum_j D_j P_j: unknowns P, and then z1; inputs D
// (kCarried, one vector after the other) and wanted (kMultiplier).
Equations impact_equations(const Overdetermined& system) {
  Overdetermined o = system;
  Equations eq;
  eq.graph = std::move(o.graph);
  Graph& g = eq.graph;
  eq.inputs = {{kTime, 1}, {kPosition, o.ny}, {kVelocity, o.nz}, {kMultiplier, o.m}, {kCarried, o.m * o.nz}};
  std::vector<NodeId> y, z, momentum;
  for (std::int32_t i = 0; i < o.ny; ++i) y.push_back(g.variable(kPosition, i));
  for (std::int32_t i = 0; i < o.nz; ++i) {
    NodeId sum = g.variable(kVelocity, i);
    for (std::int32_t j = 0; j < o.m; ++j)
      sum = g.add(sum, g.mul(g.variable(kCarried, j * o.nz + i), g.variable(kUnknown, j)));
    z.push_back(sum);
  }
  if (!o.p.empty()) {
    const std::vector<NodeId> fresh = variables(g, kUnknown, o.m, o.nz);
    Point at(g, g.variable(kTime, 0), y, fresh);
    for (std::size_t i = 0; i < fresh.size(); ++i)  // z holds z + the push of each momentum
      momentum.push_back(
          g.sub(g.sub(at(o.p[i]), o.p[i]), g.sub(z[i], g.variable(kVelocity, static_cast<std::int32_t>(i)))));
    z = fresh;
  }
  Point after(g, g.variable(kTime, 0), y, z);
  for (std::int32_t c = 0; c < o.m; ++c) {
    eq.residuals.push_back(g.sub(after(o.k[static_cast<std::size_t>(c)]), g.variable(kMultiplier, c)));
    eq.scales.push_back(Equations::Scale::state);
    eq.guesses.push_back(g.zero());
  }
  for (std::size_t i = 0; i < momentum.size(); ++i) {
    eq.residuals.push_back(momentum[i]);
    eq.scales.push_back(Equations::Scale::state);
    eq.guesses.push_back(g.variable(kVelocity, static_cast<std::int32_t>(i)));
  }
  eq.results = z;
  for (std::int32_t j = 0; j < o.m; ++j) eq.results.push_back(g.variable(kUnknown, j));
  return eq;
}

void copy(std::span<const double> from, std::vector<double>& to) { std::copy(from.begin(), from.end(), to.begin()); }

}  // namespace

ContactStepper::ContactStepper(const Overdetermined& system, const OdaeParts& parts, const EulerPlan& plan)
    : whole_(system),
      plan_(plan),
      one_sided_(static_cast<std::size_t>(system.m), 0),
      restitution_(parts.restitution),
      levels_([&] {
        const std::vector<NodeId> f = levels(whole_);
        return Evaluator(whole_.graph, f, std::max(system.ny, system.nz), system.m);
      }()),
      reaction_(whole_.graph, whole_.r, std::max(system.ny, system.nz), system.m),
      normal_([&] {
        const std::vector<NodeId> f = normal_accelerations(whole_);
        return Evaluator(whole_.graph, f, std::max(system.ny, system.nz), system.nz);
      }()),
      ny_(static_cast<std::size_t>(system.ny)),
      nz_(static_cast<std::size_t>(system.nz)),
      m_(static_cast<std::size_t>(system.m)),
      armed_(m_, 0),
      watched_(m_, 0),
      armed_step_(m_, 0),
      psi_(m_, 0.0),
      y_(ny_),
      z_(nz_),
      push_(m_),
      y_part_(ny_),
      z_part_(nz_),
      y_step_(ny_),
      z_step_(nz_),
      psi_step_(m_) {
  for (const std::int32_t c : parts.unilateral) one_sided_[static_cast<std::size_t>(c)] = 1;
  for (Signs* s : {&before_, &after_, &trial_})
    for (auto* list : {&s->g, &s->k, &s->room, &s->psi}) list->assign(m_, 0.0);
  contacts_.reserve(64);
  if (parts.unilateral.size() <= kMostPrepared) prepare(parts.unilateral);
}

void ContactStepper::prepare(const std::vector<std::int32_t>& unilateral) {
  for (std::size_t set = 0; set < std::size_t{1} << unilateral.size(); ++set) {
    std::vector<char> active(m_, 1);
    for (std::size_t k = 0; k < unilateral.size(); ++k)
      active[static_cast<std::size_t>(unilateral[k])] = (set >> k & 1) != 0 ? 1 : 0;
    try {
      (void)regime(active);
    } catch (const Error&) {  // such constraints cannot act together; a run that comes there says so
    }
  }
}

ContactStepper::Regime& ContactStepper::regime(const std::vector<char>& active) {
  for (const auto& r : regimes_)
    if (r->active == active) return *r;
  auto fresh = std::make_unique<Regime>();
  fresh->active = active;
  for (std::size_t c = 0; c < m_; ++c)
    if (active[c] != 0) fresh->rows.push_back(static_cast<std::int32_t>(c));
  if (!parameters_.empty() && !whole_.graph.set_parameters(parameters_, {}))
    throw Error("with these parameters the constraints that act would have to be derived anew");
  const Overdetermined part = whole_.restricted(fresh->rows);
  const auto level = std::make_shared<const AccelerationPlan>(part);
  fresh->stepper = euler_stepper(part, plan_, std::make_unique<Acceleration>(level));
  fresh->acceleration = std::make_unique<Acceleration>(level);
  if (!fresh->rows.empty()) {
    fresh->impact.emplace(impact_equations(part));
    fresh->w = fresh->impact->image();
  }
  fresh->psi.assign(fresh->rows.size(), 1.0);
  regimes_.push_back(std::move(fresh));
  return *regimes_.back();
}

bool ContactStepper::put_parameters(std::span<const double> values, std::optional<std::size_t> changed,
                                    bool keep_guesses) {
  for (const auto& r : regimes_) {
    if (!r->stepper->change_parameters(values, changed, keep_guesses) || !r->acceleration->set_parameters(values))
      return false;
    if (r->impact && !r->impact->parameters().set(values, r->w.data(), r->room)) return false;
  }
  for (Evaluator* const each : {&levels_, &reaction_, &normal_}) each->set_parameters(values);
  return true;
}

bool ContactStepper::change_parameters(std::span<const double> values, std::optional<std::size_t> changed,
                                       bool keep_guesses) {
  return put_in_all(parameters_, values, changed, [&](std::span<const double> x, std::optional<std::size_t> which) {
    return put_parameters(x, which, keep_guesses);
  });
}

void ContactStepper::renew(double multiplier_scale) {
  plan_.multiplier_scale = multiplier_scale;
  for (const auto& r : regimes_) {
    r->stepper->renew(multiplier_scale);
    r->acceleration = r->acceleration->fresh();
    if (r->impact) {
      r->w = r->impact->image();
      if (!r->room.numbers.empty()) r->impact->parameters().put(r->room.numbers, r->w.data());
    }
    r->psi.assign(r->rows.size(), 1.0);
  }
  iterations = failed_iterations = 0;
  max_iterations = 0;
  step_size_ = 0.0;
}

void ContactStepper::fail(const char* reason) {
  failure_ = {};
  failure_.ok = false;
  failure_.reason = reason;
}

void ContactStepper::note(double t, std::int32_t constraint, Contact::What what, double speed) {
  if (contacts_.size() < kKeptContacts) contacts_.push_back({t, constraint, what, speed});
}

void ContactStepper::look(double t, std::span<const double> y, std::span<const double> z, Signs& out) {
  const auto x = levels_(t, y, z);
  for (std::size_t c = 0; c < m_; ++c) {
    out.g[c] = x[c];
    out.k[c] = x[m_ + c];
    out.room[c] = 64.0 * kEps * (x[2 * m_ + c] + step_size_ * x[3 * m_ + c]);
  }
}

bool ContactStepper::multipliers(double t, Signs& out) {
  Regime& r = *regime_;
  std::fill(out.psi.begin(), out.psi.end(), 0.0);
  if (r.rows.empty()) return true;
  if (!solve_from(*r.acceleration, t, r.stepper->q(), r.stepper->v(), r.psi)) {
    failure_ = r.acceleration->report();
    return false;
  }
  copy(r.acceleration->multipliers(), r.psi);
  for (std::size_t i = 0; i < r.rows.size(); ++i) out.psi[static_cast<std::size_t>(r.rows[i])] = r.psi[i];
  return true;
}

// The state is in y_ and z_, the multipliers in psi_.
void ContactStepper::enter(double t, Regime& r) {
  regime_ = &r;
  r.psi.resize(r.rows.size());
  for (std::size_t i = 0; i < r.rows.size(); ++i) r.psi[i] = psi_[static_cast<std::size_t>(r.rows[i])];
  r.stepper->start(t, y_, z_, r.psi, {});
}

// Lets go of what would pull, and goes on with the rest. State in y_, z_.
bool ContactStepper::settle(double t, std::vector<char> candidates) {
  for (;;) {
    Regime& r = regime(candidates);
    if (!r.rows.empty() && !solve_from(*r.acceleration, t, y_, z_, r.psi)) {
      failure_ = r.acceleration->report();
      return false;
    }
    std::fill(psi_.begin(), psi_.end(), 0.0);
    std::size_t worst = m_;
    for (std::size_t i = 0; i < r.rows.size(); ++i) {
      const auto c = static_cast<std::size_t>(r.rows[i]);
      psi_[c] = r.acceleration->multipliers()[i];
      if (one_sided_[c] != 0 && psi_[c] < 0.0 && (worst == m_ || psi_[c] < psi_[worst])) worst = c;
    }
    if (worst == m_) {
      enter(t, r);
      return true;
    }
    candidates[worst] = 0;
    armed_[worst] = 0;
  }
}

void ContactStepper::start(double t, std::span<const double> q, std::span<const double> v,
                           std::span<const double> multipliers, std::span<const double> /*acceleration*/) {
  copy(q, y_);
  copy(v, z_);
  t_base_ = t;
  h_ = 0.0;
  count_ = 0;
  contacts_.clear();
  std::vector<char> candidates(m_, 1);
  look(t, y_, z_, before_);
  for (std::size_t c = 0; c < m_; ++c) {
    armed_[c] = 0;
    if (one_sided_[c] == 0) continue;
    // The start was examined: what has psi = 0 there is above the surface, or leaves it.
    candidates[c] = multipliers[c] > 0.0 ? 1 : 0;
    armed_[c] = before_.g[c] > before_.room[c] ? 1 : 0;
  }
  Regime& r = regime(candidates);
  for (std::size_t i = 0; i < r.rows.size(); ++i) r.psi[i] = multipliers[static_cast<std::size_t>(r.rows[i])];
  for (std::size_t c = 0; c < m_; ++c) {
    if (one_sided_[c] == 0) continue;
    std::vector<double> one(m_, 0.0);
    one[c] = kInfinite;
    for (const double x : reaction_(t, y_, z_, one))
      if (!std::isfinite(x / kInfinite) || std::fabs(x / kInfinite) > 1e30)
        throw Error(
            "the reaction of a unilateral constraint grows faster than its multiplier, so an impulse has no direction. "
            "Let r grow at most linearly in psi");
  }
  if (!settle(t, candidates))
    throw Error(std::string("the multipliers at the start cannot be determined: ") + failure_.reason);
}

// From the beginning of the part, so many units of time; signs at its end.
bool ContactStepper::try_part(double part, Signs& out) {
  Regime& r = *regime_;
  r.stepper->start(t_part_, y_part_, z_part_, r.psi, {});
  if (part > 0.0) {
    const AdvanceReport report = r.stepper->advance(part, 1);
    if (!report.ok) {
      failure_ = report.failure;
      return false;
    }
  }
  look(t_part_ + part, r.stepper->q(), r.stepper->v(), out);
  return multipliers(t_part_ + part, out);
}

ContactStepper::Trigger ContactStepper::least(const Signs& s) const {
  Trigger out{1.0, -1};
  for (std::size_t c = 0; c < m_; ++c) {
    if (one_sided_[c] == 0 || watched_[c] == 0) continue;
    const double value = regime_->active[c] != 0 ? s.psi[c] : s.g[c];
    if (out.constraint < 0 || value < out.value) out = {value, static_cast<std::int32_t>(c)};
  }
  return out;
}

// Does a constraint that is met and left within the part hide between its ends? Then the end moves to its lowest point.
bool ContactStepper::dips(double left, double& where, bool& moved) {
  for (std::size_t c = 0; c < m_; ++c) {
    if (one_sided_[c] == 0 || regime_->active[c] != 0 || armed_[c] == 0) continue;
    if (!(before_.k[c] < 0.0 && after_.k[c] > 0.0)) continue;
    double a = 0.0, b = left;
    moved = true;
    for (int i = 0; i < 60 && b - a > 1e-9 * left; ++i) {
      const double middle = 0.5 * (a + b);
      if (!try_part(middle, trial_)) return false;
      (trial_.k[c] < 0.0 ? a : b) = middle;
      if (trial_.g[c] < -trial_.room[c]) {
        where = middle;
        return true;
      }
    }
  }
  return true;
}

// The moment in [begin, end] where the first of the watched signs becomes negative; they are positive at `begin`.
bool ContactStepper::find(double left, double begin, double end, double& done, Trigger& what) {
  if (!try_part(end, trial_)) return false;
  double a = begin, b = end;
  what = least(trial_);
  double fb = what.value;
  if (!try_part(a, trial_)) return false;
  double fa = least(trial_).value;
  if (fa <= 0.0) what = least(trial_);
  // False position with halved weights of an end that stays (Illinois), and bisection where that is slow.
  if (what.constraint < 0) {
    fail("the constraints cannot be decided to act or not to act here");
    return false;
  }
  int side = 0;
  for (int i = 0; i < 200 && fa > 0.0 && b - a > kEps * left; ++i) {
    double x = i % 3 == 2 ? 0.5 * (a + b) : (a * fb - b * fa) / (fb - fa);
    if (!(x > a && x < b)) x = 0.5 * (a + b);
    if (!(x > a && x < b)) break;
    if (!try_part(x, trial_)) return false;
    const Trigger at = least(trial_);
    if (at.value > 0.0) {
      a = x;
      fa = at.value;
      if (side == 1) fb *= 0.5;
      side = 1;
    } else {
      b = x;
      fb = at.value;
      what = at;
      if (side == -1) fa *= 0.5;
      side = -1;
      if (fb == 0.0) {
        a = x;
        break;
      }
    }
  }
  done = a;
  return try_part(a, after_);
}

// The part as if the regime lasted: state and signs at its end.
bool ContactStepper::try_whole(double left) {
  Regime& r = *regime_;
  copy(r.stepper->q(), y_part_);
  copy(r.stepper->v(), z_part_);
  look(t_part_, y_part_, z_part_, before_);
  for (std::size_t c = 0; c < m_; ++c)
    if (r.active[c] == 0 && before_.g[c] > before_.room[c]) armed_[c] = 1;
  const AdvanceReport report = r.stepper->advance(left, 1);
  if (!report.ok) {
    failure_ = report.failure;
    return false;
  }
  const double t_end = t_part_ + left;
  look(t_end, r.stepper->q(), r.stepper->v(), after_);
  return multipliers(t_end, after_);
}

// A constraint that has just been left is violated at the end: was there a moment when it was clear of g = 0 and nothing else
// had happened? The search goes on from there.
bool ContactStepper::met_again(std::size_t c, double left, Ending& ending) {
  watched_[c] = 1;
  double clear = left, alone = 0.0;
  bool found = false;
  for (int i = 0; i < 40 && !found; ++i) {
    clear *= 0.5;
    if (!try_part(clear, trial_)) return false;
    if (!(trial_.g[c] > trial_.room[c])) continue;
    found = least(trial_).value > 0.0;
    alone = clear;
  }
  if (found) {
    ending.begin = std::fmax(ending.begin, clear);
  } else if (alone > 0.0) {  // something else comes first, hard on the start
    watched_[c] = 0;
    ending.end = std::fmin(ending.end, alone);
  } else {
    ending.at_once = true;
    ending.what = {-1.0, static_cast<std::int32_t>(c)};
  }
  if (ending.end <= ending.begin) ending.begin = 0.0;
  return true;
}

// Which constraints are watched, and has one of them changed its sign at the end of the part?
bool ContactStepper::watch(double left, Ending& ending) {
  for (std::size_t c = 0; c < m_; ++c) {
    if (one_sided_[c] == 0) continue;
    const bool active = regime_->active[c] != 0;
    watched_[c] = active || armed_[c] != 0 ? 1 : 0;
    const bool changed = active ? after_.psi[c] < 0.0 : after_.g[c] < -after_.room[c];
    ending.over = ending.over || changed;
    if (changed && !active && armed_[c] == 0 && !met_again(c, left, ending)) return false;
  }
  if (ending.over) return true;
  double where = left;
  bool moved = false;
  if (!dips(left, where, moved)) return false;
  if (where < left) {
    ending.over = true;
    ending.end = where;
    return true;
  }
  return !moved || try_part(left, after_);
}

// One part of a step, up to its end or to the next change of the regime.
bool ContactStepper::part(double left, double& done) {
  Ending ending{.end = left};
  if (!try_whole(left) || !watch(left, ending)) return false;
  if (!ending.over) {
    psi_ = after_.psi;
    done = left;
    return true;
  }
  if (ending.at_once) {
    done = 0.0;
    if (!try_part(0.0, after_)) return false;
  } else if (!find(left, ending.begin, ending.end, done, ending.what)) {
    return false;
  }
  t_part_ += done;
  return change(ending.what, step_size_);
}

bool ContactStepper::change(const Trigger& what, double h) {
  const auto c = static_cast<std::size_t>(what.constraint);
  copy(regime_->stepper->q(), y_);
  copy(regime_->stepper->v(), z_);
  psi_ = after_.psi;
  if (regime_->active[c] == 0) return meet(t_part_, what.constraint, h);
  note(t_part_, what.constraint, Contact::What::lift_off, after_.k[c]);
  std::vector<char> rest = regime_->active;
  rest[c] = 0;
  armed_[c] = 0;
  return settle(t_part_, std::move(rest));
}

// Velocity after impulses on the constraints of r: `speed` along g of one of them, 0 along the others. Into z_.
bool ContactStepper::impulses(Regime& r, double t, std::int32_t constraint, double speed) {
  const Plan& plan = *r.impact;
  double* const w = r.w.data();
  w[plan.slot(kTime)] = t;
  std::copy(y_.begin(), y_.end(), w + plan.slot(kPosition));
  std::copy(z_.begin(), z_.end(), w + plan.slot(kVelocity));
  for (std::size_t j = 0; j < r.rows.size(); ++j) {
    std::fill(push_.begin(), push_.end(), 0.0);
    push_[static_cast<std::size_t>(r.rows[j])] = kInfinite;
    const auto direction = reaction_(t, y_, z_, push_);
    for (std::size_t i = 0; i < nz_; ++i)
      w[static_cast<std::size_t>(plan.slot(kCarried)) + j * nz_ + i] = direction[i] / kInfinite;
    w[static_cast<std::size_t>(plan.slot(kMultiplier)) + j] = r.rows[j] == constraint ? speed : 0.0;
  }
  plan.guess(w);
  double size = 1e-300;
  for (const double x : z_) size = std::fmax(size, std::fabs(x));
  const Sizes sizes{.typical = {size, size}, .noise = {0.0, 0.0}};
  failure_ = plan.solve(w, sizes, plan_.solve);
  return failure_.ok;
}

bool ContactStepper::meet(double t, std::int32_t constraint, double h) {
  const auto c = static_cast<std::size_t>(constraint);
  const double speed = after_.k[c];
  std::vector<char> with = regime_->active;
  with[c] = 1;
  double target = speed < 0.0 ? -restitution_ * speed : 0.0;
  for (;;) {
    Regime& r = regime(with);
    if (!impulses(r, t, constraint, target)) return false;
    const double* const result = r.w.data() + r.impact->result_slot();
    std::size_t pulled = m_;
    for (std::size_t j = 0; j < r.rows.size(); ++j) {
      const auto other = static_cast<std::size_t>(r.rows[j]);
      if (other != c && one_sided_[other] != 0 && result[nz_ + j] < 0.0) pulled = other;
    }
    if (pulled != m_) {
      with[pulled] = 0;
      armed_[pulled] = 0;
      continue;
    }
    if (target > 0.0) {
      // How long would it fly? Without it, dk/dt is its normal acceleration.
      std::vector<char> without = with;
      without[c] = 0;
      Regime& free = regime(without);
      const std::span<const double> z_after(result, nz_);
      if (!solve_from(*free.acceleration, t, y_, z_after, free.psi)) {
        failure_ = free.acceleration->report();
        return false;
      }
      const double pull = normal_(t, y_, z_after, free.acceleration->acceleration())[c];
      if (pull < 0.0 && 2.0 * target < -pull * kShortestFlight * h) {
        target = 0.0;
        continue;
      }
    }
    std::copy(result, result + nz_, z_.begin());
    if (target > 0.0) with[c] = 0;
    armed_[c] = 0;
    note(t, constraint, target > 0.0 ? Contact::What::impact : Contact::What::rest, speed);
    return settle(t, std::move(with));
  }
}

bool ContactStepper::step(double h) {
  step_size_ = h;
  t_part_ = t();
  const double end = t_base_ + static_cast<double>(count_ + 1) * h;
  double left = h;
  int changes = 0, stuck = 0;
  while (left > 0.0) {
    double done = 0.0;
    const double before = t_part_;
    const Regime* regime_before = regime_;
    const std::size_t seen = contacts_.size();
    if (!part(left, done)) return false;
    if (done >= left && contacts_.size() == seen && regime_ == regime_before) return true;
    if (++changes > kMostChanges) {
      fail("the constraints change between acting and not acting more than 10000 times in one step");
      return false;
    }
    stuck = t_part_ - before > 0.0 ? 0 : stuck + 1;
    if (stuck > 20) {
      fail("the constraints cannot be decided to act or not to act here");
      return false;
    }
    left = end - t_part_;
    if (left <= kEps * std::fabs(end)) return true;
  }
  return true;
}

AdvanceReport ContactStepper::advance(double h, std::int64_t steps) {
  if (!stepping::is_step_size(h)) return stepping::no_step_size();
  AdvanceReport out;
  if (h < 0.0) {
    out.ok = false;
    out.failure.ok = false;
    out.failure.reason = "unilateral constraints go forwards in time only, because an impact cannot be undone";
    return out;
  }
  if (h != h_) {
    t_base_ = t();
    count_ = 0;
    h_ = h;
  }
  const auto spent = [&] {
    std::int64_t sum = 0;
    for (const auto& r : regimes_) sum += r->stepper->iterations + r->stepper->failed_iterations;
    return sum;
  };
  for (std::int64_t k = 0; k < steps; ++k) {
    copy(q(), y_step_);
    copy(v(), z_step_);
    psi_step_ = psi_;
    Regime* const regime_step = regime_;
    armed_step_ = armed_;
    const std::size_t seen = contacts_.size();
    const std::int64_t before = spent();
    if (!step(h)) {
      contacts_.resize(seen);
      y_ = y_step_;
      z_ = z_step_;
      psi_ = psi_step_;
      armed_ = armed_step_;
      enter(t(), *regime_step);
      out.failure = failure_;
      out.ok = false;
    }
    const std::int64_t own = spent() - before;
    if (!out.ok) {
      failed_iterations += own;
      return out;
    }
    iterations += own;
    max_iterations = std::max(max_iterations, static_cast<int>(own));
    ++count_;
    ++out.done;
  }
  return out;
}

std::vector<double> ContactStepper::save() const {
  std::vector<double> out = {t_base_, h_, static_cast<double>(count_), static_cast<double>(iterations),
                             static_cast<double>(max_iterations)};
  for (const char a : regime_->active) out.push_back(a);
  for (const char a : armed_) out.push_back(a);
  out.insert(out.end(), psi_.begin(), psi_.end());
  out.insert(out.end(), regime_->psi.begin(), regime_->psi.end());
  const std::vector<double> inner = regime_->stepper->save();
  out.push_back(static_cast<double>(inner.size()));
  out.insert(out.end(), inner.begin(), inner.end());
  for (const Contact& c : contacts_)
    out.insert(out.end(), {c.t, static_cast<double>(c.constraint), static_cast<double>(c.what), c.speed});
  return out;
}

void ContactStepper::load(std::span<const double> saved) {
  SavedState from(saved);
  t_base_ = from.next();
  h_ = from.next();
  count_ = from.count();
  iterations = from.count();
  max_iterations = static_cast<int>(from.count(std::numeric_limits<int>::max()));
  std::vector<char> active(m_);
  for (char& a : active) a = static_cast<char>(from.count(1));
  for (char& a : armed_) a = static_cast<char>(from.count(1));
  from.fill(psi_);
  regime_ = &regime(active);
  from.fill(regime_->psi);
  regime_->stepper->load(from.take(static_cast<std::size_t>(from.count())));
  contacts_.clear();
  while (from.left() > 0) {
    Contact c;
    c.t = from.next();
    c.constraint = static_cast<std::int32_t>(from.count(static_cast<double>(m_ - 1)));
    c.what = static_cast<Contact::What>(from.count(static_cast<double>(Contact::What::rest)));
    c.speed = from.next();
    contacts_.push_back(c);
  }
}

}  // namespace rattleback
