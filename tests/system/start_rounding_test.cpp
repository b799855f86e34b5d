// Which starts are consistent: a residual is rounding if a few ulps of the coordinates, of the parameters or of numbers on
// the way explain it, and nothing else is.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "expr/rounding.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "support/cases.hpp"
#include "support/mechanisms.hpp"
#include "system/start/start.hpp"

namespace rattleback {
namespace {

Model plane(const std::string& constraints, const std::string& initial, const std::string& parameters = "") {
  return parse_model("coordinates = [\"x\", \"y\"]\n[parameters]\n" + parameters +
                         "\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints." + constraints +
                         "\n[initial]\n" + initial + "\n",
                     "plane.toml");
}

// The same verdict from everybody who judges; a consistent start is not moved.
bool accepted(const Model& model) {
  const System system(model);
  const bool consistent = analyse_start(system, model.q0, model.v0).consistent;
  EXPECT_EQ(check(model).consistent, consistent);
  std::vector<double> q = model.q0, v = model.v0;
  EXPECT_TRUE(project_start(system, q, v));
  EXPECT_EQ(q == model.q0 && v == model.v0, consistent);
  std::string message;
  try {
    (void)simulate(model, {.step = 1e-3, .steps = 1});
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_EQ(message.find("violates") == std::string::npos, consistent) << message;
  Options projected{.step = 1e-3, .steps = 1};
  projected.project = true;
  EXPECT_EQ(simulate(model, projected).start_q == model.q0 && simulate(model, projected).start_v == model.v0,
            consistent);
  return consistent;
}

TEST(StartRounding, IsAcceptedWhereverItComesFrom) {
  for (const char* name : {"refused_rounding", "refused_cos_pi_2", "project_fails_on_rounding"})
    EXPECT_TRUE(accepted(load_model(testing::case_file(name)))) << name;
  // an angle that is a parameter, folded into the constants of the constraint
  EXPECT_TRUE(accepted(plane("holonomic]\nslope = \"cos(alpha)*x - sin(alpha)*y\"", "x = 1", "alpha = \"pi/2\"")));
  EXPECT_TRUE(accepted(plane("holonomic]\nslope = \"c*x - y\"", "x = 1", "alpha = \"pi/2\"\nc = \"2*cos(alpha)\"")));
  EXPECT_TRUE(accepted(plane("holonomic]\nwall = \"x - (1.2 - 1.1 - 0.1)*y\"", "y = 1")));
  // one start from another
  EXPECT_TRUE(accepted(plane("holonomic]\nwall = \"y\"", "x = \"cos(pi/2)\"\ny = \"3*x + 1 - 1\"")));
  // the derivative of a constraint
  EXPECT_TRUE(accepted(plane("holonomic]\nrod = \"x^2 + y^2 - 1\"",
                             "x = \"cos(1.1)\"\ny = \"sin(1.1)\"\n\"x'\" = \"-7*sin(1.1)\"\n\"y'\" = \"7*cos(1.1)\"")));
  // where a slope is infinite: 2e-8 instead of 0
  EXPECT_TRUE(accepted(plane("holonomic]\nwall = \"x\"", "x = \"acos(1 - 2e-16)\"")));
  EXPECT_TRUE(accepted(plane("holonomic]\nwall = \"x\"", "y = \"0.1 + 0.2\"\nx = \"sqrt(y - 0.3)\"")));
  // fifteen digits, typed
  EXPECT_TRUE(accepted(plane("holonomic]\nrod = \"x^2 + y^2 - 1\"", "x = 0.707106781186548\ny = 0.707106781186548")));
}

TEST(StartRounding, IsNotWhatAUserGotWrong) {
  EXPECT_FALSE(accepted(plane("holonomic]\nwall = \"x\"", "x = 1e-9\ny = 1")));
  EXPECT_FALSE(accepted(plane("holonomic]\nwall = \"x\"", "x = 1e-17")));  // beside nothing
  EXPECT_TRUE(accepted(plane("holonomic]\nwall = \"x\"", "x = 1e-17\ny = 0.3")));
  EXPECT_FALSE(accepted(plane("holonomic]\nwall = \"x\"", "x = 1e-14\ny = 0.3")));
  EXPECT_FALSE(accepted(plane("holonomic]\nwall = \"x\"", "x = 1e-17\ny = 3e-5")));
  EXPECT_FALSE(accepted(plane("holonomic]\nrod = \"x^2 + y^2 - 1\"", "x = 1.000000001")));
  EXPECT_FALSE(accepted(plane("holonomic]\nrod = \"x^2 + y^2 - 1\"", "x = 1.0000000000001")));
  EXPECT_FALSE(accepted(plane("nonholonomic]\nroll = \"x' - y'\"", "\"x'\" = 1\n\"y'\" = 1.000000001")));
  EXPECT_FALSE(accepted(plane("nonholonomic]\nroll = \"x' - y'\"", "\"x'\" = 1\n\"y'\" = \"1 + 1e-13\"")));
  EXPECT_FALSE(accepted(plane("holonomic]\nslope = \"cos(alpha)*x - y\"", "x = 1\ny = 1e-12", "alpha = \"pi/2\"")));
}

// What a run printed, typed in as a start: rounding has left small numbers of zeros, beside nothing in their rows.
TEST(StartRounding, OfARunIsAcceptedWhenItsEndIsTheStartOfAnother) {
  std::vector<std::pair<std::string, Model>> systems;
  for (const char* name : {"rolling-disc", "rolling-disk", "double-pendulum", "heavy-top", "andrews",
                           "chaplygin-sleigh", "ball-on-turntable", "gearbox", "skate", "dae-hessenberg"})
    systems.emplace_back(name, load_model(name));
  for (const char* name : {"slider-loop", "slider-loop-right"})
    systems.emplace_back(name, load_model(testing::case_file(name)));
  for (const testing::Rotation rotation : {testing::Rotation::quaternion, testing::Rotation::directors})
    for (const testing::Mechanism& mechanism : testing::spatial_mechanisms(rotation)) {
      if (mechanism.redundant || mechanism.name == "rssr-driven") continue;  // a constraint of this one contains t
      // Its velocities satisfy two of the rows to 130 ulps only: it needs --project.
      if (mechanism.name == "bricard" && rotation == testing::Rotation::directors) continue;
      systems.emplace_back(mechanism.name, parse_model(mechanism.text, "mechanism.toml"));
    }
  for (auto& [name, model] : systems) {
    SCOPED_TRACE(name);
    const Trajectory t = simulate(model, {.steps = 20, .native = "off"});
    ASSERT_EQ(t.status, Status::done) << t.message;
    model.q0 = t.q;
    model.v0 = t.v;
    model.q0_error.clear();
    model.v0_error.clear();
    for (const ConstraintResidual& r : analyse_start(System(model), t.q, t.v, t.multipliers).residuals)
      EXPECT_TRUE(r.is_rounding()) << r.name << ": " << r.value << " where " << r.allowed << " is allowed";
  }
}

// How many ulps it takes, in units of the bound: what is allowed, 16, is enough for numbers with 14 digits.
TEST(StartRounding, OfShippedSystemsIsFarBelowWhatIsAllowed) {
  double most = 0.0;
  const auto see = [&](const Model& model) {
    for (const ConstraintResidual& r : analyse_start(System(model), model.q0, model.v0, model.z0).residuals)
      if (r.value > 0.0) most = std::fmax(most, kStartUlps * r.excess());
  };
  for (const ShippedModel& shipped : shipped_models()) see(load_model(std::string(shipped.key)));
  EXPECT_LT(most, 1.0);  // ulps
  most = 0.0;
  for (int k = 1; k < 200; ++k) {
    char x[20], y[20];
    std::snprintf(x, sizeof x, "%.15f", std::cos(0.0078 * k));
    std::snprintf(y, sizeof y, "%.15f", std::sin(0.0078 * k));
    see(plane("holonomic]\nrod = \"x^2 + y^2 - 1\"", "x = " + std::string(x) + "\ny = " + y));
  }
  EXPECT_LT(most, 1.5);  // 0.75
}

// Along a recurrence the bounds grow like 2.4^i, the errors do not.
TEST(StartRounding, OfALongRecurrenceIsNotAnExcuse) {
  const auto row = [](const std::string& last) {
    return check(parse_model("coordinates = [\"x[1:60]\"]\n[lagrangian]\nkinetic = \"sum(i = 1:60, x[i]'^2)/2\"\n"
                             "[constraints.holonomic]\nend = \"x[60] - 6\"\n[initial]\n\"x[1]\" = 0.1\n\"x[2]\" = 0.2\n"
                             "\"x[i=3:59]\" = \"2*x[i-1] - x[i-2]\"\n\"x[60]\" = \"" +
                                 last + "\"\n",
                             "row.toml"))
        .consistent;
  };
  EXPECT_TRUE(row("2*x[59] - x[58]"));
  EXPECT_FALSE(row("2*x[59] - x[58] + 1e-9"));
}

TEST(StartRounding, DoesNotDependOnTheUnitOfLength) {
  for (const char* unit : {"1e-8", "1e-4", "1", "1e4"}) {
    const auto rod = [&](const std::string& off) {
      return accepted(plane("holonomic]\nrod = \"x^2 + y^2 - l^2\"",
                            "x = \"l*cos(0.7)*(1 + " + off + ")\"\ny = \"l*sin(0.7)*(1 + " + off + ")\"",
                            "l = " + std::string(unit)));
    };
    EXPECT_TRUE(rod("2e-16")) << unit;
    EXPECT_FALSE(rod("1e-13")) << unit;
    EXPECT_TRUE(accepted(plane("holonomic]\nwall = \"x\"", "x = \"l*cos(pi/2)\"", "l = " + std::string(unit)))) << unit;
    EXPECT_FALSE(accepted(plane("holonomic]\nwall = \"x\"", "x = \"l*cos(pi/2 + 1e-12)\"", "l = " + std::string(unit))))
        << unit;
  }
}

// Every operation, at random arguments: the true error, from long double, is below the bound of the arguments' errors and not
// far below what such errors do.
TEST(StartRounding, BoundsTheErrorOfEveryOperation) {
  const auto exact = [](Op op, long double a, long double b) -> long double {
    switch (op) {
      case Op::sin: return std::sin(a);
      case Op::cos: return std::cos(a);
      case Op::tan: return std::tan(a);
      case Op::asin: return std::asin(a);
      case Op::acos: return std::acos(a);
      case Op::atan: return std::atan(a);
      case Op::sinh: return std::sinh(a);
      case Op::cosh: return std::cosh(a);
      case Op::tanh: return std::tanh(a);
      case Op::exp: return std::exp(a);
      case Op::log: return std::log(a);
      case Op::sqrt: return std::sqrt(a);
      case Op::add: return a + b;
      case Op::sub: return a - b;
      case Op::mul: return a * b;
      case Op::div: return a / b;
      case Op::pow: return std::pow(a, b);
      case Op::atan2: return std::atan2(a, b);
      case Op::hypot: return std::hypot(a, b);
      default: return 0.0L;
    }
  };
  std::uint64_t state = 5;
  const auto random = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  for (const Op op : {Op::sin, Op::cos, Op::tan, Op::asin, Op::acos, Op::atan, Op::sinh, Op::cosh, Op::tanh, Op::exp,
                      Op::log, Op::sqrt, Op::add, Op::sub, Op::mul, Op::div, Op::pow, Op::atan2, Op::hypot}) {
    for (int k = 0; k < 200; ++k) {
      const Rounded a{0.01 + 0.98 * random(), std::pow(10.0, -16.0 + 4.0 * random())};
      const Rounded b{0.01 + 0.98 * random(), std::pow(10.0, -16.0 + 4.0 * random())};
      const Rounded r = apply(op, a, b);
      EXPECT_EQ(r.value, apply(op, a.value, b.value));
      double seen = 0.0;
      for (const long double da : {-1.0L, 0.0L, 1.0L})
        for (const long double db : {-1.0L, 0.0L, 1.0L})
          seen = std::fmax(seen, static_cast<double>(
                                     std::fabs(exact(op, a.value + da * a.error, b.value + db * b.error) - r.value)));
      EXPECT_LE(seen, 1.001 * r.error) << static_cast<int>(op);
      EXPECT_LE(r.error, 1.001 * seen + 2.0 * kUlp * std::fabs(r.value)) << static_cast<int>(op);
    }
  }
}

}  // namespace
}  // namespace rattleback
