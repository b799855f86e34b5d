#include "engine/text/header_text.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/job.hpp"
#include "engine/text/common_text.hpp"
#include "engine/text/header_runtime.hpp"
#include "engine/text/instruction_text.hpp"
#include "engine/text/parameter_text.hpp"
#include "engine/text/step_text.hpp"
#include "step/starting_values.hpp"
#include "system/angles.hpp"

namespace rattleback {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// A comment must stay one: of a user's text only what cannot end it is left.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      std::string_view(" _-,.;:()[]'+=").find(c) != std::string_view::npos;
    out += kept ? c : ' ';
  }
  return out;
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + plain(n);
  return out;
}

std::string numbers(std::span<const double> x) {
  std::string out;
  for (const double value : x) out += (out.empty() ? "" : ", ") + literal(value);
  return out;
}

std::string why_not_plan(const Plan& plan) {
  if (std::string reason = why_not_native(plan); !reason.empty()) return reason;
  for (const Plan::Block& b : plan.blocks())
    if (b.saddle) return "its stage system is solved with a matrix that is shared by the stages";
  return plan.guess_program().loops.empty() ? "" : "its model has families that are not unrolled";
}

// The programs of a plan on a workspace in memory, and the function that solves it with solve_block().
class PlanText {
 public:
  PlanText(const Plan& plan, std::string prefix) : plan_(plan), prefix_(std::move(prefix)) {
    look(plan.guess_program());
    for (const Plan::Block& b : plan.blocks()) {
      for (const Program* p : {&b.before, &b.residual, &b.jacobian}) look(*p);
      if (b.leading)
        for (const Program* p : {&b.leading->matrix, &b.leading->right, &b.leading->expand}) look(*p);
    }
    look(plan.finish());
  }

  // Members <prefix>_guess(w) and <prefix>_solve(w, sizes, tolerance, most, cautious, left, report).
  std::string solver();
  // Only <prefix>_finish(w), for a plan without unknowns.
  std::string formulas() {
    (void)function("finish", plan_.finish());
    return tables_ + out_;
  }
  [[nodiscard]] bool has_tables() const { return table_count_ > 0; }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
  }
  void look(const Program& p) {
    for (const Instruction& in : p.code) {
      if (in.code == Code::end) continue;
      for (std::uint32_t k = 0; k < (in.code == Code::clear ? in.b : 1); ++k) written_.insert(in.dst + k);
    }
  }
  std::string function(std::string_view what, const Program& p);  // its name; "nullptr" for an empty one

  const Plan& plan_;
  std::string prefix_, out_, tables_;
  std::set<std::uint32_t> written_;
  std::size_t table_count_ = 0;
};

std::string PlanText::function(std::string_view what, const Program& p) {
  if (p.empty()) return "nullptr";
  const auto slot = [&](std::uint32_t k) {
    const double constant = plan_.image()[k];
    return constant != 0.0 && !written_.contains(k) && !plan_.parameters().has(k) ? literal(constant)
                                                                                  : fmt::format("w[{}]", k);
  };
  const auto table = [&](const std::vector<double>& values) {
    tables_ +=
        fmt::format("  static constexpr double {}_table{}[] = {{{}}};\n", prefix_, table_count_, numbers(values));
    return fmt::format("{}_table{}", prefix_, table_count_++);
  };
  std::string name = fmt::format("{}_{}", prefix_, what);
  const std::span<const Instruction> all(p.code.data(), p.code.size() - 1);  // without Code::end
  std::string calls;
  for (std::size_t first = 0, k = 0; first < all.size(); first += kPiece, ++k) {
    const std::string piece = all.size() > kPiece ? fmt::format("{}_{}", name, k) : name;
    put("  [[gnu::cold, gnu::noinline]] static void {}(double* w) {{\n", piece);
    for (const Instruction& in : all.subspan(first, std::min(kPiece, all.size() - first)))
      put("    {}\n", statement(p, in, kOne, slot, table));
    put("  }}\n");
    calls += fmt::format("    {}(w);\n", piece);
  }
  if (all.size() > kPiece) put("  static void {}(double* w) {{\n{}  }}\n", name, calls);
  return name;
}

