#include "system/mechanical/redundancy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expr/terms.hpp"
#include "linalg/decompositions.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr std::int32_t kPriorities = 3;

// The rows `kept` of a vector function whose rows are numbered from `first` on; renumbered from 0.
Entries rows_of(const Entries& all, std::span<const std::int32_t> kept, std::int32_t first) {
  Entries out;
  for (const Entry& e : all) {
    if (e.count != 0) throw NeedsUnrolling();
    const auto at = std::find(kept.begin(), kept.end(), first + e.row.base);
    if (at == kept.end()) continue;
    Entry copy = e;
    copy.row.base = static_cast<std::int32_t>(at - kept.begin());
    out.push_back(copy);
  }
  return out;
}

// The model with some of its constraints.
std::unique_ptr<Model> with_rows(const Model& model, std::span<const std::int32_t> rows) {
  auto out = std::make_unique<Model>(model);
  out->holonomic_names = out->nonholonomic_names = {};
  const std::int32_t holonomic = model.holonomic_names.size();
  for (const std::int32_t i : rows)
    (i < holonomic ? out->holonomic_names : out->nonholonomic_names).add(model.multiplier_name(i));
  const auto middle = std::lower_bound(rows.begin(), rows.end(), holonomic) - rows.begin();
  out->holonomic = rows_of(model.holonomic, rows.first(static_cast<std::size_t>(middle)), 0);
  out->nonholonomic = rows_of(model.nonholonomic, rows.subspan(static_cast<std::size_t>(middle)), holonomic);
  return out;
}

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Redundancy::Redundancy(const System& whole, std::span<const double> q, std::span<const double> v)
    : whole_(&whole),
      n_(whole.n()),
      m_(whole.m()),
      holonomic_(whole.holonomic()),
      q0_(q.begin(), q.end()),
      v0_(v.begin(), v.end()) {
  if (whole.has_families())
    throw Error(fmt::format(
        "--redundant minimum-norm works on single constraints, and '{}' has families of more than {} members. "
        "Remove what is redundant",
        whole.model().key, 256));
  const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  const Mechanical& f = whole.mechanical();
  std::vector<NodeId> nodes;
  for (const auto& row : f.K) nodes.insert(nodes.end(), row.begin(), row.end());
  g_at_ = nodes.size();
  nodes.insert(nodes.end(), f.g.begin(), f.g.end());
  k_at_ = nodes.size();
  nodes.insert(nodes.end(), f.k.begin(), f.k.end());
  const auto with_terms = [&](const std::vector<NodeId>& functions, std::vector<std::int32_t>& begin) {
    for (const NodeId id : functions) {
      begin.push_back(static_cast<std::int32_t>(nodes.size()));
      collect_terms(f.graph, id, nodes);
    }
    begin.push_back(static_cast<std::int32_t>(nodes.size()));
  };
  with_terms(f.g, g_terms_);
  with_terms(f.k, k_terms_);
  mass_at_ = nodes.size();
  for (const auto& row : f.Lvv) nodes.insert(nodes.end(), row.begin(), row.end());
  values_.emplace(f.graph, nodes, n_, m_);

  Graph g = f.graph;  // accelerations stand in the place of multipliers, which constraints do not contain
  std::vector<NodeId> rates;
  for (const NodeId k : f.k)
    rates.push_back(tangent(g, k, [&](NodeId id) {
      const Node x = g[id];
      if (x.space == kTime) return g.one();
      if (x.space == kPosition) return g.variable(kVelocity, x.base());
      return x.space == kVelocity ? g.variable(kMultiplier, x.base()) : g.zero();
    }));
  rates_.emplace(g, rates, n_, std::max(n_, m_));

  q_.resize(n);
  v_.resize(n);
  mass_.resize(n * n);
  factor_.resize(n * n);
  rows_.resize(m * n);
  left_.resize(m * n);
  basis_.resize(m * n);
  triangle_.resize(m * m);
  for (auto* list : {&length_, &usual_length_, &size_, &c_}) list->resize(m);
  done_.resize(m);
  chosen_.resize(m);
  priority_.resize(m);
  picked_.reserve(m);
  smallest_.resize(kPriorities);

  weigh(model().t0, q, v);
  adds_inertia_ = !weights_.empty();
}

