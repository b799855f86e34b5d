// --project: the nearest consistent start in the metric of the kinetic energy, against closed forms in long double.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "expr/evaluator.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "support/cases.hpp"
#include "support/mechanisms.hpp"
#include "system/start/start.hpp"

namespace rattleback {
namespace {

using Real = long double;
using Vector = std::vector<Real>;
using Matrix = std::vector<Vector>;
using testing::case_file;

// A x = b by elimination with row pivoting.
Vector solve(Matrix A, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::fabs(A[i][k]) > std::fabs(A[p][k])) p = i;
    std::swap(A[k], A[p]);
    std::swap(b[k], b[p]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const Real f = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= f * A[k][j];
      b[i] -= f * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
  return b;
}

Real dot(const Vector& a, const Vector& b) {
  Real sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// M^-1 K^T (K M^-1 K^T)^+ r for r in the range of K: rows one after the other, made orthogonal in the metric of M^-1; those
// that follow from earlier ones are left out.
Vector correction(const Matrix& M, const Matrix& K, const Vector& r) {
  Vector out(M.size(), 0);
  std::vector<Vector> rows, raised;  // a and M^-1 a
  for (std::size_t i = 0; i < K.size(); ++i) {
    Vector a = K[i], w = solve(M, a);
    const Real size = std::sqrt(dot(a, w));
    Real rest = r[i] - dot(K[i], out);
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t j = 0; j < rows.size(); ++j) {
        const Real part = dot(a, raised[j]);
        for (std::size_t k = 0; k < a.size(); ++k) {
          a[k] -= part * rows[j][k];
          w[k] -= part * raised[j][k];
        }
      }
    const Real left = std::sqrt(std::fabs(dot(a, w)));
    if (!(left > 1e-9L * size)) continue;
    for (Real& x : a) x /= left;
    for (Real& x : w) x /= left;
    rest /= left;
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += rest * w[k];
    rows.push_back(a);
    raised.push_back(w);
  }
  return out;
}

Matrix values(const Graph& g, const std::vector<std::vector<NodeId>>& rows, std::int32_t n, std::int32_t m,
              const std::vector<double>& q, const std::vector<double>& v) {
  std::vector<NodeId> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  Evaluator e(g, flat, n, m);
  const auto x = e(0.0, q, v);
  Matrix out(rows.size());
  for (std::size_t i = 0, k = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j) out[i].push_back(x[k++]);
  return out;
}

Vector constraint_values(const Mechanical& f, const std::vector<double>& q, const std::vector<double>& v) {
  Vector out;
  for (const Vector& row : values(f.graph, {f.k}, f.n, f.m, q, v)) out = row;
  return out;
}

// Points in space with masses over six decades, joined by rods (some rods twice, in other words: redundant), and a rolling
// constraint. The rods are as long as they are at a random place; the start is off that place by `off` of the rods' length.
struct Mechanism {
  std::string text;
  std::vector<std::pair<int, int>> rods;
  std::vector<double> lengths;
  int points = 0;
};
Mechanism random_mechanism(std::mt19937_64& gen, double off) {
  const auto uniform = [&](double a, double b) { return a + (b - a) * static_cast<double>(gen() >> 11) * 0x1p-53; };
  Mechanism out;
  out.points = 2 + static_cast<int>(gen() % 4);
  std::vector<std::array<double, 3>> place;
  std::string coordinates, kinetic, holonomic, initial;
  for (int i = 0; i < out.points; ++i) {
    place.push_back({i + uniform(-0.3, 0.3), uniform(-0.5, 0.5), uniform(-0.5, 0.5)});
    const double mass = std::pow(10.0, uniform(-3, 3));
    for (int c = 0; c < 3; ++c) {
      const std::string name = std::string(1, "xyz"[c]) + std::to_string(i);
      coordinates += (coordinates.empty() ? "\"" : ", \"") + name + "\"";
      kinetic += (kinetic.empty() ? "" : " + ") + std::to_string(mass) + "*" + name + "'^2/2";
      initial += name + " = " +
                 std::to_string(place[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)] + uniform(-off, off)) +
                 "\n\"" + name + "'\" = " + std::to_string(uniform(-1, 1)) + "\n";
    }
    kinetic += " + 0.1*(x" + std::to_string(i) + "'*y" + std::to_string(i) + "')*" + std::to_string(mass);
  }
  const auto rod = [&](int i, int j) {
    double square = 0.0;
    std::string formula;
    for (int c = 0; c < 3; ++c) {
      const double d = place[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)] -
                       place[static_cast<std::size_t>(j)][static_cast<std::size_t>(c)];
      square += d * d;
      const std::string x(1, "xyz"[c]);
      formula += (c > 0 ? " + (" : "(") + x + std::to_string(i) + " - " + x + std::to_string(j) + ")^2";
    }
    const double length = std::stod(std::to_string(std::sqrt(square)));
    out.rods.emplace_back(i, j);
    out.lengths.push_back(length);
    const std::string name = "rod" + std::to_string(out.rods.size());
    holonomic += name + " = \"" + formula + " - " + std::to_string(length) + "^2\"\n";
    if (gen() % 3 == 0) holonomic += name + "_again = \"3*sqrt(" + formula + ") - 3*" + std::to_string(length) + "\"\n";
  };
  for (int i = 1; i < out.points; ++i) rod(i - 1, i);
  if (out.points > 2) rod(0, 2);
  out.text = "coordinates = [" + coordinates + "]\n[lagrangian]\nkinetic = \"" + kinetic +
             "\"\n[constraints.holonomic]\n" + holonomic +
             "[constraints.nonholonomic]\nroll = \"x0' - (1 + y0)*y1' + 0.3\"\nroll_again = \"2*x0' - 2*(1 + y0)*y1' + "
             "0.6\"\n[initial]\n" +
             initial;
  return out;
}

