#include "system/families/family_inertia.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "system/families/family_values.hpp"

namespace rattleback {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Eigen::VectorXd;

// The inertia that is typical of each coordinate: the largest among those with which it shares a place of L_vv.
VectorXd typical_inertia(const Sparse& M) {
  const VectorXd own = M.diagonal();
  VectorXd out = own;
  for (Eigen::Index j = 0; j < M.outerSize(); ++j)
    for (Sparse::InnerIterator it(M, j); it; ++it) out(it.row()) = std::fmax(out(it.row()), own(j));
  const double most = own.size() > 0 ? own.maxCoeff() : 0.0;
  for (double& x : out)
    if (!(x > 0.0)) x = most;
  return out;
}

class Choice {
 public:
  Choice(const FamilyMechanical& f, const Sparse& M, const Rows& K) : f_(f), M_(M), K_(K) {
    const VectorXd typical = typical_inertia(M_);
    weight_ = VectorXd::Zero(K_.rows());
    for (std::size_t e = 0; e < f.k.size(); ++e) {
      Eigen::Index elements = 0;
      each_row(e, [&](Eigen::Index row) {
        double square = 0.0;
        Eigen::Index count = 0;
        for (Rows::InnerIterator it(K_, row); it; ++it, ++count) square += it.value() * it.value() / typical(it.col());
        if (square > 0.0 && std::isfinite(square)) weight_(row) = 1.0 / square;
        elements = std::max(elements, count);
      });
      kinds_[elements].push_back(e);
    }
  }

  // The weights with which L_vv is positive; empty: there are none.
  std::vector<double> find() {
    std::vector<Eigen::Index> taken;
    VectorXd c = VectorXd::Zero(K_.rows());
    const auto set = [&](Eigen::Index kind, bool on) {
      for (const std::size_t e : kinds_.at(kind))
        each_row(e, [&](Eigen::Index row) { c(row) = on ? weight_(row) : 0.0; });
    };
    bool positive = false;
    for (auto kind = kinds_.begin(); kind != kinds_.end() && !positive; ++kind) {
      set(kind->first, true);
      taken.push_back(kind->first);
      positive = is_positive_with(c);
    }
    if (!positive) return {};
    // The last kind was needed; one before it perhaps not.
    for (std::size_t i = taken.size() - 1; i-- > 0;) {
      set(taken[i], false);
      if (!is_positive_with(c)) set(taken[i], true);
    }
    return {c.begin(), c.end()};
  }

 private:
  template <class What>
  void each_row(std::size_t e, const What& what) const {
    for (std::int32_t i = 0; i < std::max<std::int32_t>(1, f_.k[e].count); ++i) what(f_.k[e].row.at(i));
  }

  bool is_positive_with(const VectorXd& c) const {
    const Sparse K = K_;
    return is_positive(Sparse(M_ + Sparse(K.transpose() * Sparse(c.asDiagonal() * K))));
  }

  const FamilyMechanical& f_;
  Sparse M_;
  Rows K_;
  VectorXd weight_;                                         // of each row
  std::map<Eigen::Index, std::vector<std::size_t>> kinds_;  // entries of k by the elements in a row
};

// What the rows of a choice stop: the coordinates of the first member of each.
std::vector<std::string> stopped(const FamilyMechanical& f, const Model& model, const Rows& K,
                                 const std::vector<double>& c) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> out;
  bool more = false;
  for (std::size_t e = 0; e < f.k.size(); ++e) {
    if (c[static_cast<std::size_t>(f.k[e].row.at(0))] == 0.0) continue;
    more = more || f.k[e].count > 1;
    for (Rows::InnerIterator it(K, f.k[e].row.at(0)); it; ++it) {
      const std::string name = model.coordinates[static_cast<std::int32_t>(it.col())];
      if (it.value() == 0.0 || std::find(out.begin(), out.end(), name) != out.end()) continue;
      if (out.size() < kShown)
        out.push_back(name);
      else
        more = true;
    }
  }
  if (more && !out.empty()) out.back() += " and others like them";
  return out;
}

}  // namespace

AddedInertia family_inertia(const FamilyMechanical& f, const Model& model) {
  AddedInertia out;
  // A constant diagonal mass has zeros that are meant (a mass of exactly 0), and methods that do without.
  if (f.m == 0 || (is_diagonal(f.mass) && !depends_on_motion(f.graph, f.mass))) return out;
  const Sparse M = sparse_value(f.graph, f.mass, f.n, f.n, f.n, f.m, model.t0, model.q0, model.v0);
  if (!M.coeffs().allFinite() || !(M.diagonal().array() >= 0.0).all() || is_positive(M)) return out;
  const Rows K = sparse_value(f.graph, f.K, f.m, f.n, f.n, f.m, model.t0, model.q0, model.v0);
  if (!K.coeffs().allFinite()) return out;
  out.c = Choice(f, M, K).find();
  if (!out.c.empty()) out.without_inertia = stopped(f, model, K, out.c);
  return out;
}

}  // namespace rattleback