std::string PlanText::solver() {
  std::string blocks;
  int k = 0;
  for (const Plan::Block& b : plan_.blocks()) {
    const std::string before = function(fmt::format("before{}", k), b.before),
                      residual = function(fmt::format("residual{}", k), b.residual),
                      jacobian = function(fmt::format("jacobian{}", k), b.jacobian);
    std::string unknowns, scales;
    for (const std::int32_t u : b.unknowns) unknowns += fmt::format("{}{}", unknowns.empty() ? "" : ", ", u);
    for (const Equations::Scale s : b.scales)
      scales += fmt::format("{}{}", scales.empty() ? "" : ", ", static_cast<int>(s));
    std::string leading = "nullptr";
    if (b.leading) {
      const LeadingSlots& d = *b.leading;
      const std::string matrix = function(fmt::format("matrix{}", k), d.matrix),
                        right = function(fmt::format("right{}", k), d.right),
                        expand = function(fmt::format("expand{}", k), d.expand);
      blocks += fmt::format(
          "    static constexpr Leading leading{} = {{{{{}}}, {{{}}}, {{{}}}, {}, {}, {}, {}, {}, {}, {}}};\n", k,
          matrix, right, expand, d.size, d.S, d.lu, d.pivots, d.rhs, d.y, d.guess);
      leading = fmt::format("&leading{}", k);
    }
    blocks += fmt::format(
        "    static constexpr int unknowns{0}[] = {{{1}}};\n    static constexpr unsigned char scales{0}[] = {{{2}}};\n"
        "    if (!solve_block({{{{{3}}}, {{{4}}}, {{{5}}}, unknowns{0}, scales{0}, {6}, {7}, {8}, {9}, {10}, {11}, "
        "{12}}}, w,\n"
        "                     sizes, tolerance, most, cautious, {13}, report))\n      return false;\n",
        k, unknowns, scales, before, residual, jacobian, b.size, b.r, b.J, b.lu, b.pivots, b.linear, leading,
        b.leading ? "nullptr" : fmt::format("left + {}", k));
    ++k;
  }
  const std::string finish = function("finish", plan_.finish()), guess = function("guess", plan_.guess_program());
  if (guess == "nullptr") put("  static void {}_guess(double*) {{}}\n", prefix_);
  put("  [[gnu::cold, gnu::noinline]] static bool {}_solve(double* w, [[maybe_unused]] const Sizes& sizes,\n"
      "      [[maybe_unused]] double tolerance, [[maybe_unused]] int most, [[maybe_unused]] bool cautious,\n"
      "      [[maybe_unused]] double* left, [[maybe_unused]] Report& report) {{\n{}",
      prefix_, blocks);
  if (finish != "nullptr")
    put("    {}(w);\n    return true;\n  }}\n", finish);
  else
    put("    return w != nullptr;\n  }}\n");
  return tables_ + out_;
}

// Copies between members and the workspace.
std::string copies(const std::string& to, std::int32_t to_first, const std::string& from, std::int32_t from_first,
                   std::size_t count, int depth) {
  if (count == 0) return "";
  return fmt::format("{}for (std::size_t i = 0; i < {}; ++i) {}[{} + i] = {}[{} + i];\n",
                     std::string(static_cast<std::size_t>(2 * depth), ' '), count, to, to_first, from, from_first);
}

class HeaderText {
 public:
  HeaderText(const PlanStepper& stepper, const WatchedPlan& watched, const HeaderNames& names)
      : stepper_(stepper),
        data_(stepper.data()),
        shape_(stepper.step_shape()),
        watched_(watched),
        names_(names),
        parameters_(names.parameters, slots_of_parameters()) {}

  std::string write();

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
  }
  void head();
  void state();
  void advance();
  void plain_steps(const LoopText& loop);
  void other_steps();
  void sub_step(const Plan& plan, const std::string& prefix, bool first);
  void level();
  void watch();
  [[nodiscard]] const Plan* level_plan() const { return data_.acceleration ? data_.acceleration->plan() : nullptr; }
  [[nodiscard]] std::vector<const ParameterSlots*> slots_of_parameters() const;
  // Puts what comes from parameters into the workspace of a plan.
  [[nodiscard]] std::string take_parameters(const std::string& prefix, const Plan& plan, const std::string& w,
                                            int depth) const;

  const PlanStepper& stepper_;
  const PlanStepperData& data_;
  StepShape shape_;
  const WatchedPlan& watched_;
  const HeaderNames& names_;
  const ParameterText parameters_;
  std::string out_, newton_;  // newton_: the namespace of header_newton()
};

