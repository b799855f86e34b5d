// A model in C++ with everything that a model file can say: parameters, an input, friction that knows the reaction of a
// constraint, starts that follow from parameters.
#include <cstdio>
#include <rattleback/rattleback.hpp>

using rattleback::Inputs;
using rattleback::Parameters;

// A bead on a rod of length l in the plane, with a hinge that rubs. A motor pushes along x.
struct PushedPendulum {
  template <class T>
  T kinetic(const T&, std::span<const T>, std::span<const T> v, const Parameters<T>& p) const {
    return p["m"] * (v[0] * v[0] + v[1] * v[1]) / 2.0;
  }
  template <class T>
  T potential(const T&, std::span<const T> q, const Parameters<T>& p) const {
    return p["m"] * p["g"] * q[1];
  }
  template <class T>
  std::vector<T> holonomic(const T&, std::span<const T> q, const Parameters<T>& p) const {
    return {q[0] * q[0] + q[1] * q[1] - p["l"] * p["l"]};
  }
  template <class T>
  std::vector<T> forces(const T&, std::span<const T>, std::span<const T> v, const Parameters<T>& p, const Inputs<T>& u,
                        std::span<const T> lambda) const {
    const T rubbing = p["mu"] * abs(lambda[0]);
    return {u["motor"] - rubbing * v[0], -rubbing * v[1]};
  }
  template <class T>
  std::vector<std::pair<std::string, T>> initial(const Parameters<T>& p) const {
    return {{"x", p["l"]}};  // stretched out to the side
  }
};

int main() {
  const rattleback::Model model =
      rattleback::trace(PushedPendulum{}, {.name = "pushed pendulum",
                                           .coordinates = {"x", "y"},
                                           .constraints = {"rod"},
                                           .parameters = {{"m", 1.0}, {"g", 9.81}, {"l", 1.0}, {"mu", 0.02}},
                                           .inputs = {"motor"},
                                           .run = {.method = "rattle", .step = 0.01, .until = 2.0}});
  const auto end = [](const rattleback::Model& m) {
    const auto run = rattleback::simulate(m, {});
    std::printf("x = %.6f, y = %.6f, rod kept to %.0e\n", run.q[0], run.q[1], *run.constraint_position);
  };
  end(model);
  end(model.with({{"l", "1.5"}, {"g", "1.62"}}));  // the start follows the rod
  end(model.with({{"mu", "0"}}, {{"y'", "0.5"}}));

  rattleback::EnsembleRequest request;
  request.members = rattleback::members_on_grid({{"l", 0.5, 1.5, 3}});
  for (const auto& member : rattleback::ensemble(model, request).members)
    std::printf("l = %.1f: x = %.6f\n", member.values[0], member.q[0]);

  // The same templates with numbers.
  const Parameters<double> p({{"m", 1.0}, {"g", 9.81}});
  const std::vector<double> q = {0.6, -0.8};
  std::printf("potential energy: %.3f\n", PushedPendulum{}.potential(0.0, std::span<const double>(q), p));
}
