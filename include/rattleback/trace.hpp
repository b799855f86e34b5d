// A model written in C++: a class with function templates, called once with T = Expr. What they compute becomes formulas
// of the same graph as a model file's, with the same exact derivatives.
//
//   struct Sleigh {
//     template <class T> T lagrangian(const T& t, std::span<const T> q, std::span<const T> v,
//                                     const rattleback::Parameters<T>& p) const;
//     template <class T> std::vector<T> nonholonomic(const T& t, std::span<const T> q, std::span<const T> v) const;
//   };
//   Model model = trace(Sleigh{}, {.name = "sleigh", .coordinates = {"x", "y", "theta"}, .q = {1, 0, 0},
//                                  .parameters = {{"m", 1.0}, {"a", 0.5}}});
//
// The members, all const, and all but `lagrangian` left out where there is none. In brackets: arguments that may be left
// out from the right.
//
//   T lagrangian(t, q, v[, p])                                or in its place
//   T kinetic(t, q, v[, p]), T potential(t, q[, p])
//   std::vector<T> holonomic(t, q[, p])                       constraints: expressions that are zero
//   std::vector<T> nonholonomic(t, q, v[, p])
//   std::vector<T> forces(t, q, v[, p[, u[, lambda]]])        one for each coordinate
//   T rayleigh(t, q, v[, p])                                  dissipation: minus its gradient by v is a force
//   std::vector<T> inputs(t, q, v[, p])                       formulas of the inputs; without it they are 0 until set
//   std::vector<std::pair<std::string, T>> initial(p)         starts that follow from parameters: {"x", p["l"]}
//   std::vector<std::pair<std::string, T>> exact(t[, p])      a known solution: {"x", ...}, {"x'", ...}
//   std::vector<std::pair<std::string, T>> invariants(t, q, v[, p])   what is kept, by name: runs audit it
//   std::vector<std::pair<std::string, std::vector<T>>> symmetries(t, q[, p])   vector fields q' = xi(q), by name: one value for
//                                                             each coordinate, which contains no t; check() judges them
//
// with t: const T&, q and v: std::span<const T>, p: const Parameters<T>&, u: const Inputs<T>&, lambda: std::span<const T>, the
// multipliers of the holonomic constraints and then of the others. A member of these names that takes something else does not
// compile. trace() keeps a copy of the class: Model::with() calls it again where a parameter decides more than numbers.
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "rattleback/export.hpp"
#include "rattleback/model.hpp"
#include "rattleback/values.hpp"

namespace RATTLEBACK_API rattleback {

// What a model file says beside its formulas, by the same rules.
struct TraceOptions {
  std::string name;                      // of the model, for messages and files
  std::vector<std::string> coordinates;  // their names
  std::vector<double> q = {}, v = {};    // start; empty = zeros
  // Names of the constraints, for multipliers and messages; empty = c1, c2, ... (holonomic ones first).
  std::vector<std::string> constraints = {};
  bool project = false;  // move an inconsistent start to the nearest consistent one instead of refusing it
  // Parameters with their values: other ones come by Model::with(), or as members of an ensemble.
  std::vector<std::pair<std::string, double>> parameters = {};
  // Names of the inputs that forces() takes. Each is a port: the force is linear in it, and u times its output is a power.
  std::vector<std::string> inputs = {};
  std::vector<std::string> angles = {};  // coordinates that a whole turn leads back to the same place
  // Coordinates without inertia, which as many holonomic constraints determine: their starts are guesses and solved for.
  std::vector<std::string> auxiliary = {};
  std::vector<std::string> keep = {};  // starts that a projection holds
  RunDefaults run = {};                // what a run does for which nothing else is asked
};

namespace detail {

// What the members of a class are called with, and what they said.
struct Traced {
  explicit Traced(Graph& g) : graph(g) {}
  Graph& graph;
  Expr t;
  std::vector<Expr> q, v;
  Parameters<Expr> parameters;
  Inputs<Expr> inputs;

