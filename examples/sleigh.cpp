// A Chaplygin sleigh in C++: the Lagrangian and the blade's constraint as function templates, nothing derived by hand.
#include <cstdio>
#include <rattleback/rattleback.hpp>

struct Sleigh {
  double m = 1.0, a = 1.0, J = 2.0, g = 0.1;
  template <class T>
  T side(std::span<const T> q, std::span<const T> v) const {  // velocity across the blade
    return v[1] * cos(q[2]) - v[0] * sin(q[2]);
  }
  template <class T>
  T lagrangian(const T&, std::span<const T> q, std::span<const T> v) const {
    return m * (v[0] * v[0] + v[1] * v[1]) / 2.0 + J * v[2] * v[2] / 2.0 + m * a * v[2] * side(q, v) -
           m * g * (q[1] + a * sin(q[2]));
  }
  template <class T>
  std::vector<T> nonholonomic(const T&, std::span<const T> q, std::span<const T> v) const {
    return {side(q, v)};
  }
};

int main() {
  const auto model = rattleback::trace(
      Sleigh{}, {.name = "sleigh", .coordinates = {"x", "y", "theta"}, .q = {1, 0, 0}, .constraints = {"blade"}});
  const auto run =
      rattleback::simulate(model, {.method = "spark-lobatto-ab", .stages = 3, .step = 0.12, .until = 60.0});
  std::printf("x = %.6f, y = %.6f, theta = %.6f\n", run.q[0], run.q[1], run.q[2]);
  std::printf("energy kept to %.1e, blade to %.1e\n", run.energy->max_error, *run.constraint_velocity);
}
