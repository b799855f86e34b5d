#include "audit/large_symmetries.hpp"

#include <algorithm>
#include <cmath>

#include "audit/derivative_check.hpp"
#include "audit/moved_points.hpp"
#include "expr/evaluator.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

constexpr int kStates = 3;
constexpr std::int32_t kMostToList = 2000;  // coordinates of a field that is shown
constexpr double kNear = 1e-4;              // of the size of the system
constexpr double kRounding = 1e-11;         // of a sum, against the sum of the sizes of its terms

class LargeJudge {
 public:
  LargeJudge(const Model& model, const System* system)
      : model_(model),
        system_(system),
        n_(model.coordinates.size()),
        m_(model.multiplier_count()),
        g_(*model.graph),
        Lq_(gradient(g_, model.lagrangian, kPosition)),
        p_(gradient(g_, model.lagrangian, kVelocity)),
        forces_(model.forces) {
    for (const Port& port : model.ports)  // from outside: it may be any
      if (g_[port.input].op == Op::input) given_.push_back(port.along);
    RandomStates random(model);
    for (int k = 0; k < kStates; ++k) anywhere_.push_back(random());
    find_states(random);
  }

  Entries field(const MovedPoints& moved) {
    Entries out;
    for (const MovedPoints::Term& term : moved.terms) {
      const NodeId by = term.by < 0 ? g_.one() : g_.variable(kPosition, term.by);
      out.push_back({term.factor < 0.0 ? g_.neg(by) : by, 0, {term.row, 0}, {}});
    }
    return out;
  }

