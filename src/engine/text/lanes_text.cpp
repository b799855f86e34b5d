#include "engine/text/lanes_text.hpp"

#include <algorithm>
#include <utility>

#include "engine/job.hpp"
#include "engine/text/common_text.hpp"
#include "engine/text/solve_text.hpp"
#include "engine/text/step_text.hpp"
#include "step/starting_values.hpp"
#include "system/angles.hpp"

namespace rattleback {
namespace {

constexpr int kVector = 4;                      // doubles in one
constexpr int kVectors = kLaneWidth / kVector;  // in a group
// Steps up to this many instructions hold two vectors at once, which hides the latency of one behind the other.
// Measured with 1, 2 and 4: 2.57, 2.63, 3.09 ns for mclachlan-perlmutter on the contact oscillator, 31.9, 24.9, 27.5 ns
// for rattle on the double pendulum; four do not fit into the registers.
constexpr std::size_t kShort = 400;
constexpr int kAtOnce = 2;

class LanesText : public StepText {
 public:
  explicit LanesText(const StepShape& shape) : StepText(shape, kFour, false) {}
  std::string write();

 private:
  [[nodiscard]] Said multiplier_scale() const override { return Said("V(scale + 4 * (g + @))", kFour); }
  void predict() override;
  void leave() override;
  void body();
  void variables();
};

void LanesText::predict() {
  const auto unknowns = plan_.unknown_slots();
  const std::size_t row = shape_.history_width * kLaneWidth;
  line("x1 = history + (part * {} + newest[part]) * {};", starting::kRows, row);
  line("x0 = x1 + {};", row);
  const auto each = [&](const char* text) {
    for (std::size_t i = 0; i < unknowns.size(); ++i) line(fmt::runtime(text), s(unknowns[i]), i * kLaneWidth);
  };
  const char* const near = "{0} = near_value(x1 + {1} + 4 * (g + @));";
  if (looks_far_) {
    line("far_@ = I(job->far + part * {} + 4 * (g + @));", kLaneWidth);
    line("rough_@ = WHOLE(0);");
    open("if (" + any(truth("far")) + ")");
    each("{0} = far_value(x1 + {1} + 4 * (g + @));");
    open("if (" + any(!truth("far")) + ")");
    each("{0} = pick(far_@, {0}, near_value(x1 + {1} + 4 * (g + @)));");
    close();
    close();
    open("else");
    each(near);
    close();
  } else {
    each(near);
  }
}

// Only lanes whose sub-steps have been plain so far are changed.
void LanesText::leave() {
  const auto unknowns = plan_.unknown_slots();
  line("ok_@ &= size_of({}) <= LARGEST;", sum(plan_.result_slot()).text);
  // All lanes, as a rule. Then the next step does not wait for masks.
  open("if (" + any(!fine()) + ")");
  for (std::size_t i = 0; i < shape_.state; ++i) line("{0} = pick(ok_@, {1}, {0});", s(state(i)), s(result(i)));
  for (std::size_t i = 0; i < shape_.m; ++i)
    line("KEEP(multipliers + {} + 4 * (g + @), ok_@, {});", i * kLaneWidth, s(result(shape_.state + i)));
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    if (plan_.linear())
      line("KEEP(&W({}, @), ok_@, {});", unknowns[i], s(unknowns[i]));
    else
      line("KEEP(x0 + {} + 4 * (g + @), ok_@, {});", i * kLaneWidth, s(unknowns[i]));
  }
  close();
  open("else");
  for (std::size_t i = 0; i < shape_.state; ++i) line("{} = {};", s(state(i)), s(result(i)));
  for (std::size_t i = 0; i < shape_.m; ++i)
    line("V(multipliers + {} + 4 * (g + @)) = {};", i * kLaneWidth, s(result(shape_.state + i)));
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    if (plan_.linear())
      line("W({}, @) = {};", unknowns[i], s(unknowns[i]));
    else
      line("V(x0 + {} + 4 * (g + @)) = {};", i * kLaneWidth, s(unknowns[i]));
  }
  close();
  if (!looks_far_) return;
  line("if (look) far_@ = (far_is_better(x0 + 4 * (g + @)) & ok_@) | (far_@ & ~ok_@);");
  line("I(job->far + part * {} + 4 * (g + @)) = far_@ & ~(rough_@ & ok_@);", kLaneWidth);
}