// A quaternion's radial direction has no inertia: the metric gets that of the constraints (see inertia.hpp).
void Redundancy::weigh(double t, std::span<const double> q, std::span<const double> v) {
  const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  const Mechanical& f = whole_->mechanical();
  weights_.clear();
  without_inertia_.clear();
  const auto x = (*values_)(t, q, v);
  std::vector<double> typical(n, 0.0);
  double heaviest = 0.0;
  const std::span<const double> M = x.subspan(mass_at_, n * n);
  for (std::size_t i = 0; i < n; ++i) heaviest = std::fmax(heaviest, std::fabs(M[i * n + i]));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      if (!f.graph.is_constant(f.Lvv[i][j], 0.0)) typical[i] = std::fmax(typical[i], std::fabs(M[j * n + j]));
    if (!(typical[i] > 0.0)) typical[i] = heaviest > 0.0 ? heaviest : 1.0;
  }
  Eigen::MatrixXd scaled(n_, n_);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      scaled(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          M[i * n + j] / std::sqrt(typical[i] * typical[j]);
  constexpr double kSingular = 1e-12;
  const bool finite = n > 0 && scaled.allFinite();
  const linalg::SymmetricEigen eigen = finite ? linalg::symmetric_eigen(scaled) : linalg::SymmetricEigen{};
  const bool regular = finite && eigen.values.minCoeff() > kSingular;
  for (Eigen::Index j = 0; finite && j < n_; ++j) {
    double share = 0.0;
    for (Eigen::Index e = 0; e < n_; ++e)
      if (!(eigen.values(e) > kSingular)) share = std::fmax(share, std::fabs(eigen.vectors(j, e)));
    if (share > 1e-6) without_inertia_.push_back(model().coordinates[static_cast<std::int32_t>(j)]);
  }
  if (!regular)
    for (std::size_t i = 0; i < m; ++i) {
      double size = 0.0;
      for (std::size_t j = 0; j < n; ++j) size += x[i * n + j] * x[i * n + j] / typical[j];
      weights_.push_back(size > 0.0 ? 1.0 / size : 0.0);
    }
  constant_mass_ = f.mass.has_value() && weights_.empty();
  if (constant_mass_) metric(M);
  std::fill(usual_length_.begin(), usual_length_.end(), 0.0);
  (void)look(t, q, v);
  usual_length_ = length_;
}

bool Redundancy::set_parameters(std::span<const double> values, double t, std::span<const double> q,
                                std::span<const double> v) {
  if (adds_inertia_) return false;
  for (const auto& s : subsets_)
    if (!s->system->take_parameters(values)) return false;
  parameters_.assign(values.begin(), values.end());
  for (std::optional<Evaluator>* const each : {&values_, &rates_}) (*each)->set_parameters(values);
  weigh(t, q, v);
  return weights_.empty();
}

int Redundancy::number_of(const std::vector<char>& kept) {
  for (std::size_t i = 0; i < subsets_.size(); ++i)
    if (subsets_[i]->kept == kept) return static_cast<int>(i);
  auto made = std::make_unique<Subset>();
  made->kept = kept;
  for (std::int32_t i = 0; i < m_; ++i)
    if (kept[static_cast<std::size_t>(i)] != 0) made->rows.push_back(i);
  const bool all = static_cast<std::int32_t>(made->rows.size()) == m_;
  if (!all && whole_->multiplier_forces()) {
    std::vector<std::string> names;
    for (std::int32_t i = 0; i < m_; ++i)
      if (kept[static_cast<std::size_t>(i)] == 0) names.push_back(model().multiplier_name(i));
    throw Error(
        fmt::format("--redundant minimum-norm: '{}' {} from the other constraints, and a force contains lambda(...), "
                    "which is then not determined. Remove what is redundant",
                    fmt::join(names, "', '"), names.size() == 1 ? "follows" : "follow"));
  }
  made->model = all ? std::make_unique<Model>(model()) : with_rows(model(), made->rows);
  made->model->q0 = q0_;
  made->model->v0 = v0_;
  AddedInertia added = whole_->mechanical().added;
  if (!all && added.c.empty()) added = {weights_, without_inertia_};
  if (!added.c.empty()) {
    std::vector<double> c;
    for (const std::int32_t i : made->rows) c.push_back(added.c[static_cast<std::size_t>(i)]);
    added.c = std::move(c);
  }
  made->system = std::make_unique<System>(*made->model, all || added.c.empty() ? nullptr : &added);
  if (!parameters_.empty() && !made->system->take_parameters(parameters_))
    throw Error("--redundant minimum-norm: with these parameters the constraints have to be looked at anew");
  subsets_.push_back(std::move(made));
  return static_cast<int>(subsets_.size()) - 1;
}