  // Up to a factor.
  bool same(const Entries& a, const Entries& b) {
    for (const Start& s : anywhere_) {
      Evaluator first(g_, a, n_, n_, m_), second(g_, b, n_, n_, m_);
      const auto x = first(s.t, s.q, s.v), y = second(s.t, s.q, s.v);
      double xx = 0.0, yy = 0.0, xy = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        xx += x[i] * x[i];
        yy += y[i] * y[i];
        xy += x[i] * y[i];
      }
      if (!(std::fabs(std::fabs(xy) - std::sqrt(xx * yy)) <= kRounding * std::sqrt(xx * yy))) return false;
    }
    return true;
  }

  SymmetryVerdict operator()(const Entries& field) {
    Evaluator xi(g_, field, n_, n_, m_);
    const DerivativePair rate = derivative_pair(g_, field, n_, kPosition);
    Evaluator along(g_, rate.derivative, n_, n_, n_);
    const auto at = [&](const Start& s) {
      const auto x = xi(s.t, s.q, s.v);
      return std::vector<double>(x.begin(), x.end());
    };
    SymmetryVerdict out{true, true, true};
    Evaluator slope(g_, Lq_, n_, n_, m_), momentum(g_, p_, n_, n_, m_);
    for (const Start& s : anywhere_) {
      const std::vector<double> x = at(s);
      Sum sum;
      sum.add(slope(s.t, s.q, s.v), x);
      sum.add(momentum(s.t, s.q, s.v), along(s.t, s.q, s.v, s.v));
      out.of_lagrangian = out.of_lagrangian && sum.vanishes();
    }
    for (const Start& s : on_constraints_) {
      const std::vector<double> x = at(s);
      out.of_constraints = out.of_constraints &&
                           unmoved(model_.holonomic, model_.holonomic_names.size(), kPosition, s, x) &&
                           unmoved(model_.nonholonomic, model_.nonholonomic_names.size(), kVelocity, s, x);
      out.of_forces = out.of_forces && idle(forces_, s, x);
      for (const Entries& column : given_) out.of_forces = out.of_forces && idle(column, s, x);
    }
    return out;
  }

 private:
  // A sum of products with the sum of their sizes. What has no value decides nothing.
  struct Sum {
    double value = 0.0, size = 0.0;
    void add(std::span<const double> a, std::span<const double> b) {
      for (std::size_t i = 0; i < b.size(); ++i) {
        value += a[i] * b[i];
        size += std::fabs(a[i] * b[i]);
      }
    }
    [[nodiscard]] bool vanishes() const { return !(std::fabs(value) > kRounding * size); }
  };

  void find_states(RandomStates& random) {
    Start start = anywhere_.front();
    start.t = model_.t0;
    start.q = model_.q0;
    const auto add = [&](Start s) {
      try {
        if (m_ > 0 && (system_ == nullptr || !project_start(*system_, s))) return;
      } catch (const Error&) {
        return;
      }
      on_constraints_.push_back(std::move(s));
    };
    add(start);
    if (on_constraints_.empty()) on_constraints_.push_back(start);
    // Near the start: to bring a thousand bodies that lie about anywhere to their constraints takes minutes.
    for (int k = 0; k + 1 < kStates; ++k) {
      Start near = random();
      for (std::size_t i = 0; i < near.q.size(); ++i) near.q[i] = start.q[i] + kNear * (near.q[i] - start.q[i]);
      add(std::move(near));
    }
  }

  // The derivative of these functions along x is 0. Against that along x times numbers that have nothing to do with one another.
  bool unmoved(const Entries& f, std::int32_t rows, Space space, const Start& s, const std::vector<double>& x) {
    if (rows == 0) return true;
    const DerivativePair pair = derivative_pair(g_, f, rows, space);
    Evaluator value(g_, pair.derivative, rows, n_, n_);
    std::vector<double> size(static_cast<std::size_t>(rows), 0.0);
    for (int k = 0; k < 2; ++k) {
      std::vector<double> other = x;
      for (std::size_t i = 0; i < other.size(); ++i)
        other[i] *= 0.2 + std::fmod(0.6180339887498949 * static_cast<double>(i + 1) + 0.37 * k, 1.0);
      const auto y = value(s.t, s.q, s.v, other);
      for (std::size_t i = 0; i < size.size(); ++i) size[i] = std::fmax(size[i], std::fabs(y[i]));
    }
    const auto y = value(s.t, s.q, s.v, x);
    for (std::size_t i = 0; i < size.size(); ++i)
      if (std::fabs(y[i]) > kOnConstraints * size[i]) return false;
    return true;
  }

  bool idle(const Entries& force, const Start& s, const std::vector<double>& x) {
    if (force.empty()) return true;
    Sum sum;
    sum.add(Evaluator(g_, force, n_, n_, m_)(s.t, s.q, s.v, s.multipliers), x);
    return sum.vanishes();
  }

  static constexpr double kOnConstraints = 1e-8;  // they hold to rounding of their largest terms only
  const Model& model_;
  const System* system_;
  std::int32_t n_, m_;
  Graph g_;
  Entries Lq_, p_, forces_;
  std::vector<Entries> given_;
  std::vector<Start> anywhere_, on_constraints_;
};

}  // namespace

LargeSymmetries judge_large(const Model& model, const System* system) {
  LargeSymmetries out;
  std::vector<MovedPoints> candidates;
  if (model.coordinates.size() <= kMostToList) candidates = moved_points(model);
  if (model.symmetries.empty() && candidates.empty()) return out;
  LargeJudge judge(model, system);
  for (const Symmetry& s : model.symmetries) out.named.push_back(judge(s.field));
  for (const MovedPoints& candidate : candidates) {
    const Entries field = judge.field(candidate);
    const bool is_named =
        std::ranges::any_of(model.symmetries, [&](const Symmetry& s) { return judge.same(s.field, field); });
    if (is_named) continue;
    const SymmetryVerdict verdict = judge(field);
    if (verdict.of_lagrangian) out.found.push_back({candidate.text(model.coordinates), verdict.conserved()});
  }
  std::stable_partition(out.found.begin(), out.found.end(), [](const FoundField& f) { return f.conserved; });
  return out;
}

}  // namespace rattleback
