#include "engine/text/emit.hpp"

#include <algorithm>
#include <utility>

#include "engine/job.hpp"
#include "engine/text/carried.hpp"
#include "engine/text/common_text.hpp"
#include "engine/text/solve_text.hpp"
#include "engine/text/step_text.hpp"
#include "step/starting_values.hpp"
#include "system/angles.hpp"

namespace rattleback {
namespace {

// A compiler needs a time that grows with the text; beyond this one a run would have to be very long.
constexpr std::size_t kMostInstructions = 40000;

// One run, as a C function or as the loop of a C++ class.
class RunText : public StepText {
 public:
  RunText(const StepShape& shape, bool header) : StepText(shape, kOne, header) {}
  std::string write();
  LoopText parts();

 private:
  [[nodiscard]] Said multiplier_scale() const override {
    return header_ ? Said(shape_.multiplier_scale) : Said("multiplier_scale");
  }
  void predict() override;
  void leave() override;
  void carry();
  void remember();
  // A state that is not finite stays so: without iteration it is enough to look now and then, and to go back to the
  // last look when it is found.
  [[nodiscard]] bool checks_seldom() const {
    return header_ && plan_.blocks().empty() && shape_.gamma.size() == 1 && shape_.angles.empty();
  }
  void declare();
  std::string body();
  [[nodiscard]] Condition too_large(std::int32_t first) { return !(size_of(sum(first)) <= kLargestNumber); }
};

void RunText::leave() {
  // A sum of finite numbers that overflows is left to the interpreter too.
  if (!checks_seldom()) line("if ({}) goto fail;", too_large(plan_.result_slot()).text);
  for (std::size_t i = 0; i < shape_.state; ++i) set(at(state(i)), at(result(i)));
  if (header_) {
    carry();
    return;
  }
  // Stored in every step: kept in registers for the case of a failure, they would be in the way.
  const auto keep = [&](std::int32_t slot) { line("w[{}] = {};", slot, s(slot)); };
  for (std::size_t i = 0; i < shape_.state; ++i) keep(state(i));
  for (std::size_t i = 0; i < shape_.m; ++i) line("multipliers[{}] = {};", i, s(result(shape_.state + i)));
  if (!cut_) {
    for (std::int32_t i = 0; i < plan_.extra_count(); ++i) keep(plan_.extra_slot() + i);
    for (std::int32_t i = 0; i < plan_.power_count(); ++i) keep(plan_.power_slot() + i);
    for (const std::int32_t u : plan_.unknown_slots()) keep(u);
  }
  remember();
}

// Predictions of all unknowns at once, in loops over rows that compilers take in lanes.
void RunText::predict() {
  const auto unknowns = plan_.unknown_slots();
  if (!looks_far_) {
    line("x1 = history + (part * {} + job->newest[part]) * {};", starting::kRows, shape_.history_width);
    for (std::size_t i = 0; i < unknowns.size(); ++i) line("{} = near_value(x1 + {});", s(unknowns[i]), i);
    return;
  }
  line("look = ((count + done) & {}) == 0;", starting::kLook - 1);
  set(truth("rough"), Condition("0"));
  line("predict(history + (part * {} + job->newest[part]) * {}, job->far[part], guess);", starting::kRows,
       shape_.history_width);
  for (std::size_t i = 0; i < unknowns.size(); ++i) line("{} = guess[{}];", s(unknowns[i]), i);
}

void RunText::remember() {
  if (plan_.linear()) return;
  const auto unknowns = plan_.unknown_slots();
  line("x1 = next_row(history + part * {}, job->newest + part);", starting::kRows * shape_.history_width);
  for (std::size_t i = 0; i < unknowns.size(); ++i) line("x1[{}] = {};", i, s(unknowns[i]));
  if (!looks_far_) return;
  line("if (rough) job->far[part] = 0;");
  line("else if (look) job->far[part] = far_is_better(x1);");
}

// The end of a step in a C++ class. A linear plan goes on from its unknowns, another one from what is remembered.
void RunText::carry() {
  for (std::size_t i = 0; i < shape_.m; ++i) line("l{} = {};", i, s(result(shape_.state + i)));
  if (plan_.linear())
    for (const std::int32_t u : plan_.unknown_slots()) line("w[{}] = {};", u, s(u));
  remember();
  const auto& values = carried_.values;
  for (std::size_t i = 0; i < values.size(); ++i) line("c{} = {};", i, s(values[i].end));
  for (std::size_t i = 0; i < values.size(); ++i) line("{} = c{};", s(values[i].start), i);
}

std::string RunText::body() {
  depth_ = header_ ? 2 : 1;
  const bool composed = shape_.gamma.size() > 1;
  const auto x = [&](std::size_t i) { return s(state(i)); };
  if (!carried_.values.empty()) {
    line("{} = h;", s(plan_.slot(kStepSize)));
    open("");
    std::vector<LaneStep> first(carried_.first.size());
    for (std::size_t i = 0; i < first.size(); ++i) first[i].code = {&carried_.first[i]};
    piece(plan_.finish(), first, {});
    close();
    skipped_.insert(carried_.skipped.begin(), carried_.skipped.end());
  }
  open("for (; done < steps; ++done)");
  line("spent = 0;");
  for (std::size_t i = 0; composed && i < shape_.state; ++i) line("z{} = {};", i, x(i));
  step();
  if (checks_seldom()) {
    open("if ((done & 7) == 7)");
    open(fmt::format("if ({})", too_large(state(0)).text));
    line("done -= 7;");
    line("goto back;");
    close();
    for (std::size_t i = 0; i < shape_.state; ++i) line("z{} = {};", i, x(i));
    for (std::size_t i = 0; i < shape_.m; ++i) line("y{0} = l{0};", i);
    close();
  }
  if (!plan_.blocks().empty()) {
    line("iterations += spent;");
    line("if (spent > most) most = spent;");
  }
  if (plan_.has(kPreviousStep)) line("h_before = h;");
  Condition turned = false;
  for (const std::int32_t i : shape_.angles)
    turned = turned || size_of(at(state(static_cast<std::size_t>(i)))) > kTurnHigh;
  if (!turned.known) {  // whole turns are taken off outside
    open(fmt::format("if ({})", turned.text));
    line("++done;");
    line("break;");
    close();
  }
  close();
  if (checks_seldom()) {
    open(fmt::format("if ({})", too_large(state(0)).text));
    line("done -= done & 7;");
    out_ += "back:\n";
    for (std::size_t i = 0; i < shape_.state; ++i) line("{} = z{};", x(i), i);
    for (std::size_t i = 0; i < shape_.m; ++i) line("l{0} = y{0};", i);
    close();
  }
  line("part = 0;");
  line("spent = before = 0;");
  if (!checks_seldom()) out_ += "fail:\n";
  if (header_) {
    // As volatile: for the sake of these stores GCC would put the state into vectors all through the loop, and take it out
    // again for each formula (64 instructions a step instead of 51, spark-lobatto-ab on the contact oscillator).
    for (std::size_t i = 0; i < shape_.state; ++i)
      if (!cut_) line("const_cast<volatile double&>(w[{}]) = {};", state(i), x(i));
    for (std::size_t i = 0; i < shape_.m; ++i) line("multipliers[{}] = l{};", i, i);
  }
  if (composed)
    for (std::size_t i = 0; i < shape_.state; ++i) line("job->saved[{}] = z{};", i, i);
  if (composed) line("job->at = at;");
  line("job->done = done; job->iterations = iterations; job->most = most;");
  line("job->part = part; job->spent = before; job->h_before = done > 0 ? h : h_before;");
  depth_ = 0;
  return take();
}

void RunText::declare() {
  const char* const unused = header_ ? "[[maybe_unused]] " : "";
  job();
  variables();
  line("long long iterations = 0;");
  line("int spent = 0, before = 0, most = job->most;");
  if (!loops_.empty()) {
    const std::int32_t n = *loops_.rbegin();
    for (const std::int32_t k : loops_) line("double lu{0}[{1}] = {{0.0}}, lower{0}[{1}] = {{0.0}};", k, k * padded(k));
    line("double scale[{0}] = {{0.0}}, r[{0}] = {{0.0}}, d[{0}] = {{0.0}};", padded(n));
    line("int perm[{}] = {{0}};", n);
  }
  if (!plan_.linear() && looks_far_) {
    line("double guess[{}];", plan_.unknown_slots().size());
    line("{}int look = 0;", unused);
  }
  for (const std::uint32_t slot : used_) line("{}double s{} = w[{}];", unused, slot, slot);
  for (std::size_t i = 0; i < shape_.state && (shape_.gamma.size() > 1 || checks_seldom()); ++i)
    line("double z{} = w[{}];", i, state(i));
}

std::string RunText::write() {
  prepare();
  const std::string code = body();
  out_ += kHeadText;
  out_ += kOneWordsText;
  out_ += kNativeJobText;
  if (lanes_) line("typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));");
  functions();
  open(fmt::format("void {}(struct NativeJob* job)", kNativeSymbol));
  line("const double multiplier_scale = job->multiplier_scale;");
  if (lanes_) line("double p[{}] __attribute__((aligned(32))) = {{0.0}};", std::max(cell_count_, 4));
  declare();
  out_ += code;
  close();
  return take();
}

LoopText RunText::parts() {
  carried_ = carried_values(shape_);
  prepare();
  LoopText text;
  text.loop = body();
  functions();
  text.functions = take();
  depth_ = 2;
  declare();
  for (std::size_t i = 0; i < shape_.m; ++i) line("double l{0} = multipliers[{0}];", i);
  for (std::size_t i = 0; i < carried_.values.size(); ++i) line("double c{};", i);
  for (std::size_t i = 0; i < shape_.m && checks_seldom(); ++i) line("double y{0} = l{0};", i);
  text.variables = take();
  return text;
}

}  // namespace

LoopText loop_text(const StepShape& shape) { return RunText(shape, true).parts(); }

std::vector<const Program*> programs_of(const Plan::Block& b) {
  if (b.leading) return {&b.before, &b.residual, &b.leading->matrix, &b.leading->right, &b.leading->expand};
  return {&b.before, &b.residual, &b.jacobian};
}

std::string why_not_native(const Plan& plan) {
  if (plan.is_sparse()) return "large systems are solved with sparse matrices, and have no step of one piece";
  if (plan.instruction_count() > kMostInstructions) return "its step is so long that compiling it would not pay";
  for (const Plan::Block& b : plan.blocks())
    if (b.saddle) return "its stage system is solved with a matrix that is shared by the stages, which is not compiled";
  for (const Program* const p : programs_of(plan))
    if (!p->loops.empty()) return "its model has families that are not unrolled";
  return "";
}

std::string native_text(const StepShape& shape) { return RunText(shape, false).write(); }

}  // namespace rattleback
