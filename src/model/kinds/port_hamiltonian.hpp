// A port-Hamiltonian descriptor system [Symank2025, definition 4.1; MehrmannMorandin2019]
//
//   E(t,x) x' + r(t,x) = (J - R) z(t,x) + (B - P) u,     y = (B + P)^T z + (S - N) u
//
// with J, N skew, W = [R P; P^T S] = W^T >= 0, grad H = E^T z and dH/dt = z^T r. Along its motions
//
//   H' = y^T u - (z,u)^T W (z,u):   stored = supplied - dissipated.
//
// E may be singular. A state whose column of E vanishes is algebraic: its derivative does not occur. An equation whose row
// of E vanishes is algebraic too. Everything is scalar nodes of one graph, with the states in kPosition.
#pragma once

#include <vector>

#include "rattleback/model.hpp"

namespace rattleback {

struct PortHamiltonian {
  using Vector = std::vector<NodeId>;
  using Matrix = std::vector<Vector>;

  PortHamiltonian() = default;
  explicit PortHamiltonian(const Model& model);  // of kind port-hamiltonian

  Graph graph;
  std::int32_t n = 0, inputs = 0;
  NodeId H = 0;
  Matrix E, J, R;  // n x n
  Matrix B, P;     // n x inputs
  Matrix S, N;     // inputs x inputs
  Vector r, z, u;
  std::vector<std::string> states, input_names;
  std::vector<PortHamiltonianParts::Part> parts;  // of an interconnection

  // Structurally zero columns and rows of E, in this graph.
  [[nodiscard]] std::vector<char> algebraic_states() const;
  [[nodiscard]] std::vector<char> algebraic_equations() const;

  // Entries of E of very different size: formulas that divide by the small ones would amplify rounding errors.
  [[nodiscard]] bool graded() const;

  // (J - R) z + (B - P) u - r: what E x' is. The efforts are given, because some methods replace them. These and the next
  // two take any nodes of the graph g, which must contain this system's.
  struct At {  // the system at one point of a step
    Matrix E, J, R, B, P, S, N;
    Vector r, z, u;
  };
  template <class Point>
  At at(Point& here) const {
    const auto matrix = [&](const Matrix& m) {
      Matrix out;
      for (const Vector& row : m) out.push_back(here(row));
      return out;
    };
    return {matrix(E), matrix(J), matrix(R), matrix(B), matrix(P), matrix(S), matrix(N), here(r), here(z), here(u)};
  }
  static Vector flow(Graph& g, const At& a);
  static Vector outputs(Graph& g, const At& a);
  static NodeId supplied(Graph& g, const At& a);    // y^T u
  static NodeId dissipated(Graph& g, const At& a);  // (z,u)^T W (z,u)

  // y(t, x).
  Vector outputs();
};

}  // namespace rattleback
