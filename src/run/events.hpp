// Zeros of expressions along a run. They are found between the ends of each step with the polynomial of dense output, and
// then located with the method itself: the fraction theta is solved for with which a step of the method to that time ends on
// the zero (DenseStep::step_by, as for records between the steps). So what is reported is a numerical solution like every other, and the run goes on as if
// nobody had looked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/step_taker.hpp"
#include "expr/evaluator.hpp"
#include "rattleback/simulate.hpp"
#include "run/dense.hpp"
#include "run/reported_state.hpp"

namespace rattleback {

class Events {
 public:
  // Throws Error for a faulty expression. `reported` outlives it.
  Events(const System& system, std::vector<std::string> expressions, ReportedState& reported);

  // The state where the run begins. A zero there is no crossing.
  void start(const StepTaker& s);
  // The state before a step.
  void begin(const StepTaker& s);
  // After the step, of size h. Appends what was found, in the order of time.
  void end(const StepTaker& s, double h, DenseStep& dense, std::vector<EventFound>& found);
  // After the last step: a zero exactly at the end counts.
  void finish(const StepTaker& s, std::vector<EventFound>& found);

  [[nodiscard]] const std::vector<std::string>& expressions() const { return expressions_; }
  [[nodiscard]] std::int64_t missed() const { return missed_; }  // zeros at which no step of the method ends

  [[nodiscard]] std::vector<double> save() const;
  void load(std::span<const double> saved);

 private:
  struct Watched {
    int sign = 0;          // of the last value that was not 0
    bool at_zero = false;  // the last step ended exactly on a zero
  };
  struct Sample {
    double theta, value;
  };
  struct Crossing {
    Sample before, after, top;
  };
  struct Guess {
    double theta, slope;
  };
  // Expressions speak of angles as they are reported, with all their turns.
  std::span<const double> values(double t, std::span<const double> q, std::span<const double> v,
                                 std::span<const double> turns);
  std::span<const double> values(const StepTaker& s) { return values(s.t(), s.q(), s.v(), s.turns()); }
  double dense_value(std::size_t which, double theta, DenseStep& dense);
  // The method's own state there, in at_, and the expression; NaN when there is none.
  double real_value(std::size_t which, double theta, DenseStep& dense);
  // Values along the step, with extra ones where the polynomial turns round near zero.
  void look(std::size_t which, double first, double last, DenseStep& dense);
  void refine_dip(std::size_t which, std::size_t middle, DenseStep& dense);
  [[nodiscard]] std::vector<Crossing> crossings(int sign) const;
  Guess polynomial_zero(std::size_t which, Sample a, Sample b, DenseStep& dense);
  bool locate(std::size_t which, Sample lower, Sample upper, Guess guess, DenseStep& dense);
  void decide_zero(std::size_t which, DenseStep& dense);
  void report(std::size_t which, const StepTaker& s, int direction);

  std::vector<std::string> expressions_;
  ReportedState& reported_;
  const StepTaker* at_ = nullptr;
  Evaluator values_;
  std::vector<Watched> watched_;
  std::vector<double> q_, v_, unwrapped_, first_, last_;
  double t0_ = 0.0, h_ = 0.0;
  std::vector<Sample> samples_;
  std::vector<EventFound>* found_ = nullptr;
  std::int64_t missed_ = 0;
};

}  // namespace rattleback
