// Zeros of expressions along a run. They are found between the ends of each step with the polynomial of dense output, and
// then located with the method itself: the fraction theta is solved for with which a step of the method to that time ends on
// the zero (DenseStep::step_by, as for records between the steps). So what is reported is a numerical solution like every other, and the run goes on as if
// nobody had looked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/step_taker.hpp"
#include "rattleback/simulate.hpp"
#include "run/dense.hpp"
#include "run/event_bounds.hpp"
#include "run/quantities.hpp"
#include "run/reported_state.hpp"

namespace rattleback {

class Events {
 public:
  // What is looked for: the request's expressions, its end, and the model's events.
  struct Watch {
    std::string name;   // an expression is its own
    int direction = 0;  // +1, -1; 0: both
    ModelEvent::Then then = ModelEvent::Then::note;
    const ModelEvent* of_model = nullptr;
  };

  // Throws Error for a faulty expression. `reported` outlives it.
  Events(const System& system, const Options& options, ReportedState& reported);

  // The state where the run begins. A zero there is no crossing.
  void start(const StepTaker& s);
  // The steps go on from an event that has ended one, perhaps from another state, which it has set: a change of sign by that is
  // none, and the event is looked for again once its expression has left zero.
  // at_event: the value of its expression there, which is rounding.
  void go_on(const StepTaker& s, std::size_t from, double at_event);
  [[nodiscard]] double value(std::size_t number, const StepTaker& s) { return values(s)[number]; }
  // The event of this zero, when it does more than be noted: its number.
  [[nodiscard]] std::optional<std::size_t> acting(const EventFound& found) const;
  [[nodiscard]] const Watch& watch(std::size_t number) const { return watches_[number]; }
  // What an event sets, at the state it is at.
  std::span<const double> set_values(std::size_t number, const StepTaker& s);
  // The state before a step.
  void begin(const StepTaker& s);
  // After the step, of size h. Appends what was found, in the order of time.
  void end(const StepTaker& s, double h, DenseStep& dense, std::vector<EventFound>& found);
  // After the last step: a zero exactly at the end counts.
  void finish(const StepTaker& s, std::vector<EventFound>& found);

  [[nodiscard]] const std::vector<Watch>& watches() const { return watches_; }
  [[nodiscard]] std::int64_t missed() const { return missed_; }  // zeros at which no step of the method ends

  [[nodiscard]] std::vector<double> save() const;
  void load(std::span<const double> saved);

 private:
  struct Watched {
    int sign = 0;               // of the last value that was not 0
    bool at_zero = false;       // the last step ended exactly on a zero
    bool has_acted = false;     // there, and the next step begins on it, up to rounding
    bool rests = false;         // it has been 0 from there on
    bool flat = false;          // towards the end of the last step
    double touched = INFINITY;  // when it touched last
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
  // What the expressions may ask for at a state.
  struct Solved {
    std::span<const double> multipliers, accelerations;
  };
  Solved solve(double t, std::span<const double> q, std::span<const double> v);
  std::span<const double> reported(double t, std::span<const double> q, std::span<const double> turns);
  std::span<const double> values(const StepTaker& s) { return values(s.t(), s.q(), s.v(), s.turns()); }
  double dense_value(std::size_t which, double theta, DenseStep& dense);
  // The method's own state there, in at_, and the expression; NaN when there is none.
  double real_value(std::size_t which, double theta, DenseStep& dense);
  // Values along the step, with extra ones where the polynomial turns round near zero.
  void look(std::size_t which, double first, double last, DenseStep& dense);
  Sample refine_dip(std::size_t which, std::size_t middle, int sign, DenseStep& dense);
  // Does it touch zero where it is least, between two samples? With real steps. What has one sign on both sides of the place
  // stands in the samples with the sign that it really has.
  void look_closely(std::size_t which, Sample lower, Sample least, Sample upper, DenseStep& dense);
  [[nodiscard]] double range() const;  // of the samples
  [[nodiscard]] bool ends_flat() const;
  double bound_at(std::size_t which, const StepTaker& s);
  [[nodiscard]] std::vector<Crossing> crossings(int sign) const;
  Guess polynomial_zero(std::size_t which, Sample a, Sample b, DenseStep& dense);
  bool locate(std::size_t which, Sample lower, Sample upper, Guess guess, DenseStep& dense);
  void decide_zero(std::size_t which, DenseStep& dense);
  void report(std::size_t which, const StepTaker& s, int direction);

  Events(const System& system, std::vector<Watch> watches, ReportedState& reported, Graph graph);
  void put(Sample sample);  // among the samples, in its place

  std::vector<Watch> watches_;
  ReportedState& reported_;
  std::vector<NodeId> nodes_;  // of the watches
  const StepTaker* at_ = nullptr;
  EventBounds bounds_;
  Quantities values_;                    // of the watches, then what they set
  std::unique_ptr<Acceleration> level_;  // for multipliers and accelerations; null: none is asked for
  std::vector<Watched> watched_;
  std::vector<double> q_, v_, unwrapped_, nothing_, first_, last_;
  double t0_ = 0.0, h_ = 0.0;
  std::vector<Sample> samples_, seen_;  // with what was found between them, and without
  std::vector<double> touches_;         // of the step, where
  std::vector<EventFound>* found_ = nullptr;
  std::int64_t missed_ = 0;
};

}  // namespace rattleback
