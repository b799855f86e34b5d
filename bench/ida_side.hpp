// SUNDIALS' IDA on a mechanical model, given its best chance: formulations of lower index, exact derivatives from the
// same expression graph and the same interpreter as the library's steps, multipliers left out of its error test.
//
//   index1  q' = v,                d/dt L_v = L_q + F - K^T lambda,   0 = d/dt k(t, q, v)
//   index2  q' = v,                           "                       0 = k(t, q, v)
//   ggl     q' = v - G^T mu,                  "                       0 = k(t, q, v),   0 = g(t, q)       G = dg/dq
//
// ggl is Gear, Gupta and Leimkuhler's stabilised index 2: both levels hold. [GearGuptaLeimkuhler1985]
#pragma once

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/error.hpp"
#include "system/start/start.hpp"
#include "system/system.hpp"

namespace bench {

enum class IdaForm { index1, index2, ggl };
inline const char* to_string(IdaForm form) {
  return form == IdaForm::index1 ? "index1" : form == IdaForm::index2 ? "index2" : "ggl";
}

// y = (q, v, lambda, mu); rows and their derivatives dF/dy + cj dF/dy' as programs.
class IdaEquations {
 public:
  IdaEquations(rattleback::Mechanical f, IdaForm form)
      : n(f.n), m(f.m), extra(form == IdaForm::ggl ? f.holonomic : 0), size(2 * n + m + extra) {
    using namespace rattleback;
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
    std::vector<NodeId> lambda, rows;
    for (std::int32_t c = 0; c < m; ++c) lambda.push_back(g.variable(kMultiplier, c));
    const std::vector<NodeId> reaction = f.reaction(lambda);
    for (std::int32_t i = 0; i < n; ++i) {
      NodeId row = g.sub(g.variable(kRate, i), g.variable(kVelocity, i));
      for (std::int32_t c = 0; c < extra; ++c)  // the first rows of K are those of G
        row = g.add(row, g.mul(f.K[static_cast<std::size_t>(c)][static_cast<std::size_t>(i)], g.variable(kMu, c)));
      rows.push_back(row);
    }
    for (std::size_t i = 0; i < f.p.size(); ++i)
      rows.push_back(g.add(g.sub(along_motion(f.p[i]), f.force[i]), reaction[i]));
    for (const NodeId k : f.k) rows.push_back(form == IdaForm::index1 ? along_motion(k) : k);
    if (form == IdaForm::ggl) rows.insert(rows.end(), f.g.begin(), f.g.end());

    std::vector<NodeId> cells;
    const NodeId cj = g.variable(kFactor, 0);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::vector<NodeId> row = scalars(g, gradient(g, rows[r], kPosition), n);
      const auto append = [&](Space space, std::int32_t count) {
        const std::vector<NodeId> more = scalars(g, gradient(g, rows[r], space), count);
        row.insert(row.end(), more.begin(), more.end());
      };
      append(kVelocity, n);
      append(kMultiplier, m);
      append(kMu, extra);
      const std::vector<NodeId> by_rate = scalars(g, gradient(g, rows[r], kRate), n),
                                by_a = scalars(g, gradient(g, rows[r], kAcceleration), n);
      for (std::size_t i = 0; i < by_a.size(); ++i) {
        row[i] = g.add(row[i], g.mul(cj, by_rate[i]));
        row[by_a.size() + i] = g.add(row[by_a.size() + i], g.mul(cj, by_a[i]));
      }
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (g.is_constant(row[c], 0.0)) continue;
        cells.push_back(row[c]);
        places.emplace_back(static_cast<sunindextype>(r), static_cast<sunindextype>(c));
      }
    }
    Assembler a(g);
    t_ = a.place(kTime, 1);
    y_ = a.place(kPosition, n);
    const std::int32_t v = a.place(kVelocity, n), l = a.place(kMultiplier, m), mu = a.place(kMu, extra);
    rate_ = a.place(kRate, n);
    const std::int32_t acceleration = a.place(kAcceleration, n);
    cj_ = a.place(kFactor, 1);
    if (v != y_ + n || l != v + n || (extra > 0 && mu != l + m) || acceleration != rate_ + n)
      throw Error("IdaEquations: slots are not in a row");
    rows_ = a.reserve(size);
    cells_ = a.reserve(static_cast<std::int32_t>(cells.size()));
    // Two programs that share nothing, because IDA calls either at any point.
    Assembler b = a;
    a.announce(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) a.store(residual_, rows[i], rows_ + static_cast<std::int32_t>(i));
    w_ = a.image();
    b.announce(cells);
    for (std::size_t i = 0; i < cells.size(); ++i) b.store(matrix_, cells[i], cells_ + static_cast<std::int32_t>(i));
    w_jacobian_ = b.image();
    cell_count_ = cells.size();
  }

  const double* residual(double t, const double* y, const double* ydot) {
    load(w_, t, y, ydot, 0.0);
    residual_.run(w_.data());
    return w_.data() + rows_;
  }
  const double* jacobian(double t, const double* y, const double* ydot, double cj) {
    load(w_jacobian_, t, y, ydot, cj);
    matrix_.run(w_jacobian_.data());
    return w_jacobian_.data() + cells_;
  }
  [[nodiscard]] std::size_t cell_count() const { return cell_count_; }

  const std::int32_t n, m, extra, size;
  std::vector<std::pair<sunindextype, sunindextype>> places;

 private:
  static constexpr rattleback::Space kFactor = rattleback::kAcceleration + 1, kRate = kFactor + 1, kMu = kRate + 1;
  void load(std::vector<double>& w, double t, const double* y, const double* ydot, double cj) const {
    w[static_cast<std::size_t>(t_)] = t;
    w[static_cast<std::size_t>(cj_)] = cj;
    std::copy_n(y, size, w.data() + y_);
    std::copy_n(ydot, 2 * n, w.data() + rate_);
  }

  rattleback::Program residual_, matrix_;
  std::vector<double> w_, w_jacobian_;
  std::int32_t t_ = 0, y_ = 0, rate_ = 0, cj_ = 0, rows_ = 0, cells_ = 0;
  std::size_t cell_count_ = 0;
};