TEST(Projection, OfRandomMechanismsIsConsistentAndNearestInTheKineticEnergy) {
  std::mt19937_64 gen(7);
  double worst_rod = 0.0, worst_velocity = 0.0, worst_tangent[3] = {};
  for (int k = 0; k < 60; ++k) {
    const Mechanism mechanism = random_mechanism(gen, k % 3 == 0 ? 1e-8 : k % 3 == 1 ? 0.01 : 0.3);
    const Model model = parse_model(mechanism.text, "random.toml");
    const System system(model);
    Start s;
    s.q = model.q0;
    s.v = model.v0;
    const Projected projected = project_start(system, s);
    ASSERT_TRUE(projected) << projected.why << "\n" << mechanism.text;
    EXPECT_TRUE(analyse_start(system, s).consistent);
    for (std::size_t i = 0; i < mechanism.rods.size(); ++i) {
      const auto [a, b] = mechanism.rods[i];
      Real square = 0;
      for (int c = 0; c < 3; ++c)
        square += std::pow(
            static_cast<Real>(s.q[static_cast<std::size_t>(3 * a + c)]) - s.q[static_cast<std::size_t>(3 * b + c)], 2);
      worst_rod = std::fmax(worst_rod, std::fabs(static_cast<double>(std::sqrt(square) - mechanism.lengths[i])));
    }
    // v = v0 - M^-1 K^T (K M^-1 K^T)^+ k(v0)
    const Mechanical& f = system.mechanical();
    const Matrix M = values(f.graph, f.Lvv, f.n, f.m, s.q, s.v), K = values(f.graph, f.K, f.n, f.m, s.q, s.v);
    const Vector dv = correction(M, K, constraint_values(f, s.q, model.v0));
    Real size = 0, off = 0;
    for (std::size_t i = 0; i < dv.size(); ++i) {
      size = std::fmax(size, std::fabs(s.v[i]));
      off = std::fmax(off, std::fabs(s.v[i] - (model.v0[i] - dv[i])));
    }
    worst_velocity = std::fmax(worst_velocity, static_cast<double>(off / size));
    // q - q0 has no part along what the holonomic constraints allow
    Matrix G(K.begin(), K.begin() + f.holonomic);
    Vector step(s.q.size()), moved;
    for (std::size_t i = 0; i < step.size(); ++i) step[i] = static_cast<Real>(s.q[i]) - model.q0[i];
    Vector forbidden;
    for (const Vector& row : G) forbidden.push_back(dot(row, step));
    const Vector across = correction(M, G, forbidden);
    Real all = 0, tangent = 0;
    for (std::size_t i = 0; i < step.size(); ++i) {
      all += M[i][i] * step[i] * step[i];
      tangent += M[i][i] * std::pow(step[i] - across[i], 2);
    }
    worst_tangent[k % 3] = std::fmax(worst_tangent[k % 3], static_cast<double>(std::sqrt(tangent / all)));
  }
  EXPECT_LT(worst_rod, 2e-14);        // 5e-16
  EXPECT_LT(worst_velocity, 2e-12);   // 6e-14
  EXPECT_LT(worst_tangent[0], 1e-4);  // 3e-6: rounding of a move by 1e-8
  EXPECT_LT(worst_tangent[1], 1e-6);  // 4e-8
  EXPECT_LT(worst_tangent[2], 2e-3);  // 6e-4: one of twenty is not done after 200 moves
}

