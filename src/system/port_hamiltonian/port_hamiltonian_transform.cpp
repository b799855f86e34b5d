#include "system/port_hamiltonian/port_hamiltonian_transform.hpp"

#include "linalg/decompositions.hpp"
#include "rattleback/error.hpp"
#include "system/point.hpp"

namespace rattleback {
namespace {

using Vector = PortHamiltonian::Vector;
using Matrix = PortHamiltonian::Matrix;
using RowMajor = linalg::RowMajorXd;

// U^T m
Matrix from_left(Graph& g, const RowMajor& U, const Matrix& m) {
  Matrix out(m.size(), Vector(m.empty() ? 0 : m[0].size(), g.zero()));
  for (std::size_t i = 0; i < m.size(); ++i)
    for (std::size_t j = 0; j < m[0].size(); ++j)
      for (std::size_t k = 0; k < m.size(); ++k)
        out[i][j] =
            g.add(out[i][j], g.mul(g.constant(U(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i))), m[k][j]));
  return out;
}

// m V
Matrix from_right(Graph& g, const Matrix& m, const RowMajor& V) {
  Matrix out(m.size(), Vector(m.size(), g.zero()));
  for (std::size_t i = 0; i < m.size(); ++i)
    for (std::size_t j = 0; j < m.size(); ++j)
      for (std::size_t k = 0; k < m.size(); ++k)
        out[i][j] =
            g.add(out[i][j], g.mul(g.constant(V(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j))), m[i][k]));
  return out;
}

// Of a skew (sign -1) or symmetric (+1) matrix the upper triangle counts, so that its form shows in the expressions.
void mirror(Graph& g, Matrix& m, int sign) {
  for (std::size_t i = 0; i < m.size(); ++i) {
    if (sign < 0) m[i][i] = g.zero();
    for (std::size_t j = i + 1; j < m.size(); ++j) m[j][i] = sign < 0 ? g.neg(m[i][j]) : m[i][j];
  }
}

}  // namespace

PortHamiltonian autonomous(const PortHamiltonian& system) {
  PortHamiltonian f = system;
  Graph& g = f.graph;
  const NodeId s = g.variable(kPosition, f.n);
  Point at(g, s, {}, {});  // t becomes s, everything else stays
  const auto move = [&](Matrix& m) {
    for (Vector& row : m) row = at(row);
  };
  for (Matrix* m : {&f.E, &f.J, &f.R, &f.B, &f.P, &f.S, &f.N}) move(*m);
  f.H = at(f.H);
  f.z = at(f.z);
  f.u = at(f.u);
  const Vector r = at(f.r);
  for (auto& part : f.parts)
    for (NodeId* e : {&part.H, &part.dissipated, &part.supplied, &part.received}) *e = at(*e);
  for (std::size_t i = 0; i < r.size(); ++i) f.E[i].push_back(r[i]);
  f.E.emplace_back(static_cast<std::size_t>(f.n), g.zero()).push_back(g.one());
  for (Matrix* m : {&f.J, &f.R}) {
    for (Vector& row : *m) row.push_back(g.zero());
    m->emplace_back(static_cast<std::size_t>(f.n) + 1, g.zero());
  }
  for (Matrix* m : {&f.B, &f.P}) {
    for (Vector& row : *m) row.push_back(g.zero());
    m->emplace_back(static_cast<std::size_t>(f.inputs) + 1, g.zero());
  }
  f.B.back().back() = g.one();
  for (Matrix* m : {&f.S, &f.N}) {
    for (Vector& row : *m) row.push_back(g.zero());
    m->emplace_back(static_cast<std::size_t>(f.inputs) + 1, g.zero());
  }
  f.z.push_back(g.zero());
  f.u.push_back(g.one());
  f.r.assign(f.z.size(), g.zero());
  f.states.emplace_back("time");
  f.input_names.emplace_back("clock");
  ++f.n;
  ++f.inputs;
  return f;
}

