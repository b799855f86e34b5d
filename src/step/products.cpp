#include "step/products.hpp"

#include <algorithm>
#include <cmath>

namespace rattleback {
namespace {

constexpr std::size_t kOpen = 4;  // runs of one kind that may be continued

constexpr std::int32_t kStrip = 64;  // targets at a time: their sums stay close to the processor
constexpr std::int32_t kFew = 4;     // up to this many targets one after the other

// term(k, ..): adds the k-th term of some members to their sums.
template <class Term, class Finish>
void run_strips(const Products::Run& run, const Term& term, const Finish& finish, double* out) {
  double sum[kStrip];
  for (std::int32_t first = 0; first < run.count; first += kStrip) {
    const std::int32_t count = std::min(kStrip, run.count - first);
    for (std::int32_t k = 0; k < run.terms; ++k) term(k, first, count, sum);
    double* const to = out + run.to + static_cast<std::ptrdiff_t>(first) * run.to_step;
    for (std::int32_t l = 0; l < count; ++l) to[static_cast<std::ptrdiff_t>(l) * run.to_step] = finish(sum[l]);
  }
}

// sum[l] = or += product(l)
template <class Product>
void accumulate(double* sum, std::int32_t count, bool first_term, const Product& product) {
  if (first_term)
    for (std::int32_t l = 0; l < count; ++l) sum[l] = product(l);
  else
    for (std::int32_t l = 0; l < count; ++l) sum[l] += product(l);
}

}  // namespace

// True when this target is the next one of the run. The second target of a run decides on its steps.
bool Products::extend(Run& run, std::int32_t to, std::span<const std::pair<std::int32_t, std::int32_t>> terms) {
  if (run.terms != static_cast<std::int32_t>(terms.size())) return false;
  Factors* const f = factors_.data() + run.first;
  if (run.count == 1) {
    run.to_step = to - run.to;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      f[k].a_step = terms[k].first - f[k].a;
      f[k].b_step = terms[k].second - f[k].b;
    }
  } else {
    if (to != run.to + run.count * run.to_step) return false;
    for (std::size_t k = 0; k < terms.size(); ++k)
      if (terms[k].first != f[k].a + run.count * f[k].a_step || terms[k].second != f[k].b + run.count * f[k].b_step)
        return false;
  }
  ++run.count;
  return true;
}

void Products::add(std::int32_t to, std::span<const std::pair<std::int32_t, std::int32_t>> terms, std::int64_t kind) {
  std::vector<std::size_t>& open = open_[kind];
  // Runs that know their steps are asked first.
  for (const bool decided : {true, false})
    for (std::size_t k = open.size(); k-- > 0;)
      if ((runs_[open[k]].count > 1) == decided && extend(runs_[open[k]], to, terms)) return;
  if (open.size() == kOpen) open.erase(open.begin());
  open.push_back(runs_.size());
  runs_.push_back({to, 0, 1, static_cast<std::int32_t>(factors_.size()), static_cast<std::int32_t>(terms.size())});
  for (const auto& [a, b] : terms) factors_.push_back({a, b, 0, 0});
}

void Products::run(const double* w, double* out) const {
  for (const Run& run : runs_) {
    if (run.count <= kFew) {
      const Factors* const f = factors_.data() + run.first;
      for (std::int32_t l = 0; l < run.count; ++l) {
        double s = 0.0;
        for (std::int32_t k = 0; k < run.terms; ++k) s += w[f[k].a + l * f[k].a_step] * w[f[k].b + l * f[k].b_step];
        out[run.to + l * run.to_step] = s;
      }
      continue;
    }
    const auto term = [&](std::int32_t k, std::int32_t first, std::int32_t count, double* sum) {
      const Factors& f = factors_[static_cast<std::size_t>(run.first) + static_cast<std::size_t>(k)];
      const std::int32_t p = f.a_step, q = f.b_step;
      const double *const a = w + f.a + first * p, *const b = w + f.b + first * q;
      if (p == 1 && q == 1)
        accumulate(sum, count, k == 0, [&](std::int32_t l) { return a[l] * b[l]; });
      else if (p == 1 && q == 0)
        accumulate(sum, count, k == 0, [&, y = *b](std::int32_t l) { return a[l] * y; });
      else
        accumulate(sum, count, k == 0, [&](std::int32_t l) { return a[l * p] * b[l * q]; });
    };
    run_strips(
        run, term, [](double s) { return s; }, out);
  }
}

void Products::run_bounds(const double* w, const double* size, double unit, double* out) const {
  for (const Run& run : runs_) {
    const auto term = [&](std::int32_t k, std::int32_t first, std::int32_t count, double* sum) {
      const Factors& f = factors_[static_cast<std::size_t>(run.first) + static_cast<std::size_t>(k)];
      const std::int32_t p = f.a_step, q = f.b_step;
      const double *const a = w + f.a + first * p, *const b = size + f.b + first * q;
      if (p == 1 && q == 0)
        accumulate(sum, count, k == 0, [&, y = *b](std::int32_t l) { return std::fabs(a[l]) * y; });
      else
        accumulate(sum, count, k == 0, [&](std::int32_t l) { return std::fabs(a[l * p]) * b[l * q]; });
    };
    run_strips(
        run, term, [unit](double s) { return unit * s; }, out);
  }
}

}  // namespace rattleback
