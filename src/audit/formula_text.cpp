#include "audit/formula_text.hpp"

namespace rattleback {

TidyText formula_text(const Model& model, const Graph& graph, std::function<std::string(std::int32_t)> beyond) {
  std::vector<std::string> parameters;
  for (const auto& [name, value] : model.parameters) parameters.push_back(name);
  return {graph, std::move(parameters), [&model, beyond = std::move(beyond)](const Node& leaf) -> std::string {
            if (leaf.op == Op::input) {  // from outside: it has the name of its port
              for (const Port& port : model.ports)
                if (const Node& input = (*model.graph)[port.input]; input.op == Op::input && input.a == leaf.a)
                  return port.name;
              return "u";
            }
            if (leaf.space == kTime) return "t";
            if (leaf.space == kMultiplier) return "lambda(" + model.multiplier_name(leaf.base()) + ")";
            if (leaf.base() >= model.coordinates.size() && beyond) return beyond(leaf.base());
            return model.coordinates[leaf.base()] + (leaf.space == kVelocity ? "'" : "");
          }};
}

}  // namespace rattleback
