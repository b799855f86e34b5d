// General-purpose codes on the same system, from SUNDIALS:
//
//   ode     y = (q, v)           q' = v,   v' = a(t, q, v)               ARKODE, explicit Dormand-Prince 5(4)
//           where a and lambda solve the two equations below: the multipliers are eliminated
//   baumgarte                    as ode, with k' + 2 G k + G^2 g = 0 (holonomic) or k' + G k = 0 (nonholonomic) instead
//                                of k' = 0                               [Baumgarte1972]
//   index1  y = (q, v, lambda)   q' - v = 0                              IDA, BDF of order 1 to 5, exact Jacobian
//                                d/dt L_v - L_q - F(lambda) + K^T lambda = 0
//                                d/dt k(t, q, v) = 0                     (q' = v put into both derivatives)
//
// ode and index1 are not told that k = 0, only that k does not change; so k grows with the local errors. [Hilden2009, 2.3]
// baumgarte lets it decay with the rate G, so that it stays at the size of the errors of the last 1/G.
//
// The codes choose their own steps, run past an output time and then find the state at it: IDA by its polynomial, ode
// by a shorter step. Except for the very first step, output intervals do not influence theirs. What a code has learnt (step size, order, past values) is neither saved nor kept when the output
// interval changes: it then starts afresh from (t, q, v). A resumed run is therefore as accurate as an uninterrupted
// one, but does not have the same bits.
#include "bind/baselines.hpp"

#include <arkode/arkode_erkstep.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <string>
#include <type_traits>

#include "engine/saved_state.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

constexpr const char* kNotFiniteAnyMore = "the state is not finite any more";
constexpr long kMaxSteps = 1'000'000;  // of the code, in one output interval
constexpr const char* kTooMuchWork = "too much work, more than 1000000 steps in one output interval";

// --- Ownership of what SUNDIALS allocates. A null pointer from it means that there was no memory.

template <auto Release>
struct Releaser {
  template <class T>
  void operator()(T* x) const {
    Release(x);
  }
};
void release_context(SUNContext x) { SUNContext_Free(&x); }
void release_arkode(void* x) { ERKStepFree(&x); }
void release_ida(void* x) { IDAFree(&x); }

template <class Handle, auto Release>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Releaser<Release>>;
using Context = Owned<SUNContext, release_context>;
using Vector = Owned<N_Vector, N_VDestroy>;
using Matrix = Owned<SUNMatrix, SUNMatDestroy>;
using LinearSolver = Owned<SUNLinearSolver, SUNLinSolFree>;
using ButcherTable = Owned<ARKodeButcherTable, ARKodeButcherTable_Free>;
using Arkode = Owned<void*, release_arkode>;
using Ida = Owned<void*, release_ida>;

template <class T>
T* allocated(T* x) {
  if (x == nullptr) throw std::bad_alloc();
  return x;
}

SUNContext make_context() {
  SUNContext x = nullptr;
  SUNContext_Create(nullptr, &x);
  return allocated(x);
}

// The setters fail only when they are misused.
void require(int flag) {
  if (flag < 0) throw Error("SUNDIALS refused a setting: flag " + std::to_string(flag));
}

bool all_finite(std::span<const double> x) {
  return std::all_of(x.begin(), x.end(), [](double e) { return std::isfinite(e); });
}

// --- What both have in common: the grid of output times, and starting afresh.

class SundialsStepper : public StepTaker {
 public:
  SundialsStepper(const System& system, std::size_t equations, std::stop_token stop)
      : stop_(std::move(stop)),
        n_(static_cast<std::size_t>(system.n())),
        m_(static_cast<std::size_t>(system.m())),
        acceleration_(system.acceleration()),
        state_(2 * n_ + m_, 0.0),
        context_(make_context()),
        y_(allocated(N_VNew_Serial(static_cast<sunindextype>(equations), context_.get()))) {}
  SundialsStepper(const SundialsStepper&) = delete;  // the codes hold its address
  SundialsStepper& operator=(const SundialsStepper&) = delete;