// Closed loops of bodies in quaternions; some are redundant, Bricard's linkage only where its constraints hold.
TEST(Projection, OfSpatialMechanismsConvergesFromFarAway) {
  std::mt19937_64 gen(11);
  for (const testing::Mechanism& mechanism : testing::spatial_mechanisms(testing::Rotation::quaternion)) {
    const Model model = parse_model(mechanism.text, mechanism.name + ".toml");
    const System system(model);
    double size = 0.0;
    for (const double x : model.q0) size = std::fmax(size, std::fabs(x));
    for (const double off : {1e-12, 1e-8, 1e-4, 0.01, 0.1, 0.3}) {
      Start s;
      s.q = model.q0;
      s.v = model.v0;
      for (double& x : s.q) x += off * size * (2.0 * static_cast<double>(gen() >> 11) * 0x1p-53 - 1.0);
      const Projected projected = project_start(system, s);
      EXPECT_TRUE(projected) << mechanism.name << " " << off << " " << projected.why;
      EXPECT_TRUE(analyse_start(system, s).consistent);
    }
  }
}

// 23 constraints of rank 20, which have full rank wherever they do not hold.
TEST(Projection, OfARedundantFourBarConverges) {
  const auto project = [](const std::string& name, const LoadOptions& load) {
    const Model model = load_model(case_file(name), load);
    const System system(model);
    Start s;
    s.q = model.q0;
    s.v = model.v0;
    const Projected projected = project_start(system, s);
    EXPECT_TRUE(projected) << projected.why;
    EXPECT_LT(System(model).observe(0.0, s.q, s.v).position, 1e-15);
    return s;
  };
  const Model model = load_model(case_file("four-bar-space"));
  const Start near = project("four-bar-space", {.start = {{"x[2]", "0.22958201389082384+1e-8"}}});
  for (std::size_t i = 0; i < near.q.size(); ++i) EXPECT_NEAR(near.q[i], model.q0[i], 2e-8);
  const Start far = project("four-bar-space-open", {});  // by 2 cm
  // What was used can be typed, and is taken as it is.
  LoadOptions again;
  for (std::int32_t i = 0; i < model.coordinates.size(); ++i) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", far.q[static_cast<std::size_t>(i)]);
    again.start.emplace_back(model.coordinates[i], text);
  }
  EXPECT_EQ(project("four-bar-space", again).q, far.q);
}

