#include "system/mechanical/adapted_frame.hpp"

#include <algorithm>
#include <cmath>

#include "expr/evaluator.hpp"
#include "expr/vectors.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

constexpr int kPositions = 24;
constexpr double kZero = 1e-13;

class Elimination {
 public:
  Elimination(Graph& g, const Mechanical& f, const std::vector<double>& q) : g_(g), n_(at(f.n)), rows_(f.K) {
    std::uint64_t state = 1;  // a linear congruential generator
    std::vector<double> p = q;
    for (int k = 0; k < kPositions; ++k) {
      positions_.push_back(p);
      for (std::size_t i = 0; i < n_; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        p[i] = q[i] + 3.0 * (static_cast<double>(state >> 11U) * 0x1p-52 - 1.0);
      }
    }
  }

  void run() {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      choose(k);
      const NodeId d = rows_[k][pivots_[k]];
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (i == k || g_.is_constant(rows_[i][pivots_[k]], 0.0)) continue;
        const NodeId e = rows_[i][pivots_[k]];
        const bool number = g_.is_constant(d);
        for (std::size_t j = 0; j < n_; ++j)
          if (j == pivots_[k])
            rows_[i][j] = g_.zero();
          else if (number)
            rows_[i][j] = g_.sub(rows_[i][j], g_.mul(g_.div(e, d), rows_[k][j]));
          else
            rows_[i][j] = g_.sub(g_.mul(d, rows_[i][j]), g_.mul(e, rows_[k][j]));
        remove_zeros(i);
      }
    }
  }

  AdaptedFrame frame() {
    AdaptedFrame out;
    std::vector<std::size_t> followers(rows_.size(), 0);  // free coordinates that each constraint ties
    for (std::size_t f = 0; f < n_; ++f) {
      if (std::ranges::find(pivots_, f) != pivots_.end()) continue;
      out.free.push_back(static_cast<std::int32_t>(f));
      std::vector<NodeId> all;  // the d_k that are no numbers
      for (std::size_t k = 0; k < rows_.size(); ++k) {
        const NodeId d = rows_[k][pivots_[k]];
        if (g_.is_constant(rows_[k][f], 0.0)) continue;
        ++followers[k];
        if (!g_.is_constant(d) && std::ranges::find(all, d) == all.end()) all.push_back(d);
      }
      const auto product_without = [&](NodeId left_out) {
        NodeId product = g_.one();
        for (const NodeId d : all)
          if (d != left_out) product = g_.mul(product, d);
        return product;
      };
      Vec& x = out.X.emplace_back(n_, g_.zero());
      x[f] = product_without(static_cast<NodeId>(-1));
      for (std::size_t k = 0; k < rows_.size(); ++k) {
        if (g_.is_constant(rows_[k][f], 0.0)) continue;
        const NodeId d = rows_[k][pivots_[k]];
        const NodeId share = g_.mul(rows_[k][f], product_without(d));
        x[pivots_[k]] = g_.neg(g_.is_constant(d) ? g_.div(share, d) : share);
      }
      if (all.size() > 1)
        for (const NodeId d : all) note(d, out);
    }
    for (std::size_t k = 0; k < rows_.size(); ++k)
      if (const NodeId d = rows_[k][pivots_[k]]; followers[k] != 1 && !g_.is_constant(d)) note(d, out);
    return out;
  }

 private:
  static void note(NodeId d, AdaptedFrame& out) {
    if (std::ranges::find(out.degenerate_where, d) == out.degenerate_where.end()) out.degenerate_where.push_back(d);
  }

  // What is 0 everywhere, though the graph does not see it.
  void remove_zeros(std::size_t i) {
    Evaluator value(g_, rows_[i], static_cast<std::int32_t>(n_), 0);
    std::vector<double> most(n_, 0.0);
    double size = 0.0;
    for (const std::vector<double>& q : positions_) {
      const auto x = value(0.0, q);
      for (std::size_t j = 0; j < n_; ++j)
        if (std::isfinite(x[j])) most[j] = std::fmax(most[j], std::fabs(x[j]));
    }
    for (const double x : most) size = std::fmax(size, x);
    for (std::size_t j = 0; j < n_; ++j)
      if (most[j] <= kZero * size) rows_[i][j] = g_.zero();
  }

  // The best pivot of all rows that are left: a number, or what stays furthest from 0 beside the rest of its row.
  void choose(std::size_t k) {
    Vec entries;
    for (std::size_t i = k; i < rows_.size(); ++i) entries.insert(entries.end(), rows_[i].begin(), rows_[i].end());
    Evaluator value(g_, entries, static_cast<std::int32_t>(n_), 0);
    std::vector<double> worst(entries.size(), 1.0);
    for (const std::vector<double>& q : positions_) {
      const auto x = value(0.0, q);
      if (!std::ranges::all_of(x, [](double e) { return std::isfinite(e); })) continue;
      for (std::size_t i = 0; i < rows_.size() - k; ++i) {
        double size = 0.0;
        for (std::size_t j = 0; j < n_; ++j) size = std::fmax(size, std::fabs(x[i * n_ + j]));
        for (std::size_t j = 0; j < n_; ++j)
          worst[i * n_ + j] = std::fmin(worst[i * n_ + j], size > 0.0 ? std::fabs(x[i * n_ + j]) / size : 0.0);
      }
    }
    std::size_t best = entries.size();
    double best_score = 0.0;
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const NodeId id = entries[e];
      if (g_.is_constant(id, 0.0)) continue;
      // Numbers first; 1 and -1 before others.
      const bool number = g_.is_constant(id);
      const double score = number ? (std::fabs(g_[id].value) == 1.0 ? 3.0 : 2.0) : std::fmax(worst[e], 1e-6);
      if (score > best_score * 1.0001) {
        best = e;
        best_score = score;
      }
    }
    if (best == entries.size())
      throw Error("the constraints depend on one another, so no frame can be written for them");
    std::swap(rows_[k], rows_[k + best / n_]);
    pivots_.push_back(best % n_);
  }

  Graph& g_;
  std::size_t n_;
  std::vector<Vec> rows_;
  std::vector<std::size_t> pivots_;
  std::vector<std::vector<double>> positions_;
};

}  // namespace

AdaptedFrame adapted_frame(Graph& g, const Mechanical& f, const std::vector<double>& q) {
  Elimination elimination(g, f, q);
  elimination.run();
  return elimination.frame();
}

}  // namespace rattleback