std::vector<std::string> Redundancy::dropped(int number) const {
  std::vector<std::string> out;
  const Subset& s = subset(number);
  for (std::int32_t i = 0; i < m_; ++i)
    if (s.kept[static_cast<std::size_t>(i)] == 0) out.push_back(model().multiplier_name(i));
  return out;
}

// Cholesky's factor of the metric. Directions that have next to no inertia are given that of their coordinate: what is at
// stake is only the order of the rows.
void Redundancy::metric(std::span<const double> mass) {
  const auto n = static_cast<std::size_t>(n_);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = mass[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= factor_[i * n + k] * factor_[j * n + k];
      if (j < i) {
        factor_[i * n + j] = sum / factor_[j * n + j];
        continue;
      }
      const double own = std::fabs(mass[i * n + i]);
      if (!(sum > 1e-12 * own)) sum = own > 0.0 ? own : 1.0;
      factor_[i * n + i] = std::sqrt(sum);
    }
}

bool Redundancy::look(double t, std::span<const double> q, std::span<const double> v) {
  const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(v.begin(), v.end(), v_.begin());
  const std::span<const double> x = (*values_)(t, q, v);
  x_.assign(x.begin(), x.end());
  bool finite = true;
  for (std::size_t i = 0; i < mass_at_ + n * n; ++i) finite = finite && std::isfinite(x_[i]);
  if (!finite) return false;
  if (!constant_mass_) {
    std::copy_n(x_.begin() + static_cast<std::ptrdiff_t>(mass_at_), n * n, mass_.begin());
    for (std::size_t i = 0; i < weights_.size(); ++i)
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b) mass_[a * n + b] += weights_[i] * x_[i * n + a] * x_[i * n + b];
    metric(mass_);
  }
  for (std::size_t i = 0; i < m; ++i) {
    double* const y = &rows_[i * n];
    for (std::size_t a = 0; a < n; ++a) {
      double sum = x_[i * n + a];
      for (std::size_t b = 0; b < a; ++b) sum -= factor_[a * n + b] * y[b];
      y[a] = sum / factor_[a * n + a];
    }
    length_[i] = std::sqrt(dot(y, y, n));
    const bool zero = !(length_[i] > 1e-10 * usual_length_[i]);
    for (std::size_t a = 0; a < n; ++a) y[a] = zero ? 0.0 : y[a] / length_[i];
  }
  return true;
}

void Redundancy::factor(double tolerance) {
  const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  left_ = rows_;
  picked_.clear();
  std::fill(done_.begin(), done_.end(), char{0});
  std::fill(smallest_.begin(), smallest_.end(), 1.0);
  for (std::size_t i = 0; i < m; ++i) size_[i] = std::sqrt(dot(&left_[i * n], &left_[i * n], n));
  for (std::int32_t p = 0; p < kPriorities; ++p) {
    for (;;) {
      double largest = 0.0;
      for (std::size_t i = 0; i < m; ++i)
        if (done_[i] == 0 && priority_[i] == p) largest = std::fmax(largest, size_[i]);
      if (!(largest > tolerance)) break;
      std::size_t next = 0;
      while (done_[next] != 0 || priority_[next] != p || size_[next] < prefer_ * largest) ++next;
      double* const row = &left_[next * n];
      for (std::size_t k = 0; k < picked_.size(); ++k) {  // once more: what was left may be mostly rounding errors
        const double part = dot(row, &basis_[k * n], n);
        for (std::size_t j = 0; j < n; ++j) row[j] -= part * basis_[k * n + j];
      }
      const double size = std::sqrt(dot(row, row, n));
      size_[next] = size;
      if (!(size > tolerance)) continue;
      double* const b = &basis_[picked_.size() * n];
      for (std::size_t j = 0; j < n; ++j) b[j] = row[j] / size;
      done_[next] = 1;
      picked_.push_back(static_cast<std::int32_t>(next));
      smallest_[static_cast<std::size_t>(p)] = std::fmin(smallest_[static_cast<std::size_t>(p)], size);
      for (std::size_t i = 0; i < m; ++i) {
        if (done_[i] != 0) continue;
        double* const other = &left_[i * n];
        const double part = dot(other, b, n);
        for (std::size_t j = 0; j < n; ++j) other[j] -= part * b[j];
        size_[i] = std::sqrt(dot(other, other, n));
      }
    }
    if (p == 0) count_ = picked_.size();
  }
}

