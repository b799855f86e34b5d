#include "support/properties.hpp"

#include <algorithm>
#include <cmath>

#include "system/angles.hpp"

namespace rattleback::testing {
namespace {

double norm(const std::vector<double>& a) {
  double s = 0.0;
  for (const double x : a) s += x * x;
  return std::sqrt(s);
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) d[i] = a[i] - b[i];
  return norm(d);
}

// Least squares through the points above `floor`.
double fitted(const std::vector<double>& h, const std::vector<double>& error, double floor) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    if (!(error[i] > floor)) continue;
    const double x = std::log(h[i]), y = std::log(error[i]);
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return n >= 3 ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : std::nan("");
}

}  // namespace

Motion::State reference_end(const Model& model, double until, const Maker& maker) {
  const std::string gauss = model.kind == Kind::mechanical ? "spark-gauss" : "srk-gauss";
  const std::string formulation = model.holonomic_names.empty() ? "" : "ggl";
  Motion motion(model, maker ? maker : method(gauss, 8, 0, formulation));
  const int count = std::max(4, static_cast<int>(std::ceil(until / 0.1)));
  motion.advance(until / count, count);
  return motion.state();
}

Orders measured_order(const Maker& maker, const Model& model, double until, const std::vector<int>& counts,
                      const Motion::State& reference) {
  std::vector<double> h, q, v, multipliers;
  for (const int count : counts) {
    Motion motion(model, maker);
    h.push_back(until / count);
    motion.advance(h.back(), count);
    const Motion::State end = motion.state();
    q.push_back(distance(end.q, reference.q));
    v.push_back(distance(end.v, reference.v));
    multipliers.push_back(distance(end.multipliers, reference.multipliers));
  }
  const auto floor = [](const std::vector<double>& x) { return 3e-14 * std::fmax(1.0, norm(x)); };
  return {fitted(h, q, floor(reference.q)), fitted(h, v, floor(reference.v)),
          fitted(h, multipliers, floor(reference.multipliers))};
}

double exact_error(const Maker& maker, const Model& model, double until, int count) {
  Motion motion(model, maker);
  motion.advance(until / count, count);
  const Motion::State end = motion.state();
  return motion.system.exact_error(motion.stepper->t(), end.q, end.v, end.multipliers).value();
}

double slope(double error_coarse, double error_fine, double ratio) {
  return std::log(error_coarse / error_fine) / std::log(ratio);
}

double round_trip_defect(const Maker& maker, const Model& model, double h, int steps) {
  Motion motion(model, maker);
  motion.advance(h, steps);
  const int turned = motion.stepper->turn_round();
  if (!motion.stepper->advance(-h, steps - turned).ok) return INFINITY;
  double defect = 0.0, size = 0.0;
  const auto compare = [&](std::span<const double> a, const std::vector<double>& b, bool counts) {
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (counts) defect = std::fmax(defect, std::fabs(a[i] - b[i]));
      size = std::fmax(size, std::fabs(b[i]));
    }
  };
  compare(unwrapped_positions(*motion.stepper), motion.start.q, true);
  compare(motion.stepper->v(), motion.start.v, turned == 0);
  return defect / size;
}

double max_constraint(const Maker& maker, const Model& model, double h, int steps) {
  Motion motion(model, maker);
  double largest = 0.0;
  for (int k = 0; k < steps; ++k) {
    motion.advance(h, 1);
    const System::Observation o = motion.observe();
    largest = std::fmax(largest, motion.system.facts().lagrangian ? o.velocity : o.position);
  }
  return largest;
}

EnergyError energy_error(const Maker& maker, const Model& model, double h, int steps) {
  Motion motion(model, maker);
  const double initial = motion.observe().energy;
  EnergyError out;
  for (int k = 1; k <= steps; ++k) {
    motion.advance(h, 1);
    const double error = std::fabs(motion.observe().energy - initial);
    out.max = std::fmax(out.max, error);
    if (k <= steps / 10) out.early = std::fmax(out.early, error);
    if (k > steps - steps / 10) out.late = std::fmax(out.late, error);
  }
  return out;
}

Model moving_contact() {
  return parse_model(R"toml(
name = "moving contact"
coordinates = ["x", "y", "z"]
[lagrangian]
L = "(1 + 0.2*sin(t))*(x'^2 + y'^2 + z'^2)/2 - (1 + 0.5*cos(2*t))*(x^2 + y^2) - x*z/2"
[constraints.nonholonomic]
contact = "z' - (y + 0.3*sin(t))*x' - 0.2*cos(t)"
[initial]
x = 1.0
y = 0.3
"x'" = 0.4
"y'" = 1.0
"z'" = "y*x' + 0.2"
)toml",
                     "moving_contact.toml");
}

