#include "run/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "engine/saved_state.hpp"
#include "rattleback/error.hpp"
#include "system/angles.hpp"

namespace rattleback {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kTiny = std::numeric_limits<double>::min();

double largest(std::span<const double> x) {
  double size = 0.0;
  for (const double each : x) size = std::fmax(size, std::fabs(each));
  return size;
}

// The size of an error: the larger of (largest component)/(size of its class), for positions and velocities. The size of
// a class is its largest component at any step so far, so that a passage through zero does not ask for tiny steps.
// Declared angles count without their turns: otherwise the tolerance would loosen as they turn. Algebraic states do not
// count, as multipliers do not: a method's own may have an order as low as 0 (reported_state.hpp).
class ErrorNorm {
 public:
  static constexpr double kFloor = 1e-6;  // no class is smaller; in the units of the model

  explicit ErrorNorm(const System& system) : algebraic_(system.algebraic_states()) {}

  void see(const StepTaker& s) {
    q_ = std::fmax(q_, of_states(s.q()));
    v_ = std::fmax(v_, largest(s.v()));
  }
  [[nodiscard]] double operator()(const StepTaker& a, const StepTaker& b) const {
    const auto difference = [](std::span<const double> x, std::span<const double> y) {
      double size = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) size = std::fmax(size, std::fabs(x[i] - y[i]));
      return size;
    };
    // Of two states on both sides of a wrap, one has made a turn more.
    const auto of_positions = [&]() {
      if (a.turns().empty() && algebraic_.empty()) return difference(a.q(), b.q());
      double size = 0.0;
      for (std::size_t i = 0; i < a.q().size(); ++i)
        if (counts(i))
          size =
              std::fmax(size, std::fabs(a.turns().empty() ? a.q()[i] - b.q()[i]
                                                          : turned(a.q()[i] - b.q()[i], a.turns()[i] - b.turns()[i])));
      return size;
    };
    const double q = std::fmax(q_, std::fmax(of_states(a.q()), of_states(b.q())));
    const double v = std::fmax(v_, std::fmax(largest(a.v()), largest(b.v())));
    return std::fmax(of_positions() / q, difference(a.v(), b.v()) / v);
  }
  // Of an embedded pair of estimates [HairerNorsettWanner1993, II.10]: h |e5|^2 / sqrt(|e5|^2 + 0.01 |e3|^2), with the
  // mean squares over all components instead of the largest. `estimates`: e5 of positions and velocities, then e3.
  [[nodiscard]] double embedded(const StepTaker& s, double h, std::span<const double> estimates) const {
    const std::size_t n = s.q().size(), nv = s.v().size();
    const double q = std::fmax(q_, largest(s.q())), v = std::fmax(v_, largest(s.v()));
    const auto square = [&](const double* e) {
      double sum_q = 0.0, sum_v = 0.0;
      for (std::size_t i = 0; i < n; ++i) sum_q += e[i] * e[i];
      for (std::size_t i = n; i < n + nv; ++i) sum_v += e[i] * e[i];
      return (sum_q / (q * q) + sum_v / (v * v)) / static_cast<double>(n + nv);
    };
    const double fifth = square(estimates.data()), third = square(estimates.data() + n + nv);
    const double size = fifth + 0.01 * third;
    if (!std::isfinite(size)) return INFINITY;
    return size > 0.0 ? std::fabs(h) * fifth / std::sqrt(size) : 0.0;
  }
  double q_ = kFloor, v_ = kFloor;

 private:
  [[nodiscard]] bool counts(std::size_t i) const { return algebraic_.empty() || algebraic_[i] == 0; }
  [[nodiscard]] double of_states(std::span<const double> x) const {
    if (algebraic_.empty()) return largest(x);
    double size = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (counts(i)) size = std::fmax(size, std::fabs(x[i]));
    return size;
  }
  std::vector<char> algebraic_;  // port-Hamiltonian systems: by state
};

// A first step from the sizes of position, velocity and acceleration; the controller corrects it.
double first_step(const Options& options, const Start& start, bool mechanical, int order) {
  if (options.step != 0.0) return options.step;
  const double way = options.until.value_or(options.from) - options.from, span = std::fabs(way);
  const double q = largest(start.q), v = mechanical ? largest(start.v) : largest(start.acceleration);
  const double a = mechanical ? largest(start.acceleration) : 0.0;
  double time = INFINITY;
  const auto consider = [&](double x) {
    if (std::isfinite(x) && x > 0.0) time = std::fmin(time, x);
  };
  if (v > 0.0) consider(q / v);
  if (a > 0.0) {
    consider(v / a);
    consider(std::sqrt(q / a));
  }
  if (!std::isfinite(time)) time = std::isfinite(span) ? span : 1.0;  // all is at rest
  const double h = 0.5 * time * std::pow(options.adaptive, 1.0 / (order + 1));
  return way < 0.0 ? -h : h;
}

