#include "system/start/start_residuals.hpp"

#include <algorithm>
#include <cmath>

#include "expr/scalars.hpp"

namespace rattleback {

using Eigen::MatrixXd;

MatrixXd matrix_of(std::span<const double> x, Eigen::Index rows, Eigen::Index columns) {
  MatrixXd out(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j) out(i, j) = x[static_cast<std::size_t>(i * columns + j)];
  return out;
}

std::vector<std::vector<NodeId>> derivatives(Graph& g, const std::vector<NodeId>& f, Space space,
                                             std::int32_t columns) {
  std::vector<std::vector<NodeId>> out;
  for (const NodeId id : f) out.push_back(scalars(g, gradient(g, id, space), columns));
  return out;
}

std::vector<NodeId> flat(const std::vector<std::vector<NodeId>>& rows) {
  std::vector<NodeId> out;
  for (const auto& row : rows) out.insert(out.end(), row.begin(), row.end());
  return out;
}

std::vector<double> rounding_bounds(std::span<const double> x, std::span<const double> given,
                                    std::span<const double> own) {
  std::vector<double> out(x.size());
  const std::span<const double> more = given.size() == x.size() ? given : own;
  for (std::size_t i = 0; i < x.size(); ++i)
    out[i] = std::fmax(kUlp * std::fabs(x[i]), more.size() == x.size() ? more[i] : 0.0);
  return out;
}

RoundedValues::Point as_printed(RoundedValues::Point at, std::span<const std::int32_t> angles) {
  const auto largest = [](std::span<const double> x, std::span<const std::int32_t> without) {
    double size = 0.0;
    std::vector<char> turns(x.size(), 0);
    for (const std::int32_t a : without) turns[static_cast<std::size_t>(a)] = 1;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (turns[i] == 0 && std::isfinite(x[i])) size = std::fmax(size, std::fabs(x[i]));
    return size;
  };
  at.q_floor = kUlp * largest(at.q, angles);
  at.v_floor = kUlp * largest(at.v, {});
  return at;
}

void add_bounds(const Model& model, Start& s) {
  s.q_error = rounding_bounds(s.q, s.q_error, model.q0_error);
  s.v_error = rounding_bounds(s.v, s.v_error, model.v0_error);
}

void add_residuals(StartAnalysis& out, RoundedValues& constraints, std::size_t count, bool position, const NameOf& name,
                   const Judged& at) {
  constraints.evaluate(at.point());
  for (std::size_t i = 0; i < count; ++i) {
    const Rounded x = constraints[i];
    out.residuals.push_back({name(static_cast<std::int32_t>(i)), position, std::fabs(x.value), kStartUlps * x.error});
  }
  const std::span<ConstraintResidual> mine = std::span(out.residuals).last(count);
  const auto fine = [](const ConstraintResidual& r) { return r.is_rounding(); };
  if (!std::all_of(mine.begin(), mine.end(), fine)) {
    constraints.evaluate(at.as_printed());
    for (std::size_t i = 0; i < count; ++i) mine[i].excuse(kStartUlps * constraints[i].error);
  }
  out.consistent = out.consistent && std::all_of(mine.begin(), mine.end(), fine);
}

void add_residuals(StartAnalysis& out, const Graph& g, const std::vector<NodeId>& constraints, bool position,
                   const NameOf& name, const Judged& at) {
  RoundedValues all(g, constraints);
  add_residuals(out, all, constraints.size(), position, name, at);
}

}  // namespace rattleback
