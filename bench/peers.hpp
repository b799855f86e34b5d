// General-purpose codes on the underlying ODE q' = v, v' = a(t, q, v) of a mechanical model, for bench_work_precision:
// CVODE (Adams), ARKODE (explicit Runge-Kutta), Boost.Odeint when its headers are there. Their right-hand side is the
// library's own, interpreted or compiled: what a careful user would write by hand.
#pragma once

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "engine/build/compile.hpp"
#include "engine/text/emit.hpp"
#include "method/runge_kutta/ode_dop853.hpp"
#include "rattleback/error.hpp"
#include "system/start/start.hpp"

#if __has_include(<boost/numeric/odeint.hpp>)
#include <boost/numeric/odeint.hpp>
#define RATTLEBACK_BENCH_ODEINT 1
#endif

namespace bench {

// (v, a) at (t, q, v).
class RightHandSide {
 public:
  RightHandSide(const rattleback::Mechanical& system, bool native)
      : plan_(rattleback::explicit_ode_step(system, rates_only())),
        w_(plan_.image()),
        multipliers_(static_cast<std::size_t>(system.m)),
        size_(2 * static_cast<std::size_t>(system.n)),
        t_(plan_.slot(rattleback::kTime)),
        y_(plan_.slot(rattleback::kPosition)) {
    if (!native) return;
    if (!plan_.linear()) throw rattleback::Error("the acceleration is not linear in its unknowns");
    const double one[] = {1.0};
    const auto half = size_ / 2;
    code_ = rattleback::native_code(rattleback::native_text(
        {{.n = half, .nv = half, .m = multipliers_.size(), .state = size_, .gamma = one}, &plan_}));
    if (!code_.fault.empty()) throw rattleback::Error(code_.fault);
    job_.w = w_.data();
    job_.multipliers = multipliers_.data();
    job_.h = 1.0;
    job_.steps = 1;
  }
  RightHandSide(const RightHandSide&) = delete;
  RightHandSide& operator=(const RightHandSide&) = delete;

  // false: the acceleration is not determined there.
  bool operator()(double t, const double* y, double* rate) {
    std::copy_n(y, size_, w_.data() + y_);
    bool ok = false;
    if (code_.steps != nullptr) {
      job_.t_base = t;
      code_.steps(&job_);
      ok = job_.done == 1;
    } else {
      w_[static_cast<std::size_t>(t_)] = t;
      ok = plan_.solve(w_.data(), {}, {}).ok;
    }
    std::copy_n(w_.data() + plan_.extra_slot(), size_, rate);
    if (!ok) forget();
    return ok;
  }
  // Linear systems correct the solution before: after nonsense they begin from 0, and so does every run.
  void forget() {
    for (const std::int32_t slot : plan_.unknown_slots()) w_[static_cast<std::size_t>(slot)] = 0.0;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  // One stage that moves nothing; its "estimate" is the rate itself.
  static rattleback::EmbeddedTableau rates_only() {
    rattleback::EmbeddedTableau t;
    t.main = {.name = "rate", .stages = 1, .A = {0.0}, .b = {0.0}, .c = {0.0}, .order = 0};
    t.error5 = {1.0};
    return t;
  }

  rattleback::Plan plan_;
  std::vector<double> w_, multipliers_;
  std::size_t size_;
  std::int32_t t_, y_;
  rattleback::NativeCode code_;
  rattleback::NativeJob job_;
};

inline std::vector<double> first_state(const rattleback::Start& start) {
  std::vector<double> y = start.q;
  y.insert(y.end(), start.v.begin(), start.v.end());
  return y;
}

// What CVODE and ARKODE share.
class SundialsSide {
 public:
  SundialsSide(RightHandSide& f, const rattleback::Start& start) : f_(f), start_(first_state(start)) {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(static_cast<sunindextype>(start_.size()), context_);
    reset();
  }
  SundialsSide(const SundialsSide&) = delete;
  SundialsSide& operator=(const SundialsSide&) = delete;
  virtual ~SundialsSide() {
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }
  // (q, v) at `until`; empty when the code gives up.
  virtual std::vector<double> run(double tolerance, double until) = 0;

