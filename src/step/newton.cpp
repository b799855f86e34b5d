// Newton's iteration on the blocks of a plan (block_newton.hpp).
#include "linalg/dense.hpp"
#include "step/block_newton.hpp"
#include "step/equations.hpp"
#include "step/saddle.hpp"
#include "step/sparse_plan.hpp"

namespace rattleback {
namespace {

struct Lu {
  static bool factor(double* lu, double* perm, double* scale, std::int32_t n) {
    return factor_in_place(lu, perm, scale, n);
  }
  static void solve(const double* lu, const double* perm, const double* scale, const double* b, double* x,
                    std::int32_t n) {
    solve_factored(lu, perm, scale, b, x, n);
  }
};

}  // namespace

SolveReport Plan::solve(double* w, const Sizes& sizes, const SolveOptions& options) const {
  if (sparse_) return sparse_->solve(w, sizes, options);
  const auto unseen = [](std::size_t, int, double, const newton::Progress<double, int>&) {};
  return newton::solve_blocks<Lu>(blocks_, finish_, w, sizes, options, unseen);
}

}  // namespace rattleback
