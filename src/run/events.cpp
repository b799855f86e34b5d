#include "run/events.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/saved_state.hpp"
#include "model/grammar/expression.hpp"
#include "run/least_value.hpp"
#include "system/angles.hpp"

namespace rattleback {
namespace {

constexpr int kSamples = 8;              // values of the polynomial inside a step
constexpr int kDipSteps = 40;            // of the search for a turning point
constexpr int kPolynomialSteps = 8;      // of the search for its zero
constexpr int kLocateSteps = 60;         // trial steps for one zero
constexpr double kTimeRounding = 1e-15;  // a zero is located to this, relative to the time
constexpr double kJump = 1e-6;           // a value there, relative to its range in the step, that is none of a zero
constexpr double kNear = 0.1;            // a least value, relative to that range, that real steps may show to be none
constexpr double kRests = 64.0;          // a range, in bounds of rounding, below which there is nothing to be seen
constexpr double kAtEnd = 1e-7;          // of a step: a least value there is one of its end
constexpr double kSamePlace = 1e-3;      // of a step: two least values so near are one, seen from both sides of an end

int sign_of(double x) { return x > 0.0 ? 1 : x < 0.0 ? -1 : 0; }

std::vector<Events::Watch> watches_of(const Model& model, const Options& options) {
  std::vector<Events::Watch> out;
  for (const std::string& text : options.event) out.push_back({text, 0, ModelEvent::Then::note, nullptr});
  if (!options.until_event.empty()) out.push_back({options.until_event, 0, ModelEvent::Then::stop, nullptr});
  for (const ModelEvent& event : model.events) out.push_back({event.name, event.direction, event.then, &event});
  return out;
}

// Their nodes, in a graph that has more in it.
std::vector<NodeId> nodes_of(const System& system, const std::vector<Events::Watch>& watches, Graph& graph) {
  std::vector<NodeId> nodes;
  for (const Events::Watch& w : watches) {
    const char* const option = w.then == ModelEvent::Then::stop ? "--until-event " : "--event ";
    nodes.push_back(w.of_model != nullptr
                        ? w.of_model->when
                        : read_expression(system.model(), graph, option + w.name, "the event", w.name, true));
  }
  return nodes;
}

Quantities quantities(const System& system, const std::vector<Events::Watch>& watches, const Graph& graph,
                      std::vector<NodeId> nodes) {
  for (const Events::Watch& w : watches)
    if (w.of_model != nullptr)
      for (const ExactValue& value : w.of_model->set) nodes.push_back(value.expr);
  return {system, graph, nodes};
}

}  // namespace

Events::Events(const System& system, const Options& options, ReportedState& reported)
    : Events(system, watches_of(system.model(), options), reported, *system.model().graph) {}

Events::Events(const System& system, std::vector<Watch> watches, ReportedState& reported, Graph graph)
    : watches_(std::move(watches)),
      reported_(reported),
      nodes_(nodes_of(system, watches_, graph)),
      bounds_(graph, nodes_),
      values_(quantities(system, watches_, graph, nodes_)),
      watched_(watches_.size()) {
  if (values_.need_multipliers() || values_.need_accelerations()) level_ = system.acceleration();
  nothing_.assign(static_cast<std::size_t>(std::max(system.n(), system.m())), std::nan(""));
}

Events::Solved Events::solve(double t, std::span<const double> q, std::span<const double> v) {
  if (!level_) return {};
  if (level_->solve(t, q, v)) return {level_->multipliers(), level_->acceleration()};
  return {std::span(nothing_).first(level_->multipliers().size()), std::span(nothing_).first(q.size())};
}

std::span<const double> Events::reported(double t, std::span<const double> q, std::span<const double> turns) {
  q = reported_(t, q);
  if (turns.empty()) return q;
  unwrapped_.assign(q.begin(), q.end());
  unwrap(unwrapped_, turns);
  return unwrapped_;
}

std::span<const double> Events::values(double t, std::span<const double> q, std::span<const double> v,
                                       std::span<const double> turns) {
  const Solved solved = solve(t, reported_(t, q), v);
  return values_(t, reported(t, q, turns), v, solved.multipliers, solved.accelerations);
}

double Events::bound_at(std::size_t which, const StepTaker& s) {
  const Solved solved = solve(s.t(), reported_(s.t(), s.q()), s.v());
  return bounds_(which, s.t(), reported(s.t(), s.q(), s.turns()), s.v(), solved.multipliers, solved.accelerations);
}

double Events::dense_value(std::size_t which, double theta, DenseStep& dense) {
  dense.at(t0_ + theta * h_, q_, v_);
  return values(t0_ + theta * h_, q_, v_, dense.turns())[which];
}

double Events::real_value(std::size_t which, double theta, DenseStep& dense) {
  at_ = dense.step_by(theta * h_);
  return at_ != nullptr ? values(*at_)[which] : std::nan("");
}

void Events::start(const StepTaker& s) {
  const auto x = values(s);
  for (std::size_t i = 0; i < watched_.size(); ++i) watched_[i] = {sign_of(x[i]), x[i] == 0.0};
  bounds_.see(0.0, s.q(), s.v());
}

std::optional<std::size_t> Events::acting(const EventFound& found) const {
  for (std::size_t i = 0; i < watches_.size(); ++i)
    if (watches_[i].then != ModelEvent::Then::note && watches_[i].name == found.event && found.direction != 0) return i;
  return {};
}

std::span<const double> Events::set_values(std::size_t number, const StepTaker& s) {
  std::size_t first = watches_.size();
  for (std::size_t i = 0; i < number; ++i)
    if (watches_[i].of_model != nullptr) first += watches_[i].of_model->set.size();
  return values(s).subspan(first, watches_[number].of_model->set.size());
}

void Events::go_on(const StepTaker& s, std::size_t from, double at_event) {
  const auto x = values(s);
  for (std::size_t i = 0; i < watched_.size(); ++i) watched_[i] = {sign_of(x[i]), x[i] == 0.0};
  // What it has set may have moved it away from zero.
  if (x[from] == 0.0 || std::fabs(x[from]) <= 2.0 * std::fabs(at_event)) watched_[from] = {0, true, true};
}

void Events::begin(const StepTaker& s) {
  t0_ = s.t();
  const auto x = values(s);
  first_.assign(x.begin(), x.end());
  for (std::size_t i = 0; i < watched_.size(); ++i)
    if (std::exchange(watched_[i].has_acted, false) || watched_[i].at_zero) first_[i] = 0.0;
}

void Events::report(std::size_t which, const StepTaker& s, int direction) {
  if (watches_[which].direction != 0 && watches_[which].direction != direction) return;
  found_->push_back({watches_[which].name,
                     s.t(),
                     direction,
                     unwrapped(reported_(s.t(), s.q()), s.turns()),
                     {s.v().begin(), s.v().end()},
                     {},
                     {}});
}

// The smallest value near a sample that is smaller than its neighbours, which have this sign: a golden section search on the
// polynomial that stops as soon as the sign has changed.
Events::Sample Events::refine_dip(std::size_t which, std::size_t middle, int sign, DenseStep& dense) {
  constexpr double kGolden = 0.38196601125010515;
  double lo = samples_[middle - 1].theta, hi = samples_[middle + 1].theta;
  Sample best = samples_[middle];
  for (int k = 0; k < kDipSteps && hi - lo > 1e-9 && sign_of(best.value) == sign; ++k) {
    const bool right = hi - best.theta > best.theta - lo;
    const double theta = right ? best.theta + kGolden * (hi - best.theta) : best.theta - kGolden * (best.theta - lo);
    const Sample next{theta, dense_value(which, theta, dense)};
    if (sign * next.value < sign * best.value) {
      (right ? lo : hi) = best.theta;
      best = next;
    } else {
      (right ? hi : lo) = theta;
    }
  }
  return best;
}

double Events::range() const {
  const auto [least, most] = std::minmax_element(samples_.begin(), samples_.end(),
                                                 [](const Sample& a, const Sample& b) { return a.value < b.value; });
  return most->value - least->value;
}

// Towards the end of the step, as a square or faster: there is a sample an eighth of the step before it, and one of a quarter of
// that. (A straight line to zero has a quarter of the value there, a square a sixteenth.)
bool Events::ends_flat() const {
  const Sample *eighth = nullptr, *near = nullptr;
  for (const Sample& x : samples_) {
    if (x.theta == 1.0 - 1.0 / kSamples) eighth = &x;
    if (x.theta == 1.0 - 0.25 / kSamples) near = &x;
  }
  return eighth != nullptr && near != nullptr && std::fabs(near->value) < 0.15 * std::fabs(eighth->value);
}

void Events::put(Sample sample) {
  const auto place = std::lower_bound(samples_.begin(), samples_.end(), sample.theta,
                                      [](const Sample& s, double theta) { return s.theta < theta; });
  if (place != samples_.end() && place->theta == sample.theta)
    *place = sample;
  else
    samples_.insert(place, sample);
}

void Events::look_closely(std::size_t which, Sample lower, Sample least, Sample upper, DenseStep& dense) {
  const int sign = sign_of(least.theta == lower.theta ? upper.value : lower.value);
  if (!(std::fabs(least.value) <= kNear * range())) return;
  const auto at = [&](double theta) {
    const double value = real_value(which, theta, dense);
    return Place{theta, sign * value, std::isfinite(value) ? bound_at(which, *at_) : 0.0};
  };
  const Place first = at(least.theta);
  if (!std::isfinite(first.value) || !(range() > kRests * first.bound)) return;
  if (sign_of(least.value) != sign && first.value < -first.bound) return;  // it is beyond zero, as the polynomial says
  const Place found = least_value(at, lower.theta, upper.theta, least.theta);
  if (!std::isfinite(found.value)) return;
  // What else has the other sign has it by rounding, or by the error of the polynomial.
  std::erase_if(samples_, [&](const Sample& s) {
    return s.theta > lower.theta && s.theta < upper.theta && sign_of(s.value) != sign;
  });
  if (found.value < -found.bound) {
    put({found.at, sign * found.value});
    return;
  }
  if (found.value > found.bound) return;
  Watched& w = watched_[which];
  if (found.at <= kAtEnd || found.at >= 1.0 - kAtEnd) return;  // the end of a step: the next one sees where it goes
  const double t = t0_ + found.at * h_;
  if (std::fabs(t - w.touched) > kSamePlace * std::fabs(h_)) touches_.push_back(found.at);
  w.touched = t;
}

void Events::look(std::size_t which, double first, double last, DenseStep& dense) {
  samples_.assign(1, {0.0, first});
  for (int k = 1; k < kSamples; ++k) {
    const double theta = static_cast<double>(k) / kSamples;
    samples_.push_back({theta, dense_value(which, theta, dense)});
  }
  samples_.push_back({1.0, last});
  // From the end, so that what is put in does not shift what is still to be looked at. The first and last interval have
  // dips of their own, seen with one more value.
  for (const double theta : {0.25 / kSamples, 1.0 - 0.25 / kSamples}) {
    const Sample near{theta, dense_value(which, theta, dense)};
    samples_.insert(theta < 0.5 ? samples_.begin() + 1 : samples_.end() - 1, near);
  }
  seen_.assign(samples_.begin(), samples_.end());
  const std::vector<Sample>& seen = seen_;
  touches_.clear();
  const auto ends_low = [&](const Sample& end, const Sample& next) {
    return end.value != 0.0 && sign_of(end.value) == sign_of(next.value) &&
           std::fabs(end.value) < std::fabs(next.value);
  };
  const std::size_t end = seen.size() - 1;
  if (ends_low(seen[end], seen[end - 1])) look_closely(which, seen[end - 1], seen[end], seen[end], dense);
  for (std::size_t i = end - 1; i > 0; --i) {
    const int sign = sign_of(seen[i - 1].value);
    if (sign == 0 || sign_of(seen[i + 1].value) != sign) continue;
    if (sign * seen[i].value > sign * seen[i - 1].value || sign * seen[i].value > sign * seen[i + 1].value) continue;
    const Sample best = sign_of(seen[i].value) == sign ? refine_dip(which, i, sign, dense) : seen[i];
    if (best.theta != seen[i].theta && sign_of(best.value) != sign) put(best);
    look_closely(which, seen[i - 1], best, seen[i + 1], dense);
  }
  if (ends_low(seen[0], seen[1])) look_closely(which, seen[0], seen[0], seen[1], dense);
}

// Where the sign of the samples changes: the last one before, the first one after, and the largest of the run that follows.
std::vector<Events::Crossing> Events::crossings(int sign) const {
  std::vector<Crossing> out;
  Sample before = samples_.front();
  for (const Sample& x : samples_) {
    const int now = sign_of(x.value);
    if (now == 0) continue;
    if (now != sign) out.push_back({before, x, x});
    if (!out.empty() && std::fabs(x.value) > std::fabs(out.back().top.value)) out.back().top = x;
    sign = now;
    before = x;
  }
  return out;
}

// The zero of the polynomial between two samples, and its slope there: where the search with real steps begins.
Events::Guess Events::polynomial_zero(std::size_t which, Sample a, Sample b, DenseStep& dense) {
  double slope = (b.value - a.value) / (b.theta - a.theta), theta = a.theta - a.value / slope;
  for (int k = 0; k < kPolynomialSteps; ++k) {
    const Sample c{theta, dense_value(which, theta, dense)};
    if (std::fabs(c.value) <= 1e-7 * std::fabs(slope)) break;  // closer, its slope would be rounding
    const Sample& from = std::fabs(a.value) < std::fabs(b.value) ? a : b;
    const double secant = (c.value - from.value) / (c.theta - from.theta);
    if (std::isfinite(secant) && secant * slope > 0.0) slope = secant;
    (sign_of(c.value) == sign_of(a.value) ? a : b) = c;
    theta = c.theta - c.value / slope;
    if (!(theta > a.theta && theta < b.theta)) theta = 0.5 * (a.theta + b.theta);
  }
  return {theta, slope};
}

// Secant steps between two values of different sign; bisection where they leave the bracket or shrink it too slowly. The
// stepper at_ ends on the zero. False: no step ends on one. Methods that do not keep the constraints at the ends of their steps
// may begin one with a jump, and where that changes the sign there is no zero.
bool Events::locate(std::size_t which, Sample lower, Sample upper, Guess guess, DenseStep& dense) {
  const double enough = kTimeRounding * (std::fabs(t0_) + std::fabs(h_)) / std::fabs(h_);
  double x = guess.theta, step = 0.0, last_step = INFINITY;
  Sample before{0.0, 0.0};
  const double jump = kJump * range();
  double value = 0.0;  // the last
  for (int k = 0; k < kLocateSteps; ++k) {
    if (!(x > lower.theta && x < upper.theta)) x = 0.5 * (lower.theta + upper.theta);
    const Sample now{x, real_value(which, x, dense)};
    if (!std::isfinite(now.value)) return false;
    if (now.value == 0.0) return true;
    value = std::fabs(now.value);
    (sign_of(now.value) == sign_of(lower.value) ? lower : upper) = now;
    step = k == 0 ? now.value / guess.slope : now.value * (x - before.theta) / (now.value - before.value);
    if (std::fabs(step) <= enough || upper.theta - lower.theta <= enough) break;
    if (std::fabs(step) <= 4.0 * enough && std::fabs(step) >= 0.5 * last_step) break;  // rounding
    before = now;
    last_step = std::fabs(step);
    x = k > 8 && k % 2 == 0 ? 0.5 * (lower.theta + upper.theta) : x - step;
  }
  return value <= jump;
}

void Events::end(const StepTaker& s, double h, DenseStep& dense, std::vector<EventFound>& found) {
  h_ = h;
  found_ = &found;
  const std::size_t before = found.size();
  const auto now = values(s);
  last_.assign(now.begin(), now.end());
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    Watched& w = watched_[i];
    look(i, first_[i], last_[i], dense);
    // A zero up to rounding, where the expression turns round: the next step sees where it goes.
    w.flat = ends_flat();
    if (w.flat && range() > kRests * bound_at(i, s) && std::fabs(last_[i]) <= bound_at(i, s))
      last_[i] = samples_.back().value = 0.0;
    if (w.at_zero) decide_zero(i, dense);
    const std::vector<Crossing> list = crossings(w.sign);
    // Between two crossings of the polynomial a real step must show the other sign, too.
    Sample lower{0.0, static_cast<double>(w.sign)};
    for (std::size_t k = 0; k < list.size(); ++k) {
      const bool last = k + 1 == list.size() && last_[i] != 0.0;
      const Sample upper =
          last ? Sample{1.0, last_[i]} : Sample{list[k].top.theta, real_value(i, list[k].top.theta, dense)};
      const bool other = sign_of(lower.value) * sign_of(upper.value) < 0;
      if (other && locate(i, lower, upper, polynomial_zero(i, list[k].before, list[k].after, dense), dense))
        report(i, *at_, sign_of(upper.value));
      else if (other)
        ++missed_;
      if (std::isfinite(upper.value)) lower = upper;
    }
    for (const double theta : touches_)
      if (std::isfinite(real_value(i, theta, dense))) report(i, *at_, 0);
    if (last_[i] != 0.0) w.sign = sign_of(last_[i]);
    w.rests = last_[i] == 0.0 && (w.rests || samples_[samples_.size() - 2].value == 0.0);
    w.at_zero = last_[i] == 0.0;
  }
  bounds_.see(h, s.q(), s.v());
  const double way = h < 0.0 ? -1.0 : 1.0;
  std::stable_sort(found.begin() + static_cast<std::ptrdiff_t>(before), found.end(),
                   [&](const EventFound& a, const EventFound& b) { return way * a.t < way * b.t; });
}

