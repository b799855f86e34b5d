// The starts of a model file for other values of parameters and starts, without reading the formulas of the motion again.
#pragma once

#include <memory>

#include "rattleback/model.hpp"

namespace rattleback {

class StartReader {
 public:
  // Of a model that was read from a file.
  explicit StartReader(const Model& model);
  ~StartReader();
  StartReader(const StartReader&) = delete;
  StartReader& operator=(const StartReader&) = delete;

  // Puts q0, v0 and z0 as load_model() with these options would give them into `model`. False when that cannot be: more than
  // starts depends on a parameter that changes, or the values are refused. The names in `options` must always be the same.
  bool read(const LoadOptions& options, Model& model);

 private:
  std::unique_ptr<Written> written_;
};

}  // namespace rattleback