  std::optional<Expr> lagrangian, kinetic, potential, rayleigh;
  std::vector<Expr> holonomic, nonholonomic;
  std::optional<std::vector<Expr>> forces, formulas_of_inputs;
  std::vector<std::pair<std::string, Expr>> exact, invariants;
  std::vector<std::pair<std::string, std::vector<Expr>>> symmetries;
};
using Starts = std::vector<std::pair<std::string, Expr>>;

// Calls the members of a class, as often as a model is made of it.
struct Tracer {
  std::function<void(Traced&)> formulas;
  std::function<Starts(const Parameters<Expr>&)> initial;  // null: there is none
};
// Checks sizes and names, and puts the model together. Throws Error.
Model trace_model(Tracer tracer, const TraceOptions& options);

using Values = std::span<const Expr>;

// called_NAME: can it be called like a member of a model, const or not? has_NAME: is there such a member, whatever it takes?
// The name is ambiguous in a class that inherits it twice. Data is not meant. (A class that is final cannot be inherited.)
// NOLINTBEGIN(bugprone-macro-parentheses): a name that is declared has none
#define RATTLEBACK_MEMBER(NAME)                                                                                        \
  template <class S>                                                                                                   \
  concept called_##NAME = requires(S & s, const Expr& t, Values q, const Parameters<Expr>& p, const Inputs<Expr>& u) { \
    requires requires { s.NAME(t, q); } || requires {                                                                  \
      s.NAME(t, q, q);                                                                                                 \
    } || requires {                                                                                                    \
      s.NAME(t, q, p);                                                                                                 \
    } || requires {                                                                                                    \
      s.NAME(t, q, q, p);                                                                                              \
    } || requires {                                                                                                    \
      s.NAME(t, q, q, p, u);                                                                                           \
    } || requires {                                                                                                    \
      s.NAME(t, q, q, p, u, q);                                                                                        \
    };                                                                                                                 \
  };                                                                                                                   \
  struct With_##NAME {                                                                                                 \
    int NAME;                                                                                                          \
  };                                                                                                                   \
  template <class S>                                                                                                   \
  struct Both_##NAME : S, With_##NAME {};                                                                              \
  template <class S>                                                                                                   \
  constexpr bool has_##NAME() {                                                                                        \
    if constexpr (std::is_final_v<S> || !std::is_class_v<S>)                                                           \
      return called_##NAME<S>;                                                                                         \
    else                                                                                                               \
      return !requires { &Both_##NAME<S>::NAME; }                                                                      \
    &&!requires(const S& s) { s.NAME; };                                                                               \
  }
// NOLINTEND(bugprone-macro-parentheses)
RATTLEBACK_MEMBER(lagrangian)
RATTLEBACK_MEMBER(kinetic)
RATTLEBACK_MEMBER(potential)
RATTLEBACK_MEMBER(holonomic)
RATTLEBACK_MEMBER(nonholonomic)
RATTLEBACK_MEMBER(forces)
RATTLEBACK_MEMBER(rayleigh)
RATTLEBACK_MEMBER(inputs)
RATTLEBACK_MEMBER(initial)
RATTLEBACK_MEMBER(exact)
RATTLEBACK_MEMBER(invariants)
RATTLEBACK_MEMBER(symmetries)
// What is nearly one of these names.
RATTLEBACK_MEMBER(Lagrangian)
RATTLEBACK_MEMBER(lagrange)
RATTLEBACK_MEMBER(lagrangean)
RATTLEBACK_MEMBER(kinetic_energy)
RATTLEBACK_MEMBER(potential_energy)
RATTLEBACK_MEMBER(constraint)
RATTLEBACK_MEMBER(constraints)
RATTLEBACK_MEMBER(holonomic_constraint)
RATTLEBACK_MEMBER(holonomic_constraints)
RATTLEBACK_MEMBER(nonholonomic_constraint)
RATTLEBACK_MEMBER(nonholonomic_constraints)
RATTLEBACK_MEMBER(non_holonomic)
RATTLEBACK_MEMBER(force)
RATTLEBACK_MEMBER(dissipation)
RATTLEBACK_MEMBER(input)
RATTLEBACK_MEMBER(invariant)
RATTLEBACK_MEMBER(symmetry)
#undef RATTLEBACK_MEMBER

