// Linear equations with a sparse matrix of fixed pattern. The pattern decides once how they are solved: with a banded
// factorisation where a numbering along the system's structure makes the band narrow (chains, grids of small width), and
// with KLU otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "linalg/band.hpp"
#include "linalg/large_pages.hpp"

namespace rattleback {

class SparseSolver {
 public:
  using Place = std::pair<std::int32_t, std::int32_t>;  // row, column
  // Solvers that are used one after the other may share it: a matrix is written, factored and solved with before the next
  // one is written.
  struct Storage {
    LongVector matrix, scale, work;
    std::vector<std::int32_t> pivot;
  };
  // Places are sorted and appear once.
  SparseSolver(std::int32_t n, std::span<const Place> pattern, std::shared_ptr<Storage> storage = nullptr);
  ~SparseSolver();
  SparseSolver(const SparseSolver&) = delete;
  SparseSolver& operator=(const SparseSolver&) = delete;

  // Where the element number k of the pattern is to be written. All of it must be written between clear() and factor(),
  // which overwrites it.
  [[nodiscard]] std::span<const std::int32_t> places() const { return places_; }
  [[nodiscard]] double* matrix() { return storage_->matrix.data(); }
  void clear();
  [[nodiscard]] bool banded() const { return klu_ == nullptr; }
  [[nodiscard]] const Band& band() const { return band_; }

  // KLU: the order of the pivots is that of the matrix in place now; no effect on a band. Without it the first matrix that
  // is factored decides. A factorisation is then a function of its matrix alone, so that a resumed run, which makes the
  // same choice again, continues with the same bits.
  void choose_pivots();
  bool factor();                           // false: singular
  void solve(const double* r, double* x);  // x = A^-1 r; x and r must not overlap
  bool factor_and_solve(const double* r, double* x);

 private:
  struct Klu;
  [[nodiscard]] bool tridiagonal() const { return klu_ == nullptr && band_.kl == 1 && band_.ku == 1; }
  template <class F>
  auto in_order(const double* r, double* x, F&& f);
  std::int32_t n_;
  bool permuted_ = false;
  bool full_ = false;                // all places of a tridiagonal matrix are in the pattern
  std::vector<std::int32_t> order_;  // order_[k]: which unknown comes k-th
  std::vector<std::int32_t> places_;
  std::shared_ptr<Storage> storage_;
  Band band_;
  std::unique_ptr<Klu> klu_;
};

// Reverse Cuthill-McKee: a numbering in which the neighbours of an unknown are close to it. The pattern is read as a graph
// without directions. [CuthillMcKee1969]
std::vector<std::int32_t> local_order(std::int32_t n, std::span<const SparseSolver::Place> pattern);

}  // namespace rattleback
