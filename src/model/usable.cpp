#include "model/usable.hpp"

#include <cmath>

#include <fmt/format.h>

#include "model/kind_facts.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

void check_start(const Model& model, const std::vector<double>& x, std::int32_t count, bool velocities) {
  const auto n = static_cast<std::size_t>(count);
  const auto name = [&](std::size_t i) {
    const auto at = static_cast<std::int32_t>(i);
    return velocities ? velocity_name(model, at) : model.coordinates[at];
  };
  const char* const list = velocities ? "v0" : "q0";
  if (velocities ? x.size() < n : x.size() != n)  // what has no velocities may keep those of another kind
    throw Error(fmt::format("the start of model '{}' has {} values in {}, where {} are expected", model.name, x.size(),
                            list, n));
  for (std::size_t i = 0; i < n; ++i)
    if (!std::isfinite(x[i]))
      throw Error(fmt::format("the start of `{}` is {}, where a finite number is expected", name(i), x[i]));
}

}  // namespace

const Model& usable(const Model& model) {
  if (model.graph == nullptr || model.coordinates.empty())
    throw Error(
        fmt::format("model '{}' is empty: it has no {}. Models come from load_model(), parse_model() and trace()",
                    model.name, model.graph == nullptr ? "formulas" : "coordinates"));
  check_start(model, model.q0, model.coordinates.size(), false);
  check_start(model, model.v0, velocity_count(model), true);
  return model;
}

}  // namespace rattleback
