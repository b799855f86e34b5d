// A control loop: a cart balances a pole. The controller stands outside and sets a force before each step.
#include <chrono>
#include <cmath>
#include <cstdio>

#include <rattleback/rattleback.hpp>

constexpr const char* kCart = R"toml(coordinates = ["x", "phi"]   # phi: of the pole, from the vertical
parameters = { M = 1.0, m = 0.1, l = 0.5, g = 9.81 }
[lagrangian]
kinetic   = "(M + m)*x'^2/2 + m*l*x'*phi'*cos(phi) + m*l^2*phi'^2/2"
potential = "m*g*l*cos(phi)"
[ports.motor]
along = { x = "1" }
[initial]
phi = 0.1
)toml";

int main() {
  const rattleback::Model cart = rattleback::parse_model(kCart, "cart.toml");
  rattleback::Stepper stepper(cart, {.method = "spark-gauss", .stages = 2, .step = 1e-3});
  const std::size_t x = stepper.index("x"), phi = stepper.index("phi");
  const auto begin = std::chrono::steady_clock::now();
  constexpr int kSteps = 100000;
  for (int k = 0; k < kSteps; ++k) {
    const auto q = stepper.q(), v = stepper.v();
    stepper.set_input("motor", 30.0 * q[phi] + 6.0 * v[phi] + 1.0 * q[x] + 2.0 * v[x]);
    if (!stepper.step()) {
      std::puts(stepper.message().c_str());
      return 1;
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("t = %.3f: phi = %.1e, x = %.1e\n", stepper.t(), stepper.q()[phi], stepper.q()[x]);
  std::fprintf(stderr, "%.0f ns a step\n", 1e9 * seconds / kSteps);
  return std::fabs(stepper.q()[phi]) < 1e-6 ? 0 : 1;
}