std::vector<const ParameterSlots*> HeaderText::slots_of_parameters() const {
  std::vector<const ParameterSlots*> out;
  for (const Plan* const plan : {&data_.step, data_.first ? &*data_.first : nullptr, level_plan(), &watched_.plan})
    if (plan != nullptr) out.push_back(&plan->parameters());
  return out;
}

std::string HeaderText::take_parameters(const std::string& prefix, const Plan& plan, const std::string& w,
                                        int depth) const {
  if (plan.parameters().slots().empty()) return "";
  return fmt::format("{}(void){}_parameters({});\n", std::string(static_cast<std::size_t>(2 * depth), ' '), prefix, w);
}

void HeaderText::head() {
  std::string_view scope = names_.name;
  std::string name;
  const std::size_t last = scope.rfind("::");
  if (last != std::string_view::npos) {
    name = scope.substr(last + 2);
    scope = scope.substr(0, last);
  } else {
    name = scope;
    scope = "";
  }
  put("// {}.\n"
      "// Written by `rattleback generate`. Do not edit it; it needs the C++20 standard library and nothing else.\n//\n"
      "//   {} motion;                                  // at the start of the model\n"
      "//   const auto end = motion.advance(motion.kStep, 1000);\n"
      "//   if (!end.ok) std::fprintf(stderr, \"stopped at t = %g: %s\\n\", motion.t(), end.reason);\n"
      "#pragma once\n\n#include <array>\n#include <bit>\n#include <cmath>\n#include <cstddef>\n#include <cstdint>\n"
      "#include <limits>\n#include <span>\n#include <type_traits>\n#include <utility>\n#include <vector>\n\n",
      plain(names_.description), names_.name);
  if (!scope.empty()) put("namespace {} {{\n\n", scope);
  newton_ = name + "_newton";
  put("{}", header_newton(newton_));
  put("struct {} {{\n", name);
}

void HeaderText::state() {
  const std::size_t carried = shape_.state - shape_.n - shape_.nv;
  const auto array = [&](std::string_view name, std::size_t count, std::span<const double> x, std::string_view note) {
    put("  std::array<double, {}> {} = {{{}}};{}{}\n", count, name, numbers(x), note.empty() ? "" : "  // ", note);
  };
  put("  static constexpr std::size_t kPositions = {}, kVelocities = {}, kMultipliers = {};\n", shape_.n, shape_.nv,
      shape_.m);
  put("  static constexpr double kStep = {};  // {:g}\n\n", literal(names_.step), names_.step);
  put("  // The state; it may be changed between calls, see restart().\n");
  array("q", shape_.n, stepper_.q(), listed(names_.positions));
  array("v", shape_.nv, stepper_.v(), listed(names_.velocities));
  array("lambda", shape_.m, stepper_.multiplier_guess(), "multipliers of the newest stage");
  if (carried > 0)
    array("carried", carried, std::span<const double>(stepper_.v().data() + shape_.nv, carried),
          "multipliers that the method carries from step to step");
  if (!shape_.angles.empty()) array("turns", shape_.n, stepper_.turns(), "whole turns of angles; q has none");
  if (data_.step.has(kReferenceEnergy))
    put("  double reference_energy = {};  // that of the start, which the method keeps\n",
        literal(data_.reference_energy));
  put("{}", parameters_.members());
  put("{}", R"(  std::int64_t iterations = 0;  // of Newton, in all steps
  int max_iterations = 0;       // in one of them

  struct Report {
    bool ok = true;
    std::int64_t done = 0;    // steps taken; the state is the one after the last good step
    const char* reason = "";  // when not ok; the rest is about the step that failed
    int iterations = 0;
    double residual = 0.0, correction = 0.0, contraction = 0.0;
    double first = 0.0;  // the first correction: how good the starting values were
  };

)");
}

