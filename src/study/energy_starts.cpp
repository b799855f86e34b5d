// Random starts on the surface of an energy E that satisfy the constraints.
//
// Positions: drawn about the start and moved onto g = 0 (system/start/start.hpp). Velocities: the constraints K v + k0 = 0 leave
//
//   v = v1 + N w,     K N = 0,   N^T M N = 1,   K v1 = -k0,   N^T M v1 = 0,      M = L_vv
//
// so that E(q, v) = E(q, v1) + |w|^2/2: w is uniform on a sphere about 0, of radius sqrt(2 (E - E(q, v1))), and the columns of N
// are any basis, since the sphere is the same in all of them. A direction is that of independent normal numbers [Muller1959].
#include <cmath>

#include <fmt/format.h>

#include "expr/evaluator.hpp"
#include "expr/traverse.hpp"
#include "linalg/decompositions.hpp"
#include "model/kind_facts.hpp"
#include "rattleback/error.hpp"
#include "study/members.hpp"
#include "study/random.hpp"
#include "system/start/start.hpp"
#include "system/start/start_residuals.hpp"

namespace rattleback {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd vector_of(std::span<const double> x) {
  return Eigen::Map<const VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

class EnergySurface {
 public:
  EnergySurface(const Model& model, double energy, const std::vector<Spread>& spreads)
      : model_(model), energy_(energy), system_(checked(model)), f_(system_.mechanical()) {
    if (depends_on(f_.graph, flat(f_.written.Lvv), kVelocity))
      throw Error("--energy: the mass matrix depends on velocities, and only a quadratic kinetic energy is drawn from");
    if (!f_.linear_constraints)
      throw Error("--energy: a constraint is not linear in the velocities, and only linear ones are drawn from");
    M_.emplace(f_.graph, flat(f_.written.Lvv), f_.n, f_.m);
    K_.emplace(f_.graph, flat(f_.K), f_.n, f_.m);
    k_.emplace(f_.graph, f_.k, f_.n, f_.m);
    E_.emplace(f_.graph, std::vector<NodeId>{f_.energy}, f_.n, f_.m);
    for (const Spread& spread : spreads) {
      check_name(model, "--spread", spread.name);
      const auto i = model.coordinates.find(spread.name);
      if (!i)
        throw Error(
            fmt::format("--spread {0}: with --energy positions are spread, and velocities follow from the energy; "
                        "'{0}' is no position",
                        spread.name));
      if (!std::isfinite(spread.sigma) || spread.sigma < 0.0)
        throw Error(fmt::format("--spread {}: the standard deviation must not be negative, found {:g}", spread.name,
                                spread.sigma));
      spread_.emplace_back(static_cast<std::size_t>(*i), spread.sigma);
    }
  }

  // Appends positions and velocities of a member.
  void draw(std::uint64_t seed, std::size_t member, std::vector<double>& out) {
    constexpr int kTries = 1000;
    Random random(seed, member);
    double least = std::nan("");
    std::string why;
    for (int k = 0; k < (spread_.empty() ? 1 : kTries); ++k) {
      std::vector<double> q = model_.q0, v(q.size(), 0.0);
      for (const auto& [i, sigma] : spread_) q[i] += sigma * random.normal();
      if (const Projected moved = project_start(system_, q, v); !moved) {
        why = moved.why;
        continue;
      }
      const double rest = velocities(q, random, v);
      if (!(rest >= 0.0)) {
        least = std::fmin(least, energy_ - rest);
        continue;
      }
      out.insert(out.end(), q.begin(), q.end());
      out.insert(out.end(), v.begin(), v.end());
      return;
    }
    if (std::isfinite(least))
      throw Error(fmt::format(
          "member {}: --energy {:.10g} is less than what {} without moving: {:.10g}{}. Ask for more energy, or for "
          "other "
          "positions with --start and --spread",
          member, energy_, spread_.empty() ? "the start has" : fmt::format("all of {} positions have", kTries), least,
          spread_.empty() ? "" : " at least"));
    throw Error(fmt::format("member {}: no position that the constraints allow was found: {}", member, why));
  }

 private:
  static const Model& checked(const Model& model) {
    if (!facts_of(model).lagrangian)
      throw Error(
          fmt::format("--energy draws velocities of mechanical systems, and '{}' is of kind {}. Use --spread alone",
                      model.key, to_string(model.kind)));
    if (largest_family(model) != 0)
      throw Error(
          fmt::format("--energy: '{}' is a system of large families, for which starts are not drawn", model.key));
    return model;
  }

