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
#include "engine/text/written_steps.hpp"

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

std::string listed(std::span<const std::int32_t> slots) {
  std::string out;
  for (const std::int32_t slot : slots) out += (out.empty() ? "" : ", ") + std::to_string(slot);
  return out;
}

// The programs of a plan as functions of a workspace in memory, and where that has what (written_steps.hpp).
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

  // A member <prefix>_plan, of the type written::Plan. continues: of its Places.
  std::string plan(const std::string& written, bool continues);
  // Only <prefix>_finish(w), for a plan without unknowns.
  std::string formulas() {
    (void)function("finish", plan_.finish());
    return tables_ + out_;
  }

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
  std::string block(const Plan::Block& b, std::size_t number, const std::string& written);  // as an element of a table

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

std::string PlanText::block(const Plan::Block& b, std::size_t number, const std::string& written) {
  const auto made = [&](const char* what, const Program& p) { return function(fmt::format("{}{}", what, number), p); };
  const std::string before = made("before", b.before), residual = made("residual", b.residual),
                    jacobian = made("jacobian", b.jacobian);
  std::string leading = "nullptr", scales;
  for (const Equations::Scale s : b.scales)
    scales += fmt::format("{}{}", scales.empty() ? "" : ", ", static_cast<int>(s));
  put("  static constexpr int {0}_unknowns{1}[] = {{{2}}};\n"
      "  static constexpr unsigned char {0}_scales{1}[] = {{{3}}};\n",
      prefix_, number, listed(b.unknowns), scales);
  if (b.leading) {
    const LeadingSlots& d = *b.leading;
    const std::string matrix = made("matrix", d.matrix), right = made("right", d.right),
                      expand = made("expand", d.expand);
    put("  static constexpr {}Leading {}_leading{} = {{{{{}}}, {{{}}}, {{{}}}, {}, {}, {}, {}, {}, {}, {}}};\n",
        written, prefix_, number, matrix, right, expand, d.size, d.S, d.lu, d.pivots, d.rhs, d.y, d.guess);
    leading = fmt::format("&{}_leading{}", prefix_, number);
  }
  return fmt::format(
      "    {{{{{2}}}, {{{3}}}, {{{4}}}, {0}_unknowns{1}, {0}_scales{1}, {5}, {6}, {7}, {8}, {9}, {10}, {11}}},\n",
      prefix_, number, before, residual, jacobian, b.size, b.r, b.J, b.lu, b.pivots, b.linear, leading);
}

std::string PlanText::plan(const std::string& written, bool continues) {
  std::string blocks, blocks_name = "{}", unknowns_name = "{}";
  for (std::size_t k = 0; k < plan_.blocks().size(); ++k) blocks += block(plan_.blocks()[k], k, written);
  const std::string finish = function("finish", plan_.finish()), guess = function("guess", plan_.guess_program());
  const stepping::Places at = places_of(plan_, continues);
  if (!blocks.empty()) {
    blocks_name = prefix_ + "_blocks";
    put("  static constexpr {}Block {}[] = {{\n{}  }};\n", written, blocks_name, blocks);
  }
  if (!at.unknowns.empty()) {
    unknowns_name = prefix_ + "_unknowns";
    put("  static constexpr int {}[] = {{{}}};\n", unknowns_name, listed(at.unknowns));
  }
  put("  static constexpr {}Plan {}_plan = {{{{.t = {}, .h = {}, .h_before = {}, .state = {}, .velocity = {},\n"
      "      .acceleration = {}, .multiplier = {}, .result = {}, .unknowns = {}, .linear = {}, .continues = {}}},\n"
      "      {}, {{{}}}, {{{}}}}};\n",
      written, prefix_, at.t, at.h, at.h_before, at.state, at.velocity, at.acceleration, at.multiplier, at.result,
      unknowns_name, at.linear, at.continues, blocks_name, guess, finish);
  return tables_ + out_;
}

// Copies between members and the workspace.
std::string copies(std::string_view to, std::int32_t to_first, std::string_view from, std::int32_t from_first,
                   std::size_t count) {
  if (count == 0) return "";
  return fmt::format("    for (std::size_t i = 0; i < {}; ++i) {}[{} + i] = {}[{} + i];\n", count, to, to_first, from,
                     from_first);
}