void HeaderText::advance() {
  const bool angles = !shape_.angles.empty(), composed = shape_.gamma.size() > 1;
  const std::string check = parameters_.empty() ? take_parameters("step", data_.step, "w_", 2) :
                                                R"(    if (!step_parameters(w_)) {
      out.ok = false;
      out.reason = "a parameter was changed over a value by which this step was decided: generate it anew with the new one";
      return out;
    }
)";
  put(R"(  [[nodiscard]] double t() const {{ return t_base_ + static_cast<double>(count_) * h_; }}
  [[nodiscard]] double position(std::size_t i) const {{ return {}; }}

  // To be called when the state was changed or when time is to begin anew. `lambda` helps Newton's iteration to start.
  void restart(double at = 0.0) {{
    t_base_ = at;
    count_ = 0;
    h_ = h_before_ = 0.0;
    forget();
{}  }}

  // Takes steps of size h. It stops at the first one that fails, with the state before it.
  Report advance(double h, std::int64_t steps) {{
    Report out;
{}    if (h != h_) {{
      t_base_ = t();
      count_ = 0;
      forget();
      h_before_ = h_;
      h_ = h;
    }}
)",
      angles ? newton_ + "::rattleback::turned(q[i], turns[i])" : "q[i]",
      std::string(data_.step.has(kReferenceEnergy) ? "    reference_energy = energy();\n" : "") +
          (angles ? "    turns.fill(0.0);\n    wrap_angles();\n" : ""),
      check);
  const std::int32_t x = data_.step.slot(kPosition), n = static_cast<std::int32_t>(shape_.n),
                     nv = static_cast<std::int32_t>(shape_.nv);
  const std::size_t carried = shape_.state - shape_.n - shape_.nv;
  const std::string enter = copies("w_", x, "q", 0, shape_.n, 2) + copies("w_", x + n, "v", 0, shape_.nv, 2) +
                            copies("w_", x + n + nv, "carried", 0, carried, 2);
  const std::string leave = copies("q", 0, "w_", x, shape_.n, 2) + copies("v", 0, "w_", x + n, shape_.nv, 2) +
                            copies("carried", 0, "w_", x + n + nv, carried, 2);
  put("{}", enter);
  if (data_.step.has(kReferenceEnergy)) put("    w_[{}] = reference_energy;\n", data_.step.slot(kReferenceEnergy));
  put(R"(    while (out.done < steps) {{
      NativeJob job{{}};
      job.w = w_;
      job.history = history_;
      job.newest = newest_.data();
      job.far = far_.data();
      job.multipliers = lambda.data();
      job.saved = {};
      job.t_base = t_base_;
      job.h = h;
      job.h_before = h_before_;
      job.count = count_;
      job.steps = steps - out.done;
      job.most = max_iterations;
      if (plain_steps_ahead()) {{
        plain_steps(&job, left_);
        iterations += job.iterations;
        max_iterations = job.most;
        h_before_ = job.h_before;
        count_ += job.done;
        out.done += job.done;
{}        if (out.done == steps) break;
        if (job.done > 0 && job.part == 0) continue;
      }}
      if (!other_step(h, job, out)) break;
    }}
{}    return out;
  }}

)",
      composed ? "saved_.data()" : "nullptr", angles ? "        if (job.part == 0) wrap_state();\n" : "", leave);
}

void HeaderText::plain_steps(const LoopText& loop) {
  put(R"(
  // --- plain steps: starting values extrapolated, Newton converging, the state finite
  {}  static void plain_steps(NativeJob* const job, [[maybe_unused]] double* __restrict const left) {{
    [[maybe_unused]] constexpr double tolerance = {};
    [[maybe_unused]] constexpr int max_newton = {};
)",
      kNativeJobText, literal(data_.solve.tolerance), data_.solve.max_iterations);
  // One level deeper than in C.
  for (const std::string* text : {&loop.variables, &loop.loop}) {
    std::string_view rest = *text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
      if (rest.front() != '\n') put("  ");
      put("{}", rest.substr(0, end + 1));
      rest.remove_prefix(end + 1);
    }
  }
  put("  }}\n");
}

