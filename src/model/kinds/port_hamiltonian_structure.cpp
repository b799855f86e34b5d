#include "model/kinds/port_hamiltonian_structure.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "expr/scalars.hpp"
#include "expr/terms.hpp"
#include "expr/vectors.hpp"
#include "linalg/decompositions.hpp"

namespace rattleback {
namespace {

using What = StructureFault::What;
using Matrix = PortHamiltonian::Matrix;

constexpr double kIdentity = 1e-10;     // of the largest term
constexpr double kSameEntry = 1e-12;    // of the larger entry
constexpr double kIndefinite = -1e-12;  // eigenvalue of W, scaled to a diagonal of ones

}  // namespace

PortHamiltonianStructure::PortHamiltonianStructure(const PortHamiltonian& system)
    : states_(system.states), inputs_(system.input_names) {
  PortHamiltonian f = system;
  Graph& g = f.graph;
  std::vector<NodeId> nodes;
  const auto compare = [&](const std::string& matrix, const Matrix& m, bool skew) {
    for (std::size_t i = 0; i < m.size(); ++i)
      for (std::size_t j = skew ? i : i + 1; j < m.size(); ++j) {
        const NodeId across = skew ? g.neg(m[j][i]) : m[j][i];
        if (m[i][j] == across || (i == j && g.is_constant(m[i][j], 0.0))) continue;
        pairs_.push_back({skew ? What::skew : What::symmetric, matrix, static_cast<std::int32_t>(i),
                          static_cast<std::int32_t>(j), nodes.size()});
        nodes.insert(nodes.end(), {m[i][j], m[j][i]});
      }
  };
  compare("J", f.J, true);
  compare("R", f.R, false);
  compare("S", f.S, false);
  compare("N", f.N, true);

  const auto identity = [&](What what, std::int32_t state, NodeId left, NodeId right) {
    if (left == right) return;
    Identity i{what, state, nodes.size(), 0};
    nodes.insert(nodes.end(), {left, right});
    collect_terms(g, left, nodes);
    collect_terms(g, right, nodes);
    i.terms = nodes.size() - i.first - 2;
    identities_.push_back(i);
  };
  const std::vector<NodeId> gradient = scalars(g, rattleback::gradient(g, f.H, kPosition), f.n);
  for (std::int32_t j = 0; j < f.n; ++j) {
    NodeId sum = g.zero();
    for (std::size_t i = 0; i < f.z.size(); ++i) sum = g.add(sum, g.mul(f.E[i][at(j)], f.z[i]));
    identity(What::gradient, j, gradient[at(j)], sum);
  }
  identity(What::time, 0, scalars(g, rattleback::gradient(g, f.H, kTime), 1)[0], dot(g, f.z, f.r));

  W_ = nodes.size();
  const std::int32_t n = f.n, all = f.n + f.inputs;
  for (std::int32_t i = 0; i < all; ++i)
    for (std::int32_t j = 0; j < all; ++j) {
      const NodeId e = i < n ? (j < n ? f.R[at(i)][at(j)] : f.P[at(i)][at(j - n)])
                             : (j < n ? f.P[at(j)][at(i - n)] : f.S[at(i - n)][at(j - n)]);
      fixed_W_ = fixed_W_ && g.is_constant(e);
      nodes.push_back(e);
    }
  values_.emplace(g, nodes, n, 0);
}

std::optional<StructureFault> PortHamiltonianStructure::indefinite(const double* W) const {
  const auto size = static_cast<Eigen::Index>(states_.size() + inputs_.size());
  const auto states = static_cast<Eigen::Index>(states_.size());
  Eigen::MatrixXd m = Eigen::Map<const linalg::RowMajorXd>(W, size, size);
  if (!m.allFinite() || m.isZero(0.0)) return {};
  const auto label = [&](Eigen::Index i) {
    return i < states ? states_[static_cast<std::size_t>(i)] : inputs_[static_cast<std::size_t>(i - states)];
  };
  const auto entry = [&](Eigen::Index i, Eigen::Index j) {
    const bool p = (i < states) != (j < states);
    return p ? fmt::format("`{}` of [P.{}]", label(std::min(i, j)), label(std::max(i, j)))
             : fmt::format("`{},{}` of {}", label(i), label(j), i < states ? "R" : "S");
  };
  const auto fault = [&](Eigen::Index i, Eigen::Index j, const std::string& why) {
    return StructureFault{What::semidefinite,
                          i < states && j < states   ? "R"
                          : i < states || j < states ? "P"
                                                     : "S",
                          static_cast<std::int32_t>(i < states ? i : i - states),
                          static_cast<std::int32_t>(j < states ? j : j - states),
                          "W = [R P; P^T S] is not positive semidefinite: " + why};
  };
  for (Eigen::Index i = 0; i < size; ++i)
    if (m(i, i) < 0.0) return fault(i, i, fmt::format("entry {} is {:.6g}", entry(i, i), m(i, i)));
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j < size; ++j)
      if (i != j && m(i, i) == 0.0 && m(i, j) != 0.0)
        return fault(std::min(i, j), std::max(i, j),
                     fmt::format("entry {} is {:.6g}, but entry {} is 0", entry(std::min(i, j), std::max(i, j)),
                                 m(i, j), entry(i, i)));
  Eigen::VectorXd root = m.diagonal().cwiseSqrt();
  for (double& x : root) x = x > 0.0 ? 1.0 / x : 1.0;
  const Eigen::MatrixXd scaled = root.asDiagonal() * m * root.asDiagonal();
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(scaled);
  if (eigen.values(0) >= kIndefinite * static_cast<double>(size)) return {};
  Eigen::VectorXd w = root.asDiagonal() * eigen.vectors.col(0);
  Eigen::Index big = 0;
  w /= w.cwiseAbs().maxCoeff(&big);
  if (w(big) < 0.0) w = -w;
  std::string direction;
  std::vector<Eigen::Index> part;
  for (Eigen::Index i = 0; i < size; ++i) {
    if (std::fabs(w(i)) < 1e-3) continue;
    part.push_back(i);
    direction += fmt::format("{}{:.3g} {}", direction.empty() ? (w(i) < 0.0 ? "-" : "") : (w(i) < 0.0 ? " - " : " + "),
                             std::fabs(w(i)), label(i));
  }
  const Eigen::Index a = part.front(), b = part.size() > 1 ? part[1] : part[0];
  return fault(
      a, b,
      fmt::format("w^T W w is {:.3g} for w = {}; see entry {}", w.dot(linalg::product(m, w)), direction, entry(a, b)));
}

