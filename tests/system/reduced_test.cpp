// The reduction of mechanical systems: the skew-gradient system moves as the mechanical one does.
#include "system/mechanical/reduced.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "expr/vectors.hpp"
#include "support/motion.hpp"
#include "support/properties.hpp"
#include "system/mechanical/adapted_frame.hpp"
#include "system/system.hpp"

namespace rattleback::testing {
namespace {

std::vector<double> numbers(const Graph& g, const std::vector<NodeId>& f, std::int32_t n, std::int32_t m,
                            std::span<const double> x, std::span<const double> v, std::span<const double> signs) {
  Evaluator e(g, f, n, m);
  const auto y = e(0.0, x, v, signs);
  return {y.begin(), y.end()};
}

enum class Frame { orthonormal, readable };

Reduced reduced(const Mechanical& f, std::span<const double> q, Frame frame) {
  if (frame == Frame::orthonormal) return {f, q};
  Graph g = f.graph;
  const AdaptedFrame readable = adapted_frame(g, f, {q.begin(), q.end()});
  return {f, std::move(g), readable.X};
}

// x' = Pi grad H against q' = v and d/dt (X^T M v), the latter as a central difference along the motion.
void expect_the_same_motion(const Model& model, Frame frame = Frame::orthonormal) {
  SCOPED_TRACE(model.name);
  Motion motion(model, method("spark-gauss", 4));
  motion.advance(0.05, 7);  // away from special points
  const Mechanical& f = motion.system.mechanical();
  Reduced r = reduced(f, motion.start.q, frame);
  const std::int32_t size = std::max(r.system.n, r.n);
  const auto count = static_cast<std::int32_t>(r.choice.size());
  const auto signs = numbers(r.system.graph, r.choice, size, count, motion.stepper->q(), {}, {});
  const auto momenta = [&] {
    return numbers(r.system.graph, r.rho, size, count, motion.stepper->q(), motion.stepper->v(), signs);
  };
  const std::vector<double> q(motion.stepper->q().begin(), motion.stepper->q().end()),
      v(motion.stepper->v().begin(), motion.stepper->v().end()), rho = momenta();
  std::vector<double> x = q;
  x.insert(x.end(), rho.begin(), rho.end());

  const double energy = numbers(r.system.graph, {r.system.H}, size, count, x, {}, signs)[0];
  EXPECT_NEAR(energy, motion.observe().energy, 1e-14 * (1.0 + std::fabs(energy)));
  const auto velocity = numbers(r.system.graph, r.velocity, size, count, x, {}, signs);
  const auto rate =
      numbers(r.system.graph, r.system.apply(r.system.graph, r.system.gradient), size, count, x, {}, signs);
  for (std::size_t i = 0; i < q.size(); ++i) {
    EXPECT_NEAR(velocity[i], v[i], 1e-14);
    EXPECT_NEAR(rate[i], v[i], 1e-14);
  }
  // The gradient is the derivative of H.
  Graph g = r.system.graph;
  const auto exact = numbers(g, scalars(g, gradient(g, r.system.H, kPosition), r.system.n), size, count, x, {}, signs);
  const auto ours = numbers(g, r.system.gradient, size, count, x, {}, signs);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(ours[i], exact[i], 1e-13);

  constexpr double kStep = 1e-4;
  motion.advance(kStep, 1);
  const auto ahead = momenta();
  motion.advance(-kStep, 2);
  const auto behind = momenta();
  for (std::size_t a = 0; a < ahead.size(); ++a)
    EXPECT_NEAR(rate[q.size() + a], (ahead[a] - behind[a]) / (2 * kStep), 2e-8);  // 3e-9
}

TEST(Reduced, MovesAsTheMechanicalSystem) {
  for (const char* name : {"gearbox", "quartic-particles", "mobile-robot", "skate", "nonholonomic-particle"})
    expect_the_same_motion(shipped(name));
  expect_the_same_motion(
      shipped("chaplygin-sleigh", {{"g", "0.7"}}, {{"theta'", "0.8"}, {"x'", "0.4"}, {"theta", "0"}}));
  expect_the_same_motion(magnetic_particle());
  expect_the_same_motion(offset_robot());
}

// The frame that `check --form reduced` prints is not orthonormal; energy and structure matrix belong to it all the same.
TEST(Reduced, MovesAsTheMechanicalSystemInReadableFrames) {
  for (const char* name :
       {"gearbox", "quartic-particles", "mobile-robot", "skate", "nonholonomic-particle", "rolling-disk"})
    expect_the_same_motion(shipped(name), Frame::readable);
  expect_the_same_motion(shipped("chaplygin-sleigh", {{"g", "0.7"}}), Frame::readable);
  expect_the_same_motion(magnetic_particle(), Frame::readable);
  expect_the_same_motion(offset_robot(), Frame::readable);
}

// Velocities that the constraints allow, as many as there are, and no divisions where none are needed.
TEST(AdaptedFrame, SpansWhatTheConstraintsAllow) {
  for (const char* name : {"gearbox", "mobile-robot", "skate", "rolling-disk", "chaplygin-sleigh", "rolling-disc"}) {
    const Model model = shipped(name);
    const System system(model);
    const Mechanical& f = system.mechanical();
    Graph g = f.graph;
    const AdaptedFrame frame = adapted_frame(g, f, model.q0);
    ASSERT_EQ(static_cast<std::int32_t>(frame.X.size()), f.n - f.m) << name;
    std::vector<NodeId> products;
    for (const auto& row : f.K)
      for (const auto& x : frame.X) products.push_back(dot(g, row, x));
    std::vector<double> q = model.q0;
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += 0.1 + 0.3 * static_cast<double>(i);
    for (const double x : numbers(g, products, f.n, 0, q, {}, {})) EXPECT_NEAR(x, 0.0, 1e-14) << name;
  }
}

TEST(Reduced, SignsKeepTheReflectionsAwayFromCancellation) {
  // A = (1, sin q3, 0): R_11 = 1 > 0; and the same constraint with the opposite sign.
  const System plus(shipped("gearbox"));
  const Reduced r(plus.mechanical(), std::vector<double>(3, 0.0));
  EXPECT_EQ(numbers(r.system.graph, r.choice, r.system.n, 1, std::vector<double>{0, 0, 0.3}, {}, {})[0], 1.0);
  Model minus = parse_model(R"toml(
coordinates = ["q1", "q2", "q3"]
[lagrangian]
kinetic = "(q1'^2 + q2'^2 + q3'^2)/2"
[constraints.nonholonomic]
gear = "-q1' - sin(q3)*q2'"
)toml",
                            "minus.toml");
  const System other(minus);
  const Reduced o(other.mechanical(), std::vector<double>(3, 0.0));
  EXPECT_EQ(numbers(o.system.graph, o.choice, o.system.n, 1, std::vector<double>{0, 0, 0.3}, {}, {})[0], -1.0);
}

TEST(Reduced, SaysWhatItCannotTake) {
  const auto why = [](const char* constraint, const char* more = "") {
    return why_not_reducible(parse_model(std::string(R"toml(
coordinates = ["x", "y", "z"]
[lagrangian]
L = "(x'^2 + y'^2 + z'^2)/2)toml") + more + "\"\n[constraints.nonholonomic]\nc = \"" +
                                             constraint + "\"\n[initial]\ny = 1\n\"x'\" = 1\n\"z'\" = 1\n",
                                         "case.toml"));
  };
  EXPECT_EQ(why("z' - y*x'"), "");
  EXPECT_EQ(why("z'^2 - x'^2 - y'^2"), "needs constraints that are linear in the velocities, and 'c' is not");
  EXPECT_EQ(why("z' - y*x' + x"),
            "needs constraints that hold at rest (A(q) v = 0), and 'c' has a part without velocities");
  EXPECT_EQ(why("z' - y*t*x'"), "needs constraints that do not depend on t, and 'c' does");
  EXPECT_EQ(why("z' - y*x'", " - t*x"), "needs a Lagrangian that does not depend on t");
  EXPECT_EQ(why("z' - y*x'", " + x'^4"), "needs a kinetic energy that is quadratic in the velocities");
}

}  // namespace
}  // namespace rattleback::testing