// PlanStepper::sub_step(). first: the first step of a two-step method, on a workspace of its own.
void HeaderText::sub_step(const Plan& plan, const std::string& prefix, bool first) {
  const std::string w = "w";
  put("  [[gnu::cold, gnu::noinline]] bool {}_sub_step(double t, double h, [[maybe_unused]] std::size_t which, Report& "
      "report) {{\n",
      prefix);
  if (first)
    put("    double w[{}] = {{}}, left[{}] = {{}};\n{}", plan.workspace_size(),
        std::max<std::size_t>(1, plan.blocks().size()),
        copies("w", plan.slot(kPosition), "w_", data_.step.slot(kPosition), shape_.state, 2) +
            take_parameters(prefix, plan, "w", 2));
  else
    put("    double* const w = w_;\n");
  if (plan.has(kTime)) put("    w[{}] = t;\n", plan.slot(kTime));
  put("    w[{}] = h;\n", plan.slot(kStepSize));
  if (plan.has(kPreviousStep)) put("    w[{}] = h_before_;\n", plan.slot(kPreviousStep));
  if (plan.has(kReferenceEnergy)) put("    w[{}] = reference_energy;\n", plan.slot(kReferenceEnergy));
  put("    Sizes sizes;\n    [[maybe_unused]] bool warm = false;\n");
  if (!plan.linear()) {
    const std::int32_t x = data_.step.slot(kPosition);
    const std::int32_t from = x + (shape_.nv > 0 ? static_cast<std::int32_t>(shape_.n) : 0);
    const std::string rules = newton_ + "::rattleback::newton::", scale = literal(data_.multiplier_scale);
    put("    {0}typical_sizes({0}Assign{{}}, sizes, largest(w_ + {1}, {2}), {3}, h);\n", rules, from,
        shape_.nv > 0 ? shape_.nv : shape_.n, scale);
    if (shape_.nv > 0)
      put("    {0}noise_sizes({0}Assign{{}}, sizes, largest(w_ + {1}, {2}), {3}, {4}, h);\n", rules, x, shape_.n,
          literal(shape_.angles.empty() ? 0.0 : kTurnHigh), scale);
    if (!first) {
      const auto unknowns = plan.unknown_slots();
      std::string slots;
      for (const std::int32_t u : unknowns) slots += fmt::format("{}{}", slots.empty() ? "" : ", ", u);
      put(R"(    static constexpr int unknowns[] = {{{0}}};
    double* const rows = history_ + which * {1};
    warm = depth_[which] >= {6};
    if (warm) {{
      double guess[{3}];
      predict(rows + newest_[which] * {2}, depth_[which] >= {5} && far_[which], guess);
      for (int i = 0; i < {3}; ++i) w[unknowns[i]] = guess[i];
    }} else {{
      {4}_cold_guess(w, t);
    }}
)",
          slots, starting::kRows * shape_.history_width, shape_.history_width, unknowns.size(), prefix, starting::kFar,
          starting::kNear);
    } else {
      put("    {}_cold_guess(w, t);\n", prefix);
    }
  }
  const std::string solve = fmt::format(
      "{}_solve(w, sizes, {}, {}, {}, {}, report)", prefix, literal(data_.solve.tolerance), data_.solve.max_iterations,
      data_.solve.cautious, first ? "left" : fmt::format("left_ + which * {}", plan.blocks().size()));
  put("    report = {{}};\n    bool solved = {};\n", solve);
  if (!plan.linear() && !first)
    put(R"(    if (!solved && warm) {{
      const int spent = report.iterations;
      {}_cold_guess(w, t);
      report = {{}};
      solved = {};
      report.iterations += spent;
    }}
)",
        prefix, solve);
  put(R"(    report.ok = solved;
    if (!solved) return false;
    if (!all_finite(w + {0}, {1})) {{
      report.ok = false;
      report.reason = "the state is not finite any more";
      return false;
    }}
)",
      plan.result_slot(), shape_.state);
  put("{}", copies("w_", data_.step.slot(kPosition), "w", plan.result_slot(), shape_.state, 2));
  put("{}", copies("lambda", 0, "w", plan.result_slot() + static_cast<std::int32_t>(shape_.state), shape_.m, 2));
  if (!plan.linear() && !first)
    put(R"(    double* const row = next_row(rows, &newest_[which]);
    for (int i = 0; i < {0}; ++i) row[i] = w[unknowns[i]];
    if (report.first > {2})
      far_[which] = 0;
    else if ((count_ & {3}) == 0 && depth_[which] == {1})
      far_[which] = far_is_better(row);
    if (depth_[which] < {1}) ++depth_[which];
)",
        plan.unknown_slots().size(), starting::kFar, literal(starting::kRough), starting::kLook - 1);
  put("    return true;\n  }}\n");

  if (plan.linear()) return;
  put("  void {}_cold_guess(double* w, [[maybe_unused]] double t) {{\n", prefix);
  const Plan* const level = data_.acceleration ? data_.acceleration->plan() : nullptr;
  const std::size_t a = plan.has(kAcceleration) ? shape_.nv > 0 ? shape_.nv : shape_.n : 0;
  const std::size_t m = plan.has(kMultiplier) ? shape_.m : 0;
  if (data_.graded_mass) {  // the acceleration level is nearly singular and would mislead
    if (a > 0) put("    for (int i = 0; i < {}; ++i) w[{} + i] = 0.0;\n", a, plan.slot(kAcceleration));
    if (m > 0) put("{}", copies("w", plan.slot(kMultiplier), "lambda", 0, m, 2));
  } else if (level != nullptr) {
    put("    double a[{}] = {{}};\n    if (level_at(a, t, w_ + {})) {{\n", level->workspace_size(),
        data_.step.slot(kPosition));
    if (a > 0) put("{}", copies("w", plan.slot(kAcceleration), "a", level->result_slot(), a, 3));
    if (m > 0)
      put("{}", copies("w", plan.slot(kMultiplier), "a", level->result_slot() + static_cast<std::int32_t>(a), m, 3));
    put("    }}\n");
  }
  put("    {}_guess(w);\n  }}\n", prefix);
}

