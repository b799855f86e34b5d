// The generated steps of the benchmark cases behind one interface. It knows nothing of the library, so that steps.cpp can
// be compiled for the machine, as the kernels are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace generated {

class Steps {
 public:
  virtual ~Steps() = default;
  virtual bool advance(double h, std::int64_t steps) = 0;
  virtual double audit() = 0;                                   // energy error + constraint residual
  [[nodiscard]] virtual std::vector<double> state() const = 0;  // q, v
};

// Null: there are none for this method (as bench/cases.hpp calls it) on this system.
std::unique_ptr<Steps> steps_of(const std::string& method, const std::string& system);

}  // namespace generated