class HeaderText {
 public:
  HeaderText(const PlanStepper& stepper, const WatchedPlan& watched, const HeaderNames& names)
      : stepper_(stepper),
        data_(stepper.data()),
        shape_(stepper.step_shape()),
        watched_(watched),
        names_(names),
        parameters_(names.parameters, names.inputs, slots_of_parameters()) {}

  std::string write();

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
  }
  // A text in which @ stands for the namespace of what the header repeats of the library, and @host for the type there.
  [[nodiscard]] std::string of_library(std::string text) const {
    replace_all(text, "@host", fmt::format("@written::Host<{}>", struct_));
    replace_all(text, "@", newton_ + "::rattleback::");
    return text;
  }
  void head();
  void state();
  void advance();
  [[nodiscard]] std::string gathered() const;
  void restart();
  [[nodiscard]] std::string begin_steps() const;
  [[nodiscard]] std::string end_steps() const;
  [[nodiscard]] bool has_find_multipliers() const;
  void find_multipliers();
  void residuals();
  void plain_steps();
  void plans();
  void watch();
  void shape();
  void members();
  [[nodiscard]] const Plan* level_plan() const { return data_.acceleration ? data_.acceleration->plan() : nullptr; }
  [[nodiscard]] std::size_t carried() const { return shape_.state - shape_.n - shape_.nv; }
  [[nodiscard]] std::vector<const ParameterSlots*> slots_of_parameters() const;
  // The function <prefix>_parameters(w), which puts what comes from parameters into the workspace of a plan.
  void parameters(const std::string& prefix, const Plan& plan, bool checks = false);

  const PlanStepper& stepper_;
  const PlanStepperData& data_;
  StepShape shape_;
  const WatchedPlan& watched_;
  const HeaderNames& names_;
  const ParameterText parameters_;
  std::string out_, struct_, newton_;  // newton_: the namespace of header_newton()
};

std::vector<const ParameterSlots*> HeaderText::slots_of_parameters() const {
  std::vector<const ParameterSlots*> out;
  for (const Plan* const plan : {&data_.step, data_.first ? &*data_.first : nullptr, level_plan(), &watched_.plan})
    if (plan != nullptr) out.push_back(&plan->parameters());
  return out;
}

void HeaderText::parameters(const std::string& prefix, const Plan& plan, bool checks) {
  if (checks || !plan.parameters().slots().empty())
    put("{}", parameters_.function(prefix, plan.parameters()));
  else
    put("  static bool {}_parameters(double*) {{ return true; }}\n", prefix);
}

void HeaderText::head() {
  const std::size_t last = names_.name.rfind("::");
  const std::string scope = last == std::string::npos ? "" : names_.name.substr(0, last);
  struct_ = last == std::string::npos ? names_.name : names_.name.substr(last + 2);
  put("// {}.\n"
      "// Written by `rattleback generate`. Do not edit it; it needs the C++20 standard library and nothing else.\n//\n"
      "//   {} motion;                                  // at the start of the model\n"
      "//   const auto end = motion.advance(motion.kStep, 1000);\n"
      "//   if (!end.ok) std::fprintf(stderr, \"stopped at t = %g: %s\\n\", motion.t(), end.reason);\n"
      "#pragma once\n\n#include <algorithm>\n#include <array>\n#include <bit>\n#include <cmath>\n#include <cstddef>\n"
      "#include <cstdint>\n#include <cstring>\n#include <limits>\n#include <span>\n#include <type_traits>\n#include "
      "<utility>\n#include <vector>\n\n",
      plain(names_.description), names_.name);
  if (!scope.empty()) put("namespace {} {{\n\n", scope);
  newton_ = struct_ + "_newton";
  put("{}", header_newton(newton_));
  put("struct {} {{\n", struct_);
}