// Acceleration::solve().
void HeaderText::level() {
  const Plan* const level = data_.acceleration ? data_.acceleration->plan() : nullptr;
  if (level == nullptr) return;
  put("{}", PlanText(*level, "level").solver());
  put("  // Acceleration and multipliers that belong to the state x (positions, velocities) at time t.\n"
      "  [[gnu::cold, gnu::noinline]] bool level_at(double* a, [[maybe_unused]] double t, const double* x) const {{\n");
  put("{}", take_parameters("level", *level, "a", 2));
  if (level->has(kTime)) put("    a[{}] = t;\n", level->slot(kTime));
  put("{}", copies("a", level->slot(kPosition), "x", 0, shape_.n, 2));
  if (shape_.nv > 0 && level->has(kVelocity))
    put("{}", copies("a", level->slot(kVelocity), "x", static_cast<std::int32_t>(shape_.n), shape_.nv, 2));
  if (level->has(kMultiplier)) put("{}", copies("a", level->slot(kMultiplier), "lambda", 0, shape_.m, 2));
  const std::size_t count = (shape_.nv > 0 ? shape_.nv : shape_.n) + shape_.m;
  put(R"(    level_guess(a);
    Report report;
    double left[{}] = {{}};
    return level_solve(a, {{}}, 0.0, {}, false, left, report) && all_finite(a + {}, {});
  }}
)",
      std::max<std::size_t>(1, level->blocks().size()), SolveOptions{}.max_iterations, level->result_slot(), count);
}