  void start(double t, std::span<const double> q, std::span<const double> v, std::span<const double> multipliers,
             std::span<const double> /*acceleration*/) override {
    const auto after_v = std::copy(v.begin(), v.end(), std::copy(q.begin(), q.end(), state_.begin()));
    std::copy(multipliers.begin(), multipliers.end(), after_v);
    t_base_ = t;
    h_ = 0.0;
    count_ = 0;
    running_ = false;
  }

  AdvanceReport advance(double h, std::int64_t steps) override {
    if (!stepping::is_step_size(h)) return stepping::no_step_size();
    AdvanceReport out;
    use_step(h);
    const auto y = data(y_);
    for (; out.done < steps; ++out.done) {
      out.ok = !visit_failed_ && ready() && reach(next());
      if (out.ok && !all_finite(y)) {
        out.ok = false;
        reason_ = kNotFiniteAnyMore;
      }
      running_ = out.ok;
      const std::int64_t total = steps_taken(), spent = total - taken_;
      taken_ = total;
      if (!out.ok) {
        failed_iterations += spent;
        out.failure.ok = false;
        out.failure.iterations = static_cast<int>(spent);
        out.failure.reason = reason_.c_str();
        if (reason_ == kNotFiniteAnyMore) out.failure.trouble = Trouble::not_finite;
        out.failure.ends = ends_;
        return out;
      }
      iterations += spent;
      max_iterations = std::max(max_iterations, static_cast<int>(spent));
      std::copy(y.begin(), y.end(), state_.begin());
      ++count_;
    }
    return out;
  }

  [[nodiscard]] bool can_be_visited() const override { return true; }
  std::span<const double> visit(double t, double h) override {
    use_step(h);
    visit_failed_ = visit_failed_ || !ready() || !look_at(t, next());
    const auto y = data(y_);
    if (visit_failed_ || !all_finite(y)) return {};
    visited_.assign(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(2 * n_));
    return visited_;
  }

  // The code starts afresh: what it knows are steps with other values.
  bool change_parameters(std::span<const double> values, std::optional<std::size_t> /*changed*/,
                         bool /*keep_guesses*/) override {
    if (acceleration_->plan() == nullptr || !acceleration_->set_parameters(values) || !use_parameters(values))
      return false;
    running_ = false;
    return true;
  }

  [[nodiscard]] double t() const override { return t_base_ + static_cast<double>(count_) * h_; }
  [[nodiscard]] std::span<const double> q() const override { return {state_.data(), n_}; }
  [[nodiscard]] std::span<const double> v() const override { return {state_.data() + n_, n_}; }

  [[nodiscard]] std::span<const double> multiplier_guess() const override { return {state_.data() + 2 * n_, m_}; }

  [[nodiscard]] std::vector<double> save() const override {
    std::vector<double> out = {t_base_, h_, static_cast<double>(count_), static_cast<double>(iterations),
                               static_cast<double>(max_iterations)};
    out.insert(out.end(), state_.begin(), state_.end());
    return out;
  }
  void load(std::span<const double> saved) override {
    SavedState from(saved);
    t_base_ = from.next();
    h_ = from.next();
    count_ = from.count();
    iterations = from.count();
    max_iterations = static_cast<int>(from.count(std::numeric_limits<int>::max()));
    from.fill(state_);
    from.end();
    running_ = false;
  }

 protected:
  virtual bool use_parameters(std::span<const double> /*values*/) { return true; }  // in equations of its own
  // Both return false with a reason_.
  virtual bool begin() = 0;                            // starts afresh at (t(), y_); acceleration_ has its guess
  virtual bool reach(double t) = 0;                    // integrates to t; result in y_
  virtual bool look_at(double t, double towards) = 0;  // the same on the way to reach(towards)
  [[nodiscard]] virtual std::int64_t steps_taken() const = 0;  // since the last begin() that succeeded