void HeaderText::state() {
  const auto array = [&](std::string_view name, std::size_t count, std::span<const double> x, std::string_view note) {
    put("  std::array<double, {}> {} = {{{}}};{}{}\n", count, name, numbers(x), note.empty() ? "" : "  // ", note);
  };
  put("  static constexpr std::size_t kPositions = {}, kVelocities = {}, kMultipliers = {};\n", shape_.n, shape_.nv,
      shape_.m);
  put("  static constexpr double kStep = {};  // {:g}\n\n", literal(names_.step), names_.step);
  put("  // The state; it may be changed between calls{}.\n", shape_.two_step ? " with restart(), see there" : "");
  array("q", shape_.n, stepper_.q(), listed(names_.positions));
  array("v", shape_.nv, stepper_.v(), listed(names_.velocities));
  array("lambda", shape_.m, stepper_.multiplier_guess(), "multipliers of the newest stage");
  if (carried() > 0)
    array("carried", carried(), std::span<const double>(stepper_.v().data() + shape_.nv, carried()),
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
  const bool angles = !shape_.angles.empty();
  put("{}", of_library(fmt::format(R"(  [[nodiscard]] double t() const {{ return series_.t(); }}
  [[nodiscard]] double position(std::size_t i) const {{ return {}; }}

)",
                                   angles ? "@turned(q[i], turns[i])" : "q[i]")));
  restart();
  put(R"(  // Takes steps of size h. It stops at the first one that fails, with the state before it.
  Report advance(double h, std::int64_t steps) {{
{}{}  }}

)",
      begin_steps(), of_library("    const auto end = @stepping::advance(@host(*this), h, steps);\n") + end_steps());
}

// The members of the state, one after the other, in `x`.
std::string HeaderText::gathered() const {
  const auto v = static_cast<std::int32_t>(shape_.n), rest = v + static_cast<std::int32_t>(shape_.nv);
  return fmt::format("    double x[{}];\n", shape_.state) + copies("x", 0, "q", 0, shape_.n) +
         copies("x", v, "v", 0, shape_.nv) + copies("x", rest, "carried", 0, carried());
}

void HeaderText::restart() {
  const bool angles = !shape_.angles.empty(), energy = data_.step.has(kReferenceEnergy);
  std::string lines;
  if (shape_.two_step) {
    put("  // Time goes on at `at`; and where q and v were changed, the motion begins anew with them. They are values "
        "at one time,\n"
        "  // then; a step leaves the velocity of its middle. `lambda` helps Newton's iteration to start.\n");
    lines = gathered() +
            "    const double h = @written::is_moved(x, known_, kShape.state) ? 0.0 : series_.h_before;\n"
            "    series_ = {.t_base = at, .h = h, .h_before = h};\n"
            "    if (h == 0.0) @host(*this).forget();\n";
  } else {
    put("  // Time is to begin anew, and what was carried from step to step is forgotten. A state that was changed "
        "needs no call.\n"
        "  // `lambda` helps Newton's iteration to start.\n");
    lines = "    series_ = {.t_base = at};\n    @host(*this).forget();\n";
    if (energy) lines += "    reference_energy = energy();\n";
    if (angles) lines += "    turns.fill(0.0);\n    @host(*this).wrap_angles(q.data());\n";
  }
  put("  void restart(double at = 0.0) {{\n{}  }}\n\n", of_library(std::move(lines)));
}

// What is refused, and what was changed since the last call.
std::string HeaderText::begin_steps() const {
  std::string out = "    if (!@stepping::is_step_size(h)) return @written::told<Report>(@stepping::no_step_size());\n";
  out += parameters_.empty() ? "    (void)step_parameters(w_);\n" : R"(    if (!step_parameters(w_))
      return {.ok = false, .reason = "a parameter was changed over a value by which this step was decided: generate it "
                                     "anew with the new one"};
)";
  out += gathered();
  if (shape_.two_step)
    out += R"(    if (series_.h_before != 0.0 && @written::is_moved(x, known_, kShape.state))
      return {.ok = false, .reason = "q or v were changed after a step of a two-step method, which leaves the velocity of "
                                     "its middle: call restart() when both are values at one time"};
)";
  const std::size_t moving = shape_.n + shape_.nv, known = std::min(shape_.m, carried());
  if (known > 0 && data_.carries_multipliers && has_find_multipliers())
    out += fmt::format(
        "    if (@written::is_moved(x, known_, {0}) && !@written::is_moved(x + {0}, known_ + {0}, {1}) && "
        "find_multipliers())\n  {2}",
        moving, carried(), copies("x", static_cast<std::int32_t>(moving), "carried", 0, known));
  const bool energy = data_.step.has(kReferenceEnergy);
  out += energy ? "    bool another = @written::take_state(@host(*this), x, known_);\n"
                : "    (void)@written::take_state(@host(*this), x, known_);\n";
  if (energy && parameters_.has_parameters())
    out += "    another = another || std::memcmp(&parameters, &used_, sizeof used_) != 0;\n    used_ = parameters;\n";
  if (energy)
    out += fmt::format("    if (another) reference_energy = energy();\n    w_[{}] = reference_energy;\n",
                       data_.step.slot(kReferenceEnergy));
  return of_library(std::move(out));
}

