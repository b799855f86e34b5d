// The equations of motion as numbers, here in matrices of the standard library: M a + K^T lambda = f.
#include <cstdio>
#include <vector>

#include <rattleback/rattleback.hpp>

int main() {
  const rattleback::Model model = rattleback::load_model("double-pendulum");
  rattleback::Dynamics equations(model);
  const auto n = static_cast<std::size_t>(equations.n()), m = static_cast<std::size_t>(equations.m());
  std::vector<double> M(n * n), K(m * n), f(n), a(n), lambda(m);
  equations.set(0.0, model.q0, model.v0);
  equations.mass(M);
  equations.constraint_jacobian(K);
  equations.force(f);
  equations.acceleration(a, lambda);
  double worst = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    double rest = -f[i];
    for (std::size_t j = 0; j < n; ++j) rest += M[i * n + j] * a[j];
    for (std::size_t j = 0; j < m; ++j) rest += K[j * n + i] * lambda[j];
    worst = rest * rest > worst * worst ? rest : worst;
  }
  std::printf("%zu coordinates, %zu constraints; M a + K^T lambda = f up to %.0e\n", n, m, worst);
}
