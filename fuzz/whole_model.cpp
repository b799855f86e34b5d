// A small model from its text to a few steps: check(), then simulate() with a method and options that the input chooses.
// The last four bytes of the input are those choices, everything before them is the model file. As in model_text, only
// rattleback::Error is an answer; a run that stops is one too, if it says why. A run that is done has a finite state.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"

namespace {

using namespace rattleback;

constexpr std::size_t kChoices = 4;
constexpr std::size_t kMaxText = 4096;
// What a step costs grows with these; larger models are the business of model_text.
constexpr int kMaxCoordinates = 6;
constexpr std::size_t kMaxNodes = 600;

bool finite(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

// Not the adaptive ones: before a singularity they take up to 10^6 steps, which is half a minute under a sanitizer.
std::vector<const MethodInfo*> fixed_step_methods() {
  std::vector<const MethodInfo*> out;
  for (const MethodInfo& method : methods())
    if (!method.adaptive) out.push_back(&method);
  return out;
}

Options choose(const Model& model, const std::uint8_t* choices) {
  static constexpr std::array<const char*, 4> kFormulations = {"", "index2", "ggl", "index3"};
  static constexpr std::array<int, 4> kCompositions = {0, 0, 0, 4};
  static constexpr std::array<double, 4> kSteps = {0.01, 0.1, 1e-4, 1.0};
  static const std::vector<const MethodInfo*> all = fixed_step_methods();
  const MethodInfo& method = *all[choices[0] % all.size()];
  Options o;
  o.method = method.name;
  if (method.fixed_stages == 0) o.stages = choices[1] % 4;
  o.steps = 3 + choices[1] / 4 % 3;
  o.step = kSteps[choices[1] / 16 % 4];
  if (choices[1] >= 128 && model.run.step && std::isfinite(*model.run.step)) o.step = *model.run.step;
  o.formulation = kFormulations[choices[2] % 4];
  o.compose = kCompositions[choices[2] / 4 % 4];
  o.project = choices[2] / 16 % 2 == 1;
  o.audit_reverse = choices[2] / 32 % 2 == 1;
  o.audit_order = choices[2] / 64 % 4 == 3;
  o.newton_tol = choices[3] % 8 == 7 ? 1e-6 : 0.0;
  o.every = choices[3] / 8 % 3;
  o.record_multipliers = choices[3] / 32 % 2 == 0;
  return o;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size <= kChoices || size > kMaxText + kChoices) return -1;
  size -= kChoices;
  try {
    const Model model = parse_model(std::string(reinterpret_cast<const char*>(data), size), "fuzz.toml");
    if (model.coordinates.size() > kMaxCoordinates || model.multiplier_count() > kMaxCoordinates ||
        model.graph->size() > kMaxNodes)
      return -1;  // not worth a place in the corpus
    check(model);
    const Trajectory out = simulate(model, choose(model, data + size));
    if (out.status == Status::stopped ? out.message.empty() : !finite(out.q) || !finite(out.v)) std::abort();
  } catch (const Error& e) {
    if (*e.what() == '\0') std::abort();
  }
  return 0;
}
