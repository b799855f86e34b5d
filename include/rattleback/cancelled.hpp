// How a study ends that was told to stop.
#pragma once

#include <stdexcept>

#include "rattleback/export.hpp"

namespace RATTLEBACK_API rattleback {

// Thrown by studies (order, compare, section, ensemble) that Options::stop ended before there was anything to report. A
// single run is a Trajectory with Status::cancelled instead. It is no Error: nothing was wrong with the request.
class Cancelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace rattleback