 protected:
  static constexpr long kMaxSteps = 200'000;
  void reset() {
    f_.forget();
    std::copy(start_.begin(), start_.end(), N_VGetArrayPointer(y_));
  }
  [[nodiscard]] std::vector<double> state() const {
    const double* const y = N_VGetArrayPointer(y_);
    return {y, y + start_.size()};
  }
  static int rate(double t, N_Vector y, N_Vector ydot, void* self) {
    return static_cast<SundialsSide*>(self)->f_(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot)) ? 0 : 1;
  }
  static void silent(int, const char*, const char*, char*, void*) {}

  RightHandSide& f_;
  std::vector<double> start_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
};

class CvodeSide final : public SundialsSide {
 public:
  CvodeSide(RightHandSide& f, const rattleback::Start& start) : SundialsSide(f, start) {
    cvode_ = CVodeCreate(CV_ADAMS, context_);
    CVodeSetErrHandlerFn(cvode_, silent, nullptr);
    CVodeInit(cvode_, rate, 0.0, y_);
    CVodeSetUserData(cvode_, static_cast<SundialsSide*>(this));
    CVodeSStolerances(cvode_, 1e-6, 1e-6);
    CVodeSetMaxNumSteps(cvode_, kMaxSteps);
    fixed_point_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
    CVodeSetNonlinearSolver(cvode_, fixed_point_);
  }
  ~CvodeSide() override {
    CVodeFree(&cvode_);
    SUNNonlinSolFree(fixed_point_);
  }
  std::vector<double> run(double tolerance, double until) override {
    reset();
    CVodeReInit(cvode_, 0.0, y_);
    CVodeSStolerances(cvode_, tolerance, tolerance);
    double reached = 0.0;
    return CVode(cvode_, until, y_, &reached, CV_NORMAL) < 0 ? std::vector<double>{} : state();
  }

 private:
  void* cvode_ = nullptr;
  SUNNonlinearSolver fixed_point_ = nullptr;
};

class ArkodeSide final : public SundialsSide {
 public:
  ArkodeSide(RightHandSide& f, const rattleback::Start& start, ARKODE_ERKTableID table) : SundialsSide(f, start) {
    arkode_ = ERKStepCreate(rate, 0.0, y_, context_);
    ERKStepSetErrHandlerFn(arkode_, silent, nullptr);
    ERKStepSetUserData(arkode_, static_cast<SundialsSide*>(this));
    ERKStepSetTableNum(arkode_, table);
    ERKStepSetMaxNumSteps(arkode_, kMaxSteps);
  }
  ~ArkodeSide() override { ERKStepFree(&arkode_); }
  std::vector<double> run(double tolerance, double until) override {
    reset();
    ERKStepReInit(arkode_, rate, 0.0, y_);
    ERKStepSStolerances(arkode_, tolerance, tolerance);
    ERKStepSetStopTime(arkode_, until);  // ends on it with a step, not with a polynomial of lower order
    double reached = 0.0;
    return ERKStepEvolve(arkode_, until, y_, &reached, ARK_NORMAL) < 0 ? std::vector<double>{} : state();
  }

 private:
  void* arkode_ = nullptr;
};

#ifdef RATTLEBACK_BENCH_ODEINT
template <class Method>
std::vector<double> run_odeint(RightHandSide& f, const std::vector<double>& start, double tolerance, double until) {
  namespace odeint = boost::numeric::odeint;
  std::vector<double> y = start;
  f.forget();
  const auto rate = [&f](const std::vector<double>& x, std::vector<double>& dxdt, double t) {
    if (!f(t, x.data(), dxdt.data())) throw rattleback::Error("no acceleration");  // it has no other way to be told
  };
  try {
    odeint::integrate_adaptive(odeint::make_controlled<Method>(tolerance, tolerance), rate, y, 0.0, until,
                               1e-3 * until);
  } catch (const std::exception&) {  // also its own: no step is small enough
    return {};
  }
  return y;
}
#endif

}  // namespace bench