template <class R>
concept Scalar = std::convertible_to<R, Expr>;
template <class R>
concept Vector = requires(const R& list) {
  { *std::begin(list) } -> std::convertible_to<Expr>;
  std::end(list);
};
template <class R>
concept NamedValues = requires(const R& list) {
  { std::begin(list)->first } -> std::convertible_to<std::string>;
  { std::begin(list)->second } -> std::convertible_to<Expr>;
  std::end(list);
};
template <class R>
concept NamedFields = requires(const R& list) {
  { std::begin(list)->first } -> std::convertible_to<std::string>;
  { std::begin(list)->second } -> Vector;
  std::end(list);
};

template <class R>
std::vector<Expr> listed(const R& values) {
  std::vector<Expr> out;
  for (const auto& x : values) out.push_back(x);
  return out;
}
template <class R>
std::vector<std::pair<std::string, Expr>> with_names(const R& values) {
  std::vector<std::pair<std::string, Expr>> out;
  for (const auto& x : values) out.emplace_back(x.first, x.second);
  return out;
}

// A helper of such a name is welcome where the member itself is there.
template <class S>
constexpr void check_names() {
  static_assert(has_lagrangian<S>() || !(called_Lagrangian<S> || called_lagrange<S> || called_lagrangean<S>),
                "this member is called `lagrangian`");
  static_assert(has_lagrangian<S>() || has_kinetic<S>() || !called_kinetic_energy<S>,
                "this member is called `kinetic`");
  static_assert(has_lagrangian<S>() || has_potential<S>() || !called_potential_energy<S>,
                "this member is called `potential`");
  static_assert(has_holonomic<S>() || has_nonholonomic<S>() || !(called_constraint<S> || called_constraints<S>),
                "constraints are members `holonomic` (of t and q) and `nonholonomic` (of t, q and v)");
  static_assert(has_holonomic<S>() || !(called_holonomic_constraint<S> || called_holonomic_constraints<S>),
                "this member is called `holonomic`");
  static_assert(has_nonholonomic<S>() || !(called_nonholonomic_constraint<S> || called_nonholonomic_constraints<S> ||
                                           called_non_holonomic<S>),
                "this member is called `nonholonomic`");
  static_assert(has_forces<S>() || !called_force<S>, "this member is called `forces`");
  static_assert(has_rayleigh<S>() || !called_dissipation<S>, "this member is called `rayleigh`");
  static_assert(has_inputs<S>() || !called_input<S>, "this member is called `inputs`");
  static_assert(has_invariants<S>() || !called_invariant<S>, "this member is called `invariants`");
  static_assert(has_symmetries<S>() || !called_symmetry<S>, "this member is called `symmetries`");
}

template <class S>
void trace_energies(const S& s, Traced& x) {
  const Values q(x.q), v(x.v);
  const Parameters<Expr>& p = x.parameters;
  if constexpr (requires {
                  { s.lagrangian(x.t, q, v, p) } -> Scalar;
                })
    x.lagrangian = s.lagrangian(x.t, q, v, p);
  else if constexpr (requires {
                       { s.lagrangian(x.t, q, v) } -> Scalar;
                     })
    x.lagrangian = s.lagrangian(x.t, q, v);
  else
    static_assert(!has_lagrangian<S>(),
                  "lagrangian must be: template <class T> T lagrangian(const T& t, std::span<const T> q, "
                  "std::span<const T> v) const, with or without const rattleback::Parameters<T>& p at its end");
  if constexpr (!has_lagrangian<S>()) {
    static_assert(has_kinetic<S>(), "a model has a member `lagrangian`, or `kinetic` and `potential`");
    if constexpr (requires {
                    { s.kinetic(x.t, q, v, p) } -> Scalar;
                  })
      x.kinetic = s.kinetic(x.t, q, v, p);
    else if constexpr (requires {
                         { s.kinetic(x.t, q, v) } -> Scalar;
                       })
      x.kinetic = s.kinetic(x.t, q, v);
    else
      static_assert(
          !has_kinetic<S>(),
          "kinetic must be: template <class T> T kinetic(const T& t, std::span<const T> q, std::span<const T> "
          "v) const, with or without const rattleback::Parameters<T>& p at its end");
    if constexpr (requires {
                    { s.potential(x.t, q, p) } -> Scalar;
                  })
      x.potential = s.potential(x.t, q, p);
    else if constexpr (requires {
                         { s.potential(x.t, q) } -> Scalar;
                       })
      x.potential = s.potential(x.t, q);
    else
      static_assert(
          !has_potential<S>(),
          "potential must be: template <class T> T potential(const T& t, std::span<const T> q) const, with or "
          "without const rattleback::Parameters<T>& p at its end");
  }
}

