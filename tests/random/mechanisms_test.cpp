// The spatial mechanisms of tests/support: that they are what they say, and that the program's multipliers are right.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "rattleback/simulate.hpp"
#include "support/long_mechanics.hpp"
#include "support/mechanisms.hpp"

namespace rattleback::testing {
namespace {

Model read(const std::string& text) { return parse_model(text, "mechanism.toml", {.unroll_below = kLargestFamily}); }

LongMechanics::Motion at_start(const Model& model) {
  return LongMechanics(model).motion(0, widened(model.q0), widened(model.v0));
}

// By name: the bodies' own constraints differ between the representations.
std::map<std::string, Real> joints(const Model& model) {
  const Reals multipliers = at_start(model).multipliers;
  std::map<std::string, Real> out;
  for (std::int32_t i = 0; i < model.multiplier_count(); ++i) {
    const std::string name = model.multiplier_name(i);
    if (!name.starts_with("unit_") && !name.starts_with("rigid")) out[name] = multipliers[static_cast<std::size_t>(i)];
  }
  return out;
}

TEST(SpatialMechanisms, AreRegularUnlessTheySayRedundantAndMove) {
  for (const Rotation rotation : {Rotation::quaternion, Rotation::directors})
    for (const Mechanism& mechanism : spatial_mechanisms(rotation)) {
      SCOPED_TRACE(mechanism.name + ", " + to_string(rotation));
      const Model model = read(mechanism.text);
      LongMechanics mechanics(model);
      const auto motion = at_start(model);
      const int size = mechanics.coordinates() + mechanics.constraints();
      if (mechanism.redundant)
        EXPECT_LT(motion.rank, size);
      else
        EXPECT_EQ(motion.rank, size);
      const auto values = mechanics.values(0, widened(model.q0), widened(model.v0));
      EXPECT_LT(values.position, 1e-14L);  // 3.7e-16
      EXPECT_LT(values.velocity, 5e-14L);  // 2.2e-15
      double speed = 0;
      for (const double v : model.v0) speed = std::fmax(speed, std::fabs(v));
      EXPECT_GT(speed, 0.1);
    }
}

// bench_startup measures how long their first step takes. Written anew with RATTLEBACK_MECHANISMS=FOLDER (models_test.cpp).
TEST(SpatialMechanisms, AreTheFilesOfTheBench) {
  for (const Mechanism& mechanism : spatial_mechanisms(Rotation::quaternion)) {
    if (mechanism.name != "bicycle" && mechanism.name != "bricard") continue;
    std::ifstream file(RATTLEBACK_SOURCE_DIR "/bench/models/" + mechanism.name + "-quaternions.toml");
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_EQ(text.str(), mechanism.text) << mechanism.name;
  }
}

TEST(SpatialMechanisms, HaveTheSameJointForcesInQuaternionsAndInDirectors) {
  const auto in_quaternions = spatial_mechanisms(Rotation::quaternion);
  const auto in_directors = spatial_mechanisms(Rotation::directors);
  for (std::size_t i = 0; i < in_quaternions.size(); ++i) {
    if (in_quaternions[i].redundant) continue;  // the least norm includes the bodies' own constraints
    SCOPED_TRACE(in_quaternions[i].name);
    const auto a = joints(read(in_quaternions[i].text)), b = joints(read(in_directors[i].text));
    ASSERT_EQ(a.size(), b.size());
    Real largest = 0;
    for (const auto& [name, value] : a) largest = std::fmax(largest, std::fabs(value));
    EXPECT_GT(largest, 0);
    for (const auto& [name, value] : a) EXPECT_LT(std::fabs(value - b.at(name)), 2e-14L * largest) << name;  // 4.2e-16
  }
}

TEST(SpatialMechanisms, HaveTheMultipliersOfALongDoubleSolveAlongTheirMotion) {
  for (const Rotation rotation : {Rotation::quaternion, Rotation::directors})
    for (const Mechanism& mechanism : spatial_mechanisms(rotation)) {
      SCOPED_TRACE(mechanism.name + ", " + to_string(rotation));
      const Model model = read(mechanism.text);
      const Trajectory t =
          simulate(model, {.steps = 4, .redundant = mechanism.redundant ? "minimum-norm" : "", .native = "off"});
      ASSERT_EQ(t.status, Status::done) << t.message;
      LongMechanics mechanics(model);
      const std::size_t n = t.q.size(), m = t.multipliers.size();
      for (std::size_t i = 0; i < t.records.rows; i += 2) {
        const auto row = [&](const std::vector<double>& x, std::size_t width) {
          return widened(std::span(x).subspan(i * width, width));
        };
        const auto right = mechanics.motion(t.records.t[i], row(t.records.q, n), row(t.records.v, n)).multipliers;
        const Reals recorded = row(t.records.multipliers, m);
        Real off = 0, size = 0;
        for (std::size_t r = 0; r < m; ++r) {
          off = std::fmax(off, std::fabs(recorded[r] - right[r]));
          size = std::fmax(size, std::fabs(right[r]));
        }
        EXPECT_LT(off, 1e-9L * size) << "t = " << t.records.t[i];  // 2.9e-15
      }
    }
}

}  // namespace
}  // namespace rattleback::testing
