#include "engine/text/lanes_text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/job.hpp"
#include "engine/text/common_text.hpp"
#include "engine/text/instruction_text.hpp"
#include "engine/text/solve_text.hpp"
#include "engine/text/step_slots.hpp"
#include "step/convergence.hpp"
#include "step/newton_limits.hpp"
#include "step/starting_values.hpp"
#include "system/angles.hpp"

namespace rattleback {
namespace {

constexpr int kVector = 4;                      // doubles in one
constexpr int kVectors = kLaneWidth / kVector;  // in a group
// Steps up to this many instructions hold two vectors at once, which hides the latency of one behind the other. Measured with 1, 2
// and 4: 2.57, 2.63, 3.09 ns for mclachlan-perlmutter on the contact oscillator, 31.9, 24.9, 27.5 ns for rattle on the
// double pendulum; four do not fit into the registers.
constexpr std::size_t kShort = 400;
constexpr int kAtOnce = 2;
// Longer ones are cut into functions that meet in the workspace, as in emit.cpp.
constexpr std::size_t kOneFunction = 800, kPiece = 250;

class LanesText {
 public:
  explicit LanesText(const StepShape& shape)
      : shape_(shape),
        plan_(*shape.plan),
        image_(shape.plan->image()),
        slots_(shape),
        looks_far_(starting::looks_far(*shape.plan)) {}
  std::string write();

 private:
  // A line with @ stands for one line per vector; @ is replaced by its number.
  template <class... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    put(fmt::format(text, std::forward<Args>(args)...));
  }
  void put(const std::string& text) {
    const bool each = text.find('@') != std::string::npos;
    for (int c = 0; c < (each ? at_once_ : 1); ++c) {
      out_.append(2 * static_cast<std::size_t>(depth_), ' ');
      for (const char x : text)
        if (x == '@')
          out_ += std::to_string(c);
        else
          out_ += x;
      out_ += '\n';
    }
  }
  void open(std::string_view text) {
    line("{}{}{{", text, text.empty() ? "" : " ");
    ++depth_;
  }
  void close() {
    --depth_;
    put("}");
  }
  // `any lane of x`, over all vectors.
  [[nodiscard]] std::string any(const std::string& x) const {
    std::string sum;
    for (int c = 0; c < at_once_; ++c) {
      std::string one = x;
      for (std::size_t i; (i = one.find('@')) != std::string::npos;) one.replace(i, 1, std::to_string(c));
      sum += (c > 0 ? " | (" : "(") + one + ")";
    }
    return "some(" + sum + ")";
  }

  void find_local();
  std::string s(std::uint32_t slot);
  std::string s(std::int32_t slot) { return s(static_cast<std::uint32_t>(slot)); }
  std::string cell(const Plan::Block& b, std::int32_t k);
  void program(const Program& p);
  void piece(const Program& p, std::span<const Instruction> code);
  void tables();
  void sizes();
  void noise();
  void block(const Plan::Block& b);
  // Lanes that are still solving fail where this holds.
  void fail(const std::string& condition) { line("bad@ = go@ & ({}); ok@ &= ~bad@; go@ &= ~bad@;", condition); }
  // Rows that no lane has exchanged yet: what is not solved must not point anywhere either.
  void rows_in_order(std::int32_t n) { line("for (k = 0; k < {0}; ++k) perm{0}_@[k] = WHOLE(k);", n); }
  void linear_solve(const Plan::Block& b, bool kept);
  void leading_solve(const Plan::Block& b);
  void newton(const Plan::Block& b);
  void sub_step();
  void body();

