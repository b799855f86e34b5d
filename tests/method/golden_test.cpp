// End states from tests/reference/golden.json.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

#include "rattleback/simulate.hpp"
#include "support/motion.hpp"

namespace rattleback::testing {
namespace {

using Json = nlohmann::json;

Json golden() {
  std::ifstream in(RATTLEBACK_SOURCE_DIR "/tests/reference/golden.json");
  return Json::parse(in);
}

Values values(const Json& object) {
  Values out;
  for (const auto& [name, value] : object.items()) out.emplace_back(name, value.dump());
  return out;
}

// Largest difference to the expected numbers, relative to the largest of them.
double difference(const Json& expected, const Names& names, const std::vector<double>& found) {
  double worst = 0.0, size = 0.0;
  for (const auto& [name, value] : expected.items()) {
    const auto i = names.find(name);
    if (!i) return INFINITY;
    worst = std::fmax(worst, std::fabs(value.get<double>() - found[static_cast<std::size_t>(*i)]));
    size = std::fmax(size, std::fabs(value.get<double>()));
  }
  return worst / size;
}

TEST(Golden, EveryCaseIsReproduced) {
  int cases = 0;
  for (const Json& c : golden()) {
    SCOPED_TRACE(c["id"].get<std::string>() + " " + c["system"].get<std::string>() + " " +
                 c["method"].get<std::string>());
    const Model model = shipped(c["system"], values(c["set"]), values(c["start"]));
    Options options;
    options.method = c["method"];
    if (find_method(options.method).fixed_stages == 0) options.stages = c["stages"];
    if (c.contains("formulation")) options.formulation = c["formulation"].get<std::string>();
    options.step = c["step"];
    options.steps = c["steps"];
    options.keep_records = false;
    const Trajectory run = simulate(model, options);
    ASSERT_EQ(run.status, Status::done) << run.message;
    const double tol = c["tol"];
    const Json& expected = c["expect"];
    if (expected.contains("q")) EXPECT_LT(difference(expected["q"], model.coordinates, run.q), tol);  // 2e-13
    if (expected.contains("v")) EXPECT_LT(difference(expected["v"], model.coordinates, run.v), tol);
    if (expected.contains("x")) {
      Names names = model.coordinates;  // odae: positions and velocities together
      for (const std::string& name : model.odae.velocities.all()) names.add(name);
      std::vector<double> x = run.q;
      x.insert(x.end(), run.v.begin(), run.v.end());
      EXPECT_LT(difference(expected["x"], names, x), tol);  // odae: 2e-15
    }
    if (c.contains("expect_error")) {
      const double error = c["expect_error"];
      EXPECT_NEAR(*run.error, error, 1e-7 * error + 2e-14);
    }
    ++cases;
  }
  EXPECT_EQ(cases, 72);
}

}  // namespace
}  // namespace rattleback::testing
