// Tables of data that a model uses have ends. Where one refuses to be asked beyond them, a run does not begin that would come
// there in time, and one that comes there otherwise stops.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/evaluator.hpp"
#include "model/model_text.hpp"
#include "system/system.hpp"

namespace rattleback {

class DataRange {
 public:
  explicit DataRange(const System& system);

  // Of inputs: throws Error where their data do not reach from the start of a run to its end.
  void check(double from, double until) const;
  // What was asked beyond its ends at this state; "": nothing was.
  [[nodiscard]] std::string fault(double t, std::span<const double> q, std::span<const double> v,
                                  std::span<const double> multipliers);
  void use_parameters(std::span<const double> values) {
    if (at_) at_->set_parameters(values);
  }
  [[nodiscard]] bool is_empty() const { return uses_.empty(); }

 private:
  std::vector<front::DataUse> uses_;
  std::vector<char> of_time_;  // by use: at t itself
  std::optional<Evaluator> at_;
};

}  // namespace rattleback
