// What the judgement of a start and its projection share: a state with the rounding errors it may have, and residuals there.
#pragma once

#include <functional>

#include "linalg/decompositions.hpp"
#include "system/start/start.hpp"

namespace rattleback {

// Bounds of rounding errors: given, or those of the model's own start; one ulp at least.
std::vector<double> rounding_bounds(std::span<const double> x, std::span<const double> given,
                                    std::span<const double> own);

// A state with its bounds.
struct Judged {
  Judged(const System& system, double time, std::span<const double> positions, std::span<const double> velocities,
         std::span<const double> q_given, std::span<const double> v_given)
      : t(time),
        q(positions),
        v(velocities),
        q_error(rounding_bounds(q, q_given, system.model().q0_error)),
        v_error(rounding_bounds(v, v_given, system.model().v0_error)),
        angles(system.model().angles) {}
  Judged(const System& system, const Start& s) : Judged(system, s.t, s.q, s.v, s.q_error, s.v_error) {}
  [[nodiscard]] RoundedValues::Point point() const { return {t, q, v, q_error, v_error}; }
  [[nodiscard]] RoundedValues::Point as_printed() const { return rattleback::as_printed(point(), angles); }

  double t;
  std::span<const double> q, v;
  std::vector<double> q_error, v_error;
  std::span<const std::int32_t> angles;
};

using NameOf = std::function<std::string(std::int32_t)>;

// Appends the residuals of so many constraints, with what rounding explains; `out` is consistent as long as that is all.
void add_residuals(StartAnalysis& out, RoundedValues& constraints, std::size_t count, bool position, const NameOf& name,
                   const Judged& at);
void add_residuals(StartAnalysis& out, const Graph& g, const std::vector<NodeId>& constraints, bool position,
                   const NameOf& name, const Judged& at);

// functions: what of a mechanical system is made once for many starts.
StartAnalysis analyse(const System& system, StartFunctions& functions, const Judged& at,
                      std::span<const double> multipliers);

// Row-major numbers as a matrix.
Eigen::MatrixXd matrix_of(std::span<const double> x, Eigen::Index rows, Eigen::Index columns);
// By row: d f_i/d(space).
std::vector<std::vector<NodeId>> derivatives(Graph& g, const std::vector<NodeId>& f, Space space, std::int32_t columns);
// One row after the other.
std::vector<NodeId> flat(const std::vector<std::vector<NodeId>>& rows);

}  // namespace rattleback
