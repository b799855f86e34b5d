#include "model/starts/start_reader.hpp"

#include "model/written.hpp"
#include "rattleback/error.hpp"

namespace rattleback {

StartReader::StartReader(const Model& model) : written_(std::make_unique<Written>(*model.written)) {}

StartReader::~StartReader() = default;

bool StartReader::read(const LoadOptions& options, Model& model) {
  if (!written_->text) return false;
  front::ModelText& text = *written_->text;
  try {
    if (!front::change_values(text, *written_->document, options)) return false;
    if (!text.world.unchanged(front::World::Use::formulas)) return false;
  } catch (const Error&) {
    return false;
  }
  model.q0 = text.q0;
  model.v0 = text.v0;
  model.z0 = text.z0;
  model.q0_error = text.q0_error;
  model.v0_error = text.v0_error;
  return true;
}

}  // namespace rattleback