Redundancy::Standing Redundancy::standing(const std::vector<char>& kept) {
  const auto m = static_cast<std::size_t>(m_);
  Standing out;
  // Where the kept rows do not hold to rounding, the others need not follow to rounding.
  double off = 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    if (kept[i] == 0) continue;
    if (i < static_cast<std::size_t>(holonomic_)) {
      double size = largest_term(g_terms_, i);
      for (std::size_t j = 0; j < q_.size(); ++j) size = std::fmax(size, std::fabs(x_[i * q_.size() + j] * q_[j]));
      if (size > 0.0) off = std::fmax(off, std::fabs(x_[g_at_ + i]) / size);
    }
  }
  for (std::size_t i = 0; i < m; ++i) priority_[i] = kept[i] != 0 ? 0 : 1;
  prefer_ = 1.0;
  factor(std::fmax(kRankTolerance, 100.0 * std::fmin(off, 1e-4)));
  out.rank = static_cast<std::int32_t>(picked_.size());
  std::size_t rows = 0;
  for (std::size_t i = 0; i < m; ++i) {
    if (kept[i] != 0) ++rows;
    if (kept[i] == 0 && done_[i] == 0) out.remainder = std::fmax(out.remainder, size_[i]);
  }
  out.regular = count_ == rows;
  out.complete = picked_.size() == count_;
  out.smallest = out.regular ? smallest_[0] : 0.0;
  return out;
}

const std::vector<char>& Redundancy::choose(std::int32_t first) {
  constexpr double kPrefer = 0.5;  // of rows whose remainders differ by less, the one that is written first
  for (std::int32_t i = 0; i < m_; ++i)
    priority_[static_cast<std::size_t>(i)] = i == first ? 0 : i < holonomic_ ? 1 : 2;
  prefer_ = kPrefer;
  factor(kRankTolerance);
  std::fill(chosen_.begin(), chosen_.end(), char{0});
  for (const std::int32_t i : picked_) chosen_[static_cast<std::size_t>(i)] = 1;
  return chosen_;
}

double Redundancy::largest_term(const std::vector<std::int32_t>& begin, std::size_t row) const {
  double size = 0.0;
  for (std::int32_t i = begin[row]; i < begin[row + 1]; ++i)
    size = std::fmax(size, std::fabs(x_[static_cast<std::size_t>(i)]));
  return size;
}

void Redundancy::coefficients(std::size_t row) {
  const auto n = static_cast<std::size_t>(n_);
  for (std::size_t k = count_; k-- > 0;) {
    double sum = dot(&rows_[row * n], &basis_[k * n], n);
    for (std::size_t j = k + 1; j < count_; ++j) sum -= c_[j] * triangle_[j * count_ + k];
    c_[k] = sum / triangle_[k * count_ + k];
  }
  for (std::size_t k = 0; k < count_; ++k) c_[k] *= length_[row] / length_[static_cast<std::size_t>(picked_[k])];
}