std::string HeaderText::end_steps() const {
  const std::int32_t x = data_.step.slot(kPosition), v = x + static_cast<std::int32_t>(shape_.n),
                     rest = v + static_cast<std::int32_t>(shape_.nv);
  return copies("q", 0, "w_", x, shape_.n) + copies("v", 0, "w_", v, shape_.nv) +
         copies("carried", 0, "w_", rest, carried()) + copies("known_", 0, "w_", x, shape_.state) +
         of_library("    return @written::told<Report>(end);\n");
}

bool HeaderText::has_find_multipliers() const { return level_plan() != nullptr && shape_.m > 0 && !data_.graded_mass; }

void HeaderText::find_multipliers() {
  if (!has_find_multipliers()) return;
  const std::size_t known = std::min(shape_.m, carried());
  put("  // Puts the multipliers that belong to q and v into `lambda`{}. False: they are not determined.\n"
      "  bool find_multipliers() {{\n    double x[{}];\n{}{}"
      "    if (!level_at(t(), x, nullptr, lambda.data())) return false;\n{}    return true;\n  }}\n",
      known > 0 ? " and `carried`" : "", shape_.n + shape_.nv, copies("x", 0, "q", 0, shape_.n),
      copies("x", static_cast<std::int32_t>(shape_.n), "v", 0, shape_.nv), copies("carried", 0, "lambda", 0, known));
}

void HeaderText::plain_steps() {
  // One level deeper than in C.
  const auto deeper = [&](std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1);
      if (text.front() != '\n') put("  ");
      put("{}", text.substr(0, end + 1));
      text.remove_prefix(end + 1);
    }
  };
  LoopText loop = loop_text(shape_);
  if (loop.functions.find("lanes") != std::string::npos)
    put("  typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));\n");
  replace_all(loop.functions, "static const double table", "static constexpr double table");
  deeper(loop.functions);
  put(R"(
  // --- plain steps: starting values extrapolated, Newton converging, the state finite
  {}  static void plain_steps(NativeJob* const job, [[maybe_unused]] double* __restrict const left) {{
    [[maybe_unused]] constexpr double tolerance = {};
    [[maybe_unused]] constexpr int max_newton = {};
)",
      kNativeJobText, literal(data_.solve.tolerance), data_.solve.max_iterations);
  deeper(loop.variables);
  deeper(loop.loop);
  put("  }}\n");
}

// What the first steps need, and those that fail.
void HeaderText::plans() {
  const std::string written = of_library("@written::");
  put("\n  // --- steps that are not plain: the first ones, and those that fail\n{}",
      PlanText(data_.step, "step").plan(written, true));
  parameters("step", data_.step, !parameters_.empty());
  if (data_.first) {
    put("{}  static constexpr int kFirstSize = {};\n", PlanText(*data_.first, "first").plan(written, false),
        data_.first->workspace_size());
    parameters("first", *data_.first);
  }
  const Plan* const level = level_plan();
  if (level == nullptr) {
    put("  static bool level_at(double, const double*, double*, double*) {{ return false; }}\n");
    return;
  }
  put("{}", PlanText(*level, "level").plan(written, false));
  parameters("level", *level);
  put(R"(  bool level_at(double t, const double* x, double* a, double* l) const {{
    double w[{}] = {{}};
    (void)level_parameters(w);
    return {}solve_level(level_plan, w, kShape, t, x, lambda.data(), a, l);
  }}
)",
      level->workspace_size(), written);
}

