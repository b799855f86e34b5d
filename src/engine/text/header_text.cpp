#include "engine/text/header_text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/job.hpp"
#include "engine/text/common_text.hpp"
#include "engine/text/header_runtime.hpp"
#include "engine/text/instruction_text.hpp"
#include "engine/text/parameter_text.hpp"
#include "engine/text/step_slots.hpp"
#include "engine/text/step_text.hpp"
#include "engine/text/text_out.hpp"
#include "engine/text/written_steps.hpp"

namespace rattleback {
namespace {

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

std::string why_not_plan(const Plan& plan) {
  if (std::string reason = why_not_native(plan); !reason.empty()) return reason;
  return plan.guess_program().loops.empty() ? "" : "its model has families that are not unrolled";
}

// The programs of a plan as functions of a workspace in memory, and where that has what (written_steps.hpp).
class PlanText : private TextOut {
 public:
  PlanText(const Plan& plan, std::string prefix) : plan_(plan), slots_(plan, 0), prefix_(std::move(prefix)) {}

  // A member <prefix>_plan, of the type written::Plan. continues: of its Places.
  std::string plan(bool continues);

 private:
  std::string function(std::string_view what, const Program& p);  // its name; "nullptr" for an empty one
  std::string block(const Plan::Block& b, std::size_t number);    // as an element of a table