PortHamiltonian transformed(const PortHamiltonian& system, const std::vector<double>& V, const std::vector<double>& U) {
  const auto n = static_cast<Eigen::Index>(system.n);
  const RowMajor v = Eigen::Map<const RowMajor>(V.data(), n, n), u = Eigen::Map<const RowMajor>(U.data(), n, n);
  const std::optional<RowMajor> inverse = linalg::inverse(u);
  if (!inverse || !linalg::inverse(v))
    throw Error("a change of variables needs regular matrices V and U; one of them is singular");
  PortHamiltonian f = system;
  Graph& g = f.graph;
  Vector x;
  for (Eigen::Index i = 0; i < n; ++i) {
    NodeId sum = g.zero();
    for (Eigen::Index j = 0; j < n; ++j)
      sum = g.add(sum, g.mul(g.constant(v(i, j)), g.variable(kPosition, static_cast<std::int32_t>(j))));
    x.push_back(sum);
  }
  // The efforts of the parts are the old ones.
  Vector old;
  for (Eigen::Index i = 0; i < n; ++i) {
    NodeId sum = g.zero();
    for (Eigen::Index j = 0; j < n; ++j)
      sum = g.add(sum, g.mul(g.constant(u(i, j)), g.variable(kMultiplier, static_cast<std::int32_t>(j))));
    old.push_back(sum);
  }
  Point at(g, g.variable(kTime, 0), x, {}, old);
  const PortHamiltonian::At a = system.at(at);
  f.E = from_left(g, u, from_right(g, a.E, v));
  f.J = from_left(g, u, from_right(g, a.J, u));
  f.R = from_left(g, u, from_right(g, a.R, u));
  mirror(g, f.J, -1);
  mirror(g, f.R, 1);
  f.B = from_left(g, u, a.B);
  f.P = from_left(g, u, a.P);
  f.S = a.S;
  f.N = a.N;
  f.u = a.u;
  f.H = at(system.H);
  for (auto& part : f.parts)
    for (NodeId* e : {&part.H, &part.dissipated, &part.supplied, &part.received}) *e = at(*e);
  for (Eigen::Index i = 0; i < n; ++i) {
    NodeId r = g.zero(), z = g.zero();
    for (Eigen::Index k = 0; k < n; ++k) {
      r = g.add(r, g.mul(g.constant(u(k, i)), a.r[static_cast<std::size_t>(k)]));
      z = g.add(z, g.mul(g.constant((*inverse)(i, k)), a.z[static_cast<std::size_t>(k)]));
    }
    f.r[static_cast<std::size_t>(i)] = r;
    f.z[static_cast<std::size_t>(i)] = z;
    f.states[static_cast<std::size_t>(i)] += "~";
  }
  return f;
}

Model with_system(const Model& model, const PortHamiltonian& f, std::vector<double> start) {
  Model out = model;
  out.kind = Kind::port_hamiltonian;
  out.graph = std::make_shared<Graph>(f.graph);
  out.coordinates = {};
  for (const std::string& name : f.states) out.coordinates.add(name);
  out.q0 = std::move(start);
  out.q0_error.clear();
  out.keep_q.clear();
  out.exact.clear();
  out.angles.clear();
  out.written = nullptr;
  out.hamiltonian = f.H;
  PortHamiltonianParts& to = out.ph;
  to = {};
  to.parts = f.parts;
  const auto put = [&](Entries& entries, std::size_t row, std::size_t col, NodeId e) {
    if (!f.graph.is_constant(e, 0.0))
      entries.push_back({e, 0, {static_cast<std::int32_t>(row), 0}, {static_cast<std::int32_t>(col), 0}});
  };
  const auto matrix = [&](Entries& entries, const Matrix& m) {
    for (std::size_t i = 0; i < m.size(); ++i)
      for (std::size_t j = 0; j < m[i].size(); ++j) put(entries, i, j, m[i][j]);
  };
  matrix(to.E, f.E);
  matrix(to.J, f.J);
  matrix(to.R, f.R);
  matrix(to.S, f.S);
  matrix(to.N, f.N);
  for (std::size_t i = 0; i < f.z.size(); ++i) {
    put(to.r, i, 0, f.r[i]);
    put(to.z, i, 0, f.z[i]);
  }
  for (std::size_t k = 0; k < f.u.size(); ++k) {
    PortHamiltonianParts::Input& input = to.inputs.emplace_back();
    input.name = f.input_names[k];
    input.u = f.u[k];
    for (std::size_t i = 0; i < f.z.size(); ++i) {
      put(input.B, i, 0, f.B[i][k]);
      put(input.P, i, 0, f.P[i][k]);
    }
  }
  return out;
}

}  // namespace rattleback
