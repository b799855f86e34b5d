// kind = "hamiltonian": against numbers with 40 digits, against Lagrangian twins, and what is refused.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "output/json.hpp"
#include "rattleback/simulate.hpp"
#include "study/random.hpp"
#include "support.hpp"

namespace rattleback::testing {
namespace {

using test::message_of;

// A mass that depends on the position, on a curve.
const char* const kCurve = R"toml(kind = "hamiltonian"
coordinates = ["x", "y"]
momenta = ["px", "py"]
[parameters]
c = "0.6^2 + 2*0.7^2 + sin(0.6*0.7)/2"
s = 0.5
[define]
det = "(2 + x^2)*(1 + y^2) - 0.09*x^2*y^2"
kinetic = "((1 + y^2)*px^2 - 0.6*x*y*px*py + (2 + x^2)*py^2)/(2*det)"
[hamiltonian]
H = "kinetic + y/2 + x*y^2/4"
[constraints.holonomic]
curve = "x^2 + 2*y^2 + sin(x*y)/2 - c"
[initial]
x = 0.6
y = 0.7
px = "(2 + x^2)*(4*y + x*cos(x*y)/2)*s - 0.3*x*y*(2*x + y*cos(x*y)/2)*s"
py = "0.3*x*y*(4*y + x*cos(x*y)/2)*s - (1 + y^2)*(2*x + y*cos(x*y)/2)*s"
)toml";

double momentum(const Trajectory& run, const std::string& name) {
  const auto at = std::ranges::find(run.quantity_names, name);
  return at == run.quantity_names.end() ? NAN
                                        : run.quantities[static_cast<std::size_t>(at - run.quantity_names.begin())];
}

TEST(Momenta, OneStepOfTheEulerMethodsIsThatOfTheFormulas) {
  const Model m = parse_model(kCurve, "curve.toml");
  const auto one = [&](const char* method) {
    return simulate(m, {.method = method, .step = 0.05, .steps = 1, .native = "off"});
  };
  const Trajectory a = one("euler-true"), b = one("euler-conjugate-true");
  EXPECT_NEAR(a.q[0], 0.6774864643147502, 1e-14);
  EXPECT_NEAR(a.q[1], 0.6591499359438878, 1e-14);
  EXPECT_NEAR(momentum(a, "px"), 3.564427450457432, 1e-13);
  EXPECT_NEAR(momentum(a, "py"), -1.004243881762274, 1e-13);
  EXPECT_NEAR(b.q[0], 0.6742188939497215, 1e-14);
  EXPECT_NEAR(b.q[1], 0.6609799691997361, 1e-14);
  EXPECT_NEAR(momentum(b, "px"), 3.567456169475121, 1e-13);
  EXPECT_NEAR(momentum(b, "py"), -1.002643817169594, 1e-13);
  const auto json = report::run_json(m, a, nullptr);
  EXPECT_EQ(json["p"]["px"], momentum(a, "px"));
  EXPECT_EQ(json["q"]["x"], a.q[0]);
}

// Random energies with terms linear in p, on random surfaces: the Lagrangian by the closed form of the Legendre transform.
TEST(Momenta, RandomEnergiesAgreeWithTheirLagrangians) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(91, seed);
    const auto number = [&](double size) { return fmt::format("({:.6f})", size * (2.0 * random.uniform() - 1.0)); };
    const auto positive = [&](double least) {
      return fmt::format("({:.6f} + {}*sin(x)*cos(y + t))", least + random.uniform(), number(0.2));
    };
    const std::string a = positive(1.0), c = positive(1.0), off = number(0.3) + "*cos(x - y)", b1 = number(0.4) + "*y",
                      b2 = number(0.4) + "*sin(x)", V = fmt::format("x^2 + y^2 + {}*x*y + z^2", number(0.5)),
                      third = positive(0.8);
    const std::string det = fmt::format("({}*{} - ({})^2)", a, c, off);
    const std::string start =
        "[constraints.holonomic]\ng = \"x + 2*y - z - 0.1\"\n[initial]\nx = 0.3\ny = 0.2\nz = 0.6\n";
    const Model h = parse_model(
        fmt::format(
            "kind = \"hamiltonian\"\ncoordinates = [\"x\", \"y\", \"z\"]\nmomenta = [\"px\", \"py\", \"pz\"]\n"
            "project = true\n[hamiltonian]\nH = \"{}*px^2/2 + {}*px*py + {}*py^2/2 + {}*pz^2/2 + {}*px + {}*py + {}\"\n"
            "[forces]\nx = \"-0.1*px\"\n{}px = 0.4\npy = -0.3\npz = 0.1\n",
            a, off, c, third, b1, b2, V, start),
        "h.toml");
    const std::string u = fmt::format("(x' - {})", b1), w = fmt::format("(y' - {})", b2);
    const Model l = parse_model(
        fmt::format("coordinates = [\"x\", \"y\", \"z\"]\n[define]\npx = \"({2}*{4} - {1}*{5})/{3}\"\n"
                    "[lagrangian]\nL = \"({2}*{4}^2 - 2*{1}*{4}*{5} + {0}*{5}^2)/(2*{3}) + z'^2/(2*{6}) - ({7})\"\n"
                    "[forces]\nx = \"-0.1*px\"\n{8}",
                    a, off, c, det, u, w, third, V, start),
        "l.toml");
    Options o{.method = "prk-lobatto", .stages = 5, .step = 0.01, .native = "off"};
    o.until = 1.0;
    const Trajectory run = simulate(h, o);
    Options from = o;
    from.q0 = run.start_q;
    from.v0 = run.start_v;
    const Trajectory twin = simulate(l, from);
    ASSERT_EQ(run.status, Status::done) << seed;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(run.q[i], twin.q[i], 1e-9) << seed;
      EXPECT_NEAR(run.v[i], twin.v[i], 1e-9) << seed;
    }
    EXPECT_NEAR(run.multipliers[0], twin.multipliers[0], 1e-7) << seed;
    EXPECT_NEAR(run.energy->final, twin.energy->final, 1e-9) << seed;
  }
}