  const Plan& plan_;
  const StepSlots slots_;
  std::string prefix_, tables_;
  std::size_t table_count_ = 0;
};

std::string PlanText::function(std::string_view what, const Program& p) {
  if (p.empty()) return "nullptr";
  const auto slot = [&](std::uint32_t k) {
    return slots_.is_constant(k) ? literal(plan_.image()[k]) : fmt::format("w[{}]", k);
  };
  const auto table = [&](const std::vector<double>& values) {
    tables_ +=
        fmt::format("  static constexpr double {}_table{}[] = {{{}}};\n", prefix_, table_count_, literals(values));
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

std::string PlanText::block(const Plan::Block& b, std::size_t number) {
  const auto made = [&](const char* what, const Program& p) { return function(fmt::format("{}{}", what, number), p); };
  const std::string before = made("before", b.before), residual = made("residual", b.residual),
                    jacobian = made("jacobian", b.jacobian);
  std::string leading = "nullptr";
  std::vector<int> scales;
  for (const Equations::Scale s : b.scales) scales.push_back(static_cast<int>(s));
  put("  static constexpr int {0}_unknowns{1}[] = {{{2}}};\n"
      "  static constexpr unsigned char {0}_scales{1}[] = {{{3}}};\n",
      prefix_, number, fmt::join(b.unknowns, ", "), fmt::join(scales, ", "));
  if (b.leading) {
    const LeadingSlots& d = *b.leading;
    const std::string matrix = made("matrix", d.matrix), right = made("right", d.right),
                      expand = made("expand", d.expand);
    put("  static constexpr Leading {}_leading{} = {{{{{}}}, {{{}}}, {{{}}}, {}, {}, {}, {}, {}, {}, {}}};\n", prefix_,
        number, matrix, right, expand, d.size, d.S, d.lu, d.pivots, d.rhs, d.y, d.guess);
    leading = fmt::format("&{}_leading{}", prefix_, number);
  }
  return fmt::format(
      "    {{{{{2}}}, {{{3}}}, {{{4}}}, {0}_unknowns{1}, {0}_scales{1}, {5}, {6}, {7}, {8}, {9}, {10}, {11}}},\n",
      prefix_, number, before, residual, jacobian, b.size, b.r, b.J, b.lu, b.pivots, b.linear, leading);
}

std::string PlanText::plan(bool continues) {
  std::string blocks;
  for (std::size_t k = 0; k < plan_.blocks().size(); ++k) blocks += block(plan_.blocks()[k], k);
  const std::string finish = function("finish", plan_.finish()), guess = function("guess", plan_.guess_program());
  const stepping::Places at = places_of(plan_, continues);
  // An array and its name; there are no arrays without elements.
  const auto array = [&](const char* type, const char* what, const std::string& elements) -> std::string {
    if (elements.empty()) return "{}";
    put("  static constexpr {} {}_{}[] = {{{}}};\n", type, prefix_, what, elements);
    return fmt::format("{}_{}", prefix_, what);
  };
  const std::string all_blocks = array("Block", "blocks", blocks),
                    unknowns = array("int", "unknowns", fmt::format("{}", fmt::join(at.unknowns, ", ")));
  put("  static constexpr Plan {}_plan = {{{{.t = {}, .h = {}, .h_before = {}, .state = {}, .velocity = {},\n"
      "      .acceleration = {}, .multiplier = {}, .result = {}, .unknowns = {}, .linear = {}, .continues = {}}},\n"
      "      {}, {}, {{{}}}, {{{}}}}};\n",
      prefix_, at.t, at.h, at.h_before, at.state, at.velocity, at.acceleration, at.multiplier, at.result, unknowns,
      at.linear, at.continues, plan_.workspace_size(), all_blocks, guess, finish);
  return tables_ + take();
}

class HeaderText : private TextOut {
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
  void head();
  void state();
  void residuals();
  void plain_steps();
  void plans();
  void shape();
  void members();
  [[nodiscard]] const Plan* level_plan() const { return data_.acceleration ? data_.acceleration->plan() : nullptr; }
  [[nodiscard]] std::size_t carried() const { return shape_.state - shape_.n - shape_.nv; }
  [[nodiscard]] bool carries_multipliers() const {
    return carried() > 0 && data_.carries_multipliers && shape_.m > 0 && level_plan() != nullptr && !data_.graded_mass;
  }
  [[nodiscard]] std::vector<const ParameterSlots*> slots_of_parameters() const;
  // The plan <prefix>_plan, and the function <prefix>_parameters(w), which puts what comes from parameters into its
  // workspace.
  void plan(const std::string& prefix, const Plan& plan, bool continues = false);

  const PlanStepper& stepper_;
  const PlanStepperData& data_;
  StepShape shape_;
  const WatchedPlan& watched_;
  const HeaderNames& names_;
  const ParameterText parameters_;
  std::string struct_, library_;  // library_: the namespace of what the header repeats of the library
};

std::vector<const ParameterSlots*> HeaderText::slots_of_parameters() const {
  std::vector<const ParameterSlots*> out;
  for (const Plan* const plan : {&data_.step, data_.first ? &*data_.first : nullptr, level_plan(), &watched_.plan})
    if (plan != nullptr) out.push_back(&plan->parameters());
  return out;
}

void HeaderText::plan(const std::string& prefix, const Plan& plan, bool continues) {
  put("{}", PlanText(plan, prefix).plan(continues));
  if ((continues && !parameters_.empty()) || !plan.parameters().slots().empty())
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
  library_ = struct_ + "_newton::rattleback";
  put("{}struct {} : {}::written::Motion<{}> {{\n", header_newton(struct_ + "_newton"), struct_, library_, struct_);
}

void HeaderText::state() {
  const auto array = [&](std::string_view name, std::size_t count, std::span<const double> x, std::string_view note) {
    put("  std::array<double, {}> {} = {{{}}};{}{}\n", count, name, literals(x), note.empty() ? "" : "  // ", note);
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
  put("  std::int64_t iterations = 0;  // of Newton, in all steps\n  int max_iterations = 0;       // in one of "
      "them\n");
}

void HeaderText::plain_steps() {
  const LoopText loop = loop_text(shape_);
  put("{}", loop.functions);
  put(R"(
  // --- plain steps: starting values extrapolated, Newton converging, the state finite
  {}  static void plain_steps(NativeJob* const job, [[maybe_unused]] double* __restrict const left) {{
    [[maybe_unused]] constexpr double tolerance = {};
    [[maybe_unused]] constexpr int max_newton = {};
)",
      kNativeJobText, literal(data_.solve.tolerance), data_.solve.max_iterations);
  put("{}{}  }}\n", loop.variables, loop.loop);
}

// What the first steps need, and those that fail; and what can be looked at.
void HeaderText::plans() {
  put("\n  // --- steps that are not plain: the first ones, and those that fail\n");
  plan("step", data_.step, true);
  if (data_.first) plan("first", *data_.first);
  if (level_plan() != nullptr) plan("level", *level_plan());
  if (watched_.plan.result_count() > 0) plan("watched", watched_.plan);
}

void HeaderText::residuals() {
  const std::int32_t first = watched_.plan.result_slot() + (watched_.has_energy ? 1 : 0),
                     velocities = first + watched_.positions,
                     end = watched_.plan.result_slot() + watched_.plan.result_count();
  if (watched_.has_energy)
    put("  [[nodiscard]] double energy() const {{ return watched()[{}]; }}\n", watched_.plan.result_slot());
  const auto residual = [&](std::string_view name, std::int32_t from, std::int32_t count) {
    if (count > 0)
      put("  [[nodiscard]] double {}() const {{ return {}::largest(watched().data() + {}, {}); }}\n", name, library_,
          from, count);
  };
  residual("position_residual", first, watched_.positions);
  residual("velocity_residual", velocities, end - velocities);
}

// What the loop over steps is told. Plain steps of a header take shorter ways than others: they wait until both predictions
// can be made.
void HeaderText::shape() {
  put("\n  static constexpr double kGamma[] = {{{}}};\n", literals(shape_.gamma));
  if (!shape_.angles.empty()) put("  static constexpr int kAngles[] = {{{}}};\n", fmt::join(shape_.angles, ", "));
  if (data_.step.has(kReferenceEnergy))
    put("  static constexpr int kReferenceEnergy = {};\n", data_.step.slot(kReferenceEnergy));
  put("  static constexpr bool kCarriesMultipliers = {};\n", carries_multipliers());
  put(R"(  static constexpr Shape kShape = {{.n = {}, .nv = {}, .m = {}, .state = {}, .gamma = kGamma,
      .angles = {}, .branch = false, .linear = {}, .two_step = {}, .graded_mass = {}, .turn_free = {},
      .looks_far = true, .plain_from = {}}};
  static constexpr {}::SolveOptions kOptions = {{.tolerance = {}, .max_iterations = {}, .cautious = {}}};
  static constexpr double kMultiplierScale = {};
)",
      shape_.n, shape_.nv, shape_.m, shape_.state, shape_.angles.empty() ? "{}" : "kAngles", shape_.linear,
      shape_.two_step, shape_.graded_mass, shape_.turn_free, starting::kFar, library_, literal(data_.solve.tolerance),
      data_.solve.max_iterations, data_.solve.cautious, literal(data_.multiplier_scale));
}

void HeaderText::members() {
  const std::size_t parts = shape_.gamma.size(), blocks = std::max<std::size_t>(1, parts * data_.step.blocks().size());
  std::vector<double> start(stepper_.q().begin(), stepper_.q().end());  // velocities and what is carried lie behind q
  start.insert(start.end(), stepper_.v().data(), stepper_.v().data() + (shape_.state - shape_.n));
  std::string before;  // values in the call before, of which something is kept
  if (parameters_.has_parameters() && (data_.step.has(kReferenceEnergy) || carries_multipliers()))
    before += "  Parameters parameters_before_;\n";
  if (parameters_.has_inputs() && carries_multipliers()) before += "  Inputs inputs_before_;\n";
  put(R"(  template <class>
  friend struct {0}::written::Host;
  friend class {0}::written::Motion<{1}>;

  double w_[{2}] = {{}};  // workspace
  double known_[{8}] = {{{9}}};  // the state as it was left
  double saved_[{3}] = {{}};  // the state before a composed step
  double history_[{4}] = {{}};  // solutions of the last steps, for starting values
  double left_[{5}] = {{{6}}};  // what a first correction leaves, in units of its square; large: not known
  std::array<int, {7}> depth_ = {{}}, newest_ = {{}}, far_ = {{}};
  {0}::stepping::Series series_;
{10}}};
)",
      library_, struct_, data_.step.workspace_size(), parts > 1 ? shape_.state : 1,
      data_.step.linear() ? 1 : parts * starting::kRows * shape_.history_width,  // else no starting values
      blocks, literals(std::vector<double>(blocks, 1e300)), parts, shape_.state, literals(start), before);
}

std::string HeaderText::write() {
  head();
  state();
  residuals();
  // Here, so that formulas find it first.
  put("\n private:\n  static double pow(double x, double y) {{ return std::pow(x, y); }}\n{}", kOneWordsText);
  plain_steps();
  shape();
  plans();
  members();
  if (const std::size_t last = names_.name.rfind("::"); last != std::string::npos)
    put("\n}}  // namespace {}\n", names_.name.substr(0, last));
  return take();
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