// Is the distance from t to `end` within a step of size h, or so little more that a tiny step would be left?
double reach_of(double t, double h) { return t + 1.001 * h; }
bool reaches(double t, double h, double end) { return h > 0.0 ? reach_of(t, h) >= end : reach_of(t, h) <= end; }

SolveReport failure_of(const char* reason) {
  SolveReport report;
  report.ok = false;
  report.reason = reason;
  return report;
}

// The error of two steps of size h/2 is estimated by comparing them with one step of size h [HairerNorsettWanner1993,
// II.4]: (their difference)/(2^p - 1). The two half steps are the result. They are not improved by the estimate, because
// the sum would not satisfy the constraints. This works for every one-step method, and costs half as much again.
// A method with an embedded estimate takes that instead, and one step.
class PiControl final : public StepControl {
 public:
  PiControl(const System& system, const Options& options, const Start& start, const BoundMethod& method,
            StepTaker& estimator)
      : tolerance_(options.adaptive),
        order_(std::max(1, method.order())),
        embedded_(uses_own_estimate(method, options)),
        stepper_(*method.stepper),
        estimator_(estimator),
        x0_(stepper_.snapshot_size()),
        norm_(system),
        next_(first_step(options, start, !start.v.empty(), order_)) {
    from_ = start.t;
    audit.controller = Controller::pi;
    audit.tolerance = tolerance_;
    first = next_;
    norm_.see(stepper_);
    for (StepTaker* s : {&stepper_, &estimator_}) s->set_smooth_steps(kSmooth);
  }

  AdvanceReport step(double end, DenseStep* dense) override {
    const double t = stepper_.t(), k = order_ + (embedded_ ? 0.0 : 1.0);  // the estimated error is O(h^k)
    stepper_.take_snapshot(x0_);
    bool rejected = false;
    for (;;) {
      const bool cut = must_cut(t, next_, end);
      const double h = cut ? end - t : next_;
      AdvanceReport report;
      if (!cut && std::fabs(h) <= std::fmax(16.0 * kEps * std::fabs(t), kTiny)) {  // also at t = 0
        report.ok = false;
        last_ = h;
        report.failure = last_failure_.ok ? failure_of("the tolerance asks for a step below rounding") : last_failure_;
        return report;
      }
      error_ = attempt(t, h, report, dense);
      if (report.ok && error_ <= 1.0) {
        if (cut) {
          stepper_.take_snapshot(x0_);
          stepper_.set_snapshot(end, x0_, true);
        } else {
          const double e = std::fmax(error_, 1e-10);
          double factor = 1.0;
          if (embedded_) {  // [HairerNorsettWanner1993, II.10]
            factor = std::clamp(0.9 * std::pow(e, -1.0 / k), 1.0 / 3.0, rejected ? 1.0 : 6.0);
          } else {  // [HairerWanner1996, IV.2]: exponents 0.7 and 0.4 over order + 1.
            factor = 0.9 * std::pow(e, -0.7 / k) * std::pow(before_, 0.4 / k);
            factor = std::clamp(factor, 0.2, rejected ? 1.0 : 5.0);
          }
          before_ = std::fmax(e, 1e-4);
          next_ = h * factor;
        }
        norm_.see(stepper_);
        last_failure_ = SolveReport{};
        count(h, cut);
        report.done = 1;
        return report;
      }
      stepper_.set_snapshot(t, x0_, false);
      ++audit.rejected;
      rejected = true;
      if (report.ok) {
        next_ = h * std::clamp(0.9 * std::pow(error_, -1.0 / k), 0.1, 0.9);
        last_failure_ = SolveReport{};
      } else {
        next_ = 0.25 * h;
        last_failure_ = report.failure;
      }
    }
  }

  [[nodiscard]] bool next_is_cut(double end) const override { return reaches(stepper_.t(), next_, end); }
  void turn_round() override { next_ = -next_; }
  [[nodiscard]] bool retraces() const override { return false; }
  [[nodiscard]] double error() const { return error_; }  // of the last step, over the tolerance

