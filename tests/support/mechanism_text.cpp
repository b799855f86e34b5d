#include "support/mechanism_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace rattleback::testing {

Vec3 operator+(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vec3 operator-(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vec3 operator*(double s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }
double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vec3 unit(const Vec3& a) { return 1.0 / std::sqrt(dot(a, a)) * a; }
Vec3 across(const Vec3& axis) {
  const bool along_x = std::fabs(axis[0]) > std::fabs(axis[1]) && std::fabs(axis[0]) > std::fabs(axis[2]);
  return unit(cross(axis, along_x ? Vec3{0, 1, 0} : Vec3{1, 0, 0}));
}
Quaternion turn(const Vec3& axis, double angle) {
  const Vec3 u = std::sin(angle / 2) * unit(axis);
  return {std::cos(angle / 2), u[0], u[1], u[2]};
}
Vec3 rotated(const Quaternion& e, const Vec3& a) {
  const Vec3 u = {e[1], e[2], e[3]}, twice = 2.0 * cross(u, a);
  return a + e[0] * twice + cross(u, twice);
}
Vec3 rotated_back(const Quaternion& e, const Vec3& a) { return rotated({e[0], -e[1], -e[2], -e[3]}, a); }

const char* to_string(Rotation rotation) {
  switch (rotation) {
    case Rotation::quaternion: return "quaternions";
    case Rotation::directors: return "directors";
    case Rotation::plane: return "angles";
  }
  return "";
}

std::string number(double x) { return x < 0.0 ? fmt::format("({})", x) : fmt::format("{}", x); }

namespace {

// Sum of number * formula, without what is 0.
std::string combination(const std::vector<std::pair<double, std::string>>& terms) {
  std::string out;
  for (const auto& [factor, what] : terms) {
    if (factor == 0.0) continue;
    out += out.empty() ? "" : " + ";
    out += what.empty() ? number(factor) : factor == 1.0 ? what : number(factor) + "*" + what;
  }
  return out.empty() ? "0" : out;
}

std::string difference(const std::string& a, const std::string& b) {
  return b == "0" ? a : a == "0" ? "-(" + b + ")" : a + " - (" + b + ")";
}

std::string product(const MechanismText::Formulas& a, const MechanismText::Formulas& b) {
  std::string out;
  for (int i = 0; i < 3; ++i)
    if (a[i] != "0" && b[i] != "0") out += fmt::format("{}({})*({})", out.empty() ? "" : " + ", a[i], b[i]);
  return out.empty() ? "0" : out;
}

}  // namespace

int MechanismText::add(const Body& body) {
  const int number_of_it = static_cast<int>(bodies_.size());
  bodies_.push_back(body);
  const std::string i = std::to_string(number_of_it + 1);
  const auto coordinate_at = [&](const std::string& name, double start) {
    coordinates_.push_back(name);
    initial_.push_back({name, fmt::format("{}", start)});
  };
  const auto define = [&](const std::string& name, const std::string& formula) {
    definitions_.push_back({name + "_" + i, formula});
  };
  const auto with_index = [&](std::string formula) {  // e1 -> e1_7, e1' -> e1_7'
    std::string out;
    for (std::size_t at = 0; at < formula.size(); ++at) {
      out += formula[at];
      if (formula[at] == 'e') out += formula[++at] + ("_" + i);
    }
    return out;
  };
  const Vec3& inertia = body.inertia;
  const bool plane = body.rotation == Rotation::plane;
  coordinate_at("x_" + i, body.position[0]);
  coordinate_at("y_" + i, body.position[1]);
  if (plane)
    define("z", fmt::format("{}", body.position[2]));
  else
    coordinate_at("z_" + i, body.position[2]);
  kinetic_.push_back(
      fmt::format("{0}*(x_{1}'^2 + y_{1}'^2{2})/2", number(body.mass), i, plane ? "" : fmt::format(" + z_{}'^2", i)));
  if (plane) {
    coordinate_at("phi_" + i, 2 * std::atan2(body.orientation[3], body.orientation[0]));
    kinetic_.push_back(fmt::format("{}*phi_{}'^2/2", number(inertia[2]), i));
    define("R11", fmt::format("cos(phi_{})", i));
    define("R21", fmt::format("sin(phi_{})", i));
    define("R12", fmt::format("-sin(phi_{})", i));
    define("R22", fmt::format("cos(phi_{})", i));
    for (const char* zero : {"R31", "R32", "R13", "R23"}) define(zero, "0");
    define("R33", "1");
    return number_of_it;
  }
  if (body.rotation == Rotation::directors) {
    // The columns of R. A body of inertia I about its centre is a mass E_k = (I_1 + I_2 + I_3)/2 - I_k on each.
    const double half = (inertia[0] + inertia[1] + inertia[2]) / 2;
    for (int k = 0; k < 3; ++k) {
      Vec3 axis = {0, 0, 0};
      axis[k] = 1;
      const Vec3 column = rotated(body.orientation, axis);
      std::string squares;
      for (int row = 0; row < 3; ++row) {
        const std::string name = fmt::format("R{}{}_{}", row + 1, k + 1, i);
        coordinate_at(name, column[row]);
        squares += (row == 0 ? "" : " + ") + name + "'^2";
      }
      kinetic_.push_back(fmt::format("{}*({})/2", number(half - inertia[k]), squares));
    }
    for (int k = 1; k <= 3; ++k)
      for (int l = k; l <= 3; ++l)
        holonomic_.push_back({fmt::format("rigid{}{}_{}", k, l, i),
                              fmt::format("{3}(R1{0}_{2}*R1{1}_{2} + R2{0}_{2}*R2{1}_{2} + R3{0}_{2}*R3{1}_{2}{4}", k,
                                          l, i, "", k == l ? " - 1)/2" : ")")});
    return number_of_it;
  }
  for (int k = 0; k < 4; ++k) coordinate_at(fmt::format("e{}_{}", k, i), body.orientation[k]);
  const std::array<std::string, 3> w = {"2*(-e1*e0' + e0*e1' + e3*e2' - e2*e3')",
                                        "2*(-e2*e0' - e3*e1' + e0*e2' + e1*e3')",
                                        "2*(-e3*e0' + e2*e1' - e1*e2' + e0*e3')"};
  for (int k = 0; k < 3; ++k) {
    define(fmt::format("w{}", k + 1), with_index(w[k]));
    kinetic_.push_back(fmt::format("{}*w{}_{}^2/2", number(inertia[k]), k + 1, i));
  }
  const std::array<std::array<std::string, 3>, 3> R = {
      {{"e0^2 + e1^2 - e2^2 - e3^2", "2*(e1*e2 - e0*e3)", "2*(e1*e3 + e0*e2)"},
       {"2*(e1*e2 + e0*e3)", "e0^2 - e1^2 + e2^2 - e3^2", "2*(e2*e3 - e0*e1)"},
       {"2*(e1*e3 - e0*e2)", "2*(e2*e3 + e0*e1)", "e0^2 - e1^2 - e2^2 + e3^2"}}};
  for (int row = 0; row < 3; ++row)
    for (int k = 0; k < 3; ++k) define(fmt::format("R{}{}", row + 1, k + 1), with_index(R[row][k]));
  holonomic_.push_back({"unit_" + i, with_index("e0^2 + e1^2 + e2^2 + e3^2 - 1")});
  return number_of_it;
}

MechanismText::Formulas MechanismText::in_body(const std::string& suffix, const Vec3& local) {
  Formulas out;
  for (int row = 1; row <= 3; ++row)
    out[row - 1] = combination({{local[0], fmt::format("R{}1_{}", row, suffix)},
                                {local[1], fmt::format("R{}2_{}", row, suffix)},
                                {local[2], fmt::format("R{}3_{}", row, suffix)}});
  return out;
}

MechanismText::Formulas MechanismText::vector(int body, const Vec3& at_start) const {
  if (body == kGround) {
    Formulas out;
    for (int k = 0; k < 3; ++k) out[k] = at_start[k] == 0.0 ? "0" : number(at_start[k]);
    return out;
  }
  Vec3 local = rotated_back(bodies_[body].orientation, at_start);
  for (double& x : local)
    if (std::fabs(x) < 1e-15) x = 0;  // what is left of a turn there and back
  return in_body(std::to_string(body + 1), local);
}

MechanismText::Formulas MechanismText::point(int body, const Vec3& at_start) const {
  if (body == kGround) return vector(body, at_start);
  Formulas out = vector(body, at_start - bodies_[body].position);
  for (int k = 0; k < 3; ++k) {
    const std::string centre = fmt::format("{}_{}", "xyz"[k], body + 1);
    out[k] = out[k] == "0" ? centre : centre + " + " + out[k];
  }
  return out;
}

void MechanismText::touch_at(const std::string& name, int a, int b, const Vec3& at, int components) {
  const Formulas pa = point(a, at), pb = point(b, at);
  for (int k = 0; k < components; ++k) holonomic_.push_back({name + "_" + "xyz"[k], difference(pb[k], pa[k])});
}

void MechanismText::spherical(const std::string& name, int a, int b, const Vec3& at) { touch_at(name, a, b, at, 3); }
void MechanismText::pin(const std::string& name, int a, int b, const Vec3& at) { touch_at(name, a, b, at, 2); }

void MechanismText::perpendicular(const std::string& name, int a, int b, const Vec3& axis_a, const Vec3& axis_b) {
  holonomic_.push_back({name, product(vector(a, axis_a), vector(b, axis_b))});
}

void MechanismText::revolute(const std::string& name, int a, int b, const Vec3& at, const Vec3& axis) {
  spherical(name, a, b, at);
  const Vec3 u = unit(axis), v = across(u);
  perpendicular(name + "_1", a, b, v, u);
  perpendicular(name + "_2", a, b, cross(u, v), u);
}

void MechanismText::universal(const std::string& name, int a, int b, const Vec3& at, const Vec3& axis_a,
                              const Vec3& axis_b) {
  spherical(name, a, b, at);
  perpendicular(name + "_1", a, b, unit(axis_a), unit(axis_b));
}

void MechanismText::on_line(const std::string& name, int a, int b, const Vec3& at, const Vec3& axis) {
  const Vec3 u = unit(axis), v = across(u), w = cross(u, v);
  const Formulas pa = point(a, at), pb = point(b, at);
  Formulas way;
  for (int k = 0; k < 3; ++k) way[k] = difference(pb[k], pa[k]);
  holonomic_.push_back({name + "_v", product(vector(a, v), way)});
  holonomic_.push_back({name + "_w", product(vector(a, w), way)});
}

void MechanismText::slider(const std::string& name, int a, int b, const Vec3& at, const Vec3& axis) {
  on_line(name, a, b, at, axis);
  const Vec3 u = unit(axis), v = across(u), w = cross(u, v);
  perpendicular(name + "_1", a, b, u, v);
  perpendicular(name + "_2", a, b, u, w);
  perpendicular(name + "_3", a, b, v, w);
}

void MechanismText::distance(const std::string& name, int a, int b, const Vec3& at_a, const Vec3& at_b) {
  const Formulas pa = point(a, at_a), pb = point(b, at_b);
  const Vec3 way = at_b - at_a;
  std::string squares;
  for (int k = 0; k < 3; ++k) squares += fmt::format("{}({})^2", k == 0 ? "" : " + ", difference(pb[k], pa[k]));
  holonomic_.push_back({name, fmt::format("({} - {})/2", squares, dot(way, way))});
}

void MechanismText::crank(const std::string& name, int body, const Vec3& axis, const std::string& formula) {
  // The body's vector v stands at `formula` between v and w of the ground: v_body . (sin v - cos w) = 0.
  const Vec3 u = unit(axis), v = bodies_[body].rotation == Rotation::plane ? Vec3{1, 0, 0} : across(u), w = cross(u, v);
  const Formulas turned = vector(body, v);
  holonomic_.push_back({name, fmt::format("sin({0})*({1}) - cos({0})*({2})", formula,
                                          product(vector(kGround, v), turned), product(vector(kGround, w), turned))});
}

void MechanismText::rolling(const std::string& name, int body, double radius, const Vec3& axis) {
  const std::string i = std::to_string(body + 1);
  const Formulas a = vector(body, unit(axis));  // a unit vector; down the wheel from its centre: a az - ez
  const std::string height = fmt::format("h_{}", i);
  definitions_.push_back({height, fmt::format("sqrt(1 - ({})^2)", a[2])});
  const Formulas down = {fmt::format("({})*({})", a[0], a[2]), fmt::format("({})*({})", a[1], a[2]),
                         fmt::format("({})^2 - 1", a[2])};
  for (int k = 0; k < 3; ++k)
    definitions_.push_back(
        {fmt::format("c{}_{}", k + 1, i), fmt::format("{}*({})/{}", number(radius), down[k], height)});
  holonomic_.push_back({name + "_z", fmt::format("z_{} - {}*{}", i, number(radius), height)});
  // The velocity of the body's point there: x' + R' R^T c.
  for (int row = 1; row <= 2; ++row) {
    std::string v = fmt::format("{}_{}'", "xyz"[row - 1], i);
    for (int k = 1; k <= 3; ++k)
      v += fmt::format(" + dt(R{0}{1}_{2})*(R1{1}_{2}*c1_{2} + R2{1}_{2}*c2_{2} + R3{1}_{2}*c3_{2})", row, k, i);
    nonholonomic_.push_back({name + "_" + "xy"[row - 1], v});
  }
}

void MechanismText::spring(int a, int b, const Vec3& at_a, const Vec3& at_b, double stiffness, double length) {
  const Formulas pa = point(a, at_a), pb = point(b, at_b);
  std::string squares;
  for (int k = 0; k < 3; ++k) squares += fmt::format("{}({})^2", k == 0 ? "" : " + ", difference(pb[k], pa[k]));
  potential_.push_back(length == 0.0 ? fmt::format("{}*({})/2", number(stiffness), squares)
                                     : fmt::format("{}*(sqrt({}) - {})^2/2", number(stiffness), squares, length));
}

void MechanismText::gravity(double g, int direction) {
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    potential_.push_back(fmt::format("{}*{}_{}", number(bodies_[i].mass * g), "xyz"[direction], i + 1));
}

void MechanismText::initial(const std::string& name, double value) {
  for (Line& line : initial_)
    if (line.name == name) {
      line.formula = fmt::format("{}", value);
      return;
    }
  initial_.push_back({name, fmt::format("{}", value)});
}

void MechanismText::velocity(int body, const Vec3& v, const Vec3& omega) {
  const std::string i = std::to_string(body + 1);
  const Body& b = bodies_[body];
  const bool plane = b.rotation == Rotation::plane;
  for (int k = 0; k < (plane ? 2 : 3); ++k) initial(fmt::format("{}_{}'", "xyz"[k], i), v[k]);
  if (plane) initial("phi_" + i + "'", omega[2]);
  if (b.rotation == Rotation::directors)
    for (int k = 0; k < 3; ++k) {
      Vec3 axis = {0, 0, 0};
      axis[k] = 1;
      const Vec3 column = cross(omega, rotated(b.orientation, axis));
      for (int row = 0; row < 3; ++row) initial(fmt::format("R{}{}_{}'", row + 1, k + 1, i), column[row]);
    }
  if (b.rotation != Rotation::quaternion) return;
  const Quaternion& e = b.orientation;  // e' = (0, omega) e / 2
  const Vec3 u = {e[1], e[2], e[3]}, turned = e[0] * omega + cross(omega, u);
  initial("e0_" + i + "'", -dot(omega, u) / 2);
  for (int k = 0; k < 3; ++k) initial(fmt::format("e{}_{}'", k + 1, i), turned[k] / 2);
}

void MechanismText::constraint(const std::string& name, const std::string& formula) {
  holonomic_.push_back({name, formula});
}

void MechanismText::leave_out(const std::string& constraint) {
  std::erase_if(holonomic_, [&](const Line& line) { return line.name == constraint; });
}

void MechanismText::coordinate(const std::string& name, double start, const std::string& kinetic) {
  coordinates_.push_back(name);
  initial_.push_back({name, fmt::format("{}", start)});
  kinetic_.push_back(kinetic);
}

void MechanismText::potential(const std::string& term) { potential_.push_back(term); }
void MechanismText::dissipation(const std::string& term) { dissipation_.push_back(term); }

std::string MechanismText::text(const std::string& end) const {
  std::string out = fmt::format("name = \"{}\"\ncoordinates = [", name_);
  for (const std::string& name : coordinates_)
    out += fmt::format("{}\"{}\"", &name == coordinates_.data() ? "" : ", ", name);
  out += "]\n";
  const auto table = [&](const char* head, const std::vector<Line>& lines) {
    if (lines.empty()) return;
    out += fmt::format("[{}]\n", head);
    for (const Line& line : lines) out += fmt::format("\"{}\" = \"{}\"\n", line.name, line.formula);
  };
  const auto sum = [&](const char* key, const std::vector<std::string>& terms) {
    std::string all;
    for (const std::string& term : terms) all += (all.empty() ? "" : " + ") + term;
    out += fmt::format("{} = \"{}\"\n", key, all.empty() ? "0" : all);
  };
  table("define", definitions_);
  out += "[lagrangian]\n";
  sum("kinetic", kinetic_);
  sum("potential", potential_);
  if (!dissipation_.empty()) {
    out += "[dissipation]\n";
    sum("rayleigh", dissipation_);
  }
  table("constraints.holonomic", holonomic_);
  table("constraints.nonholonomic", nonholonomic_);
  table("initial", initial_);
  return out + end;
}

}  // namespace rattleback::testing
