// Running error bounds: what rounding may have done to a number on its way through a formula.
//
// A number is kept with a bound of its error, to first order. Every operation passes the bounds of its arguments on and
// adds one ulp of its own result, so cos(pi/2) is 6e-17 with a bound of 3e-16: as far as anybody can tell, it is 0. Zeros of
// square roots and of the like are taken at the size of the error, where the slope would be infinite.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "rattleback/expr.hpp"

namespace rattleback {

inline constexpr double kUlp =
    std::numeric_limits<double>::epsilon();  // of a number just above 1; at most that of others

struct Rounded {
  double value = 0.0, error = 0.0;

  // As it was typed: whole numbers are meant exactly, others are the nearest double of what was meant.
  static Rounded typed(double x) { return {x, x == std::floor(x) ? 0.0 : kUlp * std::fabs(x)}; }
};

// The value is that of apply() for numbers, bit for bit.
Rounded apply(Op op, Rounded a, Rounded b = {}, Rounded c = {});

// Functions of a graph at a point, with their bounds. The point has bounds of its own.
class RoundedValues {
 public:
  // Functions without loops; or the bodies of loops, which at() evaluates in one iteration. The graph must outlive this.
  RoundedValues(const Graph& graph, std::span<const NodeId> functions);

  struct Point {
    double t = 0.0;  // as if it had been typed
    std::span<const double> q, v, q_error, v_error;
    std::span<const double> multipliers = {};  // exact; 0 where there are none
    double q_floor = 0.0, v_floor = 0.0;       // least bounds of numbers that are not whole
    double multiplier_error = 0.0;             // of each of them
    std::span<const double> accelerations = {};
    double acceleration_error = 0.0;
  };
  // Everything outside of loops.
  void evaluate(const Point& point);
  [[nodiscard]] Rounded operator[](std::size_t function) const { return values_[roots_[function]]; }
  // Iteration k of the loop around the functions.
  void iterate(const Point& point, std::int32_t k);

 private:
  struct Step {
    NodeId node = 0;
    std::uint32_t a = 0, b = 0, c = 0;       // places of the arguments
    std::vector<std::uint32_t> inside = {};  // of a sum: what varies in it
  };
  [[nodiscard]] Rounded compute(const Step& step, std::int32_t k, const Point& point) const;
  [[nodiscard]] std::vector<std::uint32_t> varying(std::span<const std::uint32_t> bodies) const;

  const Graph& graph_;
  std::vector<Step> steps_;
  std::vector<Rounded> values_;
  std::vector<std::uint32_t> roots_, looped_;
};

}  // namespace rattleback
