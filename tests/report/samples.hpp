// Small systems and trajectories made by hand, so that output is tested apart from integration.
#pragma once

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "rattleback/simulate.hpp"

namespace rattleback {

// Numbers that show whether output is exact: long, tiny, subnormal, negative zero, large.
inline const std::vector<double> kAwkward = {0.1, 1.0 / 3.0, -0.0, 5e-324, 1.7976931348623157e308, 123456789.123456789};

inline Model sleigh() {
  Model model;
  model.name = "Chaplygin sleigh on an incline";
  model.key = "chaplygin-sleigh";
  model.text = "name = \"Chaplygin sleigh on an incline\"\n# für alle\n";
  for (const char* name : {"x", "y", "theta"}) model.coordinates.add(name);
  model.nonholonomic_names.add("blade");
  return model;
}

inline Trajectory sleigh_run() {
  Trajectory t;
  t.method = "spark-lobatto-ab";
  t.stages = 3;
  t.order = 4;
  t.orders = {4, 4, 4};
  t.step = 0.12;
  t.steps = 1;
  t.t = 0.12;
  t.q = {0.1, 0.2, 1.0 / 3.0};
  t.v = {-0.0, 5e-324, 1e300};
  t.multipliers = {0.05};
  t.energy = EnergyAudit{.initial = 1.5, .final = 1.5 + 3e-15, .max_error = 3.1e-15, .drift_per_time = 1e-18};
  t.constraint_velocity = 2.2e-16;
  t.newton_iterations = 3;
  t.newton_max_per_step = 3;
  t.wall_seconds = 0.002;
  t.notes = {"the last step was shorter"};
  t.records.rows = 2;
  t.records.t = {0.0, 0.12};
  t.records.q = {kAwkward[0], kAwkward[1], kAwkward[2], kAwkward[3], kAwkward[4], kAwkward[5]};
  t.records.v = {0, 0, 0, 1, 2, 3};
  t.records.multipliers = {0.04, 0.05};
  t.records.energy = {1.5, 1.5 + 3e-15};
  t.records.residual_position = {};
  t.records.residual_velocity = {0.0, 2.2e-16};
  return t;
}

inline Model hessenberg() {
  Model model;
  model.name = "Index-2 DAE";
  model.key = "dae-hessenberg";
  model.kind = Kind::dae;
  for (const char* name : {"y1", "y2"}) model.coordinates.add(name);
  model.algebraic.add("z1");
  model.constraint_names.add("c");
  return model;
}

inline Trajectory hessenberg_run() {
  Trajectory t;
  t.method = "srk-gauss";
  t.stages = 2;
  t.order = 4;
  t.orders = {4, 4, 4};
  t.step = 0.1;
  t.steps = 1;
  t.t = 0.1;
  t.q = {1.1, 0.8};
  t.multipliers = {1.2};
  t.constraint_position = 1e-16;
  t.error = 1e-7;
  t.records.rows = 2;
  t.records.t = {0.0, 0.1};
  t.records.q = {1, 1, 1.1, 0.8};
  t.records.multipliers = {1, 1.2};
  t.records.residual_position = {0, 1e-16};
  return t;
}

// A folder of its own per test, removed at the end.
class InFolder : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "_" + test->name();
    for (char& c : name)
      if (c == '/') c = '_';
    folder_ = std::filesystem::temp_directory_path() / ("rattleback_" + name + "_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    return names;
  }

  std::filesystem::path folder_;
};

inline std::string read_all(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace rattleback