void HeaderText::residuals() {
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

void HeaderText::watch() {
  const Plan& plan = watched_.plan;
  if (plan.result_count() == 0) return;
  put("{}", PlanText(plan, "watched").formulas());
  parameters("watched", plan);
  put("  void watch(double* w) const {{\n    (void)watched_parameters(w);\n");
  if (plan.has(kTime)) put("    w[{}] = t();\n", plan.slot(kTime));
  put("{}", copies("w", plan.slot(kPosition), "q", 0, shape_.n));
  if (plan.has(kVelocity)) put("{}", copies("w", plan.slot(kVelocity), "v", 0, shape_.nv));
  if (!plan.finish().empty()) put("    watched_finish(w);\n");
  put("  }}\n");
}

// What the loop over steps is told. Plain steps of a header take shorter ways than others: they wait until both predictions
// can be made.
void HeaderText::shape() {
  put("\n  static constexpr double kGamma[] = {{{}}};\n", numbers(shape_.gamma));
  if (!shape_.angles.empty()) put("  static constexpr int kAngles[] = {{{}}};\n", listed(shape_.angles));
  put(R"(  static constexpr {}stepping::Shape kShape = {{.n = {}, .nv = {}, .m = {}, .state = {}, .gamma = kGamma,
      .angles = {}, .branch = false, .linear = {}, .two_step = {}, .graded_mass = {}, .turn_free = {},
      .looks_far = true, .plain_from = {}}};
  static constexpr {}SolveOptions kOptions = {{.tolerance = {}, .max_iterations = {}, .cautious = {}}};
  static constexpr double kMultiplierScale = {};
)",
      of_library("@"), shape_.n, shape_.nv, shape_.m, shape_.state, shape_.angles.empty() ? "{}" : "kAngles",
      shape_.linear, shape_.two_step, shape_.graded_mass, shape_.turn_free, starting::kFar, of_library("@"),
      literal(data_.solve.tolerance), data_.solve.max_iterations, data_.solve.cautious,
      literal(data_.multiplier_scale));
}

void HeaderText::members() {
  const std::size_t parts = shape_.gamma.size(), blocks = std::max<std::size_t>(1, parts * data_.step.blocks().size());
  std::vector<double> start(stepper_.q().begin(), stepper_.q().end());  // velocities and what is carried lie behind q
  start.insert(start.end(), stepper_.v().data(), stepper_.v().data() + (shape_.state - shape_.n));
  put(R"(  template <class>
  friend struct {}written::Host;

  double w_[{}] = {{}};  // workspace
  double known_[{}] = {{{}}};  // the state as it was left
  double saved_[{}] = {{}};  // the state before a composed step
  double history_[{}] = {{}};  // solutions of the last steps, for starting values
  double left_[{}] = {{{}}};  // what a first correction leaves, in units of its square; large: not known
  std::array<int, {}> depth_ = {{}}, newest_ = {{}}, far_ = {{}};
  {}stepping::Series series_;
{}}};
)",
      of_library("@"), data_.step.workspace_size(), shape_.state, numbers(start), parts > 1 ? shape_.state : 1,
      data_.step.linear() ? 1 : parts * starting::kRows * shape_.history_width,  // else no starting values
      blocks, numbers(std::vector<double>(blocks, 1e300)), parts, of_library("@"),
      data_.step.has(kReferenceEnergy) && parameters_.has_parameters() ? "  Parameters used_;\n" : "");
}

std::string HeaderText::write() {
  head();
  state();
  advance();
  find_multipliers();
  residuals();
  put("\n private:\n{}", kHeaderMath);
  plain_steps();
  shape();
  plans();
  watch();
  members();
  if (const std::size_t last = names_.name.rfind("::"); last != std::string::npos)
    put("\n}}  // namespace {}\n", names_.name.substr(0, last));
  // Tables may occur outside of the loop only.
  if (out_.find("= look_up(") != std::string::npos && out_.find(" look_up(const double*") == std::string::npos)
    out_.insert(out_.find("\n private:\n") + 11, kLookUpText);
  return std::move(out_);
}

}  // namespace

std::string why_not_header(const StepTaker& stepper) {
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