template <class S>
void trace_constraints(const S& s, Traced& x) {
  const Values q(x.q), v(x.v);
  const Parameters<Expr>& p = x.parameters;
  if constexpr (requires {
                  { s.holonomic(x.t, q, p) } -> Vector;
                })
    x.holonomic = listed(s.holonomic(x.t, q, p));
  else if constexpr (requires {
                       { s.holonomic(x.t, q) } -> Vector;
                     })
    x.holonomic = listed(s.holonomic(x.t, q));
  else
    static_assert(
        !has_holonomic<S>(),
        "holonomic must be: template <class T> std::vector<T> holonomic(const T& t, std::span<const T> q) const, "
        "with or without const rattleback::Parameters<T>& p at its end");
  if constexpr (requires {
                  { s.nonholonomic(x.t, q, v, p) } -> Vector;
                })
    x.nonholonomic = listed(s.nonholonomic(x.t, q, v, p));
  else if constexpr (requires {
                       { s.nonholonomic(x.t, q, v) } -> Vector;
                     })
    x.nonholonomic = listed(s.nonholonomic(x.t, q, v));
  else
    static_assert(
        !has_nonholonomic<S>(),
        "nonholonomic must be: template <class T> std::vector<T> nonholonomic(const T& t, std::span<const T> q, "
        "std::span<const T> v) const, with or without const rattleback::Parameters<T>& p at its end");
}

template <class S>
void trace_forces(const S& s, Traced& x) {
  const Values q(x.q), v(x.v);
  const Parameters<Expr>& p = x.parameters;
  const Inputs<Expr>& u = x.inputs;
  std::vector<Expr> multipliers;
  for (std::size_t i = 0; i < x.holonomic.size() + x.nonholonomic.size(); ++i)
    multipliers.emplace_back(x.graph, x.graph.variable(kMultiplier, static_cast<std::int32_t>(i)));
  const Values lambda(multipliers);
  if constexpr (requires {
                  { s.forces(x.t, q, v, p, u, lambda) } -> Vector;
                })
    x.forces = listed(s.forces(x.t, q, v, p, u, lambda));
  else if constexpr (requires {
                       { s.forces(x.t, q, v, p, u) } -> Vector;
                     })
    x.forces = listed(s.forces(x.t, q, v, p, u));
  else if constexpr (requires {
                       { s.forces(x.t, q, v, p) } -> Vector;
                     })
    x.forces = listed(s.forces(x.t, q, v, p));
  else if constexpr (requires {
                       { s.forces(x.t, q, v) } -> Vector;
                     })
    x.forces = listed(s.forces(x.t, q, v));
  else
    static_assert(!has_forces<S>(),
                  "forces must be: template <class T> std::vector<T> forces(const T& t, std::span<const T> q, "
                  "std::span<const T> v, const rattleback::Parameters<T>& p, const rattleback::Inputs<T>& u, "
                  "std::span<const T> lambda) const; what comes behind v may be left out from the right");
  if constexpr (requires {
                  { s.rayleigh(x.t, q, v, p) } -> Scalar;
                })
    x.rayleigh = s.rayleigh(x.t, q, v, p);
  else if constexpr (requires {
                       { s.rayleigh(x.t, q, v) } -> Scalar;
                     })
    x.rayleigh = s.rayleigh(x.t, q, v);
  else
    static_assert(
        !has_rayleigh<S>(),
        "rayleigh must be: template <class T> T rayleigh(const T& t, std::span<const T> q, std::span<const T> v) "
        "const, with or without const rattleback::Parameters<T>& p at its end");
  if constexpr (requires {
                  { s.inputs(x.t, q, v, p) } -> Vector;
                })
    x.formulas_of_inputs = listed(s.inputs(x.t, q, v, p));
  else if constexpr (requires {
                       { s.inputs(x.t, q, v) } -> Vector;
                     })
    x.formulas_of_inputs = listed(s.inputs(x.t, q, v));
  else
    static_assert(!has_inputs<S>(),
                  "inputs must be: template <class T> std::vector<T> inputs(const T& t, std::span<const T> q, "
                  "std::span<const T> v) const, with or without const rattleback::Parameters<T>& p at its end");
}

