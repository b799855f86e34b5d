// A model file for other values of parameters and starts, without reading the formulas of the motion again: its starts, and the
// same graph with other inputs.
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

  // Puts parameters, q0, v0 and z0 as load_model() with these options would give them into `model`. False when that cannot
  // be: a parameter that changes decides more than numbers (Graph::set_parameters), or the values are refused. The names in
  // `options` must always be the same. The graph of `model` is another one where parameters of its formulas have changed.
  bool read(const LoadOptions& options, Model& model);
  // Was the last one false because of what a parameter decides?
  [[nodiscard]] bool decided_otherwise() const { return otherwise_; }

 private:
  std::unique_ptr<Written> written_;
  bool otherwise_ = false;
};

}  // namespace rattleback