void HeaderText::other_steps() {
  const bool two_step = data_.two_step, composed = shape_.gamma.size() > 1, angles = !shape_.angles.empty();
  put("{}", header_solve(newton_));
  level();
  put("{}", PlanText(data_.step, "step").solver());
  sub_step(data_.step, "step", false);
  if (two_step) {
    put("{}", PlanText(*data_.first, "first").solver());
    sub_step(*data_.first, "first", true);
  }
  std::string ahead = "true";
  if (!data_.step.linear()) {
    ahead = fmt::format("depth_[0] == {}", starting::kFar);
    for (std::size_t i = 1; i < shape_.gamma.size(); ++i)
      ahead += fmt::format(" && depth_[{}] == {}", i, starting::kFar);
  }
  if (two_step) ahead = "h_before_ != 0.0 && " + ahead;
  put("  void forget() {{\n    depth_.fill(0);\n    far_.fill(0);\n  }}\n");
  put("  bool plain_steps_ahead() const {{ return {}; }}\n", ahead);
  const std::string x = fmt::format("w_ + {}", data_.step.slot(kPosition));
  put(R"(
  // One step that is not plain, from the sub-step that was reached.
  [[gnu::cold, gnu::noinline]] bool other_step(double h, const NativeJob& job, Report& out) {{
    static constexpr double parts[] = {{{0}}};
    double at = job.part > 0 ? job.at : t();
    int spent = job.spent;
    const std::int64_t done = out.done;
)",
      numbers(shape_.gamma));
  if (composed)
    put("    if (job.part == 0)\n      for (std::size_t i = 0; i < {0}; ++i) saved_[i] = w_[{1} + i];\n", shape_.state,
        data_.step.slot(kPosition));
  put("    for (std::size_t i = static_cast<std::size_t>(job.part); i < {}; ++i) {{\n      const double part = "
      "parts[i] * "
      "h;\n",
      shape_.gamma.size());
  if (two_step)
    put("      const bool ok = h_before_ == 0.0 ? first_sub_step(at, part, i, out) : step_sub_step(at, part, i, "
        "out);\n");
  else
    put("      const bool ok = step_sub_step(at, part, i, out);\n");
  put("      out.done = done;\n      spent += out.iterations;\n      if (!ok) {{\n");
  if (composed)
    put("        for (std::size_t j = 0; j < {0}; ++j) w_[{1} + j] = saved_[j];\n", shape_.state,
        data_.step.slot(kPosition));
  put(R"(        return false;
      }}
      at += part;
    }}
    iterations += spent;
    if (spent > max_iterations) max_iterations = spent;
    out = {{}};
    out.done = done + 1;
    h_before_ = h;
    ++count_;
{}    return true;
  }}
)",
      angles ? "    wrap_state();\n" : "");
  if (angles) {
    std::string each, inside;
    for (const std::int32_t i : shape_.angles) {
      each += fmt::format("    any |= {1}::rattleback::wrap(x[{0}], turns[{0}]);\n", i, newton_);
    }
    put(R"(  // Between whole steps only: stages see one continuous motion.
  void wrap_all(double* x) {{
    bool any = false;
{}{}  }}
  void wrap_state() {{ wrap_all({}); }}
  void wrap_angles() {{ wrap_all(q.data()); }}
)",
        each, data_.turn_free ? "    (void)any;\n" : "    if (any) forget();\n", x);
  }
}

void HeaderText::watch() {
  const Plan& plan = watched_.plan;
  const std::int32_t first = plan.result_slot() + (watched_.has_energy ? 1 : 0);
  const std::int32_t velocities = plan.result_count() - (watched_.has_energy ? 1 : 0) - watched_.positions;
  if (plan.result_count() == 0) return;
  if (watched_.has_energy)
    put("  [[nodiscard]] double energy() const {{\n    double w[{}] = {{}};\n    watch(w);\n    return w[{}];\n  }}\n",
        plan.workspace_size(), plan.result_slot());
  const auto residual = [&](std::string_view name, std::int32_t from, std::int32_t count) {
    if (count > 0)
      put("  [[nodiscard]] double {}() const {{\n    double w[{}] = {{}}, worst = 0.0;\n    watch(w);\n"
          "    for (int i = 0; i < {}; ++i) worst = larger(worst, fabs(w[{} + i]));\n    return worst;\n  }}\n",
          name, plan.workspace_size(), count, from);
  };
  residual("position_residual", first, watched_.positions);
  residual("velocity_residual", first + watched_.positions, velocities);
}