Redundancy::Violation Redundancy::violation(const std::vector<char>& kept, double h) {
  // Relative to the terms; what the kept rows leave, in the share that they have in the row; velocities that come from
  // positions have their rounding errors over h.
  constexpr double kRounding = 1e-11, kShare = 10.0;
  const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  const auto holonomic = static_cast<std::size_t>(holonomic_);
  const auto scale = [&](std::size_t row, const std::vector<double>& x) {
    double size = 0.0;
    for (std::size_t j = 0; j < n; ++j) size += std::fabs(x_[row * n + j] * x[j]);
    return size;
  };
  for (std::size_t j = 0; j < count_; ++j)
    for (std::size_t k = 0; k <= j; ++k)
      triangle_[j * count_ + k] = dot(&rows_[static_cast<std::size_t>(picked_[j]) * n], &basis_[k * n], n);
  double off = 0.0;
  for (std::size_t i = 0; i < holonomic; ++i)
    if (kept[i] != 0)
      if (const double size = std::fmax(scale(i, q_), largest_term(g_terms_, i)); size > 0.0)
        off = std::fmax(off, std::fabs(x_[g_at_ + i]) / size);
  Violation out;
  double worst = 1.0;
  const auto see = [&](std::size_t row, bool position, double value, double allowed) {
    if (std::fabs(value) <= worst * allowed) return;
    worst = std::fabs(value) / std::fmax(allowed, 1e-300);
    out = {static_cast<std::int32_t>(row), position, value};
  };
  for (std::size_t i = 0; i < m; ++i) {
    if (kept[i] != 0) continue;
    coefficients(i);
    const double length = scale(i, q_), speed = scale(i, v_);
    double g_share = 0.0, k_share = 0.0, noise = 0.0;
    for (std::size_t k = 0; k < count_; ++k) {
      const auto row = static_cast<std::size_t>(picked_[k]);
      const double share = std::fabs(c_[k]);
      if (row < holonomic) g_share += share * std::fabs(x_[g_at_ + row]);
      k_share += share * std::fabs(x_[k_at_ + row]);
      noise = std::fmax(noise, share * scale(row, q_));
    }
    if (i < holonomic)
      see(i, true, x_[g_at_ + i],
          kRounding * std::fmax(length, largest_term(g_terms_, i)) + kShare * g_share + 1e-2 * kRounding * noise);
    see(i, false, x_[k_at_ + i],
        (kRounding + kShare * off) * std::fmax(speed, largest_term(k_terms_, i)) + kShare * k_share +
            100.0 * kEps * std::fmax(length, noise) / std::fabs(h));
  }
  return out;
}

void Redundancy::spread(const std::vector<char>& kept, std::span<const double> multipliers, std::span<double> all) {
  const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  for (std::size_t j = 0; j < count_; ++j)
    for (std::size_t k = 0; k <= j; ++k)
      triangle_[j * count_ + k] = dot(&rows_[static_cast<std::size_t>(picked_[j]) * n], &basis_[k * n], n);
  std::vector<Eigen::Index> place(m, -1);  // among the kept rows, in their order
  Eigen::Index r = 0;
  for (std::size_t i = 0; i < m; ++i)
    if (kept[i] != 0) place[i] = r++;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(r, static_cast<Eigen::Index>(m));
  Eigen::VectorXd b(r);
  for (Eigen::Index i = 0; i < r; ++i) b(i) = multipliers[static_cast<std::size_t>(i)];
  for (std::size_t i = 0; i < m; ++i) {
    if (place[i] >= 0) {
      A(place[i], static_cast<Eigen::Index>(i)) = 1.0;
      continue;
    }
    coefficients(i);
    for (std::size_t k = 0; k < count_; ++k)
      A(place[static_cast<std::size_t>(picked_[k])], static_cast<Eigen::Index>(i)) = c_[k];
  }
  const Eigen::VectorXd x = linalg::least_norm_solution(A, b);
  for (std::size_t i = 0; i < m; ++i) all[i] = x(static_cast<Eigen::Index>(i));
}

std::vector<std::string> Redundancy::only_on_constraints(int number) {
  if (holonomic_ == 0) return {};
  const std::vector<double> q = q_, v = v_;
  const Subset& s = subset(number);
  double size = 0.0, speed = 0.0;
  for (const double x : q) size = std::fmax(size, std::fabs(x));
  for (const double x : v) speed = std::fmax(speed, std::fabs(x));
  std::vector<char> found(static_cast<std::size_t>(m_), 0);
  std::uint32_t seed = 12345;
  const auto random = [&] {  // in [-1, 1]
    seed = seed * 1664525u + 1013904223u;
    return 2.0 * static_cast<double>(seed >> 8) / 16777216.0 - 1.0;
  };
  for (int trial = 0; trial < 2; ++trial) {
    constexpr double kAway = 1e-3;
    std::vector<double> near = q, fast = v;
    for (double& x : near) x += kAway * random() * std::fmax(std::fabs(x), size > 0.0 ? 0.1 * size : 1.0);
    for (double& x : fast) x += kAway * random() * (speed > 0.0 ? speed : 1.0);
    if (!look(model().t0, near, fast)) continue;
    for (std::size_t i = 0; i < found.size(); ++i) priority_[i] = s.kept[i] != 0 ? 0 : 1;
    prefer_ = 1.0;
    factor(kRankTolerance);
    for (std::size_t k = count_; k < picked_.size(); ++k)
      if (size_[static_cast<std::size_t>(picked_[k])] > 1e-6) found[static_cast<std::size_t>(picked_[k])] = 1;
  }
  (void)look(model().t0, q, v);
  std::vector<std::string> out;
  for (std::int32_t i = 0; i < m_; ++i)
    if (found[static_cast<std::size_t>(i)] != 0) out.push_back(model().multiplier_name(i));
  return out;
}

