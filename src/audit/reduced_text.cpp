#include "audit/reduced_text.hpp"

#include <fmt/format.h>

#include "audit/formula_text.hpp"
#include "system/mechanical/adapted_frame.hpp"
#include "system/mechanical/reduced.hpp"

namespace rattleback {

std::vector<CheckReport::MatrixText> reduced_text(const Model& model, const Mechanical& f) {
  Graph g = f.graph;
  const AdaptedFrame frame = adapted_frame(g, f, model.q0);
  const Reduced reduced(f, std::move(g), frame.X);
  const auto n = static_cast<std::size_t>(reduced.n), free = static_cast<std::size_t>(reduced.free);
  const std::string momentum = model.coordinates.find("rho1") ? "rho_" : "rho";
  TidyText text = formula_text(model, reduced.system.graph, [&](std::int32_t state) {
    return fmt::format("{}{}", momentum, state - reduced.n + 1);
  });
  std::vector<CheckReport::MatrixText> out;
  const auto begin = [&](const char* name) {
    if (!out.empty() && out.back().entries.empty()) out.pop_back();
    out.push_back({name, {}});
  };
  const auto put = [&](const std::string& place, NodeId e) {
    if (std::string formula = text(e); formula != "0") out.back().entries.emplace_back(place, std::move(formula));
  };
  const auto vector = [&](const char* name, std::span<const NodeId> x) {
    begin(name);
    for (std::size_t i = 0; i < x.size(); ++i) put(std::to_string(i + 1), x[i]);
  };
  begin("X");
  for (std::size_t a = 0; a < free; ++a)
    for (std::size_t i = 0; i < n; ++i)
      put(fmt::format("{},{}", model.coordinates[static_cast<std::int32_t>(i)], a + 1), frame.X[a][i]);
  vector("rho", reduced.rho);
  begin("H");
  put("", reduced.system.H);
  vector("y", std::span(reduced.system.gradient).subspan(n));
  begin("C");
  for (std::size_t a = 0; a < free; ++a)
    for (std::size_t b = a + 1; b < free; ++b) put(fmt::format("{},{}", a + 1, b + 1), reduced.system.Pi[n + a][n + b]);
  vector("F", reduced.force);
  vector("degenerate", frame.degenerate_where);
  if (out.back().entries.empty()) out.pop_back();
  return out;
}

}  // namespace rattleback
