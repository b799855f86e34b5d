#include "linalg/sparse_solver.hpp"

#include <klu.h>

#include "linalg/tridiagonal.hpp"

namespace rattleback {
namespace {

// A wider band is left to KLU. Not tuned: systems like ours have either a few diagonals or no band at all.
constexpr std::int32_t kWidestBand = 64;
constexpr double kLeastGrowth = 1e-8;  // reciprocal growth of the pivots below which others are chosen

}  // namespace

struct SparseSolver::Klu {
  Klu(std::int32_t n, std::span<const Place> pattern, std::vector<std::int32_t>& places) {
    klu_defaults(&common);
    common.scale = 2;  // rows by their largest element
    columns.assign(static_cast<std::size_t>(n) + 1, 0);
    rows.resize(pattern.size());
    places.resize(pattern.size());
    for (const auto& [i, j] : pattern) ++columns[static_cast<std::size_t>(j) + 1];
    for (std::size_t j = 0; j + 1 < columns.size(); ++j) columns[j + 1] += columns[j];
    std::vector<std::int32_t> next(columns.begin(), columns.end() - 1);
    for (std::size_t k = 0; k < pattern.size(); ++k) {
      const std::int32_t place = next[static_cast<std::size_t>(pattern[k].second)]++;
      rows[static_cast<std::size_t>(place)] = pattern[k].first;
      places[k] = place;
    }
    symbolic = klu_analyze(n, columns.data(), rows.data(), &common);
  }
  // With the pivots chosen before, without allocation; with others when those are bad for this matrix.
  bool factor(double* values) {
    if (symbolic == nullptr) return false;
    if (chosen == nullptr) chosen = klu_factor(columns.data(), rows.data(), values, symbolic, &common);
    if (chosen == nullptr || common.status != KLU_OK) {
      klu_free_numeric(&chosen, &common);
      return false;
    }
    numeric = chosen;
    const bool good = klu_refactor(columns.data(), rows.data(), values, symbolic, chosen, &common) == 1 &&
                      common.status == KLU_OK &&
                      klu_rgrowth(columns.data(), rows.data(), values, symbolic, chosen, &common) == 1 &&
                      common.rgrowth >= kLeastGrowth;
    if (good) return true;
    klu_free_numeric(&other, &common);
    other = klu_factor(columns.data(), rows.data(), values, symbolic, &common);
    numeric = other;
    return other != nullptr && common.status == KLU_OK;
  }
  ~Klu() {
    klu_free_numeric(&chosen, &common);
    klu_free_numeric(&other, &common);
    klu_free_symbolic(&symbolic, &common);
  }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;

  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric *chosen = nullptr, *other = nullptr;
  klu_numeric* numeric = nullptr;  // the one to solve with: chosen or other
  std::vector<std::int32_t> columns, rows;
};

SparseSolver::SparseSolver(std::int32_t n, std::span<const Place> pattern, std::shared_ptr<Storage> storage)
    : n_(n), storage_(storage ? std::move(storage) : std::make_shared<Storage>()) {
  const auto reach = [](auto& vector, std::size_t size) {
    if (vector.size() < size) vector.assign(size, 0);
  };
  reach(storage_->work, static_cast<std::size_t>(n));
  const auto band_of = [&](const std::vector<std::int32_t>& position) {
    Band b{n, 0, 0};
    for (const auto& [i, j] : pattern) {
      const std::int32_t d =
          position.empty() ? j - i : position[static_cast<std::size_t>(j)] - position[static_cast<std::size_t>(i)];
      b.kl = std::max(b.kl, -d);
      b.ku = std::max(b.ku, d);
    }
    return b;
  };
  std::vector<std::int32_t> position;
  band_ = band_of(position);
  if (band_.width() > 4) {
    order_ = local_order(n, pattern);
    std::vector<std::int32_t> by_order(static_cast<std::size_t>(n));
    for (std::int32_t k = 0; k < n; ++k) by_order[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])] = k;
    const Band reordered = band_of(by_order);
    if (reordered.width() < band_.width()) {
      band_ = reordered;
      position = std::move(by_order);
      permuted_ = true;
    }
  }
  if (band_.kl + band_.ku > kWidestBand && n > 2 * kWidestBand) {
    klu_ = std::make_unique<Klu>(n, pattern, places_);
    reach(storage_->matrix, pattern.size());
    return;
  }
  const auto at = [&](std::int32_t i) { return permuted_ ? position[static_cast<std::size_t>(i)] : i; };
  for (const auto& [i, j] : pattern) places_.push_back(static_cast<std::int32_t>(band_.place(at(i), at(j))));
  reach(storage_->matrix, static_cast<std::size_t>(n) * static_cast<std::size_t>(band_.width()));
  reach(storage_->scale, static_cast<std::size_t>(n));
  reach(storage_->pivot, static_cast<std::size_t>(n));
  full_ = tridiagonal() && pattern.size() == 3 * static_cast<std::size_t>(n) - 2;
}

SparseSolver::~SparseSolver() = default;

void SparseSolver::clear() {
  if (banded() && !full_) std::fill_n(storage_->matrix.begin(), static_cast<std::ptrdiff_t>(n_) * band_.width(), 0.0);
}

bool SparseSolver::factor() {
  if (tridiagonal()) {
    std::fill_n(storage_->work.begin(), n_, 0.0);
    return Tridiagonal(n_, matrix(), storage_->pivot.data(), storage_->scale.data())
        .factor_and_solve(storage_->work.data(), storage_->work.data());
  }
  if (klu_ == nullptr) return factor_band(band_, matrix(), storage_->pivot.data(), storage_->scale.data());
  return klu_->factor(matrix());
}

void SparseSolver::choose_pivots() {
  if (klu_ == nullptr) return;
  klu_free_numeric(&klu_->chosen, &klu_->common);
  (void)klu_->factor(matrix());
}

// f(right-hand side, solution) with the unknowns in the order of the band.
template <class F>
auto SparseSolver::in_order(const double* r, double* x, F&& f) {
  if (!permuted_) return f(r, x);
  double* const work = storage_->work.data();
  for (std::int32_t k = 0; k < n_; ++k) work[k] = r[order_[static_cast<std::size_t>(k)]];
  const auto out = f(work, work);
  for (std::int32_t k = 0; k < n_; ++k) x[order_[static_cast<std::size_t>(k)]] = work[k];
  return out;
}

void SparseSolver::solve(const double* r, double* x) {
  if (klu_ != nullptr) {
    std::copy_n(r, n_, x);
    klu_solve(klu_->symbolic, klu_->numeric, n_, 1, x, &klu_->common);
    return;
  }
  in_order(r, x, [&](const double* from, double* to) {
    if (tridiagonal()) {
      Tridiagonal(n_, matrix(), storage_->pivot.data(), storage_->scale.data()).solve(from, to);
      return true;
    }
    if (from != to) std::copy_n(from, n_, to);
    solve_band(band_, matrix(), storage_->pivot.data(), storage_->scale.data(), to);
    return true;
  });
}

bool SparseSolver::factor_and_solve(const double* r, double* x) {
  if (tridiagonal())
    return in_order(r, x, [&](const double* from, double* to) {
      return Tridiagonal(n_, matrix(), storage_->pivot.data(), storage_->scale.data()).factor_and_solve(from, to);
    });
  if (!factor()) return false;
  solve(r, x);
  return true;
}

}  // namespace rattleback