double Redundancy::acceleration_defect(double t, std::span<const double> q, std::span<const double> v,
                                       std::span<const double> a) {
  const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  if (!look(t, q, v)) return INFINITY;
  const auto rate = (*rates_)(t, q, v, a);
  // Where the motion has no acceleration along a row, all its terms are the rounding errors of accelerations elsewhere:
  // |K_i a| is at most length_[i] times the length of a in the metric.
  constexpr double kElsewhere = 1e-6;
  double all = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    double sum = 0.0;
    for (std::size_t j = k; j < n; ++j) sum += factor_[j * n + k] * a[j];
    all += sum * sum;
  }
  all = kElsewhere * std::sqrt(all);
  double worst = 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    double part = 0.0, own = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      part += x_[i * n + j] * a[j];
      own += std::fabs(x_[i * n + j] * a[j]);
    }
    const double size = std::fmax(std::fmax(own, all * length_[i]), std::fabs(rate[i] - part));
    if (rate[i] != 0.0) worst = std::fmax(worst, std::fabs(rate[i]) / std::fmax(size, 1e-300));
  }
  return worst;
}

// --- the acceleration level of a system with such constraints

Acceleration::Acceleration(std::shared_ptr<Redundancy> redundancy, std::size_t n)
    : n_(n), m_(static_cast<std::size_t>(redundancy->m())), redundancy_(std::move(redundancy)), all_(n_ + m_, 0.0) {}

bool Acceleration::solve_least_norm(double t, std::span<const double> q, std::span<const double> v) {
  // Of k' relative to its terms. Above it the rows that are left do not determine the acceleration, as where a rank is lost
  // at one moment. Between steps a state is off the constraints by what interpolation costs.
  constexpr double kDefect = 1e-4;
  Redundancy& r = *redundancy_;
  const auto fail = [&](const char* reason) {
    report_.ok = false;
    report_.reason = reason;
    return false;
  };
  if (!r.look(t, q, v)) return fail("the constraints have no finite gradient there");
  int set = set_;
  if (set < 0 || !r.standing(r.subset(set).kept).regular) {
    set = r.number_of(r.choose());
    if (set_ >= 0 && r.subset(set).rows.size() < r.subset(set_).rows.size())
      return fail("the constraints lose rank there and do not determine their multipliers");
    (void)r.standing(r.subset(set).kept);
  }
  const Redundancy::Subset& s = r.subset(set);
  if (parts_.size() <= static_cast<std::size_t>(set)) parts_.resize(static_cast<std::size_t>(set) + 1);
  std::unique_ptr<Acceleration>& part = parts_[static_cast<std::size_t>(set)];
  if (!part) part = s.system->acceleration();
  std::vector<double> guess;
  for (const std::int32_t i : s.rows) guess.push_back(all_[n_ + static_cast<std::size_t>(i)]);
  part->set_guess(guess);
  part->set_refine(refine_);
  kept_ = s.kept;
  const bool solved = part->solve(t, q, v);
  report_ = part->report();
  if (!solved) return false;
  std::copy(part->acceleration().begin(), part->acceleration().end(), all_.begin());
  r.spread(s.kept, part->multipliers(), std::span(all_).subspan(n_));
  if (s.rows.size() < m_ && r.acceleration_defect(t, q, v, part->acceleration()) > kDefect)
    return fail("the constraints lose rank there and do not determine their multipliers");
  return true;
}

}  // namespace rattleback
