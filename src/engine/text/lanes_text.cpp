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
  std::string group();
  void declare();
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
    set(truth("rough"), Condition("WHOLE(0)", words_));
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
  line("ok_@ &= size_of({}) <= {};", sum(plan_.result_slot()).text, kLargestNumber.text);
  const auto leave_all = [&](const char* variable, const char* memory) {
    for (std::size_t i = 0; i < shape_.state; ++i) line(fmt::runtime(variable), s(state(i)), s(result(i)));
    for (std::size_t i = 0; i < shape_.m; ++i)
      line(fmt::runtime(memory), fmt::format("multipliers + {} + 4 * (g + @)", i * kLaneWidth),
           s(result(shape_.state + i)));
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      line(
          fmt::runtime(memory),
          plan_.linear() ? fmt::format("&W({}, @)", unknowns[i]) : fmt::format("x0 + {} + 4 * (g + @)", i * kLaneWidth),
          s(unknowns[i]));
  };
  // All lanes, as a rule. Then the next step does not wait for masks.
  open("if (" + any(!fine()) + ")");
  leave_all("{0} = pick(ok_@, {1}, {0});", "KEEP({}, ok_@, {});");
  close();
  open("else");
  leave_all("{} = {};", "V({}) = {};");
  close();
  if (!looks_far_) return;
  line("if (look) far_@ = (far_is_better(x0 + 4 * (g + @)) & ok_@) | (far_@ & ~ok_@);");
  line("I(job->far + part * {} + 4 * (g + @)) = far_@ & ~(rough_@ & ok_@);", kLaneWidth);
}

// The step of the lanes from 4 g on.
std::string LanesText::group() {
  depth_ = 3;
  step();
  line("part = 0;");
  if (!cut_)
    for (std::size_t i = 0; i < shape_.state; ++i) line("W({}, @) = {};", state(i), s(state(i)));
  line("I(active + 4 * (g + @)) = ok_@;");
  std::string left = any(Condition("ok_before_@", words_) && !fine());
  for (const std::int32_t a : shape_.angles)
    left += " || " + any(fine() && size_of(at(state(static_cast<std::size_t>(a)))) > kTurnHigh);
  line("leave |= {};", left);
  return take();
}

void LanesText::declare() {
  // What is read before it is written in a step: states, inputs, and the unknowns of a linear plan.
  const auto unknowns = plan_.unknown_slots();
  const auto read_first = [&](std::uint32_t slot) {
    return slots_.is_state(slot) || !slots_.is_written(slot) ||
           (plan_.linear() &&
            std::find(unknowns.begin(), unknowns.end(), static_cast<std::int32_t>(slot)) != unknowns.end());
  };
  for (const std::uint32_t slot : used_)
    line(fmt::runtime(read_first(slot) ? "v s{0}_@ = W({0}, @);" : "v s{0}_@;"), slot);
  variables();
  if (!plan_.linear()) set(number("ratio"), 0.0);
  for (const std::int32_t n : loops_) {
    line("v next{0}_@[{1}], lu{0}_@[{1}], scale{0}_@[{0}];", n, n * n);
    line("i perm{0}_@[{0}];", n);
  }
  if (!loops_.empty()) line("v r_@[{0}], d_@[{0}];", *loops_.rbegin());
}

std::string LanesText::write() {
  prepare();
  at_once_ = plan_.instruction_count() <= kShort && largest_block_ <= kUnrolledMatrix ? kAtOnce : 1;
  const std::string group_step = group();
  out_ += kHeadText;
  out_ += kOneWordsText;
  out_ += kLaneJobText;
  out_ += kLaneWordsText;
  depth_ = 0;
  functions();
  open(fmt::format("void {}(struct LaneJob* job)", kNativeSymbol));
  job();
  line("const double* const scale = job->scale;");
  line("long long* const active = job->active;");
  line("int *const newest = job->newest, g;");
  open("while (done < steps)");
  line("int leave = 0;");
  const auto each_part = [&](const auto& what) {
    for (std::size_t p = 0; p < shape_.gamma.size() && !plan_.linear(); ++p) what(p);
  };
  if (looks_far_) line("const int look = ((count + done) & {}) == 0;", starting::kLook - 1);
  each_part([&](std::size_t p) {
    line("make_room(history + {}, newest + {});", p * starting::kRows * shape_.history_width * kLaneWidth, p);
  });
  open(fmt::format("for (g = 0; g < {}; g += {})", kVectors, at_once_));
  line("const i ok_before_@ = I(active + 4 * (g + @));");
  line("i ok_@ = ok_before_@;");
  line("double* __restrict const w = all + 4 * g;");
  line("if (!{}) continue;", any(fine()));
  declare();
  out_ += group_step;
  close();
  each_part([&](std::size_t p) { line("++newest[{}];", p); });
  line("++done;");
  line("h_before = h;");
  line("if (leave) break;");
  close();
  line("job->done = done;");
  close();
  return take();
}

}  // namespace

std::string lanes_text(const StepShape& shape) { return LanesText(shape).write(); }

}  // namespace rattleback