  static std::span<double> data(const Vector& x) {
    return {N_VGetArrayPointer(x.get()), static_cast<std::size_t>(N_VGetLength(x.get()))};
  }
  std::span<double> multipliers() { return std::span(state_).subspan(2 * n_); }
  void fail(const std::string& code, const std::string& why) {
    reason_ = code + ": " + (!why.empty() ? why : !message_.empty() ? message_ : "it gave up without a message");
  }
  // Takes the place of SUNDIALS' printing to stderr.
  static void keep_message(int flag, const char*, const char*, char* text, void* self) {
    if (flag < 0) static_cast<SundialsStepper*>(self)->message_ = text;  // positive: a warning
  }

  std::stop_token stop_;
  std::size_t n_, m_;
  std::unique_ptr<Acceleration> acceleration_;
  std::vector<double> state_;  // at the last output time: q, v, multipliers (ode: a guess of them)
  Context context_;            // before everything that is made with it
  Vector y_;
  std::string reason_, message_;
  bool ends_ = false;  // SolveReport::ends

 private:
  void use_step(double h) {
    if (h == h_) return;
    t_base_ = t();
    count_ = 0;
    h_ = h;
    running_ = false;
  }
  [[nodiscard]] double next() const { return t_base_ + static_cast<double>(count_ + 1) * h_; }
  bool ready() {
    message_.clear();
    if (running_) return true;
    const auto y = data(y_);
    acceleration_->set_guess(multipliers());
    std::copy(state_.begin(), state_.begin() + static_cast<std::ptrdiff_t>(y.size()), y.begin());
    running_ = begin();
    taken_ = steps_taken();
    return running_;
  }

  double t_base_ = 0.0, h_ = 0.0;
  std::int64_t count_ = 0, taken_ = 0;
  bool running_ = false, visit_failed_ = false;
  std::vector<double> visited_;
};

// --- ode

// Output between two steps: ARKODE's interpolant has a lower order than the step, and its error in k is 15 times the
// drift (rolling disk, rtol 1e-6: 5e-7 against 4e-8). A shorter step of the same method, from where ARKODE's began, is
// as accurate as the step itself.
class OdeStepper final : public SundialsStepper {
 public:
  // gain > 0: baumgarte
  OdeStepper(const System& system, double rtol, double atol, double gain, std::stop_token stop)
      : SundialsStepper(system, 2 * static_cast<std::size_t>(system.n()), std::move(stop)),
        table_(allocated(ARKodeButcherTable_LoadERK(ARKODE_DORMAND_PRINCE_7_4_5))),
        stages_(static_cast<std::size_t>(table_->stages) * 2 * n_),
        before_(2 * n_),
        now_(allocated(N_VClone(y_.get()))),
        arkode_(allocated(ERKStepCreate(right_hand_side, 0.0, now_.get(), context_.get()))) {
    require(ERKStepSetErrHandlerFn(arkode_.get(), keep_message, static_cast<SundialsStepper*>(this)));
    require(ERKStepSetUserData(arkode_.get(), this));
    require(ERKStepSetTableNum(arkode_.get(), ARKODE_DORMAND_PRINCE_7_4_5));
    require(ERKStepSStolerances(arkode_.get(), rtol, atol));
    if (gain > 0.0) acceleration_ = std::make_unique<Acceleration>(system.mechanical(), gain);
  }