Model pair_of_points(const std::string& keep, const std::string& initial) {
  return parse_model("coordinates = [\"x[1:2]\", \"y\"]\nproject = true\nkeep = [" + keep +
                         "]\n[lagrangian]\nkinetic = \"(x[1]'^2 + 3*x[2]'^2 + y'^2)/2\"\n[constraints.holonomic]\n"
                         "total = \"x[1] + x[2] - 1\"\nwall = \"y - x[1]^2\"\n[initial]\n" +
                         initial,
                     "pair.toml");
}

TEST(Projection, HoldsWhatItIsToldToKeep) {
  const auto start = [](const std::string& keep, const std::string& initial) {
    return simulate(pair_of_points(keep, initial), {.step = 1e-3, .steps = 0});
  };
  const Trajectory one = start("\"x[1]\", \"x[2]'\"", "\"x[1]\" = 0.3\n\"x[2]'\" = 2");
  EXPECT_EQ(one.start_q[0], 0.3);
  EXPECT_NEAR(one.start_q[1], 0.7, 2e-16);
  EXPECT_NEAR(one.start_q[2], 0.09, 2e-17);
  EXPECT_EQ(one.start_v[1], 2.0);
  EXPECT_NEAR(one.start_v[0], -2.0, 1e-15);
  EXPECT_NEAR(one.start_v[2], -1.2, 1e-15);
  // without: the lighter point moves three times as far. (x[1], x[2]) and y are far apart here: 0.1 and 0.3 of 0.4
  const Trajectory free = simulate(
      parse_model("coordinates = [\"a\", \"b\"]\nproject = true\n[lagrangian]\nkinetic = \"(a'^2 + 3*b'^2)/2\"\n"
                  "[constraints.holonomic]\ntotal = \"a + b - 1\"\n[initial]\na = 0.3\nb = 0.3\n",
                  "free.toml"),
      {.step = 1e-3, .steps = 0});
  EXPECT_NEAR(free.start_q[0], 0.6, 1e-15);
  EXPECT_NEAR(free.start_q[1], 0.4, 1e-15);
  try {
    (void)start("\"x\"", "\"x[1]\" = 0.3\n");
    FAIL() << "x[1] + x[2] = 1 cannot be met";
  } catch (const Error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "initial state violates constraint 'wall' (residual 9.000e-02), and no consistent state was found near it: at "
        "the nearest point that was found 'total' is left with a residual of 7.000e-01 at position level, with x[1], "
        "x[2] held. Hold less, or give what is held another value");
  }
}

