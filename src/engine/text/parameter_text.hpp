// Parameters of a model as members of a C++ class: how the constants of a workspace are made of them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "expr/parameters.hpp"

namespace rattleback {

class ParameterText {
 public:
  using Values = std::vector<std::pair<std::string, double>>;
  // all: what the workspaces of the class take from parameters. A parameter may be changed where no formula needs its very
  // value and all numbers that are made of it are made by single operations.
  // inputs: their numbers are those behind the parameters.
  ParameterText(Values parameters, const Values& inputs, const std::vector<const ParameterSlots*>& all);

  [[nodiscard]] bool empty() const { return open_.empty(); }
  [[nodiscard]] bool has_parameters() const { return !open_.empty() && *open_.begin() < inputs_from_; }
  [[nodiscard]] bool has_inputs() const { return !open_.empty() && *open_.rbegin() >= inputs_from_; }
  // The members, or nothing.
  [[nodiscard]] std::string members() const;
  // A member function `bool <prefix>_parameters(double* w) const` that puts the numbers of one workspace into it. False where
  // something would have been decided otherwise.
  [[nodiscard]] std::string function(const std::string& prefix, const ParameterSlots& slots) const;

 private:
  [[nodiscard]] std::string members(const char* type, const char* name, std::size_t from, std::size_t to) const;

  std::size_t inputs_from_;
  Values values_;
  std::vector<std::string> names_;  // of members, by parameter
  std::set<std::uint32_t> open_;
};

}  // namespace rattleback
