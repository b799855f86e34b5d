#include "model/starts/start_reader.hpp"

#include "model/check_angles.hpp"
#include "model/kinematics.hpp"
#include "model/starts/auxiliary.hpp"
#include "model/written.hpp"
#include "rattleback/error.hpp"

namespace rattleback {

StartReader::StartReader(const Model& model) : written_(std::make_unique<Written>(*model.written)) {}

StartReader::~StartReader() = default;

bool StartReader::read(const LoadOptions& options, Model& model) {
  otherwise_ = false;
  if (!written_->text) return false;
  front::ModelText& text = *written_->text;
  try {
    if (!front::change_values(text, *written_->document, options)) return false;
    if (!text.world.unchanged(front::World::Use::formulas)) return false;
    std::shared_ptr<Graph> graph;
    if (std::vector<std::pair<std::string, double>> now = text.world.values(); now != model.parameters) {
      std::vector<double> values;
      for (const auto& parameter : now) values.push_back(parameter.second);
      graph = std::make_shared<Graph>(*model.graph);
      otherwise_ = !graph->set_parameters(values, text.world.errors());
      if (otherwise_) return false;
      model.graph = graph;
      model.parameters = std::move(now);
      model.parameter_errors = text.world.errors();
    }
    model.q0 = text.q0;
    model.v0 = text.v0;
    model.z0 = text.z0;
    model.w0 = text.w0;
    model.q0_error = text.q0_error;
    model.v0_error = text.v0_error;
    if (!keeps_the_same(text)) return false;
    put_velocities(text, model);
    solve_auxiliary(text, model);
    if (graph != nullptr) check_angles(text, model);
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace rattleback
