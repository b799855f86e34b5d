// Generated steps as a side of the benchmark cases.
#pragma once

#include "cases.hpp"
#include "generated/steps.hpp"

namespace bench {

class GeneratedSide final : public Side {
 public:
  explicit GeneratedSide(std::unique_ptr<generated::Steps> steps) : steps_(std::move(steps)) {}
  void advance(double h, std::int64_t steps) override {
    if (!steps_->advance(h, steps)) throw rattleback::Error("a generated step failed");
  }
  double audit() override { return steps_->audit(); }
  [[nodiscard]] std::vector<double> state() const override { return steps_->state(); }

 private:
  std::unique_ptr<generated::Steps> steps_;
};

// The cases, with generated steps where there are some.
inline std::vector<Case> cases_with_generated_steps() {
  std::vector<Case> cases = all_cases();
  for (Case& c : cases)
    if (generated::steps_of(c.method, c.system))
      c.cpp = [method = c.method, system = c.system](const rattleback::Start&) {
        return std::make_unique<GeneratedSide>(generated::steps_of(method, system));
      };
  return cases;
}

}  // namespace bench