 private:
  bool derivative(double t, const double* y, double* ydot) {
    const std::span<const double> q(y, n_), v(y + n_, n_);
    if (!acceleration_->solve(t, q, v)) {
      acceleration_->set_guess(multipliers());
      const auto beyond = [](double x) { return !(std::fabs(x) < kBeyond); };
      beyond_ = std::any_of(y, y + 2 * n_, beyond);
      return false;
    }
    const auto a = acceleration_->acceleration();
    std::copy(a.begin(), a.end(), std::copy(v.begin(), v.end(), ydot));
    return true;
  }
  static int right_hand_side(double t, N_Vector y, N_Vector ydot, void* self) {
    if (static_cast<OdeStepper*>(self)->stop_.stop_requested()) return -1;  // ARKODE gives up
    // 1: ARKODE tries a smaller step
    return static_cast<OdeStepper*>(self)->derivative(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot)) ? 0 : 1;
  }

  bool begin() override {
    const auto y = data(y_);
    std::copy(y.begin(), y.end(), data(now_).begin());
    t_before_ = t_now_ = t();
    if (ERKStepReInit(arkode_.get(), right_hand_side, t_now_, now_.get()) == ARK_SUCCESS) return true;
    fail("ARKODE", "");
    return false;
  }

  bool reach(double until) override { return look_at(until, until); }

  bool look_at(double until, double towards) override {
    const auto now = data(now_);
    for (long k = 0; until > t() ? t_now_ < until : t_now_ > until; ++k) {
      std::copy(now.begin(), now.end(), before_.begin());
      t_before_ = t_now_;
      const int flag =
          k < kMaxSteps ? ERKStepEvolve(arkode_.get(), towards, now_.get(), &t_now_, ARK_ONE_STEP) : ARK_TOO_MUCH_WORK;
      if (flag < 0) return explain(flag);
    }
    if (!shorter_step(until)) return explain(ARK_RHSFUNC_FAIL);
    const auto lambda = acceleration_->multipliers();
    std::copy(lambda.begin(), lambda.end(), multipliers().begin());
    return true;
  }

  // y_ = the state at `until`, which lies in the last step.
  bool shorter_step(double until) {
    const auto y = data(y_), now = data(now_);
    if (until == t_now_) {
      std::copy(now.begin(), now.end(), y.begin());
      return true;
    }
    const double h = until - t_before_;
    const std::size_t size = y.size();
    const auto advance_by = [&](const double* coefficients, int count) {
      for (std::size_t j = 0; j < size; ++j) {
        double sum = 0.0;
        for (int l = 0; l < count; ++l) sum += coefficients[l] * stages_[static_cast<std::size_t>(l) * size + j];
        y[j] = before_[j] + h * sum;
      }
    };
    for (int i = 0; i < table_->stages; ++i) {
      advance_by(table_->A[i], i);
      if (!derivative(t_before_ + table_->c[i] * h, y.data(), stages_.data() + static_cast<std::size_t>(i) * size))
        return false;
    }
    advance_by(table_->b, table_->stages);
    return true;
  }

  bool explain(int flag) {
    switch (flag) {
      case ARK_TOO_MUCH_WORK: fail("ARKODE", kTooMuchWork); break;
      case ARK_TOO_MUCH_ACC: fail("ARKODE", "the tolerances are too small for double precision"); break;
      case ARK_ERR_FAILURE: fail("ARKODE", "the tolerances are not met even with the smallest step"); break;
      case ARK_RHSFUNC_FAIL:
      case ARK_FIRST_RHSFUNC_ERR:
      case ARK_REPTD_RHSFUNC_ERR:
      case ARK_UNREC_RHSFUNC_ERR:
        ends_ = beyond_;
        fail("ARKODE", beyond_ ? "the state grows beyond what numbers hold: the solution seems to end there"
                               : "the equations do not determine the acceleration");
        break;
      default: fail("ARKODE", ""); break;
    }
    return false;
  }

  [[nodiscard]] std::int64_t steps_taken() const override {
    long count = 0;
    ERKStepGetNumSteps(arkode_.get(), &count);
    return count;
  }

  static constexpr double kBeyond = 1e60;  // forces of such states overflow
  bool beyond_ = false;                    // so it was where the last derivative could not be found
  ButcherTable table_;
  std::vector<double> stages_, before_;  // before_: at t_before_, where ARKODE's last step began; now_: where it ended
  Vector now_;
  double t_before_ = 0.0, t_now_ = 0.0;
  Arkode arkode_;
};

// --- index1