Model nonlinear_contact() {
  return parse_model(R"toml(
name = "nonlinear contact"
coordinates = ["x", "y", "z"]
[lagrangian]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "0.5*(x - 0.5)^2 + 0.3*y^4 + 0.4*z + 0.1*x*y"
[constraints.nonholonomic]
cone = "(x'^2 + y'^2 - z'^2)/2"
[initial]
"x'" = 0.6
"y'" = 0.8
"z'" = -1.0
)toml",
                     "nonlinear_contact.toml");
}

Model forced_particle() {
  return parse_model(R"toml(
name = "forced particle"
coordinates = ["x", "y", "z"]
[lagrangian]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "x^2 + y^2"
[constraints.nonholonomic]
contact = "z' - y*x'"
[forces]
x = "-0.3*x'*sqrt(1 + x'^2 + y'^2)"
y = "-0.2*y'^3 + 0.5*sin(2*t)"
z = "-0.1*z' + 0.2*y*x"
[initial]
x = 1.0
"y'" = 1.0
)toml",
                     "forced_particle.toml");
}

Model nonideal_particle() {
  return parse_model(R"toml(
name = "nonideal particle"
coordinates = ["x", "y", "z"]
[lagrangian]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "x^2 + y^2"
[constraints.nonholonomic]
contact = "z' - y*x'"
[forces]
x = "0.3*lambda(contact)*(x + 0.5*y')"
y = "-0.4*lambda(contact)*cos(x')"
[initial]
x = 1.0
y = 0.2
"x'" = 0.3
"y'" = 1.0
"z'" = "y*x'"
)toml",
                     "nonideal_particle.toml");
}

Model magnetic_particle() {
  return parse_model(R"toml(
name = "magnetic particle"
coordinates = ["x", "y", "z"]
[lagrangian]
L = "(x'^2 + y'^2 + z'^2)/2 + (1 + 0.3*x)*(x*y' - y*x')/2 - x^2 - y^2"
[constraints.nonholonomic]
contact = "z' - y*x'"
[initial]
x = 1.0
y = 0.2
"x'" = 0.3
"y'" = 1.0
"z'" = "y*x'"
)toml",
                     "magnetic_particle.toml");
}

Model swung_particle() {
  return parse_model(R"toml(
name = "swung particle"
coordinates = ["x", "y", "z"]
[lagrangian]
L = "(x'^2 + y'^2 + z'^2)/2 + 0.5*sin(2*t)*x' + 0.3*cos(t)*y' - x^2 - y^2"
[constraints.nonholonomic]
contact = "z' - y*x'"
[initial]
x = 1.0
y = 0.2
"x'" = 0.3
"y'" = 1.0
"z'" = "y*x'"
)toml",
                     "swung_particle.toml");
}

Model offset_robot() {
  return parse_model(R"toml(
name = "robot with an offset"
coordinates = ["x", "y", "theta", "psi"]
[lagrangian]
kinetic = "(dt(x + 0.4*cos(theta))^2 + dt(y + 0.4*sin(theta))^2)/2 + theta'^2/2 + 3*psi'^2/2"
potential = "sin(psi) + 0.2*x^2"
[constraints.nonholonomic]
roll_x = "x' - cos(theta)*psi'"
roll_y = "y' - sin(theta)*psi'"
[initial]
"x'" = 1
"psi'" = 1
"theta'" = 0.5
)toml",
                     "offset_robot.toml");
}

Model additive_symmetric() {
  return parse_model(R"toml(
name = "additive, symmetric parts"
kind = "dae"
states = ["y1", "y2"]
algebraic = ["z1"]
[rhs.1]
y1 = "y2 - 2*y1^2*y2"
y2 = "-y1^2"
[rhs.2]
y1 = "y1*y2^2*z1^2 - y2^2*z1"
y2 = "exp(-t)*z1 - y1 - 3*y2^2*z1"
[rhs.5]
y1 = "2*y2^2*z1^2 + 2*y1*y2^2 - 2*exp(-2*t)*y1*y2"
y2 = "y1^2*y2^2 + z1"
[constraints]
c = "y1^2*y2 - 1"
[initial]
y1 = 1
y2 = 1
z1 = 1
[exact]
y1 = "exp(t)"
y2 = "exp(-2*t)"
)toml",
                     "additive_symmetric.toml");
}

Model on_a_surface() {
  return parse_model(R"toml(
coordinates = ["x", "y", "z"]
[lagrangian]
kinetic = "(1 + x^2/2)*x'^2/2 + (2 + cos(x))*y'^2/2 + (1 + y^2)*z'^2/2 + 0.2*sin(z)*x'*y'"
potential = "z + 0.5*x^2 + 0.3*y^4"
[constraints.holonomic]
surface = "z - 0.4*sin(x) - 0.3*x*y^2"
[initial]
x = 0.7
y = 0.4
z = "0.4*sin(x) + 0.3*x*y^2"
"x'" = -1.1
"y'" = 2.1
"z'" = "0.4*cos(x)*x' + 0.3*y^2*x' + 0.6*x*y*y'"
)toml",
                     "surface.toml");
}

}  // namespace rattleback::testing