  const StepShape& shape_;
  const Plan& plan_;
  const std::vector<double>& image_;
  const StepSlots slots_;
  const bool looks_far_;
  int at_once_ = 1;
  std::set<std::uint32_t> used_, local_;
  bool cut_ = false;
  std::string pieces_;
  std::size_t piece_count_ = 0;
  std::vector<std::vector<double>> tables_;
  std::set<std::int32_t> loops_, unrolled_;
  std::string out_;
  int depth_ = 0;
};

void LanesText::find_local() {
  PieceSlots pieces(slots_.named(false));
  const auto look = [&](const Program& p) {
    std::size_t count = 0;
    pieces.next();
    for (const Instruction& in : p.code) {
      if (in.code == Code::end) break;
      if (cut_ && ++count % kPiece == 0) pieces.next();
      pieces.see(in);
    }
  };
  for (const Plan::Block& b : plan_.blocks())
    for (const Program* p : programs_of(b)) look(*p);
  look(plan_.finish());
  local_ = pieces.local(slots_);
}

std::string LanesText::s(std::uint32_t slot) {
  if (slots_.is_constant(slot)) return kFour.number(image_[slot]);
  if (local_.contains(slot)) return fmt::format("s{}_@", slot);
  if (cut_) return fmt::format("W({}, @)", slot);
  used_.insert(slot);
  return fmt::format("s{}_@", slot);
}

std::string LanesText::cell(const Plan::Block& b, std::int32_t k) {
  const auto slot = static_cast<std::uint32_t>(b.J + k);
  return slots_.is_written(slot) ? s(slot) : kFour.number(image_[slot]);
}

void LanesText::program(const Program& p) {
  if (p.empty()) return;
  const std::span<const Instruction> all(p.code.data(), p.code.size() - 1);
  if (!cut_) {
    open("");
    piece(p, all);
    close();
    return;
  }
  for (std::size_t first = 0; first < all.size();) {  // the pieces of find_local()
    const std::size_t end = std::min(all.size(), first == 0 ? kPiece - 1 : first + kPiece);
    line("piece{}(w);", piece_count_);
    std::swap(out_, pieces_);
    const int depth = std::exchange(depth_, 0);
    open(fmt::format("static __attribute__((noinline)) void piece{}(double* restrict const w)", piece_count_++));
    piece(p, all.subspan(first, end - first));
    close();
    depth_ = depth;
    std::swap(out_, pieces_);
    first = end;
  }
}

void LanesText::piece(const Program& p, std::span<const Instruction> code) {
  std::set<std::uint32_t> local;
  for (const Instruction& in : code)
    if (local_.contains(in.dst)) local.insert(in.dst);
  for (const std::uint32_t slot : local) line("v s{}_@;", slot);
  const auto name = [&](std::uint32_t slot) { return s(slot); };
  const auto table = [&](const std::vector<double>& values) {
    tables_.push_back(values);
    return fmt::format("table{}", tables_.size() - 1);
  };
  for (const Instruction& in : code) line("{}", statement(p, in, kFour, name, table));
}

void LanesText::sizes() {
  const auto first = static_cast<std::uint32_t>(plan_.slot(kPosition));
  const std::size_t from = shape_.nv > 0 ? shape_.n : 0, count = shape_.nv > 0 ? shape_.nv : shape_.n;
  line("typical0_@ = ALL(0x1.56e1fc2f8f359p-997);");  // 1e-300
  for (std::size_t i = 0; i < count; ++i)
    line("typical0_@ = most(typical0_@, size_of({}));", s(first + static_cast<std::uint32_t>(from + i)));
  line("typical1_@ = typical0_@ * V(scale + 4 * (g + @)) / size_of({});", s(plan_.slot(kStepSize)));
}

void LanesText::noise() {
  line("noise0_@ = noise1_@ = ALL(0.0);");
  if (shape_.nv == 0) return;
  const std::string h = s(plan_.slot(kStepSize));
  line("noise0_@ = most(typical0_@ * size_of({}), ALL({}));", h, shape_.angles.empty() ? "0.0" : literal(kTurnHigh));
  for (std::size_t i = 0; i < shape_.n; ++i)
    line("noise0_@ = most(noise0_@, size_of({}));", s(plan_.slot(kPosition) + static_cast<std::int32_t>(i)));
  line("noise0_@ = most(noise0_@, noise0_@ / size_of({}));", h);
  line("noise1_@ = noise0_@ * V(scale + 4 * (g + @)) / size_of({});", h);
}

void LanesText::linear_solve(const Plan::Block& b, bool kept) {
  const std::int32_t n = b.size;
  if (n == 1) {
    const std::string J = cell(b, 0);
    fail(fmt::format("~(({} != 0.0) & (size_of({}) <= LARGEST))", J, J));
    line("d0_@ = {} / {};", s(b.r), J);
    return;
  }
  if (!kept) {
    std::string arguments;
    for (std::int32_t k = 0; k < n * n; ++k) arguments += cell(b, k) + ", ";
    for (std::int32_t k = 0; k < n; ++k) arguments += s(b.r + k) + ", ";
    for (std::int32_t k = 0; k < n; ++k) arguments += fmt::format("&d{}_@{}", k, k + 1 < n ? ", " : "");
    fail(fmt::format("solve{}({})", n, arguments));
    unrolled_.insert(n);
    return;
  }
  if (!b.linear) open("if (" + any("current_@ & go@") + ")");
  program(b.jacobian);
  for (std::int32_t k = 0; k < n * n; ++k) line("next{}_@[{}] = {};", n, k, cell(b, k));
  if (b.linear) line("current_@ = go@;");
  // Lanes that keep their old factors, or are not solving any more, are left as they are.
  fail(fmt::format("current_@ & factor{0}(next{0}_@, lu{0}_@, perm{0}_@, scale{0}_@, current_@ & go@)", n));
  if (!b.linear) close();
  for (std::int32_t k = 0; k < n; ++k) line("r_@[{}] = {};", k, s(b.r + k));
  line("substitute{0}(lu{0}_@, perm{0}_@, scale{0}_@, r_@, d_@);", n);
  for (std::int32_t k = 0; k < n; ++k) line("d{}_@ = d_@[{}];", k, k);
  loops_.insert(n);
}

// The same from the leading matrix, which is factored once.
void LanesText::leading_solve(const Plan::Block& b) {
  const LeadingSlots& d = *b.leading;
  const std::int32_t m = d.size;
  const auto S = [&](std::int32_t k) { return s(d.S + k); };
  open("if (k == 1)");
  program(d.matrix);
  if (m == 1) {
    fail(fmt::format("~(({0} != 0.0) & (size_of({0}) <= LARGEST))", S(0)));
  } else if (m > kUnrolledMatrix) {
    for (std::int32_t k = 0; k < m * m; ++k) line("next{}_@[{}] = {};", m, k, S(k));
    line("current_@ = go@;");
    fail(fmt::format("current_@ & factor{0}(next{0}_@, lu{0}_@, perm{0}_@, scale{0}_@, current_@ & go@)", m));
  }
  close();
  program(d.right);
  if (m == 1) {
    line("{} = {} / {};", s(d.y), s(d.rhs), S(0));
  } else if (m > kUnrolledMatrix) {
    for (std::int32_t k = 0; k < m; ++k) line("r_@[{}] = {};", k, s(d.rhs + k));
    line("substitute{0}(lu{0}_@, perm{0}_@, scale{0}_@, r_@, d_@);", m);
    for (std::int32_t k = 0; k < m; ++k) line("{} = d_@[{}];", s(d.y + k), k);
    loops_.insert(m);
  } else {
    std::string arguments;
    for (std::int32_t k = 0; k < m * m; ++k) arguments += S(k) + ", ";
    for (std::int32_t k = 0; k < m; ++k) arguments += s(d.rhs + k) + ", ";
    for (std::int32_t k = 0; k < m; ++k) arguments += fmt::format("&d{}_@{}", k, k + 1 < m ? ", " : "");
    fail(fmt::format("solve{}({})", m, arguments));
    for (std::int32_t k = 0; k < m; ++k) line("{} = d{}_@;", s(d.y + k), k);
    unrolled_.insert(m);
  }
  program(d.expand);
  for (std::int32_t k = 0; k < b.size; ++k) line("d{}_@ = {};", k, s(correction_slot(b) + k));
}

void LanesText::newton(const Plan::Block& b) {
  const std::int32_t n = b.size;
  bool kinds[2] = {false, false};
  for (const Equations::Scale k : b.scales) kinds[static_cast<std::size_t>(k)] = true;
  const auto each = [&](auto&& what) {
    for (int k = 0; k < 2; ++k)
      if (kinds[k]) what(k);
  };
  const bool leads = b.leading.has_value(), keeps = !leads && n > newton::kFullNewton;
  if (keeps) rows_in_order(n);
  if (leads && b.leading->size > kUnrolledMatrix) rows_in_order(b.leading->size);
  line("go@ = ok@; k = 0;");
  if (keeps) line("current_@ = go@;");
  open("while (" + any("go@") + ")");
  open("if (++k > max_newton)");
  line("ok@ &= ~go@;");
  line("break;");
  close();
  program(b.residual);
  if (leads) {
    leading_solve(b);
  } else {
    if (!keeps) program(b.jacobian);
    linear_solve(b, keeps);
  }
  each([&](int k) { line("big{}_@ = typical{}_@; change{}_@ = ALL(0.0);", k, k, k); });
  std::string sum;
  for (std::int32_t i = 0; i < n; ++i) {
    const std::string x = s(b.unknowns[static_cast<std::size_t>(i)]);
    const auto k = static_cast<int>(b.scales[static_cast<std::size_t>(i)]);
    line("{0} = pick(go@, {0} - d{1}_@, {0});", x, i);
    line("big{0}_@ = most(big{0}_@, size_of({1})); change{0}_@ = most(change{0}_@, size_of(d{2}_@));", k, x, i);
    sum += fmt::format("{}size_of(d{}_@)", i > 0 ? " + " : "", i);
  }
  fail(fmt::format("~({} <= LARGEST)", sum));
  if (kinds[0] && kinds[1])
    line("size_@ = most(change0_@ / big0_@, change1_@ / big1_@);");
  else
    line("size_@ = change{0}_@ / big{0}_@;", kinds[0] ? 0 : 1);
  open("if (k == 1)");
  each([&](int k) { line("first{}_@ = big{}_@;", k, k); });
  if (looks_far_) line("rough@ |= go@ & (size_@ > {});", literal(starting::kRough));
  close();
  line("arrived@ = (size_@ <= {}) | (size_@ <= tolerance);", literal(Convergence::kEps));  // Convergence::arrived
  line("older_@ = ratio_@;");
  line("ratio_@ = ALL(0.0);");
  open("if (k >= 2)");
  line("ratio_@ = size_@ / last_@;");
  const std::string squared = shape_.cautious ? "ratio_@" : "ratio_@ * ratio_@";
  const std::string kept = "ratio_@ / pick(1.0 - ratio_@ > 0.5, 1.0 - ratio_@, ALL(0.5))";
  line("next_@ = {};", leads ? kept : keeps ? fmt::format("pick(current_@, {}, {})", squared, kept) : squared);
  if (leads || keeps) {
    open("if (k >= 3)");  // Convergence::two_steps
    const std::string two =
        fmt::format("size_@ * size_@ * ratio_@ * older_@ <= {}", literal(Convergence::kSmall * Convergence::kSmall));
    line("next_@ = pick({}({}), next_@, ALL(1.0));", keeps ? "current_@ | " : "", two);
    close();
  }
  line("arrived@ |= (ratio_@ < 1.0) & (size_@ * next_@ <= {});", literal(Convergence::kSmall));
  line("slow@ = go@ & ~arrived@ & (ratio_@ > {});", literal(Convergence::kStagnant));
  open("if (" + any("slow@") + ")");
  if (keeps)
    line("arrived@ |= slow@ & (size_@ <= pick(current_@, {}, {}));", kFour.number(Convergence::kRoundingLevel),
         kFour.number(Convergence::kCertainlyRounding));
  else
    line("arrived@ |= slow@ & (size_@ <= {});",
         literal(leads ? Convergence::kCertainlyRounding : Convergence::kRoundingLevel));
  noise();
  if (kinds[0] && kinds[1])
    line("next_@ = most(change0_@ / most(big0_@, noise0_@), change1_@ / most(big1_@, noise1_@));");
  else
    line("next_@ = change{0}_@ / most(big{0}_@, noise{0}_@);", kinds[0] ? 0 : 1);
  line("arrived@ |= slow@ & (next_@ <= {});", literal(Convergence::kNoise));
  if (leads)  // newton::at_the_floor
    line("arrived@ |= slow@ & (ratio_@ > {}) & (older_@ > 0.0) & (older_@ <= {}) & (next_@ <= {});",
         literal(newton::kSaddleContraction), literal(newton::kLeadingContraction), literal(newton::kLeadingNoise));
  // Here the residual is judged; that is left to the interpreter.
  if (!leads) {
    open(fmt::format("if (k > {})", newton::kPatience));
    fail(fmt::format("slow@ & ~arrived@{}", keeps ? " & current_@" : ""));
    close();
  }
  close();
  if (leads)
    fail(fmt::format("~arrived@ & ((ratio_@ > {}) | ((ratio_@ > {}) & (size_@ > {})))",
                     literal(newton::kSaddleContraction), literal(newton::kLeadingContraction),
                     literal(newton::kLeadingRounding)));
  close();
  // Convergence::ran_away without the noise, which makes this one the stricter of the two.
  std::string away;
  each([&](int k) {
    away +=
        fmt::format("{}(big{}_@ > {} * first{}_@)", away.empty() ? "" : " | ", k, literal(Convergence::kRunaway), k);
  });
  line("ok@ &= ~(go@ & arrived@ & ({}));", away);
  line("go@ &= ~arrived@;");
  line("last_@ = size_@;");
  if (keeps) line("current_@ = ratio_@ > {};", literal(newton::kRefresh));
  close();
}

void LanesText::block(const Plan::Block& b) {
  program(b.before);
  if (!b.linear) {
    newton(b);
    return;
  }
  program(b.residual);
  line("go@ = ok@;");
  if (b.size == 1) {
    const std::string x = s(b.unknowns[0]), J = cell(b, 0);
    line("{0} = {0} - {1} / {2};", x, s(b.r), J);
    fail(fmt::format("~({} != 0.0)", J));
    return;
  }
  const bool unroll = b.size <= kUnrolledMatrix;
  if (unroll)
    program(b.jacobian);
  else
    rows_in_order(b.size);
  linear_solve(b, !unroll);
  std::string sum;
  for (std::int32_t i = 0; i < b.size; ++i) {
    line("{0} = {0} - d{1}_@;", s(b.unknowns[static_cast<std::size_t>(i)]), i);
    sum += fmt::format("{}size_of(d{}_@)", i > 0 ? " + " : "", i);
  }
  fail(fmt::format("~({} <= LARGEST)", sum));
}

// One sub-step. ok@: lanes whose sub-steps have been plain so far; only these are changed.
void LanesText::sub_step() {
  const auto unknowns = plan_.unknown_slots();
  const std::size_t row = shape_.history_width * kLaneWidth;
  const auto wide_slot = [&](Space space, const std::string& x) {
    if (plan_.has(space)) line("{} = ALL({});", s(plan_.slot(space)), x);
  };
  wide_slot(kTime, "at");
  wide_slot(kStepSize, shape_.gamma.size() > 1 || shape_.gamma[0] != 1.0 ? "parts[part] * h" : "h");
  wide_slot(kPreviousStep, "h_before");
  if (!plan_.linear()) {
    sizes();
    line("x1 = history + (part * {} + newest[part]) * {};", starting::kRows, row);
    line("x0 = x1 + {};", row);
    const auto each = [&](const char* text) {
      for (std::size_t i = 0; i < unknowns.size(); ++i) line(fmt::runtime(text), s(unknowns[i]), i * kLaneWidth);
    };
    const char* const near = "{0} = near_value(x1 + {1} + 4 * (g + @));";
    if (looks_far_) {
      line("far@ = I(job->far + part * {} + 4 * (g + @));", kLaneWidth);
      line("rough@ = WHOLE(0);");
      open("if (" + any("far@") + ")");
      each("{0} = far_value(x1 + {1} + 4 * (g + @));");
      open("if (" + any("~far@") + ")");
      each("{0} = pick(far@, {0}, near_value(x1 + {1} + 4 * (g + @)));");
      close();
      close();
      open("else");
      each(near);
      close();
    } else {
      each(near);
    }
  }
  for (const Plan::Block& b : plan_.blocks()) block(b);
  program(plan_.finish());
  const auto result = [&](std::size_t i) { return s(plan_.result_slot() + static_cast<std::int32_t>(i)); };
  // Pairs first: nothing waits for this sum but the question whether it is finite.
  std::vector<std::string> sums;
  for (std::size_t i = 0; i < shape_.state; ++i) sums.push_back(result(i));
  for (std::size_t i = 0; i + 1 < sums.size(); i += 2) sums.push_back(fmt::format("({} + {})", sums[i], sums[i + 1]));
  line("ok@ &= size_of({}) <= LARGEST;", sums.back());
  const auto state = [&](std::size_t i) { return plan_.slot(kPosition) + static_cast<std::int32_t>(i); };
  // All lanes, as a rule. Then the next step does not wait for masks.
  open("if (" + any("~ok@") + ")");
  for (std::size_t i = 0; i < shape_.state; ++i) line("{0} = pick(ok@, {1}, {0});", s(state(i)), result(i));
  for (std::size_t i = 0; i < shape_.m; ++i)
    line("KEEP(multipliers + {} + 4 * (g + @), ok@, {});", i * kLaneWidth, result(shape_.state + i));
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    if (plan_.linear())
      line("KEEP(&W({}, @), ok@, {});", unknowns[i], s(unknowns[i]));
    else
      line("KEEP(x0 + {} + 4 * (g + @), ok@, {});", i * kLaneWidth, s(unknowns[i]));
  }
  close();
  open("else");
  for (std::size_t i = 0; i < shape_.state; ++i) line("{} = {};", s(state(i)), result(i));
  for (std::size_t i = 0; i < shape_.m; ++i)
    line("V(multipliers + {} + 4 * (g + @)) = {};", i * kLaneWidth, result(shape_.state + i));
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    if (plan_.linear())
      line("W({}, @) = {};", unknowns[i], s(unknowns[i]));
    else
      line("V(x0 + {} + 4 * (g + @)) = {};", i * kLaneWidth, s(unknowns[i]));
  }
  close();
  if (!looks_far_) return;
  line("if (look) far@ = (far_is_better(x0 + 4 * (g + @)) & ok@) | (far@ & ~ok@);");
  line("I(job->far + part * {} + 4 * (g + @)) = far@ & ~(rough@ & ok@);", kLaneWidth);
}