TEST(Projection, RefusesNamesThatItCannotHold) {
  const auto message = [](const std::string& keep) {
    try {
      (void)pair_of_points(keep, "");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("it was read");
  };
  EXPECT_EQ(message("\"x[3]\"").substr(0, 36), "pair.toml:3:9: `x[3]` does not exist");
  EXPECT_EQ(message("\"u\""), "pair.toml:3:9: unknown coordinate `u` in `keep`. Known here: x[1:2], y");
  EXPECT_EQ(message("\"x\", \"y'\""), "it was read");
}

// What is algebraic in a port-Hamiltonian system shows in E: also there it is solved for.
TEST(Projection, DoesNotHoldAlgebraicStates) {
  const auto message = [](const auto& load) {
    try {
      (void)load();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("it was read");
  };
  const std::string rest =
      " is solved for at the start; its value in [initial] is a guess. Held can be what the constraints restrict: "
      "positions, velocities and states";
  EXPECT_EQ(message([] { return load_model("pendulum-ph", {.keep = {"lam"}}); }), "--keep lam: `lam` in --keep" + rest);
  EXPECT_EQ(message([] { return load_model("pendulum-ph", {.keep = {"u"}}); }), "it was read");
  EXPECT_EQ(message([] {
              return parse_model(
                  "keep = [\"x\", \"w\"]\n" +
                      std::string("kind = \"port-hamiltonian\"\nstates = [\"x\", "
                                  "\"w\"]\nhamiltonian = \"x^2/2\"\n[E]\n\"x,x\" = 1\n[R]\n\"x,x\" = 1\n\"w,w\" = "
                                  "1\n[z]\nx = \"x\"\nw = \"w\"\n"),
                  "own.toml");
            }),
            "own.toml:1:14: `w` in `keep`" + rest);
}

// The start lies on an axis of symmetry, which the iteration never leaves. There the distance has a saddle: beside it are
// nearer points.
TEST(Projection, DoesNotEndAtASaddleOfTheDistance) {
  const Trajectory ellipse =
      simulate(parse_model("coordinates = [\"x\", \"y\"]\nproject = true\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n"
                           "[constraints.holonomic]\nellipse = \"x^2/4 + y^2 - 1\"\n[initial]\nx = 1.2\n",
                           "ellipse.toml"),
               {.step = 1e-3, .steps = 0});
  EXPECT_NEAR(ellipse.start_q[0], 1.6, 1e-9);  // 1.2 a^2/(a^2 - b^2)
  EXPECT_NEAR(std::fabs(ellipse.start_q[1]), 0.6, 1e-9);
  // x u + y v = 0 with u held: x = y = 0 is a consistent state, but none that determines lam.
  const auto pendulum = [](const char* x) {
    return simulate(load_model("pendulum-ph", {.start = {{"u", "0.5"}, {"x", x}}, .keep = {"u"}}),
                    {.step = 0.01, .steps = 1, .project = true});
  };
  const Trajectory run = pendulum("1");
  EXPECT_EQ(run.status, Status::done);
  EXPECT_NEAR(run.start_q[0], 0.5, 1e-9);
  EXPECT_NEAR(std::fabs(run.start_q[1]), 0.5, 1e-9);
  EXPECT_EQ(run.start_q[2], 0.5);
  EXPECT_NEAR(run.start_q[3], -run.start_q[1], 1e-9);
  try {
    (void)pendulum("0.1");  // here it is the nearest
    FAIL() << "it ran";
  } catch (const Error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "initial state violates the algebraic equation of 'lam' (residual 5.000e-02), and the nearest consistent "
        "state is singular: the constraints are dependent there and do not determine the algebraic states (x = 0, "
        "y = 0, u = 0.5, v = 0, lam = 0). Start elsewhere, or hold other states");
  }
}

// Families that stay families go another way, with sparse matrices.
TEST(Projection, OfAChainOfManyLinksIsTheSame) {
  const std::string text = R"toml(
coordinates = ["x[1:90]", "y[1:90]"]
project = true
[parameters]
n = 90
[lagrangian]
kinetic = "sum(i = 1:90, (1 + i/30)*(x[i]'^2 + y[i]'^2))/2"
[constraints.holonomic]
first = "x[1]^2 + y[1]^2 - 1"
"rod[i=2:90]" = "(x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1"
[initial]
"x[i=1:90]" = "i + 0.1*sin(7*i)"
"y[i=1:90]" = "0.1*cos(3*i)"
"x[i=1:90]'" = "0.1*sin(i)"
)toml";
  const Trajectory loops = simulate(parse_model(text, "chain.toml", {.unroll_below = 8}), {.step = 1e-3, .steps = 0});
  const Trajectory single =
      simulate(parse_model(text, "chain.toml", {.unroll_below = 100}), {.step = 1e-3, .steps = 0});
  EXPECT_LT(*loops.constraint_position, 1e-12);
  EXPECT_LT(*loops.constraint_velocity, 1e-13);
  for (std::size_t i = 0; i < 180; i += 7) {
    EXPECT_NEAR(loops.start_q[i], single.start_q[i], 1e-9);
    EXPECT_NEAR(loops.start_v[i], single.start_v[i], 1e-9);
  }
}

}  // namespace
}  // namespace rattleback