// Functions of (t, y, v', cj) as a program with its own workspace. cj is IDA's factor in dF/dy + cj dF/dy'.

class Functions {
 public:
  Functions(const Graph& graph, std::span<const NodeId> functions, std::int32_t n, std::int32_t m)
      : n_(n), m_(m), count_(functions.size()) {
    Assembler a(graph);
    t_ = a.place(kTime, 1);
    q_ = a.place(kPosition, n);
    v_ = a.place(kVelocity, n);
    lambda_ = a.place(kMultiplier, m);
    a_ = a.place(kAcceleration, n);
    cj_ = a.place(kFactor, 1);
    a.announce(functions);
    out_ = a.reserve(static_cast<std::int32_t>(functions.size()));
    for (std::size_t i = 0; i < functions.size(); ++i)
      a.store(program_, functions[i], out_ + static_cast<std::int32_t>(i));
    w_ = a.image();
    parameters_ = a.parameters(true);
    program_.pack();
  }

  // False, with nothing changed, where they would have been derived otherwise.
  bool set_parameters(std::span<const double> values) { return parameters_.set(values, w_.data(), room_); }

  std::span<const double> operator()(double t, const double* y, const double* ydot, double cj) {
    double* const w = w_.data();
    w[t_] = t;
    w[cj_] = cj;
    std::copy_n(y, n_, w + q_);
    std::copy_n(y + n_, n_, w + v_);
    std::copy_n(y + 2 * static_cast<std::ptrdiff_t>(n_), m_, w + lambda_);
    std::copy_n(ydot + n_, n_, w + a_);
    program_.run(w);
    return {w + out_, count_};
  }

 private:
  std::int32_t n_, m_;
  std::size_t count_;
  Program program_;
  std::vector<double> w_;
  ParameterSlots parameters_;
  ParameterSlots::Room room_;
  std::int32_t t_ = 0, q_ = 0, v_ = 0, lambda_ = 0, a_ = 0, cj_ = 0, out_ = 0;
};

// The rows below q' - v = 0 and their part of the matrix, of which only the places that are not always zero are kept.
struct Index1 {
  explicit Index1(Mechanical f) {
    Graph& g = f.graph;
    const auto along_motion = [&](NodeId e) {
      return tangent(g, e, [&](NodeId id) {
        const Node x = g[id];
        if (x.space == kTime) return g.one();
        if (x.space == kPosition) return g.variable(kVelocity, x.base());
        if (x.space == kVelocity) return g.variable(kAcceleration, x.base());
        return g.zero();
      });
    };
    std::vector<NodeId> lambda;
    for (std::int32_t c = 0; c < f.m; ++c) lambda.push_back(g.variable(kMultiplier, c));
    const std::vector<NodeId> reaction = f.reaction(lambda);
    std::vector<NodeId> rows, cells;
    for (std::size_t i = 0; i < f.p.size(); ++i)
      rows.push_back(g.add(g.sub(along_motion(f.p[i]), f.force[i]), reaction[i]));
    for (const NodeId k : f.k) rows.push_back(along_motion(k));

    const NodeId cj = g.variable(kFactor, 0);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::vector<NodeId> row = scalars(g, gradient(g, rows[r], kPosition), f.n);
      const std::vector<NodeId> by_v = scalars(g, gradient(g, rows[r], kVelocity), f.n);
      const std::vector<NodeId> by_a = scalars(g, gradient(g, rows[r], kAcceleration), f.n);
      for (std::size_t i = 0; i < by_v.size(); ++i) row.push_back(g.add(by_v[i], g.mul(cj, by_a[i])));
      const std::vector<NodeId> by_lambda = scalars(g, gradient(g, rows[r], kMultiplier), f.m);
      row.insert(row.end(), by_lambda.begin(), by_lambda.end());
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (g.is_constant(row[c], 0.0)) continue;
        cells.push_back(row[c]);
        places.emplace_back(static_cast<sunindextype>(f.p.size() + r), static_cast<sunindextype>(c));
      }
    }
    residual.emplace(g, rows, f.n, f.m);
    matrix.emplace(g, cells, f.n, f.m);
  }

  std::optional<Functions> residual, matrix;
  std::vector<std::pair<sunindextype, sunindextype>> places;  // row and column of each value of `matrix`
};

