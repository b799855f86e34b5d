// Families as loops and families unrolled are the same functions; large ones stay small.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <random>

#include "support.hpp"

namespace rattleback::test {
namespace {

LoadOptions with_unroll(std::int32_t below) {
  LoadOptions o;
  o.unroll_below = below;
  return o;
}

// Every function of the model, and the gradient of the Lagrangian, at one random point.
std::vector<double> fingerprint(const Model& m) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(0.3, 1.4);
  const auto n = static_cast<std::size_t>(m.coordinates.size());
  const auto draw = [&](std::size_t size) {
    std::vector<double> x(size);
    for (double& e : x) e = any(random);
    return x;
  };
  const auto q = draw(n), v = draw(n), z = draw(static_cast<std::size_t>(m.multiplier_count()));
  std::vector<double> out;
  const auto add = [&](const std::vector<double>& x) { out.insert(out.end(), x.begin(), x.end()); };
  if (m.kind == Kind::mechanical) {
    out.push_back(value_of(m, m.lagrangian, 0.7, q, v));
    Graph g = *m.graph;
    add(dense(g, gradient(g, m.lagrangian, kPosition), n, 0.7, q, v));
    add(dense(g, gradient(g, m.lagrangian, kVelocity), n, 0.7, q, v));
    add(dense(*m.graph, m.holonomic, static_cast<std::size_t>(m.holonomic_names.size()), 0.7, q, v));
    add(dense(*m.graph, m.nonholonomic, static_cast<std::size_t>(m.nonholonomic_names.size()), 0.7, q, v));
    add(dense(*m.graph, m.forces, n, 0.7, q, v, z));
  } else {
    for (const Entries& part : m.parts) add(dense(*m.graph, part, n, 0.7, q, v, z));
    add(dense(*m.graph, m.constraints, static_cast<std::size_t>(m.constraint_names.size()), 0.7, q, v, z));
  }
  add(m.q0);
  add(m.v0);
  add(m.z0);
  return out;
}

void expect_same_looped_and_unrolled(const std::string& text) {
  const auto unrolled = fingerprint(parse_model(text, "m.toml", with_unroll(1'000'000)));
  for (const std::int32_t below : {0, 1, 2, 4}) {
    const auto looped = fingerprint(parse_model(text, "m.toml", with_unroll(below)));
    ASSERT_EQ(looped.size(), unrolled.size());
    for (std::size_t i = 0; i < looped.size(); ++i)
      EXPECT_NEAR(looped[i], unrolled[i], 1e-12 * (1.0 + std::fabs(unrolled[i])))
          << "element " << i << ", unroll_below " << below << "\n"
          << text;
  }
}

std::size_t sums_in(const Model& m) {
  std::size_t count = 0;
  for (NodeId id = 0; id < m.graph->size(); ++id) count += (*m.graph)[id].op == Op::sum;
  return count;
}

TEST(Families, ChainIsTheSameLoopedAndUnrolled) {
  for (const ShippedModel& m : shipped_models())
    if (m.key == "chain" || m.key == "quartic-particles") expect_same_looped_and_unrolled(std::string(m.text));
}

const std::string kHead =
    "coordinates = [\"x[1:N]\", \"s\", \"y[0:2*N]\"]\n[parameters]\nN = 6\nk = [3, 1, 4, 1, 5, 9]\nc = 0.5\n";

TEST(Families, AffineIndicesArraysAndIndexAsNumber) {
  expect_same_looped_and_unrolled(
      kHead +
      "[lagrangian]\nkinetic = \"sum(i = 1:N, k[i]*x[i]'^2)/2 + s'^2 + sum(j = 0:2*N, y[j]'^2)\"\n"
      "potential = \"sum(i = 1:N, i*cos(x[i])*y[2*i]) + sum(i = 1:N-1, k[N-i]*x[i]*x[i+1]*y[2*(i-1)+1])\"\n"
      "[forces]\n\"x[i=2:N]\" = \"-c*x[i]'*k[i] + if(i > 3, s, x[i-1])\"\n\"y[i=0:N]\" = \"-c\"\n");
}

TEST(Families, DefinitionsInAnyOrderAndWithShiftedIndex) {
  expect_same_looped_and_unrolled(
      kHead +
      "[define]\n\"e[i=1:N-1]\" = \"d[i+1] - d[i]\"\n\"d[i=1:N]\" = \"x[i] + off*i\"\noff = \"c*s\"\n"
      "\"speed[i=1:N]\" = \"dt(d[i])\"\n"
      "[lagrangian]\nkinetic = \"sum(i = 1:N, speed[i]^2)/2 + s'^2\"\npotential = \"sum(i = 1:N-1, e[i]^2)\"\n");
}

TEST(Families, ARecursionOfAThousandDefinitionsIsRead) {
  const Model m = parse_model(
      "coordinates = [\"x[1:N]\"]\n[parameters]\nN = 1000\n[lagrangian]\nkinetic = \"sum(i = 1:N, x[i]'^2/2)\"\n"
      "potential = \"d[N]\"\n[define]\n\"d[1]\" = \"x[1]\"\n\"d[i=2:N]\" = \"d[i-1] + i*x[i]\"\n",
      "m.toml");
  EXPECT_EQ(m.coordinates.size(), 1000);
}

TEST(Families, RecursiveDefinitionsAreUnrolled) {
  expect_same_looped_and_unrolled(
      "coordinates = [\"a[1:N]\"]\n[parameters]\nN = 5\n[define]\n\"xc[1]\" = \"sin(a[1])\"\n"
      "\"xc[i=2:N]\" = \"xc[i-1] + sin(a[i])\"\n"
      "[lagrangian]\nkinetic = \"sum(i = 1:N, dt(xc[i])^2 + a[i]'^2)/2\"\n");
}

TEST(Families, NestedSumsUseBothIndices) {
  expect_same_looped_and_unrolled(kHead +
                                  "[lagrangian]\nkinetic = \"s'^2/2 + sum(i = 1:N, x[i]'^2)\"\n"
                                  "potential = \"sum(i = 1:N, sum(j = 1:N, x[i]*x[j]*k[j])) + sum(i = 1:N, sum(j = "
                                  "1:i, x[j]^2)) + sum(i = 1:N, y[i*i/i])\"\n");
}

TEST(Families, FunctionsOfASum) {
  expect_same_looped_and_unrolled(
      kHead +
      "[lagrangian]\nkinetic = \"s'^2/2 + sum(i = 1:N, x[i]'^2) + sum(i = 1:N, k[i]*x[i]')^2\"\n"
      "potential = \"sqrt(1 + sum(i = 1:N, x[i])^2) + exp(-sum(j = 0:2*N, y[j]))\"\n");
}

TEST(Families, ConstraintsMultipliersAndPorts) {
  expect_same_looped_and_unrolled(
      kHead +
      "[lagrangian]\nkinetic = \"s'^2/2 + sum(i = 1:N, x[i]'^2)\"\n"
      "[constraints.holonomic]\n\"pin[1]\" = \"x[1] - y[0]^2\"\n\"pin[i=2:N]\" = \"x[i] - x[i-1]*y[i]\"\n"
      "[constraints.nonholonomic]\n\"roll[i=1:N]\" = \"x[i]'*y[i] - s'*i\"\nall = \"sum(i = 1:N, x[i]')\"\n"
      "[forces]\n\"x[i=1:N]\" = \"c*lambda(pin[i])*abs(lambda(roll[N+1-i]))\"\ns = \"lambda(all)\"\n"
      "[dissipation]\nrayleigh = \"sum(i = 1:N, k[i]*x[i]'^2)/2 + s'^4\"\n"
      "[ports.wind]\ninput = \"sin(t)*s\"\nalong = { \"x[i=1:N]\" = \"x[i]/i\", s = 2 }\n"
      "[initial]\n\"x[i=1:N]\" = \"i + s\"\ns = \"c\"\n\"y[i=0:N]'\" = \"x[1]*i\"\n");
}

TEST(Families, DaeParts) {
  expect_same_looped_and_unrolled(
      "kind = \"dae\"\nstates = [\"y[1:N]\"]\nalgebraic = [\"z[1:N]\"]\n[parameters]\nN = 5\n"
      "[rhs.1]\n\"y[i=1:N]\" = \"-y[i] + z[i]*t\"\n[rhs.3]\n\"y[i=2:N]\" = \"y[i-1]*z[i]\"\n"
      "[constraints]\n\"c[i=1:N]\" = \"y[i]^2 - i\"\n[initial]\n\"y[i=1:N]\" = \"sqrt(i)\"\n"
      "[exact]\n\"y[i=1:N]\" = \"sqrt(i)*exp(t)\"\n");
}

TEST(Families, MultipliersAreNumberedHolonomicFirst) {
  const Model m = parse_model(kHead +
                                  "[lagrangian]\nkinetic = \"s'^2/2\"\n[constraints.nonholonomic]\nroll = \"s'\"\n"
                                  "[constraints.holonomic]\n\"pin[i=1:2]\" = \"x[i]\"\n[forces]\ns = "
                                  "\"lambda(roll)\"\n\"x[i=1:2]\" = \"lambda(pin[i])\"\n",
                              "m.toml", {});
  EXPECT_EQ(m.multiplier_name(0), "pin[1]");
  EXPECT_EQ(m.multiplier_name(2), "roll");
  EXPECT_EQ((*m.graph)[m.forces.at(0).expr].base(), 2);
}

TEST(Families, ASumOverTheLimitIsOneLoop) {
  const Model m = parse_model(
      "coordinates = [\"x[1:N]\"]\n[parameters]\nN = 65\n[lagrangian]\nkinetic = \"sum(i = 1:N, x[i]'^2)/2\"\n",
      "m.toml");
  EXPECT_EQ(sums_in(m), 1U);
  EXPECT_LT(m.graph->size(), 10U);
}

// L is a nonlinear function of a sum: its second derivatives are a loop in a loop.
TEST(Families, DenseHessiansAreUnrolled) {
  const std::string text =
      "coordinates = [\"x[1:N]\"]\n[parameters]\nN = 100\n[lagrangian]\nkinetic = \"sum(i = 1:N, "
      "x[i]'^2)/2\"\npotential = \"sin(sum(i = 1:N, x[i]^2))\"\n";
  EXPECT_EQ(sums_in(parse_model(text, "m.toml")), 0U);
}

TEST(Families, AHundredThousandLinksLoadQuickly) {
  LoadOptions o;
  o.set = {{"N", "100000"}};
  const std::clock_t begin = std::clock();
  const Model m = load_model("chain", o);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 1.0);          // 0.05
  EXPECT_LT(m.graph->size(), 60U);  // 35
  EXPECT_EQ(m.coordinates.size(), 200'000);
  EXPECT_EQ(m.multiplier_count(), 100'000);
  EXPECT_EQ(m.multiplier_name(99'999), "rod[100000]");
  EXPECT_EQ(m.holonomic.size(), 2U);
  EXPECT_EQ(m.q0.at(99'999), 100'000.0);
}

TEST(Families, AChainOfOneLinkHasAnEmptyFamilyOfRods) {
  LoadOptions o;
  o.set = {{"N", "1"}};
  const Model m = load_model("chain", o);
  EXPECT_EQ(m.multiplier_count(), 1);
  EXPECT_EQ(m.holonomic.size(), 1U);
}

}  // namespace
}  // namespace rattleback::test