std::optional<StructureFault> PortHamiltonianStructure::identity_fault(double t, std::span<const double> x) {
  const std::span<const double> v = (*values_)(t, x);
  // Numbers that are nothing beside the others (nearly underflowing ones, for example) are not compared digit by digit.
  double largest = 0.0;
  for (const Identity& i : identities_)
    if (std::isfinite(v[i.first])) largest = std::fmax(largest, std::fabs(v[i.first]));
  const double floor = std::fmax(std::numeric_limits<double>::epsilon() * kIdentity * largest, 1e-290);
  for (const Identity& i : identities_) {
    const double left = v[i.first], right = v[i.first + 1];
    double size = std::fmax(std::fabs(left), std::fabs(right));
    for (std::size_t k = 0; k < i.terms; ++k) size = std::fmax(size, std::fabs(v[i.first + 2 + k]));
    if (!std::isfinite(left) || !std::isfinite(right) || !std::isfinite(size)) continue;
    if (std::fabs(left - right) <= kIdentity * size + floor) continue;
    if (i.what == What::time)
      return StructureFault{i.what, "r", 0, 0,
                            fmt::format("dH/dt = z^T r does not hold: dH/dt is {:.6g}, z^T r is {:.6g}", left, right)};
    return StructureFault{i.what, "E", i.state, 0,
                          fmt::format("grad H = E^T z does not hold at `{}`: dH/d({}) is {:.6g}, (E^T z) is {:.6g}",
                                      states_[at(i.state)], states_[at(i.state)], left, right)};
  }
  return {};
}

std::optional<StructureFault> PortHamiltonianStructure::fault(double t, std::span<const double> x) {
  if (auto found = identity_fault(t, x)) return found;
  const std::span<const double> v = (*values_)(t, x);
  for (const Pair& p : pairs_) {
    const double here = v[p.first], there = v[p.first + 1], asked = p.what == What::skew ? -here : here;
    if (!std::isfinite(here) || !std::isfinite(there)) continue;
    if (std::fabs(there - asked) <= kSameEntry * std::fmax(std::fabs(here), std::fabs(there))) continue;
    const char* const adjective = p.what == What::skew ? "skew" : "symmetric";
    const std::string &row = name(p.matrix, p.row), &col = name(p.matrix, p.col);
    if (p.row == p.col)
      return StructureFault{
          p.what, p.matrix, p.row, p.col,
          fmt::format("{} is not skew: entry `{},{}` is {:.6g}, and the diagonal of a skew matrix is 0", p.matrix, row,
                      col, here)};
    return StructureFault{p.what, p.matrix, p.row, p.col,
                          fmt::format("{} is not {}: entry `{},{}` is {:.6g}, but entry `{},{}` asks for {:.6g}",
                                      p.matrix, adjective, col, row, there, row, col, asked)};
  }
  if (fixed_W_ && seen_W_) return {};
  auto found = indefinite(v.data() + W_);
  seen_W_ = !found;
  return found;
}

}  // namespace rattleback