class Index1Stepper final : public SundialsStepper {
 public:
  Index1Stepper(const System& system, double rtol, double atol, std::stop_token stop)
      : SundialsStepper(system, 2 * static_cast<std::size_t>(system.n()) + static_cast<std::size_t>(system.m()),
                        std::move(stop)),
        equations_(system.mechanical()),
        ydot_(allocated(N_VClone(y_.get()))),
        differential_(allocated(N_VClone(y_.get()))),
        matrix_(allocated(SUNDenseMatrix(N_VGetLength(y_.get()), N_VGetLength(y_.get()), context_.get()))),
        linear_(allocated(SUNLinSol_Dense(y_.get(), matrix_.get(), context_.get()))),
        ida_(allocated(IDACreate(context_.get()))) {
    require(IDASetErrHandlerFn(ida_.get(), keep_message, static_cast<SundialsStepper*>(this)));
    require(IDASetUserData(ida_.get(), this));
    N_VConst(0.0, y_.get());
    N_VConst(0.0, ydot_.get());
    require(IDAInit(ida_.get(), residual, 0.0, y_.get(), ydot_.get()));
    require(IDASStolerances(ida_.get(), rtol, atol));
    require(IDASetMaxNumSteps(ida_.get(), kMaxSteps));
    require(IDASetLinearSolver(ida_.get(), linear_.get(), matrix_.get()));
    require(IDASetJacFn(ida_.get(), jacobian));
    const auto id = data(differential_);
    std::fill(id.begin(), id.end(), 1.0);
    std::fill(id.begin() + static_cast<std::ptrdiff_t>(2 * n_), id.end(), 0.0);
    require(IDASetId(ida_.get(), differential_.get()));
  }

 private:
  static int residual(double t, N_Vector y, N_Vector ydot, N_Vector r, void* self) {
    Index1Stepper& s = *static_cast<Index1Stepper*>(self);
    if (s.stop_.stop_requested()) return -1;  // IDA gives up
    const double *const x = N_VGetArrayPointer(y), *const xdot = N_VGetArrayPointer(ydot);
    double* const out = N_VGetArrayPointer(r);
    for (std::size_t i = 0; i < s.n_; ++i) out[i] = xdot[i] - x[s.n_ + i];
    const auto rows = (*s.equations_.residual)(t, x, xdot, 0.0);
    std::copy(rows.begin(), rows.end(), out + s.n_);
    return all_finite(rows) ? 0 : 1;  // 1: IDA tries a smaller step
  }

