#include "model/kinds/port_hamiltonian.hpp"

#include <cmath>

#include "expr/scalars.hpp"
#include "expr/vectors.hpp"

namespace rattleback {

namespace {

using Vector = PortHamiltonian::Vector;
using Matrix = PortHamiltonian::Matrix;

Matrix matrix_of(Graph& g, const Entries& entries, std::int32_t rows, std::int32_t columns) {
  Matrix out(static_cast<std::size_t>(rows), Vector(static_cast<std::size_t>(columns), g.zero()));
  for (const Entry& e : entries) {
    if (e.count != 0) throw NeedsUnrolling();
    NodeId& x = out[static_cast<std::size_t>(e.row.base)][static_cast<std::size_t>(e.col.base)];
    x = g.add(x, e.expr);
  }
  return out;
}

}  // namespace

PortHamiltonian::PortHamiltonian(const Model& model)
    : graph(*model.graph),
      n(model.coordinates.size()),
      inputs(static_cast<std::int32_t>(model.ph.inputs.size())),
      H(model.hamiltonian),
      states(model.coordinates.all()),
      parts(model.ph.parts) {
  const PortHamiltonianParts& from = model.ph;
  E = matrix_of(graph, from.E, n, n);
  J = matrix_of(graph, from.J, n, n);
  R = matrix_of(graph, from.R, n, n);
  r = scalars(graph, from.r, n);
  z = scalars(graph, from.z, n);
  B.assign(static_cast<std::size_t>(n), Vector(static_cast<std::size_t>(inputs), graph.zero()));
  P = B;
  for (std::size_t k = 0; k < from.inputs.size(); ++k) {
    const Vector b = scalars(graph, from.inputs[k].B, n), p = scalars(graph, from.inputs[k].P, n);
    for (std::size_t i = 0; i < b.size(); ++i) {
      B[i][k] = b[i];
      P[i][k] = p[i];
    }
    u.push_back(from.inputs[k].u);
    input_names.push_back(from.inputs[k].name);
  }
  S = matrix_of(graph, from.S, inputs, inputs);
  N = matrix_of(graph, from.N, inputs, inputs);
}

std::vector<char> PortHamiltonian::algebraic_states() const {
  std::vector<char> out(static_cast<std::size_t>(n), 1);
  for (const Vector& row : E)
    for (std::size_t j = 0; j < row.size(); ++j)
      if (!graph.is_constant(row[j], 0.0)) out[j] = 0;
  return out;
}

std::vector<char> PortHamiltonian::algebraic_equations() const {
  std::vector<char> out;
  for (const Vector& row : E) {
    bool zero = true;
    for (const NodeId e : row) zero = zero && graph.is_constant(e, 0.0);
    out.push_back(zero ? 1 : 0);
  }
  return out;
}

bool PortHamiltonian::graded() const {
  double least = INFINITY, most = 0.0;
  for (const Vector& row : E)
    for (const NodeId e : row) {
      if (!graph.is_constant(e) || graph.is_constant(e, 0.0)) continue;
      least = std::fmin(least, std::fabs(graph[e].value));
      most = std::fmax(most, std::fabs(graph[e].value));
    }
  return least < 1e-4 * most;
}

Vector PortHamiltonian::flow(Graph& g, const At& a) {
  Vector out;
  for (std::size_t i = 0; i < a.z.size(); ++i) {
    NodeId sum = g.neg(a.r[i]);
    for (std::size_t j = 0; j < a.z.size(); ++j) sum = g.add(sum, g.mul(g.sub(a.J[i][j], a.R[i][j]), a.z[j]));
    for (std::size_t k = 0; k < a.u.size(); ++k) sum = g.add(sum, g.mul(g.sub(a.B[i][k], a.P[i][k]), a.u[k]));
    out.push_back(sum);
  }
  return out;
}

Vector PortHamiltonian::outputs(Graph& g, const At& a) {
  Vector out;
  for (std::size_t k = 0; k < a.u.size(); ++k) {
    NodeId sum = g.zero();
    for (std::size_t i = 0; i < a.z.size(); ++i) sum = g.add(sum, g.mul(g.add(a.B[i][k], a.P[i][k]), a.z[i]));
    for (std::size_t l = 0; l < a.u.size(); ++l) sum = g.add(sum, g.mul(g.sub(a.S[k][l], a.N[k][l]), a.u[l]));
    out.push_back(sum);
  }
  return out;
}

NodeId PortHamiltonian::supplied(Graph& g, const At& a) { return dot(g, outputs(g, a), a.u); }

NodeId PortHamiltonian::dissipated(Graph& g, const At& a) {
  NodeId sum = g.zero();
  for (std::size_t i = 0; i < a.z.size(); ++i) {
    NodeId row = dot(g, a.R[i], a.z);
    for (std::size_t k = 0; k < a.u.size(); ++k)  // P and P^T together
      row = g.add(row, g.mul(g.constant(2.0), g.mul(a.P[i][k], a.u[k])));
    sum = g.add(sum, g.mul(row, a.z[i]));
  }
  for (std::size_t k = 0; k < a.u.size(); ++k) sum = g.add(sum, g.mul(dot(g, a.S[k], a.u), a.u[k]));
  return sum;
}

Vector PortHamiltonian::outputs() {
  const auto same = [](const auto& x) { return x; };
  return outputs(graph, at(same));
}

}  // namespace rattleback