  [[nodiscard]] std::vector<double> save() const override {
    std::vector<double> out = {next_,
                               before_,
                               norm_.q_,
                               norm_.v_,
                               static_cast<double>(audit.steps),
                               static_cast<double>(audit.rejected),
                               audit.smallest,
                               audit.largest};
    const std::vector<double> more = estimator_.save();
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  void load(std::span<const double> saved) override {
    SavedState from(saved);
    for (double* x : {&next_, &before_, &norm_.q_, &norm_.v_}) *x = from.next();
    audit.steps = from.count();
    audit.rejected = from.count();
    audit.smallest = from.next();
    audit.largest = from.next();
    estimator_.load(from.rest());
  }

 private:
  static constexpr double kSmooth = 0.2;

  // The step with both sizes; the error over the tolerance.
  double attempt(double t, double h, AdvanceReport& report, DenseStep* dense) {
    if (embedded_) {
      if (dense != nullptr) dense->begin(stepper_);
      report = stepper_.advance(h, 1);
      if (!report.ok) return 0.0;
      if (dense != nullptr) dense->piece(stepper_);
      return norm_.embedded(stepper_, h, stepper_.stage_values()) / tolerance_;
    }
    estimator_.set_snapshot(t, x0_, true);
    report = estimator_.advance(h, 1);
    if (!report.ok) return 0.0;
    if (dense != nullptr) dense->begin(stepper_);
    for (int half = 0; half < 2; ++half) {
      report = stepper_.advance(0.5 * h, 1);
      if (!report.ok) return 0.0;
      if (dense != nullptr) dense->piece(stepper_);
    }
    return norm_(stepper_, estimator_) / (std::exp2(order_) - 1.0) / tolerance_;
  }

  double tolerance_;
  int order_;
  bool embedded_;
  StepTaker& stepper_;
  StepTaker& estimator_;
  std::vector<double> x0_;
  ErrorNorm norm_;
  double next_, before_ = 1.0, error_ = 0.0;
  SolveReport last_failure_;
};

// The explicit, reversible recursion of [HairerSoederlind2005; HLW2006, VIII.3.2] for the step density rho ~ Q(q, v),
//
//   rho_{n+1/2} = rho_n + (eps/2) G(z_n),   z_{n+1} = one step of size eps/rho_{n+1/2},
//   rho_{n+1} = rho_{n+1/2} + (eps/2) G(z_{n+1}),       G = d/dt ln Q along the motion, rho_0 = Q(z_0)
//
// With a symmetric method the map (z_n, rho_n) -> (z_{n+1}, rho_{n+1}) is symmetric: the same with -eps leads back. It is a
// constant step eps in the time tau with dt = d tau/rho. Error estimates enter only before the run, where a pilot run
// with the pi controller chooses eps and the reference values of Q.
class ReversibleControl final : public StepControl {
 public:
  ReversibleControl(const System& system, const Options& options, const Start& start, const BoundMethod& method,
                    StepTaker& estimator)
      : stepper_(*method.stepper), density_(system.mechanical()) {
    from_ = start.t;
    audit.controller = Controller::reversible;
    audit.tolerance = options.adaptive;
    density_.set_guess(start.multipliers);
    calibrate(system, options, start, method, estimator);
    stepper_.start(start.t, start.q, start.v, start.multipliers, start.acceleration);
    stepper_.iterations = 0;
    stepper_.max_iterations = 0;
    stepper_.failed_iterations = 0;
    stepper_.set_smooth_steps(kSmooth);
    density_.set_guess(start.multipliers);
    if (failure_.ok && !look()) failure_ = failure_of("the acceleration of this system cannot be computed");
    rho_ = density_.Q();
  }

  AdvanceReport step(double end, DenseStep* dense) override {
    AdvanceReport report;
    const double t = stepper_.t(), half = middle();
    if (!failure_.ok || !(half > 0.0)) {
      report.ok = false;
      report.failure = failure_.ok ? failure_of(
                                         "the reversible controller lost the step density (it became negative); "
                                         "a smaller tolerance helps")
                                   : failure_;
      return report;
    }
    const bool cut = must_cut(t, eps_ / half, end);
    const double h = cut ? end - t : eps_ / half;
    if (dense != nullptr) dense->begin(stepper_);
    report = stepper_.advance(h, 1);
    last_ = h;
    if (!report.ok) return report;
    if (dense != nullptr) dense->piece(stepper_);
    if (cut) {  // the recursion stays at the state before, so that the way back can begin there
      std::vector<double> here(stepper_.snapshot_size());
      stepper_.take_snapshot(here);
      stepper_.set_snapshot(end, here, true);
    } else {
      if (!look()) failure_ = failure_of("the acceleration of this system cannot be computed");
      rho_ = half + 0.5 * eps_ * G_;
    }
    count(h, cut);
    return report;
  }