TEST(Momenta, OfTheStartAreThoseThatAreGivenOrFollow) {
  const std::string head =
      "kind = \"hamiltonian\"\ncoordinates = [\"x\", \"y\"]\nmomenta = [\"px\", \"py\"]\n"
      "parameters = { m = 2 }\n[hamiltonian]\nH = \"(px^2 + py^2)/(2*m) + 9.81*m*y + x*py\"\n[initial]\nx = 3\n";
  const Model p = parse_model(head + "px = \"m\"\npy = \"px + 1\"\n", "p.toml"),
              v = parse_model(head + "\"x'\" = 1\n", "v.toml");
  EXPECT_EQ(p.v0, (std::vector<double>{1.0, 4.5}));  // y' = py/m + x
  EXPECT_EQ(v.v0, (std::vector<double>{1.0, 0.0}));
  EXPECT_EQ(p.with({{"m", "4"}}).v0, (std::vector<double>{1.0, 4.25}));
  EXPECT_EQ(p.with({}, {{"py", "0"}}).v0, (std::vector<double>{1.0, 3.0}));
  EXPECT_NE(message_of([&] {
              (void)parse_model(head + "px = 1\n\"x'\" = 1\n", "b.toml");
            }).find("the start has momenta and velocities"),
            std::string::npos);
  EXPECT_NE(message_of([&] { (void)parse_model(head + "px = \"x'\"\n", "b.toml"); }).find("not known yet"),
            std::string::npos);
  const Trajectory run =
      simulate(v, {.method = "spark-gauss", .stages = 3, .step = 0.01, .steps = 100, .native = "off"});
  EXPECT_NEAR(run.energy->initial, 1.0 + 9.0 * 2 / 2 - 18.0, 1e-12);  // py = m (y' - x) = -6
  EXPECT_LT(run.energy->max_error, 1e-9);
}

// Momenta that do not hang together for the values of now may do so for others.
TEST(Momenta, OtherParametersAreOtherMasses) {
  const Model m = parse_model(
      "kind = \"hamiltonian\"\ncoordinates = [\"x\", \"y\"]\nmomenta = [\"px\", \"py\"]\nparameters = { a = 1, b = 1 "
      "}\n"
      "[hamiltonian]\nH = \"px^2 + py^2 + (a - b)*px*py + x^2 + y^2\"\n[initial]\npx = 1\npy = 0.5\n",
      "m.toml");
  Options o{.method = "spark-gauss", .stages = 3, .step = 0.01, .steps = 50, .native = "off"};
  Options other = o;
  other.parameters = {{"a", 1.5}};
  const Trajectory run = simulate(m, other), same = simulate(m.with({{"a", "1.5"}}), o);
  EXPECT_EQ(run.q, same.q);
  EXPECT_NEAR(run.energy->initial, 1.25 + 0.25, 1e-13);
}

TEST(Momenta, FaultsAreNamed) {
  const auto refusal = [](const std::string& H, const std::string& momenta = "[\"px\", \"py\"]",
                          const std::string& rest = "") {
    return message_of([&] {
      (void)parse_model("kind = \"hamiltonian\"\ncoordinates = [\"x\", \"y\"]\nmomenta = " + momenta +
                            "\n[hamiltonian]\nH = \"" + H + "\"\n" + rest,
                        "m.toml");
    });
  };
  EXPECT_NE(refusal("sqrt(1 + px^2) + py^2").find("m.toml:5:"), std::string::npos);
  EXPECT_NE(refusal("sqrt(1 + px^2) + py^2").find("not quadratic in the momenta"), std::string::npos);
  EXPECT_NE(refusal("px^2 + y").find("have no inverse"), std::string::npos);
  EXPECT_NE(refusal("(px + py)^2").find("have no inverse"), std::string::npos);
  EXPECT_NE(refusal("px^2 + py^2", "[\"px\"]").find("1 momenta, but 2 coordinates"), std::string::npos);
  EXPECT_NE(refusal("px^2 + py^2 + x'").find("velocity"), std::string::npos);
  EXPECT_NE(refusal("px^2 + py^2", "[\"px\", \"py\"]", "[forces]\npx = \"1\"\n").find("is a momentum"),
            std::string::npos);
  EXPECT_NE(refusal("px^2 + py^2", "[\"px\", \"py\"]", "[lagrangian]\nL = \"1\"\n").find("unknown table"),
            std::string::npos);
}

}  // namespace
}  // namespace rattleback::testing