// A zero exactly at the start of the step: whether it was a crossing or a touch is seen by where the motion goes.
void Events::decide_zero(std::size_t which, DenseStep& dense) {
  Watched& w = watched_[which];
  const auto after = std::find_if(samples_.begin(), samples_.end(), [](const Sample& x) { return x.value != 0.0; });
  if (after == samples_.end()) return;
  const int sign = sign_of(after->value);
  const bool turns = sign == w.sign, leaves = !w.rests && samples_[1].value != 0.0;
  const bool known = std::fabs(t0_ - w.touched) <= kSamePlace * std::fabs(h_);
  if (w.sign != 0 && (!turns || (leaves && !known)))
    if (const StepTaker& here = *dense.step_by(0.0); !turns || range() > kRests * bound_at(which, here))
      report(which, here, turns ? 0 : sign);
  w.sign = sign;
}

void Events::finish(const StepTaker& s, std::vector<EventFound>& found) {
  found_ = &found;
  for (std::size_t i = 0; i < watched_.size(); ++i)
    if (watched_[i].at_zero && watched_[i].sign != 0) report(i, s, watched_[i].flat ? 0 : -watched_[i].sign);
}

std::vector<double> Events::save() const {
  std::vector<double> out = {static_cast<double>(missed_)};
  for (const Watched& w : watched_) {
    out.push_back(w.sign);
    out.push_back(w.at_zero ? 1.0 : 0.0);
    out.push_back(w.has_acted ? 1.0 : 0.0);
    out.push_back(w.rests ? 1.0 : 0.0);
    out.push_back(w.flat ? 1.0 : 0.0);
    out.push_back(w.touched);
  }
  bounds_.save(out);
  return out;
}

void Events::load(std::span<const double> saved) {
  SavedState from(saved);
  missed_ = from.count();
  for (Watched& w : watched_) {
    const double sign = from.next();
    SavedState::expect(sign == -1.0 || sign == 0.0 || sign == 1.0);
    const bool at_zero = from.next() != 0.0, has_acted = from.next() != 0.0, rests = from.next() != 0.0;
    const bool flat = from.next() != 0.0;
    w = {static_cast<int>(sign), at_zero, has_acted, rests, flat, from.next()};
  }
  bounds_.load(from.take(EventBounds::kSaved));
  from.end();
}

}  // namespace rattleback
