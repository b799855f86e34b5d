// The equations as numbers: what is said of them holds, and long double says the same.
#include "rattleback/dynamics.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "support/count_allocations_of.hpp"
#include "support/long_mechanics.hpp"
#include "support/random_models.hpp"

namespace rattleback::testing {
namespace {

Reals long_of(const std::vector<double>& x) { return {x.begin(), x.end()}; }

std::vector<Model> mechanical_models() {
  std::vector<Model> out;
  for (const ShippedModel& m : shipped_models()) {
    Model model = load_model(std::string(m.key), {.unroll_below = kLargestFamily});
    if (model.kind == Kind::mechanical && model.coordinates.size() <= 200) out.push_back(std::move(model));
  }
  return out;
}

// At a state: the equations of motion hold, and long double says the same. False: acceleration and multipliers are not
// determined.
bool is_right(const Model& model, double t, const std::vector<double>& q, const std::vector<double>& v) {
  Dynamics d(model);
  const auto n = static_cast<std::size_t>(d.n()), m = static_cast<std::size_t>(d.m());
  d.set(t, q, v);
  std::vector<double> M(n * n), p(n), f(n), K(m * n), a(n), lambda(m), g(model.holonomic_names.size()), k(m);
  d.mass(M);
  d.momentum(p);
  d.constraint_jacobian(K);
  d.residuals(g, k);
  LongMechanics exact(model);
  const LongMechanics::Values values = exact.values(t, long_of(q), long_of(v));
  const double size = static_cast<double>(values.energy_size) + 1e-300;
  EXPECT_NEAR(d.energy(), static_cast<double>(values.energy), 1e-13 * size);
  double kinetic = 0.0, largest = 1.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      kinetic += 0.5 * v[i] * M[i * n + j] * v[j];
      largest = std::fmax(largest, std::fabs(v[i] * M[i * n + j] * v[j]));
    }
  }
  EXPECT_NEAR(d.kinetic(), kinetic, 1e-13 * static_cast<double>(n) * largest);
  try {
    d.acceleration(a, lambda);
  } catch (const Error&) {
    return false;
  }
  d.force(f);
  const LongMechanics::Motion motion = exact.motion(t, long_of(q), long_of(v));
  // As far as their condition determines them.
  const double room = 1e-9 + 1e-13 / static_cast<double>(motion.smallest_pivot + 1e-18L);
  double most = 1.0;
  for (const Real x : motion.multipliers) most = std::fmax(most, std::fabs(static_cast<double>(x)));
  if (motion.rank == d.n() + d.m() && room < 1e-2)
    for (std::size_t i = 0; i < m; ++i)
      EXPECT_NEAR(lambda[i], static_cast<double>(motion.multipliers[i]), room * most) << i;
  // M a + K^T lambda = f, to the rounding of its largest term.
  for (std::size_t i = 0; i < n; ++i) {
    double sum = -f[i], term = std::fabs(f[i]);
    const auto add = [&](double x) {
      sum += x;
      term = std::fmax(term, std::fabs(x));
    };
    for (std::size_t j = 0; j < n; ++j) add(M[i * n + j] * a[j]);
    for (std::size_t j = 0; j < m; ++j) add(K[j * n + i] * lambda[j]);
    EXPECT_LE(std::fabs(sum), 1e-10 * term + 1e-13) << i;
  }
  return true;
}

TEST(Dynamics, SatisfiesTheEquationsOfMotionAndAgreesWithLongDouble) {
  int models = 0;
  for (const Model& model : mechanical_models()) {
    SCOPED_TRACE(model.key);
    std::vector<double> q = model.q0, v = model.v0;
    double t = 0.0;
    try {
      const Trajectory run = simulate(model, {.step = model.run.step ? 0.0 : 0.01, .steps = 3, .native = "off"});
      q = run.q;
      v = run.v;
      t = run.t;
    } catch (const Error&) {
    }
    models += is_right(model, t, q, v) ? 1 : 0;
  }
  EXPECT_GT(models, 10);
}

TEST(Dynamics, OfRandomModels) {
  int models = 0;
  for (const RandomFamily family : {RandomFamily::mechanical, RandomFamily::mechanism})
    for (std::uint64_t number = 0; number < 60; ++number) {
      const RandomModel random = random_model(family, number);
      SCOPED_TRACE(random.title());
      const Model model = parse_model(random.text, "random.toml", {.unroll_below = kLargestFamily});
      models += is_right(model, model.t0, model.q0, model.v0) ? 1 : 0;
    }
  EXPECT_GT(models, 80);
}

TEST(Dynamics, AllocatesNothingAndRefusesWrongSizes) {
  const Model model = load_model("double-pendulum");
  Dynamics d(model);
  const auto n = static_cast<std::size_t>(d.n()), m = static_cast<std::size_t>(d.m());
  std::vector<double> M(n * n), a(n), lambda(m);
  d.acceleration(a, lambda);
  const long before = allocations_so_far();
  for (int k = 0; k < 10; ++k) {
    d.set(0.1 * k, model.q0, model.v0);
    d.mass(M);
    d.acceleration(a, lambda);
    (void)d.energy();
  }
  EXPECT_EQ(allocations_so_far(), before);
  EXPECT_THROW(d.mass(a), Error);
  EXPECT_THROW(d.set(0.0, a, lambda), Error);
  EXPECT_THROW(d.set(0.0, std::vector<double>(n, std::nan("")), model.v0), Error);
  EXPECT_THROW(d.set(std::nan(""), model.q0, model.v0), Error);
  EXPECT_THROW(Dynamics(load_model("pendulum-ph")), Error);
}

TEST(Dynamics, ParametersChange) {
  const Model model = load_model("double-pendulum");
  const std::string name = model.parameters.front().first;
  const double value = 2.5 * model.parameters.front().second;
  Dynamics changed(model), fresh(model.with({{name, std::to_string(value)}}));
  changed.set_parameter(name, value);
  const auto n = static_cast<std::size_t>(changed.n()), m = static_cast<std::size_t>(changed.m());
  std::vector<double> a(n), lambda(m), b(n), mu(m);
  changed.acceleration(a, lambda);
  fresh.acceleration(b, mu);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(a[i], b[i], 1e-13 * (1.0 + std::fabs(b[i])));
  for (std::size_t i = 0; i < m; ++i) EXPECT_NEAR(lambda[i], mu[i], 1e-13 * (1.0 + std::fabs(mu[i])));
  EXPECT_THROW(changed.set_parameter("nothing", 1.0), Error);
}

}  // namespace
}  // namespace rattleback::testing