  [[nodiscard]] bool next_is_cut(double end) const override {
    const double half = middle();
    return half > 0.0 && reaches(stepper_.t(), eps_ / half, end);
  }
  void turn_round() override { eps_ = -eps_; }
  [[nodiscard]] bool retraces() const override { return true; }

  [[nodiscard]] std::vector<double> save() const override {
    return {eps_,
            rho_,
            G_,
            density_.v2_ref,
            density_.w2_ref,
            static_cast<double>(audit.steps),
            static_cast<double>(audit.rejected),
            audit.smallest,
            audit.largest,
            failure_.ok ? 1.0 : 0.0};
  }
  void load(std::span<const double> saved) override {
    SavedState from(saved);
    for (double* x : {&eps_, &rho_, &G_, &density_.v2_ref, &density_.w2_ref}) *x = from.next();
    audit.steps = from.count();
    audit.rejected = from.count();
    audit.smallest = from.next();
    audit.largest = from.next();
    const bool failed = from.next() == 0.0;
    from.end();
    if (failed) failure_ = failure_of("the acceleration of this system cannot be computed");
    density_.set_guess(stepper_.multiplier_guess());
  }

 private:
  static constexpr double kSmooth = 0.5;  // steps of one run are smooth in their number, however their size changes
  static constexpr int kPilotSteps = 300;
  static constexpr double kLargestChange = 0.2;  // of rho in one step, relative

  struct Seen {
    double h, wanted;  // a step of the pilot, and the size that would have had the wanted error
    double a2, v2, a2_rate, v2_rate;
  };

  [[nodiscard]] double middle() const { return rho_ + 0.5 * eps_ * G_; }
  bool look() {
    if (!density_.solve(stepper_.t(), stepper_.q(), stepper_.v())) return false;
    G_ = density_.G();
    return std::isfinite(G_) && density_.Q() > 0.0;
  }

  // Where the steps of the pilot shrink and do not grow again, it is not the motion that asks for them, but an error that steps
  // do not make smaller (velocities off their constraints, which some methods carry along undamped).
  static void leave_out_collapse(std::vector<Seen>& seen) {
    constexpr double kSmall = 0.1;        // of the usual step
    constexpr std::ptrdiff_t kMany = 20;  // so many in a row
    if (seen.empty()) return;
    std::vector<double> sizes;
    for (const Seen& x : seen) sizes.push_back(x.h);
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    const double least = kSmall * *middle;
    const auto last = std::find_if(seen.rbegin(), seen.rend(), [&](const Seen& x) { return x.h >= least; }).base();
    if (seen.end() - last >= kMany) seen.erase(last, seen.end());
  }

