#include "engine/text/parameter_text.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "engine/text/identifier.hpp"
#include "engine/text/instruction_text.hpp"

namespace rattleback {
namespace {

// Of each step: the parameters that are in it.
std::vector<std::set<std::uint32_t>> parameters_of(const ParameterSlots& slots) {
  std::vector<std::set<std::uint32_t>> out;
  for (const ParameterSlots::Step& step : slots.steps()) {
    std::set<std::uint32_t> here;
    if (step.input || step.how == kMadeByParameter) here = {step.a};
    slots.for_each_argument(step, [&](std::uint32_t k) { here.insert(out[k].begin(), out[k].end()); });
    out.push_back(std::move(here));
  }
  return out;
}

// k[2] becomes k_2, a.k becomes a_k; a word of the language gets a _ behind it, and a name that is there already, too.
std::vector<std::string> identifiers(const ParameterText::Values& values) {
  std::vector<std::string> out;
  for (const auto& value : values) {
    std::string name = value.first;
    std::erase(name, ']');
    std::replace(name.begin(), name.end(), '[', '_');
    std::replace(name.begin(), name.end(), '.', '_');
    while (!is_identifier(name) || std::find(out.begin(), out.end(), name) != out.end()) name += '_';
    out.push_back(name);
  }
  return out;
}

}  // namespace

ParameterText::ParameterText(Values parameters, const Values& inputs, const std::vector<const ParameterSlots*>& all)
    : inputs_from_(parameters.size()), values_(std::move(parameters)) {
  values_.insert(values_.end(), inputs.begin(), inputs.end());
  names_ = identifiers(values_);
  std::set<std::uint32_t> fixed;
  for (const ParameterSlots* const slots : all) {
    const std::vector<std::set<std::uint32_t>> of = parameters_of(*slots);
    for (const auto& each : slots->slots()) open_.insert(of[each.second].begin(), of[each.second].end());
    for (std::size_t i = 0; i < of.size(); ++i)
      if (slots->steps()[i].how == kMadeInGroup || slots->is_settled(static_cast<std::uint32_t>(i)))
        fixed.insert(of[i].begin(), of[i].end());
  }
  for (const std::uint32_t parameter : fixed) open_.erase(parameter);
}

std::string ParameterText::members() const {
  std::string out;
  if (const std::string all = members("Parameters", "parameters", 0, inputs_from_); !all.empty())
    out += "  // Parameters of the model; they may be changed between calls.\n" + all;
  if (const std::string all = members("Inputs", "inputs", inputs_from_, values_.size()); !all.empty())
    out += "  // Inputs of its ports: held over the steps of a call.\n" + all;
  return out;
}

std::string ParameterText::members(const char* type, const char* name, std::size_t from, std::size_t to) const {
  std::string out;
  for (const std::uint32_t i : open_)
    if (i >= from && i < to) out += fmt::format("    double {} = {};\n", names_[i], values_[i].second);
  return out.empty() ? out : fmt::format("  struct {} {{\n{}  }} {};\n", type, out, name);
}

std::string ParameterText::function(const std::string& prefix, const ParameterSlots& slots) const {
  std::string lines, fit;
  const std::vector<std::set<std::uint32_t>> of = parameters_of(slots);
  const std::span<const ParameterSlots::Step> steps = slots.steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ParameterSlots::Step& step = steps[i];
    std::string text = literal(step.value);
    const bool open = std::any_of(of[i].begin(), of[i].end(), [&](std::uint32_t k) { return open_.contains(k); });
    if (step.input)
      text = "inputs." + names_[step.a];
    else if (open && step.how == kMadeByParameter)
      text = "parameters." + names_[step.a];
    else if (open && step.how != 0)
      text = formula(code_of(op_that_made(step.how)), kOne,
                     [&](int k) { return fmt::format("c{}", k == 0 ? step.a : step.b); });
    lines += fmt::format("    [[maybe_unused]] const double c{} = {};\n", i, text);
    const auto decided = [&](std::string_view how) { fit += fmt::format(" && c{} {} 0.0", i, how); };
    if (!open || step.input) continue;
    if (step.is == NumberClass::zero) decided("==");
    if (step.is == NumberClass::positive) decided(">");
    if (step.is == NumberClass::negative) decided("<");
  }
  for (const auto& [slot, step] : slots.slots()) lines += fmt::format("    w[{}] = c{};\n", slot, step);
  return fmt::format(
      "  [[gnu::cold, gnu::noinline]] bool {}_parameters([[maybe_unused]] double* w) const {{\n{}    return true{};\n  "
      "}}\n",
      prefix, lines, fit);
}

}  // namespace rattleback