  static int jacobian(double t, double cj, N_Vector y, N_Vector ydot, N_Vector, SUNMatrix J, void* self, N_Vector,
                      N_Vector, N_Vector) {
    Index1Stepper& s = *static_cast<Index1Stepper*>(self);
    const auto n = static_cast<sunindextype>(s.n_);
    for (sunindextype i = 0; i < n; ++i) {
      SM_ELEMENT_D(J, i, i) = cj;
      SM_ELEMENT_D(J, i, n + i) = -1.0;
    }
    const auto cells = (*s.equations_.matrix)(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot), cj);
    for (std::size_t k = 0; k < cells.size(); ++k)
      SM_ELEMENT_D(J, s.equations_.places[k].first, s.equations_.places[k].second) = cells[k];
    return all_finite(cells) ? 0 : 1;
  }

  bool use_parameters(std::span<const double> values) override {
    return equations_.residual->set_parameters(values) && equations_.matrix->set_parameters(values);
  }

  // y' is consistent; only the derivatives of the multipliers, which the equations do not contain, are left at zero.
  bool begin() override {
    if (!acceleration_->solve(t(), q(), v())) {
      fail("IDA", "the equations do not determine the acceleration");
      return false;
    }
    const auto a = acceleration_->acceleration(), lambda = acceleration_->multipliers();
    const auto y = data(y_), ydot = data(ydot_);
    std::copy(lambda.begin(), lambda.end(), y.begin() + static_cast<std::ptrdiff_t>(2 * n_));
    std::fill(std::copy(a.begin(), a.end(), std::copy(v().begin(), v().end(), ydot.begin())), ydot.end(), 0.0);
    if (IDAReInit(ida_.get(), t(), y_.get(), ydot_.get()) == IDA_SUCCESS) return true;
    fail("IDA", "");
    return false;
  }

  bool reach(double until) override {
    double reached = 0.0;
    return explain(IDASolve(ida_.get(), until, &reached, y_.get(), ydot_.get(), IDA_NORMAL));
  }

  // IDA's polynomial, which has the order of its step. [Hindmarsh et al. 2005]
  bool look_at(double at, double towards) override {
    double now = 0.0;
    IDAGetCurrentTime(ida_.get(), &now);
    for (long k = 0; towards > t() ? now < at : now > at; ++k) {
      const int flag =
          k < kMaxSteps ? IDASolve(ida_.get(), towards, &now, y_.get(), ydot_.get(), IDA_ONE_STEP) : IDA_TOO_MUCH_WORK;
      if (flag < 0) return explain(flag);
    }
    return explain(IDAGetDky(ida_.get(), at, 0, y_.get()));
  }

  bool explain(int flag) {
    if (flag >= 0) return true;
    switch (flag) {
      case IDA_TOO_MUCH_WORK: fail("IDA", kTooMuchWork); break;
      case IDA_TOO_MUCH_ACC: fail("IDA", "the tolerances are too small for double precision"); break;
      case IDA_ERR_FAIL: fail("IDA", "the tolerances are not met even with the smallest step"); break;
      case IDA_CONV_FAIL: fail("IDA", "Newton's iteration does not converge even with the smallest step"); break;
      case IDA_LSETUP_FAIL:
      case IDA_LSOLVE_FAIL: fail("IDA", "the matrix of the equations is singular"); break;
      case IDA_RES_FAIL:
      case IDA_REP_RES_ERR:
      case IDA_FIRST_RES_FAIL: fail("IDA", "the equations gave a value that is not finite"); break;
      default: fail("IDA", ""); break;
    }
    return false;
  }

  [[nodiscard]] std::int64_t steps_taken() const override {
    long count = 0;
    IDAGetNumSteps(ida_.get(), &count);
    return count;
  }

  Index1 equations_;
  Vector ydot_, differential_;
  Matrix matrix_;
  LinearSolver linear_;
  Ida ida_;
};

}  // namespace

std::unique_ptr<StepTaker> make_baseline(Baseline which, const System& system, double rtol, double atol, double gain,
                                         std::stop_token stop) {
  if (!system.facts().lagrangian) throw Error("the baselines integrate mechanical systems only");
  if (!(rtol >= 0.0 && atol >= 0.0 && rtol + atol > 0.0 && std::isfinite(rtol + atol)))
    throw Error("rtol and atol must not be negative, and one of them must be positive; found rtol = " +
                std::to_string(rtol) + ", atol = " + std::to_string(atol));
  if (!(gain >= 0.0 && std::isfinite(gain)))
    throw Error("gain must be a finite number and not negative; found " + std::to_string(gain));
  switch (which) {
    case Baseline::ode: return std::make_unique<OdeStepper>(system, rtol, atol, 0.0, std::move(stop));
    case Baseline::baumgarte: return std::make_unique<OdeStepper>(system, rtol, atol, gain, std::move(stop));
    case Baseline::index1: return std::make_unique<Index1Stepper>(system, rtol, atol, std::move(stop));
  }
  throw Error("not a baseline");
}

}  // namespace rattleback
