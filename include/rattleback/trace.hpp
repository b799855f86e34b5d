// A model written in C++: a class with function templates, called once with T = Expr. What they compute becomes formulas
// of the same graph as a model file's, with the same exact derivatives.
//
//   struct Sleigh {
//     double m = 1, a = 1, J = 2, g = 0.1;
//     template <class T> T lagrangian(const T& t, std::span<const T> q, std::span<const T> v) const;
//     template <class T> std::vector<T> nonholonomic(const T& t, std::span<const T> q, std::span<const T> v) const;
//     template <class T> std::vector<T> holonomic(const T& t, std::span<const T> q) const;
//     template <class T> std::vector<T> forces(const T& t, std::span<const T> q, std::span<const T> v) const;
//   };
//   Model model = trace(Sleigh{}, {.name = "sleigh", .coordinates = {"x", "y", "theta"}, .q = {1, 0, 0}});
//
// Only `lagrangian` is needed. Each constraint is an expression that is zero.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rattleback/export.hpp"
#include "rattleback/model.hpp"

namespace RATTLEBACK_API rattleback {

struct TraceOptions {
  std::string name;
  std::vector<std::string> coordinates;
  std::vector<double> q = {}, v = {};  // start; empty = zeros
  // Names of the constraints, for multipliers and messages; empty = c1, c2, ... (holonomic ones first).
  std::vector<std::string> constraints = {};
  bool project = false;
};

namespace detail {

struct Traced {
  Graph graph;
  Expr lagrangian;
  std::vector<Expr> holonomic, nonholonomic, forces;
};
// Checks sizes and names, and puts the model together. Throws Error.
Model finish(Traced traced, const TraceOptions& options);

}  // namespace detail

template <class System>
Model trace(const System& system, const TraceOptions& options) {
  detail::Traced traced;
  Graph& g = traced.graph;
  const Expr t(g, g.variable(kTime, 0));
  std::vector<Expr> q, v;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(options.coordinates.size()); ++i) {
    q.emplace_back(g, g.variable(kPosition, i));
    v.emplace_back(g, g.variable(kVelocity, i));
  }
  const std::span<const Expr> qs(q), vs(v);
  traced.lagrangian = system.lagrangian(t, qs, vs);
  if constexpr (requires { system.holonomic(t, qs); }) {
    for (const Expr& e : system.holonomic(t, qs)) traced.holonomic.push_back(e);
  }
  if constexpr (requires { system.nonholonomic(t, qs, vs); }) {
    for (const Expr& e : system.nonholonomic(t, qs, vs)) traced.nonholonomic.push_back(e);
  }
  if constexpr (requires { system.forces(t, qs, vs); }) {
    for (const Expr& e : system.forces(t, qs, vs)) traced.forces.push_back(e);
  }
  return detail::finish(std::move(traced), options);
}

}  // namespace rattleback