struct IdaSettings {
  IdaForm form = IdaForm::ggl;
  double rtol = 1e-8;
  double atol_factor = 1.0;       // atol = factor * rtol
  bool free_multipliers = false;  // they do not count in the norm of its Newton iteration either
};

class IdaSide {
 public:
  IdaSide(const rattleback::System& system, const rattleback::Start& start, IdaForm form)
      : equations_(system.mechanical(), form), start_(&start) {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(equations_.size, context_);
    ydot_ = N_VClone(y_);
    id_ = N_VClone(y_);
    atol_ = N_VClone(y_);
    matrix_ = SUNDenseMatrix(equations_.size, equations_.size, context_);
    linear_ = SUNLinSol_Dense(y_, matrix_, context_);
    ida_ = IDACreate(context_);
    reset();
    IDASetErrHandlerFn(
        ida_, [](int, const char*, const char*, char*, void*) {}, nullptr);
    IDAInit(ida_, residual, 0.0, y_, ydot_);
    IDASetUserData(ida_, this);
    IDASetMaxNumSteps(ida_, 30'000);  // ten times what the digits asked for need
    IDASStolerances(ida_, 1e-6, 1e-6);
    IDASetLinearSolver(ida_, linear_, matrix_);
    IDASetJacFn(ida_, jacobian);
    for (std::int32_t i = 0; i < equations_.size; ++i) NV_Ith_S(id_, i) = i < 2 * equations_.n ? 1.0 : 0.0;
    IDASetId(ida_, id_);
    IDASetSuppressAlg(ida_, SUNTRUE);
  }
  IdaSide(const IdaSide&) = delete;
  IdaSide& operator=(const IdaSide&) = delete;
  ~IdaSide() {
    IDAFree(&ida_);
    SUNLinSolFree(linear_);
    SUNMatDestroy(matrix_);
    for (N_Vector x : {y_, ydot_, id_, atol_}) N_VDestroy(x);
    SUNContext_Free(&context_);
  }

  // The positions at `until`; empty when IDA gives up.
  std::vector<double> run(const IdaSettings& settings, double until) {
    reset();
    IDAReInit(ida_, 0.0, y_, ydot_);
    for (std::int32_t i = 0; i < equations_.size; ++i)
      NV_Ith_S(atol_, i) =
          settings.free_multipliers && i >= 2 * equations_.n ? 1e10 : settings.rtol * settings.atol_factor;
    IDASVtolerances(ida_, settings.rtol, atol_);
    double reached = 0.0;
    if (IDASolve(ida_, until, &reached, y_, ydot_, IDA_NORMAL) < 0) return {};
    const double* const y = N_VGetArrayPointer(y_);
    return {y, y + equations_.n};
  }
  // (q, v) at the end of the last run.
  [[nodiscard]] std::vector<double> state() const {
    const double* const y = N_VGetArrayPointer(y_);
    return {y, y + 2 * equations_.n};
  }
  [[nodiscard]] long steps() const {
    long count = 0;
    IDAGetNumSteps(ida_, &count);
    return count;
  }

 private:
  void reset() {
    N_VConst(0.0, y_);
    N_VConst(0.0, ydot_);
    double *const y = N_VGetArrayPointer(y_), *const ydot = N_VGetArrayPointer(ydot_);
    const rattleback::Start& s = *start_;
    std::copy(s.multipliers.begin(), s.multipliers.end(),
              std::copy(s.v.begin(), s.v.end(), std::copy(s.q.begin(), s.q.end(), y)));
    std::copy(s.acceleration.begin(), s.acceleration.end(), std::copy(s.v.begin(), s.v.end(), ydot));
  }
  static int residual(double t, N_Vector y, N_Vector ydot, N_Vector r, void* self) {
    IdaEquations& e = static_cast<IdaSide*>(self)->equations_;
    std::copy_n(e.residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot)), e.size, N_VGetArrayPointer(r));
    return 0;
  }
  static int jacobian(double t, double cj, N_Vector y, N_Vector ydot, N_Vector, SUNMatrix J, void* self, N_Vector,
                      N_Vector, N_Vector) {
    IdaEquations& e = static_cast<IdaSide*>(self)->equations_;
    const double* const cells = e.jacobian(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot), cj);
    for (std::size_t k = 0; k < e.cell_count(); ++k) SM_ELEMENT_D(J, e.places[k].first, e.places[k].second) = cells[k];
    return 0;
  }

  IdaEquations equations_;
  const rattleback::Start* start_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, ydot_ = nullptr, id_ = nullptr, atol_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  void* ida_ = nullptr;
};

}  // namespace bench