void LanesText::body() {
  const bool composed = shape_.gamma.size() > 1;
  const auto state = [&](std::size_t i) { return plan_.slot(kPosition) + static_cast<std::int32_t>(i); };
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
  line("const i ok_before@ = I(active + 4 * (g + @));");
  line("i ok@ = ok_before@;");
  line("double* restrict const w = all + 4 * g;");
  if (!whole) line("if (!{}) continue;", any("ok@"));
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
  line("I(active + 4 * (g + @)) = ok@;");
  std::string left = any("ok_before@ & ~ok@");
  for (const std::int32_t a : shape_.angles)
    left += " || " +
            any(fmt::format("ok@ & (size_of({}) > {})", s(state(static_cast<std::size_t>(a))), literal(kTurnHigh)));
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

void LanesText::tables() {
  if (tables_.empty()) return;
  out_ += kLookUpText;
  out_ += kLaneLookUpText;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    std::string values;
    for (const double x : tables_[i]) values += literal(x) + ",";
    line("static const double table{}[] = {{{}}};", i, values);
  }
}

std::string LanesText::write() {
  const std::size_t length = plan_.instruction_count();
  cut_ = length > kOneFunction && !plan_.linear();
  std::int32_t largest = 1;
  for (const Plan::Block& b : plan_.blocks()) largest = std::max(largest, b.size);
  at_once_ = length <= kShort && largest <= kUnrolledMatrix ? kAtOnce : 1;
  find_local();
  depth_ = 1;
  body();
  const std::string code = std::exchange(out_, "");

  depth_ = 3;
  std::string declared;
  {
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
    line("i go@, bad@, arrived@, slow@, current_@{};", looks_far_ ? ", far@, rough@" : "");
    for (std::int32_t k = 0; k < largest; ++k) line("v d{}_@;", k);
    for (const std::int32_t n : loops_) {
      line("v next{0}_@[{1}], lu{0}_@[{1}], scale{0}_@[{0}];", n, n * n);
      line("i perm{0}_@[{0}];", n);
    }
    if (!loops_.empty()) line("v r_@[{0}], d_@[{0}];", *loops_.rbegin());
    declared = std::exchange(out_, "");
  }

  depth_ = 0;
  out_ += kHeadText;
  out_ += kLaneJobText;
  out_ += kLaneWordsText;
  tables();
  if (!plan_.linear()) out_ += starting_text(shape_.history_width, plan_.unknown_slots().size(), kFour);
  for (const std::int32_t n : unrolled_) out_ += unrolled_solve_text(n, kFour);
  for (const std::int32_t n : loops_) out_ += lane_factor_text(n);
  out_ += pieces_;
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