  // E at a velocity.
  double energy(const std::vector<double>& q, const VectorXd& v) {
    return (*E_)(model_.t0, q, std::span(v.data(), q.size()))[0];
  }

  // What is left of the energy for the directions that the constraints allow; the velocity, if that is not negative.
  double velocities(const std::vector<double>& q, Random& random, std::vector<double>& v) {
    const auto n = static_cast<Eigen::Index>(f_.n), m = static_cast<Eigen::Index>(f_.m);
    const std::vector<double> still(q.size(), 0.0);
    const MatrixXd M = matrix_of((*M_)(model_.t0, q, still), n, n), K = matrix_of((*K_)(model_.t0, q, still), m, n);
    const MatrixXd N = basis(M, K);
    const MatrixXd back = m > 0 ? linalg::pseudo_inverse(K) : MatrixXd(n, 0);
    VectorXd v1 = -linalg::product(back, vector_of((*k_)(model_.t0, q, still)));
    v1 -= linalg::product(N, VectorXd(N.transpose() * (M * v1)));
    const double rest = energy_ - energy(q, v1);
    VectorXd w(N.cols());
    for (double& x : w) x = random.normal();
    if (!(rest >= 0.0)) return rest;
    if (w.size() == 0) {
      if (std::fabs(rest) > 1e-12 * std::fabs(energy_))
        throw Error("--energy: the constraints leave no velocity free, so that the energy is not free either");
    } else {
      w *= std::sqrt(2.0 * rest) / w.norm();
    }
    VectorXd x = v1 + N * w;
    x -= back * vector_of((*k_)(model_.t0, q, std::span<const double>(x.data(), q.size())));
    // To rounding: E is quadratic in the length of w.
    for (int k = 0; k < 2 && rest > 0.0; ++k) {
      const double square = 1.0 + (energy_ - energy(q, x)) / rest;
      if (!(square > 0.0)) break;
      w *= std::sqrt(square);
      x = v1 + N * w;
      x -= back * vector_of((*k_)(model_.t0, q, std::span<const double>(x.data(), q.size())));
    }
    v.assign(x.data(), x.data() + x.size());
    return rest;
  }

  // Columns that the constraints allow, orthonormal in M.
  [[nodiscard]] MatrixXd basis(const MatrixXd& M, MatrixXd K) const {
    constexpr double kDependent = 1e-10;
    for (Eigen::Index i = 0; i < K.rows(); ++i)
      if (const double length = K.row(i).norm(); length > 0.0) K.row(i) /= length;
    MatrixXd Z =
        K.rows() > 0 ? linalg::kernel_of_rows(K, kDependent) : MatrixXd(MatrixXd::Identity(M.rows(), M.cols()));
    if (Z.cols() == 0) return Z;
    const linalg::SymmetricEigen of = linalg::symmetric_eigen(linalg::congruent(Z, M));
    const double largest = of.values.maxCoeff();
    MatrixXd N = linalg::product(Z, of.vectors);
    for (Eigen::Index i = 0; i < N.cols(); ++i) {
      if (!(of.values(i) > kSingularInertia * largest))
        throw Error(
            "--energy: the constraints allow a velocity that has no kinetic energy, so that it is not bounded by the "
            "energy");
      N.col(i) /= std::sqrt(of.values(i));
    }
    return N;
  }

  const Model& model_;
  double energy_;
  System system_;
  const Mechanical& f_;
  std::optional<Evaluator> M_, K_, k_, E_;
  std::vector<std::pair<std::size_t, double>> spread_;  // of positions
};

}  // namespace

Members members_on_energy(const Model& model, double energy, const std::vector<Spread>& spreads, std::int64_t count,
                          std::uint64_t seed) {
  check_count(count);
  if (!std::isfinite(energy)) throw Error(fmt::format("--energy must be a finite number, found {}", energy));
  Members out;
  out.origin = "--energy";
  std::vector<std::string> named;
  for (const Spread& spread : spreads) named.push_back(spread.name);
  check_twice("--spread", named);
  EnergySurface surface(model, energy, spreads);
  out.names = model.coordinates.all();
  for (std::string& name : velocity_names(model)) out.names.push_back(std::move(name));
  out.count = static_cast<std::size_t>(count);
  for (std::size_t member = 0; member < out.count; ++member) surface.draw(seed, member, out.values);
  return out;
}

}  // namespace rattleback
