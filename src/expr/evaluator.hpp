// Numbers of some functions f(t, q, v, lambda, v') at a point: a program with its own workspace. For everything outside the
// step: energies, residuals, matrices at the start.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "expr/program.hpp"
#include "expr/spaces.hpp"

namespace rattleback {

class Evaluator {
 public:
  // accelerations: how many of kAcceleration there are.
  Evaluator(const Graph& graph, std::span<const NodeId> functions, std::int32_t n, std::int32_t m,
            std::int32_t accelerations = 0)
      : count_(functions.size()) {
    Assembler a = prepare(graph, n, m);
    accelerations_ = a.place(kAcceleration, accelerations);
    a.announce(functions);
    out_ = a.reserve(static_cast<std::int32_t>(functions.size()));
    for (std::size_t i = 0; i < functions.size(); ++i)
      a.store(program_, functions[i], out_ + static_cast<std::int32_t>(i));
    w_ = a.image();
    parameters_ = a.parameters();
    program_.pack();
  }
  // A vector function with families: `rows` values.
  Evaluator(const Graph& graph, std::span<const Entry> entries, std::int32_t rows, std::int32_t n, std::int32_t m)
      : count_(static_cast<std::size_t>(rows)) {
    Assembler a = prepare(graph, n, m);
    out_ = a.reserve(rows);
    a.store(program_, entries, out_, 1, 0, rows);
    w_ = a.image();
    parameters_ = a.parameters();
    program_.pack();
  }

  // From here on for other values of the parameters.
  void set_parameters(std::span<const double> values) { (void)parameters_.set(values, w_.data(), room_); }

  std::span<const double> operator()(double t, std::span<const double> q, std::span<const double> v = {},
                                     std::span<const double> multipliers = {},
                                     std::span<const double> accelerations = {}) {
    w_[static_cast<std::size_t>(t_)] = t;
    std::copy(q.begin(), q.end(), w_.begin() + q_);
    std::copy(v.begin(), v.end(), w_.begin() + v_);
    std::copy(multipliers.begin(), multipliers.end(), w_.begin() + multipliers_);
    std::copy(accelerations.begin(), accelerations.end(), w_.begin() + accelerations_);
    program_.run(w_.data());
    return {w_.data() + out_, count_};
  }

 private:
  Assembler prepare(const Graph& graph, std::int32_t n, std::int32_t m) {
    Assembler a(graph);
    t_ = a.place(kTime, 1);
    q_ = a.place(kPosition, n);
    v_ = a.place(kVelocity, n);
    multipliers_ = a.place(kMultiplier, m);
    return a;
  }

  std::size_t count_;
  Program program_;
  ParameterSlots parameters_;
  ParameterSlots::Room room_;
  std::vector<double> w_;
  std::int32_t out_ = 0, t_ = 0, q_ = 0, v_ = 0, multipliers_ = 0, accelerations_ = 0;
};

}  // namespace rattleback