template <class S>
void trace_known(const S& s, Traced& x) {
  if constexpr (requires {
                  { s.exact(x.t, x.parameters) } -> NamedValues;
                })
    x.exact = with_names(s.exact(x.t, x.parameters));
  else if constexpr (requires {
                       { s.exact(x.t) } -> NamedValues;
                     })
    x.exact = with_names(s.exact(x.t));
  else
    static_assert(
        !has_exact<S>(),
        "exact must be: template <class T> std::vector<std::pair<std::string, T>> exact(const T& t) const, with "
        "or without const rattleback::Parameters<T>& p at its end");
}

template <class S>
void trace_kept(const S& s, Traced& x) {
  const Values q(x.q), v(x.v);
  const Parameters<Expr>& p = x.parameters;
  if constexpr (requires {
                  { s.invariants(x.t, q, v, p) } -> NamedValues;
                })
    x.invariants = with_names(s.invariants(x.t, q, v, p));
  else if constexpr (requires {
                       { s.invariants(x.t, q, v) } -> NamedValues;
                     })
    x.invariants = with_names(s.invariants(x.t, q, v));
  else
    static_assert(
        !has_invariants<S>(),
        "invariants must be: template <class T> std::vector<std::pair<std::string, T>> invariants(const T& t, "
        "std::span<const T> q, std::span<const T> v) const, with or without const "
        "rattleback::Parameters<T>& p at its end");
  const auto take = [&](const auto& fields) {
    for (const auto& field : fields) x.symmetries.emplace_back(field.first, listed(field.second));
  };
  if constexpr (requires {
                  { s.symmetries(x.t, q, p) } -> NamedFields;
                })
    take(s.symmetries(x.t, q, p));
  else if constexpr (requires {
                       { s.symmetries(x.t, q) } -> NamedFields;
                     })
    take(s.symmetries(x.t, q));
  else
    static_assert(!has_symmetries<S>(),
                  "symmetries must be: template <class T> std::vector<std::pair<std::string, std::vector<T>>> "
                  "symmetries(const T& t, std::span<const T> q) const, with or without const "
                  "rattleback::Parameters<T>& p at its end");
}

}  // namespace detail

// The model that a class with these members describes. Throws Error where names, sizes or values do not fit.
template <class System>
Model trace(const System& system, const TraceOptions& options) {
  static_assert(std::copy_constructible<System>, "trace() keeps a copy of the class, which this one does not allow");
  detail::check_names<System>();
  detail::Tracer tracer;
  tracer.formulas = [system](detail::Traced& x) {
    detail::trace_energies(system, x);
    detail::trace_constraints(system, x);
    detail::trace_forces(system, x);
    detail::trace_known(system, x);
    detail::trace_kept(system, x);
  };
  if constexpr (requires(const Parameters<Expr>& p) {
                  { system.initial(p) } -> detail::NamedValues;
                })
    tracer.initial = [system](const Parameters<Expr>& p) { return detail::with_names(system.initial(p)); };
  else
    static_assert(!detail::has_initial<System>(),
                  "initial must be: template <class T> std::vector<std::pair<std::string, T>> initial(const "
                  "rattleback::Parameters<T>& p) const");
  return detail::trace_model(std::move(tracer), options);
}

}  // namespace rattleback