  // Q's reference values and eps. Each candidate pair is given the largest eps for which no step of the pilot would exceed
  // the tolerance; the one that needs the fewest steps for the pilot's time is taken. Very large w_ref means equal steps.
  void calibrate(const System& system, const Options& options, const Start& start, const BoundMethod& method,
                 StepTaker& estimator) {
    PiControl pilot(system, options, start, method, estimator);
    first = pilot.first;
    // Not up to the end of the run: a longer run begins with the same steps.
    const double end = std::copysign(INFINITY, options.until.value_or(options.from) - options.from),
                 k = std::max(1, method.order()) + 1.0;
    std::vector<Seen> seen;
    while (static_cast<int>(seen.size()) < kPilotSteps) {
      if (!density_.solve(stepper_.t(), stepper_.q(), stepper_.v())) break;
      Seen each{0.0, 0.0, density_.a2(), density_.v2(), density_.a2_rate(), density_.v2_rate()};
      const AdvanceReport report = pilot.step(end, nullptr);
      if (!report.ok) {
        if (seen.empty()) failure_ = report.failure;
        break;
      }
      // The error of one step is 2^p times that of two half steps.
      each.h = std::fabs(pilot.last_step());
      each.wanted = each.h * std::pow(std::fmax(pilot.error(), 1e-10) * std::exp2(method.order()), -1.0 / k);
      seen.push_back(each);
    }
    leave_out_collapse(seen);
    if (seen.empty()) return;
    double time = 0.0, mean = 0.0, v2 = 0.0, fewest = INFINITY, best_v2 = 1.0, best_w2 = 1.0, best_eps = 0.0;
    for (const Seen& x : seen) v2 = std::fmax(v2, x.v2);
    if (!(v2 > 0.0)) v2 = 1.0;  // at rest throughout
    for (const Seen& x : seen) {
      time += x.h;
      mean += x.h * std::fabs(x.a2) / (std::fabs(x.v2) + 0.1 * v2);
    }
    mean /= time;
    if (!(mean > 0.0)) mean = 1.0 / (time * time);  // no acceleration: equal steps
    for (const double v_part : {0.01, 0.03, 0.1, 0.3, 1.0}) {
      for (const double w_part : {0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0, 1e2, 1e6}) {
        density_.v2_ref = v_part * v2;
        density_.w2_ref = w_part * mean;
        double eps = INFINITY, count = 0.0;
        for (const Seen& x : seen) {
          const double d = x.v2 + density_.v2_ref, f = x.a2 / d, Q = std::sqrt(f + density_.w2_ref);
          const double G = 0.5 * (x.a2_rate - f * x.v2_rate) / (d * (f + density_.w2_ref));
          eps = std::fmin(eps, Q * x.wanted);
          if (G != 0.0) eps = std::fmin(eps, kLargestChange * Q / std::fabs(G));
          count += x.h * Q;
        }
        count /= eps;
        if (!(count < fewest)) continue;  // also when it is not a number
        fewest = count;
        best_v2 = density_.v2_ref;
        best_w2 = density_.w2_ref;
        best_eps = eps;
      }
    }
    density_.v2_ref = best_v2;
    density_.w2_ref = best_w2;
    eps_ = end < 0.0 ? -best_eps : best_eps;
    if (!(best_eps > 0.0))
      failure_ = failure_of("no step density was found: the mass matrix is not positive definite along the motion");
  }

  StepTaker& stepper_;
  StepDensity density_;
  double eps_ = 0.0, rho_ = 0.0, G_ = 0.0;
  SolveReport failure_;
};

}  // namespace

bool StepControl::must_cut(double t, double h, double end) {
  if (reaches(t, h, end)) return true;
  horizon = std::fmax(horizon, std::fabs(reach_of(t, h) - from_));
  return false;
}

void StepControl::count(double h, bool cut) {
  last_ = h;
  cut_ = cut;
  ++audit.steps;
  if (cut && audit.steps > 1) return;
  const double size = std::fabs(h);
  audit.smallest = audit.smallest == 0.0 ? size : std::fmin(audit.smallest, size);
  audit.largest = std::fmax(audit.largest, size);
}

std::string why_not_adaptive(const BoundMethod& method) {
  if (method.adaptive)
    return fmt::format("--adaptive: method '{}' chooses its own steps; set --rtol and --atol instead", method.name);
  if (method.two_step)
    return fmt::format(
        "--adaptive: method '{}' is a two-step method, whose formula ties neighbouring steps together, so its step is "
        "fixed. Leave --adaptive out, or pass another --method",
        method.name);
  if (method.contacts)
    return fmt::format(
        "--adaptive: steps of method '{}' are cut at contacts and lift-offs on a system with unilateral constraints, "
        "where its errors do not shrink with the step as an estimate needs it. Leave --adaptive out",
        method.name);
  if (method.constraint_oscillates)
    return fmt::format(
        "--adaptive: an error in the constraint changes its sign in every step of method '{}', however short, so "
        "shorter "
        "steps do not make its errors smaller. Leave --adaptive out, or pass another --method (gonzalez-r keeps the "
        "constraint)",
        method.name);
  return "";
}

std::unique_ptr<StepControl> make_step_control(const System& system, const Options& options, const Start& start,
                                               const BoundMethod& method, StepTaker& estimator) {
  if (const std::string reason = why_not_adaptive(method); !reason.empty()) throw Error(reason);
  if (options.controller != Controller::reversible)
    return std::make_unique<PiControl>(system, options, start, method, estimator);
  if (!system.facts().lagrangian)
    throw Error(
        "--controller reversible needs a mechanical system: its step density is made of velocity and acceleration. Use "
        "--controller pi");
  if (const auto redundant = method.stepper->redundant(); redundant && !redundant->dropped.empty())
    throw Error(
        "--controller reversible needs independent constraints: its step density is differentiated along the motion of "
        "one set of them. Use --controller pi, or remove what is redundant");
  return std::make_unique<ReversibleControl>(system, options, start, method, estimator);
}

}  // namespace rattleback
