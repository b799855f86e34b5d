// The one exception of the library: the request or the model is wrong. Numerical failure is not an exception but a
// status in the trajectory (see simulate.hpp), because everything computed before it is worth keeping.
#pragma once

#include <stdexcept>
#include <string>

#include "rattleback/export.hpp"

namespace RATTLEBACK_API rattleback {

// The request or the model is wrong; what() says where, what was found, what was expected, and what to do.
class Error : public std::runtime_error {
 public:
  // With the text of what().
  explicit Error(const std::string& message);
};

}  // namespace rattleback