void LanesText::body() {
  const bool composed = shape_.gamma.size() > 1;
  open("while (done < steps)");
  line("int leave = 0;");
  if (!plan_.linear()) {
    if (looks_far_) line("const int look = ((count + done) & {}) == 0;", starting::kLook - 1);
    for (std::size_t p = 0; p < shape_.gamma.size(); ++p)
      line("make_room(history + {}, newest + {});", p * starting::kRows * shape_.history_width * kLaneWidth, p);
  }
  const bool whole = at_once_ == kVectors;
  if (whole)
    line("g = 0;");
  else
    open(fmt::format("for (g = 0; g < {}; g += {})", kVectors, at_once_));
  line("const i ok_before_@ = I(active + 4 * (g + @));");
  line("i ok_@ = ok_before_@;");
  line("double* __restrict const w = all + 4 * g;");
  if (!whole) line("if (!{}) continue;", any(fine()));
  out_ += "DECLARE\n";  // variables, when it is known which ones there are
  if (composed || plan_.has(kTime)) line("at = job->t_base + (double)(count + done) * h;");
  if (composed) open(fmt::format("for (part = 0; part < {}; ++part)", shape_.gamma.size()));
  sub_step();
  if (composed) {
    line("at += parts[part] * h;");
    close();
    line("part = 0;");
  }
  if (!cut_)
    for (std::size_t i = 0; i < shape_.state; ++i) line("W({}, @) = {};", state(i), s(state(i)));
  line("I(active + 4 * (g + @)) = ok_@;");
  std::string left = any(truth("ok_before") && !fine());
  for (const std::int32_t a : shape_.angles)
    left += " || " + any(fine() && size_of(at(state(static_cast<std::size_t>(a)))) > kTurnHigh);
  line("leave |= {};", left);
  if (!whole) close();
  if (!plan_.linear())
    for (std::size_t p = 0; p < shape_.gamma.size(); ++p) line("++newest[{}];", p);
  line("++done;");
  line("h_before = h;");
  line("if (leave) break;");
  close();
  line("job->done = done;");
}

void LanesText::variables() {
  // What is read before it is written in a step: states, inputs, and the unknowns of a linear plan.
  const auto read_first = [&](std::uint32_t slot) {
    return slots_.is_state(slot) || !slots_.is_written(slot) ||
           (plan_.linear() && std::find(plan_.unknown_slots().begin(), plan_.unknown_slots().end(),
                                        static_cast<std::int32_t>(slot)) != plan_.unknown_slots().end());
  };
  for (const std::uint32_t slot : used_) {
    if (read_first(slot))
      line("v s{0}_@ = W({0}, @);", slot);
    else
      line("v s{}_@;", slot);
  }
  line("v typical0_@, typical1_@, noise0_@, noise1_@, big0_@, big1_@, change0_@, change1_@, first0_@, first1_@;");
  line("v size_@, last_@, ratio_@ = ALL(0.0), older_@, next_@;");
  line("i go_@, bad_@, arrived_@, slow_@, current_@{};", looks_far_ ? ", far_@, rough_@" : "");
  for (std::int32_t k = 0; k < largest_block_; ++k) line("v d{}_@;", k);
  for (const std::int32_t n : loops_) {
    line("v next{0}_@[{1}], lu{0}_@[{1}], scale{0}_@[{0}];", n, n * n);
    line("i perm{0}_@[{0}];", n);
  }
  if (!loops_.empty()) line("v r_@[{0}], d_@[{0}];", *loops_.rbegin());
}

std::string LanesText::write() {
  prepare();
  at_once_ = plan_.instruction_count() <= kShort && largest_block_ <= kUnrolledMatrix ? kAtOnce : 1;
  depth_ = 1;
  body();
  const std::string code = std::exchange(out_, "");
  depth_ = 3;
  variables();
  const std::string declared = std::exchange(out_, "");
  depth_ = 0;
  out_ += kHeadText;
  out_ += kLaneJobText;
  out_ += kLaneWordsText;
  functions();
  open(fmt::format("void {}(struct LaneJob* job)", kNativeSymbol));
  line("double* const all = job->w;");
  line("double* const history = job->history;");
  line("double* const multipliers = job->multipliers;");
  line("const double* const scale = job->scale;");
  line("long long* const active = job->active;");
  line("int* const newest = job->newest;");
  line("const double h = job->h, tolerance = job->tolerance;");
  line("double h_before = job->h_before, at = 0.0, *x0, *x1;");
  line("const long long steps = job->steps, count = job->count;");
  line("long long done = 0;");
  line("int part = 0, k = 0, g;");
  line("const int max_newton = job->max_newton;");
  std::string gamma;
  for (const double x : shape_.gamma) gamma += literal(x) + ",";
  line("static const double parts[] = {{{}}};", gamma);
  const std::size_t place = code.find("DECLARE\n");
  out_ += code.substr(0, place) + declared + code.substr(place + 8);
  close();
  return std::move(out_);
}

}  // namespace

std::string lanes_text(const StepShape& shape) { return LanesText(shape).write(); }

}  // namespace rattleback
