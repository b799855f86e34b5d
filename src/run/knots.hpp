// Moments at which data of a model have a jump or a kink. A step that passes over one loses its order, so steps end there
// (SingleSteps); `cubic` data have a jump of the third derivative, which methods up to order 4 do not see.
//
// Where a value jumps, a method whose stages lie on the ends of its step must see the value before at the end of one step, and
// the value behind at the start of the next. So a moment has two sides, a few units of rounding apart: a step ends on one of
// them, and the next begins on the other.
#pragma once

#include <string>
#include <vector>

#include "bind/bind.hpp"
#include "model/model_text.hpp"

namespace rattleback {

class Knots {
 public:
  struct Knot {
    double at, spread;  // spread: of its time, by rounding
    bool jumps;         // the value itself, not only a derivative
    // Its sides in the order of time, for a step of size h. At the moment itself there is the value behind.
    [[nodiscard]] double before(double h) const;
    [[nodiscard]] double behind() const { return at + spread; }
    [[nodiscard]] double arrival(double h) const { return h > 0.0 ? before(h) : behind(); }
    [[nodiscard]] double departure(double h) const { return h > 0.0 ? behind() : before(h); }
    // Does a step of size h that begins at t, near it, see what it should?
    [[nodiscard]] bool is_behind(double t, double h) const { return h > 0.0 ? t >= behind() : t < at - spread; }
  };

  // None.
  Knots() = default;
  // Those that matter to a method of this order.
  Knots(const Model& model, int order);

  [[nodiscard]] bool is_empty() const { return list_.empty(); }
  // The first one on the way from t to `end`. One at an end belongs to the step when the value jumps there.
  [[nodiscard]] const Knot* next(double t, double end) const;
  // A jump here, up to rounding, from where a step of size h begins.
  [[nodiscard]] const Knot* here(double t, double h) const;

 private:
  std::vector<Knot> list_;
};

// Does a run have steps that end on knots? For a method that is not bound yet.
bool may_have_knots(const Model& model, const Options& options);

// Why the steps of this method cannot end on them, with what to do, as a clause; "": they can.
std::string why_no_knots(const BoundMethod& method, const Options& options);

// Where steps pass over what they do not end on: a note, or "". The steps have size h from `from` on; 0: they are chosen.
std::string knots_note(const Model& model, const BoundMethod& method, const Options& options, double until, double h);

}  // namespace rattleback
