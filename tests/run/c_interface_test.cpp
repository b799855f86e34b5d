// What C sees: the same steps, statuses instead of exceptions.
#include "rattleback/rattleback.h"

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rattleback/simulate.hpp"

namespace rattleback::testing {
namespace {

TEST(CInterface, HasTheBitsOfSimulate) {
  rattleback_model* model = nullptr;
  rattleback_options* options = nullptr;
  rattleback_stepper* stepper = nullptr;
  ASSERT_EQ(rattleback_model_load("double-pendulum", &model), RATTLEBACK_OK) << rattleback_error();
  ASSERT_EQ(rattleback_options_new(&options), RATTLEBACK_OK);
  for (const auto& [name, value] :
       {std::pair{"method", "rattle"}, std::pair{"step", "0.01"}, std::pair{"native", "off"}})
    ASSERT_EQ(rattleback_options_set(options, name, value), RATTLEBACK_OK) << rattleback_error();
  ASSERT_EQ(rattleback_stepper_new(model, options, &stepper), RATTLEBACK_OK) << rattleback_error();
  std::size_t n = 0, nv = 0, m = 0;
  rattleback_stepper_size(stepper, &n, &nv, &m);
  ASSERT_EQ(rattleback_stepper_advance(stepper, 10), RATTLEBACK_OK);
  rattleback_snapshot* saved = nullptr;
  ASSERT_EQ(rattleback_stepper_save(stepper, &saved), RATTLEBACK_OK);
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(rattleback_stepper_restore(stepper, saved), RATTLEBACK_OK);
    for (int k = 0; k < 10; ++k) ASSERT_EQ(rattleback_stepper_step(stepper), RATTLEBACK_OK);
    const Trajectory run =
        simulate(load_model("double-pendulum"), {.method = "rattle", .step = 0.01, .steps = 20, .native = "off"});
    std::vector<double> q(n), v(nv), lambda(m);
    ASSERT_EQ(rattleback_stepper_q(stepper, q.data()), RATTLEBACK_OK);
    ASSERT_EQ(rattleback_stepper_v(stepper, v.data()), RATTLEBACK_OK);
    ASSERT_EQ(rattleback_stepper_multipliers(stepper, lambda.data()), RATTLEBACK_OK);
    EXPECT_EQ(q, run.q);
    EXPECT_EQ(v, run.v);
    EXPECT_EQ(lambda, run.multipliers);
    EXPECT_EQ(rattleback_stepper_t(stepper), run.t);
  }
  rattleback_dynamics* dynamics = nullptr;
  ASSERT_EQ(rattleback_dynamics_new(model, &dynamics), RATTLEBACK_OK);
  std::vector<double> M(n * n), K(m * n), a(n), lambda(m), f(n);
  EXPECT_EQ(rattleback_dynamics_mass(dynamics, M.data()), RATTLEBACK_OK);
  EXPECT_EQ(rattleback_dynamics_constraint_jacobian(dynamics, K.data()), RATTLEBACK_OK);
  EXPECT_EQ(rattleback_dynamics_force(dynamics, f.data()), RATTLEBACK_OK);
  EXPECT_EQ(rattleback_dynamics_acceleration(dynamics, a.data(), lambda.data()), RATTLEBACK_OK);
  rattleback_dynamics_free(dynamics);
  rattleback_snapshot_free(saved);
  rattleback_stepper_free(stepper);
  rattleback_options_free(options);
  rattleback_model_free(model);
}

TEST(CInterface, TakesNullHandlesForWrongRequests) {
  double x = 0.0;
  EXPECT_EQ(rattleback_stepper_step(nullptr), RATTLEBACK_WRONG);
  EXPECT_EQ(rattleback_stepper_advance_to(nullptr, 1.0), RATTLEBACK_WRONG);
  EXPECT_EQ(rattleback_stepper_q(nullptr, &x), RATTLEBACK_WRONG);
  EXPECT_EQ(rattleback_stepper_set_state(nullptr, 0.0, &x, &x), RATTLEBACK_WRONG);
  EXPECT_EQ(rattleback_stepper_save(nullptr, nullptr), RATTLEBACK_WRONG);
  EXPECT_EQ(rattleback_dynamics_mass(nullptr, &x), RATTLEBACK_WRONG);
  EXPECT_NE(rattleback_stepper_t(nullptr), rattleback_stepper_t(nullptr));
  EXPECT_STREQ(rattleback_error(), "dynamics is a null pointer");
}

TEST(CInterface, SaysWhatIsWrong) {
  rattleback_model* model = nullptr;
  EXPECT_EQ(rattleback_model_load("doubel-pendulum", &model), RATTLEBACK_WRONG);
  EXPECT_EQ(model, nullptr);
  EXPECT_NE(std::string(rattleback_error()).find("double-pendulum"), std::string::npos) << rattleback_error();
  EXPECT_EQ(rattleback_model_load(nullptr, &model), RATTLEBACK_WRONG);
  EXPECT_EQ(rattleback_model_parse("coordinates = [}", "mine", &model), RATTLEBACK_WRONG);
  ASSERT_EQ(rattleback_model_load("skate", &model), RATTLEBACK_OK);
  rattleback_options* options = nullptr;
  ASSERT_EQ(rattleback_options_new(&options), RATTLEBACK_OK);
  EXPECT_EQ(rattleback_options_set(options, "stepp", "0.1"), RATTLEBACK_WRONG);
  EXPECT_NE(std::string(rattleback_error()).find("`step`"), std::string::npos) << rattleback_error();
  EXPECT_EQ(rattleback_options_set(options, "step", "fast"), RATTLEBACK_WRONG);
  EXPECT_EQ(rattleback_options_set(options, "stages", "2.5"), RATTLEBACK_WRONG);
  EXPECT_EQ(rattleback_options_set(options, "native", "perhaps"), RATTLEBACK_WRONG);
  EXPECT_EQ(rattleback_options_set(options, "audit", "power"), RATTLEBACK_OK);
  rattleback_stepper* stepper = nullptr;
  EXPECT_EQ(rattleback_options_set(options, "method", "nothing"), RATTLEBACK_OK);
  EXPECT_EQ(rattleback_stepper_new(model, options, &stepper), RATTLEBACK_WRONG);
  EXPECT_EQ(stepper, nullptr);
  rattleback_options_free(options);
  rattleback_model_free(model);
}

}  // namespace
}  // namespace rattleback::testing
