// What the tests of step control, dense output and events share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "rattleback/error.hpp"
#include "support/properties.hpp"

namespace rattleback::testing {

// A Kepler orbit of eccentricity e in a tilted plane, which is a constraint. One turn takes 2 pi. At velocity level
// (--formulation index2) a linear constraint keeps its positions, too.
inline Model kepler(const std::string& e = "0.8") {
  return parse_model(R"toml(
name = "Kepler orbit in a plane"
coordinates = ["x", "y", "z"]
[parameters]
e = 0.8
[lagrangian]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "-1/sqrt(x^2 + y^2 + z^2)"
[constraints.holonomic]
plane = "0.6*y - 0.8*z"
[initial]
x = "1 - e"
"y'" = "0.8*sqrt((1 + e)/(1 - e))"
"z'" = "0.6*sqrt((1 + e)/(1 - e))"
)toml",
                     "kepler.toml", {.set = {{"e", e}}});
}

inline Options adaptive(const std::string& method, int stages, double tolerance, double until,
                        const std::string& controller = "") {
  Options o;
  o.method = method;
  o.stages = stages;
  o.adaptive = tolerance;
  o.until = until;
  o.controller = controller;
  o.formulation = "index2";
  o.record_multipliers = false;
  return o;
}

inline std::string message_of(const Model& model, const Options& options) {
  try {
    (void)simulate(model, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

// A folder of its own, removed at the end.
struct Scratch {
  Scratch() {
    // In memory where that is: a checkpoint waits for its disk.
    std::string name = std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : "/tmp";
    name += "/rattleback-simulate-XXXXXX";
    path = mkdtemp(name.data());
  }
  ~Scratch() { std::filesystem::remove_all(path); }
  [[nodiscard]] std::string file() const { return (path / "run.checkpoint").string(); }
  std::filesystem::path path;
};

inline void expect_same_run(const Trajectory& a, const Trajectory& b) {
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.multipliers, b.multipliers);
  EXPECT_EQ(a.records.t, b.records.t);
  EXPECT_EQ(a.records.q, b.records.q);
  EXPECT_EQ(a.records.v, b.records.v);
  EXPECT_EQ(a.records.energy, b.records.energy);
  EXPECT_EQ(a.energy->max_error, b.energy->max_error);
  EXPECT_EQ(a.energy->drift_per_time, b.energy->drift_per_time);
}

}  // namespace rattleback::testing