std::string HeaderText::write() {
  const LoopText loop = loop_text(shape_);
  head();
  state();
  advance();
  const Plan* const level = data_.acceleration ? data_.acceleration->plan() : nullptr;
  if (level != nullptr && shape_.m > 0 && !data_.graded_mass) {
    const std::size_t a = shape_.nv > 0 ? shape_.nv : shape_.n;
    const std::size_t carried = std::min(shape_.m, shape_.state - shape_.n - shape_.nv);
    put("  // Puts the multipliers that belong to q and v into `lambda`{}. False: they are not determined.\n"
        "  bool find_multipliers() {{\n    double a[{}] = {{}}, x[{}];\n{}{}"
        "    if (!level_at(a, t(), x)) return false;\n{}{}    return true;\n  }}\n",
        carried > 0 ? " and `carried`" : "", level->workspace_size(), shape_.n + shape_.nv,
        copies("x", 0, "q", 0, shape_.n, 2), copies("x", static_cast<std::int32_t>(shape_.n), "v", 0, shape_.nv, 2),
        copies("lambda", 0, "a", level->result_slot() + static_cast<std::int32_t>(a), shape_.m, 2),
        copies("carried", 0, "lambda", 0, carried, 2));
  }
  watch();
  put("\n private:\n");
  put("{}", kHeaderMath);
  std::string functions = loop.functions;
  if (functions.find("lanes") != std::string::npos)
    put("  typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));\n");
  replace_all(functions, "static const double table", "static constexpr double table");
  std::string_view rest = functions;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
    put("  {}", rest.substr(0, end + 1));
    rest.remove_prefix(end + 1);
  }
  plain_steps(loop);
  other_steps();
  if (watched_.plan.result_count() > 0) {
    put("{}", PlanText(watched_.plan, "watched").formulas());
    put("  void watch(double* w) const {{\n{}", take_parameters("watched", watched_.plan, "w", 2));
    if (watched_.plan.has(kTime)) put("    w[{}] = t();\n", watched_.plan.slot(kTime));
    put("{}", copies("w", watched_.plan.slot(kPosition), "q", 0, shape_.n, 2));
    if (watched_.plan.has(kVelocity)) put("{}", copies("w", watched_.plan.slot(kVelocity), "v", 0, shape_.nv, 2));
    if (!watched_.plan.finish().empty()) put("    watched_finish(w);\n");
    put("  }}\n");
  }
  const auto constants = [&](const std::string& prefix, const Plan* plan, bool always) {
    if (plan != nullptr && (always || !plan->parameters().slots().empty()))
      put("{}", parameters_.function(prefix, plan->parameters()));
  };
  constants("step", &data_.step, !parameters_.empty());
  constants("first", data_.first ? &*data_.first : nullptr, false);
  constants("level", level, false);
  constants("watched", &watched_.plan, false);
  const std::size_t parts = shape_.gamma.size();
  put("\n  double w_[{}] = {{}};  // workspace\n", data_.step.workspace_size());
  // A linear plan needs no starting values.
  const std::size_t rows = data_.step.linear() ? 1 : parts * starting::kRows * shape_.history_width;
  put("  double history_[{}] = {{}};  // solutions of the last steps, for starting values\n", rows);
  put("  double left_[{}] = {{{}}};  // what a first correction leaves, in units of its square; large: not known\n",
      std::max<std::size_t>(1, parts * data_.step.blocks().size()),
      numbers(std::vector<double>(std::max<std::size_t>(1, parts * data_.step.blocks().size()), 1e300)));
  put("  std::array<int, {0}> depth_ = {{}}, newest_ = {{}}, far_ = {{}};\n", parts);
  if (parts > 1) put("  std::array<double, {}> saved_ = {{}};\n", shape_.state);
  put("  double t_base_ = 0.0, h_ = 0.0, h_before_ = 0.0;\n  std::int64_t count_ = 0;\n}};\n");
  if (const std::size_t last = names_.name.rfind("::"); last != std::string::npos)
    put("\n}}  // namespace {}\n", names_.name.substr(0, last));
  // Tables may occur outside of the loop only.
  if (out_.find("= look_up(") != std::string::npos && out_.find(" look_up(const double*") == std::string::npos)
    out_.insert(out_.find("\n private:\n") + 11, kLookUpText);
  return std::move(out_);
}

}  // namespace

std::string why_not_header(const Stepper& stepper) {
  const auto* const plan_stepper = dynamic_cast<const PlanStepper*>(&stepper);
  if (stepper.redundant()) return "which constraints are integrated is chosen in each step, which is not written down";
  if (plan_stepper == nullptr) return "this method has no step that could be written down";
  const PlanStepperData& data = plan_stepper->data();
  if (data.solve.simplified) return "simplified iterations are not written down";
  if (data.adjoint) return "compositions with the adjoint method are not written down";
  if (data.branch)
    return "the starting values of the euler methods are followed along a branch, which is not written down";
  for (const Plan* plan :
       {&data.step, data.first ? &*data.first : nullptr, data.acceleration ? data.acceleration->plan() : nullptr})
    if (plan != nullptr)
      if (std::string reason = why_not_plan(*plan); !reason.empty()) return reason;
  return "";
}

std::string header_text(const PlanStepper& stepper, const WatchedPlan& watched, const HeaderNames& names) {
  return HeaderText(stepper, watched, names).write();
}

}  // namespace rattleback
