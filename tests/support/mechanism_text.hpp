// Writes mechanisms of rigid bodies as model files, so that the whole way from the text is tested. The same mechanism
// can be written in quaternions (4 numbers, L_vv singular without the constraints), in directors (9 numbers, 6
// constraints, constant mass) or, in the plane z = 0, with an angle. Joints are defined from a configuration, which
// therefore satisfies them; their formulas are the same in all representations, and so are their multipliers.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace rattleback::testing {

using Vec3 = std::array<double, 3>;
using Quaternion = std::array<double, 4>;

Vec3 operator+(const Vec3& a, const Vec3& b);
Vec3 operator-(const Vec3& a, const Vec3& b);
Vec3 operator*(double s, const Vec3& a);
double dot(const Vec3& a, const Vec3& b);
Vec3 cross(const Vec3& a, const Vec3& b);
Vec3 unit(const Vec3& a);
Vec3 across(const Vec3& axis);  // a unit vector perpendicular to it
Quaternion turn(const Vec3& axis, double angle);
Vec3 rotated(const Quaternion& e, const Vec3& a);
Vec3 rotated_back(const Quaternion& e, const Vec3& a);

enum class Rotation { quaternion, directors, plane };
const char* to_string(Rotation rotation);

class MechanismText {
 public:
  static constexpr int kGround = -1;

  explicit MechanismText(std::string name) : name_(std::move(name)) {}

  struct Body {
    Rotation rotation = Rotation::quaternion;
    double mass = 1.0;
    Vec3 inertia = {1, 1, 1};  // about the axes of the body, which start as `orientation` says
    Vec3 position = {0, 0, 0};
    Quaternion orientation = {1, 0, 0, 0};
  };
  int add(const Body& body);  // its number, 0, 1, ...

  // Joints; points and axes are given in space, at the start. kGround is a body that does not move.
  void spherical(const std::string& name, int a, int b, const Vec3& point);
  void revolute(const std::string& name, int a, int b, const Vec3& point, const Vec3& axis);
  void pin(const std::string& name, int a, int b, const Vec3& point);  // of plane bodies: x and y
  // The axes, one fixed in each body, stay perpendicular.
  void perpendicular(const std::string& name, int a, int b, const Vec3& axis_a, const Vec3& axis_b);
  void universal(const std::string& name, int a, int b, const Vec3& point, const Vec3& axis_a, const Vec3& axis_b);
  // The point of b stays on the line through `point` along `axis`, both fixed in a.
  void on_line(const std::string& name, int a, int b, const Vec3& point, const Vec3& axis);
  // b slides along `axis` of a and does not turn against it.
  void slider(const std::string& name, int a, int b, const Vec3& point, const Vec3& axis);
  void distance(const std::string& name, int a, int b, const Vec3& point_a, const Vec3& point_b);
  // The body turns about `axis` of the ground by the angle `formula` (of t, 0 at the start).
  void crank(const std::string& name, int body, const Vec3& axis, const std::string& formula);
  // A wheel of this radius, thin, about `axis` of the body through its centre, rolls on the plane z = 0: it touches the
  // plane, and its lowest point is at rest.
  void rolling(const std::string& name, int body, double radius, const Vec3& axis);

  void spring(int a, int b, const Vec3& point_a, const Vec3& point_b, double stiffness, double length);
  void gravity(double g, int direction = 2);  // against this axis of space, on all bodies that were added
  void initial(const std::string& name, double value);
  void velocity(int body, const Vec3& v, const Vec3& omega);  // in space
  void constraint(const std::string& name, const std::string& formula);
  void leave_out(const std::string& constraint);
  void coordinate(const std::string& name, double start, const std::string& kinetic);
  void potential(const std::string& term);
  void dissipation(const std::string& term);

  using Formulas = std::array<std::string, 3>;
  [[nodiscard]] Formulas point(int body, const Vec3& at_start) const;   // of the body, as expressions
  [[nodiscard]] Formulas vector(int body, const Vec3& at_start) const;  // fixed in the body
  [[nodiscard]] const std::vector<Body>& bodies() const { return bodies_; }

  // `end`: more tables, such as [run].
  [[nodiscard]] std::string text(const std::string& end = {}) const;

 private:
  struct Line {
    std::string name, formula;
  };
  [[nodiscard]] static Formulas in_body(const std::string& suffix, const Vec3& local);
  void touch_at(const std::string& name, int a, int b, const Vec3& point, int components);

  std::string name_;
  std::vector<Body> bodies_;
  std::vector<std::string> coordinates_, kinetic_, potential_, dissipation_;
  std::vector<Line> definitions_, holonomic_, nonholonomic_, initial_;
};

// A number that reads back to the same double, in brackets when it is negative.
std::string number(double x);

}  // namespace rattleback::testing
